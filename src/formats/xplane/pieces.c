// SPDX-License-Identifier: Apache-2.0
/* formats/xplane/pieces.c: the lines of a plane are read by several threads. They are cut between their fields; each
 * piece is read into rows (event.c), which are added in the order of the file. If something odd is found while cutting,
 * one thread reads the rest of the line, so results and messages do not depend on the number of threads. */
#include "base/threads.h"
#include "formats/xplane/parts.h"

#include <stdlib.h>

#define PIECE ((size_t)256 << 10)
#define SMALLEST ((uint64_t)1 << 20) /* least bytes of lines for which threads are started */

typedef struct lines {
    tfp_xreader *r;
    uint32_t plane;
    bool modules; /* reads lines of modules, or the others */
    size_t line;  /* the line that is being cut, and the offset of its next piece */
    uint64_t at;
    bool started; /* the line's first piece was taken */
    bool odd;     /* the rest of the line cannot be cut */
    size_t piece; /* wanted bytes of a piece */
    tfp_xslot *slots;
    tfp_xline_reader lr; /* reader of the line that is being added */
    tfp_status take_status, status;
    tfp_error *take_err, *err;
} lines;

static tfp_xplane *plane_of(const lines *x) { return &x->r->planes.at[x->plane]; }

/* ---- cutting ---- */

/* The bytes of the fields that are completely in the window. */
static size_t whole_fields(tfp_str seen)
{
    tfp_wire w = tfp_wire_start(seen);
    size_t need;
    for (tfp_field f; w.at < w.end;) {
        const uint8_t *at = w.at;
        if (!tfp_xplane_is_whole(&w, &need) || !tfp_wire_next(&w, &f)) return (size_t)(at - w.start);
    }
    return seen.size;
}

static bool next_line(lines *x)
{
    const tfp_xplane *p = plane_of(x);
    while (x->line < p->lines.size && (p->lines.at[x->line].kind == XL_MODULES) != x->modules) x->line++;
    if (x->line == p->lines.size) return false;
    tfp_xline *l = &p->lines.at[x->line];
    if (l->timestamp_ns >= x->r->base_ns) l->timestamp_ns -= x->r->base_ns;
    x->at = l->at;
    return true;
}

/* Takes the next piece of a line; an empty line has none. */
static bool take(void *ctx, size_t slot, size_t worker)
{
    lines *x = ctx;
    tfp_xslot *s = &x->slots[slot];
    tfp_input *in = x->r->in;
    (void)worker;
    if (x->take_status || x->odd || (!x->started && !next_line(x))) return false;
    const tfp_xline *l = &plane_of(x)->lines.at[x->line];
    uint64_t left = l->at + l->size - x->at;
    tfp_str seen = { "", 0 };
    size_t used = 0;
    if (left) {
        x->take_status = tfp_input_seek(in, x->at, x->take_err);
        if (!x->take_status)
            x->take_status = tfp_input_peek(in, left < x->piece ? (size_t)left : x->piece, &seen, x->take_err);
        if (x->take_status) return false;
        if (seen.size > left) seen.size = (size_t)left;
        if (seen.size > x->piece) seen.size = x->piece;
        used = whole_fields(seen);
    }
    s->bytes = (tfp_str){ "", 0 };
    if (used) x->take_status = tfp_input_give(in, used, &s->own, &s->bytes, x->take_err);
    s->line = l;
    s->base = x->at;
    s->first = !x->started;
    x->at += used;
    x->odd = left && !used;
    x->started = used < left;
    x->line += used == left;
    return !x->take_status;
}

static void work(void *ctx, size_t slot) { tfp_xplane_parse(&((lines *)ctx)->slots[slot]); }

/* ---- adding ---- */

/* Reads the field at `at` of the piece, for a row that is no usual event or the first of its kind. */
static tfp_wire field_at(const tfp_xslot *s, size_t at, tfp_field *f)
{
    tfp_wire w = tfp_wire_start_at((tfp_str){ s->bytes.data + at, s->bytes.size - at }, s->base + at);
    if (!tfp_wire_next(&w, f)) f->number = 0;
    return w;
}

static void find_class(lines *x, const tfp_xslot *s, const tfp_xrow *row, tfp_xkind *kind)
{
    tfp_field f;
    tfp_wire w = field_at(s, row->at, &f);
    tfp_xevent e;
    tfp_xreader *r = x->r;
    if (!tfp_xplane_event(&x->lr, &w, &f, &e)) return;
    uint32_t meta = tfp_xids_get(&plane_of(x)->meta_by_id, e.meta);
    kind->class = tfp_xplane_classify(r, x->plane, x->lr.l->kind, meta, row->start_ns);
    if (kind->class == TFP_NONE) return;
    const tfp_xclass *c = &r->classes.list.at[kind->class];
    kind->stats = r->sums ? c->stats : tfp_xplane_stats(r, c);
}

