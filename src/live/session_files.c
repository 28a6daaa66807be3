// SPDX-License-Identifier: Apache-2.0
/* live/session_files.c: what a recording brings becomes files of its job's folder. */
#include "live/capture.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

/* ".xplane.pb" is an ending of the process's number; other names stand by themselves in the folder of the first process. */
static void name_file(const tfp_session *s, const char *name, char *out, size_t room)
{
    if (*name == '.')
        snprintf(out, room, "%s/%s%s", s->folder, s->base, name);
    else if (s->first)
        snprintf(out, room, "%s/%s", s->folder, name);
    else
        snprintf(out, room, "%s/%s_%s", s->folder, s->base, name);
}

bool tfp_session_write(tfp_capture *c, tfp_session *s, const char *name, tfp_str bytes)
{
    char folder[4200], below[300], path[4500];
    tfp_error *err = tfp_error_new();
    snprintf(folder, sizeof folder, "%s/%s", c->results, s->folder);
    name_file(s, name, below, sizeof below);
    snprintf(path, sizeof path, "%s/%s", c->results, below);
    tfp_status status = TFP_BADOUTPUT;
    if (mkdir(folder, 0700) == 0 || errno == EEXIST)
        status = tfp_write_private(path, bytes, err);
    else
        tfp_fail(err, TFP_BADOUTPUT, "%s: %s", folder, strerror(errno));
    if (status) {
        c->bad_output = true;
        tfp_session_end(c, s, "failed", "no-permission", "%s", tfp_error_message(err));
    } else {
        s->row.file = tfp_capture_keep(c, below);
        s->row.bytes = tfp_add(s->row.bytes == TFP_ABSENT ? 0 : s->row.bytes, (int64_t)bytes.size, NULL);
    }
    tfp_error_free(err);
    return status == TFP_OK;
}
