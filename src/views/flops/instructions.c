// SPDX-License-Identifier: Apache-2.0
/* views/flops/instructions.c: the float operations of compiled programs, instruction by instruction. In: the instructions of HLO
 * modules (model/tables/instructions.h), or the stats of a trace's spans. Out: sums by instruction, and the counts of each node. */
#include "views/flops/instructions.h"

#include "flops/aten/aten.h"
#include "model/graphs.h"
#include "model/tables/events.h"
#include "model/tables/graph.h"
#include "model/tables/instructions.h"
#include "model/tables/lanes.h"
#include "model/tables/read.h"
#include "model/tables/runs.h"
#include "model/tables/span_kinds.h"
#include "model/tables/spans.h"
#include "model/tables/stats.h"
#include "model/trace/scan.h"
#include "views/core/rows.h"
#include "views/core/view.h"
#include "views/spans/trace.h"

static void add(int64_t *to, int64_t n) { *to = tfp_add(*to, n > 0 ? n : 0, NULL); }

/* ---- what the stats of spans tell: equal sets are one, and looked at once ---- */

typedef struct keys {
    tfp_strid flops, macs, moved, accessed, unknown, op, module, opcode, type;
} keys;

typedef struct stated { /* counts of one execution */
    tfp_strid op, module, opcode;
    tfp_float_type type; /* TFP_FLOAT_OTHER: also when unknown */
    int64_t flops, macs, bytes;
    bool counted, moves;
} stated;

static keys find_keys(const tfp_profile *p)
{
    return (keys){ .flops = tfp_stat_key(p, "flops"),
                   .macs = tfp_stat_key(p, "macs"),
                   .moved = tfp_stat_key(p, "bytes_moved"),
                   .accessed = tfp_stat_key(p, "bytes_accessed"),
                   .unknown = tfp_stat_key(p, "flops_unknown"),
                   .op = tfp_stat_key(p, "hlo_op"),
                   .opcode = tfp_stat_key(p, "hlo_opcode"),
                   .type = tfp_stat_key(p, "hlo_type"),
                   .module = tfp_stat_key(p, "hlo_module") };
}

/* The type from the names that the HLO reader uses (formats/hlo/describe.c). */
static tfp_float_type type_named(tfp_str name)
{
    static const char *const names[TFP_FLOAT_TYPES] = { "", "f32", "tf32", "f16", "bf16", "f8" };
    for (int i = 1; i < TFP_FLOAT_TYPES; i++)
        if (tfp_str_eq(name, tfp_str_of(names[i]))) return (tfp_float_type)i;
    return TFP_FLOAT_OTHER;
}

/* An unknown key is TFP_NONE, which no stat has. */
static stated stated_by(const tfp_profile *p, const keys *k, const tfp_stat_set *set)
{
    stated t = { 0 };
    bool unknown = false;
    for (uint32_t i = 0; i < set->count; i++) {
        const tfp_stat *s = &tfp_events_of(p)->stats.at[set->first + i];
        bool text = s->type == TFP_STAT_TEXT;
        if (text && s->key == k->op) t.op = (tfp_strid)s->value.text;
        if (text && s->key == k->module) t.module = (tfp_strid)s->value.text;
        if (text && s->key == k->opcode) t.opcode = (tfp_strid)s->value.text;
        if (text && s->key == k->type) t.type = type_named(tfp_text(p, (tfp_strid)s->value.text));
        if (s->type != TFP_STAT_INT || s->value.number < 0) continue;
        if (s->key == k->flops) t.flops = s->value.number, t.counted = true;
        if (s->key == k->macs) t.macs = s->value.number;
        if (s->key == k->moved || s->key == k->accessed) t.bytes = s->value.number, t.moves = true;
        unknown |= s->key == k->unknown;
    }
    t.counted = !unknown && (t.counted || t.op);
    return t;
}

bool tfp_has_instructions(const tfp_profile *p)
{
    if (tfp_instruction_rows_of(p)->size) return true;
    if (!tfp_has(p, TFP_HAS_TRACE)) return false;
    if (tfp_aten_recorded(p)) return true;
    tfp_strid flops = tfp_stat_key(p, "flops"), op = tfp_stat_key(p, "hlo_op");
    for (size_t i = 0; i < tfp_events_of(p)->stats.size; i++)
        if (tfp_events_of(p)->stats.at[i].key == flops || tfp_events_of(p)->stats.at[i].key == op) return true;
    return false;
}

