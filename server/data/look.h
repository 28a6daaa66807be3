// SPDX-License-Identifier: Apache-2.0
/* server/data/look.h: finds the profiles in the folders and files given at the start; each profile is one file or
 * several. */
#ifndef TFP_SERVER_LOOK_H
#define TFP_SERVER_LOOK_H

#include "folder.h"
#include "server.h"

typedef struct seen { /* a file of a root, as of the last look */
    char *path;
    file_state state;
    const char *format; /* NULL: it is no profile */
} seen;

typedef struct seen_list {
    seen *at;
    size_t count, room;
} seen_list;

typedef struct root { /* a folder given at the start, or the folder of a file that was given */
    int fd;
    char *given, *full; /* its path as it was given, and its absolute path without links */
    char *only;         /* the only file of the folder that was given; NULL: all files */
    const char *format;
    unsigned group; /* files with the same number are one profile; 0: each is one by itself */
    seen_list files;
    bool text_only; /* it is not searched for profiles */
    bool cut;       /* it has more files than are looked at */
} root;

typedef struct part { /* a file of a profile */
    size_t root;
    const char *format;
    char *path; /* path below the root */
    file_state state;
} part;

typedef struct found_profile {
    part *parts; /* in the order of reading */
    size_t count;
} found_profile;

#define LOOK_NO_MEMORY "out of memory" /* the reason for look_open when memory was out */

typedef struct look {
    root *roots;
    size_t root_count;
    found_profile *found;
    size_t found_count, found_room;
} look;

enum { LOOK_FILES = 20000 }; /* most files of one folder */

/* Opens the roots; false: `why` names the one that failed. */
bool look_open(look *l, const serve_options *o, char *why, size_t room);
void look_close(look *l);

/* Looks at all roots; unchanged files are not opened again. The profiles are in `found` until the next call. */
bool look_again(look *l);

/* Finds a file below root `number`, as a profile of its own; the caller owns its parts. False: it does not exist, or is
 * no profile. */
bool look_for(const look *l, size_t number, const char *path, found_profile *out);

/* group.c: add to l->found the profiles in a folder, or the one of files named together from root `first` on. False:
 * out of memory. */
bool group_folder(look *l, size_t root);
bool group_named(look *l, size_t first);

bool parts_same(const part *a, size_t a_count, const part *b, size_t b_count);
part *parts_copy(const part *parts, size_t count); /* NULL without memory */
void parts_free(part *parts, size_t count);

/* The name that people see: the path below the given folder, or the file as it was given; for a SavedModel its folder.
 * The caller frees it. */
char *look_name(const look *l, const found_profile *p);
/* A file as a user types it; the caller frees it. */
char *look_file(const look *l, const part *p);

#endif
