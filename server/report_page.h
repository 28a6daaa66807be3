// SPDX-License-Identifier: Apache-2.0
/* server/report_page.h: the parts of a report's file: the page's files, HTML text, and data as gzip in base64. */
#ifndef TFP_SERVER_REPORT_PAGE_H
#define TFP_SERVER_REPORT_PAGE_H

#include "http/answer.h"

#include <zlib.h>

bool page_has(const char *end);                      /* whether the page has a file whose name has this ending */
bool page_unpack(const char *end, answer *out);      /* adds that file's bytes */
bool page_unpack_text(const char *end, answer *out); /* the same, ended by NUL */
void page_add_html(answer *a, const char *text);     /* escapes text for an element or an attribute */

/* Keeps freed memory: answers need blocks of megabytes one after the other, and returning each to the system would take a fifth
 * of all time. */
void page_reuse_memory(void);

/* Packs bytes as they come, so that neither all of them nor their packed form are in memory beside `out`. With `planes` the bytes are a table in
 * columns, and each whole PLANES_SIZE bytes of its data, behind the header, are ordered by their place in a number: first the lowest bytes of all
 * numbers, then those above them ..., so that bytes that vary little are side by side, which packs better. A rest of less than
 * PLANES_SIZE bytes keeps its order. */
enum { PLANES_SIZE = 65536 };
typedef struct packer {
    z_stream z;
    answer *out;
    bool quick;                /* at level 1 */
    unsigned char part[12288]; /* packed bytes that are not encoded yet; a multiple of 3 */
    bool planes;
    size_t head, held;                /* bytes of the header that are still to come; bytes of `block` */
    unsigned char block[PLANES_SIZE]; /* what is not packed yet */
} packer;
bool packer_start(packer *p, answer *out, bool planes);
int packer_write(void *p, const void *data, size_t size); /* the `pass` of an answer */
bool packer_end(packer *p);                               /* false: there was no memory */

#endif
