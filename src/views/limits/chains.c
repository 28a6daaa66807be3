// SPDX-License-Identifier: Apache-2.0
/* views/limits/chains.c: finds chains: along each stream, within one call of a module, each call reads the result of the
 * one before. A result that is still held when the next call after the chain begins is no intermediate. */
#include "views/limits/chains.h"
#include "model/span_names.h"
#include "model/tables/read.h"
#include "model/tables/spans.h"
#include "query/order.h"
#include "views/core/grid.h"
#include "views/core/handle.h"
#include "views/limits/tables.h"
#include "views/spans/trace.h"
#include "views/spans/places.h"

#include <math.h>

enum { LEVELS = 256, MEMBERS = 256 }; /* spans around a call that are looked at; members of a run */

typedef struct item { /* neighbouring activities of one call */
    uint32_t call, lane;
    bool whole; /* the call has no others */
} item;

typedef struct finder {
    const tfp_limits *l;
    tfp_limit_chains *out;
    TFP_VEC(item) items;
    tfp_strtab texts;
    tfp_span_places places; /* of lines; made when a call is in no module and no range */
    bool lines, by_memory;
    uint32_t blocks[MEMBERS];
    tfp_buf text;
} finder;

static const tfp_limit_call *call_at(const finder *f, uint32_t call) { return &f->l->calls.at[call]; }
static const tfp_call_kind *kind_at(const finder *f, uint32_t call) { return &f->l->kinds.at[call_at(f, call)->kind]; }

/* ---- where calls are ---- */

/* The innermost span of a kind around another; TFP_NONE: none. */
static uint32_t around(const tfp_span_columns *s, uint32_t span, unsigned kind)
{
    for (int i = 0; i < LEVELS && span != TFP_NONE; i++, span = s->parent[span])
        if (s->kind[span] == kind) return span;
    return TFP_NONE;
}

static uint32_t module_of(const finder *f, uint32_t call)
{
    const tfp_span_columns *s = f->l->s;
    uint32_t op = call_at(f, call)->op, module = around(s, op, TFP_SPAN_MODULE);
    if (module != TFP_NONE) return module;
    uint32_t forward = tfp_limits_forward(f->l, op);
    return forward == TFP_NONE ? TFP_NONE : around(s, forward, TFP_SPAN_MODULE);
}

/* The same for calls that one kernel could do: in one call of a module; without modules in one range, line or step. */
static bool place_of(finder *f, uint32_t call, uint64_t *out)
{
    enum { MODULE, RANGE, LINE, STEP };
    const tfp_limit_call *c = call_at(f, call);
    uint32_t module = module_of(f, call), backward = tfp_limits_forward(f->l, c->op) != TFP_NONE;
    uint32_t range = module == TFP_NONE ? around(f->l->s, c->op, TFP_SPAN_ANNOTATION) : TFP_NONE;
    if (module != TFP_NONE || range != TFP_NONE) {
        *out = (uint64_t)(module != TFP_NONE ? MODULE : RANGE) << 40 | (uint64_t)backward << 36 |
               (module != TFP_NONE ? module : range);
        return true;
    }
    bool known = f->lines;
    f->lines = true;
    if (!known && !tfp_span_places_of(f->l->r, &f->places)) return false;
    uint32_t line = f->places.line[c->op];
    *out = (uint64_t)(line ? LINE : STEP) << 40 | (line ? line : c->step);
    return true;
}

/* ---- links ---- */

static bool is_member(const finder *f, const item *i)
{
    const tfp_limit_call *c = call_at(f, i->call);
    return i->whole && c->op != TFP_NONE && !c->why && c->kind != TFP_NONE && kind_at(f, i->call)->fusable;
}

static bool reads(const finder *f, uint32_t call, uint32_t before)
{
    const tfp_call_kind *k = kind_at(f, call), *b = kind_at(f, before);
    if (!b->whole && tfp_limits_has_ids(f->l, call) && tfp_limits_has_ids(f->l, before))
        return tfp_limits_reads_result(f->l, call, before);
    for (uint32_t i = 0; i < k->in_count && !b->whole; i++)
        if (tfp_same_tensor(&f->l->inputs.at[k->in_first + i], &b->out)) return true;
    return false;
}