bool tfp_has_recorded_calls(const tfp_profile *p)
{
    return tfp_instruction_rows_of(p)->size &&
           tfp_graph_of(p)->nodes.at[tfp_instruction_rows_of(p)->at[0].node].calls > 0;
}

/* Whether an HLO module is counted; with a trace the executed instructions are counted instead. */
static bool is_module(const tfp_profile *p) { return tfp_instruction_rows_of(p)->size && !tfp_has(p, TFP_HAS_TRACE); }

/* ---- sums of a trace ---- */

typedef struct collector {
    const tfp_profile *p;
    stated *stated;   /* indexed by set of stats */
    tfp_groups *sums; /* tfp_instruction_sum by instruction and module, or by node */
} collector;

static tfp_instruction_sum *sum_of(collector *c, const stated *t, uint32_t node)
{
    tfp_instruction_sum *sum = TFP_GROUP(c->sums, t->op, t->op ? t->module : node);
    if (c->sums->added)
        *sum = (tfp_instruction_sum){ .name = t->op ? t->op : tfp_graph_of(c->p)->nodes.at[node].name,
                                      .module = t->module,
                                      .opcode = t->opcode,
                                      .node = node,
                                      .counted = true,
                                      .moves = t->moves };
    return sum;
}

static bool add_row(collector *c, const tfp_scan_row *row)
{
    static const stated nothing = { 0 };
    bool async = tfp_lanes_of(c->p)->at[row->lane].role == TFP_ROLE_ASYNC;
    if (row->node == TFP_NONE || async || !tfp_is_work(row->kind, row->class)) return true;
    const stated *t = row->work_stats == TFP_NONE ? &nothing : &c->stated[row->work_stats];
    tfp_instruction_sum *sum = sum_of(c, t, row->node);
    if (!sum) return false;
    add(&sum->ns, row->self_ns.total);
    if (!row->runs) return true;
    int64_t flops = tfp_mul(t->flops, row->runs, NULL);
    add(&sum->runs, row->runs);
    add(&sum->float_ops, flops);
    add(&sum->macs, tfp_mul(t->macs, row->runs, NULL));
    add(&sum->bytes, tfp_mul(t->bytes, row->runs, NULL));
    if (t->type) add(&sum->of_type[t->type], flops);
    tfp_instruction_step(sum, tfp_mul(t->flops, row->step_runs, NULL), tfp_mul(t->macs, row->step_runs, NULL),
                         tfp_mul(t->bytes, row->step_runs, NULL));
    sum->counted &= t->counted;
    sum->moves |= t->moves;
    return true;
}

/* Reads each set of stats once; NULL: out of memory. The caller frees the result. */
static stated *read_stats(const tfp_profile *p)
{
    keys k = find_keys(p);
    stated *all = calloc(tfp_events_of(p)->stat_sets.size + 1, sizeof *all);
    for (size_t i = 0; all && i < tfp_events_of(p)->stat_sets.size; i++)
        all[i] = stated_by(p, &k, &tfp_events_of(p)->stat_sets.at[i]);
    return all;
}

static bool collect_spans(const tfp_report *r, bool every, tfp_groups *sums)
{
    if (tfp_aten_recorded(tfp_profile_of(r))) return tfp_calls_collect(r, every, sums);
    const tfp_profile *p = tfp_profile_of(r);
    collector c = { .p = p, .stated = read_stats(p), .sums = sums };
    tfp_scan_ask work = { .step = tfp_step_of(r), .outside = every, .runs = true };
    if (every) work.step = (tfp_step_choice){ .which = TFP_STEP_ALL };
    tfp_scan s = tfp_scan_of(p, &work);
    bool ok = c.stated != NULL;
    while (ok && tfp_scan_next(&s))
        for (size_t i = 0; ok && i < s.count; i++) ok = add_row(&c, &s.rows[i]);
    ok = ok && !s.failed;
    tfp_scan_end(&s);
    free(c.stated);
    return ok;
}

/* ---- sums of a module ---- */

static tfp_instruction_sum sum_of_runs(const tfp_instruction *n)
{
    return (tfp_instruction_sum){ .name = n->name,
                                  .module = n->module,
                                  .opcode = n->opcode,
                                  .node = n->node,
                                  .runs = n->runs,
                                  .float_ops = tfp_mul(n->float_ops, n->runs, NULL),
                                  .macs = tfp_mul(n->macs, n->runs, NULL),
                                  .bytes = n->bytes > 0 ? tfp_mul(n->bytes, n->runs, NULL) : 0,
                                  .counted = n->counted,
                                  .moves = n->bytes >= 0,
                                  .trips_unknown = n->trips_unknown };
}

