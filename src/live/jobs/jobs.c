// SPDX-License-Identifier: Apache-2.0
/* live/jobs/jobs.c: samples of /proc folded into jobs. A process is known by its number and start time, so that a reused number counts
 * as another process. A process that did not run, by the kernel's CPU clock, is read only every fifth time; what is expensive (maps,
 * threads) is read again only when something changed; files that are read every time stay open. */
#include "live/jobs/jobs.h"
#include "live/jobs/names.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#define MAPS_GROWTH                                                                                                    \
    ((int64_t)1 << 18) /* a newly loaded library makes the address space grow by more than this: libcudart has 700 KB */
#define SAMPLES_A_RESTING_LOOK 4 /* of a process that did not run: the states of its threads have hardly changed */
#define SAMPLES_A_TURN 5         /* between two readings of a process that did not run, and of what rarely changes */
#define LIST_NS ((int64_t)1900000000) /* between two listings of all processes, unless the caller asks for one */
#define FILES_LEAST 8 /* descriptors that must be free: without any, processes would seem to have ended */
#define KEPT_MOST 400 /* descriptors kept open; the counters of steps take up to 512 more */

/* ---- the table of processes ---- */

static void let_go(tfp_live_process *p)
{
    const int files[] = { p->files.stat, p->files.status, p->files.io };
    for (size_t i = 0; i < 3; i++)
        if (files[i] >= 0) close(files[i]);
    p->files.stat = p->files.status = p->files.io = -1;
    free(p->names);
    p->names = NULL;
}

static void start_row(tfp_live_process *p, const tfp_proc_stat *stat)
{
    *p = (tfp_live_process){ .stat = *stat,
                             .cpu_ns = -1,
                             .files.cpu_ns = -1,
                             .files.stat = -1,
                             .files.status = -1,
                             .files.io = -1,
                             .root = TFP_NONE,
                             .maps.bytes = -1,
                             .threads.ticks = -1,
                             .threads.cpu_ns = -1,
                             .io.read_bytes = -1,
                             .io.write_bytes = -1,
                             .steps.count = -1,
                             .steps.no_agent_ns = -1 };
}

/* The row of a process. It is a new row when the number was not seen before or belongs to another process now. */
static tfp_live_process *find(tfp_jobs *j, const tfp_proc_stat *stat)
{
    uint32_t at = tfp_map64_get(&j->by_pid, (uint64_t)stat->pid);
    if (at == TFP_NONE) {
        tfp_live_process row;
        start_row(&row, stat);
        if (!tfp_push(&j->processes, row)) return NULL;
        at = (uint32_t)j->processes.size - 1;
        return tfp_map64_put(&j->by_pid, (uint64_t)stat->pid, at) ? &j->processes.at[at] : NULL;
    }
    tfp_live_process *p = &j->processes.at[at];
    if (p->stat.start_ticks != stat->start_ticks) {
        let_go(p);
        start_row(p, stat);
    }
    return p;
}

/* The process runs another program now, with other libraries and names. */
static void note_program(tfp_live_process *p, const tfp_proc_stat *now)
{
    if (p->stat.code_start == now->code_start && p->stat.stack_start == now->stack_start) return;
    p->maps.frameworks = 0;
    *p->maps.library = '\0';
    p->maps.bytes = -1;
    p->steps.probed = false;
    free(p->names);
    p->names = NULL;
}

/* Reads which frameworks it has mapped; read again as long as its address space grows. */
static void look_at_maps(tfp_live_process *p)
{
    tfp_proc_maps maps;
    int64_t size = p->stat.memory_bytes;
    if (!size || (p->maps.bytes >= 0 && size - p->maps.bytes < MAPS_GROWTH)) return;
    p->maps.bytes = size;
    if (!tfp_proc_maps_read(p->stat.pid, &maps)) {
        p->maps.unreadable = maps.unreadable;
        return;
    }
    unsigned before = p->maps.frameworks;
    p->maps.frameworks = maps.frameworks;
    if (p->maps.frameworks & (TFP_FRAMEWORK_JAX | TFP_FRAMEWORK_TENSORFLOW | TFP_FRAMEWORK_TORCH))
        p->maps.frameworks &= ~(unsigned)TFP_FRAMEWORK_CUDA;
    if (p->maps.frameworks != before) p->steps.probed = false;
    for (size_t i = 0; i < 4 && !*p->maps.library; i++)
        memcpy(p->maps.library, maps.library[i], sizeof p->maps.library);
}

