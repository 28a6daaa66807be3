// SPDX-License-Identifier: Apache-2.0
/* formats/json/kineto_devices.c: assigns devices to ranks in a merged file whose pids have no labels, by the launches that
 * each rank's host makes. */
#include "formats/json/kineto_ranks.h"
#include "model/event_builder.h"
#include "model/tables/events.h"
#include "model/tables/lanes.h"
#include "model/tables/profile.h"

#include <stdlib.h>

typedef struct matcher {
    tfp_kineto_ranks *f;
    const tfp_span_columns *s;
    tfp_map64 call;  /* rank << 32 | correlation -> the first call to start */
    uint32_t *host;  /* rank -> process of the file */
    uint32_t *order; /* hosts by pid, then devices by pid */
    bool moved;      /* pids of devices are no numbers of devices */
} matcher;

static bool list_calls(matcher *m)
{
    for (uint32_t i = (uint32_t)m->f->r->first_span; i < m->s->size; i++) {
        if (m->s->kind[i] != TFP_SPAN_CALL || !m->s->correlation[i]) continue;
        uint32_t at = m->f->of_lane[m->s->lane[i]], rank = at == TFP_NONE ? TFP_NONE : m->f->processes.at[at].rank;
        if (rank == TFP_NONE) continue;
        uint64_t key = (uint64_t)rank << 32 | m->s->correlation[i];
        uint32_t known = tfp_map64_get(&m->call, key);
        if (known != TFP_NONE && m->s->start_ns[known] <= m->s->start_ns[i]) continue;
        if (!tfp_map64_put(&m->call, key, i)) return false;
    }
    return true;
}

/* How an activity fits to a rank: its launch comes before it (0), after it (1), or is in no call (2). */
static int fit_of(const matcher *m, uint32_t activity, uint32_t rank)
{
    uint32_t call = tfp_map64_get(&m->call, (uint64_t)rank << 32 | m->s->correlation[activity]);
    if (!m->s->correlation[activity] || call == TFP_NONE) return 2;
    return m->s->start_ns[call] > m->s->start_ns[activity];
}

/* Whether the hosts stand one after the other in the file: the traces were appended. */
static bool in_sequence(const matcher *m)
{
    for (size_t i = 0; i < m->f->ranks.size; i++)
        for (size_t k = 0; k < i; k++) {
            const tfp_kineto_process *x = &m->f->processes.at[m->host[i]], *y = &m->f->processes.at[m->host[k]];
            if (x->first <= y->last && y->first <= x->last) return false;
        }
    return true;
}

/* The rank in whose part of the file a span lies: a part reaches from a host's first span to that of the next host. */
static uint32_t rank_at(const matcher *m, size_t span)
{
    uint32_t found = 0;
    for (uint32_t i = 1; i < m->f->ranks.size; i++) {
        size_t first = m->f->processes.at[m->host[i]].first, best = m->f->processes.at[m->host[found]].first;
        if (best > span ? first < best : first <= span && first > best) found = i;
    }
    return found;
}

/* What a script added to a device's pid. */
static uint64_t offset_of(const tfp_kineto_process *device)
{
    bool known = !device->text.size && device->device != TFP_NONE && device->pid >= device->device;
    return known ? device->pid - device->device : 0;
}

/* The rank whose host has the lowest pid from the device's offset on: scripts add a number to all pids of a rank. TFP_NONE:
 * nothing was added, or a pid is no number. */
static uint32_t rank_of_offset(const matcher *m, const tfp_kineto_process *device)
{
    uint32_t found = TFP_NONE;
    if (!m->moved || device->text.size) return TFP_NONE;
    for (uint32_t i = 0; i < m->f->ranks.size; i++) {
        const tfp_kineto_process *host = &m->f->processes.at[m->host[i]];
        if (host->text.size) return TFP_NONE;
        if (host->pid < offset_of(device)) continue;
        if (found == TFP_NONE || host->pid < m->f->processes.at[m->host[found]].pid) found = i;
    }
    return found;
}

typedef struct score {
    size_t before, any; /* activities whose launch is a call of the rank, before them and at any time */
} score;

/* Compares the launches of each device with the calls of each rank. scores: one for each device and rank. */
static void compare(const matcher *m, score *scores)
{
    size_t ranks = m->f->ranks.size;
    for (uint32_t i = (uint32_t)m->f->r->first_span; i < m->s->size; i++) {
        uint32_t at = m->f->of_lane[m->s->lane[i]];
        if (m->s->kind[i] != TFP_SPAN_ACTIVITY || at == TFP_NONE) continue;
        for (uint32_t k = 0; k < ranks; k++) {
            int fit = fit_of(m, i, k);
            scores[at * ranks + k].any += fit < 2;
            scores[at * ranks + k].before += fit == 0;
        }
    }
}

