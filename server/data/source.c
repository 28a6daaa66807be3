// SPDX-License-Identifier: Apache-2.0
/* server/data/source.c: finds the files and lines that a profile's code names, and their text. Both code traces (records "files",
 * "code") and the view of lines name them. */
#include "source.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct code_rows { /* a report whose rows each have a source file, and perhaps a line number */
    tfp_report *rows;
    char *file; /* of the row that file_of read last; PATH_MAX bytes */
} code_rows;

static bool file_of(const code_rows *c, size_t row)
{
    return tfp_report_string(c->rows, row, "file", c->file, PATH_MAX) < PATH_MAX;
}

static bool has_file(const code_rows *c, const char *file)
{
    for (size_t i = 0; i < tfp_report_row_count(c->rows); i++)
        if (file_of(c, i) && strcmp(c->file, file) == 0) return true;
    return false;
}

/* Opens the rows of code traces, or of the view of lines; false: the profile has none. */
static bool open_rows(code_rows *c, const tfp_profile *p, const char *records)
{
    *c = (code_rows){ .file = malloc(PATH_MAX) };
    tfp_status s = !c->file  ? TFP_NOMEM
                   : records ? tfp_records(p, records, -1, &c->rows, NULL)
                             : tfp_report_build(p, "lines", NULL, &c->rows, NULL);
    return s == TFP_OK;
}

static void close_rows(code_rows *c)
{
    tfp_report_free(c->rows);
    free(c->file);
}

bool source_is_named(const tfp_profile *p, const char *file)
{
    static const char *const where[] = { "files", NULL };
    bool found = false;
    for (size_t i = 0; i < 2 && !found; i++) {
        code_rows c;
        found = open_rows(&c, p, where[i]) && has_file(&c, file);
        close_rows(&c);
    }
    return found;
}

bool source_read(int fd, answer *a)
{
    struct stat st;
    char part[65536];
    if (fstat(fd, &st) || st.st_size > (off_t)SOURCE_MOST) return false;
    for (ssize_t n; (n = read(fd, part, sizeof part)) != 0;) {
        if (n < 0 || a->size + (size_t)n > SOURCE_MOST || memchr(part, 0, (size_t)n)) return false;
        answer_add(a, part, (size_t)n);
    }
    return true;
}

/* ---- every line that the code names ---- */

/* The number in FILE:LINE or FILE:LINE:FUNCTION; 0: none. */
static int64_t line_in(const char *text)
{
    for (const char *at = strchr(text, ':'); at; at = strchr(at + 1, ':')) {
        size_t digits = strspn(at + 1, "0123456789");
        if (digits && (at[digits + 1] == ':' || !at[digits + 1])) return strtoll(at + 1, NULL, 10);
    }
    return 0;
}

/* The line of a row: code traces have a number, the view of lines has it in the name of the line or function. */
static int64_t line_of(const code_rows *c, size_t row, char *text)
{
    int64_t line = 0;
    if (tfp_report_int(c->rows, row, "line", &line)) return line;
    size_t size = tfp_report_string(c->rows, row, "function", text, PATH_MAX);
    if (!size) size = tfp_report_string(c->rows, row, "line", text, PATH_MAX);
    return size && size < PATH_MAX ? line_in(text) : 0;
}

static bool add_line(source_index *x, const char *file, int64_t line)
{
    if (x->count == x->room) {
        size_t room = x->room ? x->room * 2 : 256;
        source_line *more = realloc(x->at, room * sizeof *more);
        if (!more) return false;
        x->at = more;
        x->room = room;
    }
    x->at[x->count] = (source_line){ strdup(file), line };
    if (!x->at[x->count].file) return false;
    x->count++;
    return true;
}

static bool add_lines(source_index *x, const code_rows *c)
{
    char *text = malloc(PATH_MAX);
    bool ok = text != NULL;
    for (size_t i = 0; ok && i < tfp_report_row_count(c->rows); i++)
        if (file_of(c, i) && *c->file) ok = add_line(x, c->file, line_of(c, i, text));
    free(text);
    return ok;
}

static int by_file_and_line(const void *a, const void *b)
{
    const source_line *x = a, *y = b;
    int order = strcmp(x->file, y->file);
    return order ? order : (x->line > y->line) - (x->line < y->line);
}

bool source_index_build(const tfp_profile *p, source_index *out)
{
    static const char *const where[] = { "code", NULL };
    bool ok = true;
    *out = (source_index){ 0 };
    for (size_t i = 0; i < 2 && ok; i++) {
        code_rows c;
        ok = !open_rows(&c, p, where[i]) || add_lines(out, &c);
        close_rows(&c);
    }
    if (ok && out->count) qsort(out->at, out->count, sizeof *out->at, by_file_and_line);
    if (!ok) source_index_free(out);
    return ok;
}

void source_index_free(source_index *x)
{
    for (size_t i = 0; i < x->count; i++) free(x->at[i].file);
    free(x->at);
    *x = (source_index){ 0 };
}

size_t source_index_next(const source_index *x, size_t i)
{
    size_t next = i;
    while (next < x->count && strcmp(x->at[next].file, x->at[i].file) == 0) next++;
    return next;
}

/* The first row of a file; count: there is none. */
static size_t first_of(const source_index *x, const char *file)
{
    size_t low = 0, high = x->count;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (strcmp(x->at[mid].file, file) < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return low < x->count && strcmp(x->at[low].file, file) == 0 ? low : x->count;
}

/* ---- the text around them ---- */

/* Marks lines; they come in order, so each is marked once. */
static void mark_lines(const source_index *x, const char *file, char *near, size_t count)
{
    size_t first = first_of(x, file), end = first < x->count ? source_index_next(x, first) : first, done = 0;
    for (size_t i = first; i < end; i++) {
        int64_t line = x->at[i].line;
        if (line < 1 || (uint64_t)line > count) continue;
        size_t from = line > SOURCE_AROUND ? (size_t)line - 1 - SOURCE_AROUND : 0, to = (size_t)line + SOURCE_AROUND;
        if (from < done) from = done;
        if (to > count) to = count;
        if (to > from) memset(near + from, 1, to - from);
        if (to > done) done = to;
    }
}

bool source_add_near(const source_index *x, const char *file, const char *text, size_t size, answer *a)
{
    size_t count = 1;
    for (size_t i = 0; i < size; i++) count += text[i] == '\n';
    char *near = calloc(count, 1);
    if (!near) return false;
    mark_lines(x, file, near, count);
    for (size_t i = 0, at = 0; i < count; i++) {
        const char *end = at < size ? memchr(text + at, '\n', size - at) : NULL;
        size_t next = end ? (size_t)(end - text) : size;
        if (near[i]) answer_add(a, text + at, next - at);
        if (end) answer_add(a, "\n", 1);
        at = next + (end != NULL);
    }
    free(near);
    return true;
}
