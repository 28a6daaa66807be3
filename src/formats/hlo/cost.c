// SPDX-License-Identifier: Apache-2.0
/* formats/hlo/cost.c: float operations, multiply-adds and bytes of each instruction of an HLO module. One multiply and
 * one add are two operations. Elementwise functions count one operation per element when they work on floating point
 * numbers, including exp and tanh (XLA's cost_analysis reports those separately as transcendentals, and counts
 * integers). A fusion, a call and an asynchronous operation count the sum of their computation; the bodies of loops and
 * branches are counted by their own instructions. Semantics of operations: openxla.org/xla/operation_semantics. */
#include "formats/hlo/count.h"
#include "model/tables/instructions.h"
#include "model/tables/read.h"

#include <math.h>

typedef enum cost_rule {
    NOTHING,     /* only moves or renames data */
    ELEMENTWISE, /* one per element of the result, if that is floating point */
    COMPARE,     /* one per element of the result, if the operands are floating point */
    DOT,
    RAGGED_DOT, /* rows, or the inner dimension, in groups of any size */
    CONVOLUTION,
    REDUCE,        /* (elements in minus elements out) times the function's cost */
    REDUCE_WINDOW, /* elements out times (window size minus 1) times the function's cost */
    SELECT_AND_SCATTER,
    SCATTER,
    MAP,
    SORT,
    FFT,
    CHOLESKY,
    TRIANGULAR,
    ALL_REDUCE, /* one addition per element */
    INSIDE,     /* the sum of the called computation */
    APART,      /* the instructions of its computations are counted by themselves */
    CUSTOM
} cost_rule;

/* Which elements of operands and results are read and written. */
typedef enum byte_rule {
    EDGES,        /* all operands and the result */
    NO_BYTES,     /* none: no data moves, or other instructions count it */
    RESULT_TWICE, /* the slice is read and written */
    UPDATE_TWICE  /* operand 1, read and written in place */
} byte_rule;