static void add_row(lines *x, const tfp_xslot *s, const tfp_xrow *row, tfp_error *err)
{
    tfp_xkind *kind = row->kind == TFP_NONE ? NULL : &s->kinds.at[row->kind];
    if (kind && kind->class == TFP_NONE) find_class(x, s, row, kind);
    tfp_xclass *c = kind && kind->class != TFP_NONE ? &x->r->classes.list.at[kind->class] : NULL;
    unsigned marks = c && !c->memory ? tfp_xplane_run_marks(&x->lr, c, row->start_ns) : 0;
    if (c && tfp_xplane_compact_row(&x->lr, c, row, marks, kind->has_run)) return;
    if (!c || c->memory) {
        tfp_field f;
        tfp_wire w = field_at(s, row->at, &f);
        if (f.number) tfp_xplane_line_field(&x->lr, &w, &f);
        x->status = tfp_wire_end(&w, err);
        return;
    }
    tfp_xown_numbers n = { row->correlation, row->run, kind->has_run };
    tfp_event e = { .start_ns = row->start_ns,
                    .duration_ns = row->duration_ns,
                    .kind = c->kind,
                    .marks = marks,
                    .path = c->path,
                    .op = c->op,
                    .stats = kind->stats };
    tfp_xplane_span(&x->lr, c, &e, &n);
}

static tfp_status begin_line(lines *x, size_t line, tfp_error *err)
{
    x->lr = (tfp_xline_reader){
        .r = x->r, .l = &plane_of(x)->lines.at[line], .plane = x->plane, .last_meta = TFP_NONE, .only = TFP_NONE
    };
    tfp_xplane_start_line(&x->lr);
    return tfp_builder_status(x->r->b, err);
}

static bool join(void *ctx, size_t slot)
{
    lines *x = ctx;
    tfp_xslot *s = &x->slots[slot];
    size_t line = (size_t)(s->line - plane_of(x)->lines.at);
    if (s->failed) x->r->b->status = TFP_NOMEM;
    x->status = s->first ? begin_line(x, line, x->err) : tfp_builder_status(x->r->b, x->err);
    for (size_t i = 0; i < s->rows.size && !x->status; i++) {
        add_row(x, s, &s->rows.at[i], x->err);
        if (!x->status && x->r->b->status) x->status = tfp_builder_status(x->r->b, x->err);
    }
    if (x->status) x->status = tfp_within(x->err, x->status, "line %zu", line);
    return !x->status;
}

/* ---- all lines ---- */

/* Continues where cutting ended: with a fault of the input, or the rest of a line that one thread reads. */
static tfp_status go_on(lines *x, tfp_error *err)
{
    size_t line = x->line;
    if (x->take_status) {
        if (err) *err = *x->take_err;
        return tfp_within(err, x->take_status, "line %zu", line);
    }
    if (!x->odd) return TFP_OK;
    tfp_status s = tfp_xplane_read_rest(&x->lr, x->at, err);
    x->odd = x->started = false;
    x->line++;
    return tfp_within(err, s, "line %zu", line);
}

static size_t threads_for(lines *x)
{
    tfp_sharing sharing = tfp_sharing_get();
    uint64_t bytes = 0, count = 0;
    const tfp_xplane *p = plane_of(x);
    for (size_t i = 0; i < p->lines.size; i++) {
        if ((p->lines.at[i].kind == XL_MODULES) != x->modules) continue;
        bytes += p->lines.at[i].size;
        count++;
    }
    x->piece = sharing.piece ? sharing.piece : PIECE;
    if (!count || sharing.threads < 2) return count > 0;
    uint64_t most = bytes / x->piece + 1;
    if (!sharing.piece && (bytes < SMALLEST || bytes / count < 1024)) return 1;
    return sharing.threads < most ? sharing.threads : (size_t)most;
}

tfp_status tfp_xplane_read_lines(tfp_xreader *r, uint32_t plane, bool modules, tfp_error *err)
{
    static const tfp_pieces calls = { .take = take, .work = work, .join = join, .caller_joins = true };
    lines x = { .r = r, .plane = plane, .modules = modules, .err = err };
    size_t threads = threads_for(&x), count = TFP_SLOTS(threads);
    if (!threads) return TFP_OK;
    tfp_pieces pieces = calls;
    pieces.ctx = &x;
    x.slots = calloc(count, sizeof *x.slots);
    x.take_err = tfp_error_new();
    tfp_status s = x.slots && x.take_err ? TFP_OK : tfp_nomem(err);
    for (size_t i = 0; i < count && !s; i++) tfp_xplane_slot_start(&x.slots[i], plane_of(&x), r->sums);
    while (!s && (x.started || x.line < plane_of(&x)->lines.size)) {
        tfp_pieces_run(&pieces, threads);
        s = x.status ? x.status : go_on(&x, err);
    }
    for (size_t i = 0; x.slots && i < count; i++) tfp_xplane_slot_free(&x.slots[i]);
    free(x.slots);
    tfp_error_free(x.take_err);
    return s;
}
