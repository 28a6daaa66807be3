// SPDX-License-Identifier: Apache-2.0
/* flops/aten/traffic.c: the compulsory traffic of PyTorch's operators: what a call must read and write once. The table
 * itself is traffic.def. A tensor counts by its own size: an expanded dimension has stride 0 and counts as 1. Scalars
 * and tensors without dimensions count nothing. */
#include "flops/aten/traffic_rules.h"

const char *const tfp_work_class_names[TFP_WORK_CLASSES] = { "other",         "product",   "convolution", "attention",
                                                             "normalization", "reduction", "elementwise", "movement",
                                                             "collective",    "transfer" };

/* ---- types of results ---- */

static int category(unsigned scalar)
{
    switch (scalar) {
    case TFP_SCALAR_BOOL: return 0;
    case TFP_SCALAR_UINT8:
    case TFP_SCALAR_INT8:
    case TFP_SCALAR_INT16:
    case TFP_SCALAR_INT32:
    case TFP_SCALAR_INT64: return 1;
    case TFP_SCALAR_COMPLEX_HALF:
    case TFP_SCALAR_COMPLEX_FLOAT:
    case TFP_SCALAR_COMPLEX_DOUBLE: return 3;
    default: return 2;
    }
}

/* The type that PyTorch converts two types to. */
static unsigned promoted(unsigned a, unsigned b)
{
    int x = category(a), y = category(b);
    if (a == b || x != y) return x >= y ? a : b;
    int size = tfp_scalar_bytes(a), other = tfp_scalar_bytes(b);
    if (size == other) return x == 2 ? TFP_SCALAR_FLOAT : x == 1 ? TFP_SCALAR_INT16 : a;
    return size > other ? a : b;
}

/* Of the arguments from `first` on. Tensors without dimensions count only if there is no other of their category. */
static unsigned result_type(const tfp_aten_call *c, int first)
{
    unsigned with = TFP_SCALAR_TYPES, without = TFP_SCALAR_TYPES;
    for (int i = first; i < c->count; i++) {
        const tfp_aten_input *in = &c->in[i];
        if (!in->tensor) continue;
        if (in->scalar_type == TFP_SCALAR_TYPES) return TFP_SCALAR_TYPES;
        unsigned *to = in->rank ? &with : &without;
        *to = *to == TFP_SCALAR_TYPES ? in->scalar_type : promoted(*to, in->scalar_type);
    }
    if (with == TFP_SCALAR_TYPES) return without;
    return without != TFP_SCALAR_TYPES && category(without) > category(with) ? without : with;
}

/* ---- elements ---- */

/* The shape that all tensors broadcast to; false: a dimension is unknown. */
static bool broadcast(const tfp_aten_call *c, int *rank, int64_t *dims)
{
    *rank = 0;
    for (int i = 0; i < c->count; i++)
        if (c->in[i].tensor && c->in[i].rank > *rank) *rank = c->in[i].rank;
    for (int d = 0; d < *rank; d++) {
        dims[d] = 1;
        for (int i = 0; i < c->count; i++) {
            const tfp_aten_input *in = &c->in[i];
            int at = d - (*rank - in->rank);
            if (!in->tensor || at < 0 || in->dims[at] == 1) continue;
            if (in->dims[at] < 0) return false;
            dims[d] = in->dims[at];
        }
    }
    return true;
}

static void elementwise(tfp_traffic_work *w, int how)
{
    int64_t dims[TFP_ATEN_RANK];
    int rank;
    const tfp_aten_input *first = arg(w->c, 0);
    w->t->norm = how & NORM_PART;
    tfp_traffic_reads_all(w);
    unsigned type = how & MAKES_BOOL ? TFP_SCALAR_BOOL : result_type(w->c, how & CHOOSES ? 1 : 0);
    if (how & MAKES_FLOATS && type != TFP_SCALAR_TYPES && category(type) < 2) type = TFP_SCALAR_FLOAT;
    if (how & AS_FIRST) type = first->scalar_type;
    if (w->in_place)
        tfp_traffic_writes_as(w, first);
    else if (broadcast(w->c, &rank, dims))
        tfp_traffic_writes(w, rank, dims, type);
    else
        w->t->bytes = UNKNOWN;
    if (how & WITH_MASK) w->t->bytes = tfp_plus(w->t->bytes, w->t->out.elements);
}

