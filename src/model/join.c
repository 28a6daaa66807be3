// SPDX-License-Identifier: Apache-2.0
/* model/join.c: the order in which events are joined, and the order of spans. */
#include "base/threads.h"
#include "model/join.h"

/* ---- sorting ---- */

#define RADIX_BITS 11
#define RADIX (1u << RADIX_BITS)

static bool less_by_key(const void *ctx, uint32_t a, uint32_t b)
{
    const uint64_t *keys = ctx;
    return keys[a] < keys[b];
}

/* Digits from the lowest; those in which all keys agree are left out. */
static bool sort_digits(uint32_t *items, size_t count, const uint64_t *keys)
{
    uint64_t any = 0, all = UINT64_MAX;
    for (size_t i = 0; i < count; i++) {
        any |= keys[items[i]];
        all &= keys[items[i]];
    }
    uint32_t *other = malloc(count * sizeof *other), *from = items, *to = other;
    if (!other) return false;
    for (unsigned shift = 0; shift < 64; shift += RADIX_BITS) {
        size_t start[RADIX + 1] = { 0 };
        if (!((any ^ all) >> shift & (RADIX - 1))) continue;
        for (size_t i = 0; i < count; i++) start[(keys[from[i]] >> shift & (RADIX - 1)) + 1]++;
        for (size_t d = 1; d <= RADIX; d++) start[d] += start[d - 1];
        for (size_t i = 0; i < count; i++) to[start[keys[from[i]] >> shift & (RADIX - 1)]++] = from[i];
        uint32_t *swap = from;
        from = to;
        to = swap;
    }
    if (from != items) memcpy(items, from, count * sizeof *items);
    free(other);
    return true;
}

/* How many items are behind one with a greater key. */
static size_t count_late(const uint32_t *items, size_t count, const uint64_t *keys)
{
    uint64_t greatest = 0;
    size_t late = 0;
    for (size_t i = 0; i < count; i++) {
        late += keys[items[i]] < greatest;
        if (keys[items[i]] > greatest) greatest = keys[items[i]];
    }
    return late;
}

/* Sorts the late items by themselves and merges them with the others. Equal keys keep their order: with such a key an item
 * that is not late stands before all that are. */
static bool merge_late(uint32_t *items, size_t count, const uint64_t *keys, size_t late_count)
{
    uint32_t *late = malloc(late_count * sizeof *late);
    uint64_t greatest = 0;
    size_t kept = 0, n = 0;
    if (!late) return false;
    for (size_t i = 0; i < count; i++) {
        if (keys[items[i]] < greatest) {
            late[n++] = items[i];
        } else {
            greatest = keys[items[i]];
            items[kept++] = items[i];
        }
    }
    bool ok = tfp_sort(late, n, less_by_key, keys);
    for (size_t to = count; n;) {
        bool from_late = !kept || keys[items[kept - 1]] <= keys[late[n - 1]];
        items[--to] = from_late ? late[--n] : items[--kept];
    }
    free(late);
    return ok;
}

#define FEW_LATE 16 /* one item in so many: writers put what ends late, such as steps, behind what it holds */

bool tfp_sort_keys(uint32_t *items, size_t count, const uint64_t *keys)
{
    size_t late = count_late(items, count, keys);
    if (!late) return true;
    if (late <= count / FEW_LATE) return merge_late(items, count, keys, late);
    return count < RADIX / 2 ? tfp_sort(items, count, less_by_key, keys) : sort_digits(items, count, keys);
}

static bool longer(const void *ctx, uint32_t a, uint32_t b)
{
    const int64_t *duration = ctx;
    return duration[a] > duration[b];
}

/* Spans of a lane by start, those that start together the longest first. */
static bool order_lane(const tfp_span_columns *s, uint32_t *items, size_t count, const uint64_t *keys)
{
    if (!tfp_sort_keys(items, count, keys)) return false;
    for (size_t i = 0, end; i < count; i = end) {
        bool sorted = true;
        for (end = i + 1; end < count && keys[items[end]] == keys[items[i]]; end++)
            sorted &= s->duration_ns[items[end - 1]] >= s->duration_ns[items[end]];
        if (!sorted && !tfp_sort(items + i, end - i, longer, s->duration_ns)) return false;
    }
    return true;
}

void tfp_join_order(tfp_join *x)
{
    const tfp_span_columns *s = &x->t->spans;
    size_t lanes = x->p->lanes.size;
    uint64_t *keys = malloc((x->count + 1) * sizeof *keys);
    x->order = malloc((x->count + 1) * sizeof *x->order);
    x->lane_first = calloc(lanes + 2, sizeof *x->lane_first);
    if (!tfp_join_keep(x, keys && x->order && x->lane_first)) goto out;
    for (size_t i = 0; i < x->count; i++) {
        keys[i] = (uint64_t)s->start_ns[i] ^ UINT64_C(1) << 63;
        x->lane_first[s->lane[i] + 2]++;
    }
    for (size_t i = 2; i <= lanes; i++) x->lane_first[i] += x->lane_first[i - 1];
    for (uint32_t i = 0; i < x->count; i++) x->order[x->lane_first[s->lane[i] + 1]++] = i;
    for (size_t lane = 0; lane < lanes && !x->b->status; lane++) {
        uint32_t first = x->lane_first[lane];
        tfp_join_keep(x, order_lane(s, x->order + first, x->lane_first[lane + 1] - first, keys));
    }
out:
    free(keys);
}

/* ---- ranks ---- */