/* Whether two items that follow one another belong together. */
static bool continues(finder *f, const item *before, const item *next, bool *yes)
{
    uint64_t here, there;
    *yes = false;
    if (before->lane != next->lane || !is_member(f, next) || !reads(f, next->call, before->call)) return true;
    if (!place_of(f, before->call, &here) || !place_of(f, next->call, &there)) return false;
    *yes = here == there;
    return true;
}

/* ---- runs ---- */

static tfp_strid kept(finder *f)
{
    return f->text.failed ? TFP_NONE : tfp_intern(&f->texts, (tfp_str){ f->text.data, f->text.size });
}

static tfp_strid chain_text(finder *f, const uint32_t *members, uint32_t count)
{
    f->text.size = 0;
    for (uint32_t i = 0; i < count; i++) {
        tfp_buf_text(&f->text, i ? " > " : "");
        tfp_buf_str(&f->text, tfp_text(f->l->p, kind_at(f, members[i])->name));
    }
    return kept(f);
}

/* The type of the module around a call, without its number. */
static tfp_strid module_type(finder *f, uint32_t call)
{
    uint32_t module = module_of(f, call);
    tfp_str name = module == TFP_NONE ? TFP_STR("") : tfp_text(f->l->p, f->l->s->name[module]);
    size_t size = name.size;
    while (size && tfp_is_digit(name.data[size - 1])) size--;
    if (size && size < name.size && name.data[size - 1] == '_') name.size = size - 1;
    f->text.size = 0;
    tfp_buf_str(&f->text, name);
    return kept(f);
}

/* The dimensions of the largest result. */
static tfp_strid shape_text(finder *f, const uint32_t *members, uint32_t count)
{
    const tfp_call_kind *most = kind_at(f, members[0]);
    for (uint32_t i = 1; i < count; i++)
        if (kind_at(f, members[i])->out.elements > most->out.elements) most = kind_at(f, members[i]);
    f->text.size = 0;
    for (uint32_t i = 0; i < most->rank; i++) {
        if (i) tfp_buf_char(&f->text, 'x');
        tfp_buf_int(&f->text, f->l->dims.at[most->dims_first + i]);
    }
    return kept(f);
}

static tfp_str certainty_of(const finder *f, const uint32_t *members, uint32_t count)
{
    if (tfp_chain_has_ids(f->l, members, count)) return TFP_STR("ids");
    return f->by_memory ? TFP_STR("memory") : TFP_STR("shapes");
}

static tfp_limit_chain_row *row_of(finder *f, const uint32_t *members, uint32_t count)
{
    const tfp_trace_index *x = f->l->x;
    uint32_t unit = x->one_file ? 0 : call_at(f, members[0])->unit;
    tfp_strid chain = chain_text(f, members, count), module = module_type(f, members[0]);
    tfp_strid shape = shape_text(f, members, count);
    if (chain == TFP_NONE || module == TFP_NONE || shape == TFP_NONE) return NULL;
    tfp_limit_chain_row *row = TFP_GROUP(&f->out->rows, unit, chain, module, shape);
    if (row && !row->calls)
        *row = (tfp_limit_chain_row){ .rank = x->units[unit].rank,
                                      .unit = unit,
                                      .run = (uint32_t)f->out->runs.size,
                                      .chain = tfp_strtab_get(&f->texts, chain),
                                      .module = tfp_strtab_get(&f->texts, module),
                                      .shape = tfp_strtab_get(&f->texts, shape),
                                      .certainty = certainty_of(f, members, count) };
    if (row && tfp_str_eq(row->certainty, TFP_STR("ids"))) row->certainty = certainty_of(f, members, count);
    return row;
}

