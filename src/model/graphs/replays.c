// SPDX-License-Identifier: Apache-2.0
/* model/graphs/replays.c: finds what each graph launch replayed, in the order of the graph's nodes, and which replays
 * look alike. In: the launches of all activities. Out: replays sorted by process and start, and their patterns. Where
 * the writer gives ids of nodes, nodes are ordered by id, and all replays of a graph together show its nodes; otherwise
 * they are ordered by start. */
#include "model/graphs/parts.h"
#include "model/tables/profile.h"
#include "model/tables/stats.h"

typedef struct finder {
    tfp_replays *r;
    tfp_builder *b;
    const tfp_span_columns *s;
    uint64_t *key;                    /* for each span: its sort key */
    uint64_t *node;                   /* for each span: its node's id; 0: none */
    uint8_t *launches;                /* for each string: 1 a launch of a graph, 2 another name; 0: not looked at */
    tfp_strid node_key[2], id_key[2]; /* keys of stats, in Kineto's and in XLA's names */
    tfp_map64 group_by_id;            /* hash of a process and a graph's id -> number of the group */
    TFP_VEC(uint64_t) group_id;
    TFP_VEC(uint32_t) group_process;
} finder;

static int64_t number_of(const finder *f, uint32_t span, const tfp_strid keys[2])
{
    const tfp_stat *stat = tfp_typed_stat(f->b->p->events, span, keys[0], TFP_STAT_INT);
    if (!stat) stat = tfp_typed_stat(f->b->p->events, span, keys[1], TFP_STAT_INT);
    return stat ? stat->value.number : 0;
}

static bool is_replayed(finder *f, uint32_t span)
{
    uint32_t launch = f->s->launch[span];
    if (f->s->kind[span] != TFP_SPAN_ACTIVITY || launch == TFP_NONE || f->s->path[span]) return false;
    uint8_t *known = &f->launches[f->s->name[launch]];
    if (!*known) *known = tfp_is_graph_launch(tfp_text(f->b->p, f->s->name[launch])) ? 1 : 2;
    return *known == 1;
}

/* ---- activities by launch ---- */

static uint64_t by_time(const finder *f, uint32_t span) { return (uint64_t)f->s->start_ns[span] ^ UINT64_C(1) << 63; }

/* Sorts all replayed activities by process, start of the launch, launch, and their own start. */
static bool order_activities(finder *f)
{
    tfp_replays *r = f->r;
    for (uint32_t i = 0; i < f->b->p->events->spans.size; i++)
        if (is_replayed(f, i)) r->count++;
    if (!r->count) return true;
    r->activity = malloc((r->count + 1) * sizeof *r->activity);
    r->position = calloc(r->count + 1, sizeof *r->position);
    f->key = malloc((f->b->p->events->spans.size + 1) * sizeof *f->key);
    f->node = calloc(f->b->p->events->spans.size + 1, sizeof *f->node);
    if (!r->activity || !r->position || !f->key || !f->node) return false;
    size_t at = 0;
    for (uint32_t i = 0; i < f->b->p->events->spans.size; i++)
        if (is_replayed(f, i)) r->activity[at++] = i;
    for (size_t i = 0; i < at; i++) f->key[r->activity[i]] = by_time(f, r->activity[i]);
    bool ok = tfp_sort_keys(r->activity, at, f->key);
    for (size_t i = 0; i < at; i++) f->key[r->activity[i]] = f->s->launch[r->activity[i]];
    ok = ok && tfp_sort_keys(r->activity, at, f->key);
    for (size_t i = 0; i < at; i++) f->key[r->activity[i]] = by_time(f, f->s->launch[r->activity[i]]);
    ok = ok && tfp_sort_keys(r->activity, at, f->key);
    for (size_t i = 0; i < at; i++) f->key[r->activity[i]] = tfp_graph_process(f->b, r->activity[i]);
    return ok && tfp_sort_keys(r->activity, at, f->key);
}

static uint32_t group_of(finder *f, uint32_t process, uint64_t id)
{
    for (uint64_t words[] = { process, id }, key = tfp_hash(words, sizeof words);; key++) {
        uint32_t at = tfp_map64_get(&f->group_by_id, key);
        if (at != TFP_NONE && f->group_id.at[at] == id && f->group_process.at[at] == process) return at;
        if (at != TFP_NONE) continue;
        at = (uint32_t)f->group_id.size;
        bool ok = tfp_push(&f->group_id, id) && tfp_push(&f->group_process, process) &&
                  tfp_map64_put(&f->group_by_id, key, at);
        return ok ? at : TFP_NONE;
    }
}

