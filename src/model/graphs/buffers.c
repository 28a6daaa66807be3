// SPDX-License-Identifier: Apache-2.0
/* model/graphs/buffers.c: finds the places of what XLA's command buffers ran. Their kernels have a single launch, and
 * events that name only the buffer; the program in the file lists the buffer's instructions. In: replays, and the
 * buffers of the file's programs. Out: attributions: by name (unique), by the order relative to named ones (order),
 * otherwise the common part of the instructions that remain. Replays with one pattern and buffer share the answer. */
#include "model/graphs/walk.h"
#include "model/tables/profile.h"
#include "model/tables/stats.h"

/* limit of the walks' steps: LEAST, and EACH for each pair of instruction and activity */
enum { LEAST = 1 << 20, EACH = 256 };

typedef struct buffer_keys {
    tfp_strid module, program, op;
} buffer_keys;

/* What the events tell about the buffer that a replay ran. */
typedef struct stated {
    uint32_t process, pattern;
    tfp_strid module, op; /* 0: not stated */
    uint64_t program;
    bool has_program;
} stated;
typedef struct question {
    stated of;
    uint32_t buffer;
} question;

typedef struct judge {
    tfp_builder *b;
    const tfp_graph_tables *g;
    const tfp_replays *r;
    buffer_keys keys;
    tfp_walks walks;
    tfp_map64 question;
    TFP_VEC(question) questions;
    tfp_map64 answer;              /* pattern << 32 | buffer -> index in rows */
    TFP_VEC(tfp_attribution) rows; /* rows of answers, in the order of the pattern */
    TFP_VEC(uint32_t) row_item;    /* parallel to rows: index in items; TFP_NONE: none */
    uint32_t *last;                /* for each item: 1 + the replay that ran it last */
} judge;

/* ---- whose buffer a replay is ---- */

static tfp_strid text_of(const judge *j, uint32_t span, tfp_strid key)
{
    const tfp_stat *stat = tfp_typed_stat(j->b->p->events, span, key, TFP_STAT_TEXT);
    return stat ? (tfp_strid)stat->value.text : 0;
}

/* XLA's span "jit_f:XLA GPU module", around everything that a program launches, names the program. */
static tfp_strid module_around(const judge *j, uint32_t span)
{
    const tfp_span_columns *s = &j->b->p->events->spans;
    for (unsigned level = 0; span != TFP_NONE && level < 64; level++, span = s->parent[span]) {
        tfp_str name = tfp_text(j->b->p, s->name[span]), end = TFP_STR(":XLA GPU module");
        if (tfp_str_ends(name, end))
            return tfp_strtab_find(&j->b->p->strings, (tfp_str){ name.data, name.size - end.size });
    }
    return 0;
}

static stated stated_of(const judge *j, const tfp_replay *replay)
{
    uint32_t span = j->r->activity[replay->first];
    const tfp_stat *program = tfp_typed_stat(j->b->p->events, span, j->keys.program, TFP_STAT_INT);
    stated t;
    memset(&t, 0, sizeof t); /* padding too, because it is hashed byte by byte */
    t.process = replay->process;
    t.pattern = replay->pattern;
    t.op = text_of(j, span, j->keys.op);
    t.has_program = program != NULL;
    if (program) t.program = (uint64_t)program->value.number;
    if (!program) t.module = text_of(j, span, j->keys.module);
    if (!program && !t.module) t.module = text_of(j, replay->launch, j->keys.module);
    if (!program && !t.module) t.module = module_around(j, replay->launch);
    return t;
}

/* Whether the buffer belongs to the module that ran, by its number or else by its name. */
static bool is_of(const tfp_command_buffer *b, const stated *t)
{
    if (b->process != t->process) return false;
    return t->has_program ? b->program == t->program : t->module && b->module == t->module;
}

/* Whether the events name this buffer: by its computation, or by the call of it. */
static bool is_called(const judge *j, const tfp_command_buffer *b, tfp_strid op)
{
    tfp_str name = tfp_text(j->b->p, b->name), word = tfp_text(j->b->p, op);
    if (!op || !b->whole || name.size != word.size) return op && b->whole && op == b->caller;
    for (size_t i = 0; i < name.size; i++)
        if (name.data[i] != word.data[i] && !(name.data[i] == '_' && word.data[i] == '.')) return op == b->caller;
    return true;
}

