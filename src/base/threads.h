// SPDX-License-Identifier: Apache-2.0
/* base/threads.h: work spread over the processors, with results that do not depend on their number.
 * Nothing is kept between calls: threads start and end within one function. */
#ifndef TFP_THREADS_H
#define TFP_THREADS_H

#include "base/base.h"

#define TFP_THREADS_MOST 64

/* How work is spread. TFPROF_THREADS sets it: "4" is four threads; "4/65536" also sets the piece size, so that tests
 * can cut small files into many pieces. By default one thread for each processor that the process may use, at most
 * 16. */
typedef struct tfp_sharing {
    size_t threads; /* at least 1 */
    size_t piece;   /* bytes or rows of a piece when set; otherwise 0 */
} tfp_sharing;
tfp_sharing tfp_sharing_get(void);

/* How many threads should read input of that many bytes. *piece, the piece size in bytes, may be changed by
 * TFPROF_THREADS. Input smaller than `smallest` gets one thread: starting threads would take longer. */
size_t tfp_threads_for_bytes(uint64_t bytes, uint64_t smallest, size_t *piece);

/* Calls run(ctx, worker) on `threads` threads with worker = 0 .. threads - 1; the caller is worker 0. Returns when all
 * calls have ended. A thread that cannot be started is left out, so every call must be able to do all the work. */
void tfp_threads_run(size_t threads, void (*run)(void *ctx, size_t worker), void *ctx);

/* Splits rows 0 .. count - 1 into parts and calls work(ctx, worker, first, end) for them in parallel. Which parts a
 * worker gets may vary. `threads` is the result of tfp_rows_threads(count): 1 for few rows. */
size_t tfp_rows_threads(size_t count);
void tfp_rows_run(size_t threads, size_t count, void (*work)(void *ctx, size_t worker, size_t first, size_t end),
                  void *ctx);

/* Pieces that are taken in order, worked on in parallel, and joined in order. A piece occupies a slot from take to
 * join. There are more slots than threads, so that a worker that finishes early can go on with the next piece. */
typedef struct tfp_pieces {
    void *ctx;
    /* Makes the next piece; false when there are no more. One call at a time, in order of the pieces. */
    bool (*take)(void *ctx, size_t slot, size_t worker);
    /* Works on the piece. Calls run side by side. */
    void (*work)(void *ctx, size_t slot);
    /* Adds the piece to the whole; false ends everything. One call at a time, in order of the pieces. */
    bool (*join)(void *ctx, size_t slot);
    bool caller_joins; /* join is called on the caller's thread only */
} tfp_pieces;
#define TFP_SLOTS(threads) (2 * (threads) + 1)
void tfp_pieces_run(const tfp_pieces *p, size_t threads);

#endif
