// SPDX-License-Identifier: Apache-2.0
/* live/record/session_kineto.c: a recording by PyTorch itself, in a process that was started with KINETO_USE_DAEMON=1. The process asks a daemon
 * every five seconds whether there is something to do, and for a capture we are that daemon. PyTorch writes the trace to a file in a folder of
 * ours. */
#include "live/record/capture.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#define LOOK_NS ((int64_t)100 * 1000000)

static void end_busy(tfp_capture *c, tfp_session *s, int why)
{
    if (why == EADDRINUSE)
        tfp_session_end(c, s, "refused", "busy", "another daemon, such as dynolog, serves PyTorch's processes");
    else
        tfp_session_end(c, s, "failed", "no-permission", "PyTorch's processes cannot be served: %s", strerror(why));
}

void tfp_session_start_kineto(tfp_capture *c, tfp_session *s)
{
    tfp_proc_status status;
    if (c->daemon_fd < 0) c->daemon_fd = tfp_kineto_open(c->daemon_path);
    if (c->daemon_fd < 0) {
        end_busy(c, s, errno);
        return;
    }
    /* libkineto writes below /tmp only, unless it was told otherwise when it started */
    snprintf(s->kineto.folder, sizeof s->kineto.folder, "/tmp/tfprof-kineto-XXXXXX");
    if (!mkdtemp(s->kineto.folder)) {
        *s->kineto.folder = '\0';
        tfp_session_end(c, s, "failed", "no-permission", "no folder in /tmp: %s", strerror(errno));
        return;
    }
    s->kineto.dir = open(s->kineto.folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    bool other = geteuid() == 0 && tfp_proc_status_read(s->row.pid, &status);
    if (s->kineto.dir < 0 || (other && fchown(s->kineto.dir, (uid_t)status.uid[1], (gid_t)status.gid[1]))) {
        tfp_session_end(c, s, "failed", "no-permission", "%s: %s", s->kineto.folder, strerror(errno));
        return;
    }
    s->state = TFP_SESSION_RUNS;
}

/* ---- what it is asked ---- */

static tfp_session *session_of(tfp_capture *c, int64_t pid)
{
    for (size_t i = 0; i < c->sessions.size; i++) {
        tfp_session *s = c->sessions.at[i];
        if (s->row.pid == pid && s->state == TFP_SESSION_RUNS && *s->kineto.folder && !s->kineto.asked) return s;
    }
    return NULL;
}

static void ask(tfp_capture *c, tfp_session *s, const tfp_kineto_from *from)
{
    const tfp_live_settings *w = c->settings;
    tfp_buf text = { 0 };
    /* it needs a second to warm up: without it a window of 300 ms held no event (torch 2.13) */
    tfp_buf_printf(&text, "ACTIVITIES_LOG_FILE=%s/trace.json\nPROFILE_START_TIME=0\nACTIVITIES_WARMUP_PERIOD_SECS=1\n",
                   s->kineto.folder);
    if (w->steps)
        tfp_buf_printf(&text, "PROFILE_START_ITERATION=0\nACTIVITIES_ITERATIONS=%lld\n", (long long)w->steps);
    else
        tfp_buf_printf(&text, "ACTIVITIES_DURATION_MSECS=%lld\n", (long long)w->ms);
    tfp_buf_printf(&text, "PROFILE_REPORT_INPUT_SHAPES=true\nPROFILE_PROFILE_MEMORY=false\nPROFILE_WITH_STACK=%s\n",
                   w->python_level ? "true" : "false");
    if (text.failed) {
        c->nomem = true;
    } else {
        tfp_kineto_send(c->daemon_fd, from, (tfp_str){ text.data, text.size });
        s->kineto.asked = true;
        s->row.started_unix_micros = tfp_unix_micros(); /* approximate: the process does not tell when it began */
    }
    tfp_buf_free(&text);
}

void tfp_capture_serve_kineto(tfp_capture *c)
{
    enum { AT_ONCE = 64 };
    static const int32_t one = 1;
    tfp_kineto_from from;
    for (int i = 0; i < AT_ONCE && tfp_kineto_receive(c->daemon_fd, &from); i++) {
        tfp_session *s = from.kind == TFP_KINETO_POLL && from.activities ? session_of(c, from.pid) : NULL;
        if (s)
            ask(c, s, &from);
        else if (from.kind != TFP_KINETO_NONE) /* nothing to do; the answer to a hello is the number of processes */
            tfp_kineto_send(c->daemon_fd, &from,
                            (tfp_str){ (const char *)&one, from.kind == TFP_KINETO_HELLO ? sizeof one : 0 });
    }
}

/* ---- the trace ---- */

/* Opens the next file of the folder that is a trace, a plain file and no link; -1: there is none yet. It is looked up in the open
 * folder, because another user may have replaced the folder by now. */
static int open_file(const tfp_session *s, int64_t *size)
{
    int fd = -1;
    DIR *d = tfp_folder_list(s->kineto.dir);
    for (struct dirent *e; d && fd < 0 && (e = readdir(d));) {
        struct stat st;
        size_t n = strlen(e->d_name);
        if (n < 6 || strcmp(e->d_name + n - 5, ".json") != 0) continue;
        fd = openat(s->kineto.dir, e->d_name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
        bool fine = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0;
        if (fine) *size = st.st_size;
        if (!fine && fd >= 0) close(fd);
        if (!fine) fd = -1;
    }
    if (d) closedir(d);
    return fd;
}

/* Copies the file piece by piece; false when it could not be read or written. *whole: it is one complete JSON
 * object. */
static bool copy_file(tfp_capture *c, tfp_session *s, int fd, int64_t size, bool *whole)
{
    char piece[1 << 16];
    tfp_json_end json = { .depth = 0 };
    int64_t left = size;
    if (!tfp_session_open_file(c, s, ".kineto.json")) return false;
    while (left > 0 && !json.wrong) {
        ssize_t n = read(fd, piece, left < (int64_t)sizeof piece ? (size_t)left : sizeof piece);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) {
            tfp_session_end(c, s, "failed", "protocol", "its trace cannot be read: %s", strerror(errno));
            return false;
        }
        if (!n) break;
        tfp_json_end_feed(&json, (tfp_str){ piece, (size_t)n });
        tfp_session_add(s, (tfp_str){ piece, (size_t)n });
        left -= n;
    }
    *whole = json.ended && !json.wrong && !left;
    return true;
}

static void take_file(tfp_capture *c, tfp_session *s, int fd, int64_t size)
{
    bool whole;
    if (!copy_file(c, s, fd, size, &whole)) return;
    if (!whole) {
        tfp_session_drop_file(s);
        return;
    }
    s->row.kind = TFP_STR("kineto");
    if (!c->settings->steps) s->row.window_micros = c->settings->ms * 1000;
    if (tfp_session_keep_file(c, s, size)) tfp_session_end(c, s, "ok", NULL, "%s", "");
}

/* Looks for a trace file. A file that has not grown for a while is read once: it is taken when it is complete,
 * otherwise it is still being written. */
static void look_for_file(tfp_capture *c, tfp_session *s)
{
    int64_t size = 0;
    int fd = open_file(s, &size);
    if (fd < 0) return;
    bool new = size == s->kineto.seen_bytes &&size != s->kineto.read_bytes;
    s->kineto.seen_bytes = size;
    if (new) s->kineto.read_bytes = size;
    if (new &&size > c->settings->max_bytes)
        tfp_session_end(c, s, "failed", "too-big", "it is bigger than --max-bytes %lld",
                        (long long)c->settings->max_bytes);
    else if (new)
        take_file(c, s, fd, size);
    close(fd);
}

void tfp_session_kineto_tick(tfp_capture *c, tfp_session *s, bool ended)
{
    int64_t now = tfp_now_ns();
    if (s->state != TFP_SESSION_RUNS || now < s->kineto.look_ns) return;
    s->kineto.look_ns = now + LOOK_NS;
    if (s->kineto.asked) look_for_file(c, s);
    if (s->state != TFP_SESSION_RUNS) return;
    if (ended)
        tfp_session_end(c, s, "failed", "gone", "it ended during the capture");
    else if (now >= tfp_session_deadline(c, s))
        tfp_session_end(c, s, "failed", "timeout",
                        s->kineto.asked ? "its trace did not come in time"
                                        : "it did not ask for work: PyTorch does every 5 s in processes that were "
                                          "started with KINETO_USE_DAEMON=1");
}
