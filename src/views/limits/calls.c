// SPDX-License-Identifier: Apache-2.0
/* views/limits/calls.c: the calls of a trace. Each activity of a device belongs to one: to the innermost operator around
 * its launch that has a rule and shapes, otherwise to the innermost operator. Calls of one operator with the same
 * arguments are worked out once. */
#include "model/graphs.h"
#include "model/tables/events.h"
#include "model/tables/lanes.h"
#include "model/tables/read.h"
#include "model/tables/stats.h"
#include "query/groups.h"
#include "query/order.h"
#include "views/core/handle.h"
#include "views/limits/limits.h"
#include "views/spans/trace.h"

enum { LEVELS = 64, UNSEEN = TFP_NONE - 1 }; /* operators around a launch that are looked at */

/* Facts about the activities of a call, as bits. */
enum {
    HAS_GRAPH = 1,
    HAS_TRITON = 2,
    HAS_COLLECTIVE = 4,
    HAS_TRANSFER = 8,
    HAS_TF32 = 16,
    HAS_SET = 32,
    HAS_COPY = 64
};

typedef struct name_facts { /* of a name of an operator or of an activity */
    const struct tfp_traffic_rule *rule;
    uint8_t bits;      /* HAS_... of an activity */
    uint8_t list_size; /* of an activity: bytes of an element, which its name tells; 0: it does not */
    bool seen;
} name_facts;

typedef struct finder {
    tfp_limits *l;
    const tfp_span_columns *s;
    tfp_strid dims, backend; /* keys of stats */
    name_facts *names;       /* by string */
    uint8_t *has_dims;       /* by set of stats: 0: not looked at, 1: no, 2: yes */
    uint32_t *call_of;       /* by span of an operator: index in calls, plus 1 */
    uint32_t *target;        /* by span: the operator whose call launches inside it belong to; UNSEEN */
    uint8_t *bits, *size;    /* by call: HAS_..., list_size */
    tfp_groups kinds;        /* of uint32_t */
    tfp_aten_call call;
} finder;

/* ---- names ---- */

/* Bytes of an element by a kernel on lists of tensors, such as BinaryOpScalarFunctor<float, 1, 1, 0>; 0: unknown. */
static uint8_t functor_size(tfp_str name)
{
    static const struct {
        const char *name;
        uint8_t size;
    } types[] = { { "float,", 4 }, { "c10::BFloat16,", 2 }, { "c10::Half,", 2 }, { "double,", 8 } };
    tfp_str word = TFP_STR("Functor<");
    size_t at = tfp_str_has(name, TFP_STR("multi_tensor_apply_kernel")) ? tfp_str_find(name, word) : SIZE_MAX;
    if (at == SIZE_MAX) return 0;
    tfp_str rest = { name.data + at + word.size, name.size - at - word.size };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (tfp_str_begins(rest, tfp_str_of(types[i].name))) return types[i].size;
    return 0;
}

/* Bytes of an element by a kernel of `cat`: N of OpaqueType<N>; 0: unknown. */
static uint8_t opaque_size(tfp_str name)
{
    tfp_str word = TFP_STR("OpaqueType<");
    size_t at = tfp_str_find(name, word);
    unsigned n = 0;
    for (at += at == SIZE_MAX ? 0 : word.size; at < name.size && tfp_is_digit(name.data[at]) && n < 100; at++)
        n = n * 10 + (unsigned)(name.data[at] - '0');
    return n <= 16 ? (uint8_t)n : 0;
}

static uint8_t bits_of(tfp_str name)
{
    static const char *const to_host[] = {
        "HtoD", "H2D", "HostToDevice", "DtoH", "D2H", "DeviceToHost", "HtoH", "PtoP"
    };
    uint8_t bits = 0;
    if (tfp_str_has_caseless(name, TFP_STR("tf32")) || tfp_str_has(name, TFP_STR("s1688"))) bits |= HAS_TF32;
    if (tfp_str_begins(name, TFP_STR("triton"))) bits |= HAS_TRITON;
    for (size_t i = 0; i < sizeof to_host / sizeof *to_host; i++)
        if (tfp_str_has_caseless(name, tfp_str_of(to_host[i]))) bits |= HAS_TRANSFER;
    return bits;
}

