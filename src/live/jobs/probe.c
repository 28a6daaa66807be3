// SPDX-License-Identifier: Apache-2.0
/* live/jobs/probe.c: uprobes by perf_event_open(2). Each CPU has one counter per function, which writes the number of the
 * calling process into a ring; we read the rings once per interval. */
#include "live/jobs/probe.h"

#include "live/proc/elf.h"
#include "live/proc/namespace.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define RING_PAGES 64     /* a power of two */
#define HIT_RING_PAGES 16 /* the same when each hit is passed on: rings are read often then */
#define RINGS_MOST 2048
#define FILES_SPARE 16 /* descriptors that are left to others */
#define SEARCH_MOST_NS                                                                                                 \
    ((int64_t)700 * 1000000) /* longest time in one look: slow libraries must not delay the rows of other processes */

/* The functions that a framework calls once (or `calls` times) in each step of a plain loop. If a process calls several of them, the
 * first in this list counts its steps: torch's optimizers enter no_grad too, and TensorFlow 2 calls operators and functions. Functions
 * of communication (calls 0) count no steps: they are probed only where each hit is passed on. */
/* clang-format off */
static const struct {
    tfp_framework framework;
    const char *library; /* a library beside the one that told of the framework; NULL: that one itself */
    const char *prefix, *what;
    int calls;
    tfp_probe_role role;
} functions[] = {
    { TFP_FRAMEWORK_TORCH, NULL, "_ZN5torch8autograd6Engine7execute", "backward passes", 1 },
    { TFP_FRAMEWORK_TORCH, NULL, "_ZN4c10d16ProcessGroupGloo7enqueueE", "collectives", 0, TFP_PROBE_COLLECTIVE },
    { TFP_FRAMEWORK_TORCH, NULL, "_ZN4c10d4Work4waitE", "waits", 0, TFP_PROBE_WAIT },
    { TFP_FRAMEWORK_TORCH, "libtorch_cuda.so", "_ZN4c10d16ProcessGroupNCCL11workEnqueueE", "collectives", 0, TFP_PROBE_COLLECTIVE },
    { TFP_FRAMEWORK_TORCH, "libtorch_cuda.so", "_ZN4c10d16ProcessGroupNCCL8WorkNCCL4waitE", "waits", 0, TFP_PROBE_WAIT },
    { TFP_FRAMEWORK_TORCH, "libc10.so", "_ZN3c1013AutogradState13set_tls_state", "inference_mode blocks", 2 },
    { TFP_FRAMEWORK_TORCH, "libtorch_python.so", "_ZN5torch8autogradL16set_grad_enabled", "no_grad blocks", 2 },
    { TFP_FRAMEWORK_TENSORFLOW, "libtensorflow_cc.so.2", "TF_SessionRun", "session runs", 1 },
    { TFP_FRAMEWORK_TENSORFLOW, "libtensorflow_cc.so.2", "_ZN10tensorflow4data17IteratorGetNextOp9DoCompute", "batches", 1 },
    { TFP_FRAMEWORK_TENSORFLOW, "libtensorflow_cc.so.2", "_ZN10tensorflow4data27IteratorGetNextAsOptionalOp9DoCompute", "batches", 1 },
    { TFP_FRAMEWORK_TENSORFLOW, "libtensorflow_cc.so.2", "TFE_Execute", "function calls", 1 },
    { TFP_FRAMEWORK_JAX, NULL, "_ZN3xla3cpu13ThunkExecutor7Execute", "program runs", 1 },
};
/* clang-format on */
#define FUNCTIONS (sizeof functions / sizeof *functions)

#define STAYS_NS 60000000000 /* for this long after its last call a function still counts the steps of a process */
/* If an interval has fewer calls than this, the rate comes from the times between calls: as a number in the interval it could be wrong by one. */
#define FEW_CALLS 20

typedef struct ring {
    int fd;
    struct perf_event_mmap_page *head;
    uint32_t function; /* -> functions */
    bool end;          /* it tells when the function returns */
} ring;

