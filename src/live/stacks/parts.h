// SPDX-License-Identifier: Apache-2.0
/* live/stacks/parts.h: what the files of `stacks` share: a sampler of a process and of the processes that it
 * started. */
#ifndef TFP_LIVE_STACKS_PARTS_H
#define TFP_LIVE_STACKS_PARTS_H

#include "live/stacks/perf.h"
#include "live/python/python.h"
#include "live/jobs/top.h"
#include "live/stacks/stacks.h"
#include "base/base.h"

typedef struct watched { /* a thread that is sampled */
    int64_t tid;
    int fd; /* descriptor of its stat file; -1: closed */
    tfp_strid name;
    int64_t cpu_ns; /* its CPU time when native sampling last looked at it */
} watched;

typedef struct known_code { /* a code object whose function is known */
    tfp_code_copy copy;
    uint32_t function;
    uint64_t seen; /* number of the last stack for which it was found unchanged */
} known_code;

typedef struct tfp_stacked { /* a process whose stacks are sampled */
    tfp_python python;
    TFP_VEC(known_code) codes;
    tfp_map64 by_code; /* address -> index in codes */
    size_t next;       /* the thread at which the next look begins */
    bool ended;
} tfp_stacked;

typedef struct tfp_native tfp_native; /* live/stacks/native.c */

/* The process that was named, and those that it started: processes.c. */
typedef struct tfp_sampled_family {
    TFP_VEC(tfp_stacked *) list; /* the process that was named comes first */
    tfp_map64 by_pid;            /* process number -> index in list */
    bool children;               /* sample the processes that the named one started, too */
    int64_t looked_ns;           /* when new processes were last looked for */
    size_t unread;               /* number of started processes that cannot be read */
    char unread_why[440];        /* the reason for the last of them */
} tfp_sampled_family;

/* The functions that were met, and buffers for naming them: names.c. */
typedef struct tfp_sampled_functions {
    tfp_strtab names;
    tfp_map64 by_name; /* name -> index in list */
    TFP_VEC(tfp_stack_function) list;
    tfp_buf file, function;
    int64_t changed; /* frames that had been replaced before their local variables were read */
} tfp_sampled_functions;

/* The stacks that were counted: read.c; native.c adds its own. */
typedef struct tfp_sampled_stacks {
    tfp_strtab keys;         /* stacks as thread and functions */
    TFP_VEC(int64_t) counts; /* samples of each key */
    TFP_VEC(tfp_stack_moment) moments;
    int64_t samples;
    uint64_t bytes; /* of all counted stacks as text */
    int64_t cut;    /* stacks with more frames than are read */
} tfp_sampled_stacks;

/* The threads that were sampled: read.c; processes.c finds that there are too many. */
typedef struct tfp_sampled_threads {
    TFP_VEC(watched) list;
    tfp_map64 by_tid;
    bool too_many; /* there are more threads than are read */
} tfp_sampled_threads;

/* The looks at the threads, and how they went: stacks.c and once.c. */
typedef struct tfp_sampled_looks {
    int64_t begun_ns; /* when sampling began */
    int64_t until_ns; /* when reading must end */
    int64_t ticks, torn;
    int64_t locked; /* looks in which a thread held the interpreter's lock */
    bool late;      /* a stack was not read because the time was over */
} tfp_sampled_looks;

typedef struct tfp_sampler {
    tfp_report *r;
    tfp_sampled_family processes;
    tfp_sampled_functions functions;
    tfp_sampled_stacks stacks;
    tfp_sampled_threads threads;
    tfp_sampled_looks looks;
    tfp_stacked *at;         /* the process that is being read */
    tfp_python *python;      /* its interpreter */
    tfp_python_thread *seen; /* its threads */
    tfp_live_frame *frames;  /* of the stack that is being read */
    uint32_t *key;           /* buffer for a key: thread, then functions */
    uint64_t stack;          /* number of the stack whose functions are being named */
    tfp_buf text;
    const char *full; /* the limit that ended sampling; NULL: none */
    bool nomem;
} tfp_sampler;

/* What is read from another process may be forged, so what is kept of it is limited: bytes of names, of stacks, and of stacks as text;
 * threads; rows. A real process stays far below all limits. */
#define TFP_STACKS_NAMES_MOST ((size_t)48 << 20)
#define TFP_STACKS_KEYS_MOST ((size_t)48 << 20)
#define TFP_STACKS_TEXT_MOST ((uint64_t)256 << 20)
#define TFP_STACKS_THREADS_MOST 16384
#define TFP_STACKS_ROWS_MOST 200000
#define TFP_STACKS_MOMENTS_MOST 2000000
#define TFP_STACKS_CODES_MOST 16384 /* most code objects that are remembered per process */
#define TFP_STACKS_PROCESSES_MOST 512
#define TFP_STACKS_ONCE_NS ((int64_t)2 * 1000000000) /* longest time for one reading of every thread */

