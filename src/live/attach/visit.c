// SPDX-License-Identifier: Apache-2.0
/* live/attach/visit.c: where the files of a thread are that an attach starts in a process, and whether that thread is there. */
#include "live/attach/attach.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <unistd.h>

void tfp_attach_folders(const tfp_attach *a, const char *run_folder, char theirs[TFP_RUN_PATH_MAX],
                        char ours[TFP_RUN_PATH_MAX])
{
    tfp_proc_status status;
    bool known = tfp_proc_status_read(a->pid, &status);
    long long user = known ? status.uid[1] : (long long)geteuid();
    if (a->inside >= 0) {
        snprintf(theirs, TFP_RUN_PATH_MAX, "%s/tfprof-%lld", a->inside_name, user);
        snprintf(ours, TFP_RUN_PATH_MAX, "/proc/self/fd/%d/tfprof-%lld", a->inside, user);
        return;
    }
    if (user != (long long)geteuid())
        snprintf(theirs, TFP_RUN_PATH_MAX, "/tmp/tfprof-%lld", user);
    else
        snprintf(theirs, TFP_RUN_PATH_MAX, "%s", run_folder);
    memcpy(ours, theirs, TFP_RUN_PATH_MAX);
}

/* Lists threads with the name of ours, at most `most`; returns how many. */
static size_t list_threads(int64_t pid, int64_t *out, size_t most)
{
    char path[64], name[300], comm[32];
    size_t count = 0;
    snprintf(path, sizeof path, "/proc/%lld/task", (long long)pid);
    DIR *d = opendir(path);
    for (struct dirent *e; d && count < most && (e = readdir(d));) {
        if (!isdigit((unsigned char)*e->d_name)) continue;
        snprintf(name, sizeof name, "task/%.20s/comm", e->d_name);
        if (tfp_proc_read(pid, name, comm, sizeof comm) > 0 && strncmp(comm, "tfprof-agent\n", 13) == 0)
            out[count++] = strtoll(e->d_name, NULL, 10);
    }
    if (d) closedir(d);
    return count;
}

void tfp_attach_namesakes(int64_t pid, tfp_namesakes *out)
{
    out->count = list_threads(pid, out->threads, TFP_NAMESAKES_MOST);
}

int64_t tfp_attach_thread(int64_t pid, const tfp_namesakes *before)
{
    int64_t threads[TFP_NAMESAKES_MOST + 1];
    size_t count = list_threads(pid, threads, TFP_NAMESAKES_MOST + 1);
    for (size_t i = 0; i < count; i++) {
        size_t k = 0;
        while (k < before->count && before->threads[k] != threads[i]) k++;
        if (k == before->count) return threads[i];
    }
    return 0;
}
