// SPDX-License-Identifier: Apache-2.0
/* live/attach/attach.h: running a line of Python in a process that nobody prepared. Its main thread is stopped for less than a millisecond,
 * calls mmap for a page of our own and Py_AddPendingCall with the text in that page, and goes on; the interpreter runs the text at
 * its next safe point. Everything needed is found before that (find.c); the order of stages is in attach.c, the calls of ptrace in
 * tracer.c, registers in cpu_*.c, the text in text.c.
 *
 * The rules (each has a test in tests/live/attach.py): no code, data or stack in use is written to; all registers are saved and
 * come back, vectors among them; the thread finds its way home when the tracer is killed; no other thread is stopped; what is not
 * known to be safe is refused. */
#ifndef TFP_LIVE_ATTACH_H
#define TFP_LIVE_ATTACH_H

#include "live/python/python.h"
#include "live/files/run.h"

typedef struct tfp_attach {
    int64_t pid, start_ticks;
    /* identify the program that was looked at: a process that has run another one since is left alone */
    int64_t code_start, stack_start;
    uint64_t device, file;
    /* addresses in the process */
    uint64_t run, add;         /* PyRun_SimpleString, Py_AddPendingCall */
    uint64_t map, unmap, home; /* of libc: mmap, munmap, the code that ends a signal handler */
    uint64_t mutex;            /* the PyMutex that Py_AddPendingCall takes; 0: it takes another kind of lock */
    uint64_t page, page_size;  /* the page that we mapped in the process; 0: none yet */
    int memory;                /* /proc/PID/mem; -1: not open */
    /* for a process with its own files or its own process numbers, as in a container */
    int64_t inner_pid; /* its own number for itself */
    /* a folder in its file system for the agent's files; -1: it sees the same files as we do */
    int inside;
    const char *inside_name; /* its name for that folder */
    int64_t stopped_ns;      /* how long the main thread was held by ptrace */
    bool queued;             /* the interpreter was told to run the text */
} tfp_attach;

/* Looks at a process and changes nothing. False: the attach is refused, *method says why. */
bool tfp_attach_find(int64_t pid, int64_t start_ticks, tfp_attach *out, tfp_method *refusal);
/* Allows one attach to a process at a time. False: another tfprof is attached. */
bool tfp_attach_lock(const tfp_attach *a);
/* Makes the interpreter run a text of Python at its next safe point. False: it cannot, *method says why; the process goes
 * on unharmed. */
bool tfp_attach_queue(tfp_attach *a, tfp_str text, tfp_method *refusal);
/* Ends a wait for a lock in the main thread, so that the interpreter runs the queued text. A thread that was about to wait when
 * the text was queued did not see it, and would run it only after that wait. */
void tfp_attach_wake(tfp_attach *a);
/* Empties a text that has not run yet. A process that stays in C code for long would otherwise run it after the caller
 * gave up. */
void tfp_attach_empty(tfp_attach *a);
/* Unmaps the page after the text has run. The agent's thread, which the text started, makes the call, so that the job is not held. */
void tfp_attach_unmap(tfp_attach *a, int64_t thread_id);
void tfp_attach_free(tfp_attach *a);

/* Whether an attach is possible at all, as far as a quick look tells. */
bool tfp_attach_allowed(int64_t pid, const tfp_proc_status *status, tfp_method *refusal);

/* visit.c: the run folder of the process's user, as the process names it and as we do. Root's own folder serves only root's
 * processes. */
void tfp_attach_folders(const tfp_attach *a, const char *run_folder, char theirs[TFP_RUN_PATH_MAX],
                        char ours[TFP_RUN_PATH_MAX]);
/* Threads of the process that had the name of ours before the attach. */
enum { TFP_NAMESAKES_MOST = 16 };
typedef struct tfp_namesakes {
    int64_t threads[TFP_NAMESAKES_MOST];
    size_t count;
} tfp_namesakes;
void tfp_attach_namesakes(int64_t pid, tfp_namesakes *out);
/* A thread that the attach started; 0: there is none. */
int64_t tfp_attach_thread(int64_t pid, const tfp_namesakes *before);

/* text.c: the text that starts the agent, for a process. */
typedef struct tfp_attach_settings {
    const char *folder; /* folder of the agent's files, as the process sees it */
    /* tfprof's process, as the target sees it; the agent leaves when tfprof has ended. 0: not visible */
    int64_t watch_pid, watch_ticks;
    int64_t until_unix_seconds; /* after this time the agent expects no connection */
    bool keep;
    bool flights; /* starts torch's own server of its flight recorder instead of the agent */
    bool ranked;  /* even before the process has a process group of torch.distributed */
} tfp_attach_settings;
void tfp_attach_text(const tfp_attach_settings *w, tfp_buf *out);

#endif
