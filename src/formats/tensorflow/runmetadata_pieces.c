// SPDX-License-Identifier: Apache-2.0
/* formats/tensorflow/runmetadata_pieces.c: a RunMetadata is read in pieces: some entries of one device each. The pieces
 * are taken in the order of the file, decoded in parallel by several threads, and added to the profile in the same
 * order. A piece with something odd (a fault, a negative number) is decoded again when it is added, to report it.
 * Messages: RunMetadata of config.proto, StepStats and DeviceStepStats of step_stats.proto. */
#include "base/threads.h"
#include "formats/tensorflow/runmetadata.h"
#include "model/tables/profile.h"

#include <stdlib.h>

#define PIECE ((size_t)32 << 10)     /* a piece and its decoded entries fit into a processor's second-level cache */
#define SMALLEST ((uint64_t)1 << 19) /* a smaller file is read faster than threads are started */

#define NEAR 4 /* how many entries ahead names are prefetched */
#define FAR 8

typedef enum depth { IN_FILE, IN_STEP, IN_DEVICE, DEPTHS } depth;

typedef struct piece { /* state of one slot, which is used for one piece after another */
    bool starts_step, starts_device, failed, odd;
    tfp_buf name;  /* name of the device that starts */
    tfp_buf own;   /* holds the bytes of a file */
    tfp_str bytes; /* fields of a device */
    uint64_t base; /* offset in the file */
    TFP_VEC(tfp_run_stats) entries;
} piece;

typedef struct cut {
    tfp_run_reader *whole;
    tfp_input *in;
    piece *pieces; /* one for each slot */
    size_t size;   /* wanted bytes of a piece */
    depth depth;
    uint64_t ends[DEPTHS];
    size_t devices;    /* number of devices taken from the current step_stats */
    size_t added;      /* devices that were started in the profile */
    tfp_status status; /* the first fault in the order of the file */
    tfp_error *err;    /* error of the piece that is being added */
    tfp_error *taken;  /* error of the piece that is being taken */
    tfp_status take_status;
    uint64_t told; /* the progress that was reported last */
    bool no_more;
} cut;

/* ---- taking ---- */

/* Adds to the error the message in which the fault is. */
static tfp_status say_where(const cut *c, tfp_status s)
{
    if (c->depth == IN_DEVICE) s = tfp_within(c->taken, s, "device %zu", c->devices - 1);
    return c->depth == IN_FILE ? s : tfp_within(c->taken, s, "step_stats");
}

/* Finds the device's name. In practice it comes first, but the format does not require that. The input's position is
 * restored; a fault will be found again when the entries are taken. */
static tfp_status find_name(cut *c, tfp_buf *name)
{
    tfp_field f;
    tfp_str seen;
    tfp_status s = TFP_OK;
    uint64_t size, at = tfp_input_at(c->in);
    name->size = 0;
    while (!s && tfp_input_left(c->in) && !tfp_wire_peek_input(c->in, &f, &size, NULL)) {
        if (f.number == 1 && f.type == TFP_BYTES) {
            if ((s = tfp_input_peek(c->in, (size_t)size, &seen, c->taken))) break;
            name->size = 0;
            tfp_buf_add(name, seen.data + size - f.bytes.size, f.bytes.size);
            if (name->failed) s = tfp_nomem(c->taken);
        }
        if (!s && tfp_wire_skip_input(c->in, &f, size, NULL)) break;
    }
    return s ? s : tfp_input_seek(c->in, at, c->taken);
}

/* Goes into a step_stats or a device of one. */
static tfp_status enter(cut *c, piece *x, uint64_t body, uint64_t size)
{
    tfp_status s = tfp_input_seek(c->in, body, c->taken);
    c->depth++;
    c->in->total = c->ends[c->depth] = body + size;
    if (c->depth == IN_STEP) {
        x->starts_step = true;
        c->devices = 0;
        return s;
    }
    x->starts_device = true;
    c->devices++;
    return s ? s : find_name(c, &x->name);
}

/* Takes the next field of the file or of a step_stats: enters it or skips it. */
static tfp_status take_field(cut *c, piece *x)
{
    tfp_field f;
    uint64_t size, at = tfp_input_at(c->in);
    tfp_status s = tfp_wire_peek_input(c->in, &f, &size, c->taken);
    if (s) return s;
    if (f.number != 1) return tfp_wire_skip_input(c->in, &f, size, c->taken);
    if (f.type == TFP_BYTES) return enter(c, x, at + size - f.bytes.size, f.bytes.size);
    if (!tfp_wire_next_input(c->in, &f, &s, c->taken)) return s;
    tfp_wire w = tfp_input_wire(c->in, &f);
    tfp_field_message(&w, &f);
    return tfp_wire_end(&w, c->taken);
}

