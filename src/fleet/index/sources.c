// SPDX-License-Identifier: Apache-2.0
/* fleet/index/sources.c: the folders to which an index's paths are relative, so that its traces can be found again: OUT/_sources, one per
 * line. */
#include "fleet/index/index.h"
#include "fleet/index/sources.h"
#include "base/io.h"

#include <sys/stat.h>
#include <unistd.h>

enum { BYTES_MOST = 1 << 20, FOLDERS_MOST = 1000 };

static bool is_line_of(tfp_str text, tfp_str wanted)
{
    while (text.size)
        if (tfp_str_eq(tfp_str_cut_line(&text), wanted)) return true;
    return false;
}

static void add_folder(tfp_buf *b, const char *folder, size_t *count)
{
    tfp_str line = tfp_str_of(folder);
    if (*count == FOLDERS_MOST || memchr(folder, '\n', line.size) || is_line_of((tfp_str){ b->data, b->size }, line))
        return;
    tfp_buf_str(b, line);
    tfp_buf_char(b, '\n');
    ++*count;
}

/* Adds a source. For a folder the paths are below it; for a file they are as given: below the current folder, or
 * absolute. */
static void add_source(tfp_buf *b, const char *source, size_t *count)
{
    char whole[PATH_MAX];
    bool list = strcmp(source, "-") == 0, folder = !list && tfp_is_folder(source);
    if (!realpath(folder ? source : ".", whole)) return;
    add_folder(b, whole, count);
    char *slash = !folder && source[0] == '/' && realpath(source, whole) ? strrchr(whole, '/') : NULL;
    if (!slash) return;
    slash[slash == whole] = '\0';
    add_folder(b, whole, count);
}

tfp_status tfp_index_sources_write(const char *out, const char *const *sources, size_t given, tfp_error *err)
{
    char path[PATH_MAX];
    tfp_buf b = { 0 };
    size_t count = 0;
    if (!tfp_index_path(path, out, NULL, "_sources")) return TFP_OK;
    if (tfp_exists(path)) (void)!tfp_read_file(path, BYTES_MOST, &b, NULL);
    size_t before = b.size;
    for (size_t i = 0; i < b.size; i++) count += b.data[i] == '\n';
    for (size_t i = 0; i < given; i++) add_source(&b, sources[i], &count);
    tfp_status s = b.failed ? tfp_nomem(err) : b.size == before ? TFP_OK : tfp_index_write(path, &b, err);
    tfp_buf_free(&b);
    return s;
}

/* Whether the index is our own. Folders named in another user's index are not used, because it could name any
 * folder. */
static bool is_own(const char *path)
{
    struct stat st;
    return lstat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid();
}

tfp_status tfp_index_sources_each(const char *out, void (*fn)(void *ctx, const char *folder), void *ctx, tfp_error *err)
{
    char path[PATH_MAX], folder[PATH_MAX];
    tfp_buf b = { 0 };
    if (!tfp_index_path(path, out, NULL, "_sources") || !is_own(path)) return TFP_OK;
    tfp_status s = tfp_read_file(path, BYTES_MOST, &b, err);
    tfp_str text = { b.data, s ? 0 : b.size };
    while (text.size) {
        tfp_str line = tfp_str_cut_line(&text);
        if (!line.size || line.data[0] != '/' || line.size >= sizeof folder) continue;
        memcpy(folder, line.data, line.size);
        folder[line.size] = '\0';
        if (tfp_is_folder(folder)) fn(ctx, folder);
    }
    tfp_buf_free(&b);
    return s;
}
