// SPDX-License-Identifier: Apache-2.0
/* model/graphs/walk.c: finds the instructions of a command buffer that each activity of a replay may be. In: the
 * buffer's instructions in launch order, the activities in node order. Out: for each activity the possible
 * instructions. First names are matched: a kernel has the name of its instruction, or of an equal earlier one, because
 * XLA compiles equal fusions once. Then the activities between two that have only one instruction are matched with the
 * instructions between those two: each instruction runs at least one activity, a library's may run several, branches
 * may run none, loops go back. The states of this search are sets of instructions, computed forward and backward, so
 * the work is at most the number of activities times the number of instructions between two names. */
#include "model/graphs/walk.h"
#include "model/tables/profile.h"

#define START (TFP_NONE - 1) /* the position before the first instruction */

/* ---- names ---- */

static uint64_t in_buffer(uint32_t buffer, tfp_strid name) { return (uint64_t)buffer << 32 | name; }

static bool chain(tfp_map64 *first, uint32_t *next, uint64_t key, uint32_t item)
{
    next[item] = tfp_map64_get(first, key);
    return tfp_map64_put(first, key, item);
}

bool tfp_walks_start(tfp_walks *w, tfp_builder *b)
{
    const tfp_graph_tables *g = b->p->captures;
    size_t items = g->items.size + 1;
    *w = (tfp_walks){ .b = b, .g = g, .strings = b->p->strings.count };
    w->next_kernel = malloc(items * sizeof *w->next_kernel);
    w->next_stem = malloc(items * sizeof *w->next_stem);
    w->seen = calloc(items, sizeof *w->seen);
    w->present = calloc(w->strings + 1, sizeof *w->present);
    w->stems = calloc(w->strings + 1, sizeof *w->stems);
    w->twice = calloc(w->strings + 1, 1);
    w->spare.first = malloc((w->strings + 1) * sizeof *w->spare.first);
    w->spare.last = malloc((w->strings + 1) * sizeof *w->spare.last);
    w->spare.next = malloc(items * sizeof *w->spare.next);
    bool ok = w->spare.first && w->spare.last && w->spare.next && w->next_kernel && w->next_stem && w->seen &&
              w->present && w->stems && w->twice;
    for (uint32_t k = 0; ok && k < g->buffers.size; k++) {
        const tfp_command_buffer *buffer = &g->buffers.at[k];
        for (uint32_t i = buffer->first + buffer->count; ok && i-- > buffer->first;)
            ok = chain(&w->by_kernel, w->next_kernel, in_buffer(k, g->items.at[i].kernel), i) &&
                 chain(&w->by_stem, w->next_stem, in_buffer(k, g->items.at[i].stem), i);
    }
    return ok;
}

void tfp_walks_end(tfp_walks *w)
{
    free(w->next_kernel);
    free(w->next_stem);
    free(w->seen);
    free(w->present);
    free(w->stems);
    free(w->twice);
    tfp_map64_free(&w->by_kernel);
    tfp_map64_free(&w->by_stem);
    tfp_vec_free(&w->names);
    free(w->spare.first);
    free(w->spare.last);
    free(w->spare.next);
    tfp_vec_free(&w->states);
    tfp_vec_free(&w->state_first);
}

/* The name without its number; TFP_NONE: the profile has no such string. */
static tfp_strid stem_of(const tfp_walks *w, tfp_strid id)
{
    tfp_str name = tfp_text(w->b->p, id), stem = tfp_kernel_stem(name);
    return stem.size == name.size ? id : tfp_strtab_find(&w->b->p->strings, stem);
}

/* Whether an instruction runs a library's kernels. A fusion for a library or a code generator may do so if no kernel
 * has its name or that of an equal one. */
static bool is_library(const tfp_walks *w, const tfp_buffer_item *item)
{
    if (item->runs != TFP_RUNS_EITHER) return item->runs == TFP_RUNS_LIBRARY;
    return item->stem >= w->strings || w->stems[item->stem] != w->round;
}

static bool is_present(const tfp_walks *w, tfp_strid name) { return name < w->strings && w->present[name] == w->round; }

static bool is_fusion(const tfp_buffer_item *i) { return i->runs == TFP_RUNS_OWN || i->runs == TFP_RUNS_EITHER; }