typedef struct file { /* a library that is probed, or that cannot be */
    dev_t device;
    ino_t inode;
    const char *why; /* why it cannot; NULL: it is probed */
} file;

typedef struct calls {
    int64_t count, first_ns, last_ns; /* calls since they were last taken; without any, the times are 0 */
    int64_t before_ns;                /* time of the last call before those; 0: none was seen */
    int64_t period_ns;                /* time from call to call when it was seen last; 0: never */
} calls;

typedef struct tally {         /* counts of a process that is watched */
    int64_t pid;               /* 0: of none any more */
    int64_t since_ns;          /* its calls count from here on */
    int64_t from_ns, until_ns; /* the interval that the last reading covers */
    calls of[FUNCTIONS];
} tally;

struct tfp_probes {
    int type; /* perf's type number of uprobes; -1: there is none */
    TFP_VEC(file) files;
    TFP_VEC(ring) rings;
    TFP_VEC(tally) tallies;
    tfp_map64 by_pid;
    int64_t read_ns; /* when the rings were read last */
    size_t page;
    int64_t spent_ns; /* time spent on searching libraries since the counts were read last */
    tfp_probe_hit_fn *hit;
    void *hit_ctx;
    TFP_VEC(tfp_probe_hit) hits; /* of the reading that is under way */
    TFP_VEC(uint32_t) order;
    bool nomem;
};

const char tfp_probes_later[] =
    "its library will be searched at the next sample: those of other processes took too long";

static int read_type(void)
{
    FILE *f = fopen("/sys/bus/event_source/devices/uprobe/type", "re");
    int type = -1;
    if (f && fscanf(f, "%d", &type) != 1) type = -1;
    if (f) fclose(f);
    return type;
}

tfp_probes *tfp_probes_new(void)
{
    tfp_probes *p = calloc(1, sizeof *p);
    if (!p) return NULL;
    p->type = read_type();
    p->page = (size_t)sysconf(_SC_PAGESIZE);
    return p;
}

void tfp_probes_on_hit(tfp_probes *p, tfp_probe_hit_fn *fn, void *ctx)
{
    p->hit = fn;
    p->hit_ctx = ctx;
}

static size_t ring_bytes(const tfp_probes *p) { return (p->hit ? HIT_RING_PAGES : RING_PAGES) * p->page; }

void tfp_probes_free(tfp_probes *p)
{
    if (!p) return;
    for (size_t i = 0; i < p->rings.size; i++) {
        munmap(p->rings.at[i].head, ring_bytes(p) + p->page);
        close(p->rings.at[i].fd);
    }
    tfp_vec_free(&p->files);
    tfp_vec_free(&p->rings);
    tfp_vec_free(&p->tallies);
    tfp_vec_free(&p->hits);
    tfp_vec_free(&p->order);
    tfp_map64_free(&p->by_pid);
    free(p);
}

/* ---- starting to count ---- */

static const char *words_for(int error)
{
    switch (error) {
    case EACCES:
    case EPERM: return "needs CAP_PERFMON or root";
    case EMFILE:
    case ENFILE: return "no descriptors are left";
    case ENOMEM: return "out of memory";
    }
    return "the kernel has no uprobes";
}

