// SPDX-License-Identifier: Apache-2.0
/* whatif/job/collectives.c: matches the collectives of all ranks, and finds one clock for ranks that have collectives in common: a
 * collective ends on all of them at the same time. */
#include "model/tables/read.h"
#include "model/tables/spans.h"
#include "model/tables/stats.h"
#include "query/groups.h"
#include "query/order.h"
#include "views/spans/trace.h"
#include "whatif/job/job.h"

#include <math.h>

typedef struct member {
    uint64_t key;
    uint32_t number; /* number among those with the key on its rank */
    uint32_t activity;
} member;

typedef struct stat_keys {
    tfp_strid group, ranks, name, source, target, sequence, elements;
} stat_keys;

/* One collective on two ranks: the difference of its ends, and the bounds that its starts give. */
typedef struct pair {
    uint32_t a, b; /* -> units */
    double difference, low, high;
} pair;

typedef struct matching {
    tfp_job *j;
    stat_keys keys;
    TFP_VEC(member) members;
    TFP_VEC(pair) pairs;
    bool *uneven;      /* for each string: host collectives whose number differs between ranks */
    bool only_sided;   /* no collective waits on all of its ranks */
    uint32_t *parent;  /* for each unit: a unit of the same island */
    double *to_parent; /* added to a time to get that of its parent */
} matching;

static uint64_t mix(const matching *m, uint64_t hash, uint32_t span, tfp_strid key)
{
    const tfp_stat *stat = tfp_span_stat(m->j->p, span, key);
    uint64_t value[3] = { hash, stat ? stat->type + 1 : 0, stat ? stat->value.text : 0 };
    return tfp_hash(value, sizeof value);
}

/* The key that one collective has on all of its ranks. */
static uint64_t key_of(const matching *m, const tfp_job_activity *a)
{
    const tfp_profile *p = m->j->p;
    bool sent = tfp_span_stat(p, a->span, m->keys.source) && tfp_span_stat(p, a->span, m->keys.target);
    bool counted = tfp_span_stat(p, a->span, m->keys.sequence) != NULL;
    uint64_t hash = mix(m, sent, a->span, m->keys.group);
    if (sent) {
        hash = mix(m, mix(m, hash, a->span, m->keys.source), a->span, m->keys.target);
    } else {
        hash = mix(m, mix(m, hash, a->span, m->keys.ranks), a->span, m->keys.name);
        if (!tfp_span_stat(p, a->span, m->keys.name)) hash += m->j->s->name[a->span];
    }
    if (counted) return mix(m, hash, a->span, m->keys.sequence);
    uint64_t more[3] = { hash, a->step == TFP_NONE ? UINT64_MAX : a->step, sent ? 0 : m->j->s->name[a->span] };
    return mix(m, tfp_hash(more, sizeof more), a->span, m->keys.elements);
}

/* Adds an activity as the next one with this key on its unit. */
static bool add_member(matching *m, tfp_groups *numbers, uint64_t key, uint32_t activity)
{
    uint32_t *next = TFP_GROUP(numbers, m->j->activities[activity].unit, key);
    return next && tfp_push(&m->members, ((member){ key, (*next)++, activity }));
}

static bool collect(matching *m)
{
    tfp_job *j = m->j;
    tfp_groups numbers = { .row_size = sizeof(uint32_t) };
    bool ok = true;
    for (uint32_t s = 0; ok && s < j->streams.count; s++) {
        const tfp_job_stream *stream = &j->streams.list[s];
        for (uint32_t i = stream->first; ok && i < stream->first + stream->count; i++)
            ok = !j->activities[i].collective || add_member(m, &numbers, key_of(m, &j->activities[i]), i);
    }
    tfp_groups_free(&numbers);
    return ok;
}

/* ---- those of hosts: the n-th of a name, which have no numbers of their own ---- */

static bool find_uneven(matching *m)
{
    const tfp_job *j = m->j;
    tfp_groups counts = { .row_size = sizeof(uint32_t) };
    m->uneven = TFP_NEW(j->arena, bool, tfp_strings_of(j->p)->count + 1);
    bool ok = m->uneven != NULL;
    for (uint32_t i = j->device_count; ok && i < j->activity_count; i++) {
        const tfp_job_activity *a = &j->activities[i];
        uint32_t *count = TFP_GROUP(&counts, a->unit, j->s->name[a->span]);
        if ((ok = count != NULL)) ++*count;
    }
    for (uint32_t i = j->device_count; ok && i < j->activity_count; i++) {
        tfp_strid name = j->s->name[j->activities[i].span];
        const uint32_t *first = TFP_GROUP(&counts, j->activities[j->device_count].unit, name);
        if (!(ok = first != NULL)) break;
        const uint32_t wanted = *first, *own = TFP_GROUP(&counts, j->activities[i].unit, name);
        if ((ok = own != NULL)) m->uneven[name] |= *own != wanted;
    }
    tfp_groups_free(&counts);
    return ok;
}