static const name_facts *facts_of(finder *f, tfp_strid name)
{
    name_facts *n = &f->names[name];
    if (n->seen) return n;
    tfp_str text = tfp_text(f->l->p, name);
    uint8_t size = opaque_size(text);
    *n = (name_facts){ tfp_traffic_find(text), bits_of(text), size ? size : functor_size(text), true };
    return n;
}

static tfp_str text_stat(const tfp_profile *p, uint32_t stats, tfp_strid key)
{
    const tfp_event_tables *e = tfp_events_of(p);
    for (uint32_t i = 0; stats != TFP_NONE && key != TFP_NONE && i < e->stat_sets.at[stats].count; i++) {
        const tfp_stat *stat = &e->stats.at[e->stat_sets.at[stats].first + i];
        if (stat->key == key && stat->type == TFP_STAT_TEXT) return tfp_text(p, (tfp_strid)stat->value.text);
    }
    return (tfp_str){ "", 0 };
}

/* Whether the arguments of an operator have a shape. */
static bool has_dims(finder *f, uint32_t stats)
{
    if (stats == TFP_NONE) return false;
    if (!f->has_dims[stats]) {
        tfp_str dims = text_stat(f->l->p, stats, f->dims);
        bool any = false;
        for (size_t i = 0; i < dims.size && !any; i++) any = tfp_is_digit(dims.data[i]);
        f->has_dims[stats] = any ? 2 : 1;
    }
    return f->has_dims[stats] == 2;
}

/* ---- the operator of a launch ---- */

/* Attention inside attention is the outer one's work. */
static uint32_t outer_attention(finder *f, uint32_t inner)
{
    uint32_t at = f->s->parent[inner];
    for (int i = 0; i < 4 && at != TFP_NONE; i++, at = f->s->parent[at]) {
        if (f->s->kind[at] != TFP_SPAN_OP) continue;
        const struct tfp_traffic_rule *rule = facts_of(f, f->s->name[at])->rule;
        if (tfp_traffic_class(rule) == TFP_WORK_ATTENTION && !tfp_traffic_is_inner(rule) &&
            has_dims(f, f->s->stats[at]))
            return at;
    }
    return inner;
}

static uint32_t search(finder *f, uint32_t from)
{
    uint32_t innermost = TFP_NONE, at = from;
    for (int i = 0; i < LEVELS && at != TFP_NONE; i++, at = f->s->parent[at]) {
        if (f->s->kind[at] != TFP_SPAN_OP) continue;
        if (innermost == TFP_NONE) innermost = at;
        const struct tfp_traffic_rule *rule = facts_of(f, f->s->name[at])->rule;
        if (!rule || !has_dims(f, f->s->stats[at])) continue;
        return tfp_traffic_is_inner(rule) ? outer_attention(f, at) : at;
    }
    return innermost;
}

static uint32_t operator_of(finder *f, uint32_t activity)
{
    uint32_t from = f->s->owner[activity];
    if (from == TFP_NONE) from = f->s->launch[activity];
    if (from == TFP_NONE) return TFP_NONE;
    if (f->target[from] == UNSEEN) f->target[from] = search(f, from);
    return f->target[from];
}

/* ---- activities ---- */

static bool is_part(const tfp_limits *l, uint32_t span)
{
    return l->s->kind[span] == TFP_SPAN_ACTIVITY && tfp_lanes_of(l->p)->at[l->s->lane[span]].role != TFP_ROLE_ASYNC &&
           tfp_trace_unit_of(l->x, span) != TFP_NONE && tfp_span_in_step(l->r, span);
}

