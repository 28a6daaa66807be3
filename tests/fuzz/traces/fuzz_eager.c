// SPDX-License-Identifier: Apache-2.0
/* tests/fuzz/traces/fuzz_eager.c: places from runs without graphs (--eager_path), beside a slow program of the same
 * rules. Rows of bytes, each ended by 255: a sequence, then passes. The first byte of a row is its phase. In each other
 * byte the low half selects the name of an activity, and the high half the place of its launch. */
#include "drive.h"
#include "model/graphs/eager.h"

#include <stdio.h>
#include <stdlib.h>

enum { ITEMS_MOST = 40, LAUNCHES_MOST = 150, PASSES_MOST = 4, END = 255 };
enum { KERNEL, COPY, SET };
enum { UNKNOWN, COLLECTIVE, MATMUL, ATTENTION, NORM, ELEMENTWISE };

/* ---- what the bytes mean ---- */

typedef struct named {
    const char *text;
    unsigned as, kind, family; /* as: names with the same number are compared as equal */
} named;
static const named names[16] = {
    { "gemm_a", 0, KERNEL, MATMUL },
    { "gemm_a.kd", 0, KERNEL, MATMUL },
    { "triton_poi_fused_0", 1, KERNEL, UNKNOWN },
    { "triton_poi_fused_12.kd", 1, KERNEL, UNKNOWN },
    { "triton_poi_fused", 1, KERNEL, UNKNOWN },
    { "plain_0", 2, KERNEL, UNKNOWN },
    { "plain_1", 3, KERNEL, UNKNOWN },
    { "ncclDevKernel_AllReduce", 4, KERNEL, COLLECTIVE },
    { "flash_fwd", 5, KERNEL, ATTENTION },
    { "Memcpy DtoD", 6, COPY, UNKNOWN },
    { "Memset", 7, SET, UNKNOWN },
    { "rms_norm_kernel", 8, KERNEL, NORM },
    { "cutlass_b", 9, KERNEL, MATMUL },
    { "elementwise_kernel", 10, KERNEL, ELEMENTWISE },
    { "mine", 11, KERNEL, UNKNOWN },
    { "MemcpyHtoD", 12, COPY, UNKNOWN },
};

typedef struct spot {
    const char *modules, *op, *line; /* line "": unknown */
    unsigned family;                 /* of the op */
} spot;
static const spot spots[16] = {
    { "", "aten::mm", "", MATMUL },
    { "M", "aten::mm", "m.py:1:f", MATMUL },
    { "M/A", "aten::mm", "m.py:1:f", MATMUL },
    { "M/A", "aten::mm", "m.py:2:f", MATMUL },
    { "M/A", "my::op", "m.py:2:f", UNKNOWN },
    { "M/AB", "my::op", "m.py:2:f", UNKNOWN },
    { "M/A/x", "my::op", "m.py:3:g", UNKNOWN },
    { "M/A/y", "c10d::allreduce_", "m.py:3:g", COLLECTIVE },
    { "M/B", "aten::add_", "m.py:4:g", ELEMENTWISE },
    { "M/B/x", "aten::rms_norm", "m.py:4:g", NORM },
    { "M/B/x", "my::attention", "", ATTENTION },
    { "N", "my::op", "", UNKNOWN },
    { "N/A", "aten::mm", "n.py:1:f", MATMUL },
    { "N/A", "aten::add_", "n.py:1:f", ELEMENTWISE },
    { "", "cudaMemcpyAsync", "", UNKNOWN },
    { "", "my::op", "n.py:2:f", UNKNOWN },
};

typedef struct row {
    unsigned phase, count;
    const uint8_t *at;
} row;

typedef struct given {
    row sequence, passes[PASSES_MOST];
    unsigned count; /* of passes */
} given;

static const named *name_of(const row *r, unsigned i) { return &names[r->at[i] & 15]; }

static const spot *spot_of(const row *r, unsigned i) { return &spots[r->at[i] >> 4]; }

/* Takes the bytes before the next END. */
static row next_row(const uint8_t **data, size_t *size, unsigned most)
{
    const uint8_t *end = *size ? memchr(*data, END, *size) : NULL;
    size_t length = end ? (size_t)(end - *data) : *size;
    row r = { length ? **data % 3 : 0, length ? (unsigned)length - 1 : 0, *data + (length > 0) };
    if (length > most) r.count = most;
    *data += length + (end != NULL);
    *size -= length + (end != NULL);
    return r;
}

/* ---- the slow program ---- */