/* clang-format off */
typedef struct cost_row {
    const char *opcode;
    cost_rule rule;
    byte_rule bytes;
} cost_row;
static const cost_row rules[] = { /* by opcode in byte order */
    { "abs", ELEMENTWISE, EDGES }, { "acos", ELEMENTWISE, EDGES }, { "acosh", ELEMENTWISE, EDGES },
    { "add", ELEMENTWISE, EDGES }, { "add-dependency", NOTHING, NO_BYTES }, { "after-all", NOTHING, NO_BYTES },
    { "all-gather", NOTHING, EDGES }, { "all-gather-done", NOTHING, NO_BYTES },
    { "all-gather-start", NOTHING, EDGES }, { "all-reduce", ALL_REDUCE, EDGES },
    { "all-reduce-done", NOTHING, NO_BYTES }, { "all-reduce-start", ALL_REDUCE, EDGES },
    { "all-to-all", NOTHING, EDGES }, { "and", NOTHING, EDGES }, { "asin", ELEMENTWISE, EDGES },
    { "asinh", ELEMENTWISE, EDGES }, { "async-done", NOTHING, NO_BYTES }, { "async-start", INSIDE, EDGES },
    { "async-update", NOTHING, NO_BYTES }, { "atan2", ELEMENTWISE, EDGES }, { "atanh", ELEMENTWISE, EDGES },
    { "bessel-i1e", ELEMENTWISE, EDGES }, { "bitcast", NOTHING, NO_BYTES }, { "bitcast-convert", NOTHING, EDGES },
    { "broadcast", NOTHING, EDGES }, { "call", INSIDE, NO_BYTES }, { "cbrt", ELEMENTWISE, EDGES },
    { "ceil", ELEMENTWISE, EDGES }, { "cholesky", CHOLESKY, EDGES }, { "clamp", ELEMENTWISE, EDGES },
    { "collective-broadcast", NOTHING, EDGES }, { "collective-permute", NOTHING, EDGES },
    { "collective-permute-done", NOTHING, NO_BYTES }, { "collective-permute-start", NOTHING, EDGES },
    { "compare", COMPARE, EDGES }, { "complex", NOTHING, EDGES }, { "concatenate", NOTHING, EDGES },
    { "conditional", APART, NO_BYTES }, { "conj", NOTHING, EDGES }, { "constant", NOTHING, NO_BYTES },
    { "constant-like", NOTHING, NO_BYTES }, { "convert", NOTHING, EDGES }, { "convolution", CONVOLUTION, EDGES },
    { "copy", NOTHING, EDGES }, { "copy-done", NOTHING, NO_BYTES }, { "copy-start", NOTHING, EDGES },
    { "cosh", ELEMENTWISE, EDGES }, { "cosine", ELEMENTWISE, EDGES }, { "count-leading-zeros", NOTHING, EDGES },
    { "custom-call", CUSTOM, EDGES }, { "digamma", ELEMENTWISE, EDGES }, { "divide", ELEMENTWISE, EDGES },
    { "domain", NOTHING, NO_BYTES }, { "dot", DOT, EDGES }, { "dynamic-reshape", NOTHING, EDGES },
    { "dynamic-slice", NOTHING, RESULT_TWICE }, { "dynamic-update-slice", NOTHING, UPDATE_TWICE },
    { "erf", ELEMENTWISE, EDGES }, { "erf-inv", ELEMENTWISE, EDGES }, { "erfc", ELEMENTWISE, EDGES },
    { "exponential", ELEMENTWISE, EDGES }, { "exponential-minus-one", ELEMENTWISE, EDGES }, { "fft", FFT, EDGES },
    { "floor", ELEMENTWISE, EDGES }, { "fusion", INSIDE, EDGES }, { "gather", NOTHING, RESULT_TWICE },
    { "get-dimension-size", NOTHING, NO_BYTES }, { "get-tuple-element", NOTHING, NO_BYTES },
    { "imag", NOTHING, EDGES }, { "infeed", NOTHING, EDGES }, { "iota", NOTHING, EDGES },
    { "is-finite", COMPARE, EDGES }, { "is-inf", COMPARE, EDGES }, { "is-neg-inf", COMPARE, EDGES },
    { "is-pos-inf", COMPARE, EDGES }, { "lgamma", ELEMENTWISE, EDGES }, { "log", ELEMENTWISE, EDGES },
    { "log-plus-one", ELEMENTWISE, EDGES }, { "logistic", ELEMENTWISE, EDGES }, { "map", MAP, EDGES },
    { "maximum", ELEMENTWISE, EDGES }, { "minimum", ELEMENTWISE, EDGES }, { "multiply", ELEMENTWISE, EDGES },
    { "negate", ELEMENTWISE, EDGES }, { "next-after", ELEMENTWISE, EDGES }, { "not", NOTHING, EDGES },
    { "opt-barrier", NOTHING, NO_BYTES }, { "optimization-barrier", NOTHING, NO_BYTES }, { "or", NOTHING, EDGES },
    { "outfeed", NOTHING, EDGES }, { "pad", NOTHING, EDGES }, { "parameter", NOTHING, NO_BYTES },
    { "partition-id", NOTHING, NO_BYTES }, { "polygamma", ELEMENTWISE, EDGES }, { "popcnt", NOTHING, EDGES },
    { "power", ELEMENTWISE, EDGES }, { "ragged-all-to-all", NOTHING, EDGES }, { "ragged-dot", RAGGED_DOT, EDGES },
    { "real", NOTHING, EDGES }, { "recv", NOTHING, EDGES }, { "recv-done", NOTHING, NO_BYTES },
    { "reduce", REDUCE, EDGES }, { "reduce-precision", ELEMENTWISE, EDGES }, { "reduce-scatter", ALL_REDUCE, EDGES },
    { "reduce-window", REDUCE_WINDOW, EDGES }, { "remainder", ELEMENTWISE, EDGES },
    { "replica-id", NOTHING, NO_BYTES }, { "reshape", NOTHING, EDGES }, { "reverse", NOTHING, EDGES },
    { "rng", NOTHING, EDGES }, { "rng-bit-generator", NOTHING, EDGES },
    { "rng-get-and-update-state", NOTHING, EDGES }, { "round-nearest-afz", ELEMENTWISE, EDGES },
    { "round-nearest-even", ELEMENTWISE, EDGES }, { "rsqrt", ELEMENTWISE, EDGES }, { "scaled-dot", DOT, EDGES },
    { "scatter", SCATTER, EDGES }, { "select", ELEMENTWISE, EDGES },
    { "select-and-scatter", SELECT_AND_SCATTER, EDGES }, { "send", NOTHING, EDGES },
    { "send-done", NOTHING, NO_BYTES }, { "set-dimension-size", NOTHING, NO_BYTES }, { "shift-left", NOTHING, EDGES },
    { "shift-right-arithmetic", NOTHING, EDGES }, { "shift-right-logical", NOTHING, EDGES },
    { "sign", ELEMENTWISE, EDGES }, { "sine", ELEMENTWISE, EDGES }, { "sinh", ELEMENTWISE, EDGES },
    { "slice", NOTHING, RESULT_TWICE }, { "sort", SORT, EDGES }, { "sqrt", ELEMENTWISE, EDGES },
    { "stochastic-convert", NOTHING, EDGES }, { "subtract", ELEMENTWISE, EDGES }, { "tan", ELEMENTWISE, EDGES },
    { "tanh", ELEMENTWISE, EDGES }, { "topk", SORT, EDGES }, { "transpose", NOTHING, EDGES },
    { "triangular-solve", TRIANGULAR, EDGES }, { "tuple", NOTHING, NO_BYTES }, { "while", APART, NO_BYTES },
    { "xor", NOTHING, EDGES }, { "zeta", ELEMENTWISE, EDGES },
};
/* clang-format on */
#define RULE_COUNT (sizeof rules / sizeof *rules)

