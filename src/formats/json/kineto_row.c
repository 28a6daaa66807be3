// SPDX-License-Identifier: Apache-2.0
/* formats/json/kineto_row.c: turns the members of an event into a row of the slot: category, times, lane, stats. Also
 * starts and frees the slot. */
#include "formats/json/kineto_event.h"
#include "schema/reads.h"

#define ABSURD_NS (INT64_C(9000000000000000) * 1000) /* 285 years */

bool tfp_kineto_slot_start(tfp_kineto_slot *s, unsigned keep)
{
    static const tfp_jscan_text none = { { "", 0 }, false };
    static const tfp_kineto_key begin = { 0 }, shared = { 0 };
    s->strides = keep & (TFP_READS_PROGRAM | TFP_READS_STRIDES);
    return tfp_strtab_init(&s->words.strings, &s->arena) == TFP_OK && tfp_kineto_string_of(s, &none) == 0 &&
           !s->failed && tfp_push(&s->words.keys, begin) && tfp_push(&s->words.keys, shared);
}

void tfp_kineto_slot_free(tfp_kineto_slot *s)
{
    tfp_strtab_free(&s->words.strings);
    tfp_vec_free(&s->words.known);
    tfp_vec_free(&s->words.keys);
    tfp_vec_free(&s->lanes.list);
    tfp_vec_free(&s->lanes.global);
    tfp_vec_free(&s->lanes.place);
    tfp_map64_free(&s->lanes.by_hash);
    tfp_vec_free(&s->sets.stats);
    tfp_vec_free(&s->sets.list);
    tfp_vec_free(&s->sets.global);
    tfp_map64_free(&s->sets.by_hash);
    tfp_vec_free(&s->rows);
    tfp_vec_free(&s->memory);
    tfp_vec_free(&s->one);
    tfp_buf_free(&s->text);
    tfp_buf_free(&s->piece.own);
    tfp_buf_free(&s->first_unreadable);
    tfp_buf_free(&s->first_absurd);
    tfp_arena_free(&s->arena);
}

/* ---- lanes and stats of the slot ---- */

static uint32_t find_lane(tfp_kineto_slot *s, const tfp_kineto_lane *lane)
{
    for (uint64_t hash = tfp_hash(lane, sizeof *lane);; hash++) {
        uint32_t at = tfp_map64_get(&s->lanes.by_hash, hash);
        if (at != TFP_NONE && memcmp(&s->lanes.list.at[at], lane, sizeof *lane) == 0) return at;
        if (at != TFP_NONE) continue;
        at = (uint32_t)s->lanes.list.size;
        bool ok = tfp_push(&s->lanes.list, *lane) && tfp_push(&s->lanes.global, TFP_NONE) &&
                  tfp_push(&s->lanes.place, TFP_NONE) && tfp_map64_put(&s->lanes.by_hash, hash, at);
        return keep(s, ok) ? at : TFP_NONE;
    }
}

static uint32_t lane_of(tfp_kineto_slot *s, const tfp_kineto_lane *lane)
{
    uint32_t *recent = &s->lanes.recent[(lane->a * 3 + lane->b + lane->kind) % TFP_KINETO_LANES];
    if (*recent && memcmp(&s->lanes.list.at[*recent - 1], lane, sizeof *lane) == 0) return *recent - 1;
    uint32_t at = find_lane(s, lane);
    *recent = at + 1; /* TFP_NONE: none */
    return at;
}

static bool is_set(const tfp_kineto_slot *s, uint32_t set)
{
    const tfp_stat_set *x = &s->sets.list.at[set];
    return x->count == s->one.size &&
           memcmp(s->sets.stats.at + x->first, s->one.at, s->one.size * sizeof *s->one.at) == 0;
}

static uint32_t find_set(tfp_kineto_slot *s)
{
    size_t count = s->one.size, bytes = count * sizeof *s->one.at;
    for (uint64_t hash = tfp_hash(s->one.at, bytes);; hash++) {
        uint32_t at = tfp_map64_get(&s->sets.by_hash, hash);
        if (at != TFP_NONE && is_set(s, at)) return at;
        if (at != TFP_NONE) continue;
        size_t first = s->sets.stats.size;
        if (!keep(s, first + count < TFP_NONE && tfp_reserve(&s->sets.stats, first + count))) return TFP_NONE;
        memcpy(s->sets.stats.at + first, s->one.at, bytes);
        s->sets.stats.size += count;
        at = (uint32_t)s->sets.list.size;
        bool ok = tfp_push(&s->sets.list, ((tfp_stat_set){ (uint32_t)first, (uint32_t)count })) &&
                  tfp_push(&s->sets.global, TFP_NONE) && tfp_map64_put(&s->sets.by_hash, hash, at);
        return keep(s, ok) ? at : TFP_NONE;
    }
}