typedef struct answer {
    enum { NO_MATCH_FOUND, UNCERTAIN, SHARED, SIMILAR, EAGER } class;
    const char *modules, *op, *line;
    unsigned length;    /* of the text of modules */
    unsigned low, high; /* the first and last position in the pass */
    bool used;          /* every longest common subsequence has it, or its gap has been filled */
} answer;

/* Lengths of longest common subsequences. */
typedef struct table {
    unsigned before[ITEMS_MOST + 1][LAUNCHES_MOST + 1]; /* of the first i items and the first j launches */
    unsigned behind[ITEMS_MOST + 1][LAUNCHES_MOST + 1]; /* of the items from i on and the launches from j on */
} table;

static unsigned larger(unsigned a, unsigned b) { return a > b ? a : b; }

static bool equal(const row *a, unsigned i, const row *b, unsigned j) { return name_of(a, i)->as == name_of(b, j)->as; }

static void fill(const row *a, const row *b, table *t)
{
    memset(t, 0, sizeof *t);
    for (unsigned i = 1; i <= a->count; i++)
        for (unsigned j = 1; j <= b->count; j++)
            t->before[i][j] = equal(a, i - 1, b, j - 1) ? t->before[i - 1][j - 1] + 1
                                                        : larger(t->before[i - 1][j], t->before[i][j - 1]);
    for (unsigned i = a->count; i-- > 0;)
        for (unsigned j = b->count; j-- > 0;)
            t->behind[i][j] =
                equal(a, i, b, j) ? t->behind[i + 1][j + 1] + 1 : larger(t->behind[i + 1][j], t->behind[i][j + 1]);
}

/* The length of a longest common subsequence without one of the items. */
static unsigned length_without(const row *a, unsigned item, const row *b)
{
    unsigned last[LAUNCHES_MOST + 1] = { 0 }, now[LAUNCHES_MOST + 1] = { 0 };
    for (unsigned i = 0; i < a->count; i++) {
        if (i == item) continue;
        for (unsigned j = 1; j <= b->count; j++)
            now[j] = equal(a, i, b, j - 1) ? last[j - 1] + 1 : larger(last[j], now[j - 1]);
        memcpy(last, now, sizeof last);
    }
    return last[b->count];
}

/* How many bytes of the first text are the names that both begin with. */
static unsigned shared(const char *a, unsigned length, const char *b, unsigned other)
{
    unsigned same = 0;
    for (unsigned i = 0; i <= length && i <= other; i++) {
        if ((i == length || a[i] == '/') && (i == other || b[i] == '/')) same = i;
        if (i == length || i == other || a[i] != b[i]) break;
    }
    return same;
}

static void take(answer *to, const row *pass, unsigned position, int class)
{
    const spot *s = spot_of(pass, position);
    *to = (answer){ class, s->modules, s->op, s->line, (unsigned)strlen(s->modules), position, position, true };
}

/* Takes one more position of an item. */
static void take_another(answer *to, const row *pass, unsigned position)
{
    const spot *s = spot_of(pass, position), *first = spot_of(pass, to->low);
    bool op = !strcmp(s->op, first->op), line = !strcmp(s->line, first->line);
    to->high = position;
    if (!op || !line || strcmp(s->modules, first->modules)) to->class = SHARED;
    to->length = shared(to->modules, to->length, s->modules, (unsigned)strlen(s->modules));
    if (!op) to->op = "";
    if (!line) to->line = "";
}

static bool is_empty(const answer *a) { return !a->length && !*a->op && !*a->line; }

/* 1: the op of the launch agrees with the kernel; 0: says nothing; -1: contradicts. */
static int agreement(const row *pass, unsigned j, const row *sequence, unsigned i)
{
    const named *kernel = name_of(sequence, i);
    unsigned op = spot_of(pass, j)->family;
    if (name_of(pass, j)->kind != kernel->kind) return -1;
    if (kernel->kind != KERNEL || (op == kernel->family && op)) return 1;
    if (!op || !kernel->family) return 0;
    if (op == COLLECTIVE || kernel->family == COLLECTIVE) return -1;
    if (op == ATTENTION || kernel->family == ATTENTION) return 0;
    return op == MATMUL || kernel->family == MATMUL ? -1 : 0;
}

