// SPDX-License-Identifier: Apache-2.0
/* store/read.c: the format of tfprof's own files. In: a file that `tfprof convert` wrote. Out: the converted profile,
 * with the tables that the caller wants to keep. Nothing in the file is trusted: offsets and
 * sizes must lie in the file, rows in their tables, ranges of rows may not overlap, a span's parent must begin before it,
 * kinds must be known. Only a checkpoint can be added to such a profile, because our files do not contain its values. */
#include "model/builder.h"
#include "model/tables/events.h"
#include "model/tables/graph.h"
#include "model/tables/profile.h"
#include "model/tables/runs.h"
#include "model/tables/sources.h"
#include "store/store.h"

static const char again[] = "convert the original files again";

static int probe(tfp_str head, uint64_t total)
{
    (void)total;
    return head.size >= sizeof tfp_store_magic && memcmp(head.data, tfp_store_magic, sizeof tfp_store_magic) == 0 ? 100
                                                                                                                  : 0;
}

static tfp_status fail_at(const tfp_store_file *f, tfp_store_fault fault, tfp_error *err)
{
    static const char *const words[] = {
        [TFP_STORE_UNREAD] = "cannot be read",
        [TFP_STORE_ABSENT] = "is not there, or of another size",
        [TFP_STORE_CHANGED] = "has another checksum",
        [TFP_STORE_WRONG] = "has an impossible value",
    };
    if (fault == TFP_STORE_FINE) return TFP_OK;
    if (fault == TFP_STORE_NO_MEMORY) return tfp_nomem(err);
    return tfp_fail(err, TFP_BADFILE, "damaged: %s%s%s %s: %s", f->table, *f->column ? "." : "", f->column,
                    words[fault], again);
}

/* ---- tables that are kept ---- */

/* Whether the program is kept, by the rule of the readers of graphs. */
static bool wants_program(const tfp_program *g, unsigned keep)
{
    return keep & TFP_READS_PROGRAM || g->saved_model || keep & TFP_READS_GRAPHS;
}

static tfp_status start_program(tfp_store_file *f, tfp_error *err)
{
    if (!tfp_store_entry_find(f, tfp_schema_tables[TFP_TABLE_PROGRAM].name, "")) return TFP_OK;
    if (!(f->p->program = calloc(1, sizeof *f->p->program))) return tfp_nomem(err);
    tfp_status s = fail_at(f, tfp_store_load_one(f, TFP_TABLE_PROGRAM), err);
    if (s || wants_program(f->p->program, f->p->reads)) return s;
    tfp_program_free(f->p->program);
    f->p->program = NULL;
    return TFP_OK;
}

/* Sets the row count of each table, and checks that there is memory for them. */
static tfp_status count_rows(tfp_store_file *f, tfp_error *err)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < TFP_TABLES; i++) {
        const tfp_schema_table *t = &tfp_schema_tables[i];
        const tfp_store_entry *e = tfp_store_entry_find(f, t->name, "");
        bool of_program = tfp_table_is_of_program(t);
        if (!e || (t->keep & ~f->p->reads) || (of_program && !f->p->program)) continue;
        f->rows[i] = (size_t)e->rows;
        bytes += e->rows * tfp_table_row_bytes(t);
    }
    if (f->p->arena.limit && bytes > f->p->arena.limit)
        return tfp_fail(err, TFP_LIMIT, "needs more than %zu MB of memory", f->p->arena.limit >> 20);
    return TFP_OK;
}

/* The flags of the file replace the profile's, except those about this reading. */
static tfp_status load_profile(tfp_store_file *f, tfp_error *err)
{
    tfp_profile *p = f->p;
    bool wanted = p->about.functions;
    tfp_status s = fail_at(f, tfp_store_load_one(f, TFP_TABLE_PROFILE), err);
    p->about.has &= ~TFP_STORE_FOLLOWS;
    if (!s && wanted && !p->about.functions)
        s = tfp_fail(err, TFP_BADFILE, "converted without the nodes of functions: %s, with --functions", again);
    return s;
}

static tfp_status load(tfp_store_file *f, tfp_error *err)
{
    tfp_status s = fail_at(f, tfp_store_load_strings(f), err);
    if (!s) s = load_profile(f, err);
    if (!s) s = start_program(f, err);
    if (!s) s = count_rows(f, err);
    if (!s) s = fail_at(f, tfp_store_load_tables(f), err);
    if (!s) s = fail_at(f, tfp_store_check(f), err);
    return s ? s : fail_at(f, tfp_store_connect(f), err);
}

/* ---- the format ---- */

static bool is_empty(const tfp_profile *p)
{
    for (size_t i = 0; i < TFP_TABLES; i++) {
        const tfp_schema_table *t = &tfp_schema_tables[i];
        bool own = i == TFP_TABLE_PROFILE || i == TFP_TABLE_SOURCES || i == TFP_TABLE_FORMATS;
        if (!own && !tfp_table_is_of_program(t) && tfp_table_count(t, tfp_table_at(t, p))) return false;
    }
    return p->files->sources.size == 1 && !p->program && !p->checkpoint && !p->events->spans.start_ns;
}

/* Frees half-read tables, because code that runs after a failure needs valid ones. */
static void empty(tfp_profile *p)
{
    tfp_program_free(p->program);
    p->program = NULL;
    tfp_tables_clear(p);
    p->events->spans.size = p->events->spans.capacity = 0;
    p->about.graph_file = NULL;
    p->about.has = 0;
}

/* A small file may contain much larger tables, because columns are packed. */
static void allow_memory(tfp_profile *p, uint64_t stored)
{
    size_t most = ((size_t)360 << 20) + (size_t)stored * TFP_STORE_READER_PER_BYTE;
    if (p->arena.limit && p->arena.limit < most) p->arena.limit = most;
}

static tfp_status read(tfp_builder *b, tfp_input *in, tfp_error *err)
{
    tfp_profile *p = b->p;
    tfp_store_file f = { .p = p, .table = "", .column = "" };
    if (!is_empty(p))
        return tfp_fail(err, TFP_BADARG,
                        "a converted profile stands alone: convert the original files together with the others");
    char *name = p->files->sources.at[0];
    const char *format = p->files->formats.at[0];
    /* columns are read from their offsets, by several threads, so the input's window is not used */
    f.in = in->fd < 0 ? tfp_source_memory((tfp_str){ in->buffer, in->filled })
                      : (tfp_source){ .fd = in->fd, .size = in->total };
    tfp_status s = tfp_store_read_directory(&f, err);
    if (!s) allow_memory(p, f.in.size);
    if (!s && (s = load(&f, err))) {
        empty(p);
        /* the array has room, because this row was in it before */
        p->files->sources.at[p->files->sources.size++] = name;
        p->files->formats.at[p->files->formats.size++] = format;
    }
    p->reopened = !s;
    for (size_t i = 0; i < TFP_TABLES; i++) free(f.owners[i]);
    tfp_vec_free(&f.values.rows);
    tfp_vec_free(&f.entries);
    free(f.directory);
    return s;
}

const tfp_format tfp_format_tfprof = {
    .name = "tfprof",
    .help = "a profile of any of these formats that `tfprof convert -o NAME.tfprof` wrote; stands alone, or with a "
            "checkpoint",
    .stands = TFP_FORMAT_IS(WHOLE),
    .probe = probe,
    .read = read,
};