/* The key of a host collective. With two ranks, what one sends the other receives; with more it is unknown which one
 * receives. */
static bool host_key(const matching *m, const tfp_job_activity *a, uint64_t *out)
{
    const tfp_job *j = m->j;
    tfp_strid name = j->s->name[a->span];
    tfp_str text = tfp_text(j->p, name);
    bool sends = tfp_str_has(text, TFP_STR(":send")), receives = tfp_str_has(text, TFP_STR(":recv"));
    uint64_t key[3] = { sends || receives ? 2 : 3, name, m->uneven[name] ? j->s->step[a->span] : TFP_NONE };
    if (sends || receives) key[1] = (a->unit == 0) == sends;
    *out = tfp_hash(key, sizeof key);
    return !(sends || receives) || j->unit_count == 2;
}

static bool collect_hosted(matching *m)
{
    tfp_job *j = m->j;
    tfp_groups numbers = { .row_size = sizeof(uint32_t) };
    bool ok = find_uneven(m);
    for (uint32_t i = j->device_count; ok && i < j->activity_count; i++) {
        uint64_t key;
        ok = !host_key(m, &j->activities[i], &key) || add_member(m, &numbers, key, i);
    }
    tfp_groups_free(&numbers);
    return ok;
}

/* Whether it is a host collective in which not all ranks wait. */
static bool is_sided(const tfp_job *j, uint32_t activity)
{
    return activity >= j->device_count && tfp_job_is_sided(tfp_job_name(j, j->activities[activity].span));
}

static bool member_before(const void *ctx, uint32_t a, uint32_t b)
{
    const matching *m = ctx;
    const member *x = &m->members.at[a], *y = &m->members.at[b];
    if (x->key != y->key) return x->key < y->key;
    if (x->number != y->number) return x->number < y->number;
    return m->j->activities[x->activity].unit < m->j->activities[y->activity].unit;
}

static bool join(matching *m, const uint32_t *order, size_t count)
{
    tfp_job *j = m->j;
    const tfp_job_activity *a = &j->activities[m->members.at[order[0]].activity];
    uint32_t joint = (uint32_t)j->joints.size;
    if (!tfp_push(&j->joints, ((tfp_job_joint){ 0 }))) return false;
    for (size_t i = 0; i < count; i++) {
        tfp_job_activity *b = &j->activities[m->members.at[order[i]].activity];
        b->joint = b->ends_with = joint;
        if (!i || (!m->only_sided && is_sided(j, m->members.at[order[i]].activity))) continue;
        pair p = { a->unit, b->unit, a->end - b->end, a->start - b->end, a->end - b->start };
        if (!tfp_push(&m->pairs, p)) return false;
    }
    return true;
}

static bool match(matching *m)
{
    size_t count = m->members.size;
    uint32_t *order = TFP_NEW(m->j->arena, uint32_t, count + 1);
    bool ok = order != NULL;
    m->only_sided = true;
    for (size_t i = 0; i < count && m->only_sided; i++) m->only_sided = is_sided(m->j, m->members.at[i].activity);
    for (uint32_t i = 0; ok && i < count; i++) order[i] = i;
    ok = ok && tfp_sort(order, count, member_before, m);
    for (size_t i = 0, end; ok && i < count; i = end) {
        const member *x = &m->members.at[order[i]];
        for (end = i + 1; end < count; end++) {
            const member *y = &m->members.at[order[end]];
            if (y->key != x->key || y->number != x->number) break;
        }
        if (end - i > 1) ok = join(m, order + i, end - i);
    }
    return ok;
}

/* ---- clocks ---- */

static const tfp_sort_key by_pair[] = { TFP_UP(pair, a), TFP_UP(pair, b), { 0 } };

/* Finds a unit's island, and the offset of its times to those of the island. */
static uint32_t root_of(matching *m, uint32_t unit, double *shift)
{
    uint32_t root = unit;
    double all = 0;
    while (m->parent[root] != root) {
        all += m->to_parent[root];
        root = m->parent[root];
    }
    *shift = all;
    while (m->parent[unit] != unit) { /* path compression makes the next search short */
        uint32_t next = m->parent[unit];
        double own = m->to_parent[unit];
        m->parent[unit] = root;
        m->to_parent[unit] = all;
        all -= own;
        unit = next;
    }
    return root;
}

/* The offset of b's clock to a's: the median of the differences, shifted so that no collective ends on one rank before it
 * starts on the other. */