/* Finds fusions whose own names no kernel has, by stem: each runs the kernel of an equal fusion. */
static bool find_spare(tfp_walks *w)
{
    const tfp_buffer_item *items = w->g->items.at;
    uint32_t first = w->of->first, end = first + w->of->count;
    if (!tfp_effort_take(&w->effort, w->of->count)) return false;
    for (uint32_t i = first; i < end; i++)
        if (items[i].stem < w->strings) w->spare.first[items[i].stem] = w->spare.last[items[i].stem] = TFP_NONE;
    for (uint32_t i = end; i-- > first;) {
        tfp_strid stem = items[i].stem;
        if (stem >= w->strings || !is_fusion(&items[i]) || is_present(w, items[i].kernel)) continue;
        if (w->spare.last[stem] == TFP_NONE) w->spare.last[stem] = i;
        w->spare.next[i] = w->spare.first[stem];
        w->spare.first[stem] = i;
    }
    return true;
}

/* The instructions that a kernel's name may mean: the one with that name, and later equal ones whose own names do not
 * occur. */
static tfp_walked_name name_of(const tfp_walks *w, tfp_strid kernel)
{
    tfp_walked_name n = { tfp_map64_get(&w->by_kernel, in_buffer(w->buffer, kernel)), TFP_NONE, stem_of(w, kernel),
                          false };
    bool known = n.stem < w->strings && tfp_map64_get(&w->by_stem, in_buffer(w->buffer, n.stem)) != TFP_NONE;
    uint32_t last = known ? w->spare.last[n.stem] : TFP_NONE;
    if (last == TFP_NONE || (n.owner != TFP_NONE && last < n.owner)) n.stem = TFP_NONE;
    n.named = n.owner != TFP_NONE || n.stem != TFP_NONE;
    if (n.owner != TFP_NONE && n.stem == TFP_NONE && w->next_kernel[n.owner] == TFP_NONE) n.only = n.owner;
    if (n.owner == TFP_NONE && n.stem != TFP_NONE && w->spare.first[n.stem] == last) n.only = last;
    return n;
}

static bool is_candidate(const tfp_walks *w, uint32_t k, uint32_t item)
{
    const tfp_walked_name *n = &w->names.at[k];
    const tfp_buffer_item *i = &w->g->items.at[item];
    if (i->kernel == w->signs[k].kernel) return true;
    return n->stem != TFP_NONE && i->stem == n->stem && is_fusion(i) && !is_present(w, i->kernel) &&
           (n->owner == TFP_NONE || item > n->owner);
}

/* Adds all of these instructions. */
static bool put_candidates(tfp_walks *w, uint32_t k, tfp_walked *out)
{
    const tfp_walked_name *n = &w->names.at[k];
    bool ok = true;
    for (uint32_t i = n->owner; ok && i != TFP_NONE && tfp_effort_take(&w->effort, 1); i = w->next_kernel[i])
        ok = tfp_push(&out->items, i);
    uint32_t i = n->stem == TFP_NONE ? TFP_NONE : w->spare.first[n->stem];
    for (; ok && i != TFP_NONE && tfp_effort_take(&w->effort, 1); i = w->spare.next[i])
        if (n->owner == TFP_NONE || i > n->owner) ok = tfp_push(&out->items, i);
    return ok;
}

uint32_t tfp_walk_hits(tfp_walks *w, uint32_t buffer, const tfp_graph_sign *signs, uint32_t count)
{
    uint32_t hits = 0;
    for (uint32_t k = 0; k < count; k++)
        hits += signs[k].kind == TFP_LAUNCHES_KERNEL &&
                tfp_map64_get(&w->by_kernel, in_buffer(buffer, signs[k].kernel)) != TFP_NONE;
    return hits;
}

/* ---- one activity and one instruction ---- */

static bool is_named(const tfp_walks *w, uint32_t k) { return w->names.at[k].named; }

static bool may_be(const tfp_walks *w, uint32_t k, uint32_t item)
{
    const tfp_graph_sign *s = &w->signs[k];
    const tfp_buffer_item *of = &w->g->items.at[item];
    bool library = is_library(w, of);
    if (is_named(w, k)) return is_candidate(w, k, item);
    if (s->kind == TFP_LAUNCHES_COPY) return library || of->runs == TFP_RUNS_COPY;
    if (s->kind == TFP_LAUNCHES_SET) return of->runs != TFP_RUNS_COPY;
    tfp_graph_sign launch = { .kind = TFP_LAUNCHES_KERNEL, .family = of->family };
    return library && tfp_signs_agree(&launch, s) != TFP_CONTRADICTS;
}

/* Whether the next activity may belong to the same instruction: one of a library, or one that a memset prepares. */
static bool may_stay(const tfp_walks *w, uint32_t k, uint32_t item)
{
    return is_library(w, &w->g->items.at[item]) || w->signs[k].kind == TFP_LAUNCHES_SET;
}

/* ---- steps from instruction to instruction ---- */

typedef struct steps {
    uint32_t at, from[3], left; /* where ranges of possible next instructions begin */
    bool ended;                 /* the buffer may end here */
} steps;

static uint32_t end_of(const tfp_walks *w) { return w->of->first + w->of->count; }