static int by_opcode(const void *opcode, const void *rule)
{
    return tfp_str_cmp(*(const tfp_str *)opcode, tfp_str_of(((const cost_row *)rule)->opcode));
}

static const cost_row *find_rule(tfp_str opcode)
{
    return bsearch(&opcode, rules, RULE_COUNT, sizeof *rules, by_opcode);
}

bool tfp_hlo_is_opcode(tfp_str name) { return find_rule(name) != NULL; }

/* ---- numbers of one instruction; unknown is TFP_UNKNOWN and stays it ---- */

/* The sum over all arrays of the result. */
static int64_t all_elements(const tfp_hlo_counter *c, const tfp_hlo_instruction *i)
{
    if (i->shape == TFP_NONE) return TFP_UNKNOWN;
    const tfp_hlo_shape *s = &c->m->shapes.at[i->shape];
    int64_t n = 0;
    for (uint32_t k = 0; k < s->count; k++) n = tfp_plus(n, tfp_hlo_elements(c->m, &c->m->arrays.at[s->first + k]));
    return n;
}

static bool is_float(const tfp_hlo_counter *c, const tfp_hlo_instruction *i)
{
    const tfp_hlo_array *a = tfp_hlo_first_array(c, i);
    return a && tfp_hlo_type_is_float(a->type);
}

/* ---- rules ---- */

static int64_t of_dot(const tfp_hlo_counter *c, const tfp_hlo_instruction *i)
{
    const tfp_hlo_array *left = tfp_hlo_first_array(c, tfp_hlo_operand(c, i, 0));
    int64_t contracted = left ? 1 : TFP_UNKNOWN;
    for (uint32_t k = 0; k < i->work.contract_count; k++)
        contracted = tfp_times(contracted, tfp_hlo_dim(c, left, c->m->numbers.at[i->work.contract_first + k]));
    return tfp_times(tfp_hlo_elements_of(c, i), contracted);
}

/* Each element of the left side meets a column of the right side, of whatever group it is. */
static int64_t of_ragged_dot(const tfp_hlo_counter *c, const tfp_hlo_instruction *i)
{
    const tfp_hlo_array *out = tfp_hlo_first_array(c, i);
    return tfp_times(tfp_hlo_elements_of(c, tfp_hlo_operand(c, i, 0)), out ? tfp_hlo_dim(c, out, -1) : TFP_UNKNOWN);
}

static int64_t of_fft(const tfp_hlo_counter *c, const tfp_hlo_instruction *i)
{
    const tfp_hlo_array *in = tfp_hlo_first_array(c, tfp_hlo_operand(c, i, 0)), *out = tfp_hlo_first_array(c, i);
    if (!in || !out || i->work.fft_points <= 0) return TFP_UNKNOWN;
    bool real_in = tfp_hlo_type_bits(in->type) < tfp_hlo_type_bits(out->type);
    bool real_out = tfp_hlo_type_bits(in->type) > tfp_hlo_type_bits(out->type);
    int64_t points = tfp_hlo_elements(c->m, real_in ? in : out); /* the longer side of a real transform */
    if (points < 0) return TFP_UNKNOWN;
    double n = (double)i->work.fft_points, all = (double)points * (real_in || real_out ? 2.5 : 5) * log2(n);
    return all < 9e18 ? (int64_t)all : TFP_UNKNOWN;
}