/* Whether nothing of the process can have changed: while none of its threads runs, only other processes change anything
 * about it, namely its tracer and its parent. */
static bool did_not_run(const tfp_live_process *p)
{
    return p->known && p->stat.state != 'R' && p->cpu_ns >= 0 && p->cpu_ns == p->files.cpu_ns;
}

/* How many files may stay open: none at the first sample, which may be the only one; later a quarter of the limit of
 * this process. */
static size_t most_kept(const tfp_jobs *j)
{
    struct rlimit limit;
    if (!j->samples || getrlimit(RLIMIT_NOFILE, &limit)) return 0;
    return limit.rlim_cur / 4 < KEPT_MOST ? (size_t)limit.rlim_cur / 4 : KEPT_MOST;
}

/* Reads a file of a process. For processes of jobs it stays open, as long as there are descriptors. */
static long read_file(tfp_jobs *j, tfp_live_process *p, const char *name, int *file, char *text, size_t room)
{
    if (p->root == TFP_NONE || (*file < 0 && j->kept >= j->kept_most))
        return tfp_proc_read(p->stat.pid, name, text, room);
    bool was_open = *file >= 0;
    long n = tfp_proc_read_kept(p->stat.pid, name, file, text, room);
    j->kept += (size_t)(*file >= 0) - (size_t)was_open;
    return n;
}

static bool read_stat(tfp_jobs *j, tfp_live_process *known, int64_t pid, tfp_proc_stat *out)
{
    char text[1024];
    if (!known) return tfp_proc_stat_read(pid, out);
    long n = read_file(j, known, "stat", &known->files.stat, text, sizeof text);
    return n > 0 && tfp_proc_stat_parse((tfp_str){ text, (size_t)n }, out);
}

static bool read_process(tfp_jobs *j, int64_t pid, bool thorough)
{
    tfp_proc_stat stat;
    uint32_t at = tfp_map64_get(&j->by_pid, (uint64_t)pid);
    tfp_live_process *p = at == TFP_NONE ? NULL : &j->processes.at[at];
    int64_t cpu_ns = tfp_proc_cpu_ns(pid);
    bool turn = thorough || !p || (j->samples + (size_t)pid) % SAMPLES_A_TURN == 0;
    if (p) p->cpu_ns = cpu_ns;
    if (!turn && did_not_run(p)) {
        p->cpu_before = p->stat.cpu_ticks;
        p->fresh = p->turn = false;
        p->seen = true;
        return true;
    }
    if (!read_stat(j, p, pid, &stat)) return true; /* it has ended */
    p = find(j, &stat);
    if (!p) return false;
    p->cpu_before = p->known ? p->stat.cpu_ticks : j->taken_ns ? 0 : stat.cpu_ticks;
    note_program(p, &stat);
    p->stat = stat;
    p->cpu_ns = p->files.cpu_ns = cpu_ns;
    p->fresh = p->seen = p->known = true;
    p->turn = turn;
    look_at_maps(p);
    return true;
}

static bool list_processes(tfp_jobs *j, bool thorough, tfp_error *err)
{
    DIR *d = opendir("/proc");
    bool ok = d != NULL;
    if (!d) tfp_fail(err, TFP_LIMIT, "/proc cannot be read: %s", strerror(errno));
    for (struct dirent *e; ok && (e = readdir(d));)
        if (isdigit((unsigned char)*e->d_name))
            ok = read_process(j, strtoll(e->d_name, NULL, 10), thorough) || (tfp_nomem(err), false);
    if (d) closedir(d);
    j->listed_ns = tfp_now_ns();
    return ok;
}

