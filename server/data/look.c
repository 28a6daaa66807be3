// SPDX-License-Identifier: Apache-2.0
/* server/data/look.c: finds which files are profiles. A file is recognized by its first bytes, which are read again only when it
 * has changed. */
#include "look.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEAD_BYTES 65536

static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* ---- one file ---- */

static const char *format_of(const root *r, const char *path)
{
    if (tfp_path_is(path, TFP_PATH_PART)) return NULL;
    const char *format = NULL;
    file_state state;
    char *head = malloc(HEAD_BYTES);
    int fd = folder_open(r->fd, path);
    ssize_t n = head && file_state_of(fd, &state) ? pread(fd, head, HEAD_BYTES, 0) : -1;
    if (n > 0)
        format =
            tfp_recognise_start(path, head, (size_t)n, state.bytes < (uint64_t)n ? (uint64_t)n : state.bytes, NULL);
    if (fd >= 0) close(fd);
    free(head);
    return format;
}

typedef struct round { /* one look at one root */
    const root *r;
    size_t old; /* files before this index are done: both lists are in byte order */
    seen_list now;
} round;

static bool see(void *ctx, const char *path, const file_state *state)
{
    round *x = ctx;
    const seen_list *before = &x->r->files;
    const seen *same = NULL;
    for (int order = -1; x->old < before->count && order < 0; x->old += order <= 0) {
        order = strcmp(before->at[x->old].path, path);
        if (order == 0) same = &before->at[x->old];
    }
    if (x->now.count == x->now.room) {
        size_t room = x->now.room ? x->now.room * 2 : 16;
        seen *more = realloc(x->now.at, room * sizeof *more);
        if (!more) return false;
        x->now.at = more;
        x->now.room = room;
    }
    bool known = same && file_state_same(&same->state, state);
    char *copy = strdup(path);
    if (!copy) return false;
    x->now.at[x->now.count++] = (seen){ copy, *state,
                                        known          ? same->format
                                        : x->r->format ? x->r->format
                                                       : format_of(x->r, path) };
    return true;
}

static void free_seen(seen_list *l)
{
    for (size_t i = 0; i < l->count; i++) free(l->at[i].path);
    free(l->at);
    *l = (seen_list){ 0 };
}

/* Looks at the only file of a root, which may have been named by a prefix. */
static bool see_only(round *x)
{
    const char *ending = "";
    for (size_t i = 0; ending; ending = tfp_format_ending(x->r->format, i++)) {
        char path[4096];
        file_state state;
        snprintf(path, sizeof path, "%s%s", x->r->only, ending);
        int fd = folder_open(x->r->fd, path);
        bool there = file_state_of(fd, &state);
        if (fd >= 0) close(fd);
        if (there) return see(x, path, &state);
    }
    return true;
}

static bool look_at(root *r)
{
    if (r->text_only) return true;
    round x = { .r = r };
    walk_result result = r->only ? see_only(&x) ? WALK_WHOLE : WALK_FAILED : folder_walk(r->fd, LOOK_FILES, see, &x);
    if (result == WALK_FAILED) {
        free_seen(&x.now);
        return false;
    }
    free_seen(&r->files);
    r->files = x.now;
    r->cut = result == WALK_CUT;
    return true;
}

/* ---- parts ---- */

bool parts_same(const part *a, size_t a_count, const part *b, size_t b_count)
{
    if (a_count != b_count) return false;
    for (size_t i = 0; i < a_count; i++)
        if (a[i].root != b[i].root || strcmp(a[i].path, b[i].path) != 0 || !file_state_same(&a[i].state, &b[i].state))
            return false;
    return true;
}

part *parts_copy(const part *parts, size_t count)
{
    part *copy = calloc(count + 1, sizeof *copy);
    for (size_t i = 0; copy && i < count; i++) {
        copy[i] = parts[i];
        copy[i].path = strdup(parts[i].path);
        if (copy[i].path) continue;
        parts_free(copy, i);
        return NULL;
    }
    return copy;
}

void parts_free(part *parts, size_t count)
{
    for (size_t i = 0; parts && i < count; i++) free(parts[i].path);
    free(parts);
}

static void forget_found(look *l)
{
    for (size_t i = 0; i < l->found_count; i++) parts_free(l->found[i].parts, l->found[i].count);
    l->found_count = 0;
}

static bool is_first_of_group(const look *l, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (l->roots[k].group == l->roots[i].group) return false;
    return true;
}

bool look_again(look *l)
{
    bool ok = true;
    forget_found(l);
    for (size_t i = 0; i < l->root_count && ok; i++) ok = look_at(&l->roots[i]);
    for (size_t i = 0; i < l->root_count && ok; i++) {
        if (!l->roots[i].group)
            ok = group_folder(l, i);
        else if (is_first_of_group(l, i))
            ok = group_named(l, i);
    }
    return ok;
}

bool look_for(const look *l, size_t number, const char *path, found_profile *out)
{
    const root *r = &l->roots[number];
    int fd = folder_open(r->fd, path);
    part p = { .root = number, .path = (char *)(uintptr_t)path };
    bool there = fd >= 0 && file_state_of(fd, &p.state);
    if (fd >= 0) close(fd);
    *out = (found_profile){ 0 };
    if (!there || !(p.format = format_of(r, path)) || tfp_format_is(p.format, TFP_FORMAT_PART)) return false;
    out->parts = parts_copy(&p, 1);
    out->count = 1;
    return out->parts != NULL;
}

