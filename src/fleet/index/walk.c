// SPDX-License-Identifier: Apache-2.0
/* fleet/index/walk.c: walks over the sources' files in the order of their paths, folder by folder: only the names in open folders are
 * in memory. */
#include "fleet/index/index.h"
#include "fleet/pattern.h"
#include "base/io.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DEEPEST = 64 };

typedef struct open_folder {
    tfp_buf names;           /* each ended by NUL; names of folders begin with a slash */
    TFP_VEC(uint32_t) order; /* offsets in names, sorted */
    size_t next, path_size;  /* next: index in order; path_size: length of the folder's own path */
} open_folder;

struct tfp_index_walk {
    const char *const *sources;
    size_t source_count, source;
    const char *names, *sidecar;
    char path[PATH_MAX];
    size_t path_from; /* where the path below the source begins */
    open_folder open[DEEPEST];
    size_t depth;
    tfp_buf list, again; /* paths from stdin, and of files to be read again, each ended by NUL */
    size_t list_at, again_at, closed;
    TFP_VEC(const char *) folders; /* the sources that are folders, for `again` */
};

/* ---- folders ---- */

static int by_name(const void *a, const void *b, void *names)
{
    return strcmp((const char *)names + *(const uint32_t *)a, (const char *)names + *(const uint32_t *)b);
}

static bool is_wanted(const tfp_index_walk *w, const char *name)
{
    return strcmp(name, w->sidecar) != 0 && tfp_glob_fits_one(w->names, tfp_str_of(name));
}

/* 'd' folder, 'f' file, 0: ignored, such as links to folders, pipes and devices. */
static char kind_of(int folder, const struct dirent *e)
{
    struct stat st;
    if (e->d_type == DT_REG) return 'f';
    if (e->d_type == DT_DIR) return 'd';
    if (e->d_type != DT_LNK && e->d_type != DT_UNKNOWN) return 0;
    if (fstatat(folder, e->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode)) return 'd';
    return fstatat(folder, e->d_name, &st, 0) == 0 && S_ISREG(st.st_mode) ? 'f' : 0;
}

static bool add_name(tfp_index_walk *w, open_folder *o, int folder, const struct dirent *e)
{
    if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0) return true;
    char kind = kind_of(folder, e);
    if (!kind || (kind == 'f' && !is_wanted(w, e->d_name))) return true;
    if (o->names.size > UINT32_MAX - 2 * NAME_MAX) return false;
    uint32_t at = (uint32_t)o->names.size;
    tfp_buf_text(&o->names, e->d_name);
    if (kind == 'd') tfp_buf_char(&o->names, '/');
    tfp_buf_char(&o->names, '\0');
    return !o->names.failed && tfp_push(&o->order, at);
}

static void close_folder(open_folder *o)
{
    tfp_buf_free(&o->names);
    tfp_vec_free(&o->order);
    *o = (open_folder){ 0 };
}

