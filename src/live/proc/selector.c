// SPDX-License-Identifier: Apache-2.0
/* live/proc/selector.c: whether a selector means a process: by the file name of its script or program, or by the number or name that a
 * scheduler has put into its environment: slurm@4711, slurm@4711_2 (of an array), k8s@trainer-0 (a pod, or the job of it). */
#include "live/proc/proc.h"

#include <stdio.h>

#define ID_ROOM 256

/* Whether an environment variable has exactly this value. */
static bool has(int64_t pid, const char *variable, const char *value)
{
    char text[ID_ROOM];
    return tfp_proc_setting(pid, variable, text, sizeof text) && strcmp(text, value) == 0;
}

static bool is_slurm_job(int64_t pid, const char *id)
{
    char array[ID_ROOM], task[32], both[ID_ROOM + 40];
    if (has(pid, "SLURM_JOB_ID", id) || has(pid, "SLURM_JOBID", id) || has(pid, "SLURM_ARRAY_JOB_ID", id)) return true;
    if (!strchr(id, '_') || !tfp_proc_setting(pid, "SLURM_ARRAY_JOB_ID", array, sizeof array) ||
        !tfp_proc_setting(pid, "SLURM_ARRAY_TASK_ID", task, sizeof task))
        return false;
    snprintf(both, sizeof both, "%s_%s", array, task);
    return strcmp(both, id) == 0;
}

/* Whether this is the name of the process's pod, which HOSTNAME holds. The other variables are set by manifests through
 * the downward API. */
static bool is_pod(int64_t pid, const char *id)
{
    static const char *const variables[] = { "POD_NAME", "MY_POD_NAME", "POD_UID", "JOB_NAME", "HOSTNAME" };
    char text[ID_ROOM];
    if (!tfp_proc_setting(pid, "KUBERNETES_SERVICE_HOST", text, sizeof text)) return false;
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        if (has(pid, variables[i], id)) return true;
    return false;
}

bool tfp_proc_is_called(int64_t pid, const char *selector)
{
    static const struct {
        const char *begin;
        bool (*is)(int64_t pid, const char *id);
    } kinds[] = { { "slurm@", is_slurm_job }, { "k8s@", is_pod } };
    char program[256];
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        size_t size = strlen(kinds[i].begin);
        if (strncmp(selector, kinds[i].begin, size) == 0 && selector[size] && kinds[i].is(pid, selector + size))
            return true;
    }
    tfp_proc_program(pid, program, sizeof program);
    return strcmp(program, selector) == 0;
}
