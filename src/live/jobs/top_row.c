// SPDX-License-Identifier: Apache-2.0
/* live/jobs/top_row.c: the columns of the table `top`, the cells of one job in it, and the reasons for those that are
 * empty. */
#include "live/jobs/top.h"
#include "views/core/grid.h"
#include "views/core/handle.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

/* ---- texts ---- */

static tfp_str keep(tfp_report *r, const char *text)
{
    tfp_str s = { tfp_arena_copy(tfp_arena_of(r), tfp_str_of(text)), strlen(text) };
    return s.data ? s : (tfp_str){ "", 0 };
}

/* Copies a text; an empty text is an absent cell. */
static tfp_str keep_some(tfp_report *r, const char *text) { return *text ? keep(r, text) : (tfp_str){ NULL, 0 }; }

static tfp_str framework_names(tfp_report *r, unsigned frameworks, bool python)
{
    char text[TFP_FRAMEWORK_ROOM];
    tfp_framework_names(frameworks, text);
    if (!*text && python && (frameworks & TFP_FRAMEWORK_PYTHON)) strcpy(text, "python");
    return keep_some(r, text);
}

const char *tfp_state_name(char state)
{
    switch (state) {
    case 'R': return "running";
    case 'D': return "waiting";
    case 'T': return "stopped";
    case 't': return "traced";
    case 'Z':
    case 'X': return "zombie";
    }
    return "sleeping";
}

/* ---- a job's numbers ---- */

typedef struct sums {
    int64_t ticks, ticks_delta, anonymous, shared_most;
    double read_rate, write_rate;
    bool no_memory, no_io;
} sums;

static void add_memory(const tfp_live_process *p, sums *s)
{
    const tfp_proc_status *status = &p->status;
    if (!p->status_told || status->anonymous_bytes < 0) {
        s->no_memory |= p->stat.memory_bytes > 0; /* a zombie has no memory */
        return;
    }
    int64_t shared =
        (status->file_bytes > 0 ? status->file_bytes : 0) + (status->shared_bytes > 0 ? status->shared_bytes : 0);
    s->anonymous = tfp_add(s->anonymous, status->anonymous_bytes, NULL);
    if (shared > s->shared_most) s->shared_most = shared;
}

static void add_process(const tfp_live_process *p, tfp_top_row *out, sums *s)
{
    out->processes++;
    out->threads = tfp_add(out->threads, p->stat.threads, NULL);
    out->runnable += p->threads.runnable;
    out->blocked += p->threads.blocked;
    s->ticks = tfp_add(s->ticks, p->stat.cpu_ticks, NULL);
    if (p->stat.cpu_ticks > p->cpu_before) s->ticks_delta += p->stat.cpu_ticks - p->cpu_before;
    add_memory(p, s);
    s->no_io |= p->io.read_bytes < 0;
    s->read_rate += p->io.read_rate;
    s->write_rate += p->io.write_rate;
}

static void put_rates(const tfp_jobs *j, tfp_top_row *out, const sums *s)
{
    double seconds = j->before_ns ? (double)(j->taken_ns - j->before_ns) / 1e9 : 0, hz = (double)sysconf(_SC_CLK_TCK);
    out->cpu = seconds > 0 ? (double)s->ticks_delta / hz / seconds : NAN;
    out->cpu_micros = (int64_t)((double)s->ticks / hz * 1e6);
    out->rss_bytes = s->no_memory ? TFP_ABSENT : tfp_add(s->anonymous, s->shared_most, NULL);
    out->read_rate = s->no_io || seconds <= 0 ? NAN : s->read_rate;
    out->write_rate = s->no_io || seconds <= 0 ? NAN : s->write_rate;
}

static int64_t age_of(const tfp_live_process *p)
{
    double age = tfp_proc_age(&p->stat);
    return age > 0 ? (int64_t)(age * 1e6) : 0;
}

/* ---- steps ---- */

const char tfp_no_interval[] = "one sample has no interval";

static void put_steps(const tfp_live *l, tfp_report *r, const uint32_t *members, size_t count, tfp_top_row *out,
                      const char **why)
{
    double rate = 0;
    bool counted = false, once = false;
    const char *what = NULL;
    for (size_t i = 0; i < count; i++) {
        const tfp_steps_of *s = &l->steps.at[members[i]];
        if (s->why) *why = s->why;
        if (s->calls < 0) continue;
        counted = true;
        once |= s->what && s->seconds <= 0;
        if (!s->what || s->seconds <= 0) continue;
        rate += (double)s->calls / s->seconds;
        what = s->what;
    }
    out->steps.per_second = what ? rate : NAN;
    out->steps.are = what ? keep(r, what) : (tfp_str){ NULL, 0 };
    if (what)
        *why = NULL;
    else if (counted)
        *why = !l->jobs.before_ns ? tfp_no_interval
               : once             ? "one step was seen: --interval is too short for a rate"
                                  : "no step was seen in the interval";
}