static steps steps_from(const tfp_walks *w, uint32_t item)
{
    steps s = { .at = item == START ? w->of->first : item + 1 };
    if (item == START) return s;
    const tfp_buffer_item *i = &w->g->items.at[item];
    if (i->back != TFP_NONE) s.from[s.left++] = w->of->first + i->back;
    if (i->behind != TFP_NONE) s.from[s.left++] = w->of->first + i->behind;
    return s;
}

/* The next possible instruction; false: there is no more. */
static bool next_step(tfp_walks *w, steps *s, uint32_t *item)
{
    while (s->at == TFP_NONE || s->at >= end_of(w)) {
        s->ended |= s->at != TFP_NONE;
        if (!s->left) return false;
        s->at = s->from[--s->left];
    }
    if (!tfp_effort_take(&w->effort, 1)) return false;
    *item = s->at;
    s->at = w->g->items.at[s->at].optional ? s->at + 1 : TFP_NONE;
    return true;
}

/* ---- the walk between two activities whose instructions are known ---- */

typedef struct gap {
    uint32_t first, end;  /* activities in between */
    uint32_t from, until; /* the instructions of the activities before and after them, or START and the buffer's end */
} gap;

static bool put_state(tfp_walks *w, uint32_t k, uint32_t item)
{
    if (w->seen[item] == w->stamp || !may_be(w, k, item)) return true;
    w->seen[item] = w->stamp;
    return tfp_push(&w->states, item);
}

/* Adds the instructions that activity k may be when the activity before it is `item`. */
static bool put_behind(tfp_walks *w, const gap *of, uint32_t k, uint32_t item)
{
    uint32_t next;
    bool ok = true;
    if (item == START && !w->of->whole) {
        for (next = w->of->first; ok && next < end_of(w) && tfp_effort_take(&w->effort, 1); next++)
            ok = put_state(w, k, next);
        return ok;
    }
    bool sets = k > of->first || item != START;
    if (item != START && sets && k && may_stay(w, k - 1, item)) ok = put_state(w, k, item);
    for (steps s = steps_from(w, item); ok && next_step(w, &s, &next);) ok = put_state(w, k, next);
    return ok;
}

/* Whether `item`, for activity k, can be followed by an instruction that has the stamp, or by the end. */
static bool leads_on(tfp_walks *w, uint32_t k, uint32_t item, bool to_end)
{
    uint32_t next;
    steps s = steps_from(w, item);
    if (to_end && !w->of->whole) return true;
    if (!to_end && w->seen[item] == w->stamp && may_stay(w, k, item)) return true;
    while (next_step(w, &s, &next))
        if (!to_end && w->seen[next] == w->stamp) return true;
    return to_end && s.ended;
}

/* Forward pass: the states of each activity. False: there are none, or memory is out. */
static bool walk_forward(tfp_walks *w, const gap *of)
{
    w->states.size = w->state_first.size = 0;
    for (uint32_t k = of->first; k < of->end; k++) {
        size_t from = k > of->first ? w->state_first.at[k - 1 - of->first] : 0, until = w->states.size;
        w->failed |= !tfp_push(&w->state_first, (uint32_t)until);
        w->stamp++;
        if (k == of->first) w->failed |= !put_behind(w, of, k, of->from);
        for (size_t i = from; k > of->first && i < until && !w->failed; i++)
            w->failed |= !put_behind(w, of, k, w->states.at[i]);
        if (w->failed || w->effort.spent || w->states.size == until) return false;
    }
    w->failed |= !tfp_push(&w->state_first, (uint32_t)w->states.size);
    return !w->failed;
}

/* Backward pass: moves the states that can reach the end to the beginning of their lists; *left: their numbers. */
static bool walk_backward(tfp_walks *w, const gap *of, uint32_t *left)
{
    for (uint32_t k = of->end; k-- > of->first;) {
        uint32_t first = w->state_first.at[k - of->first], end = w->state_first.at[k - of->first + 1], kept = first;
        bool last = k + 1 == of->end, to_end = last && of->until == end_of(w);
        w->stamp++;
        if (last && !to_end) w->seen[of->until] = w->stamp;
        for (uint32_t i = 0; !last && i < left[k + 1 - of->first]; i++)
            w->seen[w->states.at[w->state_first.at[k + 1 - of->first] + i]] = w->stamp;
        for (uint32_t i = first; i < end; i++)
            if (leads_on(w, k, w->states.at[i], to_end)) w->states.at[kept++] = w->states.at[i];
        left[k - of->first] = kept - first;
        if (kept == first || w->effort.spent) return false;
    }
    return true;
}

/* ---- the answer ---- */