static void merge(tfp_instruction_sum *to, const tfp_instruction_sum *n)
{
    add(&to->runs, n->runs);
    add(&to->float_ops, n->float_ops);
    add(&to->macs, n->macs);
    add(&to->bytes, n->bytes);
    to->counted &= n->counted;
    to->moves |= n->moves;
}

/* All recorded calls of one node are one row, whatever their arguments were. */
static void collect_module(const tfp_profile *p, tfp_groups *sums)
{
    bool calls = tfp_has_recorded_calls(p);
    for (size_t i = 0; i < tfp_instruction_rows_of(p)->size; i++) {
        const tfp_instruction *n = &tfp_instruction_rows_of(p)->at[i];
        if (n->inside || (!n->runs && n->counted)) continue; /* a branch without a count may be the one that runs */
        tfp_instruction_sum of = sum_of_runs(n), *sum = TFP_GROUP(sums, calls ? n->node : i);
        if (sums->added)
            *sum = of;
        else if (sum)
            merge(sum, &of);
    }
}

tfp_status tfp_instructions_of(tfp_report *r, tfp_instruction_sums *out, tfp_error *err)
{
    tfp_groups sums = { .row_size = sizeof *out->at };
    if (is_module(tfp_profile_of(r)))
        collect_module(tfp_profile_of(r), &sums);
    else
        sums.failed |= !collect_spans(r, false, &sums);
    out->at = tfp_groups_end(&sums, tfp_arena_of(r), NULL, &out->size);
    return out->at ? TFP_OK : tfp_nomem(err);
}

/* ---- nodes ---- */

/* Instructions inside fusions are nodes as well, and each counts its own float operations. */
static void count_module(const tfp_profile *p, tfp_node_count *nodes)
{
    for (size_t i = 0; i < tfp_instruction_rows_of(p)->size; i++) {
        const tfp_instruction *n = &tfp_instruction_rows_of(p)->at[i];
        tfp_node_count *c = &nodes[n->node];
        c->runs = 1;
        add(&c->float_ops, tfp_mul(n->own_float_ops, n->runs, NULL));
        add(&c->macs, tfp_mul(n->own_macs, n->runs, NULL));
        if (!n->inside && n->bytes > 0) add(&c->bytes, tfp_mul(n->bytes, n->runs, NULL));
        c->ops++;
        c->counted += n->counted;
        c->moves |= n->bytes >= 0;
    }
}

/* For a trace: sums of all executions, divided by the number of runs. */
static tfp_status count_spans(tfp_report *r, tfp_node_count *nodes, tfp_error *err)
{
    tfp_groups found = { .row_size = sizeof(tfp_instruction_sum) };
    tfp_instruction_sums sums;
    const tfp_profile *p = tfp_profile_of(r);
    found.failed |= !collect_spans(r, true, &found);
    sums.at = tfp_groups_end(&found, tfp_arena_of(r), NULL, &sums.size);
    if (!sums.at) return tfp_nomem(err);
    for (uint32_t i = 0; i < tfp_graph_of(p)->nodes.size; i++) {
        tfp_node_stats s;
        tfp_node_stats_at(p, i, (tfp_step_choice){ .which = TFP_STEP_ALL }, &s);
        nodes[i].of_runs = s.run_count;
    }
    for (size_t i = 0; i < sums.size; i++) {
        tfp_node_count *c = &nodes[sums.at[i].node];
        add(&c->float_ops, sums.at[i].float_ops);
        add(&c->macs, sums.at[i].macs);
        add(&c->bytes, sums.at[i].bytes);
        c->ops++;
        c->counted += sums.at[i].counted;
        c->moves |= sums.at[i].moves;
    }
    return TFP_OK;
}

tfp_status tfp_instruction_counts(tfp_report *r, struct tfp_counts **out, tfp_error *err)
{
    tfp_counts *c = TFP_NEW(tfp_arena_of(r), tfp_counts, 1);
    if (!c || !(c->nodes = TFP_NEW(tfp_arena_of(r), tfp_node_count, tfp_graph_of(tfp_profile_of(r))->nodes.size)))
        return tfp_nomem(err);
    tfp_status s = TFP_OK;
    if (is_module(tfp_profile_of(r)))
        count_module(tfp_profile_of(r), c->nodes);
    else
        s = count_spans(r, c->nodes, err);
    tfp_tree_of(r)->counts = *out = c;
    return s;
}
