// SPDX-License-Identifier: Apache-2.0
/* live/files/results.c: the folder for what run and capture record. It belongs to us alone and is held as a descriptor, so that files
 * are written into it whatever happens to its name. */
#include "live/files/run.h"

#include "base/io.h"
#include "base/place.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { NAMES_MOST = 100 }; /* how many names by date and time are tried; another user may have taken the first ones */

/* tfprof-VERB-DATE-TIME, then the same with a number added, then with a random one that nobody can foresee. */
static void name_by_time(const char *verb, int turn, char *name, size_t room)
{
    struct timespec now;
    struct tm t;
    clock_gettime(CLOCK_REALTIME, &now);
    localtime_r(&now.tv_sec, &t);
    size_t n = (size_t)snprintf(name, room, "tfprof-%s-", verb);
    n += strftime(name + n, room - n, "%Y%m%d-%H%M%S", &t);
    if (turn > NAMES_MOST / 2)
        snprintf(name + n, room - n, "-%09ld", now.tv_nsec);
    else if (turn)
        snprintf(name + n, room - n, "-%d", turn + 1);
}

/* Makes it in the current folder. */
static tfp_status make_by_time(const char *verb, int *folder, tfp_error *err)
{
    tfp_place p;
    bool unused;
    tfp_status s = tfp_place_find(".", &p, err);
    if (s) return s;
    p.there = false;
    int error = EEXIST;
    for (int turn = 0; error == EEXIST && turn < NAMES_MOST; turn++) {
        name_by_time(verb, turn, p.name, sizeof p.name);
        error = mkdirat(p.folder, p.name, 0700) ? errno : 0;
    }
    s = error ? tfp_fail(err, TFP_BADOUTPUT, "%s: %s", p.name, strerror(error))
              : tfp_folder_open(&p, p.name, &unused, folder, err);
    tfp_place_free(&p);
    return s;
}

/* Closes an existing folder to others. Files that others put into it before would be taken for ours, so it must be empty
 * afterwards. */
static tfp_status close_to_others(int folder, const char *path, tfp_error *err)
{
    struct stat st;
    if (!tfp_folder_is_empty(folder)) return tfp_fail(err, TFP_BADOUTPUT, "%s: the folder is not empty", path);
    if (fstat(folder, &st) || fchmod(folder, 0700))
        return tfp_fail(err, TFP_BADOUTPUT, "%s: %s", path, strerror(errno));
    if (tfp_folder_is_empty(folder)) return TFP_OK;
    (void)!fchmod(folder, st.st_mode & 07777);
    return tfp_fail(err, TFP_BADOUTPUT, "%s: the folder is not empty", path);
}

tfp_status tfp_live_folder(const char *path, const char *verb, int *folder, char *shown, size_t room, tfp_error *err)
{
    tfp_place p;
    bool made;
    tfp_status s;
    tfp_error_clear(err);
    if (!folder || !shown || !room || (!path && !verb))
        return tfp_fail(err, TFP_BADARG, "no name, or nowhere to put the folder");
    *folder = -1;
    if (!path) {
        s = make_by_time(verb, folder, err);
    } else if (!(s = tfp_place_find(path, &p, err))) {
        s = tfp_folder_open(&p, path, &made, folder, err);
        if (!s && !made && verb) s = close_to_others(*folder, path, err);
        tfp_place_free(&p);
    }
    if (!s) s = tfp_folder_path(*folder, shown, room, err);
    if (s && *folder >= 0) {
        close(*folder);
        *folder = -1;
    }
    return s;
}

tfp_status tfp_results_open(const tfp_live_settings *w, const char *verb, tfp_results *out, tfp_error *err)
{
    return tfp_live_folder(w->dir, verb, &out->folder, out->path, sizeof out->path, err);
}

void tfp_results_close(tfp_results *r)
{
    if (r->folder >= 0) close(r->folder);
    r->folder = -1;
}

tfp_status tfp_results_write(const tfp_results *results, const char *job, const char *name, tfp_str bytes,
                             tfp_error *err)
{
    char path[4600];
    snprintf(path, sizeof path, "%s/%s%s%s", results->path, job ? job : "", job ? "/" : "", name);
    int folder = job ? tfp_folder_below(results->folder, job) : results->folder;
    if (folder < 0) return tfp_fail(err, TFP_BADOUTPUT, "%s: %s", path, strerror(errno));
    tfp_status s = tfp_write_below(folder, name, path, bytes, err);
    if (job) close(folder);
    return s;
}

/* Closes all descriptors and marks the run as not there. */
void tfp_run_free(tfp_run *r)
{
    if (r->hook_fd >= 0) close(r->hook_fd);
    if (r->run_fd >= 0) close(r->run_fd);
    r->hook_fd = r->run_fd = -1;
    tfp_results_close(&r->results);
    *r->hook = '\0';
}