/* Copies the bytes of a file, because its window moves on while pieces are decoded. */
static tfp_status take_bytes(cut *c, piece *x, tfp_str bytes)
{
    if (c->in->fd >= 0) {
        x->own.size = 0;
        tfp_buf_str(&x->own, bytes);
        if (x->own.failed) return tfp_nomem(c->taken);
        bytes.data = x->own.data;
    }
    x->bytes = bytes;
    return tfp_input_skip(c->in, bytes.size, c->taken);
}

/* Takes fields of a device for a piece: as many as fit, or one longer field. At a group or a fault the piece takes the
 * rest of the device, and its decoder reports the fault. */
static tfp_status take_fields(cut *c, piece *x)
{
    tfp_str seen;
    uint64_t left = tfp_input_left(c->in);
    tfp_status s = tfp_input_peek(c->in, c->size, &seen, c->taken);
    if (s) return s;
    if (seen.size > left) seen.size = (size_t)left; /* the buffer may hold more than the device */
    uint64_t size = tfp_wire_whole_fields(seen, c->size);
    if (!size) size = tfp_wire_field_size(seen);
    if (!size || size > left) size = left;
    x->base = tfp_input_at(c->in);
    s = tfp_input_peek(c->in, (size_t)size, &seen, c->taken);
    return s ? s : take_bytes(c, x, (tfp_str){ seen.data, (size_t)size });
}

/* Takes the next piece. A step or a device without entries is a piece too, because it is counted. */
static tfp_status take(cut *c, piece *x)
{
    tfp_status s = TFP_OK;
    while (!s) {
        bool started = x->starts_step || x->starts_device;
        if (tfp_input_left(c->in)) {
            if (c->depth == IN_DEVICE) return take_fields(c, x);
            s = take_field(c, x);
        } else if (started || c->depth == IN_FILE) {
            c->no_more = !started;
            return TFP_OK;
        } else {
            c->in->total = c->ends[--c->depth];
        }
    }
    return s;
}

static tfp_status tell_progress(cut *c, uint64_t now)
{
    return tfp_profile_tell_progress(c->whole->p, &c->told, now, c->ends[IN_FILE], c->taken);
}

/* Progress is reported only on the caller's thread. */
static bool take_piece(void *ctx, size_t slot, size_t worker)
{
    cut *c = ctx;
    piece *x = &c->pieces[slot];
    if (c->no_more) return false;
    x->starts_step = x->starts_device = x->failed = false;
    x->bytes = (tfp_str){ "", 0 };
    c->take_status = take(c, x);
    if (c->take_status)
        say_where(c, c->take_status);
    else if (!c->no_more && worker == 0)
        c->take_status = tell_progress(c, tfp_input_at(c->in));
    if (!c->take_status) return !c->no_more;
    c->no_more = x->failed = true;
    return true;
}

/* ---- decoding and adding ---- */

static void decode_piece(void *ctx, size_t slot)
{
    const cut *c = ctx;
    piece *x = &c->pieces[slot];
    tfp_run_values v = { NULL, false };
    tfp_wire w = tfp_wire_start_at(x->bytes, x->base);
    x->entries.size = 0;
    for (tfp_field f; !v.odd && tfp_wire_next(&w, &f);) {
        if (f.number == 1) tfp_field_bytes(&w, &f);
        if (f.number != 2) continue;
        tfp_run_stats e;
        tfp_wire entry = tfp_field_message(&w, &f);
        entry = tfp_run_decode(&v, entry, &e);
        v.odd |= entry.fault != NULL || !tfp_push(&x->entries, e);
    }
    x->odd = v.odd || w.fault;
}

static tfp_status add_odd(cut *c, const piece *x)
{
    tfp_run_reader *r = c->whole;
    tfp_run_values v = { r->b, false };
    tfp_status s = TFP_OK;
    tfp_wire w = tfp_wire_start_at(x->bytes, x->base);
    for (tfp_field f; !s && tfp_wire_next(&w, &f);) {
        if (f.number == 1) tfp_field_bytes(&w, &f);
        if (f.number != 2) continue;
        tfp_run_stats e;
        tfp_wire entry = tfp_field_message(&w, &f);
        if (w.fault) break;
        entry = tfp_run_decode(&v, entry, &e);
        s = tfp_within(c->err, tfp_wire_end(&entry, c->err), "node_stats %zu", r->device.count);
        if (!s) s = tfp_run_add(r, &e, c->err);
    }
    return s ? s : tfp_wire_end(&w, c->err);
}