static const char *open_ring(tfp_probes *p, const char *path, uint64_t offset, int cpu, ring r)
{
    struct perf_event_attr a = { .type = (uint32_t)p->type, .size = sizeof a };
    struct rlimit limit;
    a.sample_period = 1;
    a.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
    a.use_clockid = 1;
    a.clockid = CLOCK_MONOTONIC;
    a.wakeup_events = UINT32_MAX;
    a.config = r.end; /* bit 0: at the return */
    a.uprobe_path = (uint64_t)(uintptr_t)path;
    a.probe_offset = offset;
    if (p->rings.size >= RINGS_MOST) return "too many CPUs for one counter each";
    r.fd = (int)syscall(SYS_perf_event_open, &a, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
    if (r.fd < 0) return words_for(errno);
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && (rlim_t)r.fd + FILES_SPARE >= limit.rlim_cur) {
        close(r.fd); /* for the other records: this process reads /proc itself */
        return words_for(EMFILE);
    }
    r.head = mmap(NULL, ring_bytes(p) + p->page, PROT_READ | PROT_WRITE, MAP_SHARED, r.fd, 0);
    if (r.head == MAP_FAILED) {
        const char *why = words_for(errno);
        close(r.fd);
        return why;
    }
    if (tfp_push(&p->rings, r)) return NULL;
    munmap(r.head, ring_bytes(p) + p->page);
    close(r.fd);
    return "out of memory";
}

static const char *probe_offset(tfp_probes *p, int fd, uint64_t offset, uint32_t function)
{
    char path[64];
    long cpus = sysconf(_SC_NPROCESSORS_CONF);
    const char *why = NULL;
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd); /* the open file, whatever its name refers to by now */
    for (int cpu = 0; cpu < cpus && !why; cpu++) {
        const char *this_why = open_ring(p, path, offset, cpu, (ring){ .function = function });
        if (cpu == 0) why = this_why; /* a CPU that is offline has no counter */
        if (!this_why && functions[function].role == TFP_PROBE_WAIT)
            (void)open_ring(p, path, offset, cpu, (ring){ .function = function, .end = true });
    }
    return why;
}

/* Probes functions first to end - 1, which are all in this file. */
static const char *probe_functions(tfp_probes *p, int fd, uint32_t first, uint32_t end)
{
    const char *prefixes[FUNCTIONS], *why = NULL;
    uint64_t offsets[FUNCTIONS];
    bool counted = false;
    tfp_elf_facts facts;
    for (uint32_t i = first; i < end; i++) prefixes[i - first] = functions[i].prefix;
    tfp_elf_functions(fd, prefixes, offsets, end - first, &facts);
    for (uint32_t i = first; i < end; i++) {
        if (!offsets[i - first] || (!functions[i].calls && !p->hit)) continue;
        why = probe_offset(p, fd, offsets[i - first], i);
        counted |= !why;
    }
    if (counted) return NULL;
    if (why) return why;
    return facts.too_big ? "the library " TFP_ELF_TOO_BIG : "the library names no function that is called once a step";
}

static const char *probe_file(tfp_probes *p, int fd, const struct stat *st, uint32_t first, uint32_t end)
{
    int64_t since = tfp_now_ns();
    for (size_t i = 0; i < p->files.size; i++)
        if (p->files.at[i].device == st->st_dev && p->files.at[i].inode == st->st_ino) return p->files.at[i].why;
    if (p->spent_ns > SEARCH_MOST_NS) return tfp_probes_later;
    const char *why = probe_functions(p, fd, first, end);
    p->spent_ns += tfp_now_ns() - since;
    return tfp_push(&p->files, ((file){ st->st_dev, st->st_ino, why })) ? why : "out of memory";
}

static const char *probe_library(tfp_probes *p, int64_t pid, const char *library, uint32_t first, uint32_t end)
{
    char path[600];
    struct stat st;
    const char *slash = strrchr(library, '/'), *beside = functions[first].library;
    int folder = beside && slash ? (int)(slash + 1 - library) : (int)strlen(library);
    snprintf(path, sizeof path, "%.*s%s", folder, library, beside && slash ? beside : "");
    int fd = tfp_inside_file(pid, path);
    if (fd < 0 && errno == EINVAL) return "its library's name leads to no plain file";
    if (fd < 0 || fstat(fd, &st)) {
        if (fd >= 0) close(fd);
        return "its library is gone or cannot be seen";
    }
    const char *why = probe_file(p, fd, &st, first, end);
    close(fd);
    return why;
}

