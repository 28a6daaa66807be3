// SPDX-License-Identifier: Apache-2.0
/* live/record/session_files.c: writes what a recording sends into files of its job's folder. */
#include "live/record/capture.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

/* Names a file. The ending ".xplane.pb" is put after the process's number. Other names are complete, and used as they are
 * in the folder of the first process. */
static void name_file(const tfp_session *s, const char *name, char *out, size_t room)
{
    if (*name == '.')
        snprintf(out, room, "%s%s", s->base, name);
    else if (s->first)
        snprintf(out, room, "%s", name);
    else
        snprintf(out, room, "%s_%s", s->base, name);
}

static bool cannot_write(tfp_capture *c, tfp_session *s, tfp_error *err)
{
    c->bad_output = true;
    tfp_session_end(c, s, "failed", "no-permission", "%s", tfp_error_message(err));
    tfp_error_free(err);
    return false;
}

bool tfp_session_open_file(tfp_capture *c, tfp_session *s, const char *name)
{
    char file[200], path[4600];
    tfp_error *err = tfp_error_new();
    name_file(s, name, file, sizeof file);
    snprintf(s->file.below, sizeof s->file.below, "%s/%s", s->folder, file);
    snprintf(path, sizeof path, "%s/%s", c->results.path, s->file.below);
    int folder = tfp_folder_below(c->results.folder, s->folder);
    tfp_status status = folder < 0 ? tfp_fail(err, TFP_BADOUTPUT, "%s: %s", path, strerror(errno))
                                   : tfp_outfile_below(&s->file.out, folder, file, path, err);
    if (folder >= 0) close(folder);
    if (status) return cannot_write(c, s, err);
    s->file.open = true;
    s->file.fields = s->file.plane = (tfp_fields){ .at = 0 };
    tfp_error_free(err);
    return true;
}

/* A piece of a field of an XSpace. Its planes must be messages too: bytes that merely have the length of a plane are no
 * recording. */
static void take_plane(void *ctx, uint64_t field, tfp_str bytes, uint64_t number)
{
    enum { PLANES = 1 };
    tfp_session *s = ctx;
    tfp_fields *plane = &s->file.plane;
    (void)number;
    if (field != PLANES || !bytes.data) return;
    tfp_fields_feed(plane, bytes, NULL, NULL);
    if (bytes.size < s->file.fields.left) return;
    if (!tfp_fields_are_whole(plane)) s->file.fields.wrong = true;
    *plane = (tfp_fields){ .at = 0 };
}

/* Writes a piece of the file. A failed write is reported at the end. */
void tfp_session_add(tfp_session *s, tfp_str bytes)
{
    tfp_fields_feed(&s->file.fields, bytes, take_plane, s);
    s->file.bytes += (int64_t)bytes.size;
    tfp_outfile_write(&s->file.out, bytes.data, bytes.size);
}

/* Why the bytes received are no recording; NULL: they are one. cut: --max-bytes cut the XSpace short. */
const char *tfp_session_xspace_fault(const tfp_session *s, bool cut)
{
    const tfp_fields *f = &s->file.fields;
    if (f->wrong || (!cut && !tfp_fields_are_whole(f))) return "its XSpace is no protobuf message";
    return cut || s->file.bytes ? NULL : "its XSpace has no bytes: nothing was recorded";
}

bool tfp_session_keep_file(tfp_capture *c, tfp_session *s, int64_t size)
{
    tfp_error *err = tfp_error_new();
    bool cut = size == s->file.bytes || ftruncate(s->file.out.fd, (off_t)size) == 0;
    bool fine = cut && fchmod(s->file.out.fd, 0600) == 0;
    tfp_status status = TFP_OK;
    s->file.open = false;
    s->file.bytes = 0;
    if (fine) {
        status = tfp_outfile_finish(&s->file.out, err);
    } else {
        status = tfp_fail(err, TFP_BADOUTPUT, "%s: %s", s->file.below, strerror(errno));
        tfp_outfile_abandon(&s->file.out);
    }
    if (status) return cannot_write(c, s, err);
    s->row.file = tfp_capture_keep(c, s->file.below);
    s->row.bytes = tfp_add(s->row.bytes == TFP_ABSENT ? 0 : s->row.bytes, size, NULL);
    tfp_error_free(err);
    return true;
}