/* ---- names ---- */

static char *join(const char *folder, size_t folder_size, const char *name, size_t name_size)
{
    char *text = malloc(folder_size + name_size + 2);
    if (!text) return NULL;
    memcpy(text, folder, folder_size);
    if (folder_size && folder[folder_size - 1] != '/') text[folder_size++] = '/';
    memcpy(text + folder_size, name, name_size);
    text[folder_size + name_size] = '\0';
    return text;
}

char *look_file(const look *l, const part *p)
{
    const root *r = &l->roots[p->root];
    if (r->only) return strdup(r->given);
    bool here = strcmp(r->given, ".") == 0;
    return join(here ? "" : r->given, here ? 0 : strlen(r->given), p->path, tfp_format_name_size(p->format, p->path));
}

char *look_name(const look *l, const found_profile *p)
{
    const root *r = &l->roots[p->parts[0].root];
    const char *path = p->parts[0].path, *base = base_of(path);
    bool by_folder = tfp_path_is(path, TFP_PATH_FOLDER);
    if (r->only) return strdup(r->given);
    if (by_folder && base > path) return join("", 0, path, (size_t)(base - path) - 1);
    if (by_folder) return strdup(base_of(r->full));
    return join("", 0, path, tfp_format_name_size(p->parts[0].format, path));
}

/* ---- the roots ---- */

static bool refuse(char *why, size_t room, const char *path, const char *what)
{
    snprintf(why, room, "%s: %s", path, what);
    return false;
}

static bool no_memory(char *why, size_t room)
{
    snprintf(why, room, "%s", LOOK_NO_MEMORY);
    return false;
}

/* Sets the reason after a failed system call. */
static bool refuse_call(char *why, size_t room, const char *path)
{
    return errno == ENOMEM ? no_memory(why, room) : refuse(why, room, path, strerror(errno));
}

/* Splits a file's path into its folder and its name there. A link that the user named is followed to its file. A prefix
 * names no file itself, so its files are where it was named. */
static bool split_path(const serve_input *in, root *r)
{
    char *path = tfp_format_is(in->format, TFP_FORMAT_PREFIX) ? NULL : realpath(in->path, NULL);
    if (!path) path = strdup(in->path);
    char *slash = path ? strrchr(path, '/') : NULL;
    r->only = path ? strdup(slash ? slash + 1 : path) : NULL;
    if (slash) slash[slash == path ? 1 : 0] = '\0';
    r->full = path ? realpath(slash ? path : ".", NULL) : NULL;
    free(path);
    return r->full && r->only && *r->only;
}

static bool open_root(const serve_input *in, root *r, char *why, size_t room)
{
    struct stat st;
    bool prefix = tfp_format_is(in->format, TFP_FORMAT_PREFIX);
    *r = (root){
        .fd = -1, .format = in->format, .group = in->group, .given = strdup(in->path), .text_only = in->text_only
    };
    size_t size = r->given ? strlen(r->given) : 0;
    while (size > 1 && r->given[size - 1] == '/') r->given[--size] = '\0';
    if (!r->given) return no_memory(why, room);
    if (stat(in->path, &st) && !prefix) return refuse_call(why, room, in->path);
    bool folder = stat(in->path, &st) == 0 && S_ISDIR(st.st_mode);
    if (!folder && !prefix && !S_ISREG(st.st_mode)) return refuse(why, room, in->path, "neither a file nor a folder");
    if (!folder && in->text_only) return refuse(why, room, in->path, "not a folder of source text");
    if (folder && !in->group)
        r->full = realpath(in->path, NULL);
    else if (!split_path(in, r))
        return refuse_call(why, room, in->path);
    r->fd = r->full ? open(r->full, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    return r->fd >= 0 || refuse_call(why, room, in->path);
}

/* A file that was named must be there and be a profile. */
static bool check_named(const look *l, char *why, size_t room)
{
    for (size_t i = 0; i < l->root_count; i++) {
        const root *r = &l->roots[i];
        if (!r->only || (r->files.count && r->files.at[0].format)) continue;
        tfp_error *err = tfp_error_new();
        const char *format = tfp_recognise_file(r->given, err), *what = tfp_error_message(err);
        snprintf(why, room, "%s%s", format || !*what ? r->given : what,
                 format || !*what ? ": cannot be read under this name, perhaps because of a link that leaves its folder"
                                  : "");
        tfp_error_free(err);
        return false;
    }
    return true;
}

bool look_open(look *l, const serve_options *o, char *why, size_t room)
{
    *l = (look){ .roots = calloc(o->input_count + 1, sizeof *l->roots) };
    if (!l->roots) return no_memory(why, room);
    for (size_t i = 0; i < o->input_count; i++) {
        l->root_count++;
        if (!open_root(&o->inputs[i], &l->roots[i], why, room)) return false;
    }
    if (!look_again(l)) return no_memory(why, room);
    return check_named(l, why, room);
}

void look_close(look *l)
{
    forget_found(l);
    free(l->found);
    for (size_t i = 0; i < l->root_count; i++) {
        root *r = &l->roots[i];
        if (r->fd >= 0) close(r->fd);
        free_seen(&r->files);
        free(r->given);
        free(r->full);
        free(r->only);
    }
    free(l->roots);
    *l = (look){ 0 };
}
