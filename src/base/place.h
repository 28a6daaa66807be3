// SPDX-License-Identifier: Apache-2.0
/* base/place.h: where files and folders are made. A path is walked once, folder by folder, and what it leads to is held as a
 * descriptor, so that nobody can change its meaning afterwards. A link of another user is not followed where others may write:
 * as the kernel's protected_symlinks, but in every folder that another user than root and we may write to. */
#ifndef TFP_PLACE_H
#define TFP_PLACE_H

#include "base/base.h"

#include <limits.h>
#include <sys/stat.h>

typedef struct tfp_place {
    int folder;              /* O_PATH; -1: none */
    char name[NAME_MAX + 1]; /* in the folder, and no link; "." for the folder itself */
    bool there;              /* something has the name: `st` is of it */
    bool through; /* `name` is a link of /proc to what no path names, such as a pipe: to be opened by following it */
    struct stat st;
} tfp_place;

/* Finds the place that a path names; its last part need not exist. TFP_BADOUTPUT: one of its folders is not there, or a link is not
 * to be followed. The message names the path. */
tfp_status tfp_place_find(const char *path, tfp_place *out, tfp_error *err);
void tfp_place_free(tfp_place *p);

/* Whether another user may have put this thing into its folder, to make us write somewhere else. */
bool tfp_is_planted(const struct stat *folder, const struct stat *thing);

/* Opens the folder at a place, and makes it with mode 0700 where there is none. TFP_BADOUTPUT: it is no folder, or not ours. */
tfp_status tfp_folder_open(const tfp_place *p, const char *path, bool *made, int *fd, tfp_error *err);
/* The same for a folder in a folder that is ours; -1: errno tells why. */
int tfp_folder_below(int folder, const char *name);
bool tfp_folder_is_empty(int folder);
/* The names in a folder are read from a descriptor of their own; NULL: errno tells why. */
void *tfp_folder_list(int folder);
/* A regular file of ours in a folder, at most `most` bytes of it; false: there is none that can be read. */
bool tfp_folder_read(int folder, const char *name, size_t most, tfp_buf *out);
/* Removes all that is in a folder, links without what they name; at most a few folders deep. */
void tfp_folder_clear(int folder);
/* Where it is now, as an absolute path. TFP_BADOUTPUT: the path is too long. */
tfp_status tfp_folder_path(int folder, char *out, size_t room, tfp_error *err);

/* The name of a user, or the number where there is none. */
void tfp_user_name(int64_t uid, char *out, size_t room);

#endif
