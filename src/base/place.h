// SPDX-License-Identifier: Apache-2.0
/* base/place.h: where files and folders are made. A path is walked once, folder by folder, and its target is held as a
 * descriptor, so that nobody can change the meaning of the path afterwards. A link of another user is not followed
 * where others may write. The kernel's protected_symlinks has this rule for sticky folders; here it holds in every
 * folder that other users than root and ourselves may write to. */
#ifndef TFP_PLACE_H
#define TFP_PLACE_H

#include "base/base.h"

#include <limits.h>
#include <sys/stat.h>

typedef struct tfp_place {
    int folder;              /* O_PATH; -1: none */
    char name[NAME_MAX + 1]; /* name in the folder, which is no link; "." for the folder itself */
    bool there;              /* something with this name exists, and `st` describes it */
    /* `name` is a link of /proc to something without a path, such as a pipe: it must be opened by following the link */
    bool through;
    struct stat st;
} tfp_place;

/* Finds the place of a path, whose last part need not exist. TFP_BADOUTPUT: one of its folders does not exist, or a
 * link must not be followed. The message contains the path. */
tfp_status tfp_place_find(const char *path, tfp_place *out, tfp_error *err);
void tfp_place_free(tfp_place *p);

/* Whether another user may have put this file into its folder to make us write somewhere else. */
bool tfp_is_planted(const struct stat *folder, const struct stat *thing);

/* Opens the folder at a place, and creates it with mode 0700 if there is none. TFP_BADOUTPUT: it is no folder, or not
 * ours. */
tfp_status tfp_folder_open(const tfp_place *p, const char *path, bool *made, int *fd, tfp_error *err);
/* The same for a folder inside a folder of ours; -1: errno has the reason. */
int tfp_folder_below(int folder, const char *name);
bool tfp_folder_is_empty(int folder);
/* Opens a folder's list of names with a descriptor of its own; NULL: errno has the reason. */
void *tfp_folder_list(int folder);
/* Reads at most `most` bytes of a regular file of ours in a folder; false: there is none that can be read. */
bool tfp_folder_read(int folder, const char *name, size_t most, tfp_buf *out);
/* Removes everything in a folder; links are removed without following them; only a few levels deep. */
void tfp_folder_clear(int folder);
/* The folder's present absolute path. TFP_BADOUTPUT: the path is too long. */
tfp_status tfp_folder_path(int folder, char *out, size_t room, tfp_error *err);

/* The name of a user, or the number if there is no name. */
void tfp_user_name(int64_t uid, char *out, size_t room);

#endif
