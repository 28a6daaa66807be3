// SPDX-License-Identifier: Apache-2.0
/* base/io.h: bytes in from files, pipes, memory and gzip; bytes out to callbacks and whole files.
 * Inputs are read in windows, never mapped: a file that is truncated while it is read gives an error, not a signal. */
#ifndef TFP_IO_H
#define TFP_IO_H

#include "base/base.h"

#include <sys/types.h>

#define TFP_STREAM_LIMIT ((uint64_t)256 << 20)  /* most bytes from a pipe, and of gzip unpacked as a whole */
#define TFP_TOTAL_UNKNOWN ((uint64_t)INT64_MAX) /* for gzip unpacked in windows, until its end is reached */

struct tfp_gunzip;

/* ---- input ---- */
typedef struct tfp_input {
    const char *name;  /* for messages */
    int fd;            /* -1 when the input was given in memory */
    uint64_t stored;   /* size before unpacking */
    uint64_t total;    /* bytes in all, or TFP_TOTAL_UNKNOWN */
    uint64_t base;     /* offset of buffer[0] in the input */
    uint64_t cut_at;   /* size of a truncated gzip file, whose readable part is the input; otherwise 0 */
    char *buffer;      /* owned when fd >= 0 or owned is set */
    size_t filled, at; /* bytes in the buffer; index of the next one */
    size_t capacity;
    size_t window; /* bytes to read at once; 0: the fastest size for sequential reading */
    bool owned;
    struct tfp_gunzip *packed; /* gzip unpacked in windows; otherwise NULL */
    char *packed_bytes;        /* the gzip data, when owned */
    tfp_progress_fn progress;
    void *progress_ctx;
} tfp_input;

/* Opens a regular file (read in windows), or a pipe (read whole into memory, up to TFP_STREAM_LIMIT). A FIFO without a
 * writer is an error within 4 s. Gzip is unpacked into memory as a whole, or, when that takes more than
 * TFP_STREAM_LIMIT, in windows: only formats with that flag read these (formats/files/format.h). A truncated gzip file
 * opens: callers that need all of it ask tfp_input_check_whole. Errors are without the path: callers add it. */
tfp_status tfp_input_open(tfp_input *in, const char *path, tfp_error *err);
/* The same for a descriptor, which belongs to the input from then on, also after an error. */
tfp_status tfp_input_descriptor(tfp_input *in, const char *name, int fd, tfp_error *err);
/* All of a regular file of at most `most` bytes, read into `own` from its beginning without moving the descriptor: both
 * stay the caller's. False for an empty file, gzip, anything but a regular file, and a read error. */
bool tfp_input_small(tfp_input *in, const char *name, int fd, size_t most, tfp_buf *own);
/* Bytes in memory; gzip is unpacked. */
tfp_status tfp_input_memory(tfp_input *in, const char *name, const void *data, size_t size, tfp_error *err);
/* The same for gzip, unpacked in windows even when it is small. */
tfp_status tfp_input_windows(tfp_input *in, const char *name, const void *data, size_t size, tfp_error *err);
/* Only the beginning of an input: unpacks gzip, at most `most` bytes. `total` is the estimated size of the whole. */
tfp_status tfp_input_start(tfp_input *in, const char *name, tfp_str start, size_t most, uint64_t total, tfp_error *err);
tfp_status tfp_input_check_whole(const tfp_input *in, tfp_error *err); /* an error when in->cut_at is set */
/* For readers that need the size, or go back: fails for gzip that is unpacked in windows. */
tfp_status tfp_input_check_size(const tfp_input *in, tfp_error *err);
/* At least `size` bytes from the current place (or all remaining bytes), contiguous; does not move. */
tfp_status tfp_input_peek(tfp_input *in, size_t size, tfp_str *out, tfp_error *err);
/* Advances by `size` bytes that were peeked. Reports progress; TFP_CANCELLED when the callback asks to stop. */
tfp_status tfp_input_skip(tfp_input *in, size_t size, tfp_error *err);
/* Reports progress for readers that do not skip: from byte `before`, reported last, to byte `now`. */
tfp_status tfp_input_tell(const tfp_input *in, uint64_t before, uint64_t now, tfp_error *err);
/* Advances by `size` bytes that were peeked, and hands them over: *out is valid until *own is used again. A file in
 * windows exchanges its buffer with *own, which may be empty or used; bytes in memory are only pointed to. Reports no
 * progress. */