/* Reads all processes, or between two listings only those of jobs: to list processes the kernel goes through all threads of the
 * machine. */
static bool read_all(tfp_jobs *j, bool thorough, tfp_error *err)
{
    size_t count = j->processes.size;
    for (size_t i = 0; i < count; i++) j->processes.at[i].seen = false;
    if (thorough || tfp_now_ns() - j->listed_ns >= LIST_NS) return list_processes(j, thorough, err);
    for (size_t i = 0; i < count; i++) {
        tfp_live_process *p = &j->processes.at[i];
        if (p->root == TFP_NONE)
            p->seen = true, p->fresh = p->turn = false;
        else if (!read_process(j, p->stat.pid, false))
            return tfp_nomem(err), false;
    }
    return true;
}

/* Removes rows of processes that ended; the others keep their order. */
static bool drop_ended(tfp_jobs *j)
{
    size_t kept = 0;
    bool ok = true;
    tfp_map64_free(&j->by_pid);
    j->kept = 0;
    for (size_t i = 0; i < j->processes.size; i++) {
        tfp_live_process *p = &j->processes.at[i];
        if (!p->seen) {
            let_go(p);
            continue;
        }
        j->kept += (size_t)(p->files.stat >= 0) + (p->files.status >= 0) + (p->files.io >= 0);
        j->processes.at[kept] = *p;
        if (!tfp_map64_put(&j->by_pid, (uint64_t)j->processes.at[kept].stat.pid, (uint32_t)kept)) ok = false;
        kept++;
    }
    j->processes.size = kept;
    return ok;
}

/* ---- jobs ---- */

bool tfp_jobs_is_own(const tfp_jobs *j, int64_t pid)
{
    for (size_t i = 0; i < j->own.size; i++)
        if (j->own.at[i] == pid) return true;
    return false;
}

static bool find_own(tfp_jobs *j)
{
    j->own.size = 0;
    uint32_t at = tfp_map64_get(&j->by_pid, (uint64_t)getpid());
    for (size_t steps = 0; at != TFP_NONE && steps < j->processes.size; steps++) {
        if (!tfp_push(&j->own, j->processes.at[at].stat.pid)) return false;
        at = tfp_map64_get(&j->by_pid, (uint64_t)j->processes.at[at].stat.parent);
    }
    return true;
}

static bool owned(const tfp_jobs *j, const tfp_live_process *p)
{
    tfp_proc_status status;
    if (j->select.user < 0) return true;
    return tfp_proc_status_read(p->stat.pid, &status) && status.uid[1] == j->select.user;
}

static bool starts_job(const tfp_jobs *j, const tfp_live_process *p)
{
    unsigned wanted = TFP_FRAMEWORK_JAX | TFP_FRAMEWORK_TENSORFLOW | TFP_FRAMEWORK_TORCH | TFP_FRAMEWORK_CUDA;
    if (j->select.python) wanted |= TFP_FRAMEWORK_PYTHON;
    return (p->maps.frameworks & wanted) && !tfp_jobs_is_own(j, p->stat.pid);
}

static bool is_named(const tfp_jobs *j, const tfp_live_process *p)
{
    for (size_t i = 0; i < j->select.pids.size; i++)
        if (j->select.pids.at[i] == p->stat.pid) return true;
    for (size_t i = 0; i < j->select.names.size; i++)
        if (tfp_proc_is_called(p->stat.pid, j->select.names.at[i])) return true;
    return false;
}

static bool is_asked(const tfp_jobs *j, const tfp_live_process *p)
{
    for (size_t i = 0; i < j->select.pids.size; i++)
        if (j->select.pids.at[i] == p->stat.pid) return true;
    return false;
}

/* Finds the first process of each one's job: the topmost process that starts a job, or that was selected by its number.
 * The search walks up to a process whose root is known and comes back the same way, so parents are settled before their
 * children. */