/* Orders a replay's activities by their nodes' ids, if they all have distinct ones. */
static bool order_by_id(finder *f, tfp_replay *replay)
{
    uint32_t *a = f->r->activity + replay->first;
    int64_t graph = number_of(f, a[0], f->id_key);
    for (uint32_t i = 0; i < replay->count; i++) {
        f->node[a[i]] = (uint64_t)number_of(f, a[i], f->node_key);
        f->key[a[i]] = f->node[a[i]];
        if (!f->node[a[i]]) return true;
    }
    if (!tfp_sort_keys(a, replay->count, f->key)) return false;
    replay->by_id = true;
    for (uint32_t i = 1; i < replay->count; i++) replay->by_id &= f->node[a[i]] != f->node[a[i - 1]];
    if (replay->by_id && graph) return (replay->group = group_of(f, replay->process, (uint64_t)graph)) != TFP_NONE;
    for (uint32_t i = 0; !replay->by_id && i < replay->count; i++) f->key[a[i]] = by_time(f, a[i]);
    return replay->by_id || tfp_sort_keys(a, replay->count, f->key);
}

static bool find_replays(finder *f)
{
    tfp_replays *r = f->r;
    bool own = !f->b->p->captures->given;
    for (uint32_t i = 0, end; i < r->count; i = end) {
        uint32_t launch = f->s->launch[r->activity[i]], process = tfp_graph_process(f->b, r->activity[i]);
        tfp_replay replay = { .launch = launch, .first = i, .process = process, .group = TFP_NONE };
        for (end = i; end < r->count && f->s->launch[r->activity[end]] == launch; end++) {
            replay.streams |= f->s->lane[r->activity[end]] != f->s->lane[r->activity[i]];
            r->position[end] = end - i;
        }
        replay.owner = tfp_graph_owner(f->b->p, process, own);
        replay.count = end - i;
        replay.pattern = TFP_NONE;
        if (!order_by_id(f, &replay) || !tfp_push(&r->at, replay)) return false;
        if (replay.by_id) r->at.at[r->at.size - 1].streams = false;
    }
    return true;
}

/* ---- patterns ---- */

static tfp_graph_sign sign_of(tfp_replays *r, uint32_t span)
{
    tfp_builder *b = r->b;
    tfp_strid name = b->p->events->spans.name[span];
    if (name < r->known_sign.size && r->known_sign.at[name]) return r->sign_of.at[name];
    tfp_str text = tfp_text(b->p, name), plain = tfp_kernel_plain(text);
    tfp_graph_sign sign = { .kernel = plain.size == text.size ? name : tfp_build_made_string(b, plain),
                            .kind = (uint8_t)tfp_kind_of_name(text),
                            .family = (uint8_t)tfp_family_of_kernel(text) };
    if (name < r->known_sign.size) {
        r->known_sign.at[name] = 1;
        r->sign_of.at[name] = sign;
    }
    return sign;
}

static bool same_pattern(const tfp_replays *r, const tfp_pattern *a, const tfp_pattern *b)
{
    size_t signs = a->count * sizeof *r->signs.at, lanes = a->count * sizeof *r->lanes.at;
    return a->count == b->count && a->owner == b->owner && a->streams == b->streams &&
           memcmp(r->signs.at + a->first, r->signs.at + b->first, signs) == 0 &&
           (!a->streams || memcmp(r->lanes.at + a->first, r->lanes.at + b->first, lanes) == 0);
}

/* The pattern of the signs that were added last; if the pattern exists already, these signs are removed again.
 * TFP_NONE: out of memory. */
static uint32_t intern_pattern(tfp_replays *r, tfp_pattern p)
{
    uint64_t words[] = { tfp_hash(r->signs.at + p.first, p.count * sizeof *r->signs.at), p.owner, p.streams };
    for (uint64_t key = tfp_hash(words, sizeof words);; key++) {
        uint32_t at = tfp_map64_get(&r->pattern_by_hash, key);
        if (at != TFP_NONE && same_pattern(r, &r->patterns.at[at], &p)) {
            r->signs.size = r->lanes.size = p.first;
            return at;
        }
        if (at != TFP_NONE) continue;
        at = (uint32_t)r->patterns.size;
        return tfp_push(&r->patterns, p) && tfp_map64_put(&r->pattern_by_hash, key, at) ? at : TFP_NONE;
    }
}

static bool put_sign(tfp_replays *r, uint32_t span)
{
    return tfp_push(&r->signs, sign_of(r, span)) && tfp_push(&r->lanes, r->b->p->events->spans.lane[span]);
}

static bool make_pattern(tfp_replays *r, tfp_replay *replay)
{
    tfp_pattern p = {
        .first = (uint32_t)r->signs.size, .count = replay->count, .owner = replay->owner, .streams = replay->streams
    };
    for (uint32_t i = 0; i < replay->count; i++)
        if (!put_sign(r, r->activity[replay->first + i])) return false;
    return (replay->pattern = intern_pattern(r, p)) != TFP_NONE;
}