static bool add_run(finder *f, const uint32_t *members, uint32_t count, const uint32_t *blocks)
{
    const tfp_limits *l = f->l;
    tfp_limit_chain run = { .first = (uint32_t)f->out->members.size, .count = count };
    int64_t ns = 0, kernels = 0;
    double compute = 0;
    for (uint32_t i = 0; i < count; i++) {
        const tfp_limit_call *c = call_at(f, members[i]);
        run.moved = tfp_add(run.moved, kind_at(f, members[i])->bytes, NULL);
        compute += kind_at(f, members[i])->compute_us;
        ns = tfp_add(ns, c->ns, NULL);
        kernels += c->parts;
    }
    run.fused = tfp_chain_bytes(l, members, count, blocks);
    if (run.fused >= run.moved) return true;
    double us = (double)ns / 1000, floor = l->peaks.floor_us < us ? l->peaks.floor_us : us;
    double memory = l->peaks.known ? (double)run.fused / l->peaks.bandwidth * 1e6 : NAN;
    run.fused_us = !l->peaks.known ? NAN : fmax(fmax(compute, memory), floor);
    run.gain_us = run.fused_us < us ? us - run.fused_us : l->peaks.known ? 0 : NAN;
    tfp_limit_chain_row *row = row_of(f, members, count);
    if (!row) return false;
    run.row = (uint32_t)(row - tfp_limit_chain_row_at(f->out, 0));
    row->calls++;
    row->kernels += kernels;
    row->device_ns = tfp_add(row->device_ns, ns, NULL);
    row->bytes_moved = tfp_add(row->bytes_moved, run.moved, NULL);
    row->bytes_fused = tfp_add(row->bytes_fused, run.fused, NULL);
    row->bytes_saved = tfp_add(row->bytes_saved, run.moved - run.fused, NULL);
    row->fused_us += run.fused_us;
    row->gain_us += run.gain_us;
    row->same_rate_us += us * (double)(run.moved - run.fused) / (double)run.moved;
    f->out->gain_us += run.gain_us;
    f->out->bytes_saved = tfp_add(f->out->bytes_saved, run.moved - run.fused, NULL);
    for (uint32_t i = 0; i < count; i++)
        if (!tfp_push(&f->out->members, members[i])) return false;
    return tfp_push(&f->out->runs, run);
}

/* Splits a run after each member whose result is held longer. */
static bool add_split(finder *f, const uint32_t *members, uint32_t count, const item *next)
{
    int64_t start = next ? tfp_limit_start(f->l, call_at(f, next->call)) : INT64_MAX; /* of the call after the run */
    for (uint32_t i = 0; i < count; i++)
        f->blocks[i] = tfp_chain_block(f->l, members[i], i ? f->blocks[i - 1] : TFP_NONE);
    for (uint32_t from = 0, to = 1; from < count; from = to, to = from + 1) {
        while (to < count && f->blocks[to - 1] != TFP_NONE && tfp_limits_freed(f->l, f->blocks[to - 1]) < start) to++;
        if (to - from > 1 && !add_run(f, members + from, to - from, f->blocks + from)) return false;
    }
    return true;
}

static bool add_members(finder *f, size_t from, size_t to)
{
    uint32_t members[MEMBERS];
    uint32_t count = (uint32_t)(to - from);
    const item *next = to < f->items.size && f->items.at[to].lane == f->items.at[from].lane ? &f->items.at[to] : NULL;
    for (uint32_t i = 0; i < count; i++) members[i] = f->items.at[from + i].call;
    return f->by_memory && !tfp_chain_has_ids(f->l, members, count) ? add_split(f, members, count, next)
                                                                    : add_run(f, members, count, NULL);
}

static bool find_runs(finder *f)
{
    for (size_t from = 0, to; from < f->items.size; from = to) {
        to = from + 1;
        if (!is_member(f, &f->items.at[from])) continue;
        for (bool yes = true; to < f->items.size && to - from < MEMBERS; to++) {
            if (!continues(f, &f->items.at[to - 1], &f->items.at[to], &yes)) return false;
            if (!yes) break;
        }
        if (to - from > 1 && !add_members(f, from, to)) return false;
    }
    return true;
}

static bool find_items(finder *f)
{
    const tfp_limits *l = f->l;
    for (size_t i = 0, end; i < l->parts.size; i = end) {
        const tfp_limit_part *part = &l->parts.at[i];
        uint32_t lane = l->s->lane[part->span];
        for (end = i + 1;
             end < l->parts.size && l->parts.at[end].call == part->call && l->s->lane[l->parts.at[end].span] == lane;)
            end++;
        item made = { part->call, lane, end - i == l->calls.at[part->call].parts };
        if (!tfp_push(&f->items, made)) return false;
    }
    return true;
}