/* Of the possible buffers, finds the one whose instructions have the names of most activities; TFP_NONE: there is none,
 * or several have equally many. */
static uint32_t find_buffer(judge *j, const stated *t)
{
    const tfp_pattern *p = &j->r->patterns.at[t->pattern];
    uint32_t best = TFP_NONE, most = 0;
    bool tie = false;
    for (uint32_t k = 0; k < j->g->buffers.size; k++) {
        const tfp_command_buffer *buffer = &j->g->buffers.at[k];
        if (!tfp_effort_take(&j->walks.effort, 1)) return TFP_NONE;
        if (!is_of(buffer, t)) continue;
        if (is_called(j, buffer, t->op)) return k;
        if (!tfp_effort_take(&j->walks.effort, p->count)) return TFP_NONE;
        uint32_t hits = 1 + tfp_walk_hits(&j->walks, k, j->r->signs.at + p->first, p->count);
        tie = hits == most || (hits < most && tie);
        if (hits > most) most = hits, best = k;
    }
    return tie ? TFP_NONE : best;
}

/* Finds the buffer that a replay ran; replays whose events tell the same share the answer. */
static bool buffer_of(judge *j, const tfp_replay *replay, uint32_t *buffer)
{
    stated t = stated_of(j, replay);
    for (uint64_t key = tfp_hash(&t, sizeof t);; key++) {
        uint32_t at = tfp_map64_get(&j->question, key);
        if (at != TFP_NONE && memcmp(&j->questions.at[at].of, &t, sizeof t) == 0)
            return *buffer = j->questions.at[at].buffer, true;
        if (at != TFP_NONE) continue;
        question q = { .buffer = *buffer = find_buffer(j, &t) };
        memcpy(&q.of, &t, sizeof t);
        return tfp_map64_put(&j->question, key, (uint32_t)j->questions.size) && tfp_push(&j->questions, q);
    }
}

/* ---- answers ---- */

typedef struct shared {      /* what several instructions have in common */
    uint32_t first, modules; /* indexes in items and places */
    bool place, op, line;
} shared;

static shared share(const judge *j, const uint32_t *items, uint32_t count)
{
    const tfp_buffer_item *first = &j->g->items.at[items[0]];
    shared s = { items[0], first->modules, true, true, true };
    for (uint32_t i = 1; i < count; i++) {
        const tfp_buffer_item *item = &j->g->items.at[items[i]];
        s.place &= item->path == first->path && item->line == first->line;
        s.op &= item->op == first->op;
        s.line &= item->line == first->line;
        s.modules = tfp_graph_place_shared(j->g, s.modules, item->modules);
    }
    return s;
}

static tfp_attribution whole(judge *j, uint32_t at, bool one, tfp_certainty sure)
{
    const tfp_buffer_item *item = &j->g->items.at[at];
    tfp_attribution a = tfp_attribution_none(TFP_PLACE_KNOWN);
    a.module = tfp_graph_place_text(j->b, item->modules);
    a.op = item->op;
    a.path = item->path;
    a.line = item->line;
    a.trace = item->trace;
    a.stats = one ? item->stats : TFP_NONE;
    a.certainty = (uint8_t)sure;
    a.line_from = item->line ? TFP_LINE_OF_FRAME : TFP_LINE_NOWHERE;
    return a;
}

static tfp_attribution partly(judge *j, const shared *s)
{
    const tfp_buffer_item *item = &j->g->items.at[s->first];
    tfp_strid line = s->line ? item->line : 0;
    uint32_t trace = line ? item->trace : TFP_NONE;
    tfp_attribution a = tfp_attribution_partly(j->b, s->modules, s->op ? &item->op : NULL, line, trace);
    a.outright = a.certainty == TFP_SURE_BY_PARTIAL;
    return a;
}

static tfp_attribution decide(judge *j, const tfp_walked *of, const tfp_walked_activity *w)
{
    if (!w->count) return tfp_attribution_none(TFP_AMBIGUOUS);
    const uint32_t *items = of->items.at + w->first;
    shared s = share(j, items, w->count);
    if (w->again || w->loose) s.op = s.line = false; /* the instruction is not certain */
    if (w->again || w->loose || !s.place) return partly(j, &s);
    return whole(j, items[0], w->count == 1, w->by_name ? TFP_SURE_BY_UNIQUE : TFP_SURE_BY_ORDER);
}