static void copy(tfp_traffic_work *w, int how)
{
    (void)how;
    tfp_traffic_reads(w, arg(w->c, 1));
    tfp_traffic_writes_as(w, arg(w->c, 0));
}

static void fill(tfp_traffic_work *w, int how)
{
    (void)how;
    if (w->in_place)
        tfp_traffic_writes_as(w, arg(w->c, 0));
    else
        w->t->bytes = UNKNOWN;
}

static void norm(tfp_traffic_work *w, int how)
{
    (void)how;
    tfp_traffic_reads_all(w);
    tfp_traffic_writes_as(w, arg(w->c, 0));
}

static void softmax(tfp_traffic_work *w, int how)
{
    (void)how;
    const tfp_aten_input *x = arg(w->c, 0);
    bool wider = tfp_str_eq(arg(w->c, 2)->value, TFP_STR("True"));
    tfp_traffic_reads(w, x);
    tfp_traffic_writes(w, x->rank, x->dims, wider ? TFP_SCALAR_FLOAT : x->scalar_type);
}

/* ---- reductions ---- */

/* Leaves the dims that stay; false: unknown. */
static bool reduced(const tfp_traffic_work *w, int how, int *rank, int64_t *dims)
{
    const tfp_aten_input *x = arg(w->c, 0), *of = arg(w->c, how & ARGUMENT),
                         *keep = arg(w->c, (how & ARGUMENT) + (how & KEEPS_THIRD ? 2 : 1));
    int64_t list[TFP_ATEN_RANK];
    bool gone[TFP_ATEN_RANK] = { false }, kept = tfp_str_eq(keep->value, TFP_STR("True"));
    *rank = 0;
    if (w->c->count <= (how & ARGUMENT) + 1) return true; /* the form without dimensions */
    if (!of->value.data || !keep->value.data) return false;
    int count = tfp_aten_numbers(of, list, TFP_ATEN_RANK);
    for (int i = 0; i < count; i++) {
        int64_t at = list[i] < 0 ? list[i] + x->rank : list[i];
        if (at < 0 || at >= x->rank) return false;
        gone[at] = true;
    }
    for (int i = 0; i < x->rank; i++) {
        bool reduces = gone[i] || !count;
        if (!reduces || kept) dims[(*rank)++] = reduces ? 1 : x->dims[i];
    }
    return true;
}

static void reduction(tfp_traffic_work *w, int how)
{
    int64_t dims[TFP_ATEN_RANK];
    int rank;
    const tfp_aten_input *x = arg(w->c, 0);
    if (how & WITH_INDEXES &&
        arg(w->c, 1)->tensor) { /* max and min of two tensors have no indexes: they work element by element */
        elementwise(w, 0);
        return;
    }
    unsigned type = how & MAKES_BOOL                                        ? TFP_SCALAR_BOOL
                    : how & MAKES_LONG                                      ? TFP_SCALAR_INT64
                    : category(x->scalar_type) < 2 && !(how & WITH_INDEXES) ? TFP_SCALAR_INT64
                                                                            : x->scalar_type;
    if ((how & ~ARGUMENT) == 0 && (how & ARGUMENT) == 1) type = tfp_traffic_type(w->c, 3, type);
    tfp_traffic_reads(w, x);
    if (!x->tensor || !reduced(w, how, &rank, dims)) {
        w->t->bytes = UNKNOWN;
        return;
    }
    tfp_traffic_writes(w, rank, dims, type);
    w->t->whole = w->t->out.elements == 1;
    if (how & WITH_INDEXES && w->c->count > 1) w->t->bytes = tfp_plus(w->t->bytes, tfp_times(w->t->out.elements, 8));
}

/* ---- movement ---- */

