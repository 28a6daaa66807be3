// SPDX-License-Identifier: Apache-2.0
/* fleets.c: reads a trace file of a fleet, identifies it and makes rows of the fleet's tables; also the public functions for
 * this. */
#include "fleet/read.h"
#include "fleets.h"
#include "base/io.h"
#include "schema/reads.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/* Files up to this size are read into memory once. Larger ones are read twice: for the digest, and in windows for the profile. */
#define READ_WHOLE ((uint64_t)32 << 20)

/* The message without the file's name before it, because a name may contain any words. */
static const char *reason_of(const tfp_error *err, tfp_str name)
{
    return tfp_str_begins(tfp_str_of(err->text), name) ? err->text + name.size : err->text;
}

/* The code of a failure. */
static tfp_fleet_code code_of(tfp_status s, const tfp_fleet_file *f, tfp_str bytes, const tfp_error *err)
{
    tfp_input in;
    if (s == TFP_NOMEM || s == TFP_LIMIT) return TFP_FLEET_LIMIT;
    if (err->number == ENOENT || err->number == ENOTDIR) return TFP_FLEET_MISSING;
    if (err->number) return TFP_FLEET_UNREADABLE;
    if (strstr(reason_of(err, bytes.data ? f->path : tfp_str_of(f->file)), "not a trace")) return TFP_FLEET_FORMAT;
    if (f->file && !bytes.data) return tfp_recognise_file(f->file, NULL) ? TFP_FLEET_DAMAGED : TFP_FLEET_FORMAT;
    if (tfp_recognise_bytes("", bytes.data, bytes.size, NULL)) return TFP_FLEET_DAMAGED;
    s = tfp_input_memory(&in, "", bytes.data, bytes.size, NULL); /* no bytes of damaged gzip can be recognized */
    tfp_input_close(&in);
    return s ? TFP_FLEET_DAMAGED : TFP_FLEET_FORMAT;
}

static tfp_status digest_of(const char *file, char out[TFP_DIGEST], tfp_error *err)
{
    int fd = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return tfp_fail_errno(err, "cannot open");
    bool ok = tfp_digest_descriptor(fd, out);
    int number = errno;
    close(fd);
    errno = number;
    return ok ? TFP_OK : tfp_fail_errno(err, "cannot read");
}

static tfp_status add_profile(const tfp_fleet_rules *rules, const tfp_fleet_file *f, const tfp_profile *p,
                              tfp_fleet_rows *rows, tfp_fleet_result *out)
{
    tfp_fleet_about about;
    tfp_fleet_identity id;
    tfp_fleet_run run = { .id = tfp_str_of(out->run), .path = f->path, .bytes = f->size, .mtime_us = f->mtime_us };
    tfp_fleet_about_of(p, &about);
    run.indexed_us = tfp_unix_micros();
    bool ok = tfp_fleet_identify(rules, f->file, f->path, &id) && tfp_fleet_identity_end(&id, &about, &run);
    tfp_status s = ok ? tfp_fleet_add(rows, p, &run, &about, &out->error) : tfp_nomem(&out->error);
    out->not_taken = id.not_taken;
    tfp_fleet_identity_free(&id);
    return s;
}

/* bytes: the whole file; if data is NULL, the file is read in windows. */
static tfp_status read_trace(const tfp_fleet_rules *rules, const tfp_fleet_file *f, tfp_str bytes, tfp_fleet_rows *rows,
                             tfp_fleet_result *out)
{
    tfp_profile *p = tfp_profile_new();
    char name[512]; /* the path ended by NUL, for messages */
    size_t size = f->path.size < sizeof name - 1 ? f->path.size : sizeof name - 1;
    memcpy(name, f->path.data, size);
    name[size] = '\0';
    unsigned strides = rows->wanted & TFP_FLEET_BIT(TFP_FLEET_LIMITS) ? TFP_READS_STRIDES : 0;
    tfp_status s = p ? tfp_profile_keep(p, TFP_READS_RUNS | strides) : tfp_nomem(&out->error);
    if (!s && bytes.data)
        s = tfp_profile_add_bytes(p, NULL, size ? name : "trace", bytes.data, bytes.size, &out->error);
    else if (!s)
        s = tfp_profile_add_file(p, NULL, f->file, &out->error);
    if (!s) s = tfp_profile_finish(p, &out->error);
    if (!s) s = add_profile(rules, f, p, rows, out);
    tfp_profile_free(p);
    return s;
}

void tfp_fleets_read(const tfp_fleet_rules *rules, const tfp_fleet_file *f, tfp_fleet_rows *rows, tfp_fleet_result *out)
{
    tfp_buf whole = { 0 };
    tfp_str bytes = f->bytes;
    tfp_status s = TFP_OK;
    out->code = TFP_FLEET_RUN;
    out->not_taken = 0;
    out->run[0] = '\0';
    tfp_error_clear(&out->error);
    bool small = f->file && (f->size == INT64_MIN || (uint64_t)f->size <= READ_WHOLE);
    if (small) {
        s = tfp_read_file(f->file, READ_WHOLE * 4, &whole, &out->error);
        bytes = (tfp_str){ whole.data ? whole.data : "", whole.size };
        if (s == TFP_BADFILE && !out->error.number) out->error.number = EIO; /* it is not a regular file */
    }
    if (!s && (!f->file || small) && !bytes.size) {
        tfp_fail(&out->error, TFP_BADFILE, "empty file");
        out->code = TFP_FLEET_EMPTY;
    } else {
        if (!s && bytes.data) tfp_digest(bytes.data, bytes.size, out->run);
        if (!s && !bytes.data) s = digest_of(f->file, out->run, &out->error);
        if (!s) s = read_trace(rules, f, bytes, rows, out);
        if (s) out->code = code_of(s, f, bytes, &out->error);
    }
    if (out->code != TFP_FLEET_RUN && !tfp_fleet_rows_clear(rows)) out->code = TFP_FLEET_LIMIT;
    tfp_buf_free(&whole);
}
