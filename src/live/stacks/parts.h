// SPDX-License-Identifier: Apache-2.0
/* live/stacks/parts.h: what the files of `stacks` share: a sampler of a process, and of those that it started. */
#ifndef TFP_LIVE_STACKS_PARTS_H
#define TFP_LIVE_STACKS_PARTS_H

#include "live/stacks/perf.h"
#include "live/python/python.h"
#include "live/jobs/top.h"
#include "live/stacks/stacks.h"
#include "base/base.h"

typedef struct watched { /* a thread */
    int64_t tid;
    int fd; /* of its stat; -1 */
    tfp_strid name;
    int64_t cpu_ns; /* when native stacks looked at it last */
} watched;

typedef struct known_code { /* a code object whose function is known */
    tfp_code_copy copy;
    uint32_t function;
    uint64_t seen; /* the stack for which it was found to be the same, by number */
} known_code;

typedef struct tfp_stacked { /* a process whose stacks are sampled */
    tfp_python python;
    TFP_VEC(known_code) codes;
    tfp_map64 by_code; /* address -> codes */
    size_t next;       /* the thread with which the next look begins */
    bool ended;
} tfp_stacked;

typedef struct tfp_native tfp_native; /* live/stacks/native.c */

typedef struct tfp_sampler {
    TFP_VEC(tfp_stacked *) processes; /* the one that was named, then those that it started */
    tfp_stacked *at;                  /* the one that is looked at now */
    tfp_python *python;               /* of that */
    tfp_map64 by_pid;                 /* -> processes */
    bool children;                    /* processes that it started are sampled, too */
    int64_t looked_ns;                /* when these were looked for last */
    size_t unread;                    /* started processes that may not or cannot be read */
    char unread_why[440];             /* of the last one */
    tfp_report *r;
    tfp_strtab names, keys; /* functions by name; stacks by thread and functions */
    tfp_map64 by_name;      /* name -> function */
    TFP_VEC(tfp_stack_function) functions;
    TFP_VEC(int64_t) counts; /* by key */
    TFP_VEC(tfp_stack_moment) moments;
    TFP_VEC(watched) threads;
    tfp_map64 by_tid;
    tfp_python_thread *seen;
    tfp_live_frame *frames;
    uint32_t *key; /* thread, functions */
    tfp_buf file, function, text;
    int64_t samples, torn, ticks;
    int64_t locked;       /* looks in which a thread held the interpreter's lock */
    int64_t begun_ns;     /* sampling */
    int64_t until_ns;     /* nothing is read after it */
    bool late;            /* a stack was not read because of that */
    int64_t cut;          /* stacks that have more frames than are read */
    int64_t changed;      /* frames that were another's before their local variables were read */
    bool many_threads;    /* more than are looked at */
    uint64_t stack_bytes; /* bytes of all counted stacks as text */
    uint64_t stack;       /* number of the stack that is named now */
    const char *full;     /* the limit that ended it; NULL: none */
    bool nomem;
} tfp_sampler;

/* What is read of another process may be invented, so that what is kept of it has limits: bytes of names, of stacks, and of stacks written
 * out; threads; rows. A process that is what it seems is far below all of them. */
#define TFP_STACKS_NAMES_MOST ((size_t)48 << 20)
#define TFP_STACKS_KEYS_MOST ((size_t)48 << 20)
#define TFP_STACKS_TEXT_MOST ((uint64_t)256 << 20)
#define TFP_STACKS_THREADS_MOST 16384
#define TFP_STACKS_ROWS_MOST 200000
#define TFP_STACKS_MOMENTS_MOST 2000000
#define TFP_STACKS_CODES_MOST 16384 /* code objects of a process that are remembered */
#define TFP_STACKS_PROCESSES_MOST 512
#define TFP_STACKS_ONCE_NS ((int64_t)2 * 1000000000) /* for one reading of every thread */