static bool comes_before(const void *ctx, uint32_t a, uint32_t b)
{
    const tfp_kineto_process *all = ctx;
    return all[a].pid != all[b].pid ? all[a].pid < all[b].pid : a < b;
}

/* Returns the rank whose calls launch most of a device's activities. Among equal ranks the one with the lowest pid that has
 * no device yet, because jobs start their ranks in the order of the devices. */
static uint32_t rank_of_calls(const matcher *m, const score *of)
{
    uint32_t best = TFP_NONE;
    for (size_t i = 0; i < m->f->ranks.size; i++) {
        uint32_t k = m->f->processes.at[m->order[i]].rank;
        if (!of[k].any) continue;
        bool has = m->f->ranks.at[k].has_activities, best_has = best != TFP_NONE && m->f->ranks.at[best].has_activities;
        bool more = best == TFP_NONE || of[k].before > of[best].before;
        if (more || (of[k].before == of[best].before && best_has && !has)) best = k;
    }
    return best;
}

static void match(matcher *m, uint32_t at, const score *of, bool sequence)
{
    tfp_kineto_process *device = &m->f->processes.at[at];
    uint32_t rank = rank_of_offset(m, device);
    if (rank == TFP_NONE && sequence && rank_at(m, device->first) == rank_at(m, device->last))
        rank = rank_at(m, device->first);
    device->rank = rank != TFP_NONE ? rank : rank_of_calls(m, of);
    if (device->rank != TFP_NONE) m->f->ranks.at[device->rank].has_activities = true;
}

static bool match_all(matcher *m, score *scores)
{
    tfp_kineto_ranks *f = m->f;
    size_t ranks = f->ranks.size, hosts = 0, devices = 0;
    uint32_t *device = m->order + ranks;
    bool sequence = in_sequence(m);
    for (uint32_t i = 0; i < f->processes.size; i++) {
        const tfp_kineto_process *p = &f->processes.at[i];
        if (p->rank != TFP_NONE) m->order[hosts++] = i;
        if (!p->activities || p->rank != TFP_NONE) continue;
        device[devices++] = i;
        m->moved |= offset_of(p) > 0;
    }
    if (!tfp_sort(m->order, hosts, comes_before, f->processes.at) ||
        !tfp_sort(device, devices, comes_before, f->processes.at))
        return false;
    compare(m, scores);
    for (size_t i = 0; i < devices; i++) match(m, device[i], &scores[device[i] * ranks], sequence);
    for (size_t i = 0; i < devices; i++) /* a rank without a device shares the one that its calls use */
        for (uint32_t k = 0; k < ranks; k++)
            f->processes.at[device[i]].shared |=
                !f->ranks.at[k].has_activities && scores[device[i] * ranks + k].any > 0;
    return true;
}

bool tfp_kineto_match_devices(tfp_kineto_ranks *f)
{
    matcher m = { .f = f, .s = &f->r->b->p->events->spans };
    size_t ranks = f->ranks.size;
    score *scores = calloc(f->processes.size * ranks + 1, sizeof *scores);
    m.host = calloc(ranks + 1, sizeof *m.host);
    m.order = calloc(ranks + f->processes.size + 1, sizeof *m.order);
    bool ok = scores && m.host && m.order && list_calls(&m);
    for (uint32_t i = 0; ok && i < f->processes.size; i++)
        if (f->processes.at[i].rank != TFP_NONE) m.host[f->processes.at[i].rank] = i;
    ok = tfp_build_keep(f->r->b, ok && match_all(&m, scores));
    free(scores);
    free(m.order);
    free(m.host);
    tfp_map64_free(&m.call);
    return ok;
}

/* ---- devices of several ranks ---- */

static uint32_t lane_in(tfp_kineto_ranks *f, uint32_t lane, uint32_t rank)
{
    tfp_builder *b = f->r->b;
    const tfp_lane *l = &b->p->lanes->at[lane];
    uint32_t process = f->ranks.at[rank].process;
    return l->process == process
               ? lane
               : tfp_build_event_lane(b, process, TFP_ROLE_STREAM, tfp_text(b->p, l->name), tfp_text(b->p, l->label));
}

/* Activities with one correlation follow each other, in the order of time. */
static bool launched_before(const void *ctx, uint32_t a, uint32_t b)
{
    const tfp_span_columns *s = ctx;
    if (s->correlation[a] != s->correlation[b]) return s->correlation[a] < s->correlation[b];
    return s->start_ns[a] != s->start_ns[b] ? s->start_ns[a] < s->start_ns[b] : a < b;
}

