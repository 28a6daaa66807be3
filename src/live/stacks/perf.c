// SPDX-License-Identifier: Apache-2.0
/* live/stacks/perf.c: one event and one ring per thread. The event counts the CPU time of the thread, so a waiting thread costs nothing
 * and gives no sample. */
#include "live/stacks/perf.h"

#include "live/proc/proc.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define RING_PAGES 8     /* a power of two: room for one sample, and a second one while the first is read */
#define STACK_COPY 12288 /* bytes copied from the stack pointer on; beyond them the process's memory is read */
#define RECORD_MOST 65536
#define THREADS_MOST 512

/* DWARF's register number for each bit of linux/asm/perf_regs.h (x86), in the order of the sample. */
static const unsigned char dwarf_of[] = { 0, 3, 2, 1, 4, 5, 6, 7, 16, 8, 9, 10, 11, 12, 13, 14, 15 };
#define REGISTER_MASK (0x1ffull | 0xff0000ull) /* AX BX CX DX SI DI BP SP IP, R8 to R15 */

typedef struct ring {
    int64_t tid;
    int fd; /* -1: the kernel refused it */
    struct perf_event_mmap_page *head;
} ring;

struct tfp_perf {
    int64_t pid, period_ns;
    size_t page;
    TFP_VEC(ring) rings;
    TFP_VEC(struct pollfd) polled;
    char *record;
    tfp_perf_facts facts;
};

tfp_perf *tfp_perf_new(int64_t pid, int64_t period_ns)
{
    tfp_perf *p = calloc(1, sizeof *p);
    if (!p) return NULL;
    *p = (tfp_perf){ .pid = pid, .period_ns = period_ns, .page = (size_t)sysconf(_SC_PAGESIZE) };
    p->record = malloc(RECORD_MOST);
    if (p->record) return p;
    free(p);
    return NULL;
}

void tfp_perf_free(tfp_perf *p)
{
    if (!p) return;
    for (size_t i = 0; i < p->rings.size; i++) {
        if (p->rings.at[i].fd < 0) continue;
        munmap(p->rings.at[i].head, (RING_PAGES + 1) * p->page);
        close(p->rings.at[i].fd);
    }
    tfp_vec_free(&p->rings);
    tfp_vec_free(&p->polled);
    free(p->record);
    free(p);
}

/* ---- threads ---- */

static int open_event(tfp_perf *p, int64_t tid)
{
    struct perf_event_attr a = { .type = PERF_TYPE_SOFTWARE, .size = sizeof a, .config = PERF_COUNT_SW_CPU_CLOCK };
    a.sample_period = (uint64_t)p->period_ns;
    a.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
    a.sample_regs_user = REGISTER_MASK;
    a.sample_stack_user = STACK_COPY;
    a.wakeup_events = 1;
    a.exclude_hv = 1;
    a.exclude_kernel = p->facts.user_only;
    int fd = (int)syscall(SYS_perf_event_open, &a, (pid_t)tid, -1, -1, PERF_FLAG_FD_CLOEXEC);
    if (fd >= 0 || (errno != EACCES && errno != EPERM) || p->facts.user_only) return fd;
    a.exclude_kernel = 1; /* required by kernel.perf_event_paranoid 2 */
    fd = (int)syscall(SYS_perf_event_open, &a, (pid_t)tid, -1, -1, PERF_FLAG_FD_CLOEXEC);
    if (fd >= 0) p->facts.user_only = true;
    return fd;
}

static const char *words_for(int error)
{
    switch (error) {
    case EACCES:
    case EPERM:
        return "the kernel refuses it: needs kernel.perf_event_paranoid of 2 or less, or CAP_PERFMON; containers often "
               "forbid perf_event_open";
    case EMFILE:
    case ENFILE: return "no descriptors are left";
    case ENOMEM: return "out of memory";
    case ESRCH: return "it has ended";
    }
    return "this kernel has no samples of CPU time with stacks";
}

