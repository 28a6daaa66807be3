/* server/folder.h: folders held as descriptors, and what lies below them; nothing above them is ever opened. */
#ifndef TFP_SERVER_FOLDER_H
#define TFP_SERVER_FOLDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct found_file {
    const char *path; /* below the folder */
    uint64_t bytes;
    int64_t modified_ns;
} found_file;

/* A file below `folder`, read only; -1 when it is not there, not below it, or no regular file. */
int folder_open(int folder, const char *path);

/* Calls each() for every regular file below, in byte order of the paths, at most `most` and four folders deep. false:
 * out of memory, or each() said to stop. */
bool folder_walk(int folder, size_t most, bool (*each)(void *ctx, const found_file *f), void *ctx);

#endif