/* ---- GPUs ---- */

static bool is_member(const tfp_jobs *j, const uint32_t *members, size_t count, int64_t pid)
{
    uint32_t at = tfp_map64_get(&j->by_pid, (uint64_t)pid);
    for (size_t i = 0; i < count; i++)
        if (members[i] == at) return true;
    return false;
}

/* The share of the busiest of its GPUs: NVML gives the share per GPU, not per process. */
static void put_gpus(const tfp_live *l, tfp_report *r, const uint32_t *members, size_t count, tfp_top_row *out)
{
    tfp_buf text = { 0 };
    uint32_t last = TFP_NONE;
    out->gpu = NAN;
    out->gpu_memory_bytes = TFP_ABSENT;
    for (size_t i = 0; i < l->gpus.uses.size; i++) {
        const tfp_gpu_use *u = &l->gpus.uses.at[i];
        if (!is_member(&l->jobs, members, count, u->pid)) continue;
        if (u->gpu != last) tfp_buf_printf(&text, "%s%u", text.size ? "|" : "", u->gpu);
        last = u->gpu;
        if (u->memory_bytes >= 0)
            out->gpu_memory_bytes =
                tfp_add(out->gpu_memory_bytes == TFP_ABSENT ? 0 : out->gpu_memory_bytes, u->memory_bytes, NULL);
        double busy = l->gpus.busy.at[u->gpu];
        if (busy >= 0 && !(out->gpu >= busy)) out->gpu = busy;
    }
    tfp_buf_char(&text, 0);
    out->gpus = last == TFP_NONE || text.failed ? (tfp_str){ NULL, 0 } : keep(r, text.data);
    tfp_buf_free(&text);
}

/* ---- why a cell is empty ---- */

static void because(tfp_buf *why, const char *column, const char *reason)
{
    if (why->size) tfp_buf_text(why, "; ");
    tfp_buf_printf(why, "%s: %s", column, reason);
}

static tfp_str reasons(const tfp_live *l, tfp_report *r, const tfp_top_row *out, bool unreadable, const char *no_steps)
{
    tfp_buf why = { 0 };
    const char *no_gpu = l->gpus.why ? l->gpus.why : "it uses none";
    const char *no_io = l->jobs.before_ns ? "/proc/PID/io may not be read" : tfp_no_interval;
    if (!out->user.data) because(&why, "user", "/proc/PID/status may not be read");
    if (!out->framework.data)
        because(&why, "framework", unreadable ? "its maps may not be read" : "no library of a framework is mapped");
    if (!out->version.data)
        because(&why, "version", out->framework.data ? "there is no dist-info beside its library" : "no framework");
    if (no_steps) because(&why, "steps_per_second", no_steps);
    if (no_steps) because(&why, "steps_are", no_steps);
    if (isnan(out->cpu)) because(&why, "cpu", tfp_no_interval);
    if (out->rss_bytes == TFP_ABSENT) because(&why, "rss_bytes", "/proc/PID/status does not contain it");
    if (isnan(out->read_rate)) because(&why, "read_bytes_per_second", no_io);
    if (isnan(out->write_rate)) because(&why, "write_bytes_per_second", no_io);
    if (!out->gpus.data) because(&why, "gpus", no_gpu);
    if (isnan(out->gpu)) because(&why, "gpu", no_gpu);
    if (out->gpu_memory_bytes == TFP_ABSENT) because(&why, "gpu_memory_bytes", no_gpu);
    if (!out->container.data) because(&why, "container", "its cgroup names none");
    if (l->no_commands) because(&why, "command", "command lines stay on the machine");
    if (l->no_commands || !out->program.data)
        because(&why, "program", l->no_commands ? "command lines stay on the machine" : "it has no arguments");
    return why.size ? tfp_buf_move(&why, tfp_arena_of(r)) : (tfp_str){ 0 };
}

/* ---- a row ---- */

static void put_names(const tfp_live *l, tfp_report *r, const tfp_live_process *p, tfp_top_row *out)
{
    const tfp_live_names *n = p->names;
    char job[64];
    snprintf(job, sizeof job, "%lld@%lld", (long long)p->stat.pid, (long long)p->stat.start_ticks);
    out->job = keep(r, job);
    out->pid = p->stat.pid;
    out->user = keep_some(r, n->user);
    out->framework = framework_names(r, p->maps.frameworks, l->jobs.select.python);
    out->version = keep_some(r, n->version);
    out->state = tfp_str_of(tfp_state_name(p->stat.state));
    out->container = keep_some(r, n->container);
    out->capture = tfp_str_of(n->capture);
    out->age_micros = age_of(p);
    if (!l->no_commands) {
        out->command = keep(r, n->command);
        out->program = keep_some(r, n->program);
    }
}

