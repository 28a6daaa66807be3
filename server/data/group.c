// SPDX-License-Identifier: Apache-2.0
/* server/data/group.c: decides which files of a folder, or of those named together, form one profile. */
#include "look.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* `parts` are copied. */
static bool add_found(look *l, const part *parts, size_t count)
{
    if (l->found_count == l->found_room) {
        size_t room = l->found_room ? l->found_room * 2 : 16;
        found_profile *more = realloc(l->found, room * sizeof *more);
        if (!more) return false;
        l->found = more;
        l->found_room = room;
    }
    part *copy = parts_copy(parts, count);
    if (!copy) return false;
    l->found[l->found_count++] = (found_profile){ copy, count };
    return true;
}

static part part_of(size_t number, const seen *s) { return (part){ number, s->format, s->path, s->state }; }

static bool is(const seen *s, tfp_format_fact fact) { return tfp_format_is(s->format, fact); }

/* The length of the path's folder, with the slash. */
static size_t folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

static bool same_folder(const seen *a, const seen *b)
{
    size_t n = folder_length(a->path);
    return n == folder_length(b->path) && strncmp(a->path, b->path, n) == 0;
}

/* run_meta_9 before run_meta_10 */
static int by_number(const void *a, const void *b)
{
    const char *x = ((const part *)a)->path, *y = ((const part *)b)->path;
    for (; *x && *y; x++, y++) {
        if (isdigit((unsigned char)*x) && isdigit((unsigned char)*y)) {
            size_t n, m;
            while (*x == '0' && isdigit((unsigned char)x[1])) x++;
            while (*y == '0' && isdigit((unsigned char)y[1])) y++;
            n = strspn(x, "0123456789");
            m = strspn(y, "0123456789");
            int order = n != m ? (n < m ? -1 : 1) : strncmp(x, y, n);
            if (order) return order;
            x += n - 1;
            y += n - 1;
        } else if (*x != *y) {
            return (unsigned char)*x < (unsigned char)*y ? -1 : 1;
        }
    }
    return strcmp(((const part *)a)->path, ((const part *)b)->path);
}

static int by_folder(const void *a, const void *b)
{
    const seen *x = *(const seen *const *)a, *y = *(const seen *const *)b;
    size_t n = folder_length(x->path), m = folder_length(y->path);
    int order = strncmp(x->path, y->path, n < m ? n : m);
    if (order || n != m) return order ? order : n < m ? -1 : 1;
    return strcmp(x->path, y->path);
}

/* The files of one folder whose formats are known. */
typedef struct shelf {
    size_t root;
    const seen **at;
    size_t count;
} shelf;

static size_t count_leading(const shelf *f)
{
    size_t count = 0;
    for (size_t i = 0; i < f->count; i++) count += is(f->at[i], TFP_FORMAT_LEADS);
    return count;
}

/* Files of one format that follow a leading one: all of them, by number, or the first. */
static size_t add_following(const shelf *f, const char *format, part *out)
{
    size_t count = 0, most = tfp_format_is(format, TFP_FORMAT_SEVERAL) ? f->count : 1;
    for (size_t i = 0; i < f->count && count < most; i++)
        if (strcmp(f->at[i]->format, format) == 0) out[count++] = part_of(f->root, f->at[i]);
    if (count > 1) qsort(out, count, sizeof *out, by_number);
    return count;
}

/* A leading file with the following files in its folder, in the order of the formats. */
static size_t companions(const shelf *f, const seen *leading, part *out)
{
    size_t count = 0;
    const char *format;
    out[count++] = part_of(f->root, leading);
    for (size_t i = 0; (format = tfp_list(TFP_FORMATS, i)); i++)
        if (tfp_format_is(format, TFP_FORMAT_FOLLOWS)) count += add_following(f, format, out + count);
    return count;
}

/* Where the number of "rank12", "rank-12" or "rank_12" is in a file's path; NULL: there is none. */
static const char *rank_of(const char *path)
{
    for (const char *p = path + folder_length(path); *p; p++) {
        if (strncasecmp(p, "rank", 4) != 0) continue;
        const char *digits = p + 4 + (p[4] == '-' || p[4] == '_');
        if (isdigit((unsigned char)*digits)) return digits;
    }
    return NULL;
}

/* Whether two traces are ranks of one job: their names differ only in the rank's number, which is at `rank` in `a`. */
static bool same_job(const seen *a, const char *rank, const seen *b)
{
    size_t at = (size_t)(rank - a->path);
    if (strcmp(a->format, b->format) != 0 || strncmp(a->path, b->path, at) != 0) return false;
    const char *other = b->path + at;
    size_t size = strspn(other, "0123456789");
    return size && strcmp(rank + strspn(rank, "0123456789"), other + size) == 0;
}

