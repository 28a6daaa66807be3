// SPDX-License-Identifier: Apache-2.0
/* formats/files/capture_folder.c: folders that `tfprof run` and `tfprof capture` wrote: DIR/manifest.json and one
 * folder per job. A job's files, with all its ranks, are one profile; different jobs are never added up. */
#include "formats/files/folder.h"

static bool has_manifest(const char *folder)
{
    char path[TFP_PATH_ROOM];
    tfp_buf text = { 0 };
    bool found = false;
    if (tfp_path_join(path, folder, "manifest.json") && tfp_exists(path) &&
        tfp_read_file(path, (uint64_t)64 << 20, &text, NULL) == TFP_OK)
        found = tfp_str_has((tfp_str){ text.data, text.size < 64 ? text.size : 64 }, TFP_STR("\"tfprof.capture\""));
    tfp_buf_free(&text);
    return found;
}

static bool is_job(const char *path)
{
    char above[TFP_PATH_ROOM];
    return tfp_path_join(above, path, "..") && has_manifest(above);
}

bool tfp_capture_is_folder(const char *path) { return tfp_is_folder(path) && (has_manifest(path) || is_job(path)); }

/* run_meta_9.pb before run_meta_10.pb; the graph first, so that runs find their nodes. */
static int compare_names(const void *a, const void *b)
{
    const char *x = *(char *const *)a, *y = *(char *const *)b;
    bool gx = tfp_name_ends(x, "graph.pb") || strcmp(x, "graph.pb") == 0,
         gy = tfp_name_ends(y, "graph.pb") || strcmp(y, "graph.pb") == 0;
    if (gx != gy) return gx ? -1 : 1;
    return strverscmp(x, y);
}

static tfp_status list_job(const char *path, tfp_buf *paths, tfp_error *err)
{
    char file[TFP_PATH_ROOM];
    tfp_names in = { 0 };
    size_t count = 0;
    bool fine = tfp_names_of(path, &in);
    if (fine && in.size) qsort(in.at, in.size, sizeof *in.at, compare_names);
    for (size_t i = 0; i < in.size && fine; i++) {
        if (!tfp_path_join(file, path, in.at[i]) || tfp_is_folder(file)) continue;
        tfp_buf_add(paths, file, strlen(file) + 1);
        count++;
    }
    tfp_names_free(&in);
    if (!fine || paths->failed) return tfp_nomem(err);
    return count ? TFP_OK : tfp_fail(err, TFP_BADFILE, "the job's folder is empty");
}

tfp_status tfp_capture_list(const char *path, tfp_buf *paths, tfp_error *err)
{
    char job[TFP_PATH_ROOM], only[TFP_PATH_ROOM] = "";
    tfp_names in = { 0 };
    tfp_buf jobs = { 0 };
    size_t count = 0;
    if (!has_manifest(path)) return list_job(path, paths, err);
    bool fine = tfp_names_of(path, &in);
    for (size_t i = 0; i < in.size && fine; i++) {
        if (!tfp_path_join(job, path, in.at[i]) || !tfp_is_folder(job)) continue;
        if (!count++) strcpy(only, job);
        if (count <= 20) tfp_buf_printf(&jobs, " %s", in.at[i]);
    }
    tfp_buf_char(&jobs, 0);
    tfp_status s = !fine || jobs.failed ? tfp_nomem(err)
                   : !count             ? tfp_fail(err, TFP_BADFILE, "nothing was captured: manifest.json says why")
                   : count > 1
                       ? tfp_fail(err, TFP_BADFILE,
                                  "%zu jobs were captured, each a profile of its own: name one of the folders in it:%s",
                                  count, jobs.data)
                       : list_job(only, paths, err);
    tfp_buf_free(&jobs);
    tfp_names_free(&in);
    return s;
}