static double clock_of(const pair *pairs, const uint32_t *order, size_t count, double *values)
{
    double low = -INFINITY, high = INFINITY;
    for (size_t i = 0; i < count; i++) {
        const pair *p = &pairs[order[i]];
        values[i] = p->difference;
        if (p->low > low) low = p->low;
        if (p->high < high) high = p->high;
    }
    double middle = tfp_job_quantile(values, count, 0.5);
    if (low > high) return middle;
    return middle < low ? low : middle > high ? high : middle;
}

static void unite(matching *m, uint32_t a, uint32_t b, double b_to_a)
{
    double from_a, from_b;
    uint32_t x = root_of(m, a, &from_a), y = root_of(m, b, &from_b);
    if (x == y) return;
    m->parent[y] = x;
    m->to_parent[y] = b_to_a + from_a - from_b;
}

static bool find_clocks(matching *m)
{
    size_t count = m->pairs.size;
    uint32_t *order = TFP_NEW(m->j->arena, uint32_t, count + 1);
    double *values = TFP_NEW(m->j->arena, double, count + 1);
    bool ok = order && values;
    for (uint32_t i = 0; ok && i < count; i++) order[i] = i;
    ok = ok && tfp_order_items(order, count, by_pair, m->pairs.at, sizeof *m->pairs.at);
    for (size_t i = 0, end; ok && i < count; i = end) {
        const pair *p = &m->pairs.at[order[i]];
        for (end = i + 1; end < count && m->pairs.at[order[end]].a == p->a && m->pairs.at[order[end]].b == p->b;) end++;
        unite(m, p->a, p->b, clock_of(m->pairs.at, order + i, end - i, values));
    }
    return ok;
}

static bool set_clocks(matching *m)
{
    tfp_job *j = m->j;
    size_t units = j->unit_count;
    uint32_t *island = TFP_NEW(j->arena, uint32_t, units + 1);
    if (!island) return false;
    for (uint32_t u = 0; u < units; u++)
        if (m->parent[u] == u) island[u] = j->steps.islands++;
    for (uint32_t u = 0; u < units; u++) j->units[u].island = island[root_of(m, u, &j->units[u].offset)];
    for (uint32_t i = 0; i < j->activity_count; i++) {
        tfp_job_activity *a = &j->activities[i];
        double shift = j->units[a->unit].offset;
        a->start += shift;
        a->end += shift;
        a->launched += shift;
        j->streams.seen[i] += shift;
    }
    return true;
}

/* Finds the pure time, from the latest start to the end; the rest was waiting for the other ranks. */
static bool find_pure(tfp_job *j)
{
    double *latest = TFP_NEW(j->arena, double, j->joints.size + 1);
    if (!latest) return false;
    for (size_t i = 0; i < j->joints.size; i++) latest[i] = j->joints.at[i].end = -INFINITY;
    for (uint32_t i = 0; i < j->activity_count; i++) {
        const tfp_job_activity *a = &j->activities[i];
        if (a->joint == TFP_NONE) continue;
        if (a->start > latest[a->joint]) latest[a->joint] = a->start;
        if (a->end > j->joints.at[a->joint].end) j->joints.at[a->joint].end = a->end;
    }
    for (uint32_t i = j->device_count; i < j->activity_count; i++) { /* it ended before the others started */
        tfp_job_activity *a = &j->activities[i];
        if (a->joint != TFP_NONE && is_sided(j, i) && a->end < latest[a->joint]) a->ends_with = TFP_NONE;
    }
    for (size_t i = 0; i < j->joints.size; i++) {
        double pure = j->joints.at[i].end - latest[i];
        j->joints.at[i].pure = pure > 0 ? pure : 0;
    }
    return true;
}

bool tfp_job_collectives(tfp_job *j)
{
    const tfp_profile *p = j->p;
    size_t units = j->unit_count;
    matching m = { .j = j,
                   .keys = { tfp_stat_key(p, "Process Group Name"), tfp_stat_key(p, "Process Group Ranks"),
                             tfp_stat_key(p, "Collective name"), tfp_stat_key(p, "Src Rank"),
                             tfp_stat_key(p, "Dst Rank"), tfp_stat_key(p, "Seq"), tfp_stat_key(p, "In msg nelems") },
                   .parent = TFP_NEW(j->arena, uint32_t, units + 1),
                   .to_parent = TFP_NEW(j->arena, double, units + 1) };
    bool ok = m.parent && m.to_parent;
    for (uint32_t u = 0; ok && u < units; u++) m.parent[u] = u;
    ok = ok && (units < 2 || (collect(&m) && collect_hosted(&m) && match(&m) && find_clocks(&m)));
    ok = ok && set_clocks(&m) && find_pure(j);
    j->steps.extents = TFP_NEW(j->arena, tfp_job_extent, units + 1);
    tfp_vec_free(&m.members);
    tfp_vec_free(&m.pairs);
    return ok && j->steps.extents;
}