static uint8_t activity_bits(finder *f, uint32_t span)
{
    uint8_t bits = facts_of(f, f->s->name[span])->bits & (HAS_TRITON | HAS_TF32);
    uint32_t launch = f->s->launch[span];
    unsigned class = f->s->class[span];
    if (class == TFP_CLASS_COMMUNICATION) bits |= HAS_COLLECTIVE;
    if (class == TFP_CLASS_COPY) bits |= HAS_COPY | (facts_of(f, f->s->name[span])->bits & HAS_TRANSFER);
    if (class == TFP_CLASS_SET) bits |= HAS_SET;
    if (launch != TFP_NONE && tfp_is_graph_launch(tfp_text(f->l->p, f->s->name[launch]))) bits |= HAS_GRAPH;
    return bits;
}

/* Adds an activity to its call, which is added if it is new. */
static bool add_part(finder *f, uint32_t span)
{
    tfp_limits *l = f->l;
    uint32_t op = operator_of(f, span), part = (uint32_t)l->parts.size;
    uint32_t call = op == TFP_NONE ? 0 : f->call_of[op];
    if (!call) {
        tfp_limit_call made = { .op = op,
                                .kind = TFP_NONE,
                                .first = part,
                                .last = part,
                                .unit = tfp_trace_unit_of(l->x, span),
                                .step = f->s->step[span] };
        if (!tfp_push(&l->calls, made)) return false;
        call = (uint32_t)l->calls.size;
        if (op != TFP_NONE) f->call_of[op] = call;
        if (op == TFP_NONE)
            l->calls.at[call - 1].why = f->s->launch[span] == TFP_NONE ? TFP_WHY_NO_LAUNCH : TFP_WHY_NO_OP;
    }
    tfp_limit_call *c = &l->calls.at[call - 1];
    if (c->parts++) l->parts.at[c->last].next = part;
    c->last = part;
    c->ns = tfp_add(c->ns, f->s->self_ns[span], NULL);
    l->call_of[span] = call - 1;
    return tfp_push(&l->parts, ((tfp_limit_part){ span, call - 1, TFP_NONE }));
}

static bool add_parts(finder *f)
{
    const tfp_span_columns *s = f->s;
    uint32_t *order = malloc((s->size + 1) * sizeof *order);
    size_t count = 0;
    for (uint32_t i = 0; order && i < s->size; i++)
        if (is_part(f->l, i)) order[count++] = i;
    const tfp_sort_key by_lane[] = { TFP_UP_IN(s->lane), TFP_UP_IN(s->start_ns), { 0 } };
    bool ok = order && tfp_order_items(order, count, by_lane, NULL, 0) && tfp_reserve(&f->l->parts, count + 1);
    for (size_t i = 0; ok && i < count; i++) ok = add_part(f, order[i]);
    free(order);
    return ok;
}

/* ---- kinds ---- */

/* A kernel of Triton reads and writes each tensor that its operator names once. */
static void triton_kind(finder *f, tfp_call_kind *k)
{
    int64_t bytes = 0;
    for (int i = 0; i < f->call.count; i++) {
        const tfp_aten_input *in = &f->call.in[i];
        if (!in->tensor) continue;
        bool sized = in->rank > 0 && in->bytes;
        bytes = !sized || bytes < 0 ? -1 : tfp_add(bytes, tfp_mul(in->elements, in->bytes, NULL), NULL);
    }
    k->why = bytes > 0 ? TFP_JUDGED : TFP_WHY_TRITON;
    k->bytes = bytes > 0 ? bytes : 0;
}

bool tfp_limits_arguments(const tfp_limits *l, const tfp_call_kind *k, tfp_aten_call *out)
{
    const tfp_strtab *strings = tfp_strings_of(l->p);
    const char *const names[] = { "Input Dims", "Input type", "Concrete Inputs", "Input Strides" };
    tfp_str texts[4];
    for (int i = 0; i < 4; i++) texts[i] = text_stat(l->p, k->stats, tfp_strtab_find(strings, tfp_str_of(names[i])));
    if (!tfp_aten_read(out, texts[0], texts[1], texts[2])) return false;
    tfp_aten_read_strides(out, texts[3]);
    return true;
}

