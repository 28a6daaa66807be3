// SPDX-License-Identifier: Apache-2.0
/* server/page.h: the page's files, gzip'ed, made by the build. */
#ifndef TFP_SERVER_PAGE_H
#define TFP_SERVER_PAGE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct page_file {
    const char *name, *type;   /* type "": for reports (report.c), not served */
    const unsigned char *data; /* gzip */
    size_t size;
    bool immutable; /* its name changes with its content */
} page_file;
extern const page_file page_files[]; /* ends with an empty row; in a build without node it has no other rows */

#endif