/* n * n * n / 3 for each matrix. */
static int64_t of_cholesky(const tfp_hlo_counter *c, const tfp_hlo_instruction *i)
{
    const tfp_hlo_array *a = tfp_hlo_first_array(c, i);
    return tfp_decomposition_flops(tfp_hlo_elements_of(c, i), tfp_hlo_dim(c, a, -1), 1);
}

static int64_t of_triangular(const tfp_hlo_counter *c, const tfp_hlo_instruction *i)
{
    const tfp_hlo_array *a = tfp_hlo_first_array(c, tfp_hlo_operand(c, i, 0));
    return tfp_times(tfp_hlo_elements_of(c, i), tfp_hlo_dim(c, a, -1));
}

/* Float operations of the first called computation, the function of a reduction; 1 when it is missing. */
static int64_t of_function(const tfp_hlo_counter *c, const tfp_hlo_instruction *i, uint32_t k)
{
    uint32_t at = k < i->called_count ? c->m->links.at[i->called_first + k] : TFP_NONE;
    return at == TFP_NONE ? 1 : c->inside[at].flops;
}

static int64_t of_reduce(const tfp_hlo_counter *c, const tfp_hlo_instruction *i)
{
    int64_t in = tfp_hlo_elements_of(c, tfp_hlo_operand(c, i, 0)), out = tfp_hlo_elements_of(c, i);
    if (in < 0 || out < 0) return TFP_UNKNOWN;
    return tfp_times(in > out ? in - out : 0, of_function(c, i, 0));
}

static int64_t less_one(int64_t n) { return n > 0 ? n - 1 : 0; }

/* ---- one instruction ---- */

static int64_t bytes_of(const tfp_hlo_counter *c, const tfp_hlo_instruction *i, byte_rule rule)
{
    int64_t result = tfp_hlo_bytes(c->m, i->shape);
    if (rule == NO_BYTES) return 0;
    if (rule == RESULT_TWICE) return tfp_times(result, 2);
    if (rule == UPDATE_TWICE) {
        const tfp_hlo_instruction *update = tfp_hlo_operand(c, i, 1);
        return update ? tfp_times(tfp_hlo_bytes(c->m, update->shape), 2) : TFP_UNKNOWN;
    }
    for (uint32_t k = 0; k < i->operand_count; k++) {
        const tfp_hlo_instruction *o = tfp_hlo_operand(c, i, k);
        result = tfp_plus(result, o ? tfp_hlo_bytes(c->m, o->shape) : TFP_UNKNOWN);
    }
    return result;
}

static int64_t flops_of(const tfp_hlo_counter *c, const tfp_hlo_instruction *i, cost_rule rule, int64_t *macs)
{
    const tfp_hlo_instruction *first = tfp_hlo_operand(c, i, 0);
    *macs = 0;
    switch (rule) {
    case ELEMENTWISE: return is_float(c, i) ? tfp_hlo_elements_of(c, i) : 0;
    case COMPARE: return is_float(c, first) ? tfp_hlo_elements_of(c, i) : 0;
    case DOT: return tfp_times(*macs = of_dot(c, i), 2);
    case RAGGED_DOT: return tfp_times(*macs = of_ragged_dot(c, i), 2);
    case CONVOLUTION:
        return tfp_times(*macs = tfp_hlo_window_macs(c, i, tfp_hlo_elements_of(c, i),
                                                     tfp_hlo_first_array(c, tfp_hlo_operand(c, i, 1))),
                         2);
    case REDUCE: return of_reduce(c, i);
    case REDUCE_WINDOW:
        return tfp_times(tfp_times(tfp_hlo_elements_of(c, i), less_one(i->work.window)), of_function(c, i, 0));
    case SELECT_AND_SCATTER: /* for each element of the source: choose one of a window, and add to the result */
        return tfp_times(tfp_hlo_elements_of(c, tfp_hlo_operand(c, i, 1)),
                         tfp_plus(tfp_times(less_one(i->work.window), of_function(c, i, 0)), of_function(c, i, 1)));
    case SCATTER:
        return tfp_times(tfp_hlo_elements_of(c, tfp_hlo_operand(c, i, i->operand_count - 1)), of_function(c, i, 0));
    case MAP: return tfp_times(tfp_hlo_elements_of(c, i), of_function(c, i, 0));
    case SORT: return is_float(c, first) ? tfp_sort_flops(tfp_hlo_elements_of(c, first)) : 0;
    case FFT: return of_fft(c, i);
    case CHOLESKY: return of_cholesky(c, i);
    case TRIANGULAR: return of_triangular(c, i);
    case ALL_REDUCE: return is_float(c, i) ? all_elements(c, i) : 0;
    case CUSTOM: return tfp_hlo_custom_flops(c, i, macs);
    default: return 0;
    }
}