static bool keep_tensors(tfp_limits *l, const tfp_traffic *t, tfp_call_kind *k)
{
    k->in_first = (uint32_t)l->inputs.size;
    k->in_count = (uint32_t)t->in_count;
    k->dims_first = (uint32_t)l->dims.size;
    k->rank = (uint32_t)t->rank;
    k->out = t->out;
    for (int i = 0; i < t->in_count; i++)
        if (!tfp_push(&l->inputs, t->in[i])) return false;
    for (int i = 0; i < t->rank; i++)
        if (!tfp_push(&l->dims, t->dims[i])) return false;
    return true;
}

static bool fill_kind(finder *f, tfp_call_kind *k, uint8_t bits, int list_size)
{
    tfp_traffic t;
    k->class = (uint8_t)tfp_traffic_class(k->rule);
    k->why = k->rule ? TFP_WHY_NO_SHAPES : TFP_WHY_NO_RULE;
    bool read = has_dims(f, k->stats) && tfp_limits_arguments(f->l, k, &f->call);
    if (bits & HAS_TRITON) {
        k->why = TFP_WHY_TRITON;
        if (read && tfp_str_eq(text_stat(f->l->p, k->stats, f->backend), TFP_STR("triton"))) triton_kind(f, k);
        return true;
    }
    if (!read || !k->rule) return true;
    tfp_traffic_of(tfp_text(f->l->p, k->name), k->rule, &f->call, list_size, &t);
    k->type = (uint8_t)(t.type == TFP_FLOAT_FP32 && bits & HAS_TF32 ? TFP_FLOAT_TF32 : t.type);
    if (t.bytes < 0 || t.flops < 0) return true;
    k->why = TFP_JUDGED;
    k->flops = t.flops;
    k->bytes = t.bytes;
    k->norm = (uint8_t)t.norm;
    k->in_place = t.in_place;
    k->fusable = t.fusable;
    k->whole = t.whole;
    return keep_tensors(f->l, &t, k);
}

/* Bytes of an element of a call's lists of tensors: as its kernels or its allocation tell. */
static int list_size_of(finder *f, const tfp_limit_call *c, uint8_t size)
{
    const struct tfp_traffic_rule *rule = facts_of(f, f->s->name[c->op])->rule;
    tfp_call_kind k = { .stats = f->s->stats[c->op] };
    if (!tfp_traffic_takes_lists(rule)) return 0;
    if (size || !f->l->memory || !tfp_limits_arguments(f->l, &k, &f->call)) return size;
    int64_t elements = tfp_traffic_listed(rule, &f->call);
    int64_t bytes = elements > 0 ? tfp_limits_allocated(f->l, c->op, elements) : 0;
    /* allocations are rounded up to 512 bytes */
    for (int n = 16; n > 0 && bytes > 0; n /= 2)
        if (elements <= bytes / n && tfp_mul(elements, n, NULL) > bytes - 512) return n;
    return 0;
}

/* The kind of a call; TFP_NONE: out of memory. */
static uint32_t kind_of(finder *f, const tfp_limit_call *c, uint8_t bits, uint8_t size)
{
    tfp_limits *l = f->l;
    tfp_call_kind k = { .name = f->s->name[c->op], .stats = f->s->stats[c->op] };
    k.rule = facts_of(f, k.name)->rule;
    bits &= HAS_TRITON | HAS_TF32;
    uint64_t list = (uint64_t)list_size_of(f, c, size);
    uint32_t *place = TFP_GROUP(&f->kinds, k.name, k.stats, bits, list); /* index in kinds, plus 1 */
    if (!place) return TFP_NONE;
    if (*place) return *place - 1;
    if (!fill_kind(f, &k, bits, (int)list) || !tfp_push(&l->kinds, k)) return TFP_NONE;
    return (*place = (uint32_t)l->kinds.size) - 1;
}

