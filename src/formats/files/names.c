// SPDX-License-Identifier: Apache-2.0
/* formats/files/names.c: lists the names of a folder's files in order. */
#include "formats/files/folder.h"

#include <dirent.h>
#include <stdio.h>

static int by_name(const void *a, const void *b)
{
    const char *const *x = a, *const *y = b;
    return strcmp(*x, *y);
}

bool tfp_names_of(const char *path, tfp_names *out)
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

void tfp_names_free(tfp_names *n)
{
    for (size_t i = 0; i < n->size; i++) free(n->at[i]);
    tfp_vec_free(n);
}

bool tfp_name_ends(const char *name, const char *with)
{
    size_t n = strlen(name), m = strlen(with);
    return n > m && strcmp(name + n - m, with) == 0;
}

bool tfp_path_join(char out[TFP_PATH_ROOM], const char *folder, const char *name)
{
    size_t n = strlen(folder);
    int size = snprintf(out, TFP_PATH_ROOM, "%s%s%s", folder, n && folder[n - 1] == '/' ? "" : "/", name);
    return size > 0 && size < TFP_PATH_ROOM;
}
