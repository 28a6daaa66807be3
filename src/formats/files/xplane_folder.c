// SPDX-License-Identifier: Apache-2.0
/* formats/files/xplane_folder.c: the files of a folder that a profiler wrote: LOG/plugins/profile/DATE/HOST.xplane.pb,
 * one per host. The last date counts. */
#include "formats/files/folder.h"

#include <dirent.h>

static bool is_file_name(const char *name)
{
    return tfp_name_ends(name, ".xplane.pb") || tfp_name_ends(name, ".xplane.pb.gz");
}

static bool holds_files(const char *path)
{
    DIR *folder = opendir(path);
    bool found = false;
    for (struct dirent *e; folder && !found && (e = readdir(folder)) != NULL;) found = is_file_name(e->d_name);
    if (folder) closedir(folder);
    return found;
}

/* ---- the folder of the last recording ---- */

/* The last of the folders in `path` that hold files; false when there is none, or memory is out. */
static bool last_date(const char *path, char *out)
{
    tfp_names in = { 0 };
    bool found = false;
    if (tfp_names_of(path, &in))
        for (size_t i = in.size; i-- > 0 && !found;) found = tfp_path_join(out, path, in.at[i]) && holds_files(out);
    tfp_names_free(&in);
    return found;
}

/* Finds the recording: the path itself, path/DATE, path/plugins/profile/DATE, or these below a part of a run, such as
 * path/train. */
static bool find_recording(const char *path, char *out)
{
    char profile[TFP_PATH_ROOM], part[TFP_PATH_ROOM];
    tfp_names in = { 0 };
    if (strlen(path) >= TFP_PATH_ROOM - 1) return false;
    strcpy(out, path);
    if (holds_files(path) || last_date(path, out)) return true;
    if (tfp_path_join(profile, path, "plugins/profile") && last_date(profile, out)) return true;
    bool found = false;
    if (tfp_names_of(path, &in))
        for (size_t i = in.size; i-- > 0 && !found;)
            found = tfp_path_join(part, path, in.at[i]) && tfp_path_join(profile, part, "plugins/profile") &&
                    last_date(profile, out);
    tfp_names_free(&in);
    return found;
}

bool tfp_xplane_is_folder(const char *path)
{
    char folder[TFP_PATH_ROOM];
    return tfp_is_folder(path) && find_recording(path, folder);
}

tfp_status tfp_xplane_list(const char *path, tfp_buf *paths, tfp_error *err)
{
    char folder[TFP_PATH_ROOM], file[TFP_PATH_ROOM];
    tfp_names in = { 0 };
    if (!find_recording(path, folder)) return tfp_fail(err, TFP_BADFILE, "no .xplane.pb files in it");
    bool fine = tfp_names_of(folder, &in);
    for (size_t i = 0; i < in.size && fine; i++)
        if (is_file_name(in.at[i]) && tfp_path_join(file, folder, in.at[i])) tfp_buf_add(paths, file, strlen(file) + 1);
    tfp_names_free(&in);
    return fine && !paths->failed ? TFP_OK : tfp_nomem(err);
}
