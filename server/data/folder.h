// SPDX-License-Identifier: Apache-2.0
/* server/data/folder.h: folders that are held open, and files below them; nothing above them is ever opened. */
#ifndef TFP_SERVER_FOLDER_H
#define TFP_SERVER_FOLDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct file_state { /* tells whether a file is the same and unchanged */
    uint64_t bytes, inode;
    int64_t modified_ns;
} file_state;

/* Opens a file below `folder` for reading; -1: it does not exist, is not below it, or is no regular file. */
int folder_open(int folder, const char *path);
/* Whether a file or folder with that path is below `folder`. */
bool folder_has(int folder, const char *path);
bool file_state_of(int fd, file_state *out);
bool file_state_same(const file_state *a, const file_state *b);

/* Whether all files whose paths have this prefix are below the folder; for files that are later opened by path. */
bool folder_holds_all(int folder, const char *prefix);

typedef enum walk_result { WALK_WHOLE, WALK_CUT, WALK_FAILED } walk_result;
enum { FOLDER_DEPTH = 6 };

/* Calls each() for every regular file below, in byte order of the paths, for at most `most` files and FOLDER_DEPTH
 * levels; hidden files are skipped. FAILED: out of memory, or each() asked to stop. */
walk_result folder_walk(int folder, size_t most, bool (*each)(void *ctx, const char *path, const file_state *f),
                        void *ctx);

#endif