static bool find_roots(tfp_jobs *j)
{
    const uint32_t unsettled = TFP_NONE - 1;
    size_t count = j->processes.size;
    TFP_VEC(uint32_t) chain = { 0 };
    bool ok = true;
    for (size_t i = 0; i < count; i++) {
        j->processes.at[i].root = unsettled;
        j->processes.at[i].parent = tfp_map64_get(&j->by_pid, (uint64_t)j->processes.at[i].stat.parent);
    }
    for (uint32_t i = 0; i < count && ok; i++) {
        uint32_t at = i;
        chain.size = 0;
        for (; ok && at != TFP_NONE && j->processes.at[at].root == unsettled && chain.size <= count;
             at = j->processes.at[at].parent) {
            ok = tfp_push(&chain, at);
            if (j->processes.at[at].parent == at) break;
        }
        uint32_t root = at != TFP_NONE && j->processes.at[at].root != unsettled ? j->processes.at[at].root : TFP_NONE;
        for (size_t k = chain.size; k-- > 0;) {
            tfp_live_process *p = &j->processes.at[chain.at[k]];
            if (is_asked(j, p) || ((root == TFP_NONE || j->select.apart) && starts_job(j, p))) root = chain.at[k];
            p->root = root;
        }
    }
    tfp_vec_free(&chain);
    return ok;
}

static int by_pid(const void *a, const void *b, void *ctx)
{
    const tfp_jobs *j = ctx;
    int64_t x = j->processes.at[*(const uint32_t *)a].stat.pid, y = j->processes.at[*(const uint32_t *)b].stat.pid;
    return (x > y) - (x < y);
}

static bool list_roots(tfp_jobs *j)
{
    bool all = !j->select.pids.size && !j->select.names.size;
    j->roots.size = 0;
    for (uint32_t i = 0; i < j->processes.size; i++) {
        const tfp_live_process *p = &j->processes.at[i];
        if (p->root != i || !(all ? owned(j, p) : is_named(j, p))) continue;
        if (!tfp_push(&j->roots, i)) return false;
    }
    if (j->roots.size) qsort_r(j->roots.at, j->roots.size, sizeof *j->roots.at, by_pid, j);
    return true;
}

/* ---- threads and input and output of jobs ---- */

static void look_at_threads(tfp_live_process *p)
{
    char path[64], text[512];
    snprintf(path, sizeof path, "/proc/%lld/task", (long long)p->stat.pid);
    DIR *d = opendir(path);
    p->threads.runnable = p->threads.blocked = 0;
    for (struct dirent *e; d && (e = readdir(d));) {
        if (!isdigit((unsigned char)*e->d_name)) continue;
        snprintf(path, sizeof path, "task/%.20s/stat", e->d_name);
        if (tfp_proc_read(p->stat.pid, path, text, sizeof text) <= 0) continue;
        const char *name_end = strrchr(text, ')');
        if (!name_end || name_end[1] != ' ') continue;
        p->threads.runnable += name_end[2] == 'R';
        p->threads.blocked += name_end[2] == 'D';
    }
    if (d) closedir(d);
    p->threads.ticks = p->stat.cpu_ticks;
    p->threads.cpu_ns = p->cpu_ns;
}

/* Whether all threads of the process sleep on. A sleeping thread that uses no CPU time can only become runnable: while none
 * of the process's threads runs, all sleep on, or one was woken and waits for a CPU. */
static bool rests(const tfp_live_process *p)
{
    bool slept = p->threads.ticks >= 0 && !p->threads.runnable && !p->threads.blocked;
    return slept && p->stat.cpu_ticks == p->threads.ticks && p->cpu_ns >= 0 && p->cpu_ns == p->threads.cpu_ns;
}

/* Looks at one resting process at a time, to find a thread that was woken but waits long for a CPU. */
static void look_at_one_resting(tfp_jobs *j)
{
    size_t count = j->processes.size, first = j->next_resting_look;
    for (size_t k = 0; k < count; k++) {
        tfp_live_process *p = &j->processes.at[(first + k) % count];
        if (p->root == TFP_NONE || !rests(p)) continue;
        look_at_threads(p);
        j->next_resting_look = (first + k + 1) % count;
        return;
    }
}

