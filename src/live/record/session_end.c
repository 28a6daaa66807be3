// SPDX-License-Identifier: Apache-2.0
/* live/record/session_end.c: ends a recording, and decides when it must end. */
#include "live/record/capture.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#define ALIGN_MOST_MICROS 50000 /* a recording may begin this much off the shared moment without a note */

tfp_str tfp_capture_keep(tfp_capture *c, const char *text)
{
    if (!text) return (tfp_str){ NULL, 0 };
    char *copy = tfp_arena_copy(&c->arena, tfp_str_of(text));
    if (!copy) c->nomem = true;
    return (tfp_str){ copy, copy ? strlen(text) : 0 };
}

static void close_all(tfp_session *s)
{
    if (s->link.fd >= 0) close(s->link.fd);
    s->link.fd = -1;
    tfp_buf_free(&s->link.in);
    tfp_buf_free(&s->link.out);
    tfp_session_drop_file(s);
    tfp_call_free(&s->server.call);
    tfp_session_free_kineto(s);
    tfp_session_stop_resolving(s);
    if (s->server.addresses) freeaddrinfo(s->server.addresses);
    s->server.addresses = s->server.address = NULL;
}

void tfp_session_end(tfp_capture *c, tfp_session *s, const char *status, const char *code, const char *format, ...)
{
    char text[700];
    va_list args;
    if (s->state == TFP_SESSION_DONE || s->state == TFP_SESSION_LEAVES) return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (s->row.file.data && strcmp(status, "failed") == 0) status = "partial"; /* what was received is kept */
    s->row.status = tfp_capture_keep(c, status);
    s->row.code = tfp_capture_keep(c, code);
    if (c->align_unix_micros && s->row.started_unix_micros != TFP_ABSENT)
        s->row.started_us_late = s->row.started_unix_micros - c->align_unix_micros;
    if (!code && s->row.started_us_late != TFP_ABSENT && llabs((long long)s->row.started_us_late) > ALIGN_MOST_MICROS)
        snprintf(text, sizeof text, "recording began %.1f ms %s the common start",
                 (double)llabs((long long)s->row.started_us_late) / 1e3,
                 s->row.started_us_late > 0 ? "after" : "before");
    s->row.message = tfp_capture_keep(c, *text ? text : NULL);
    if (s->times.begun_ns && s->row.waited_micros == 0 && s->times.waits_since_ns)
        s->row.waited_micros = (tfp_now_ns() - s->times.waits_since_ns) / 1000;
    close_all(s);
    if (!s->row.file.data && *s->file.below) unlinkat(c->results.folder, s->folder, AT_REMOVEDIR); /* if it is empty */
    if (tfp_session_must_leave(s)) {
        tfp_session_leave(s);
        return;
    }
    tfp_session_note_stop(s);
    tfp_session_free_attach(s);
    s->state = TFP_SESSION_DONE;
    tfp_capture_tell(c, s);
}

/* While the session waits for another one its deadline moves along, up to --wait. */
int64_t tfp_session_deadline(const tfp_capture *c, const tfp_session *s)
{
    double seconds = c->settings->timeout + (c->settings->steps ? 0 : (double)c->settings->ms / 1e3);
    int64_t most = (int64_t)(c->settings->wait * 1e9), waited = s->times.waited_ns;
    if (s->times.waits_since_ns) waited += tfp_now_ns() - s->times.waits_since_ns;
    return s->times.begun_ns + (int64_t)(seconds * 1e9) + (waited < most ? waited : most);
}

void tfp_session_free(tfp_session *s)
{
    if (!s) return;
    close_all(s);
    tfp_session_free_attach(s);
    free(s);
}

void tfp_session_free_kineto(tfp_session *s)
{
    if (!*s->kineto.folder) return;
    if (s->kineto.dir >= 0) {
        tfp_folder_clear(s->kineto.dir);
        close(s->kineto.dir);
    }
    rmdir(s->kineto.folder);
    *s->kineto.folder = '\0';
}

void tfp_session_drop_file(tfp_session *s)
{
    if (s->file.open) tfp_outfile_abandon(&s->file.out);
    s->file.open = false;
    s->file.bytes = 0;
}