/* Stores an activity's remaining instructions in `out`. */
static bool settle(uint32_t k, const uint32_t *items, uint32_t count, tfp_walked *out)
{
    out->at[k] = (tfp_walked_activity){ .first = (uint32_t)out->items.size, .count = count };
    for (uint32_t i = 0; i < count; i++)
        if (!tfp_push(&out->items, items[i])) return false;
    return true;
}

/* An activity for which no instruction was found may be any of the instructions between those of its neighbours. */
static bool settle_loose(tfp_walks *w, const gap *of, uint32_t k, tfp_walked *out)
{
    uint32_t first = of->from == START ? w->of->first : of->from,
             end = of->until == end_of(w) ? end_of(w) : of->until + 1;
    out->at[k] = (tfp_walked_activity){ .first = (uint32_t)out->items.size, .loose = true };
    if (is_named(w, k)) {
        if (!put_candidates(w, k, out)) return false;
    } else if (w->of->whole || (of->from != START && of->until != end_of(w))) {
        for (uint32_t i = first; i < end && tfp_effort_take(&w->effort, 1); i++)
            if (!tfp_push(&out->items, i)) return false;
    }
    out->at[k].count = (uint32_t)out->items.size - out->at[k].first;
    return true;
}

static bool walk(tfp_walks *w, const gap *of, tfp_walked *out)
{
    uint32_t *left = malloc((of->end - of->first + 1) * sizeof *left);
    bool ok = left != NULL, way = ok && w->ordered && walk_forward(w, of) && walk_backward(w, of, left);
    for (uint32_t k = of->first; ok && k < of->end; k++) {
        if (way)
            ok = settle(k, w->states.at + w->state_first.at[k - of->first], left[k - of->first], out);
        else
            ok = settle_loose(w, of, k, out);
    }
    free(left);
    return ok && !w->failed;
}

/* For activities in unknown order: the instructions of their names, or all possible ones. */
static bool settle_unordered(tfp_walks *w, tfp_walked *out)
{
    for (uint32_t k = 0; k < w->count; k++) {
        out->at[k] = (tfp_walked_activity){ .first = (uint32_t)out->items.size };
        for (uint32_t i = w->of->first;
             w->of->whole && !is_named(w, k) && i < end_of(w) && tfp_effort_take(&w->effort, 1); i++)
            if (may_be(w, k, i) && !tfp_push(&out->items, i)) return false;
        if (is_named(w, k) && !put_candidates(w, k, out)) return false;
        out->at[k].count = (uint32_t)out->items.size - out->at[k].first;
        out->at[k].by_name = is_named(w, k) || out->at[k].count == 1; /* the only possible one */
    }
    return true;
}

static void find_present(tfp_walks *w)
{
    w->round++;
    for (uint32_t k = 0; k < w->count; k++) {
        tfp_strid name = w->signs[k].kernel;
        if (w->signs[k].kind != TFP_LAUNCHES_KERNEL || name >= w->strings) continue;
        tfp_strid stem = stem_of(w, name);
        if (stem < w->strings) w->stems[stem] = w->round;
        w->twice[name] = w->present[name] == w->round;
        w->present[name] = w->round;
    }
}

static bool find_names(tfp_walks *w)
{
    static const tfp_walked_name none = { TFP_NONE, TFP_NONE, TFP_NONE, false };
    w->names.size = 0;
    find_present(w);
    bool all = find_spare(w);
    for (uint32_t k = 0; k < w->count && !w->failed; k++)
        w->failed = !tfp_push(&w->names,
                              all && w->signs[k].kind == TFP_LAUNCHES_KERNEL ? name_of(w, w->signs[k].kernel) : none);
    return !w->failed;
}

bool tfp_walk(tfp_walks *w, uint32_t buffer, tfp_walk_of of, tfp_walked *out)
{
    w->buffer = buffer;
    w->of = &w->g->buffers.at[buffer];
    w->signs = of.signs;
    w->count = of.count;
    w->ordered = of.ordered && w->of->ordered;
    if (!find_names(w)) return false;
    if (!w->ordered) return settle_unordered(w, out);
    gap g = { .from = START };
    for (uint32_t k = 0; k <= w->count; k++) {
        bool known = k < w->count && w->names.at[k].only != TFP_NONE;
        if (k < w->count && !known) continue;
        g.end = k;
        g.until = known ? w->names.at[k].only : end_of(w);
        if (g.first < g.end && !walk(w, &g, out)) return false;
        if (!known) break;
        if (!settle(k, &g.until, 1, out)) return false;
        tfp_strid name = w->signs[k].kernel;
        out->at[k].by_name = true;
        out->at[k].again = name < w->strings && w->twice[name] && !w->g->items.at[g.until].loops;
        g.first = k + 1;
        g.from = g.until;
    }
    return true;
}
