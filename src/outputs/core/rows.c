// SPDX-License-Identifier: Apache-2.0
/* outputs/core/rows.c: many rows of text, formatted by several threads and written in order. */
#include "outputs/core/rows.h"
#include "base/threads.h"

#define PIECE 2048  /* rows that a thread formats at once */
#define FEWEST 8192 /* for fewer rows, starting threads takes longer than it saves */
#define LONG 2048   /* bytes of a row: longer rows are written one by one, to keep memory small */

typedef struct piece {
    size_t first, end;
    tfp_buf text;
} piece;

typedef struct job {
    tfp_sink *sink;
    void (*write)(const void *ctx, size_t first, size_t end, tfp_buf *out);
    const void *ctx;
    size_t count, size, next; /* rows: all, in each piece, and taken so far */
    piece pieces[TFP_SLOTS(TFP_THREADS_MOST)];
} job;

static bool take(void *ctx, size_t slot, size_t worker)
{
    (void)worker;
    job *j = ctx;
    if (j->next >= j->count) return false;
    piece *x = &j->pieces[slot];
    x->first = j->next;
    x->end = j->next = j->count - j->next > j->size ? j->next + j->size : j->count;
    return true;
}

static void format(void *ctx, size_t slot)
{
    job *j = ctx;
    piece *x = &j->pieces[slot];
    x->text.size = 0;
    j->write(j->ctx, x->first, x->end, &x->text);
}

static bool write_piece(void *ctx, size_t slot)
{
    job *j = ctx;
    const piece *x = &j->pieces[slot];
    tfp_sink_write(j->sink, (tfp_str){ x->text.data, x->text.size });
    if (x->text.failed) j->sink->buf.failed = true;
    return !j->sink->status && !j->sink->buf.failed;
}

void tfp_rows_write(tfp_sink *s, size_t count, size_t bytes,
                    void (*write)(const void *ctx, size_t first, size_t end, tfp_buf *out), const void *ctx)
{
    tfp_sharing share = tfp_sharing_get();
    if (share.threads < 2 || bytes / LONG > count || (!share.piece && count < FEWEST)) {
        for (size_t row = 0; row < count; row++) {
            write(ctx, row, row + 1, &s->buf);
            tfp_sink_flush_if_full(s);
        }
        return;
    }
    job j = { .sink = s, .write = write, .ctx = ctx, .count = count, .size = share.piece ? share.piece : PIECE };
    if (share.threads > count / j.size + 1) share.threads = count / j.size + 1;
    tfp_pieces work = { &j, take, format, write_piece, true };
    tfp_pieces_run(&work, share.threads);
    for (size_t i = 0; i < TFP_SLOTS(share.threads); i++) tfp_buf_free(&j.pieces[i].text);
}