/* Opens the folder with the path in w->path, unless it is an index. */
static tfp_status enter(tfp_index_walk *w, tfp_error *err)
{
    size_t size = strlen(w->path);
    if (w->depth == DEEPEST) return tfp_fail(err, TFP_BADFILE, "%s: folders deeper than %d", w->path, DEEPEST);
    int fd = open(w->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    if (!dir) {
        tfp_status s = tfp_fail_errno(err, "cannot open");
        if (fd >= 0) close(fd);
        return tfp_within_file(err, s, w->path);
    }
    open_folder *o = &w->open[w->depth];
    *o = (open_folder){ .path_size = size };
    bool index = faccessat(fd, "_tfprof.json", F_OK, 0) == 0, ok = true;
    for (struct dirent *e; !index && ok && (e = readdir(dir));) ok = add_name(w, o, fd, e);
    closedir(dir);
    if (!ok) {
        close_folder(o);
        return tfp_nomem(err);
    }
    if (o->order.size) qsort_r(o->order.at, o->order.size, sizeof *o->order.at, by_name, o->names.data);
    w->depth++;
    return TFP_OK;
}

static bool set_path(tfp_index_walk *w, size_t folder_size, const char *name)
{
    size_t size = strlen(name);
    bool slash = folder_size && w->path[folder_size - 1] != '/';
    if (folder_size + slash + size + 1 > sizeof w->path) return false;
    if (slash) w->path[folder_size] = '/';
    memcpy(w->path + folder_size + slash, name, size + 1);
    return true;
}

/* ---- files ---- */

static bool tell(tfp_index_walk *w, tfp_index_walk_file *f)
{
    struct stat st;
    *f = (tfp_index_walk_file){ w->path, w->path + w->path_from, INT64_MIN, INT64_MIN };
    if (stat(w->path, &st) != 0) return true;
    f->size = st.st_size;
    f->mtime_us = (int64_t)st.st_mtim.tv_sec * 1000000 + st.st_mtim.tv_nsec / 1000;
    return true;
}

/* Takes the next name of the open folders. False: none is open, or a folder was entered and *s has the result. */
static bool next_name(tfp_index_walk *w, tfp_index_walk_file *f, tfp_status *s, tfp_error *err)
{
    open_folder *o = &w->open[w->depth - 1];
    if (o->next == o->order.size) {
        close_folder(o);
        w->depth--;
        return false;
    }
    const char *name = o->names.data + o->order.at[o->next++];
    if (!set_path(w, o->path_size, name)) return false; /* longer than PATH_MAX: left out */
    size_t size = strlen(w->path);
    if (w->path[size - 1] != '/') return tell(w, f);
    w->path[size - 1] = '\0';
    *s = enter(w, err);
    if (*s == TFP_BADFILE && err && err->number == EACCES) { /* we may not read it */
        w->closed++;
        *s = TFP_OK;
    }
    return false;
}

/* Starts a source, or a line of a list: a folder is entered, a file is the next file. */
static bool start_source(tfp_index_walk *w, const char *source, tfp_index_walk_file *f, tfp_status *s, tfp_error *err)
{
    struct stat st;
    if (!set_path(w, 0, source)) {
        *s = tfp_fail(err, TFP_BADFILE, "%.200s...: the path is too long", source);
        return false;
    }
    w->path_from = 0;
    if (stat(source, &st) != 0 || !S_ISDIR(st.st_mode)) return tell(w, f);
    size_t size = strlen(w->path);
    while (size > 1 && w->path[size - 1] == '/') w->path[--size] = '\0';
    w->path_from = size + (w->path[size - 1] != '/');
    *s = enter(w, err);
    return false;
}

static tfp_status read_list(tfp_index_walk *w, tfp_error *err)
{
    tfp_input in;
    tfp_str all = { 0 };
    tfp_status s = tfp_input_descriptor(&in, "stdin", dup(STDIN_FILENO), err);
    if (!s) s = tfp_input_all(&in, &all, err);
    if (!s) tfp_buf_str(&w->list, all);
    tfp_input_close(&in);
    bool lines = !s && (!w->list.size || !memchr(w->list.data, '\0', w->list.size));
    for (size_t i = 0; lines && i < w->list.size; i++)
        if (w->list.data[i] == '\n') w->list.data[i] = '\0';
    tfp_buf_char(&w->list, '\0');
    return s ? tfp_within_file(err, s, "stdin") : w->list.failed ? tfp_nomem(err) : TFP_OK;
}

/* Takes the next of several paths, each ended by NUL; NULL: there are no more. */
static const char *next_of(const tfp_buf *list, size_t *at)
{
    while (*at < list->size && !list->data[*at]) ++*at;
    if (*at >= list->size) return NULL;
    const char *path = list->data + *at;
    *at += strlen(path) + 1;
    return path;
}

/* Finds the file for a path in the tables: below the first folder that has it, otherwise the path itself. */
static bool start_again(tfp_index_walk *w, const char *path, tfp_index_walk_file *f)
{
    for (size_t i = 0; i < w->folders.size; i++) {
        w->path_from = 0;
        size_t size = strlen(w->folders.at[i]);
        while (size > 1 && w->folders.at[i][size - 1] == '/') size--;
        if (size + 1 >= sizeof w->path) continue;
        memcpy(w->path, w->folders.at[i], size);
        w->path[size] = '\0';
        if (!set_path(w, size, path) || !tfp_exists(w->path)) continue;
        w->path_from = strlen(w->path) - strlen(path);
        return tell(w, f);
    }
    w->path_from = 0;
    return set_path(w, 0, path) && tfp_exists(w->path) && tell(w, f);
}

bool tfp_index_walk_next(tfp_index_walk *w, tfp_index_walk_file *f, tfp_status *s, tfp_error *err)
{
    const char *path;
    *s = TFP_OK;
    while (!*s) {
        if (w->depth) {
            if (next_name(w, f, s, err)) return true;
        } else if ((path = next_of(&w->list, &w->list_at))) {
            if (start_source(w, path, f, s, err)) return true;
        } else if (w->source < w->source_count) {
            path = w->sources[w->source++];
            if (strcmp(path, "-") == 0)
                *s = read_list(w, err);
            else if (start_source(w, path, f, s, err))
                return true;
        } else if ((path = next_of(&w->again, &w->again_at))) {
            if (start_again(w, path, f)) return true;
        } else {
            return false;
        }
    }
    return false;
}

bool tfp_index_walk_again(tfp_index_walk *w, tfp_str path)
{
    tfp_buf_str(&w->again, path);
    tfp_buf_char(&w->again, '\0');
    return !w->again.failed;
}

tfp_status tfp_index_walk_new(const char *const *sources, size_t count, const char *names, const char *sidecar,
                              tfp_index_walk **out, tfp_error *err)
{
    tfp_index_walk *w = calloc(1, sizeof *w);
    tfp_status s = w ? TFP_OK : tfp_nomem(err);
    for (size_t i = 0; i < count && !s; i++) {
        if (strcmp(sources[i], "-") == 0) continue;
        if (!tfp_exists(sources[i]))
            s = tfp_within_file(err, tfp_fail(err, TFP_BADFILE, "no such file or folder"), sources[i]);
        else if (tfp_is_folder(sources[i]) && !tfp_push(&w->folders, sources[i]))
            s = tfp_nomem(err);
    }
    if (s) {
        tfp_index_walk_free(w);
        return s;
    }
    w->sources = sources;
    w->source_count = count;
    w->names = names ? names : "*.json,*.json.gz,*.pb,*.pb.gz,*.tfprof";
    w->sidecar = sidecar ? sidecar : "meta.json";
    *out = w;
    return TFP_OK;
}

size_t tfp_index_walk_closed(const tfp_index_walk *w) { return w->closed; }

void tfp_index_walk_free(tfp_index_walk *w)
{
    if (!w) return;
    while (w->depth) close_folder(&w->open[--w->depth]);
    tfp_buf_free(&w->list);
    tfp_buf_free(&w->again);
    tfp_vec_free(&w->folders);
    free(w);
}
