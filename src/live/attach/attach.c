// SPDX-License-Identifier: Apache-2.0
/* live/attach/attach.c: the stages of an attach in their order (stop, check again, find room, save, call, restore, let go), and the
 * repeated tries. */
#include "live/attach/attach.h"
#include "live/attach/cpu.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define TRIES 10
#define PAUSE_NS 5000000     /* between two tries */
#define STOP_NS 500000000    /* the longest wait for the thread to stop: it may be waiting for a disk */
#define STARVED_NS 300000000 /* the longest wait for a thread that gets no CPU on an overloaded machine */
#define CALL_NS 15000000     /* the longest wait for a function to return; the thread is held meanwhile */
#define STACK_LEAST ((uint64_t)64 << 10)

/* ---- room on the stack ---- */

/* PROCMAP_QUERY of linux/fs.h, since Linux 6.11: asks for one mapping without reading the list of all */
typedef struct mapping_query {
    uint64_t size, flags, address, low, high, rights, page_size, offset, inode;
    uint32_t device_major, device_minor, name_size, build_id_size;
    uint64_t name, build_id;
} mapping_query;
#define QUERY_MAPPING _IOWR('f', 17, mapping_query)

typedef struct mapping {
    uint64_t low, high;
} mapping;

/* Finds the private, readable and writable mapping that holds an address. */
static bool find_mapping(int64_t pid, uint64_t address, mapping *out)
{
    enum { READ_WRITE = 3, SHARED = 8 };
    char path[64], line[1024], rights[8];
    unsigned long low, high;
    mapping_query q = { .size = sizeof q, .address = address };
    bool found = false;
    snprintf(path, sizeof path, "/proc/%lld/maps", (long long)pid);
    FILE *f = fopen(path, "re");
    if (!f) return false;
    if (ioctl(fileno(f), QUERY_MAPPING, &q) == 0) {
        *out = (mapping){ q.low, q.high };
        found = (q.rights & (READ_WRITE | SHARED)) == READ_WRITE;
    } else if (errno != ENOENT) {
        while (!found && fgets(line, sizeof line, f)) {
            if (sscanf(line, "%lx-%lx %7s", &low, &high, rights) != 3 || address < low || address >= high) continue;
            *out = (mapping){ low, high };
            found = strncmp(rights, "rw", 2) == 0 && rights[3] == 'p';
            break;
        }
    }
    fclose(f);
    return found;
}

/* The main stack grows by itself up to its limit. The frame must fit into what is mapped now; the rest of the stack may
 * grow later. */
static bool has_room(const tfp_attach *a, const tfp_cpu *cpu)
{
    mapping m;
    struct rlimit limit;
    uint64_t stack = tfp_cpu_stack(cpu), start = (uint64_t)a->stack_start;
    if (!find_mapping(a->pid, stack, &m)) return false;
    if (stack - m.low >= STACK_LEAST + tfp_cpu_frame_size(cpu)) return true;
    if (start < m.low || start >= m.high || stack - m.low < 2 * tfp_cpu_frame_size(cpu)) return false;
    return prlimit((pid_t)a->pid, RLIMIT_STACK, NULL, &limit) == 0 &&
           (limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= m.high - stack + 2 * STACK_LEAST);
}

/* ---- one try ---- */

typedef enum outcome { DONE, AGAIN, REFUSED } outcome;

typedef struct work {
    tfp_attach *a;
    tfp_str text; /* the text to run; empty: the page is given back */
    tfp_method *refusal;
    tfp_cpu *cpu;
    tfp_tracer tracer;
    const char *why; /* the reason for AGAIN */
    bool wakes;      /* nothing is called: a wait for a futex ends */
    bool alone;      /* the call waits for another thread; this thread returns from it by itself */
    bool done;
} work;

static outcome refuse(work *w, const char *code, const char *why)
{
    tfp_method_refuse(w->refusal, code, "%s", why);
    return REFUSED;
}

static outcome again(work *w, const char *why)
{
    w->why = why;
    return AGAIN;
}

/* The process number may belong to another process by now, or the process may run another program. */
static bool is_same(const tfp_attach *a)
{
    char path[64], home[32];
    tfp_proc_stat now;
    tfp_proc_status status;
    struct stat st;
    snprintf(path, sizeof path, "/proc/%lld/exe", (long long)a->pid);
    if (!tfp_proc_stat_read(a->pid, &now) || !tfp_proc_status_read(a->pid, &status) || stat(path, &st)) return false;
    return tfp_method_is_ours(&status) && now.start_ticks == a->start_ticks && now.code_start == a->code_start &&
           now.stack_start == a->stack_start && st.st_dev == a->device && st.st_ino == a->file &&
           pread(a->memory, home, tfp_cpu_home_code.size, (off_t)a->home) == (ssize_t)tfp_cpu_home_code.size &&
           memcmp(home, tfp_cpu_home_code.data, tfp_cpu_home_code.size) == 0;
}

