// SPDX-License-Identifier: Apache-2.0
/* base/io.h: bytes in from files, pipes, memory and gzip; bytes out to callbacks and whole files.
 * Inputs are read in windows, never mapped: a file that its writer cuts while we read ends as an error, not as a signal. */
#ifndef TFP_IO_H
#define TFP_IO_H

#include "base/base.h"

#include <sys/types.h>

#define TFP_STREAM_LIMIT ((uint64_t)256 << 20)  /* what a pipe may bring, and what gzip is unpacked to as a whole */
#define TFP_TOTAL_UNKNOWN ((uint64_t)INT64_MAX) /* of gzip that is unpacked in windows, until its end was seen */

struct tfp_gunzip;

/* ---- input ---- */
typedef struct tfp_input {
    const char *name;  /* for messages */
    int fd;            /* -1 when all bytes are in memory, as they were given */
    uint64_t stored;   /* bytes as they were given: before gzip was unpacked */
    uint64_t total;    /* bytes in all, or TFP_TOTAL_UNKNOWN */
    uint64_t base;     /* where in the input buffer[0] stands */
    uint64_t cut_at;   /* of a gzip file that ends in the middle: its size; what came out of it is the input. Else 0 */
    char *buffer;      /* owned when fd >= 0 or owned is set */
    size_t filled, at; /* bytes in the buffer, and the place of the next one */
    size_t capacity;
    size_t window; /* bytes to read at once; 0: as many as are read fastest from end to end */
    bool owned;
    struct tfp_gunzip *packed; /* gzip that is unpacked in windows; NULL for all else */
    char *packed_bytes;        /* which it is read from, when they are owned */
    tfp_progress_fn progress;
    void *progress_ctx;
} tfp_input;

/* Opens a regular file (read in windows), or a pipe (read whole into memory, up to TFP_STREAM_LIMIT). A FIFO without a
 * writer is an error within 4 s. Gzip is unpacked into memory as a whole, or, when that takes more than TFP_STREAM_LIMIT, in
 * windows: only formats that say so read these (formats/format.h). A gzip file that is cut short opens: callers that need
 * all of it ask tfp_input_check_whole. Errors are without the path: callers add it. */
tfp_status tfp_input_open(tfp_input *in, const char *path, tfp_error *err);
/* The same of a descriptor, which is the input's from then on, also after an error. */
tfp_status tfp_input_descriptor(tfp_input *in, const char *name, int fd, tfp_error *err);
/* Bytes in memory; gzip is unpacked. */
tfp_status tfp_input_memory(tfp_input *in, const char *name, const void *data, size_t size, tfp_error *err);
/* The same of gzip, which is unpacked in windows however small it is. */
tfp_status tfp_input_windows(tfp_input *in, const char *name, const void *data, size_t size, tfp_error *err);
/* The first bytes of more: of gzip as much is unpacked as is there, up to `most`; `total` gets what there is in all, about. */
tfp_status tfp_input_start(tfp_input *in, const char *name, tfp_str start, size_t most, uint64_t total, tfp_error *err);
tfp_status tfp_input_check_whole(const tfp_input *in, tfp_error *err); /* an error when in->cut_at is set */
/* For readers that need the size, or go back: an error for gzip that is unpacked in windows. */
tfp_status tfp_input_check_size(const tfp_input *in, tfp_error *err);
/* At least `size` bytes from the current place (or all that are left), contiguous; moves nothing. */
tfp_status tfp_input_peek(tfp_input *in, size_t size, tfp_str *out, tfp_error *err);
/* Goes on by `size` bytes that were peeked. Reports progress; TFP_CANCELLED when told to stop. */
tfp_status tfp_input_skip(tfp_input *in, size_t size, tfp_error *err);
/* Reports progress for readers that do not skip: bytes up to `now` were read, up to `before` it was told. */
tfp_status tfp_input_tell(const tfp_input *in, uint64_t before, uint64_t now, tfp_error *err);
/* Goes on by `size` bytes that were peeked, and gives them away: *out is valid until *own is used again. A file in windows
 * gives its buffer to *own, an empty or used one, and takes that one instead; bytes in memory are only pointed to.
 * Reports no progress. */
tfp_status tfp_input_give(tfp_input *in, size_t size, tfp_buf *own, tfp_str *out, tfp_error *err);
static inline uint64_t tfp_input_at(const tfp_input *in) { return in->base + in->at; }
static inline uint64_t tfp_input_left(const tfp_input *in) { return in->total - tfp_input_at(in); }
/* Continues at byte `at` of the input, which is not past its end. What the window holds of it is not read again. Going back
 * in gzip that is unpacked in windows unpacks it again from its beginning. */
tfp_status tfp_input_seek(tfp_input *in, uint64_t at, tfp_error *err);
/* All bytes from the current place to the end, contiguous; they live until the input is closed. */
tfp_status tfp_input_all(tfp_input *in, tfp_str *out, tfp_error *err);
void tfp_input_close(tfp_input *in); /* a zeroed one is fine */

/* One read(2) that goes on after signals. */
ssize_t tfp_read_some(int fd, void *to, size_t size);

/* A whole file into memory, no gzip, at most `limit` bytes. */
tfp_status tfp_read_file(const char *path, uint64_t limit, tfp_buf *out, tfp_error *err);
bool tfp_is_folder(const char *path);
bool tfp_exists(const char *path);

/* ---- output ---- */
typedef struct tfp_sink {
    tfp_write_fn fn;
    void *ctx;
    tfp_buf buf;       /* collects until it is worth a call */
    tfp_status status; /* the first failure sticks */
} tfp_sink;
void tfp_sink_start(tfp_sink *s, tfp_write_fn fn, void *ctx);
void tfp_sink_flush_if_full(tfp_sink *s);             /* call now and then while filling s->buf */
void tfp_sink_write(tfp_sink *s, tfp_str bytes);      /* the same as adding much to s->buf, without a copy */
tfp_status tfp_sink_end(tfp_sink *s, tfp_error *err); /* flushes, frees, gives the first failure */

/* A file that appears whole or not at all: written beside its place, renamed by finish. A target that is no regular
 * file (a pipe, /dev/stdout) is written straight. */
typedef struct tfp_outfile {
    int fd;
    char *path, *part; /* part is NULL when written straight */
    int error;         /* errno of the first failed write */
} tfp_outfile;
tfp_status tfp_outfile_open(tfp_outfile *f, const char *path, tfp_error *err);
int tfp_outfile_write(void *f, const void *data, size_t size); /* a tfp_write_fn */
tfp_status tfp_outfile_finish(tfp_outfile *f, tfp_error *err); /* errors name the path */
void tfp_outfile_abandon(tfp_outfile *f);                      /* nothing of it is left; harmless after finish */

#endif