/* Gives activities with one correlation to the ranks that have such a call, in the order of both: as many to each. */
static bool split_equal(const matcher *m, const uint32_t *items, size_t count, uint32_t *rank_of)
{
    TFP_VEC(uint32_t) calls = { 0 };
    bool ok = true;
    for (uint32_t k = 0; k < m->f->ranks.size && ok; k++) {
        uint32_t call = tfp_map64_get(&m->call, (uint64_t)k << 32 | m->s->correlation[items[0]]);
        if (call != TFP_NONE) ok = tfp_push(&calls, call);
    }
    ok = ok && (!calls.size || tfp_sort(calls.at, calls.size, launched_before, m->s));
    for (size_t i = 0; i < count && ok && calls.size; i++) {
        uint32_t call = calls.at[i * calls.size / count];
        rank_of[i] = m->f->processes.at[m->f->of_lane[m->s->lane[call]]].rank;
    }
    tfp_vec_free(&calls);
    return ok;
}

/* Finds the rank of each activity of a shared device: by its place in the file, otherwise by its launch. */
static bool split(matcher *m, uint32_t *items, size_t count, uint32_t *rank_of)
{
    bool sequence = in_sequence(m), ok = true;
    if (!sequence) ok = tfp_sort(items, count, launched_before, m->s);
    for (size_t i = 0; i < count; i++) rank_of[i] = sequence ? rank_at(m, items[i]) : TFP_NONE;
    for (size_t i = 0, end; i < count && ok && !sequence; i = end) {
        for (end = i + 1; end < count && m->s->correlation[items[end]] == m->s->correlation[items[i]];) end++;
        ok = !m->s->correlation[items[i]] || split_equal(m, items + i, end - i, rank_of + i);
    }
    for (size_t i = 0; i < count && ok && !m->f->r->b->status; i++) {
        uint32_t lane = m->s->lane[items[i]], to = rank_of[i] == TFP_NONE ? lane : lane_in(m->f, lane, rank_of[i]);
        if (to != TFP_NONE) m->f->r->b->p->events->spans.lane[items[i]] = to;
    }
    return ok;
}

void tfp_kineto_split_devices(tfp_kineto_ranks *f)
{
    matcher m = { .f = f, .s = &f->r->b->p->events->spans };
    size_t count = 0, ranks = f->ranks.size;
    for (size_t i = 0; i < f->processes.size; i++)
        count += f->processes.at[i].shared ? f->processes.at[i].activities : 0;
    if (!count || f->r->b->status) return;
    uint32_t *items = malloc((count + 1) * sizeof *items), *rank_of = malloc((count + 1) * sizeof *rank_of);
    m.host = calloc(ranks + 1, sizeof *m.host);
    bool ok = items && rank_of && m.host && list_calls(&m);
    for (uint32_t i = 0; ok && i < f->processes.size; i++)
        if (f->processes.at[i].rank != TFP_NONE && tfp_kineto_is_host(&f->processes.at[i]))
            m.host[f->processes.at[i].rank] = i;
    count = 0;
    for (uint32_t i = (uint32_t)f->r->first_span; ok && i < m.s->size; i++) {
        uint32_t lane = m.s->lane[i], at = lane < f->lane_count ? f->of_lane[lane] : TFP_NONE;
        if (at != TFP_NONE && f->processes.at[at].shared && m.s->kind[i] == TFP_SPAN_ACTIVITY) items[count++] = i;
    }
    tfp_build_keep(f->r->b, ok && split(&m, items, count, rank_of));
    free(items);
    free(rank_of);
    free(m.host);
    tfp_map64_free(&m.call);
}

int64_t tfp_kineto_count_repeated(const tfp_kineto_ranks *f)
{
    const tfp_event_tables *t = f->r->b->p->events;
    tfp_map64 process_of = { 0 };
    int64_t again = 0;
    bool ok = true;
    for (size_t i = f->r->first_span; ok && i < t->spans.size; i++) {
        if (t->spans.kind[i] != TFP_SPAN_CALL || !t->spans.correlation[i]) continue;
        uint32_t process = f->r->b->p->lanes->at[t->spans.lane[i]].process,
                 known = tfp_map64_get(&process_of, t->spans.correlation[i]);
        if (known == TFP_NONE)
            ok = tfp_map64_put(&process_of, t->spans.correlation[i], process);
        else
            again += known != process;
    }
    tfp_map64_free(&process_of);
    return ok ? again : 0;
}