/* Fills the gap between two used items; first 0 or end the number of items: there is none on that side. */
static void fill_gap(const row *sequence, const row *pass, answer *out, unsigned first, unsigned end)
{
    const answer *left = first ? &out[first - 1] : NULL, *right = end < sequence->count ? &out[end] : NULL;
    unsigned k = end - first;
    int from = left ? (int)left->high + 1 : 0, to = right ? (int)right->low : (int)pass->count, least = 0;
    bool known = (left || right) && (!left || left->low == left->high) && (!right || right->low == right->high);
    if (known && to - from > (int)k && !(left && right)) { /* an end of the sequence, where the pass goes on */
        from = left ? from : to - (int)k;
        to = from + (int)k;
        least = 1;
    }
    known = known && to - from == (int)k;
    for (unsigned i = 0; known && i < k; i++) known = agreement(pass, (unsigned)from + i, sequence, first + i) >= least;
    for (unsigned i = first; i < end; i++) {
        if (known) {
            take(&out[i], pass, (unsigned)from + i - first, SIMILAR);
            continue;
        }
        out[i] = (answer){ UNCERTAIN, "", "", "", 0, 0, 0, false };
        if (!left || !right) continue;
        out[i].modules = left->modules;
        out[i].length = shared(left->modules, left->length, right->modules, right->length);
        if (out[i].length) out[i].class = SHARED;
    }
}

/* Lays the sequence over a pass. Returns how many items have one place. */
static unsigned lay(const row *sequence, const row *pass, const table *t, answer *out)
{
    unsigned all = t->before[sequence->count][pass->count], placed = 0;
    for (unsigned i = 0; i < sequence->count; i++) {
        out[i] = (answer){ UNCERTAIN, "", "", "", 0, 0, 0, false };
        if (length_without(sequence, i, pass) == all) continue;
        for (unsigned j = 0; j < pass->count; j++) {
            if (!equal(sequence, i, pass, j) || t->before[i][j] + 1 + t->behind[i + 1][j + 1] != all) continue;
            if (out[i].used)
                take_another(&out[i], pass, j);
            else
                take(&out[i], pass, j, EAGER);
        }
    }
    for (unsigned i = 0, end; i < sequence->count; i = end + 1) {
        for (end = i; end < sequence->count && !out[end].used; end++) {}
        if (end > i) fill_gap(sequence, pass, out, i, end);
    }
    for (unsigned i = 0; i < sequence->count; i++) {
        if (out[i].class == SHARED && is_empty(&out[i])) out[i].class = UNCERTAIN;
        placed += out[i].class >= SIMILAR;
    }
    return placed;
}

/* Answers for the best pass. Returns how many items have one place. */
static unsigned place(const given *g, answer *out, unsigned *length)
{
    static table tables[PASSES_MOST];
    answer now[ITEMS_MOST];
    unsigned n = g->sequence.count, lengths[PASSES_MOST], same = 0, other = 0, most = 0;
    bool fits, any = false;
    for (unsigned p = 0; p < g->count; p++) {
        fill(&g->sequence, &g->passes[p], &tables[p]);
        lengths[p] = tables[p].before[n][g->passes[p].count];
        unsigned *longest = g->passes[p].phase == g->sequence.phase ? &same : &other;
        *longest = larger(*longest, lengths[p]);
    }
    fits = 2 * same >= n;
    *length = fits ? same : larger(same, other);
    for (unsigned i = 0; i < n; i++) out[i] = (answer){ NO_MATCH_FOUND, "", "", "", 0, 0, 0, false };
    for (unsigned p = 0; p < g->count && 2 * *length >= n; p++) {
        if ((g->passes[p].phase == g->sequence.phase) != fits || lengths[p] != *length) continue;
        unsigned placed = lay(&g->sequence, &g->passes[p], &tables[p], now);
        if (any && placed <= most) continue;
        any = true;
        most = placed;
        memcpy(out, now, sizeof now);
    }
    return most;
}

/* ---- the program itself ---- */

static uint32_t place_of(tfp_builder *b, const char *modules)
{
    uint32_t at = 0;
    for (size_t n; *modules; modules += n + (modules[n] == '/')) {
        n = strcspn(modules, "/");
        at = tfp_graph_place_below(b, at, tfp_build_made_string(b, (tfp_str){ modules, n }));
    }
    return at;
}