static void gather(tfp_traffic_work *w, int how)
{
    const tfp_aten_input *x = arg(w->c, 0), *index = arg(w->c, how & ROWS_OF_TABLE ? 1 : how & ARGUMENT);
    int64_t dims[TFP_ATEN_RANK], at;
    int rank = index->rank;
    memcpy(dims, index->dims, sizeof dims);
    if (how & ROWS_OF_TABLE) {
        for (int i = 1; i < x->rank && rank < TFP_ATEN_RANK; i++) dims[rank++] = x->dims[i];
    } else if (how & ALONG) {
        bool known = tfp_parse_int64(arg(w->c, 1)->value, &at);
        if (known && at < 0) at += x->rank;
        if (!known || at < 0 || at >= x->rank) x = arg(w->c, TFP_ATEN_INPUTS);
        memcpy(dims, x->dims, sizeof dims);
        if (x->tensor) dims[at] = index->elements;
        rank = x->rank;
    }
    tfp_traffic_reads(w, index);
    if (!x->tensor || !index->tensor) {
        w->t->bytes = UNKNOWN;
        return;
    }
    tfp_traffic_writes(w, rank, dims, x->scalar_type);
    if (w->t->in_count < TFP_TRAFFIC_INPUTS) w->t->in[w->t->in_count++] = w->t->out; /* the rows that are read */
    w->t->bytes = tfp_plus(w->t->bytes, w->t->out.bytes);
}

/* ---- the table ---- */

#define product tfp_traffic_multiply
#define linear tfp_traffic_linear
#define convolution tfp_traffic_convolution
#define convolution_backward tfp_traffic_convolution_backward
#define attention tfp_traffic_attention
#define attention_backward tfp_traffic_attention_backward
#define grouped tfp_traffic_grouped
#define cat tfp_traffic_cat
#define each tfp_traffic_each
#define indexed tfp_traffic_index
#define pool tfp_traffic_pool
#define pool_backward tfp_traffic_pool_backward
#define resize tfp_traffic_resize
#define sort tfp_traffic_sort
static const tfp_traffic_rule rules[] = {
#include "flops/aten/traffic.def"
};

static const tfp_traffic_rule *find(tfp_str name, bool *in_place)
{
    return tfp_aten_row(name, rules, sizeof rules / sizeof *rules, sizeof *rules, in_place);
}

const tfp_traffic_rule *tfp_traffic_find(tfp_str name)
{
    bool in_place;
    return find(name, &in_place);
}

tfp_work_class tfp_traffic_class(const tfp_traffic_rule *r) { return r ? r->class : TFP_WORK_OTHER; }

bool tfp_traffic_is_inner(const tfp_traffic_rule *r)
{
    return r && r->class == TFP_WORK_ATTENTION && r->how & LENGTH_FIRST;
}

bool tfp_traffic_takes_lists(const tfp_traffic_rule *r) { return r && (r->of == cat || r->of == each); }

int64_t tfp_traffic_listed(const tfp_traffic_rule *r, const tfp_aten_call *c)
{
    return tfp_traffic_takes_lists(r) && c->count && c->in[0].list ? c->in[0].elements : 0;
}

/* Float operations of elements: those of `flops`; 0: it only moves them. */
static int64_t steps_of(tfp_str name, const tfp_aten_call *c)
{
    const tfp_aten_rule *r = tfp_aten_find(name);
    return r && r->count ? r->count(c, r).flops : 0;
}

void tfp_traffic_of(tfp_str name, const tfp_traffic_rule *r, const tfp_aten_call *c, int list_size, tfp_traffic *out)
{
    memset(out, 0, sizeof *out);
    out->type = tfp_aten_type(c);
    out->flops = out->bytes = UNKNOWN;
    if (!r) return;
    tfp_traffic_work w = { .c = c, .t = out, .list_size = list_size };
    find(name, &w.in_place);
    out->bytes = 0;
    out->in_place = w.in_place;
    out->class = r->class;
    r->of(&w, r->how);
    bool moves = r->of == copy || r->of == cat;
    bool alone = r->of == pool || r->of == pool_backward || r->of == resize || r->of == each; /* no part of a chain */
    out->fusable = moves || (!alone && r->class >= TFP_WORK_NORMALIZATION && r->class <= TFP_WORK_ELEMENTWISE);
    if (r->class >= TFP_WORK_NORMALIZATION) out->flops = steps_of(name, c);
}