#define TFP_STACKS_TRIES 5         /* of a stack that is torn */
#define TFP_STACKS_NATIVE_MOST 512 /* native frames of a stack */

/* ---- processes: live/stacks/processes.c ---- */

/* Adds the process that was named. False without memory. */
bool tfp_stacks_begin(tfp_sampler *s, const tfp_python *python);
/* Goes on with this process. */
void tfp_stacks_go_to(tfp_sampler *s, size_t process);
/* Adds what the processes started, if it is time to look, or `now`. */
void tfp_stacks_find_children(tfp_sampler *s, bool now);
/* Threads of the process that is looked at, in s->seen; -1: it has ended. */
long tfp_stacks_list(tfp_sampler *s);
void tfp_stacks_end(tfp_sampler *s);

/* ---- names: live/stacks/names.c ---- */

/* A copy in the report; "" without memory, and the limit is looked at. */
tfp_str tfp_stacks_kept(tfp_sampler *s, tfp_str text);
/* The function with this name, which is added when it is new; TFP_NONE without memory, and when a limit is reached. */
uint32_t tfp_stacks_function_of(tfp_sampler *s, tfp_str name, tfp_stack_function f);
/* The functions of s->frames, as key[1] and on. False: torn, over, or no memory. */
bool tfp_stacks_name(tfp_sampler *s, size_t depth);
/* FILE:LINE:FUNCTION with the line at which the frame is. */
tfp_str tfp_stacks_frame_text(tfp_sampler *s, uint32_t function, const tfp_live_frame *frame);

/* ---- threads and samples: live/stacks/read.c ---- */

/* A thread of the process that is looked at. NULL without memory, and when there are too many. */
watched *tfp_stacks_thread(tfp_sampler *s, int64_t tid);
/* R, S ...; 0: it has ended, or is not known. */
char tfp_stacks_state(const tfp_sampler *s, const watched *w);
/* When the look after this one is due. One that is late is made all the same, so that a short wait for a CPU loses none. */
int64_t tfp_stacks_next_look(int64_t due_ns, int64_t step_ns, int64_t now_ns);
/* Whether nothing more is to be read: the time is over, a limit is reached, or there is no memory. */
bool tfp_stacks_over(const tfp_sampler *s);
/* Reads a stack until two readings agree. Gives the number of frames, whose functions are key[1] and on; -1: it changed during each reading;
 * 0: there is none, or sampling is over. */
long tfp_stacks_read(tfp_sampler *s, uint64_t state);
/* Counts a sample of this thread, whose functions are key[1] and on: the number of its stack, TFP_NONE when it is not counted. */
tfp_strid tfp_stacks_count(tfp_sampler *s, tfp_strid thread, size_t depth, int64_t count);
/* When it was: a sample of the thread with this number in `threads`. */
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
/* A row of this thread without a frame. False without memory. */
bool tfp_stacks_row(tfp_sampler *s, int64_t tid, threads_row *out);
tfp_status tfp_threads_fill(tfp_report *r, const threads_rows *rows, bool locals, tfp_error *err);
/* One reading of every thread. */
tfp_status tfp_stacks_once(tfp_sampler *s, const tfp_stacks_wish *wish, tfp_error *err);
/* Says which limits were reached. */
tfp_status tfp_stacks_note_limits(tfp_sampler *s, tfp_error *err);

/* Native stacks beside Python's: begun, asked for until the time is up, and added to what was counted. live/stacks/native.c */
tfp_status tfp_native_begin(tfp_sampler *s, const tfp_stacks_wish *wish, tfp_native **out, tfp_error *err);
/* Takes samples until then; false when the process is gone. */
bool tfp_native_sample(tfp_native *n, int64_t until_ns);
/* Names and counts, and what is to be said of them. */
tfp_status tfp_native_end(tfp_native *n, tfp_error *err);
/* One reading of every thread. */
tfp_status tfp_native_once(tfp_native *n, threads_rows *rows, tfp_error *err);
void tfp_native_free(tfp_native *n);

#endif