static bool add_pass(tfp_builder *b, const row *pass)
{
    tfp_graph_tables *g = b->p->captures;
    tfp_eager_pass p = { .first = (uint32_t)g->eager.size, .count = pass->count, .phase = (uint8_t)pass->phase };
    for (unsigned i = 0; i < pass->count; i++) {
        const spot *s = spot_of(pass, i);
        tfp_str name = tfp_str_of(name_of(pass, i)->text), op = tfp_str_of(s->op);
        tfp_captured_launch l = { .modules = place_of(b, s->modules), .trace = TFP_NONE, .call = TFP_NONE };
        l.sign.kernel = tfp_eager_name(b, name);
        l.sign.kind = (uint8_t)tfp_kind_of_name(name);
        l.sign.family = (uint8_t)tfp_family_of_op(op);
        l.op = tfp_build_made_string(b, op);
        l.line = *s->line ? tfp_build_made_string(b, tfp_str_of(s->line)) : 0;
        l.place = tfp_graph_place_below(b, l.modules, l.op);
        if (!tfp_push(&g->eager, l)) return false;
    }
    return tfp_push(&g->passes, p) && !b->status;
}

static bool says(const tfp_builder *b, tfp_strid id, const char *text, size_t length)
{
    tfp_str s = id ? tfp_text(b->p, id) : TFP_STR("");
    return s.size == length && (!length || memcmp(s.data, text, length) == 0);
}

static void compare(tfp_builder *b, const tfp_eager_row *r, const answer *wanted, unsigned item)
{
    static const uint8_t classes[] = { [NO_MATCH_FOUND] = TFP_SURE_BY_NONE,
                                       [UNCERTAIN] = TFP_SURE_BY_NONE,
                                       [SHARED] = TFP_SURE_BY_PARTIAL,
                                       [SIMILAR] = TFP_SURE_BY_SIMILAR,
                                       [EAGER] = TFP_SURE_BY_EAGER };
    const tfp_captured_launch *l = r->launch == TFP_NONE ? NULL : &b->p->captures->eager.at[r->launch];
    tfp_strid op = l && r->op ? l->op : 0, line = l && r->line ? l->line : 0;
    bool nothing = r->certainty == TFP_SURE_BY_PARTIAL && !r->modules && !op && !line; /* as the join tells it */
    uint8_t class = nothing ? TFP_SURE_BY_NONE : r->certainty;
    bool ok = class == classes[wanted->class];
    if (ok && class == TFP_SURE_BY_NONE)
        ok = nothing ? wanted->class == UNCERTAIN
                     : r->reason == (wanted->class == UNCERTAIN ? TFP_AMBIGUOUS : TFP_NO_MATCH);
    else if (ok)
        ok = says(b, tfp_graph_place_text(b, r->modules), wanted->modules, wanted->length) &&
             says(b, op, wanted->op, strlen(wanted->op)) && says(b, line, wanted->line, strlen(wanted->line));
    if (ok) return;
    fprintf(stderr, "broken promise: item %u has certainty %u, op %u, line %u; wanted %d, \"%.*s\" \"%s\" \"%s\"\n",
            item, class, op, line, (int)wanted->class, (int)wanted->length, wanted->modules, wanted->op, wanted->line);
    abort();
}

static void check(tfp_builder *b, const given *g)
{
    tfp_graph_sign signs[ITEMS_MOST] = { { 0 } };
    tfp_eager_row rows[ITEMS_MOST];
    answer wanted[ITEMS_MOST];
    tfp_eager_fit fit;
    unsigned n = g->sequence.count, length, most = place(g, wanted, &length);
    for (unsigned i = 0; i < n; i++) {
        tfp_str name = tfp_str_of(name_of(&g->sequence, i)->text);
        signs[i].kernel = tfp_build_made_string(b, name);
        signs[i].kind = (uint8_t)tfp_kind_of_name(name);
        signs[i].family = (uint8_t)tfp_family_of_kernel(name);
    }
    for (unsigned p = 0; p < g->count; p++)
        if (!add_pass(b, &g->passes[p])) return;
    size_t placed = tfp_eager_place(b, signs, n, g->sequence.phase, rows, &fit);
    if (b->status) return;
    for (unsigned i = 0; i < n; i++) compare(b, &rows[i], &wanted[i], i);
    if (placed == most && !fit.too_big && fit.share == (double)length / n) return;
    fprintf(stderr, "broken promise: %zu places, wanted %u; share %g, wanted %u of %u\n", placed, most, fit.share,
            length, n);
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    given g = { .sequence = next_row(&data, &size, ITEMS_MOST) };
    while (size && g.count < PASSES_MOST) {
        g.passes[g.count] = next_row(&data, &size, LAUNCHES_MOST);
        g.count += g.passes[g.count].count > 0;
    }
    tfp_profile *p = g.sequence.count && g.count ? tfp_profile_new() : NULL;
    if (!p) return 0;
    tfp_builder b = { .p = p, .file = "eager" };
    check(&b, &g);
    tfp_profile_free(p);
    return 0;
}
