// SPDX-License-Identifier: Apache-2.0
/* server/data/look.h: the profiles in the folders and files given at start: each from one file or several. */
#ifndef TFP_SERVER_LOOK_H
#define TFP_SERVER_LOOK_H

#include "folder.h"
#include "server.h"

typedef struct seen { /* a file of a root at the last look */
    char *path;
    file_state state;
    const char *format; /* NULL: no profile */
} seen;

typedef struct seen_list {
    seen *at;
    size_t count, room;
} seen_list;

typedef struct root { /* a folder given at start, or the folder of a file that was */
    int fd;
    char *given, *full; /* its path as it was given, and from / on, without links */
    char *only;         /* the one file of the folder that was given; NULL: all files */
    const char *format;
    unsigned group; /* files of one are one profile; 0: each by itself */
    seen_list files;
    bool text_only; /* no profiles are looked for in it */
    bool cut; /* more files than are looked at */
} root;

typedef struct part { /* a file of a profile */
    size_t root;
    const char *format;
    char *path; /* below the root */
    file_state state;
} part;

typedef struct found_profile {
    part *parts; /* in the order in which they are read */
    size_t count;
} found_profile;

#define LOOK_NO_MEMORY "out of memory" /* why look_open failed where memory was short */

typedef struct look {
    root *roots;
    size_t root_count;
    found_profile *found;
    size_t found_count, found_room;
} look;

enum { LOOK_FILES = 20000 }; /* of one folder */

/* Opens the roots; false: `why` says which one it was. */
bool look_open(look *l, const serve_options *o, char *why, size_t room);
void look_close(look *l);

/* Looks at all roots; files that did not change are not opened again. The profiles are in `found` until the next call. */
bool look_again(look *l);

/* A file below root `number`, as a profile of its own: its parts are the caller's. False: it is not there, or none. */
bool look_for(const look *l, size_t number, const char *path, found_profile *out);

/* group.c: add to l->found the profiles of a folder's files, or the one of the files that were named together from root
 * `first` on. False without memory. */
bool group_folder(look *l, size_t root);
bool group_named(look *l, size_t first);

bool parts_same(const part *a, size_t a_count, const part *b, size_t b_count);
part *parts_copy(const part *parts, size_t count); /* NULL without memory */
void parts_free(part *parts, size_t count);

/* The name that people see: the path below the folder given, or the file as it was given; a SavedModel by its folder.
 * The caller frees it. */
char *look_name(const look *l, const found_profile *p);
/* A file as a user types it; the caller frees it. */
char *look_file(const look *l, const part *p);

#endif