static bool same_file(uint32_t a, uint32_t b)
{
    const char *x = functions[a].library, *y = functions[b].library;
    return functions[a].framework == functions[b].framework && (x && y ? strcmp(x, y) == 0 : x == y);
}

const char *tfp_probes_add(tfp_probes *p, int64_t pid, const char *library, tfp_framework framework)
{
    const char *why = NULL;
    bool counted = false;
    if (p->type < 0) return "the kernel has no uprobes";
    for (uint32_t i = 0, end; i < FUNCTIONS; i = end) {
        for (end = i + 1; end < FUNCTIONS && same_file(i, end); end++) {}
        if (functions[i].framework != framework) continue;
        const char *this_why = probe_library(p, pid, library, i, end);
        if (this_why == tfp_probes_later) return this_why;
        counted |= !this_why;
        if (!why) why = this_why;
    }
    return counted ? NULL : why;
}

/* The tally of a process; TFP_NONE: it is not watched. */
static uint32_t tally_of(const tfp_probes *p, int64_t pid)
{
    uint32_t at = tfp_map64_get(&p->by_pid, (uint64_t)pid);
    return at != TFP_NONE && p->tallies.at[at].pid == pid ? at : TFP_NONE;
}

bool tfp_probes_watch(tfp_probes *p, int64_t pid)
{
    uint32_t at = tally_of(p, pid);
    for (uint32_t i = 0; i < p->tallies.size && at == TFP_NONE; i++)
        if (!p->tallies.at[i].pid) at = i;
    if (at == TFP_NONE) {
        if (!tfp_push(&p->tallies, (tally){ 0 })) return false;
        at = (uint32_t)p->tallies.size - 1;
    }
    if (!tfp_map64_put(&p->by_pid, (uint64_t)pid, at)) return false;
    p->tallies.at[at] = (tally){ .pid = pid, .since_ns = tfp_now_ns() };
    return true;
}

void tfp_probes_forget(tfp_probes *p, int64_t pid)
{
    uint32_t at = tally_of(p, pid);
    if (at != TFP_NONE) p->tallies.at[at].pid = 0;
}

const char *tfp_probe_name(uint32_t function) { return functions[function].what; }

int tfp_probe_calls(uint32_t function) { return functions[function].calls; }

/* ---- reading ---- */

typedef struct sample { /* PERF_SAMPLE_TID, PERF_SAMPLE_TIME */
    struct perf_event_header head;
    uint32_t pid, tid;
    uint64_t time_ns;
} sample;

static void count_call(tfp_probes *p, const sample *s, const ring *r)
{
    uint32_t at = tally_of(p, s->pid);
    int64_t now = (int64_t)s->time_ns;
    if (at == TFP_NONE || now < p->tallies.at[at].since_ns) return;
    tfp_probe_role role = r->end ? TFP_PROBE_WAIT_END : functions[r->function].role;
    if (p->hit && !tfp_push(&p->hits, ((tfp_probe_hit){ s->pid, s->tid, now, r->function, role }))) p->nomem = true;
    if (!functions[r->function].calls) return;
    calls *c = &p->tallies.at[at].of[r->function];
    if (!c->count++) c->first_ns = now;
    /* each CPU has a ring of its own, so times of several rings are not in order */
    if (now > c->last_ns) c->last_ns = now;
    if (now < c->first_ns) c->first_ns = now;
}

static void copy_out(const char *data, size_t room, uint64_t at, void *out, size_t size)
{
    for (size_t i = 0; i < size; i++) ((char *)out)[i] = data[(at + i) % room];
}

/* Takes records up to a time. Later records stay for the next reading, so that all rings are read for the same
 * interval. */