static tfp_status add_entries(cut *c, piece *x)
{
    tfp_status s = TFP_OK;
    const tfp_strtab *names = &c->whole->p->strings;
    size_t count = x->entries.size;
    if (x->odd) return add_odd(c, x);
    for (size_t i = 0; i < count && !s; i++) {
        if (i + FAR < count) tfp_strtab_fetch(names, x->entries.at[i + FAR].hash, false);
        if (i + NEAR < count) tfp_strtab_fetch(names, x->entries.at[i + NEAR].hash, true);
        s = tfp_run_add(c->whole, &x->entries.at[i], c->err);
    }
    return s;
}

static tfp_status add_device(cut *c, piece *x)
{
    tfp_status s = TFP_OK;
    if (x->starts_device) {
        s = tfp_run_start_device(c->whole, (tfp_str){ x->name.data, x->name.size }, c->err);
        c->added++;
    }
    if (!s) s = add_entries(c, x);
    return tfp_within(c->err, s, "device %zu", c->added - 1);
}

static bool add_piece(void *ctx, size_t slot)
{
    cut *c = ctx;
    piece *x = &c->pieces[slot];
    if (x->starts_step) {
        c->status = tfp_run_start_step(c->whole, c->err);
        c->added = 0;
    }
    if (!c->status && (x->starts_device || x->bytes.size))
        c->status = tfp_within(c->err, add_device(c, x), "step_stats");
    if (!c->status && x->failed) {
        c->status = c->take_status;
        if (c->err) *c->err = *c->taken;
    }
    return !c->status;
}

/* ---- all of it ---- */

static void free_pieces(piece *pieces, size_t count)
{
    for (size_t i = 0; pieces && i < count; i++) {
        tfp_buf_free(&pieces[i].name);
        tfp_buf_free(&pieces[i].own);
        tfp_vec_free(&pieces[i].entries);
    }
    free(pieces);
}

tfp_status tfp_run_read_pieces(tfp_run_reader *r, tfp_input *in, tfp_error *err)
{
    cut c = { .whole = r, .in = in, .size = PIECE, .err = err, .ends = { in->total } };
    size_t threads = tfp_threads_for_bytes(tfp_input_left(in), SMALLEST, &c.size), count = TFP_SLOTS(threads);
    tfp_progress_fn progress = in->progress;
    in->progress = NULL; /* reported here instead, and only on this thread */
    c.pieces = calloc(count, sizeof *c.pieces);
    c.taken = tfp_error_new();
    if (c.pieces && c.taken) {
        tfp_pieces work = { &c, take_piece, decode_piece, add_piece, false };
        tfp_pieces_run(&work, threads);
        if (!c.status && (c.status = tell_progress(&c, c.ends[IN_FILE])) && err) *err = *c.taken;
    } else {
        c.status = tfp_nomem(err);
    }
    free_pieces(c.pieces, count);
    tfp_error_free(c.taken);
    in->total = c.ends[IN_FILE];
    in->progress = progress;
    return c.status;
}

/* ---- a whole file ahead of its turn ---- */

struct tfp_run_decoded {
    piece *pieces;
    size_t count, capacity, made; /* made: pieces whose tables exist; the next file uses them again */
    uint64_t total;               /* bytes */
};

tfp_run_decoded *tfp_run_decoded_new(void) { return calloc(1, sizeof(tfp_run_decoded)); }

void tfp_run_decoded_free(tfp_run_decoded *d)
{
    if (!d) return;
    free_pieces(d->pieces, d->made);
    free(d);
}

/* Decodes the next piece: a whole device, because the file is small and in memory. */
static bool decode_next(cut *c, tfp_run_decoded *d)
{
    if (d->count == d->made) {
        if (d->made == d->capacity && !tfp_grow((void **)&d->pieces, &d->capacity, d->made + 1, sizeof *d->pieces))
            return false;
        d->pieces[d->made++] = (piece){ 0 };
    }
    c->pieces = d->pieces;
    if (!take_piece(c, d->count, 1)) return true;
    decode_piece(c, d->count++);
    return !d->pieces[d->count - 1].failed && !d->pieces[d->count - 1].odd;
}

bool tfp_run_decode_ahead(tfp_run_decoded *d, tfp_input *in)
{
    cut c = { .in = in, .size = (size_t)in->total, .ends = { in->total } };
    bool sound = true;
    d->count = 0;
    d->total = in->total;
    while (sound && !c.no_more) sound = decode_next(&c, d);
    in->total = d->total;
    return sound;
}

tfp_status tfp_run_add_decoded(tfp_run_reader *r, tfp_run_decoded *d, tfp_error *err)
{
    cut c = { .whole = r, .pieces = d->pieces, .err = err };
    size_t i = 0;
    while (i < d->count && add_piece(&c, i)) i++;
    return c.status ? c.status : tfp_profile_tell_progress(r->p, &c.told, d->total, d->total, err);
}