/* Looks at the threads of processes until the budget is used up; the next sample continues at the next process. A process with many threads
 * may use up the budget of several samples in advance. */
static void look_at_all_threads(tfp_jobs *j, size_t budget)
{
    enum { SAMPLES_MOST = 2 };
    size_t count = j->processes.size, first = j->next_thread_look;
    bool all = budget == SIZE_MAX;
    int64_t each = all ? 0 : (int64_t)budget;
    j->thread_credit = j->thread_credit < 0 ? j->thread_credit + each : each;
    if (!all && j->samples % SAMPLES_A_RESTING_LOOK == 0) look_at_one_resting(j);
    for (size_t k = 0; k < count; k++) {
        tfp_live_process *p = &j->processes.at[(first + k) % count];
        if (p->root == TFP_NONE || (!all && rests(p))) continue;
        if (!all && j->thread_credit <= 0) {
            j->next_thread_look = (first + k) % count;
            return;
        }
        j->thread_credit -= p->stat.threads;
        if (j->thread_credit < -SAMPLES_MOST * each) j->thread_credit = -SAMPLES_MOST * each;
        look_at_threads(p);
    }
}

/* The rates of reading and writing since the last reading; none for a process that is seen for the first time. */
static void look_at_io(tfp_jobs *j, tfp_live_process *p)
{
    char text[512];
    int64_t read_before = p->io.read_bytes, write_before = p->io.write_bytes, now = tfp_now_ns();
    double seconds = (double)(now - p->io.at_ns) / 1e9;
    bool again = p->io.at_ns && read_before >= 0;
    long n = read_file(j, p, "io", &p->files.io, text, sizeof text);
    if (n <= 0 || !tfp_proc_io_parse((tfp_str){ text, (size_t)n }, &p->io.read_bytes, &p->io.write_bytes))
        p->io.read_bytes = p->io.write_bytes = -1;
    again = again && p->io.read_bytes >= 0 && seconds > 0;
    p->io.read_rate = again ? (double)(p->io.read_bytes - read_before) / seconds : 0;
    p->io.write_rate = again ? (double)(p->io.write_bytes - write_before) / seconds : 0;
    p->io.at_ns = now;
}

/* Reads the file io of one process after another, in turn: for each the kernel goes through all threads of the
 * process. */
static void look_at_files(tfp_jobs *j)
{
    char text[4096];
    for (size_t i = 0; i < j->processes.size; i++) {
        tfp_live_process *p = &j->processes.at[i];
        if (p->root == TFP_NONE || (!p->fresh && p->files.known)) continue;
        long n = read_file(j, p, "status", &p->files.status, text, sizeof text);
        p->status_told = n > 0;
        tfp_proc_status_parse((tfp_str){ text, n > 0 ? (size_t)n : 0 }, &p->status);
        if (p->turn || !p->files.known) look_at_io(j, p);
        p->files.known = true;
    }
}

tfp_status tfp_jobs_sample(tfp_jobs *j, size_t thread_budget, tfp_error *err)
{
    tfp_status s = j->samples ? TFP_OK : tfp_need_files(FILES_LEAST, err);
    if (s) return s;
    j->kept_most = most_kept(j);
    if (!read_all(j, thread_budget == SIZE_MAX, err)) return TFP_NOMEM;
    j->before_ns = j->taken_ns;
    j->taken_ns = tfp_now_ns();
    if (!drop_ended(j) || !find_own(j) || !find_roots(j) || !list_roots(j)) return tfp_nomem(err);
    if (j->processes.size && thread_budget) look_at_all_threads(j, thread_budget);
    look_at_files(j);
    j->samples++;
    return TFP_OK;
}

void tfp_jobs_free(tfp_jobs *j)
{
    tfp_vec_free(&j->select.pids);
    tfp_vec_free(&j->select.names);
    for (size_t i = 0; i < j->processes.size; i++) let_go(&j->processes.at[i]);
    tfp_vec_free(&j->processes);
    tfp_vec_free(&j->roots);
    tfp_vec_free(&j->own);
    tfp_map64_free(&j->by_pid);
}
