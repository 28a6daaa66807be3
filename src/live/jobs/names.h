// SPDX-License-Identifier: Apache-2.0
/* live/jobs/names.h: what rarely changes of a job's first process: kept between two samples of the table `top`. */
#ifndef TFP_LIVE_NAMES_H
#define TFP_LIVE_NAMES_H

#include "live/jobs/jobs.h"
#include "live/files/method.h"

typedef struct tfp_live_names {
    char user[64]; /* "": not known */
    char version[64], container[16], command[4097];
    const char *capture; /* what a capture would use; lives for ever */
    /* what that was decided by */
    char state;
    int64_t uid, tracer, run_changed_ns;
    unsigned frameworks;
} tfp_live_names;

/* When an entry was last put into the run folder or taken out of it; -1: there is none. */
int64_t tfp_run_changed_ns(const char *run_folder);
/* Reads the names of a process when it is its turn, and the way of a capture also when something that decides it has changed.
 * run_changed_ns: of tfp_run_changed_ns. False without memory. */
bool tfp_live_names_read(const char *run_folder, int64_t run_changed_ns, tfp_live_process *p);

/* The version of the framework whose library this is; false when no dist-info tells. */
bool tfp_live_version(int64_t pid, const char *library, char *out, size_t room);

#endif
