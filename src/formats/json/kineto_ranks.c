// SPDX-License-Identifier: Apache-2.0
/* formats/json/kineto_ranks.c: a file in which the traces of several ranks were merged. Scripts that merge change `pid`,
 * or nothing: correlations, `External id`s, arrows and the numbers of devices repeat. Here each rank gets a process of the
 * profile with its own lanes, and everything that joins by numbers joins within a process. Ranks are told apart by a label
 * in `pid` ("[TP01] 83", "rank1_83", "83 (rank 1)") or in the names of processes; otherwise by `pid`: one that hosts and
 * devices share; else each process of the host is a rank, and a device belongs to the one with the same offset of `pid`,
 * at the same place in the file, or with the calls that launched its activities. */
#include "formats/json/kineto.h"
#include "formats/json/kineto_ranks.h"
#include "model/event_builder.h"
#include "model/tables/events.h"
#include "model/tables/profile.h"

#include <stdlib.h>

#define MOST_PAIRS ((size_t)1 << 16) /* of hosts and devices that are compared */

/* ---- processes of the file ---- */

static uint32_t process_at(const tfp_kineto_ranks *f, uint64_t pid) { return tfp_map64_get(&f->by_pid, pid); }

/* Keeps the rank that args tell for a pid. Returns the pid without it. */
static uint64_t own_pid(tfp_kineto_ranks *f, tfp_kineto_lane lane)
{
    uint32_t rank = tfp_kineto_rank_in(lane.part);
    lane.part = tfp_kineto_place_of(lane.part);
    uint64_t pid = tfp_kineto_pid(&lane);
    uint32_t known = rank ? tfp_map64_get(&f->rank_of, pid) : rank;
    if (rank && known != rank) tfp_build_keep(f->r->b, tfp_map64_put(&f->rank_of, pid, known == TFP_NONE ? rank : 0));
    return pid;
}

static bool list_lane(tfp_kineto_ranks *f, uint32_t place)
{
    const tfp_kineto_lane *lane = &f->r->lanes.list.at[place];
    uint64_t pid = tfp_kineto_pid(lane);
    bool stream = lane->kind == TFP_KINETO_STREAM, word = lane->words & (stream ? 4 : 1);
    if (!word && (stream ? lane->pid : lane->a) == UINT64_MAX) return true; /* -1: only the thread is known */
    uint32_t at = process_at(f, pid);
    if (at == TFP_NONE) {
        tfp_kineto_process p = { .pid = pid,
                                 .own_pid = own_pid(f, *lane),
                                 .part = lane->part,
                                 .first = SIZE_MAX,
                                 .rank = TFP_NONE,
                                 .device = TFP_NONE };
        if (word) p.text = tfp_text(f->r->b->p, (tfp_strid)(stream ? lane->pid : lane->a));
        at = (uint32_t)f->processes.size;
        if (!tfp_push(&f->processes, p) || !tfp_map64_put(&f->by_pid, pid, at)) return false;
    }
    tfp_kineto_process *p = &f->processes.at[at];
    if (lane->kind == TFP_KINETO_THREAD) p->has_threads = true;
    if (lane->kind == TFP_KINETO_STREAM) p->has_streams = true;
    if (lane->kind == TFP_KINETO_STREAM && !(lane->words & 1) && lane->a < p->device) p->device = lane->a;
    f->of_lane[f->r->lanes.of.at[place]] = at;
    return true;
}

static bool keep_name(tfp_kineto_ranks *f, const tfp_kineto_name *name)
{
    return tfp_map64_put(&f->name_of, name->pid, name->name) && tfp_map64_put(&f->name_in, name->place, name->name);
}

/* Lists the processes. False: out of memory. */
static bool list_processes(tfp_kineto_ranks *f)
{
    size_t count = f->r->b->p->lanes->size;
    f->of_lane = malloc((count + 1) * sizeof *f->of_lane);
    for (size_t i = 0; f->of_lane && i < count; i++) f->of_lane[i] = TFP_NONE;
    for (uint32_t i = 0; f->of_lane && i < f->r->lanes.list.size; i++)
        if (f->r->lanes.of.at[i] != TFP_NONE && !list_lane(f, i)) return false;
    for (size_t i = 0; i < f->r->lanes.names.size; i++)
        if (!keep_name(f, &f->r->lanes.names.at[i])) return false;
    return f->of_lane != NULL;
}

static bool has_digit(tfp_str s)
{
    for (size_t i = 0; i < s.size; i++)
        if (s.data[i] >= '0' && s.data[i] <= '9') return true;
    return false;
}

/* Whether the file may hold several ranks: most files hold one, and are left as they are without a look at their
 * spans. Kineto's own processes of words ("Traces") do nothing. */
