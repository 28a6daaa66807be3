// SPDX-License-Identifier: Apache-2.0
/* live/proc/proc.h: what /proc tells about processes: short texts, parsed. It knows nothing of jobs, and of frameworks
 * only the names of their libraries. Every read is bounded; a process that ends meanwhile gives an absent answer, never an
 * error. */
#ifndef TFP_LIVE_PROC_H
#define TFP_LIVE_PROC_H

#include "base/base.h"

/* /proc/PID/stat */
typedef struct tfp_proc_stat {
    int64_t pid, parent, threads, start_ticks; /* start_ticks: since boot, field 22 */
    /* user and system time of all threads; of children that were waited for */
    int64_t cpu_ticks, child_cpu_ticks;
    int64_t memory_bytes, resident_bytes; /* size of the address space, and what of it is in memory */
    int64_t major_faults;                 /* of all threads: pages that were read from a disk */
    int64_t code_start, stack_start;      /* addresses, new with every exec; 0: not known */
    char state;                           /* R S D T t Z X ... */
} tfp_proc_stat;

/* /proc/PID/status; -1 where a line is missing */
typedef struct tfp_proc_status {
    int64_t uid[4], gid[4]; /* real, effective, saved, file system */
    int64_t anonymous_bytes, file_bytes, shared_bytes;
    int64_t tracer;
    int64_t inner_pid;                /* in its own pid namespace; -1: not known */
    int64_t seccomp, seccomp_filters; /* 0: none */
    bool shadow_stack;                /* the processor checks return addresses */
} tfp_proc_status;

typedef enum tfp_framework {
    TFP_FRAMEWORK_JAX = 1,
    TFP_FRAMEWORK_TENSORFLOW = 2,
    TFP_FRAMEWORK_TORCH = 4,
    TFP_FRAMEWORK_CUDA = 8,   /* set only where none of the three above is */
    TFP_FRAMEWORK_PYTHON = 16 /* a CPython; set only when asked for */
} tfp_framework;

/* /proc/PID/maps: the frameworks that are mapped, and the library by which each was found. */
typedef struct tfp_proc_maps {
    unsigned frameworks;
    char library[4][512]; /* path of the first library of jax, tensorflow, torch, cuda; "": none */
    bool unreadable;      /* we may not read it */
} tfp_proc_maps;

/* Whether this many descriptors (at most 16) can still be opened. Without any, every file in /proc would seem to be
 * missing. */
bool tfp_files_left(size_t count);
/* The same as a status: TFP_LIMIT and the reason. */
tfp_status tfp_need_files(size_t count, tfp_error *err);
/* Reads a file below /proc/PID into buf and adds a NUL. Returns the number of bytes; -1: it cannot be read (errno says
 * why). */
long tfp_proc_read(int64_t pid, const char *name, char *buf, size_t room);
/* The same through a descriptor that stays open for the next reading, which then costs a third: *fd is -1 before the first one. The
 * descriptor belongs to the process that was opened; if that has ended, the file of the same number is opened again. */
long tfp_proc_read_kept(int64_t pid, const char *name, int *fd, char *buf, size_t room);
bool tfp_proc_stat_read(int64_t pid, tfp_proc_stat *out);
/* CPU time of all its threads, finer than the ticks of stat: it stays the same only while none of them runs. -1: not
 * known. */
int64_t tfp_proc_cpu_ns(int64_t pid);
bool tfp_proc_stat_parse(tfp_str text, tfp_proc_stat *out);
double tfp_proc_age(const tfp_proc_stat *stat); /* seconds since the process began */
bool tfp_proc_status_read(int64_t pid, tfp_proc_status *out);
void tfp_proc_status_parse(tfp_str text, tfp_proc_status *out);
bool tfp_proc_maps_read(int64_t pid, tfp_proc_maps *out);
/* Parses one line of maps and adds what its path tells. */
void tfp_proc_maps_line(tfp_str line, tfp_proc_maps *out);
/* /proc/PID/io */
bool tfp_proc_io_parse(tfp_str text, int64_t *read_bytes, int64_t *write_bytes);
/* The short id of the container that a cgroup path names, "" when it names none. */
void tfp_proc_container(tfp_str cgroup, char out[16]);
/* Arguments joined by blanks, at most `room` - 1 bytes; a kernel thread or zombie has "". */
size_t tfp_proc_command(int64_t pid, char *out, size_t room);
/* A variable of the environment with which it was started. False: it is not set, is empty, or does not fit. */
bool tfp_proc_setting(int64_t pid, const char *name, char *out, size_t room);
/* File name of the script or program: train.py of "python -u /x/train.py"; of /proc/PID/cmdline, or of its text. */
void tfp_proc_program(int64_t pid, char *out, size_t room);
void tfp_proc_program_of(tfp_str cmdline, char *out, size_t room);
/* Whether `selector` is its file name, or a scheduler's number or name for it. live/proc/selector.c */
bool tfp_proc_is_called(int64_t pid, const char *selector);

#define TFP_FRAMEWORK_ROOM 64 /* room for all names */
/* Names of frameworks, such as "jax|torch"; false and an empty text when there is none (CPython is not named). */
bool tfp_framework_names(unsigned frameworks, char text[TFP_FRAMEWORK_ROOM]);

#endif