static bool read_ring(tfp_probes *p, const ring *r, int64_t until_ns)
{
    const char *data = (const char *)r->head + p->page;
    size_t room = ring_bytes(p);
    uint64_t end = __atomic_load_n(&r->head->data_head, __ATOMIC_ACQUIRE), at = r->head->data_tail;
    bool whole = true;
    while (at + sizeof(struct perf_event_header) <= end) {
        sample s;
        copy_out(data, room, at, &s.head, sizeof s.head);
        if (s.head.size < sizeof s.head) break;
        if (s.head.type == PERF_RECORD_SAMPLE && s.head.size >= sizeof s) {
            copy_out(data, room, at, &s, sizeof s);
            if ((int64_t)s.time_ns > until_ns) break;
            count_call(p, &s, r);
        }
        whole &= s.head.type != PERF_RECORD_LOST;
        at += s.head.size;
    }
    __atomic_store_n(&r->head->data_tail, at, __ATOMIC_RELEASE);
    return whole;
}

static void begin_interval(tally *t, int64_t from_ns, int64_t until_ns)
{
    t->from_ns = from_ns > t->since_ns ? from_ns : t->since_ns;
    t->until_ns = until_ns;
    for (size_t i = 0; i < FUNCTIONS; i++) {
        calls *c = &t->of[i];
        c->before_ns = c->last_ns;
        c->count = 0;
    }
}

static bool hit_before(const void *ctx, uint32_t a, uint32_t b)
{
    const tfp_probe_hit *h = ctx;
    return h[a].at_ns < h[b].at_ns;
}

/* Passes the hits of all CPUs on, in order of time. */
static void pass_hits(tfp_probes *p)
{
    bool ok = true;
    p->order.size = 0;
    for (uint32_t i = 0; i < p->hits.size && ok; i++) ok = tfp_push(&p->order, i);
    ok = ok && tfp_sort(p->order.at, p->order.size, hit_before, p->hits.at);
    for (size_t i = 0; i < p->order.size && ok; i++) p->hit(p->hit_ctx, &p->hits.at[p->order.at[i]]);
    p->hits.size = 0;
}

bool tfp_probes_read(tfp_probes *p)
{
    bool whole = true;
    int64_t now = tfp_now_ns();
    p->nomem = false;
    p->spent_ns = 0;
    for (size_t i = 0; i < p->tallies.size; i++) begin_interval(&p->tallies.at[i], p->read_ns, now);
    for (size_t i = 0; i < p->rings.size; i++) whole &= read_ring(p, &p->rings.at[i], now);
    p->read_ns = now;
    if (p->hit) pass_hits(p);
    return whole && !p->nomem;
}

/* The rate of calls: their number in the interval, or, where they are few and go on, the time from call to call. */
static tfp_calls rate_of(const tally *t, calls *c)
{
    int64_t whole = t->until_ns - t->from_ns, idle = t->until_ns - c->last_ns;
    if (c->count && c->count < FEW_CALLS) {
        int64_t span = c->last_ns - (c->before_ns ? c->before_ns : c->first_ns), count = c->count - !c->before_ns;
        c->period_ns = count ? span / count : 0;
    }
    /* otherwise the calls have ended or paused */
    if (c->count < FEW_CALLS && c->period_ns > 0 && idle <= 2 * c->period_ns)
        return (tfp_calls){ 1, (double)c->period_ns / 1e9, NULL };
    if (c->count == 1 && !c->before_ns) return (tfp_calls){ .count = 1 }; /* a single call gives no rate */
    return (tfp_calls){ c->count, (double)whole / 1e9, NULL };
}

tfp_calls tfp_probes_take(tfp_probes *p, int64_t pid)
{
    uint32_t at = tally_of(p, pid);
    if (at == TFP_NONE) return (tfp_calls){ 0 };
    tally *t = &p->tallies.at[at];
    for (size_t i = 0; i < FUNCTIONS; i++) {
        if (!functions[i].calls || !t->of[i].last_ns || t->until_ns - t->of[i].last_ns > STAYS_NS) continue;
        tfp_calls out = rate_of(t, &t->of[i]);
        out.seconds *= functions[i].calls;
        out.what = functions[i].what;
        return out;
    }
    return (tfp_calls){ .seconds = (double)(t->until_ns - t->from_ns) / 1e9 };
}