static bool may_be_merged(const tfp_kineto_ranks *f)
{
    size_t hosts = 0, labelled = 0;
    for (size_t i = 0; i < f->processes.size; i++) {
        const tfp_kineto_process *p = &f->processes.at[i];
        bool works = !p->text.size || has_digit(p->text);
        hosts += works && p->has_threads;
        labelled += works && p->text.size && p->has_streams;
    }
    return hosts > 1 || labelled > 1 || f->r->lanes.shared || f->r->lanes.part;
}

/* Counts the work of each process. */
static void count_work(tfp_kineto_ranks *f)
{
    const tfp_span_columns *s = &f->r->b->p->events->spans;
    for (size_t i = f->r->first_span; i < s->size; i++) {
        uint32_t at = f->of_lane[s->lane[i]];
        bool activity = s->kind[i] == TFP_SPAN_ACTIVITY;
        if (at == TFP_NONE || (!activity && !tfp_is_host_op(s->kind[i]))) continue;
        tfp_kineto_process *p = &f->processes.at[at];
        p->activities += activity;
        p->ops += s->kind[i] == TFP_SPAN_OP;
        p->calls += s->kind[i] == TFP_SPAN_CALL;
        if (p->first == SIZE_MAX) p->first = i;
        p->last = i;
    }
}

/* ---- ranks by labels ---- */

/* Gives each process the rank of its label. Whether at least two ranks have work, or at least two have activities. */
static bool by_labels(tfp_kineto_ranks *f, tfp_kineto_labelling labelling)
{
    size_t working[2] = { 0 };
    f->ranks.size = 0;
    for (size_t i = 0; i < f->processes.size; i++) {
        tfp_kineto_process *p = &f->processes.at[i];
        tfp_str label = tfp_kineto_label_of(f, p, labelling);
        p->rank = label.size ? tfp_kineto_rank_of(f, label) : TFP_NONE;
        if (p->rank == TFP_NONE) continue;
        tfp_kineto_rank *r = &f->ranks.at[p->rank];
        working[0] += tfp_kineto_is_host(p) && !r->works;
        working[1] += p->activities && !r->has_activities;
        r->works |= tfp_kineto_is_host(p);
        r->has_activities |= p->activities > 0;
        if (p->first < r->first) r->first = p->first;
    }
    bool lacks = false,
         whole = !working[0] || !working[1]; /* some process with work has no label; some rank has both */
    for (size_t i = 0; i < f->processes.size; i++)
        lacks |= f->processes.at[i].rank == TFP_NONE && f->processes.at[i].first != SIZE_MAX;
    for (size_t i = 0; i < f->ranks.size; i++) whole |= f->ranks.at[i].works && f->ranks.at[i].has_activities;
    return !lacks && whole && (working[0] > 1 || working[1] > 1);
}

/* ---- ranks by processes ---- */

/* Makes a rank of each process that `has` chooses. Whether there are at least two. */
static bool of_each(tfp_kineto_ranks *f, bool (*has)(const tfp_kineto_process *p))
{
    f->ranks.size = 0;
    for (size_t i = 0; i < f->processes.size; i++) {
        tfp_kineto_process *p = &f->processes.at[i];
        p->rank = TFP_NONE;
        if (!has(p)) continue;
        tfp_str label = tfp_kineto_label_of(f, p, TFP_KINETO_LABEL_OF_NAME);
        p->rank = (uint32_t)f->ranks.size;
        if (!tfp_build_keep(f->r->b, tfp_push(&f->ranks, ((tfp_kineto_rank){ .label = label, .first = p->first }))))
            return false;
    }
    return f->ranks.size > 1;
}

static bool has_both(const tfp_kineto_process *p) { return p->ops && p->activities; }
static bool has_activities(const tfp_kineto_process *p) { return p->activities > 0; }

/* Returns what a merging script added to the pids of a rank: the pid of a device less its number. UINT64_MAX: unknown. */
static uint64_t offset_of(const tfp_kineto_process *p)
{
    bool known = !p->text.size && p->device != TFP_NONE && p->pid >= p->device;
    return known ? p->pid - p->device : UINT64_MAX;
}

/* Devices alone: those with equal offsets are of one rank. */
static bool by_offsets(tfp_kineto_ranks *f)
{
    if (!of_each(f, has_activities)) return false;
    tfp_map64 rank_of = { 0 };
    f->ranks.size = 0;
    bool ok = true;
    for (size_t i = 0; ok && i < f->processes.size; i++) {
        tfp_kineto_process *p = &f->processes.at[i];
        if (!p->activities) continue;
        uint64_t offset = offset_of(p) == UINT64_MAX ? p->pid : offset_of(p);
        p->rank = tfp_map64_get(&rank_of, offset);
        if (p->rank != TFP_NONE) continue;
        p->rank = (uint32_t)f->ranks.size;
        ok = tfp_push(&f->ranks, ((tfp_kineto_rank){ .first = p->first })) && tfp_map64_put(&rank_of, offset, p->rank);
    }
    tfp_map64_free(&rank_of);
    return tfp_build_keep(f->r->b, ok) && f->ranks.size > 1;
}