static void no_operator(tfp_limit_call *c, uint8_t bits)
{
    if (bits & HAS_COLLECTIVE) c->why = TFP_WHY_COLLECTIVE;
    if (bits & (HAS_TRANSFER | HAS_SET)) c->why = TFP_WHY_TRANSFER;
    if (bits & HAS_GRAPH) c->why = TFP_WHY_GRAPH;
    if (bits & HAS_TRITON) c->why = TFP_WHY_TRITON;
}

/* A copy from or to the host inside a product or a norm belongs to it; else the call is that copy. */
static bool is_transfer(const tfp_call_kind *k, uint8_t bits)
{
    bool moves = k->class == TFP_WORK_OTHER || k->class == TFP_WORK_MOVEMENT;
    return bits & HAS_TRANSFER && moves;
}

static bool settle_call(finder *f, tfp_limit_call *c, uint8_t bits, uint8_t size)
{
    if (c->op == TFP_NONE) {
        no_operator(c, bits);
    } else {
        if ((c->kind = kind_of(f, c, bits, size)) == TFP_NONE) return false;
        const tfp_call_kind *k = &f->l->kinds.at[c->kind];
        c->class = k->class;
        if (bits & HAS_COLLECTIVE)
            c->why = TFP_WHY_COLLECTIVE;
        else if (is_transfer(k, bits))
            c->why = TFP_WHY_TRANSFER;
        else if (bits & HAS_GRAPH)
            c->why = TFP_WHY_GRAPH;
    }
    if (c->why == TFP_WHY_COLLECTIVE) c->class = TFP_WORK_COLLECTIVE;
    if (c->why == TFP_WHY_TRANSFER) c->class = TFP_WORK_TRANSFER;
    return true;
}

static bool settle(finder *f)
{
    tfp_limits *l = f->l;
    for (size_t i = 0; i < l->parts.size; i++) {
        const tfp_limit_part *part = &l->parts.at[i];
        f->bits[part->call] |= activity_bits(f, part->span);
        uint8_t size = facts_of(f, f->s->name[part->span])->list_size;
        if (size) f->size[part->call] = size;
    }
    for (size_t i = 0; i < l->calls.size; i++)
        if (!settle_call(f, &l->calls.at[i], f->bits[i], f->size[i])) return false;
    return true;
}

bool tfp_limits_find_calls(tfp_limits *l)
{
    const tfp_strtab *strings = tfp_strings_of(l->p);
    size_t count = l->s->size + 1;
    finder f = { .l = l,
                 .s = l->s,
                 .kinds = { .row_size = sizeof(uint32_t) },
                 .dims = tfp_strtab_find(strings, TFP_STR("Input Dims")),
                 .backend = tfp_strtab_find(strings, TFP_STR("kernel_backend")),
                 .names = calloc(strings->count + 1, sizeof *f.names),
                 .has_dims = calloc(tfp_events_of(l->p)->stat_sets.size + 1, 1),
                 .call_of = calloc(count, sizeof *f.call_of),
                 .target = malloc(count * sizeof *f.target) };
    l->call_of = malloc(count * sizeof *l->call_of);
    bool ok = f.names && f.has_dims && f.call_of && f.target && l->call_of;
    for (size_t i = 0; ok && i < count; i++) f.target[i] = UNSEEN, l->call_of[i] = TFP_NONE;
    ok = ok && add_parts(&f);
    f.bits = ok ? calloc(l->calls.size + 1, 1) : NULL;
    f.size = ok ? calloc(l->calls.size + 1, 1) : NULL;
    ok = ok && f.bits && f.size && settle(&f);
    free(f.names);
    free(f.has_dims);
    free(f.call_of);
    free(f.target);
    free(f.bits);
    free(f.size);
    tfp_groups_free(&f.kinds);
    return ok;
}