/* Whether the thread is ready to run and only waits for a CPU. */
static bool is_starved(const work *w)
{
    tfp_proc_stat now;
    return tfp_proc_stat_read(w->tracer.pid, &now) && now.state == 'R';
}

/* Runs a function in the thread until it has returned, or until the system call `number` that the function makes has returned:
 * libc does nothing after that call, and each stop makes the job wait for a CPU once more. number -1: until the function
 * returns. */
static outcome call(work *w, uint64_t function, const uint64_t args[TFP_CPU_ARGS], long number, int64_t *result)
{
    int64_t begin = tfp_now_ns(), deadline = begin + CALL_NS;
    if (!tfp_cpu_call(w->cpu, &w->tracer, function, args)) return again(w, "its stack cannot be written to");
    for (;;) {
        tfp_stop stop = tfp_tracer_to_call(&w->tracer, deadline);
        if (stop == TFP_STOP_CALL && number >= 0 && tfp_cpu_has_called(&w->tracer, number, result)) return DONE;
        if (stop == TFP_STOP_CALL && tfp_cpu_is_home(w->cpu, &w->tracer)) return DONE;
        if (stop == TFP_STOP_ENDED) return refuse(w, "gone", "it ended during the attach");
        if (stop == TFP_STOP_GROUP) return refuse(w, "stopped", "it was stopped during the attach");
        if (stop == TFP_STOP_LATE && deadline < begin + STARVED_NS && is_starved(w))
            deadline += CALL_NS;
        else if (stop == TFP_STOP_LATE)
            return again(w, "a function that it was to call did not return");
    }
}

static outcome make_page(work *w)
{
    uint64_t size = ((uint64_t)w->text.size + 4096) & ~(uint64_t)4095;
    int64_t page = 0;
    const uint64_t args[TFP_CPU_ARGS] = { 0, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, UINT64_MAX, 0 };
    if (w->a->page) return DONE;
    outcome o = call(w, w->a->map, args, SYS_mmap, &page);
    if (o != DONE) return o;
    if (page <= 0) return refuse(w, "low-memory", "it can map no page");
    w->a->page = (uint64_t)page;
    w->a->page_size = size;
    return DONE;
}

/* Whether the PyMutex is held. A PyMutex keeps its waiters in a list on their own stacks, so a wait for it must not be broken off;
 * and the main thread itself may hold it. */
static bool mutex_is_held(const work *w)
{
    uint8_t mutex = 0;
    return w->a->mutex && (!tfp_tracer_read(&w->tracer, w->a->mutex, &mutex, 1) || (mutex & 1));
}

static outcome queue_text(work *w)
{
    outcome o = make_page(w);
    if (o != DONE) return o;
    const uint64_t args[TFP_CPU_ARGS] = { w->a->run, w->a->page };
    if (!tfp_tracer_write(&w->tracer, w->a->page, w->text.data, w->text.size))
        return again(w, "its page cannot be written to");
    if (mutex_is_held(w)) return again(w, "its interpreter's lock for pending calls is held");
    o = call(w, w->a->add, args, -1, NULL);
    w->alone = o == AGAIN && w->a->mutex;
    if (w->alone) o = DONE;
    if (o == DONE) w->a->queued = true;
    return o;
}

static outcome give_back(work *w)
{
    const uint64_t args[TFP_CPU_ARGS] = { w->a->page, w->a->page_size };
    int64_t result;
    outcome o = call(w, w->a->unmap, args, SYS_munmap, &result);
    if (o == DONE) w->a->page = 0;
    return o;
}

/* One try, while the thread is stopped. */
static outcome work_on(work *w)
{
    const char *why;
    if (!is_same(w->a)) return refuse(w, "gone", "it has become another program");
    if (!tfp_cpu_save(w->cpu, &w->tracer, w->a->home, &why)) return again(w, why);
    if (w->wakes) return tfp_cpu_restore(w->cpu, &w->tracer) ? DONE : again(w, "its registers cannot be set");
    if (!has_room(w->a, w->cpu)) return again(w, "its main thread has less than 64 KiB of stack left");
    outcome o = w->text.size ? queue_text(w) : give_back(w);
    switch (tfp_tracer_halt(&w->tracer, tfp_now_ns() + STOP_NS)) {
    case TFP_STOP_ENDED: return refuse(w, "gone", "it ended during the attach");
    case TFP_STOP_LATE: return refuse(w, "timeout", "its main thread waits in the kernel and cannot be stopped");
    default: break;
    }
    if (!w->alone) tfp_cpu_restore(w->cpu, &w->tracer);
    return o;
}

/* Stops the thread. On a machine with more threads than CPUs a runnable thread stops late, but it is not stuck. */
static tfp_stop interrupt(work *w)
{
    enum { PERIODS = 4 };
    tfp_stop stop = tfp_tracer_interrupt(&w->tracer, tfp_now_ns() + STOP_NS);
    for (int i = 1; i < PERIODS && stop == TFP_STOP_LATE && is_starved(w); i++)
        stop = tfp_tracer_interrupt(&w->tracer, tfp_now_ns() + STOP_NS);
    return stop;
}