/* Processes with work on the host are ranks; one without launches and devices beside it is none. */
static bool by_hosts(tfp_kineto_ranks *f)
{
    if (!of_each(f, tfp_kineto_is_host)) return false;
    size_t devices = 0;
    for (size_t i = 0; i < f->processes.size; i++) devices += has_activities(&f->processes.at[i]);
    return f->ranks.size <= TFP_KINETO_MOST_RANKS && f->ranks.size * devices <= MOST_PAIRS &&
           tfp_kineto_match_devices(f);
}

/* ---- the profile ---- */

/* Ranks with numbers in the order of the numbers, otherwise in that of the file. */
static int by_number(const void *a, const void *b)
{
    const tfp_kineto_rank *x = a, *y = b;
    if (x->number != y->number) return x->number < y->number ? -1 : 1;
    return x->first < y->first ? -1 : x->first > y->first;
}

/* Sorts the ranks and makes a process for each. */
static bool make_processes(tfp_kineto_ranks *f)
{
    tfp_builder *b = f->r->b;
    uint32_t *moved = malloc((f->ranks.size + 1) * sizeof *moved);
    if (!moved) return tfp_build_keep(b, false);
    tfp_kineto_number_ranks(f);
    for (uint32_t i = 0; i < f->ranks.size; i++) f->ranks.at[i].index = i;
    qsort(f->ranks.at, f->ranks.size, sizeof *f->ranks.at, by_number);
    for (uint32_t i = 0; i < f->ranks.size; i++) moved[f->ranks.at[i].index] = i;
    for (size_t i = 0; i < f->processes.size; i++)
        if (f->processes.at[i].rank != TFP_NONE) f->processes.at[i].rank = moved[f->processes.at[i].rank];
    free(moved);
    for (uint32_t i = 0; i < f->ranks.size; i++) {
        tfp_kineto_rank *rank = &f->ranks.at[i];
        tfp_process made = b->p->events->processes.at[f->r->process];
        made.part = i;
        rank->process = i ? tfp_build_process(b, &made) : f->r->process;
        if (b->status) return false;
        tfp_process *p = &b->p->events->processes.at[rank->process];
        p->rank = rank->numbered ? rank->number : (int32_t)i;
        p->rank_guessed = !rank->numbered;
        if (rank->label.size) p->name = tfp_build_string(b, rank->label);
    }
    return !b->status;
}

/* A stream whose device is known by a labelled pid ("[TP01] 0") only is of the device with the pid's own number. */
static void set_device(tfp_kineto_ranks *f, tfp_kineto_lane *lane)
{
    int64_t number;
    if (lane->kind != TFP_KINETO_STREAM || !(lane->words & 1)) return;
    tfp_str own = tfp_kineto_own_of(tfp_text(f->r->b->p, (tfp_strid)lane->a));
    if (!own.size || !tfp_parse_int64(own, &number) || number < 0) return;
    lane->a = (uint64_t)number;
    lane->words &= ~UINT32_C(1);
}

static uint32_t rank_of_lane(const tfp_kineto_ranks *f, uint32_t lane)
{
    uint32_t at = lane < f->lane_count ? f->of_lane[lane] : TFP_NONE;
    return at == TFP_NONE ? TFP_NONE : f->processes.at[at].rank;
}

static void move_lanes(tfp_kineto_ranks *f)
{
    tfp_kineto_lane_table *l = &f->r->lanes;
    for (uint32_t i = 0; i < l->list.size && !f->r->b->status; i++) {
        uint32_t rank = l->of.at[i] == TFP_NONE ? TFP_NONE : rank_of_lane(f, l->of.at[i]);
        if (rank == TFP_NONE || process_at(f, tfp_kineto_pid(&l->list.at[i])) == TFP_NONE) continue;
        l->rank = rank + 1;
        set_device(f, &l->list.at[i]);
        f->r->b->p->lanes->at[l->of.at[i]].process = f->ranks.at[rank].process;
        tfp_kineto_name_lane(f->r, i);
    }
}

static void move_counters(tfp_kineto_ranks *f)
{
    const tfp_kineto_lane_table *l = &f->r->lanes;
    tfp_event_tables *t = f->r->b->p->events;
    for (size_t i = 0; i < l->counters.size && l->first_counter + i < t->counters.size; i++) {
        uint32_t at =
            l->counters.at[i] == TFP_NONE ? TFP_NONE : process_at(f, tfp_kineto_pid(&l->list.at[l->counters.at[i]]));
        if (at == TFP_NONE || f->processes.at[at].rank == TFP_NONE) continue;
        t->counters.at[l->first_counter + i].process = f->ranks.at[f->processes.at[at].rank].process;
    }
}

