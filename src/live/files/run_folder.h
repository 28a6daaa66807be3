// SPDX-License-Identifier: Apache-2.0
/* live/files/run_folder.h: the run folder, where agents announce themselves: PID.json describes the process, PID.sock answers
 * requests, PID.steps holds counts. The folder is the user's own, with mode 0700 and no link, so that nobody else can put an agent
 * there. */
#ifndef TFP_LIVE_RUNDIR_H
#define TFP_LIVE_RUNDIR_H

#include "live/proc/proc.h"

#define TFP_RUN_PATH_MAX 80 /* short enough that PID.sock after it fits into a socket address */

typedef struct tfp_agent {
    char socket[108];
    bool counts;     /* steps are counted in `steps` */
    int64_t steps;   /* since the start of the process */
    int64_t step_ns; /* when the last one ended, by the monotonic clock; 0: none has ended */
    char what[32];   /* their name: "optimizer steps" */
} tfp_agent;

/* The name: $TFPROF_RUN_DIR, else $XDG_RUNTIME_DIR/tfprof, else /tmp/tfprof-UID. With `make` the folder is created if needed, and the name is
 * absolute. Without `make` the folder may be missing. A folder that is not safe is TFP_BADFILE. */
tfp_status tfp_run_folder(char out[TFP_RUN_PATH_MAX], bool make, tfp_error *err);
/* Opens a run folder that was found; returns its descriptor. -1: it is gone, or not safe any more. */
int tfp_run_folder_open(const char *path);
/* Finds the agent of a process by process number and start time; false: it has none. Root also finds agents of the process's own user. With a
 * user (uid 0 or more) agents in containers are found too, for which more files are read. Entries of processes that ended do not count. */
bool tfp_agent_find(const char *folder, int64_t pid, int64_t start_ticks, int64_t uid, tfp_agent *out);
/* Parses the contents of PID.json. False: it is no JSON object of an agent. */
bool tfp_agent_parse(tfp_str json, int64_t *pid, int64_t *start_ticks, char *what, size_t room);

#endif
