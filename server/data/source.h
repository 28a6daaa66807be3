// SPDX-License-Identifier: Apache-2.0
/* server/data/source.h: the text of source files that a profile's code names. */
#ifndef TFP_SERVER_SOURCE_H
#define TFP_SERVER_SOURCE_H

#include "catalog.h"
#include "http/answer.h"

#define SOURCE_MOST ((size_t)4 << 20) /* most bytes of a text */
enum { SOURCE_AROUND = 5 };           /* how many lines above and below a line with a cost are shown in a report */

/* Whether the profile's code names such a file: its code traces, or the Python frames that the view of lines sums. */
bool source_is_named(const tfp_profile *p, const char *file);

/* Adds the text; false when it is none, too long, or cannot be read. */
bool source_read(int fd, answer *a);

/* Every line that the profile's code names, sorted by file and line. */
typedef struct source_line {
    char *file;
    int64_t line; /* 0: none */
} source_line;
typedef struct source_index {
    source_line *at;
    size_t count, room;
} source_index;

bool source_index_build(const tfp_profile *p, source_index *out); /* false: out of memory */
void source_index_free(source_index *x);
size_t source_index_next(const source_index *x, size_t i); /* the first row of the next file after that of row `i` */

/* Adds the lines of `text` that the index names, with SOURCE_AROUND lines above and below each. The other lines are empty, so that line
 * numbers stay the same. False: out of memory. */
bool source_add_near(const source_index *x, const char *file, const char *text, size_t size, answer *a);

#endif
