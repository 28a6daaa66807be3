/* formats/xplane_folder.c: the files of a folder that a profiler wrote: LOG/plugins/profile/DATE/HOST.xplane.pb, one a
 * host. Of several dates the last one is the recording. */
#include "formats/xplane.h"

#include <dirent.h>
#include <stdio.h>

typedef TFP_VEC(char *) names;

static void free_names(names *n)
{
    for (size_t i = 0; i < n->size; i++) free(n->at[i]);
    tfp_vec_free(n);
}

static int by_name(const void *a, const void *b)
{
    const char *const *x = a, *const *y = b;
    return strcmp(*x, *y);
}

/* What a folder holds, in byte order, hidden files left out; nothing of what is no folder. False without memory. */
static bool list(const char *path, names *out)
{
    DIR *folder = opendir(path);
    bool fine = true;
    for (struct dirent *e; folder && fine && (e = readdir(folder)) != NULL;) {
        if (e->d_name[0] == '.') continue;
        char *copy = malloc(strlen(e->d_name) + 1);
        fine = copy && tfp_push(out, copy);
        if (copy) strcpy(copy, e->d_name);
        if (!fine) free(copy);
    }
    if (folder) closedir(folder);
    if (fine && out->size > 1) qsort(out->at, out->size, sizeof *out->at, by_name);
    return fine;
}

static bool ends(const char *s, const char *with)
{
    size_t n = strlen(s), m = strlen(with);
    return n > m && strcmp(s + n - m, with) == 0;
}

static bool is_file_name(const char *name) { return ends(name, ".xplane.pb") || ends(name, ".xplane.pb.gz"); }

static bool holds_files(const char *path)
{
    DIR *folder = opendir(path);
    bool found = false;
    for (struct dirent *e; folder && !found && (e = readdir(folder)) != NULL;) found = is_file_name(e->d_name);
    if (folder) closedir(folder);
    return found;
}

/* ---- the folder of the last recording ---- */

#define PATH_ROOM 4096

static bool join(char *out, const char *folder, const char *name)
{
    int n = snprintf(out, PATH_ROOM, "%s/%s", folder, name);
    return n > 0 && n < PATH_ROOM;
}

/* The last of the folders in `path` that hold files; false when none does, or without memory. */
static bool last_date(const char *path, char *out)
{
    names in = { 0 };
    bool found = false;
    if (list(path, &in))
        for (size_t i = in.size; i-- > 0 && !found;) found = join(out, path, in.at[i]) && holds_files(out);
    free_names(&in);
    return found;
}

/* The path itself, path/DATE, path/plugins/profile/DATE, or that of a part of a run, such as path/train. */
static bool find_recording(const char *path, char *out)
{
    char profile[PATH_ROOM], part[PATH_ROOM];
    names in = { 0 };
    if (strlen(path) >= PATH_ROOM - 1) return false;
    strcpy(out, path);
    if (holds_files(path) || last_date(path, out)) return true;
    if (join(profile, path, "plugins/profile") && last_date(profile, out)) return true;
    bool found = false;
    if (list(path, &in))
        for (size_t i = in.size; i-- > 0 && !found;)
            found = join(part, path, in.at[i]) && join(profile, part, "plugins/profile") && last_date(profile, out);
    free_names(&in);
    return found;
}

bool tfp_xplane_is_folder(const char *path)
{
    char folder[PATH_ROOM];
    return tfp_is_folder(path) && find_recording(path, folder);
}

tfp_status tfp_xplane_list(const char *path, tfp_buf *paths, tfp_error *err)
{
    char folder[PATH_ROOM], file[PATH_ROOM];
    names in = { 0 };
    if (!find_recording(path, folder)) return tfp_fail(err, TFP_BADFILE, "no .xplane.pb files in it");
    bool fine = list(folder, &in);
    for (size_t i = 0; i < in.size && fine; i++)
        if (is_file_name(in.at[i]) && join(file, folder, in.at[i])) tfp_buf_add(paths, file, strlen(file) + 1);
    free_names(&in);
    return fine && !paths->failed ? TFP_OK : tfp_nomem(err);
}
