// SPDX-License-Identifier: Apache-2.0
/* profiles_many.c: adds several files in one call. Small ones are read and decoded in parallel, each separately, and
 * added in the given order, so that the profile and the first error are the same for any number of threads. All others
 * are read in their turn, as by tfp_profile_add_file, which splits a large file between threads itself. */
#include "base/threads.h"
#include "model/tables/profile.h"
#include "model/tables/sources.h"
#include "profiles.h"
#include "registry.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

/* Readers split larger files into pieces. Decoded data takes about four bytes for each byte. */
#define SMALL ((size_t)1 << 20)

typedef struct given {
    size_t count;
    const char *const *formats, *const *names;
    const int *fds; /* NULL: names are paths */
    const int64_t *steps;
} given;

typedef struct file { /* one slot, which is used for one file after another */
    size_t number;
    tfp_buf own; /* holds its bytes */
    tfp_input in;
    const tfp_format *format;
    const tfp_format *tables_of; /* decoded data goes into tables of this format; NULL: none yet */
    void *tables;
    bool decoded; /* false: the file is read in its turn */
} file;

typedef struct many {
    tfp_profile *p;
    const given *g;
    file *files; /* by slot */
    size_t taken;
    tfp_status status;
    tfp_error *err;
} many;

static void end_tables(file *x)
{
    if (x->tables) x->tables_of->ahead->end(x->tables);
    x->tables = NULL;
}

static const char *format_of(const given *g, size_t i) { return g->formats ? g->formats[i] : NULL; }

/* ---- side by side ---- */

static bool take_file(void *ctx, size_t slot, size_t worker)
{
    many *m = ctx;
    (void)worker;
    if (m->taken == m->g->count) return false;
    m->files[slot].number = m->taken++;
    m->files[slot].decoded = false;
    return true;
}

/* A pipe can be opened only once, so it is not opened here. */
static bool open_small(file *x, const given *g)
{
    const char *name = g->names[x->number];
    int fd = g->fds ? g->fds[x->number] : open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0) return false;
    bool small = lseek(fd, 0, SEEK_CUR) == 0 && tfp_input_small(&x->in, name, fd, SMALL, &x->own);
    if (!g->fds) close(fd);
    return small;
}

static bool has_tables(file *x)
{
    if (x->tables && x->tables_of == x->format) return true;
    end_tables(x);
    x->tables_of = x->format;
    return (x->tables = x->format->ahead->start()) != NULL;
}

static void decode_file(void *ctx, size_t slot)
{
    const many *m = ctx;
    file *x = &m->files[slot];
    const char *format = format_of(m->g, x->number), *name = m->g->names[x->number];
    x->format = tfp_format_find(format);
    if (!name || (format && (!x->format || !x->format->ahead))) return;
    if (!format && !m->g->fds && tfp_profiles_recognise_path(name)) return;
    if (!open_small(x, m->g)) return;
    if (!format) x->format = tfp_profiles_recognise((tfp_str){ x->in.buffer, x->in.filled }, x->in.total, name, NULL);
    x->decoded = x->format && x->format->ahead && has_tables(x) && x->format->ahead->decode(x->tables, &x->in);
}

/* ---- in order, on the caller's thread ---- */

static tfp_status add_one(many *m, const file *x)
{
    const given *g = m->g;
    size_t i = x->number;
    m->p->files->adding = i;
    if (g->steps) tfp_profile_next_step(m->p, g->steps[i]);
    if (x->decoded) return tfp_profiles_add_decoded(m->p, x->format, &x->in, x->tables, m->err);
    if (g->fds) return tfp_profile_add_descriptor(m->p, format_of(g, i), g->names[i], g->fds[i], m->err);
    return tfp_profile_add_file(m->p, format_of(g, i), g->names[i], m->err);
}

static bool add_file(void *ctx, size_t slot)
{
    many *m = ctx;
    m->status = add_one(m, &m->files[slot]);
    return !m->status;
}

static tfp_status add_all(tfp_profile *p, const given *g, tfp_error *err)
{
    size_t threads = tfp_sharing_get().threads;
    if (threads > g->count) threads = g->count ? g->count : 1;
    many m = { .p = p, .g = g, .err = err };
    size_t slots = TFP_SLOTS(threads);
    m.files = calloc(slots, sizeof *m.files);
    if (!m.files) return tfp_nomem(err);
    tfp_pieces work = { &m, take_file, decode_file, add_file, true };
    if (threads > 1) tfp_pieces_run(&work, threads);
    for (; threads < 2 && m.taken < g->count && !m.status; m.taken++)
        m.status = add_one(&m, &(file){ .number = m.taken });
    for (size_t i = 0; i < slots; i++) {
        end_tables(&m.files[i]);
        tfp_buf_free(&m.files[i].own);
    }
    free(m.files);
    if (!m.status) p->files->adding = 0;
    return m.status;
}

tfp_status tfp_profile_add_files(tfp_profile *p, size_t count, const char *const *formats, const char *const *paths,
                                 const int64_t *steps, tfp_error *err)
{
    tfp_error_clear(err);
    if (!p || (count && !paths)) return tfp_fail(err, TFP_BADARG, "no profile, or no paths");
    return add_all(p, &(given){ count, formats, paths, NULL, steps }, err);
}

tfp_status tfp_profile_add_descriptors(tfp_profile *p, size_t count, const char *const *formats,
                                       const char *const *names, const int *fds, tfp_error *err)
{
    tfp_error_clear(err);
    if (!p || (count && (!names || !fds))) return tfp_fail(err, TFP_BADARG, "no profile, no names, or no descriptors");
    return add_all(p, &(given){ count, formats, names, fds, NULL }, err);
}

size_t tfp_profile_adding(const tfp_profile *p) { return p ? p->files->adding : 0; }
