// SPDX-License-Identifier: Apache-2.0
/* formats/tensorflow/profileproto_pieces.c: a big ProfileProto is read by several threads. The file is cut between the
 * fields of its message; each piece is read into tables of its own, which are appended to the profile in the order of
 * the file. The result is the same for any number of threads. If something could make a difference (a fault, a number
 * that comes twice, a profile close to its memory limit), the piece is read again, directly into the profile. Message:
 * ProfileProto of tfprof_log.proto. */
#include "base/threads.h"
#include "formats/tensorflow/profileproto_parts.h"
#include "model/append.h"
#include "model/tables/lanes.h"
#include "model/tables/profile.h"

#include <stdlib.h>

#define SMALLEST ((uint64_t)4 << 20) /* a smaller file is read faster than threads are started */
#define PIECE ((size_t)256 << 10)    /* a piece and its tables fit into a processor's second-level cache */
#define PIECE_LIMIT ((size_t)48 << 20)

typedef enum state {
    FRESH,  /* its bytes were taken */
    READ,   /* its tables are complete */
    DIRECT, /* it must be read directly into the profile */
    FAILED  /* its bytes could not be read */
} state;

typedef struct piece { /* state of one slot, which is used for one piece after another */
    tfp_profile p;
    tfp_builder b;
    tfp_profile_reader r;
    tfp_buf own;   /* holds the bytes of a file */
    tfp_str bytes; /* the piece */
    uint64_t base; /* offset in the file */
    state state;
} piece;

typedef struct cut {
    tfp_profile_reader *whole;
    tfp_input *in;
    piece *pieces; /* one for each slot */
    size_t size;   /* wanted bytes of a piece */
    tfp_placement place;
    tfp_status status; /* the first fault in the order of the file */
    tfp_error *err;    /* error of the piece that is being appended */
    tfp_error *taken;  /* error of the piece that is being taken */
    tfp_status take_status;
    uint64_t told; /* the progress that was reported last */
    bool no_more;
} cut;

/* ---- cutting ---- */

/* Takes the next piece; a field longer than a piece is a piece of its own. A malformed field is left to the caller of
 * tfp_profile_read_pieces, which reports it. */
static tfp_status take(cut *c, piece *x)
{
    tfp_str seen;
    tfp_status s = tfp_input_peek(c->in, c->size, &seen, c->taken);
    if (s) return s;
    uint64_t left = tfp_input_left(c->in);
    if (seen.size > left) seen.size = (size_t)left; /* the buffer may hold more than the input's part */
    size_t size = tfp_wire_whole_fields(seen, c->size);
    x->state = FRESH;
    if (!size) {
        uint64_t all = tfp_wire_field_size(seen);
        if (!all || all > left) {
            c->no_more = true;
            return TFP_OK;
        }
        x->state = DIRECT;
        size = (size_t)all;
        s = tfp_input_peek(c->in, size, &seen, c->taken);
    }
    x->base = tfp_input_at(c->in);
    return s ? s : tfp_input_give(c->in, size, &x->own, &x->bytes, c->taken);
}

static tfp_status tell_progress(cut *c, uint64_t now)
{
    return tfp_profile_tell_progress(c->whole->p, &c->told, now, c->in->total, c->taken);
}

/* Progress is reported only on the caller's thread. */
static bool take_piece(void *ctx, size_t slot, size_t worker)
{
    cut *c = ctx;
    if (c->no_more || !tfp_input_left(c->in)) return false;
    c->take_status = take(c, &c->pieces[slot]);
    if (!c->take_status && !c->no_more && worker == 0) c->take_status = tell_progress(c, tfp_input_at(c->in));
    if (!c->take_status) return !c->no_more;
    c->no_more = true;
    c->pieces[slot].state = FAILED;
    return true;
}

/* ---- reading ---- */