static uint32_t set_of(tfp_kineto_slot *s)
{
    uint64_t mixed = 0;
    if (!s->one.size || s->failed) return TFP_NONE;
    for (size_t i = 0; i < s->one.size; i++)
        mixed = (mixed ^ s->one.at[i].value.text ^ s->one.at[i].key) * UINT64_C(0x9e3779b97f4a7c15);
    uint32_t *recent = &s->sets.recent[(mixed >> 32) % TFP_KINETO_SETS];
    if (*recent && is_set(s, *recent - 1)) return *recent - 1;
    uint32_t at = find_set(s);
    *recent = at + 1; /* TFP_NONE: none */
    return at;
}

/* ---- categories ---- */

typedef struct category_row {
    const char *category;
    tfp_kineto_what what;
} category_row;

static tfp_kineto_what what_of(tfp_str c)
{
    static const category_row rows[] = {
        { "cpu_op", TFP_KINETO_OP },
        { "Operator", TFP_KINETO_OP },
        { "Runtime", TFP_KINETO_CALL },
        { "xpu_sync", TFP_KINETO_WAIT },
        { "user_annotation", TFP_KINETO_ANNOTATION },
        { "collective_comm", TFP_KINETO_ANNOTATION },
        { "python_function", TFP_KINETO_FRAME },
        { "kernel", TFP_KINETO_KERNEL },
        { "Kernel", TFP_KINETO_KERNEL },
        { "gpu_memcpy", TFP_KINETO_COPY },
        { "Memcpy", TFP_KINETO_COPY },
        { "gpu_memset", TFP_KINETO_SET },
        { "Memset", TFP_KINETO_SET },
        { "gpu_user_annotation", TFP_KINETO_ON_STREAM },
        { "cuda_sync", TFP_KINETO_ON_STREAM },
        { "cuda_event", TFP_KINETO_ON_STREAM },
        { "graph_event_node", TFP_KINETO_ON_STREAM }, /* nodes of a graph that run no kernel: torch 2.15 */
        { "graph_host_node", TFP_KINETO_ON_STREAM },
        { "Trace", TFP_KINETO_SHOWN },
        { "overhead", TFP_KINETO_SHOWN },
        { "cuda_profiler_range", TFP_KINETO_SHOWN },
        { "external_correlation", TFP_KINETO_SHOWN },
        { "mtia_ccp_events", TFP_KINETO_KERNEL },
        { "mtia_insight", TFP_KINETO_SHOWN },
        { "mtia_workloadd", TFP_KINETO_SHOWN },
        { "async_npu", TFP_KINETO_OP_FLOW },
        { "HostToDevice", TFP_KINETO_LAUNCH_FLOW },
        { "fwdbwd", TFP_KINETO_BACK_FLOW },
    };
    static const category_row endings[] = {
        /* categories of any vendor */
        { "_runtime", TFP_KINETO_CALL },
        { "_driver", TFP_KINETO_CALL },
        { "_user_annotation", TFP_KINETO_ON_STREAM },
    };
    static const category_row xpu[] = {
        /* after a vendor's prefix */
        { "kernel", TFP_KINETO_KERNEL },
        { "memcpy", TFP_KINETO_COPY },
        { "memset", TFP_KINETO_SET },
    };
    static const char *const vendors[] = { "xpu_", "mtia_", "privateuse1_" };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (tfp_str_eq(c, tfp_str_of(rows[i].category))) return rows[i].what;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (tfp_str_ends(c, tfp_str_of(endings[i].category))) return endings[i].what;
    for (size_t i = 0; i < sizeof vendors / sizeof *vendors; i++)
        for (size_t k = 0; tfp_str_begins(c, tfp_str_of(vendors[i])) && k < sizeof xpu / sizeof *xpu; k++)
            if (tfp_str_ends(c, tfp_str_of(xpu[k].category))) return xpu[k].what;
    return TFP_KINETO_PLAIN;
}

static uint8_t category(tfp_kineto_slot *s, uint32_t string)
{
    if (string >= s->words.known.size) return TFP_KINETO_PLAIN;
    uint8_t *what = &s->words.known.at[string].what;
    if (*what == 0xff) *what = (uint8_t)what_of(s->words.strings.strings[string]);
    return *what;
}

/* ---- from members to a row ---- */