static const char *open_ring(tfp_perf *p, ring *r)
{
    int fd = open_event(p, r->tid);
    if (fd < 0) return words_for(errno);
    void *at = mmap(NULL, (RING_PAGES + 1) * p->page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (at == MAP_FAILED) {
        bool limit = errno == EPERM;
        close(fd);
        return limit ? "the limit of locked memory (kernel.perf_event_mlock_kb) is reached" : "out of memory";
    }
    r->head = at;
    r->fd = fd;
    return NULL;
}

static bool perf_has(const tfp_perf *p, int64_t tid)
{
    for (size_t i = 0; i < p->rings.size; i++)
        if (p->rings.at[i].tid == tid) return true;
    return false;
}

const char *tfp_perf_add(tfp_perf *p, int64_t tid)
{
    ring r = { .tid = tid, .fd = -1 };
    if (perf_has(p, tid)) return NULL;
    if (!tfp_reserve(&p->rings, p->rings.size + 1) || !tfp_reserve(&p->polled, p->polled.size + 1))
        return "out of memory";
    const char *why = p->rings.size < THREADS_MOST ? open_ring(p, &r) : "too many threads";
    tfp_push(&p->rings, r);
    tfp_push(&p->polled, ((struct pollfd){ .fd = r.fd, .events = POLLIN }));
    if (why && !p->facts.refused++) p->facts.why = why;
    return why;
}

tfp_perf_facts tfp_perf_facts_of(const tfp_perf *p) { return p->facts; }

/* ---- samples ---- */

/* Copies `size` bytes of the ring from `at` on. */
static void copy_out(const tfp_perf *p, const ring *r, uint64_t at, void *out, size_t size)
{
    const char *data = (const char *)r->head + p->page;
    size_t room = RING_PAGES * p->page, from = (size_t)(at % room), first = size < room - from ? size : room - from;
    memcpy(out, data + from, first);
    memcpy((char *)out + first, data, size - first);
}

static uint64_t word_at(const char *b, size_t at)
{
    uint64_t v;
    memcpy(&v, b + at, sizeof v);
    return v;
}

/* A record has: thread, ABI, registers, size of the copy, the copy, and how many of its bytes are valid. */
bool tfp_perf_parse(const char *b, size_t size, tfp_native_state *out)
{
    enum { REGISTERS = sizeof dwarf_of };
    size_t at = sizeof(struct perf_event_header) + 8;
    *out = (tfp_native_state){ .only_sp_and_pc = false };
    if (size < at + 8 || word_at(b, at) != PERF_SAMPLE_REGS_ABI_64) return false; /* no registers: a kernel thread */
    at += 8;
    if (size < at + 8 * REGISTERS + 8) return false;
    for (size_t i = 0; i < REGISTERS; i++) out->registers[dwarf_of[i]] = word_at(b, at + 8 * i);
    at += 8 * REGISTERS;
    uint64_t room = word_at(b, at), used;
    at += 8;
    if (!room) return true;
    if (room > size - at || size - at - room < 8) return false;
    used = word_at(b, at + room);
    out->stack = b + at;
    out->stack_size = used < room ? used : room;
    return true;
}

static void read_ring(tfp_perf *p, const ring *r, void (*fn)(void *ctx, int64_t tid, const tfp_native_state *s),
                      void *ctx)
{
    uint64_t head = __atomic_load_n(&r->head->data_head, __ATOMIC_ACQUIRE), at = r->head->data_tail;
    while (at < head) {
        struct perf_event_header h;
        tfp_native_state s;
        copy_out(p, r, at, &h, sizeof h);
        if (h.size < sizeof h || h.size > head - at) break;
        copy_out(p, r, at, p->record, h.size);
        at += h.size;
        __atomic_store_n(&r->head->data_tail, at, __ATOMIC_RELEASE); /* makes room for the next sample */
        if (h.type == PERF_RECORD_LOST && h.size >= 24) p->facts.lost += (int64_t)word_at(p->record, 16);
        if (h.type == PERF_RECORD_SAMPLE && tfp_perf_parse(p->record, h.size, &s)) fn(ctx, r->tid, &s);
    }
}

void tfp_perf_read(tfp_perf *p, int64_t wait_ns, void (*fn)(void *ctx, int64_t tid, const tfp_native_state *s),
                   void *ctx)
{
    struct timespec t = { wait_ns / 1000000000, wait_ns % 1000000000 };
    int ready = ppoll(p->polled.at, p->polled.size, &t, NULL);
    for (size_t i = 0; ready > 0 && i < p->polled.size; i++) {
        short got = p->polled.at[i].revents;
        if (got & POLLIN) read_ring(p, &p->rings.at[i], fn, ctx);
        if (got & (POLLHUP | POLLERR | POLLNVAL)) p->polled.at[i].fd = -1; /* the thread has ended */
    }
}

/* ---- threads that wait ---- */

bool tfp_native_blocked_parse(const char *text, tfp_native_state *out)
{
    unsigned long long sp, pc;
    const char *at = *text == 'r' ? NULL : strstr(text, " 0x"); /* the text is "running" */
    for (int i = 0; *text != '-' && at && i < 6; i++)
        at = strstr(at + 1, " 0x"); /* skip the call's arguments; a text of -1 has none */
    if (!at || sscanf(at, " 0x%llx 0x%llx", &sp, &pc) != 2) return false;
    *out = (tfp_native_state){ .only_sp_and_pc = true };
    out->registers[TFP_DWARF_SP] = sp;
    out->registers[TFP_DWARF_PC] = pc;
    return true;
}

bool tfp_native_blocked(int64_t pid, int64_t tid, tfp_native_state *out)
{
    char path[64], text[256];
    snprintf(path, sizeof path, "task/%lld/syscall", (long long)tid);
    return tfp_proc_read(pid, path, text, sizeof text) > 0 && tfp_native_blocked_parse(text, out);
}

void tfp_native_kernel(int64_t pid, int64_t tid, char *out, size_t room)
{
    char path[64];
    snprintf(path, sizeof path, "task/%lld/wchan", (long long)tid);
    if (tfp_proc_read(pid, path, out, room) <= 0 || strcmp(out, "0") == 0) *out = '\0';
}
