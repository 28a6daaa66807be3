// SPDX-License-Identifier: Apache-2.0
/* live/files/run_folder.h: the run folder, in which agents show themselves: PID.json tells of the process, PID.sock answers, PID.steps
 * counts. The folder is the user's own, 0700 and no link, so that nobody else can put an agent there. */
#ifndef TFP_LIVE_RUNDIR_H
#define TFP_LIVE_RUNDIR_H

#include "live/proc/proc.h"

#define TFP_RUN_PATH_MAX 80 /* so that PID.sock behind it fits into the address of a socket */

typedef struct tfp_agent {
    char socket[108];
    bool counts;     /* steps are counted in `steps` */
    int64_t steps;   /* since the start of the process */
    int64_t step_ns; /* the end of the last one by the monotonic clock; 0: none has ended */
    char what[32];   /* their name: "optimizer steps" */
} tfp_agent;

/* $TFPROF_RUN_DIR, else $XDG_RUNTIME_DIR/tfprof, else /tmp/tfprof-UID. With `make` it is there afterwards, and absolute. One that is not there is
 * fine without; one that is not safe is TFP_BADFILE. */
tfp_status tfp_run_folder(char out[TFP_RUN_PATH_MAX], bool make, tfp_error *err);
/* A run folder that was found, held as a descriptor; -1: it is not there, or not safe any more. */
int tfp_run_folder_open(const char *path);
/* Finds the agent of a process by the process's number and start; false: it has none. Root also finds agents of the process's own user. With a
 * user (uid 0 or more) agents in containers are found, too, which takes some reading. Entries of processes that ended do not count. */
bool tfp_agent_find(const char *folder, int64_t pid, int64_t start_ticks, int64_t uid, tfp_agent *out);
/* The contents of PID.json: false when it is no JSON object of such a process. */
bool tfp_agent_parse(tfp_str json, int64_t *pid, int64_t *start_ticks, char *what, size_t room);

#endif