/* Adds the sum of a called computation. */
static void take_inside(const tfp_hlo_counter *c, const tfp_hlo_instruction *i, tfp_hlo_cost *cost)
{
    cost->counted = i->called_count > 0;
    for (uint32_t k = 0; k < i->called_count; k++) {
        uint32_t at = c->m->links.at[i->called_first + k];
        if (at == TFP_NONE) {
            cost->counted = false;
            continue;
        }
        cost->flops = tfp_plus(cost->flops, c->inside[at].flops);
        cost->macs = tfp_plus(cost->macs, c->inside[at].macs);
        cost->counted &= c->inside[at].counted;
    }
    if (cost->flops < 0 || cost->macs < 0) cost->counted = false;
}

static void count_instruction(const tfp_hlo_counter *c, tfp_hlo_instruction *i)
{
    const cost_row *row = find_rule(tfp_text(c->b->p, i->opcode));
    tfp_hlo_cost cost = { 0, 0, 0, true };
    if (!row) {
        i->cost = (tfp_hlo_cost){ 0, 0, bytes_of(c, i, EDGES), false };
        return;
    }
    cost.bytes = bytes_of(c, i, row->bytes);
    if (row->rule == INSIDE)
        take_inside(c, i, &cost);
    else
        cost.flops = flops_of(c, i, row->rule, &cost.macs);
    if (cost.flops < 0 || cost.macs < 0) cost.counted = false;
    if (cost.flops < 0) cost.flops = 0;
    if (cost.macs < 0) cost.macs = 0;
    i->cost = cost;
}

/* ---- computations, callees first, without recursion ---- */

static void count_computation(tfp_hlo_counter *c, uint32_t at)
{
    const tfp_hlo_computation *k = &c->m->computations.at[at];
    tfp_hlo_cost sum = { 0, 0, 0, true };
    for (uint32_t i = k->first; i < k->first + k->count; i++) {
        tfp_hlo_instruction *n = &c->m->instructions.at[i];
        count_instruction(c, n);
        sum.flops = tfp_plus(sum.flops, n->cost.flops);
        sum.macs = tfp_plus(sum.macs, n->cost.macs);
        sum.counted &= n->cost.counted;
    }
    c->inside[at] = sum;
}

typedef struct visit {
    uint32_t computation, instruction, call; /* call: the next of its calls to look at */
} visit;

/* The next computation that an instruction of `v` calls and that is not counted yet; TFP_NONE: none. */
static uint32_t next_callee(const tfp_hlo_counter *c, visit *v, const uint8_t *state)
{
    const tfp_hlo_computation *k = &c->m->computations.at[v->computation];
    for (; v->instruction < k->count; v->instruction++, v->call = 0) {
        const tfp_hlo_instruction *i = &c->m->instructions.at[k->first + v->instruction];
        while (v->call < i->called_count) {
            uint32_t at = c->m->links.at[i->called_first + v->call++];
            if (at != TFP_NONE && state[at] == 0) return at;
        }
    }
    return TFP_NONE;
}

bool tfp_hlo_count(const tfp_builder *b, tfp_hlo_module *m)
{
    size_t n = m->computations.size;
    tfp_hlo_counter c = { b, m, calloc(n + 1, sizeof(tfp_hlo_cost)) };
    uint8_t *state =
        calloc(n + 1, 1); /* 1: on the stack, 2: counted. A computation that calls itself uses the sum so far. */
    TFP_VEC(visit) stack = { 0 };
    bool fine = c.inside && state;
    for (uint32_t i = 0; fine && i < n; i++) {
        if (state[i]) continue;
        state[i] = 1;
        fine = tfp_push(&stack, ((visit){ i, 0, 0 }));
        while (fine && stack.size) {
            visit *v = &stack.at[stack.size - 1];
            uint32_t callee = next_callee(&c, v, state);
            if (callee == TFP_NONE) {
                count_computation(&c, v->computation);
                state[v->computation] = 2;
                stack.size--;
            } else {
                state[callee] = 1;
                fine = tfp_push(&stack, ((visit){ callee, 0, 0 }));
            }
        }
    }
    for (size_t i = 0; i < m->instructions.size; i++) m->instructions.at[i].config = (tfp_str){ "", 0 };
    tfp_vec_free(&stack);
    free(state);
    free(c.inside);
    return fine;
}
