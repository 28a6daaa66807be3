// SPDX-License-Identifier: Apache-2.0
/* model/join/join.c: joins events, stage by stage. */
#include "base/threads.h"
#include "model/graphs/stage.h"
#include "model/join/join.h"
#include "model/span_names.h"
#include "model/tables/doubts.h"
#include "model/tables/processes.h"
#include "model/tables/profile.h"
#include "model/tables/sources.h"
#include "model/trace/compact.h"
#include "schema/schema.h"

/* Chains the lanes of each process. False: out of memory. */
static bool chain_lanes(tfp_join *x)
{
    size_t lanes = x->p->lanes->size, processes = x->t->processes.size;
    x->first_lane = malloc((processes + 1) * sizeof *x->first_lane);
    x->next_lane = malloc((lanes + 1) * sizeof *x->next_lane);
    if (!x->first_lane || !x->next_lane) return false;
    for (size_t i = 0; i < processes; i++) x->first_lane[i] = TFP_NONE;
    for (size_t i = lanes; i-- > 0;) {
        uint32_t process = x->p->lanes->at[i].process;
        if (process >= processes || x->lane_first[i] == x->lane_first[i + 1]) continue;
        x->next_lane[i] = x->first_lane[process];
        x->first_lane[process] = (uint32_t)i;
    }
    return true;
}

/* Fills order, lane_first, first_lane and next_lane. */
static void join_order(tfp_join *x)
{
    tfp_kept_order *o = &x->t->order;
    bool ok = tfp_reserve(&o->items, x->count + 1) && tfp_reserve(&o->lane_first, x->p->lanes->size + 2);
    x->order = o->items.at;
    x->lane_first = o->lane_first.at;
    o->lane_first.size = x->p->lanes->size + 2;
    tfp_join_keep(x, ok && tfp_order_spans(x->p, x->order, x->lane_first) && chain_lanes(x));
}

/* ---- ranks ---- */

#define NUMBERS 8 /* of a file's name that are looked at */

/* The number in a file's name, counted from the last one; -1: there is none. */
static int32_t number_from_end(const char *path, size_t position)
{
    const char *name = strrchr(path, '/');
    name = name ? name + 1 : path;
    const char *end = name + strlen(name), *at = end;
    for (size_t i = 0; i <= position; i++) {
        end = at;
        while (end > name && (end[-1] < '0' || end[-1] > '9')) end--;
        at = end;
        while (at > name && at[-1] >= '0' && at[-1] <= '9') at--;
    }
    int64_t n;
    if (end - at > 9 || !tfp_parse_int64((tfp_str){ at, (size_t)(end - at) }, &n)) return -1;
    return (int32_t)n;
}

int32_t tfp_number_in_name(const char *path) { return number_from_end(path, 0); }

static const char *name_of(const tfp_join *x, size_t process)
{
    uint32_t source = x->t->processes.at[process].source;
    return source < x->p->files->sources.size ? x->p->files->sources.at[source] : "";
}

static bool lacks_rank(const tfp_process *p) { return p->rank < 0 && !p->host; }

/* Whether the names of all files without a rank have different numbers there. */
static bool numbers_differ(tfp_join *x, size_t position)
{
    tfp_map64 seen = { 0 };
    bool differ = true;
    for (size_t i = 0; i < x->t->processes.size && differ; i++) {
        if (!lacks_rank(&x->t->processes.at[i])) continue;
        int32_t n = number_from_end(name_of(x, i), position);
        differ = n >= 0 && tfp_map64_get(&seen, (uint64_t)n) == TFP_NONE;
        if (differ && !tfp_join_keep(x, tfp_map64_put(&seen, (uint64_t)n, 1))) differ = false;
    }
    tfp_map64_free(&seen);
    return differ;
}

/* Which number of the files' names is the rank, from the last one: the last that differs (TP-1-DP-0-PP-0). */
static size_t rank_position(tfp_join *x)
{
    for (size_t i = 0; i < NUMBERS; i++)
        if (numbers_differ(x, i)) return i;
    return 0;
}

/* With several files each is a rank: the recorded rank, otherwise the last number in its name, otherwise its index. */
static void find_ranks(tfp_join *x)
{
    size_t count = 0;
    for (size_t i = 0; i < x->t->processes.size; i++) count += !x->t->processes.at[i].host;
    size_t position = count > 1 ? rank_position(x) : 0;
    for (uint32_t i = 0; i < x->t->processes.size && count > 1; i++) {
        tfp_process *process = &x->t->processes.at[i];
        if (!lacks_rank(process)) continue;
        process->rank_guessed = true;
        process->rank = number_from_end(name_of(x, i), position);
        if (process->rank < 0) process->rank = (int32_t)i;
    }
}

/* ---- the join ---- */