static outcome try_once(work *w)
{
    int why = tfp_tracer_seize(&w->tracer);
    char text[300];
    if (why == ESRCH) return refuse(w, "gone", "it has ended");
    if (why) {
        tfp_proc_status status;
        if (tfp_proc_status_read(w->a->pid, &status) && status.tracer > 0) {
            snprintf(text, sizeof text, "process %lld traces it", (long long)status.tracer);
            return refuse(w, "traced", text);
        }
        tfp_why_forbidden(w->a->pid, text, sizeof text);
        return refuse(w, "no-permission", text);
    }
    outcome o;
    switch (interrupt(w)) {
    case TFP_STOP_ASKED: o = work_on(w); break;
    case TFP_STOP_CALL: o = again(w, "it cannot be stopped outside of a system call"); break;
    case TFP_STOP_GROUP: o = refuse(w, "stopped", "it is stopped, nothing can run in it"); break;
    case TFP_STOP_LATE: return refuse(w, "timeout", "its main thread waits in the kernel and cannot be stopped");
    default: return refuse(w, "gone", "it has ended");
    }
    tfp_tracer_leave(&w->tracer);
    return o;
}

/* ---- tries ---- */

/* Runs in a thread of its own: when this thread ends the kernel lets go of every thread that it traced. */
static void *run(void *ctx)
{
    work *w = ctx;
    /* The job is stopped while we wait for a CPU. Where the kernel allows real-time priority this thread gets a CPU at once; it
     * sleeps whenever it waits. */
    pthread_setschedparam(pthread_self(), SCHED_FIFO, &(struct sched_param){ .sched_priority = 1 });
    prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
    for (int i = 0; i < TRIES; i++) {
        outcome o = try_once(w);
        w->done = o == DONE;
        if (o != AGAIN) return NULL;
        nanosleep(&(struct timespec){ 0, PAUSE_NS }, NULL);
    }
    tfp_method_refuse(w->refusal, "unsafe", "%s, at %d tries", w->why, TRIES);
    return NULL;
}

/* Without a text: the page is given back, or with `wakes` only a wait for a futex ends. */
static bool do_work(tfp_attach *a, int64_t thread_id, tfp_str text, bool wakes, tfp_method *refusal)
{
    work w = { .a = a,
               .wakes = wakes,
               .text = text,
               .refusal = refusal,
               .cpu = tfp_cpu_new(),
               .tracer = { .pid = (int)thread_id, .memory = a->memory } };
    pthread_t thread;
    if (!w.cpu || pthread_create(&thread, NULL, run, &w))
        tfp_method_refuse(refusal, "low-memory", "tfprof has no memory for the attach");
    else
        pthread_join(thread, NULL);
    if (thread_id == a->pid) a->stopped_ns += w.tracer.held_ns;
    tfp_cpu_free(w.cpu);
    return w.done;
}

bool tfp_attach_queue(tfp_attach *a, tfp_str text, tfp_method *refusal)
{
    if (do_work(a, a->pid, text, false, refusal)) return true;
    tfp_attach_empty(a); /* a call that was broken off may still have queued the text */
    return false;
}

void tfp_attach_unmap(tfp_attach *a, int64_t thread_id)
{
    tfp_method unused;
    if (a->page) do_work(a, thread_id, (tfp_str){ NULL, 0 }, false, &unused);
}

/* Whether the main thread sleeps in the system call futex; also if the kernel does not tell the call. */
static bool waits_for_futex(int64_t pid)
{
    char call[32], futex[16];
    tfp_proc_stat now;
    if (!tfp_proc_stat_read(pid, &now) || now.state != 'S') return false;
    snprintf(futex, sizeof futex, "%d ", SYS_futex);
    return tfp_proc_read(pid, "syscall", call, sizeof call) <= 0 || strncmp(call, futex, strlen(futex)) == 0;
}

void tfp_attach_wake(tfp_attach *a)
{
    tfp_method unused;
    if (a->queued && waits_for_futex(a->pid)) do_work(a, a->pid, (tfp_str){ NULL, 0 }, true, &unused);
}

void tfp_attach_empty(tfp_attach *a)
{
    if (a->page) (void)!pwrite(a->memory, "", 1, (off_t)a->page);
}

/* ---- one at a time ---- */

/* The lock is on the process's memory file: only those who may attach can open that file, the kernel releases the lock when its
 * holder dies, and no file is left behind. */
bool tfp_attach_lock(const tfp_attach *a) { return flock(a->memory, LOCK_EX | LOCK_NB) == 0; }

void tfp_attach_free(tfp_attach *a)
{
    if (a->memory >= 0) close(a->memory);
    if (a->inside >= 0) close(a->inside);
    a->memory = a->inside = -1;
}