tfp_top_row tfp_top_row_of(const tfp_live *l, tfp_report *r, uint32_t root, const uint32_t *members, size_t count)
{
    const tfp_live_process *p = &l->jobs.processes.at[root];
    tfp_top_row out = { .pid = p->stat.pid };
    sums s = { 0 };
    const char *no_steps = NULL;
    for (size_t i = 0; i < count; i++) add_process(&l->jobs.processes.at[members[i]], &out, &s);
    put_names(l, r, p, &out);
    put_rates(&l->jobs, &out, &s);
    put_steps(l, r, members, count, &out, &no_steps);
    put_gpus(l, r, members, count, &out);
    out.why = reasons(l, r, &out, p->maps.unreadable, no_steps);
    return out;
}

/* ---- the columns ---- */

/* clang-format off */
static const tfp_table_column columns[] = {
    TFP_COLUMN(tfp_top_row, "job", TEXT, LABEL, job, "Number and start time of the first process: never used twice."),
    TFP_COLUMN(tfp_top_row, "pid", INT, LABEL, pid, "The job's first process."),
    TFP_COLUMN(tfp_top_row, "user", TEXT, LABEL, user, "Whose it is."),
    TFP_COLUMN(tfp_top_row, "framework", TEXT, LABEL, framework, "By the libraries that it has mapped."),
    TFP_COLUMN(tfp_top_row, "version", TEXT, LABEL, version, "Of the framework's package."),
    TFP_COLUMN(tfp_top_row, "state", TEXT, LABEL, state, "Of the first process."),
    TFP_COLUMN(tfp_top_row, "processes", INT, NUMBER, processes, "The first process and all that descend from it."),
    TFP_COLUMN(tfp_top_row, "threads", INT, NUMBER, threads, "Of all its processes."),
    TFP_COLUMN(tfp_top_row, "runnable", INT, NUMBER, runnable, "Threads that run or wait for a CPU."),
    TFP_COLUMN(tfp_top_row, "blocked", INT, NUMBER, blocked, "Threads in an uninterruptible wait: a disk, a driver."),
    TFP_COLUMN(tfp_top_row, "steps_per_second", REAL, LABEL, steps.per_second, "In the interval, all processes together."),
    TFP_COLUMN(tfp_top_row, "steps_are", TEXT, LABEL, steps.are, "What was counted as a step."),
    TFP_COLUMN(tfp_top_row, "cpu", REAL, SHARE, cpu, "CPU time in the interval, divided by its length: 2 is two cores."),
    TFP_COLUMN(tfp_top_row, "cpu_micros", INT, MICROS, cpu_micros, "CPU time since the start."),
    TFP_COLUMN(tfp_top_row, "rss_bytes", INT, SIZE, rss_bytes, "Anonymous memory of all processes and the largest shared part."),
    TFP_COLUMN(tfp_top_row, "read_bytes_per_second", REAL, SIZE, read_rate, "Bytes fetched from storage."),
    TFP_COLUMN(tfp_top_row, "write_bytes_per_second", REAL, SIZE, write_rate, "Bytes sent to storage."),
    TFP_COLUMN(tfp_top_row, "gpus", TEXT, LABEL, gpus, "Indices of the GPUs that it uses."),
    TFP_COLUMN(tfp_top_row, "gpu", REAL, SHARE, gpu, "Share of time in which a kernel ran, of the busiest of its GPUs, whoever's kernel it was."),
    TFP_COLUMN(tfp_top_row, "gpu_memory_bytes", INT, SIZE, gpu_memory_bytes, "Memory of its processes on all GPUs."),
    TFP_COLUMN(tfp_top_row, "age_micros", INT, MICROS, age_micros, "Time since the first process began."),
    TFP_COLUMN(tfp_top_row, "container", TEXT, LABEL, container, "Short id, by its cgroup."),
    TFP_COLUMN(tfp_top_row, "capture", TEXT, LABEL, capture, "What a capture would use, or the code with which it is refused."),
    TFP_COLUMN(tfp_top_row, "why", TEXT, LABEL, why, "Why cells are empty."),
    TFP_COLUMN(tfp_top_row, "command", TEXT, LABEL, command, "Arguments of the first process."),
    TFP_COLUMN(tfp_top_row, "program", TEXT, LABEL, program, "File name of the script that the first process runs, or its module; of other programs that of the program."),
    { NULL, TFP_CELL_INT, TFP_LABEL, 0, NULL, 0 },
};
const tfp_table_column *const tfp_top_columns = columns;
/* clang-format on */

const tfp_table_column *tfp_top_column(const char *name)
{
    const tfp_table_column *c = tfp_top_columns;
    while (c->name && strcmp(c->name, name) != 0) c++;
    return c->name ? c : NULL;
}
