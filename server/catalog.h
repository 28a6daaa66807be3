/* server/catalog.h: the profiles that the folders and files given at start hold: found, read when somebody asks, and
 * forgotten when others need the memory. */
#ifndef TFP_SERVER_CATALOG_H
#define TFP_SERVER_CATALOG_H

#include "server.h"

#include <stdint.h>

typedef struct catalog catalog;

typedef enum entry_state { ENTRY_UNREAD, ENTRY_LOADING, ENTRY_READY, ENTRY_FAILED } entry_state;

typedef struct entry_view { /* a copy of what is known of an entry */
    char id[24];
    const char *name, *folder, *format; /* live as long as the catalog */
    uint64_t bytes;
    int64_t modified; /* seconds since 1970 */
    entry_state state;
    double progress;   /* 0 to 1 */
    const char *error; /* of a failed one; lives until the catalog's list changes */
    size_t steps, nodes;
} entry_view;

/* Opens the folders and finds what is in them. NULL: `why` says why not. */
catalog *catalog_new(const serve_options *o, char *why, size_t room);
void catalog_free(catalog *c);

/* Looks again for new and changed files, at most once a second. */
void catalog_look(catalog *c);
uint64_t catalog_version(const catalog *c); /* grows whenever the list changes */
size_t catalog_count(const catalog *c);
bool catalog_view(catalog *c, size_t i, entry_view *out);

/* A profile in use: it is not forgotten until it is given back. */
typedef struct lease {
    const tfp_profile *profile;
    const char *name; /* lives as long as the catalog */
    void *entry;
} lease;
typedef enum lease_result { LEASE_OK, LEASE_LOADING, LEASE_FAILED, LEASE_UNKNOWN, LEASE_FULL } lease_result;
/* Begins to read it when it is not there, and waits a second for it. *view tells how it stands, except for UNKNOWN. */
lease_result catalog_take(catalog *c, const char *id, lease *out, entry_view *view);
void catalog_give_back(catalog *c, lease *l);

/* The text of a file below one of the folders given at start, named by its path from any of them or in full; -1 when
 * there is none such, else a descriptor. */
int catalog_open_text(catalog *c, const char *path);
bool catalog_has_folders(const catalog *c);

#endif
