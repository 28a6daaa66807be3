// SPDX-License-Identifier: Apache-2.0
/* live/probe.c: uprobes by perf_event_open(2): one counter a CPU and function, which writes the number of each calling
 * process into a ring that we read once an interval. */
#include "live/probe.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define RING_PAGES 64 /* a power of two */
#define RINGS_MOST 512
#define FILES_SPARE 16 /* descriptors that are left to others */

/* The function that a framework calls once a step of a plain loop. */
static const struct {
    tfp_framework framework;
    const char *prefix, *what;
} functions[] = {
    { TFP_FRAMEWORK_TORCH, "_ZN5torch8autograd6Engine7execute", "backward passes" },
    { TFP_FRAMEWORK_JAX, "_ZN3xla3cpu13ThunkExecutor7Execute", "program runs" },
    { TFP_FRAMEWORK_TENSORFLOW, "TF_SessionRun", "session runs" },
    { TFP_FRAMEWORK_TENSORFLOW, "TFE_Execute", "function calls" },
};

typedef struct ring {
    int fd;
    struct perf_event_mmap_page *head;
    uint32_t function; /* -> functions */
} ring;

typedef struct file { /* a library that is probed, or cannot be */
    dev_t device;
    ino_t inode;
    const char *why; /* NULL: it is probed */
} file;

typedef struct tally {
    int64_t pid, calls[sizeof functions / sizeof *functions];
} tally;

struct tfp_probes {
    int type; /* of the uprobe unit; -1: there is none */
    TFP_VEC(file) files;
    TFP_VEC(ring) rings;
    TFP_VEC(tally) tallies;
    tfp_map64 by_pid;
    size_t page;
};

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

void tfp_probes_free(tfp_probes *p)
{
    if (!p) return;
    for (size_t i = 0; i < p->rings.size; i++) {
        munmap(p->rings.at[i].head, (RING_PAGES + 1) * p->page);
        close(p->rings.at[i].fd);
    }
    tfp_vec_free(&p->files);
    tfp_vec_free(&p->rings);
    tfp_vec_free(&p->tallies);
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

static const char *open_ring(tfp_probes *p, const char *path, uint64_t offset, int cpu, uint32_t function)
{
    struct perf_event_attr a = { .type = (uint32_t)p->type, .size = sizeof a };
    ring r = { .function = function };
    struct rlimit limit;
    a.sample_period = 1;
    a.sample_type = PERF_SAMPLE_TID;
    a.wakeup_events = UINT32_MAX;
    a.uprobe_path = (uint64_t)(uintptr_t)path;
    a.probe_offset = offset;
    if (p->rings.size >= RINGS_MOST) return "too many CPUs for one counter each";
    r.fd = (int)syscall(SYS_perf_event_open, &a, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
    if (r.fd < 0) return words_for(errno);
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && (rlim_t)r.fd + FILES_SPARE >= limit.rlim_cur) {
        close(r.fd); /* the others of this process read /proc */
        return words_for(EMFILE);
    }
    r.head = mmap(NULL, (RING_PAGES + 1) * p->page, PROT_READ | PROT_WRITE, MAP_SHARED, r.fd, 0);
    if (r.head == MAP_FAILED) {
        const char *why = words_for(errno);
        close(r.fd);
        return why;
    }
    if (tfp_push(&p->rings, r)) return NULL;
    munmap(r.head, (RING_PAGES + 1) * p->page);
    close(r.fd);
    return "out of memory";
}

static const char *probe_function(tfp_probes *p, const char *path, uint32_t function)
{
    uint64_t offset = tfp_elf_function(path, functions[function].prefix);
    long cpus = sysconf(_SC_NPROCESSORS_CONF);
    const char *why = offset ? NULL : "the library names no function that is called once a step";
    for (int cpu = 0; cpu < cpus && offset; cpu++) {
        const char *this_why = open_ring(p, path, offset, cpu, function);
        if (this_why && !why && cpu == 0) why = this_why; /* a CPU that is off has none */
        if (why) break;
    }
    return why;
}

const char *tfp_probes_add(tfp_probes *p, int64_t pid, const char *library, tfp_framework framework)
{
    char path[640];
    struct stat st;
    const char *why = NULL;
    bool counted = false;
    if (p->type < 0) return "the kernel has no uprobes";
    snprintf(path, sizeof path, "/proc/%lld/root%s", (long long)pid, library);
    if (stat(path, &st)) return "its library is gone or cannot be seen";
    for (size_t i = 0; i < p->files.size; i++)
        if (p->files.at[i].device == st.st_dev && p->files.at[i].inode == st.st_ino) return p->files.at[i].why;
    for (uint32_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        if (functions[i].framework != framework) continue;
        const char *this_why = probe_function(p, path, i);
        counted |= !this_why;
        if (this_why) why = this_why;
    }
    if (counted) why = NULL;
    return tfp_push(&p->files, ((file){ st.st_dev, st.st_ino, why })) ? why : "out of memory";
}

/* ---- reading ---- */

static bool count_call(tfp_probes *p, uint32_t pid, uint32_t function)
{
    uint32_t at = tfp_map64_get(&p->by_pid, pid);
    if (at == TFP_NONE) {
        if (!tfp_push(&p->tallies, (tally){ .pid = pid })) return false;
        at = (uint32_t)p->tallies.size - 1;
        if (!tfp_map64_put(&p->by_pid, pid, at)) return false;
    }
    p->tallies.at[at].calls[function]++;
    return true;
}

static void copy_out(const char *data, size_t room, uint64_t at, void *out, size_t size)
{
    for (size_t i = 0; i < size; i++) ((char *)out)[i] = data[(at + i) % room];
}

/* Records: a header, and of a sample the process and thread. */
static bool read_ring(tfp_probes *p, const ring *r)
{
    const char *data = (const char *)r->head + p->page;
    size_t room = RING_PAGES * p->page;
    uint64_t end = __atomic_load_n(&r->head->data_head, __ATOMIC_ACQUIRE), at = r->head->data_tail;
    bool whole = true;
    while (at + sizeof(struct perf_event_header) <= end) {
        struct perf_event_header head;
        copy_out(data, room, at, &head, sizeof head);
        if (head.size < sizeof head) break;
        if (head.type == PERF_RECORD_SAMPLE && head.size >= sizeof head + 8) {
            uint32_t pid;
            copy_out(data, room, at + sizeof head, &pid, sizeof pid);
            whole &= count_call(p, pid, r->function);
        }
        whole &= head.type != PERF_RECORD_LOST;
        at += head.size;
    }
    __atomic_store_n(&r->head->data_tail, end, __ATOMIC_RELEASE);
    return whole;
}

bool tfp_probes_read(tfp_probes *p)
{
    bool whole = true;
    for (size_t i = 0; i < p->rings.size; i++) whole &= read_ring(p, &p->rings.at[i]);
    return whole;
}

int64_t tfp_probes_take(tfp_probes *p, int64_t pid, const char **what)
{
    uint32_t at = tfp_map64_get(&p->by_pid, (uint64_t)pid);
    int64_t most = 0;
    *what = NULL;
    if (at == TFP_NONE) return 0;
    tally *t = &p->tallies.at[at];
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        if (t->calls[i] > most) { /* of several kinds in one process the busiest is its step */
            most = t->calls[i];
            *what = functions[i].what;
        }
        t->calls[i] = 0;
    }
    return most;
}