/* Gives each rank the first row of each device that it uses; the list may be that of one rank, or of all. */
static void share_devices(tfp_kineto_ranks *f)
{
    tfp_builder *b = f->r->b;
    tfp_event_tables *t = b->p->events;
    tfp_map64 used = { 0 };
    TFP_VEC(tfp_device_info) rows = { 0 };
    size_t kept = 0;
    bool ok = true;
    for (size_t i = 0; ok && i < b->p->lanes->size; i++) {
        const tfp_lane *lane = &b->p->lanes->at[i];
        if (lane->role == TFP_ROLE_STREAM) ok = tfp_map64_put(&used, (uint64_t)lane->process << 32 | lane->device, 1);
    }
    for (size_t i = 0; ok && i < t->devices.size; i++) {
        tfp_device_info d = t->devices.at[i];
        if (d.process != f->r->process) {
            t->devices.at[kept++] = d;
            continue;
        }
        for (size_t k = 0; ok && k < f->ranks.size; k++) {
            d.process = f->ranks.at[k].process;
            uint64_t key = (uint64_t)d.process << 32 | d.device;
            if (tfp_map64_get(&used, key) == 1) ok = tfp_push(&rows, d) && tfp_map64_put(&used, key, 2);
        }
    }
    t->devices.size = kept;
    for (size_t i = 0; ok && i < rows.size; i++) tfp_build_device(b, &rows.at[i]);
    tfp_build_keep(b, ok);
    tfp_map64_free(&used);
    tfp_vec_free(&rows);
}

static void tell(const tfp_kineto_ranks *f)
{
    tfp_builder *b = f->r->b;
    tfp_build_data_finding(b, "info", "ranks merged into one file: each has its own devices, numbers and steps",
                           (int64_t)f->ranks.size, f->ranks.at[0].label);
    int64_t again = tfp_kineto_count_repeated(f);
    if (again)
        tfp_build_data_finding(b, "info",
                               "numbers of launches that repeat in several ranks of one file: joined within each",
                               again, TFP_STR(""));
}

static void forget(tfp_kineto_ranks *f)
{
    tfp_vec_free(&f->processes);
    tfp_vec_free(&f->ranks);
    tfp_map64_free(&f->by_pid);
    tfp_map64_free(&f->name_of);
    tfp_map64_free(&f->name_in);
    tfp_map64_free(&f->rank_of);
    free(f->of_lane);
}

/* Ranks that the args of events tell. If they do not tell apart all work, they are forgotten; the only one is the file's. */
static bool by_args(tfp_kineto_ranks *f)
{
    count_work(f);
    if (by_labels(f, TFP_KINETO_LABEL_OF_ARGS)) return true;
    if (f->ranks.size == 1 && !f->r->b->status) {
        tfp_kineto_number_ranks(f);
        f->r->b->p->events->processes.at[f->r->process].rank = f->ranks.at[0].number;
    }
    return false;
}

static bool find(tfp_kineto_ranks *f)
{
    if (!may_be_merged(f)) return false;
    count_work(f);
    bool found = false;
    for (int i = 0; !found && i < TFP_KINETO_LABEL_OF_ARGS; i++) found = by_labels(f, (tfp_kineto_labelling)i);
    return found || of_each(f, has_both) || by_hosts(f) || (f->r->lanes.shared && by_offsets(f));
}

static bool look(tfp_kineto_ranks *f, tfp_kineto_reader *r, bool (*way)(tfp_kineto_ranks *f))
{
    *f = (tfp_kineto_ranks){ .r = r, .lane_count = r->b->p->lanes->size };
    return !r->b->status && tfp_build_keep(r->b, list_processes(f)) && way(f);
}

void tfp_kineto_find_ranks(tfp_kineto_reader *r)
{
    tfp_kineto_ranks f = { 0 };
    if (r->lanes.placed && !tfp_kineto_numbers_repeat(r)) {
        tfp_kineto_unite_lanes(r, TFP_KINETO_UNITE_PLACES);
        tfp_kineto_lanes_end(r); /* a thread may have its name in another place than its events */
    }
    bool found = r->lanes.ranked && look(&f, r, by_args);
    if (!found) {
        forget(&f);
        if (r->lanes.ranked) tfp_kineto_unite_lanes(r, TFP_KINETO_UNITE_RANKS);
        found = look(&f, r, find);
    }
    if (found && make_processes(&f)) {
        move_lanes(&f);
        tfp_kineto_split_devices(&f);
        move_counters(&f);
        share_devices(&f);
        if (!r->b->status) tell(&f);
    } else if (r->lanes.shared || r->lanes.part) {
        tfp_kineto_unite_lanes(r, TFP_KINETO_UNITE_ALL);
    }
    forget(&f);
}