enum {
    RANKS_MOST = 1024,
    BESIDE_MOST = 2000
}; /* most ranks, because all are read at once; a folder with more files is a collection */

/* The length of a file's path without an ending and ".gz"; 0: it ends otherwise. */
static size_t stem_of(const char *path, const char *ending)
{
    size_t n = strlen(path), size = strlen(ending);
    if (n > 3 && strcmp(path + n - 3, ".gz") == 0) n -= 3;
    return n > size && strncmp(path + n - size, ending, size) == 0 ? n - size : 0;
}

/* Whether a trace in JSON is the profiler's second form of an XPlane trace beside it: HOST.trace.json.gz of HOST.xplane.pb. */
static bool is_copy(const shelf *f, const seen *s)
{
    size_t n = stem_of(s->path, ".trace.json");
    for (size_t i = 0; n && i < f->count; i++)
        if (stem_of(f->at[i]->path, ".xplane.pb") == n && strncmp(f->at[i]->path, s->path, n) == 0) return true;
    return false;
}

/* All ranks of the job of a file, if it is the first of them; 0: it is a later one. A file of no job is alone. */
static size_t ranks_of(const shelf *f, size_t i, part *out)
{
    size_t count = 0, before = 0;
    const char *rank = is(f->at[i], TFP_FORMAT_RANKS) && f->count <= BESIDE_MOST ? rank_of(f->at[i]->path) : NULL;
    for (size_t k = 0; rank && k < f->count; k++) {
        if (!same_job(f->at[i], rank, f->at[k])) continue;
        before += k < i;
        out[count++] = part_of(f->root, f->at[k]);
    }
    if (count > 1 && count <= RANKS_MOST) {
        qsort(out, count, sizeof *out, by_number);
        return before ? 0 : count;
    }
    out[0] = part_of(f->root, f->at[i]);
    return 1;
}

enum { LEADING_MOST = 8 }; /* a model may have several forms; a folder with more leading files is a collection */

/* Groups files: following files belong to the leading ones of their folder; without one each is a profile of its own, if its format
 * allows that. Traces of ranks are one profile. */
static bool group_shelf(look *l, const shelf *f, part *room)
{
    size_t leading = count_leading(f);
    bool belong = leading && leading <= LEADING_MOST, ok = true;
    for (size_t i = 0; ok && i < f->count; i++) {
        const seen *s = f->at[i];
        if (is(s, TFP_FORMAT_PART) || is_copy(f, s) || (belong && is(s, TFP_FORMAT_FOLLOWS))) continue;
        size_t count = 1;
        if (belong && is(s, TFP_FORMAT_LEADS))
            count = companions(f, s, room);
        else
            count = ranks_of(f, i, room);
        ok = !count || add_found(l, room, count);
    }
    return ok;
}

bool group_folder(look *l, size_t number)
{
    const seen_list *all = &l->roots[number].files;
    const seen **order = malloc((all->count + 1) * sizeof *order);
    part *room = malloc((all->count + 1) * sizeof *room);
    size_t count = 0;
    bool ok = order && room;
    for (size_t i = 0; ok && i < all->count; i++)
        if (all->at[i].format) order[count++] = &all->at[i];
    if (count) qsort(order, count, sizeof *order, by_folder);
    for (size_t first = 0, i = 1; ok && first < count; i++) {
        if (i < count && same_folder(order[first], order[i])) continue;
        shelf f = { number, order + first, i - first };
        ok = group_shelf(l, &f, room);
        first = i;
    }
    free(order);
    free(room);
    return ok;
}

static size_t row_of(const char *format)
{
    const char *name;
    size_t i = 0;
    while ((name = tfp_list(TFP_FORMATS, i)) && strcmp(name, format) != 0) i++;
    return i;
}

/* Sorted in the order of the formats; files of one format stay in the order in which they were named. */
bool group_named(look *l, size_t first)
{
    part *parts = malloc((l->root_count + 1) * sizeof *parts);
    size_t count = 0;
    for (size_t i = first; parts && i < l->root_count; i++) {
        const root *r = &l->roots[i];
        if (r->group != l->roots[first].group || !r->files.count || !r->files.at[0].format) continue;
        size_t to = count++;
        for (; to && row_of(parts[to - 1].format) > row_of(r->files.at[0].format); to--) parts[to] = parts[to - 1];
        parts[to] = part_of(i, &r->files.at[0]);
    }
    bool ok = parts && (!count || add_found(l, parts, count));
    free(parts);
    return ok;
}