static tfp_status read_fields(tfp_profile_reader *r, const piece *x, tfp_error *err)
{
    tfp_input in = { .fd = -1,
                     .base = x->base,
                     .total = x->base + x->bytes.size,
                     .buffer = (char *)(uintptr_t)x->bytes.data,
                     .filled = x->bytes.size };
    tfp_status s = TFP_OK;
    for (tfp_field f; s == TFP_OK && tfp_wire_next_input(&in, &f, &s, err);) s = tfp_profile_read_top(r, &in, &f, err);
    return s;
}

static void clear_reader(tfp_profile_reader *r)
{
    r->nodes.size = r->edges.size = r->traces.list.size = r->runs.execs.size = r->attrs.size = 0;
    tfp_map64_clear(&r->keys.large);
    tfp_map64_clear(&r->traces.by_hash);
    tfp_map64_clear(&r->traces.string_by_id);
    tfp_map64_clear(&r->runs.lane_by_name);
    r->same.device = r->same.host = r->same.type = (memo){ { NULL, 0 }, 0 };
    r->same.device_on = 0;
    memset(r->runs.step_of, 0, sizeof r->runs.step_of);
    memset(r->runs.lanes, 0, sizeof r->runs.lanes);
    r->fault.fault = NULL;
    r->no_memory = r->keys.twice = false;
}

/* A node number that comes twice in the piece marks the table of keys, too: see tfp_profile_put_key. */
static void read_piece(void *ctx, size_t slot)
{
    const cut *c = ctx;
    piece *x = &c->pieces[slot];
    if (x->state != FRESH) return;
    tfp_piece_clear(&x->p);
    clear_reader(&x->r);
    x->b.status = TFP_OK;
    bool unsure = read_fields(&x->r, x, NULL) || x->b.status || x->r.no_memory || x->r.keys.twice;
    x->state = unsure ? DIRECT : READ;
}

/* ---- appending ---- */

static bool has_known_key(const tfp_profile_reader *whole, const tfp_profile_reader *r)
{
    for (size_t i = 0; i < r->nodes.size; i++)
        if (tfp_profile_find_key(whole, r->nodes.at[i].key) != TFP_NONE) return true;
    return false;
}

static bool append_edges(tfp_profile_reader *whole, const tfp_profile_reader *r)
{
    size_t count = r->edges.size;
    if (!count) return true;
    if (!tfp_reserve(&whole->edges, whole->edges.size + count)) return false;
    memcpy(whole->edges.at + whole->edges.size, r->edges.at, count * sizeof *r->edges.at);
    whole->edges.size += count;
    return true;
}

/* Appends the reader's own rows of nodes: keys, traces, edges, attributes. */
static bool append_refs(tfp_profile_reader *whole, tfp_profile_reader *r, const tfp_placement *place)
{
    size_t first = whole->nodes.size, first_edge = whole->edges.size;
    bool ok = append_edges(whole, r);
    for (size_t i = 0; i < r->traces.list.size && ok; i++) {
        raw_trace *t = &r->traces.list.at[i];
        t->row = tfp_profile_trace(whole, (raw_trace){ t->bytes, t->hash, t->base, first + t->node, TFP_NONE });
        ok = t->row != TFP_NONE;
    }
    for (size_t i = 0; i < r->nodes.size && ok; i++) {
        node_ref ref = r->nodes.at[i];
        if (ref.trace != TFP_NONE) ref.trace = r->traces.list.at[ref.trace].row;
        ref.edge_first += (uint32_t)first_edge;
        tfp_profile_program_append(whole, r, place->strings.at, &ref);
        ok = tfp_push(&whole->nodes, ref) && tfp_profile_put_key(whole, ref.key, (uint32_t)(first + i));
    }
    return ok;
}

static bool append_strings(tfp_profile_reader *whole, const tfp_profile_reader *r, const tfp_placement *place)
{
    const tfp_map64 *m = &r->traces.string_by_id;
    for (size_t i = 0; m->count && i < m->slot_count; i++)
        if (m->values[i] &&
            !tfp_map64_put(&whole->traces.string_by_id, m->keys[i], place->strings.at[m->values[i] - 1]))
            return false;
    return true;
}