static bool put_rows(judge *j, const tfp_walked *of, uint32_t count)
{
    size_t first = j->rows.size;
    bool any = false;
    for (uint32_t k = 0; k < count; k++) {
        const tfp_walked_activity *w = &of->at[k];
        tfp_attribution a = decide(j, of, w);
        any |= a.certainty != TFP_SURE_BY_NONE;
        bool one = a.path && w->count == 1;
        if (!tfp_push(&j->rows, a) || !tfp_push(&j->row_item, one ? of->items.at[w->first] : TFP_NONE)) return false;
    }
    bool spent = j->walks.effort.spent; /* the search was cut short, so there may be further possibilities */
    for (size_t i = first; (spent || !any) && i < j->rows.size; i++) {
        j->rows.at[i] = tfp_attribution_none(spent ? TFP_AMBIGUOUS : TFP_NO_MATCH);
        j->row_item.at[i] = TFP_NONE;
    }
    return !j->b->status;
}

/* The index of a replay's first row; SIZE_MAX: out of memory. */
static size_t answer_of(judge *j, const tfp_replay *replay, uint32_t buffer)
{
    const tfp_pattern *p = &j->r->patterns.at[replay->pattern];
    uint64_t key = (uint64_t)replay->pattern << 32 | buffer;
    uint32_t known = tfp_map64_get(&j->answer, key);
    if (known != TFP_NONE) return known;
    size_t first = j->rows.size;
    tfp_walked walked = { .at = calloc(p->count + 1, sizeof *walked.at) };
    tfp_walk_of of = { j->r->signs.at + p->first, p->count, !p->streams };
    bool ok = walked.at && tfp_walk(&j->walks, buffer, of, &walked) && put_rows(j, &walked, p->count);
    free(walked.at);
    tfp_vec_free(&walked.items);
    return ok && tfp_map64_put(&j->answer, key, (uint32_t)first) ? first : SIZE_MAX;
}

/* Marks a kernel: several kernels of one instruction are one run of it. */
static void mark(judge *j, uint32_t span, uint32_t item, uint32_t replay)
{
    uint8_t *marks = &j->b->p->events->spans.marks[span];
    *marks &= (uint8_t)~TFP_MARK_CONTINUES;
    if (item == TFP_NONE) return;
    if (j->last[item] == replay + 1 && !j->g->items.at[item].loops) *marks |= TFP_MARK_CONTINUES;
    j->last[item] = replay + 1;
}

static bool tell(judge *j, uint32_t replay)
{
    const tfp_replay *of = &j->r->at.at[replay];
    uint32_t buffer = TFP_NONE;
    if (!buffer_of(j, of, &buffer)) return false;
    if (buffer == TFP_NONE) return true;
    size_t first = answer_of(j, of, buffer);
    for (uint32_t k = of->first; first != SIZE_MAX && k < of->first + of->count; k++) {
        size_t at = first + j->r->position[k];
        tfp_attribute(j->b, j->r->activity[k], true, j->rows.at[at]);
        mark(j, j->r->activity[k], j->row_item.at[at], replay);
    }
    return first != SIZE_MAX && !j->b->status;
}

bool tfp_buffers_judge(tfp_builder *b, const tfp_replays *r, size_t *crowded)
{
    const tfp_strtab *strings = &b->p->strings;
    judge j = { .b = b,
                .g = b->p->captures,
                .r = r,
                .keys = { tfp_strtab_find(strings, TFP_STR("hlo_module")),
                          tfp_strtab_find(strings, TFP_STR("program_id")),
                          tfp_strtab_find(strings, TFP_STR("hlo_op")) } };
    j.last = calloc(j.g->items.size + 1, sizeof *j.last);
    bool ok = j.last && tfp_walks_start(&j.walks, b);
    j.walks.effort.left = LEAST + EACH * ((uint64_t)j.g->items.size + r->count);
    for (uint32_t i = 0; ok && i < r->at.size; i++) {
        ok = tell(&j, i);
        *crowded += j.walks.effort.spent;
    }
    tfp_walks_end(&j.walks);
    free(j.last);
    tfp_map64_free(&j.question);
    tfp_vec_free(&j.questions);
    tfp_map64_free(&j.answer);
    tfp_vec_free(&j.rows);
    tfp_vec_free(&j.row_item);
    return ok && !b->status;
}