/* ---- graphs with an id: the nodes of all their replays ---- */

/* Orders nodes; items are indexes among all activities. */
static bool order_nodes(finder *f, uint32_t *items, size_t *count, uint64_t *group)
{
    const tfp_replays *r = f->r;
    uint64_t *node = malloc((r->count + 1) * sizeof *node);
    if (!node) return false;
    for (size_t k = 0; k < r->at.size; k++) {
        const tfp_replay *replay = &r->at.at[k];
        for (uint32_t i = replay->first; replay->group != TFP_NONE && i < replay->first + replay->count; i++) {
            node[i] = f->node[r->activity[i]];
            group[i] = replay->group;
            items[(*count)++] = i;
        }
    }
    bool ok = tfp_sort_keys(items, *count, node) && tfp_sort_keys(items, *count, group);
    free(node);
    return ok;
}

/* Adds a group's nodes as a pattern, and sets the activities' indexes in it. */
static bool unite(finder *f, const uint32_t *items, size_t count, uint32_t owner, uint32_t *pattern)
{
    tfp_replays *r = f->r;
    tfp_pattern p = { .first = (uint32_t)r->signs.size, .owner = owner };
    uint64_t last = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t span = r->activity[items[i]];
        if (f->node[span] != last) {
            if (!put_sign(r, span)) return false;
            p.count++;
        }
        last = f->node[span];
        r->position[items[i]] = p.count - 1;
    }
    return (*pattern = intern_pattern(r, p)) != TFP_NONE;
}

static bool unite_groups(finder *f)
{
    tfp_replays *r = f->r;
    size_t count = 0, groups = f->group_id.size;
    uint32_t *items = malloc((r->count + 1) * sizeof *items), *pattern = malloc((groups + 1) * sizeof *pattern),
             *owner = malloc((groups + 1) * sizeof *owner);
    uint64_t *group = malloc((r->count + 1) * sizeof *group);
    bool ok = items && group && pattern && owner && order_nodes(f, items, &count, group);
    for (size_t k = 0; ok && k < r->at.size; k++)
        if (r->at.at[k].group != TFP_NONE) owner[r->at.at[k].group] = r->at.at[k].owner;
    for (size_t i = 0, end; ok && i < count; i = end) {
        for (end = i; end < count && group[items[end]] == group[items[i]]; end++) {}
        uint64_t of = group[items[i]];
        ok = unite(f, items + i, end - i, owner[of], &pattern[of]);
    }
    for (size_t k = 0; ok && k < r->at.size; k++)
        if (r->at.at[k].group != TFP_NONE) r->at.at[k].pattern = pattern[r->at.at[k].group];
    free(items);
    free(pattern);
    free(owner);
    free(group);
    return ok;
}

static bool find_patterns(finder *f)
{
    tfp_replays *r = f->r;
    size_t strings = r->b->p->strings.count;
    if (!tfp_reserve(&r->sign_of, strings + 1) || !tfp_reserve(&r->known_sign, strings + 1)) return false;
    memset(r->known_sign.at, 0, strings + 1);
    r->known_sign.size = r->sign_of.size = strings;
    if (!unite_groups(f)) return false;
    for (size_t i = 0; i < r->at.size; i++)
        if (r->at.at[i].pattern == TFP_NONE && !make_pattern(r, &r->at.at[i])) return false;
    return !r->b->status;
}

bool tfp_replays_find(tfp_builder *b, tfp_replays *r)
{
    const tfp_strtab *strings = &b->p->strings;
    *r = (tfp_replays){ .b = b };
    finder f = { .r = r,
                 .b = b,
                 .s = &b->p->events->spans,
                 .launches = calloc(strings->count + 1, 1),
                 .node_key = { tfp_strtab_find(strings, TFP_STR("graph node id")),
                               tfp_strtab_find(strings, TFP_STR("cuda_graph_node_id")) },
                 .id_key = { tfp_strtab_find(strings, TFP_STR("graph id")),
                             tfp_strtab_find(strings, TFP_STR("cuda_graph_id")) } };
    bool ok = f.launches && order_activities(&f) && find_replays(&f) && (!r->count || find_patterns(&f));
    free(f.key);
    free(f.node);
    free(f.launches);
    tfp_map64_free(&f.group_by_id);
    tfp_vec_free(&f.group_id);
    tfp_vec_free(&f.group_process);
    return ok;
}

void tfp_replays_free(tfp_replays *r)
{
    tfp_vec_free(&r->at);
    free(r->activity);
    free(r->position);
    tfp_vec_free(&r->patterns);
    tfp_vec_free(&r->signs);
    tfp_vec_free(&r->lanes);
    tfp_map64_free(&r->pattern_by_hash);
    tfp_vec_free(&r->sign_of);
    tfp_vec_free(&r->known_sign);
}