bool tfp_limits_chains(const tfp_limits *l, tfp_limit_chains *out)
{
    finder *f = calloc(1, sizeof *f);
    if (!f) return false;
    *f = (finder){ .l = l, .out = out, .by_memory = l->memory && !l->forward_of.count };
    *out =
        (tfp_limit_chains){ .rows = { .row_size = sizeof(tfp_limit_chain_row) }, .gain_us = l->peaks.known ? 0 : NAN };
    bool ok = tfp_strtab_init(&f->texts, tfp_arena_of(l->r)) == TFP_OK && find_items(f) && find_runs(f);
    if (f->lines) tfp_span_places_free(&f->places);
    tfp_vec_free(&f->items);
    tfp_strtab_free(&f->texts);
    tfp_buf_free(&f->text);
    free(f);
    return ok;
}

void tfp_limit_chains_free(tfp_limit_chains *c)
{
    tfp_vec_free(&c->members);
    tfp_vec_free(&c->runs);
    tfp_groups_free(&c->rows);
}

/* ---- the table ---- */

/* clang-format off */
const tfp_table_column tfp_limit_chain_columns[] = {
    TFP_COLUMN_ONLY(tfp_limit_chain_row, "rank", INT, NUMBER, rank, "Rank of the process.", TFP_SHOWN_RANKS),
    TFP_COLUMN(tfp_limit_chain_row, "chain", TEXT, LABEL, chain, "The operators, in the order in which they ran."),
    TFP_COLUMN(tfp_limit_chain_row, "module", TEXT, LABEL, module, "Type of the module around them."),
    TFP_COLUMN(tfp_limit_chain_row, "shape", TEXT, LABEL, shape, "Dimensions of the largest result."),
    TFP_COLUMN(tfp_limit_chain_row, "calls", INT, NUMBER, calls, "How often the chain ran."),
    TFP_COLUMN(tfp_limit_chain_row, "kernels", INT, NUMBER, kernels, "Activities of all runs."),
    TFP_COLUMN(tfp_limit_chain_row, "device_us", NANO, MICROS, device_ns, "Time on the device."),
    TFP_COLUMN(tfp_limit_chain_row, "share", REAL, SHARE, share, "Share of the device's time."),
    TFP_COLUMN(tfp_limit_chain_row, "bytes_moved", INT, SIZE, bytes_moved, "Bytes that the kernels must read and write today."),
    TFP_COLUMN(tfp_limit_chain_row, "bytes_fused", INT, SIZE, bytes_fused, "Bytes that one kernel for the chain must read and write."),
    TFP_COLUMN(tfp_limit_chain_row, "bytes_saved", INT, SIZE, bytes_saved, "The difference."),
    TFP_COLUMN(tfp_limit_chain_row, "fused_us", REAL, MICROS, fused_us, "Time of one kernel for the chain at the limits of the device."),
    TFP_COLUMN(tfp_limit_chain_row, "gain_us", REAL, MICROS, gain_us, "The most that fusing could gain."),
    TFP_COLUMN(tfp_limit_chain_row, "gain_share", REAL, SHARE, gain_share, "That as a share of the steps."),
    TFP_COLUMN(tfp_limit_chain_row, "same_rate_us", REAL, MICROS, same_rate_us, "The gain if one kernel moved its bytes as slowly as these do."),
    TFP_COLUMN(tfp_limit_chain_row, "certainty", TEXT, LABEL, certainty, "How it is known that each reads the result of the one before: ids, memory or shapes."),
    { 0 },
};
/* clang-format on */

tfp_limit_chain_row *tfp_limit_chain_rows(const tfp_limits *l, const tfp_limit_chains *c, double steps_us)
{
    static const tfp_sort_key biggest_first[] = { TFP_UP(tfp_limit_chain_row, unit),
                                                  TFP_DOWN(tfp_limit_chain_row, order),
                                                  TFP_DOWN(tfp_limit_chain_row, bytes_saved),
                                                  TFP_UP(tfp_limit_chain_row, chain),
                                                  { 0 } };
    double all = 0;
    for (size_t i = 0; i < l->calls.size; i++) all += (double)l->calls.at[i].ns;
    for (uint32_t i = 0; i < c->rows.count; i++) {
        tfp_limit_chain_row *row = tfp_limit_chain_row_at(c, i);
        row->share = all > 0 ? (double)row->device_ns / all : NAN;
        row->gain_share = steps_us > 0 ? row->gain_us / steps_us : NAN;
        row->order = l->peaks.known ? row->gain_us : (double)row->bytes_saved;
    }
    return tfp_ordered(tfp_arena_of(l->r), c->rows.rows, c->rows.row_size, c->rows.count, biggest_first);
}