static bool append_lanes(tfp_profile_reader *whole, const tfp_profile *rows, tfp_placement *place)
{
    place->lanes.size = 0;
    for (size_t i = 0; i < rows->lanes->size; i++) {
        const tfp_lane *l = &rows->lanes->at[i];
        uint32_t lane = tfp_profile_lane(whole, tfp_text(rows, l->name), l->kind);
        if (lane == TFP_NONE || !tfp_push(&place->lanes, lane)) return false;
    }
    return true;
}

static tfp_status append_tables(cut *c, piece *x)
{
    tfp_profile_reader *whole = c->whole;
    c->place.scale = (double)c->in->total / (double)(x->base + x->bytes.size);
    tfp_append_strings(whole->b, &x->p, &c->place);
    bool ok = !whole->b->status && append_lanes(whole, &x->p, &c->place);
    if (ok) tfp_append_piece(whole->b, &x->p, &c->place);
    ok = ok && !whole->b->status && append_refs(whole, &x->r, &c->place) && append_strings(whole, &x->r, &c->place);
    tfp_status s = tfp_builder_status(whole->b, c->err);
    return s ? s : ok ? TFP_OK : tfp_nomem(c->err);
}

static bool append_piece(void *ctx, size_t slot)
{
    cut *c = ctx;
    piece *x = &c->pieces[slot];
    const tfp_profile *p = c->whole->p;
    if (x->state == READ && p->arena.limit && tfp_append_memory(p, &x->p) > p->arena.limit) x->state = DIRECT;
    if (x->state == READ && has_known_key(c->whole, &x->r)) x->state = DIRECT;
    if (x->state == FAILED) {
        c->status = c->take_status;
        if (c->err) *c->err = *c->taken;
    } else {
        c->status = x->state == READ ? append_tables(c, x) : read_fields(c->whole, x, c->err);
    }
    return !c->status;
}

/* ---- all of it ---- */

static bool start_piece(piece *x, const tfp_profile_reader *whole)
{
    x->b = (tfp_builder){ .p = &x->p, .file = whole->b->file };
    x->r = (tfp_profile_reader){ .b = &x->b, .p = &x->p, .of_piece = true };
    return tfp_piece_start(&x->p, whole->p->reads, PIECE_LIMIT);
}

static void free_piece(piece *x)
{
    tfp_profile_reader_free(&x->r);
    tfp_piece_free(&x->p);
    tfp_buf_free(&x->own);
}

tfp_status tfp_profile_read_pieces(tfp_profile_reader *r, tfp_input *in, tfp_error *err)
{
    cut c = { .whole = r, .in = in, .size = PIECE, .err = err };
    size_t threads = tfp_threads_for_bytes(tfp_input_left(in), SMALLEST, &c.size);
    size_t count = TFP_SLOTS(threads), started = 0;
    if (threads < 2) return TFP_OK;
    c.pieces = calloc(count, sizeof *c.pieces);
    c.taken = tfp_error_new();
    while (c.pieces && c.taken && started < count && start_piece(&c.pieces[started], r)) started++;
    if (started == count) { /* without memory for that many, one thread reads all */
        tfp_pieces work = { &c, take_piece, read_piece, append_piece, false };
        tfp_pieces_run(&work, threads);
        if (!c.status && c.told != in->total && !tfp_input_left(in)) {
            c.status = tell_progress(&c, in->total);
            if (c.status && err) *err = *c.taken;
        }
    }
    for (size_t i = 0; c.pieces && i < count && i <= started; i++) free_piece(&c.pieces[i]);
    free(c.pieces);
    tfp_error_free(c.taken);
    tfp_placement_free(&c.place);
    return c.status;
}