static void leave_out(tfp_kineto_slot *s, const event *e, int64_t *count, tfp_buf *first, const char *without)
{
    if (!(*count)++) {
        first->size = 0;
        if (e->have & NAME)
            tfp_buf_str(first, s->words.strings.strings[e->row.name]);
        else
            tfp_buf_text(first, without);
        keep(s, !first->failed);
    }
}

/* Start and end are both rounded down, so that events that nest in the file nest here too. */
static bool set_times(tfp_kineto_slot *s, event *e)
{
    tfp_kineto_row *r = &e->row;
    int64_t end;
    s->fraction |= e->ts.fraction || e->dur.fraction;
    r->start_ns = e->ts.ns;
    if (e->ts.ns > ABSURD_NS || e->ts.ns < -ABSURD_NS || e->dur.beyond) return false;
    if (e->ts.ns < 0) r->flags |= TFP_KINETO_EARLY;
    if (!e->dur.known) {
        r->flags |= TFP_KINETO_NO_DUR | (e->have & DUR ? TFP_KINETO_NO_NUMBER : 0);
        return true;
    }
    if (e->dur.ns < 0) {
        if (e->dur.ns < -ABSURD_NS) return false;
        r->flags |= TFP_KINETO_NEGATIVE;
        return true;
    }
    if (e->dur.ns > ABSURD_NS) return false;
    r->duration_ns = e->dur.ns + (e->ts.rest + (uint64_t)e->dur.rest >= 1000000000u);
    return !__builtin_add_overflow(r->start_ns, r->duration_ns, &end) && end <= ABSURD_NS;
}

static void set_lane(tfp_kineto_slot *s, event *e)
{
    tfp_kineto_lane *lane = &e->thread;
    tfp_kineto_row *r = &e->row;
    if (!(e->have & RANK_OR_GROUP && r->flags & TFP_KINETO_COLLECTIVE)) lane->part = e->stream.part = e->rank;
    bool arrow = r->phase == 's' || r->phase == 'f';
    if (r->what >= TFP_KINETO_KERNEL && r->what <= TFP_KINETO_ON_STREAM && !arrow) {
        if (!(e->have & DEVICE)) {
            e->stream.a = e->thread.a;
            e->stream.words |= e->thread.words & 1;
        }
        if (!(e->have & (STREAM | QUEUE))) {
            e->stream.b = e->thread.b;
            e->stream.words |= e->thread.words & 2;
        }
        lane = &e->stream;
        lane->kind = TFP_KINETO_STREAM;
        lane->pid = e->thread.a;
        lane->words |= (e->thread.words & 1) << 2;
        if (r->what == TFP_KINETO_UNKNOWN) lane->category = r->category;
    } else if (r->what == TFP_KINETO_SHOWN || r->phase == 'b' || r->phase == 'e' || r->phase == 'n') {
        lane->kind = TFP_KINETO_ASIDE;
    }
    r->lane = lane_of(s, lane);
}

void tfp_kineto_finish_event(tfp_kineto_slot *s, event *e)
{
    tfp_kineto_row *r = &e->row;
    bool meta = r->phase == 'M', named = e->have & NAME || r->phase == 'E' || r->phase == 'e';
    if (!e->have && !r->category && !s->one.size) return; /* {}, with which some writers begin or end a list */
    if (!(e->have & PHASE) || (!meta && !e->ts.known && !e->ts.beyond) || !named) {
        leave_out(s, e, &s->unreadable, &s->first_unreadable, "without a name");
        return;
    }
    if (!meta && (e->ts.beyond || !set_times(s, e))) {
        leave_out(s, e, &s->absurd, &s->first_absurd, "without a name");
        return;
    }
    if (meta) r->extra = e->label;
    if (r->phase == 'm') r->phase = 0; /* this letter marks rows of memory, which are no events */
    r->what = category(s, r->category);
    if (r->what == TFP_KINETO_PLAIN && r->phase == 'X' && e->have & DEVICE && e->have & (STREAM | QUEUE))
        r->what = TFP_KINETO_UNKNOWN;
    set_lane(s, e);
    if (e->have & FORWARD && r->flags & TFP_KINETO_HAS_SEQUENCE) r->flags |= TFP_KINETO_BACKWARD;
    if (e->have & MEMORY && (r->phase == 'i' || r->phase == 'I') &&
        tfp_str_eq(s->words.strings.strings[r->name], TFP_STR("[memory]"))) {
        r->extra = (uint32_t)s->memory.size;
        r->phase = 'm';
        keep(s, tfp_push(&s->memory, e->memory));
    } else {
        r->stats = meta ? TFP_NONE : set_of(s);
    }
    keep(s, tfp_push(&s->rows, *r));
}
