// SPDX-License-Identifier: Apache-2.0
/* live/jobs/names.h: facts about a job's first process that rarely change, kept from one sample of the table `top` to
 * the next. */
#ifndef TFP_LIVE_NAMES_H
#define TFP_LIVE_NAMES_H

#include "live/jobs/jobs.h"
#include "live/files/method.h"

typedef struct tfp_live_names {
    char user[64]; /* "": not known */
    char version[64], container[16], command[4097], program[256];
    const char *capture; /* how it can be captured; valid for ever */
    /* the process state by which that was decided */
    char state;
    int64_t uid, tracer, run_changed_ns;
    unsigned frameworks;
} tfp_live_names;

/* When an entry was last added to the run folder or removed from it; -1: there is no folder. */
int64_t tfp_run_changed_ns(const char *run_folder);
/* Reads the names of a process when it is its turn, and the method of a capture also when something that decides it has changed.
 * run_changed_ns: what tfp_run_changed_ns returned. False: out of memory. */
bool tfp_live_names_read(const char *run_folder, int64_t run_changed_ns, tfp_live_process *p);

/* The version of the framework that this library belongs to; false when no dist-info folder names one. */
bool tfp_live_version(int64_t pid, const char *library, char *out, size_t room);

#endif