/* Makes the columns that the join fills, and clears those of an earlier join. False: out of memory. */
static bool make_columns(tfp_join *x)
{
    tfp_span_columns *s = &x->t->spans;
    bool ok = true;
#define READ(column)
#define RARE(column)
#define COLUMN(type, name, rule, ...)                                                                                  \
    free(s->name);                                                                                                     \
    s->name = malloc((x->count + 1) * sizeof *s->name);                                                                \
    if (s->name) memset(s->name, TFP_RULE_##rule == TFP_RULE_ROW_OR_NONE ? 0xff : 0, x->count * sizeof *s->name);      \
    ok &= s->name != NULL;
#include "schema/traces/spans.def"
#undef COLUMN
    return ok;
}

/* A stage, and independent work that runs in parallel with it. */
typedef struct stage {
    void (*run)(tfp_join *x);
    bool (*beside)(tfp_join *x); /* must not touch the builder; false: out of memory */
} stage;
typedef struct stage_run {
    const stage *of;
    tfp_join *x;
    bool began, ok; /* state of the work beside the stage */
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

static void drop_launches(tfp_event_tables *t)
{
    tfp_launches_free(t->launches);
    t->launches = NULL;
}

/* Frees the table of calls, because executions need the memory; the stage of steps makes it again. */
static void drop_calls(tfp_join *x)
{
    if (!(x->p->reads & TFP_READS_TIMES)) drop_launches(x->t);
}

static void join_graphs(tfp_join *x) { tfp_graphs_join(x->b); }

/* Forgets the sums of an earlier join: they are made again, including events added since. */
static void forget(tfp_join *x)
{
    for (size_t i = 0; i < x->t->joined_execs.size; i++) tfp_build_exec_again(x->b, x->t->joined_execs.at[i]);
    x->t->joined_execs.size = 0;
    drop_launches(x->t);
    tfp_graphs_forget(x->b);
    x->t->windows.size = x->t->order.items.size = 0;
    size_t repaired = 0;
    for (size_t i = 0; i < x->t->doubts.size; i++)
        if (tfp_doubt_is_repaired(x->t->doubts.at[i].kind)) x->t->doubts.at[repaired++] = x->t->doubts.at[i];
    x->t->doubts.size = repaired;
    size_t kept = 0; /* links that came from files are kept */
    for (size_t i = 0; i < x->t->flows.size; i++)
        if (x->t->flows.at[i].kind != TFP_FLOW_BACKWARD) x->t->flows.at[kept++] = x->t->flows.at[i];
    x->t->flows.size = kept;
    for (size_t i = 0; i < x->p->files->warnings.size; i++) /* this join will repeat the warnings of the earlier one */
        if (x->p->files->warnings.at[i].what == tfp_join_cut_paths) x->p->files->warnings.at[i].count = 0;
}

/* Rows of compact lanes can stay rows only if all lanes are compact, and nothing is in doubt. Otherwise every row becomes a span. */
static void widen_mixed(tfp_builder *b)
{
    tfp_event_tables *t = b->p->events;
    bool mixed = false;
    if (!tfp_only_sums(b->p)) return;
    bool rows = b->p->reads & TFP_READS_TIMES;
    for (size_t i = 0; i < t->compact->lanes.size && rows; i++) mixed |= t->compact->lanes.at[i].expanded;
    for (size_t i = 0; i < t->spans.size && rows && !mixed; i++) mixed = t->spans.kind[i] != TFP_SPAN_OTHER;
    mixed = mixed || tfp_compact_doubtful(b);
    if (mixed) tfp_compact_expand_process(b, TFP_NONE);
}

void tfp_build_join(tfp_builder *b)
{
    tfp_event_tables *t = b->p->events;
    widen_mixed(b);
    tfp_join x = {
        .b = b, .p = b->p, .t = t, .count = t->spans.size, .nodes.no_op = TFP_NONE, .windows.outside = TFP_NONE
    };
    size_t events = t->spans.size + t->memory.size + t->compact->lanes.size;
    if (b->status || !t->processes.size || (t->spans.parent && t->joined_events == events)) return;
    b->p->about.time_grain_ns = 1; /* means of traces are not truncated to whole microseconds */
    find_ranks(&x);
    forget(&x);
    static const stage stages[] = { { join_order, make_columns },  { tfp_join_times, NULL },
                                    { tfp_join_markers, NULL },    { tfp_join_nest, tfp_join_index_spans },
                                    { tfp_join_steps, NULL },      { tfp_join_kept, NULL },
                                    { tfp_join_launches, NULL },   { tfp_join_doubts, NULL },
                                    { join_graphs, NULL },         { tfp_join_sums, NULL },
                                    { drop_calls, NULL },          { tfp_join_work, NULL },
                                    { tfp_join_nodes, NULL },      { tfp_join_execs, NULL },
                                    { tfp_join_count_steps, NULL } };
    for (size_t i = 0; i < sizeof stages / sizeof *stages && !tfp_builder_status(b, NULL); i++)
        run_stage(&x, &stages[i]);
    t->joined_events = t->spans.size + t->memory.size + t->compact->lanes.size;
    t->order.items.size = b->status ? 0 : x.count;
    tfp_join_index_free(&x);
    free(x.first_lane);
    free(x.next_lane);
    free(x.op_above);
    free(x.cpu_op_above);
    free(x.crossings);
    tfp_vec_free(&x.repeats);
    tfp_vec_free(&x.restarts);
    free(x.places.scope);
    free(x.places.model);
    free(x.places.backward);
    free(x.places.annotated);
    tfp_map64_free(&x.places.replayed);
    tfp_vec_free(&x.execs.ran_in);
    tfp_vec_free(&x.windows.parts);
    tfp_vec_free(&x.windows.lists);
    tfp_map64_free(&x.windows.list_by_device);
    tfp_vec_free(&x.places.list);
    tfp_map64_free(&x.places.by_name);
    tfp_map64_free(&x.places.node_by_name_op);
    tfp_map64_free(&x.execs.by_step);
    tfp_vec_free(&x.nodes.last_exec);
    tfp_vec_free(&x.nodes.last_type);
    tfp_vec_free(&x.nodes.ran);
    tfp_buf_free(&x.places.text);
}