/* The last number in a file's name. */
static int32_t number_in(const char *path)
{
    const char *name = strrchr(path, '/');
    name = name ? name + 1 : path;
    const char *end = name + strlen(name);
    while (end > name && (end[-1] < '0' || end[-1] > '9')) end--;
    const char *at = end;
    while (at > name && at[-1] >= '0' && at[-1] <= '9') at--;
    int64_t n;
    if (end - at > 9 || !tfp_parse_int64((tfp_str){ at, (size_t)(end - at) }, &n)) return -1;
    return (int32_t)n;
}

/* Each of several files is a rank: the recorded one, else the last number in its name, else its place. */
static void find_ranks(tfp_join *x)
{
    size_t count = 0;
    for (size_t i = 0; i < x->t->processes.size; i++) count += !x->t->processes.at[i].host;
    for (uint32_t i = 0; i < x->t->processes.size && count > 1; i++) {
        tfp_process *process = &x->t->processes.at[i];
        if (process->rank >= 0 || process->host) continue;
        if (process->source < x->p->sources.size) process->rank = number_in(x->p->sources.at[process->source]);
        if (process->rank < 0) process->rank = (int32_t)i;
    }
}

/* ---- the join ---- */

/* Makes the columns that the join fills, without what an earlier join put there. False without memory. */
static bool make_columns(tfp_join *x)
{
    tfp_span_columns *s = &x->t->spans;
    bool ok = true;
#define MAKE(type, field, none)                                                                                        \
    free(s->field);                                                                                                    \
    s->field = malloc((x->count + 1) * sizeof *s->field);                                                              \
    for (size_t i = 0; s->field && i < x->count; i++) s->field[i] = none;                                              \
    ok &= s->field != NULL;
    TFP_SPAN_JOIN_COLUMNS(MAKE)
#undef MAKE
    return ok;
}

/* A stage, and work that neither needs it nor is needed by it: on two processors they run side by side. */
typedef struct stage {
    void (*run)(tfp_join *x);
    bool (*beside)(tfp_join *x); /* leaves the builder alone; false without memory */
} stage;
typedef struct stage_run {
    const stage *of;
    tfp_join *x;
    bool began, ok; /* what is beside it */
} stage_run;

static void run_part(void *ctx, size_t worker)
{
    stage_run *r = ctx;
    if (worker) {
        r->began = true;
        r->ok = r->of->beside(r->x);
    } else {
        r->of->run(r->x);
    }
}

static void run_stage(tfp_join *x, const stage *s)
{
    stage_run r = { s, x, false, true };
    tfp_threads_run(s->beside && tfp_rows_threads(x->count) > 1 ? 2 : 1, run_part, &r);
    if (s->beside && !r.began) r.ok = s->beside(x);
    tfp_join_keep(x, r.ok);
}

/* The sums of an earlier join are made again, with the events added since. */
static void forget(tfp_join *x)
{
    for (size_t i = 0; i < x->t->joined_execs.size; i++) tfp_build_exec_again(x->b, x->t->joined_execs.at[i]);
    x->t->joined_execs.size = 0;
    x->t->windows.size = 0;
    size_t kept = 0; /* links that files told */
    for (size_t i = 0; i < x->t->flows.size; i++)
        if (x->t->flows.at[i].kind != TFP_FLOW_BACKWARD) x->t->flows.at[kept++] = x->t->flows.at[i];
    x->t->flows.size = kept;
    for (size_t i = 0; i < x->p->warnings.size; i++) /* those of the last join are made again */
        if (x->p->warnings.at[i].what == tfp_join_cut_paths) x->p->warnings.at[i].count = 0;
}

void tfp_build_join(tfp_builder *b)
{
    tfp_event_tables *t = &b->p->events;
    tfp_join x = { .b = b, .p = b->p, .t = t, .count = t->spans.size, .no_op = TFP_NONE, .outside = TFP_NONE };
    size_t events = t->spans.size + t->memory.size + t->slims.size;
    if (b->status || !t->processes.size || (t->spans.parent && t->joined_events == events)) return;
    b->p->time_grain_ns = 1; /* means of traces are not cut to whole microseconds */
    find_ranks(&x);
    forget(&x);
    static const stage stages[] = { { tfp_join_order, make_columns }, { tfp_join_nest, tfp_join_index_spans },
                                    { tfp_join_steps, NULL },         { tfp_join_launches, NULL },
                                    { tfp_join_slims, NULL },         { tfp_join_nodes, NULL },
                                    { tfp_join_execs, NULL } };
    for (size_t i = 0; i < sizeof stages / sizeof *stages && !tfp_builder_status(b, NULL); i++)
        run_stage(&x, &stages[i]);
    t->joined_events = events;
    tfp_join_index_free(&x);
    free(x.order);
    free(x.lane_first);
    free(x.op_above);
    free(x.cpu_op_above);
    free(x.scope);
    free(x.model);
    free(x.backward);
    for (size_t i = 0; i < t->slims.size; i++) tfp_vec_free(&t->slims.at[i].groups);
    tfp_vec_free(&x.slim_calls);
    tfp_map64_free(&x.calls);
    tfp_vec_free(&x.parts);
    tfp_vec_free(&x.part_lists);
    tfp_map64_free(&x.list_by_device);
    tfp_vec_free(&x.places);
    tfp_map64_free(&x.place_by_name);
    tfp_map64_free(&x.node_by_name_op);
    tfp_map64_free(&x.exec_by_step);
    tfp_vec_free(&x.last_exec);
    tfp_vec_free(&x.last_type);
    tfp_vec_free(&x.ran);
    tfp_buf_free(&x.text);
}