#define TFP_STACKS_TRIES 5         /* how often a torn stack is read again */
#define TFP_STACKS_NATIVE_MOST 512 /* most native frames of a stack */

/* ---- processes: live/stacks/processes.c ---- */

/* Adds the process that was named. False: out of memory. */
bool tfp_stacks_begin(tfp_sampler *s, const tfp_python *python);
/* Makes this process the one that is read. */
void tfp_stacks_go_to(tfp_sampler *s, size_t process);
/* Adds processes that the sampled ones started, if it is time to look, or if `now` is set. */
void tfp_stacks_find_children(tfp_sampler *s, bool now);
/* Lists the threads of the current process in s->seen; -1: it has ended. */
long tfp_stacks_list(tfp_sampler *s);
void tfp_stacks_end(tfp_sampler *s);

/* ---- names: live/stacks/names.c ---- */

/* A copy in the report; "" when memory is out. Counts against the limit. */
tfp_str tfp_stacks_kept(tfp_sampler *s, tfp_str text);
/* The function with this name, added when it is new; TFP_NONE when memory is out or a limit is reached. */
uint32_t tfp_stacks_function_of(tfp_sampler *s, tfp_str name, tfp_stack_function f);
/* Writes the functions of s->frames from key[1] on. False: torn, time over, or out of memory. */
bool tfp_stacks_name(tfp_sampler *s, size_t depth);
/* FILE:LINE:FUNCTION with the frame's current line. */
tfp_str tfp_stacks_frame_text(tfp_sampler *s, uint32_t function, const tfp_live_frame *frame);

/* ---- threads and samples: live/stacks/read.c ---- */

/* A thread of the current process. NULL: out of memory, or too many threads. */
watched *tfp_stacks_thread(tfp_sampler *s, int64_t tid);
/* The state R, S ...; 0: the thread has ended, or its state is not known. */
char tfp_stacks_state(const tfp_sampler *s, const watched *w);
/* When the next look is due. A look that is late is not skipped, so that a short wait for a CPU loses no sample. */
int64_t tfp_stacks_next_look(int64_t due_ns, int64_t step_ns, int64_t now_ns);
/* Whether reading must stop: the time is over, a limit is reached, or memory is out. */
bool tfp_stacks_over(const tfp_sampler *s);
/* Reads a stack until two readings agree. Returns the number of frames and writes their functions from key[1] on; -1: it changed during each
 * reading; 0: there is none, or sampling is over. */
long tfp_stacks_read(tfp_sampler *s, uint64_t state);
/* Counts a sample of this thread whose functions are in key[1] and following. Returns the number of its stack; TFP_NONE: it was
 * not counted. */
tfp_strid tfp_stacks_count(tfp_sampler *s, tfp_strid thread, size_t depth, int64_t count);
/* Records the time of a sample; `thread` is an index in `threads`. */
void tfp_stacks_moment(tfp_sampler *s, size_t thread, tfp_strid stack, uint32_t look, int64_t now_ns);

/* ---- tables of all that was counted, and of one reading: live/stacks/table.c, live/stacks/once.c ---- */

tfp_stacks *tfp_stacks_keep(tfp_sampler *s);
tfp_status tfp_stacks_fill(tfp_report *r, const tfp_stacks *all, tfp_error *err);

typedef struct threads_row {
    int64_t tid;
    tfp_str thread, state;
    int64_t depth;
    tfp_str name, kind, locals;
} threads_row;
typedef TFP_VEC(threads_row) threads_rows;
/* Adds a row without a frame for this thread. False: out of memory. */
bool tfp_stacks_row(tfp_sampler *s, int64_t tid, threads_row *out);
tfp_status tfp_threads_fill(tfp_report *r, const threads_rows *rows, bool locals, tfp_error *err);
/* Reads every thread once. */
tfp_status tfp_stacks_once(tfp_sampler *s, const tfp_stacks_settings *settings, tfp_error *err);
/* Says which limits were reached. */
tfp_status tfp_stacks_note_limits(tfp_sampler *s, tfp_error *err);

/* Native stacks in addition to Python's: begin, sample until the time is up, add to the counts. live/stacks/native.c */
tfp_status tfp_native_begin(tfp_sampler *s, const tfp_stacks_settings *settings, tfp_native **out, tfp_error *err);
/* Takes samples until that time; false when the process is gone. */
bool tfp_native_sample(tfp_native *n, int64_t until_ns);
/* Names the frames, adds the counts, and adds notes. */
tfp_status tfp_native_end(tfp_native *n, tfp_error *err);
/* Reads every thread once. */
tfp_status tfp_native_once(tfp_native *n, threads_rows *rows, tfp_error *err);
void tfp_native_free(tfp_native *n);

#endif