tfp_status tfp_input_give(tfp_input *in, size_t size, tfp_buf *own, tfp_str *out, tfp_error *err);
static inline uint64_t tfp_input_at(const tfp_input *in) { return in->base + in->at; }
static inline uint64_t tfp_input_left(const tfp_input *in) { return in->total - tfp_input_at(in); }
/* Continues at byte `at` of the input, which is not past its end. Bytes in the window are not read again. Going back in
 * gzip that is unpacked in windows unpacks it again from its beginning. */
tfp_status tfp_input_seek(tfp_input *in, uint64_t at, tfp_error *err);
/* All bytes from the current place to the end, contiguous; they live until the input is closed. */
tfp_status tfp_input_all(tfp_input *in, tfp_str *out, tfp_error *err);
void tfp_input_close(tfp_input *in); /* a zeroed one is fine */

/* One read(2), repeated after signals. */
ssize_t tfp_read_some(int fd, void *to, size_t size);

/* As tfp_digest, of a whole file; false: errno tells why. */
bool tfp_digest_descriptor(int fd, char out[TFP_DIGEST]);

/* A whole file into memory, no gzip, at most `limit` bytes. */
tfp_status tfp_read_file(const char *path, uint64_t limit, tfp_buf *out, tfp_error *err);
bool tfp_is_folder(const char *path);
bool tfp_exists(const char *path);

/* ---- output ---- */
typedef struct tfp_sink {
    tfp_write_fn fn;
    void *ctx;
    tfp_buf buf;       /* collects bytes until a call is worthwhile */
    tfp_status status; /* the first failure stays */
} tfp_sink;
void tfp_sink_start(tfp_sink *s, tfp_write_fn fn, void *ctx);
void tfp_sink_flush_if_full(tfp_sink *s);             /* call regularly while filling s->buf */
void tfp_sink_write(tfp_sink *s, tfp_str bytes);      /* as appending to s->buf, without a copy of long text */
tfp_status tfp_sink_end(tfp_sink *s, tfp_error *err); /* flushes, frees, returns the first failure */

/* A file that appears whole or not at all: written to a temporary file beside it and renamed by finish. A target that
 * is no regular file (a pipe, /dev/stdout) is written directly. Its folder is held from open to finish
 * (base/place.h). */
struct tfp_part;
typedef struct tfp_outfile {
    int fd, folder;
    char *path, *name;     /* path: for messages; name: in the folder */
    struct tfp_part *part; /* the temporary file; NULL when written directly */
    int error;             /* errno of the first failed write */
} tfp_outfile;
tfp_status tfp_outfile_open(tfp_outfile *f, const char *path, tfp_error *err);
/* Opens such a file with mode 0600 in a folder that is ours; `path` is for messages. */
tfp_status tfp_outfile_below(tfp_outfile *f, int folder, const char *name, const char *path, tfp_error *err);
/* Writes all of such a file. */
tfp_status tfp_write_below(int folder, const char *name, const char *path, tfp_str bytes, tfp_error *err);
int tfp_outfile_write(void *f, const void *data, size_t size); /* a tfp_write_fn */
tfp_status tfp_outfile_finish(tfp_outfile *f, tfp_error *err); /* errors name the path */
void tfp_outfile_abandon(tfp_outfile *f);                      /* removes the temporary file; harmless after finish */

#endif
