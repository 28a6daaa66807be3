// SPDX-License-Identifier: Apache-2.0
/* live/record/session.c: one recording: connecting, asking, receiving the answer, ending. Nothing here waits: the loop in capture.c calls when
 * a connection is ready, and checks deadlines. */
#include "live/attach/attach.h"
#include "live/record/capture.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <sys/un.h>
#include <unistd.h>

#define LOST_NS ((int64_t)100 * 1000000)

/* ---- the beginning ---- */

static void end_wait(tfp_session *s)
{
    if (s->times.waits_since_ns) s->times.waited_ns += tfp_now_ns() - s->times.waits_since_ns;
    s->times.waits_since_ns = 0;
}

static void ask_agent(const tfp_capture *c, tfp_session *s)
{
    const tfp_live_settings *w = c->settings;
    tfp_buf_printf(&s->link.out, "capture ms=%lld steps=%lld host=%lld python=%lld wait=%g align=%d\n",
                   (long long)w->ms, (long long)w->steps, (long long)w->host_level, (long long)w->python_level, w->wait,
                   w->align && !w->steps);
}

void tfp_session_go(tfp_capture *c, tfp_session *s)
{
    tfp_buf_printf(&s->link.out, "start %lld\n", (long long)c->align_unix_micros);
    s->ready = false;
}

/* 0, or errno. */
static int connect_agent(tfp_capture *c, tfp_session *s)
{
    struct sockaddr_un to = { .sun_family = AF_UNIX };
    memcpy(to.sun_path, s->agent.socket, strlen(s->agent.socket) + 1);
    s->link.fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (s->link.fd < 0) c->too_many_files = true;
    if (s->link.fd >= 0 && connect(s->link.fd, (struct sockaddr *)&to, sizeof to) == 0) return 0;
    int why = errno;
    if (s->link.fd >= 0) close(s->link.fd);
    s->link.fd = -1;
    return why;
}

/* Whether the process itself answers, and no other one. */
static bool answers_itself(const tfp_session *s)
{
    struct ucred peer;
    socklen_t size = sizeof peer;
    return getsockopt(s->link.fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.pid == (pid_t)s->row.pid;
}

static void start_agent(tfp_capture *c, tfp_session *s)
{
    int why = connect_agent(c, s);
    if ((why == ENOENT || why == ECONNREFUSED) &&
        c->settings->attach) { /* the agent left after the process was selected */
        s->attaching.needed = true;
        s->row.via = TFP_STR("attach");
        tfp_session_start_attach(c, s);
        return;
    }
    if (c->too_many_files)
        tfp_session_end(c, s, "failed", "no-permission", "no connection can be made: %s", strerror(why));
    else if (why)
        tfp_session_end(c, s, "refused", "unprepared",
                        "its agent does not answer (%s): start such jobs as tfprof run -- COMMAND", strerror(why));
    else if (!answers_itself(s))
        tfp_session_end(c, s, "refused", "unprepared", "another process answers at its agent's socket");
    else
        s->state = TFP_SESSION_STANDS;
}

/* Looks whether the agent that an attach started answers already. */
static void look_for_agent(tfp_capture *c, tfp_session *s)
{
    if (connect_agent(c, s)) {
        tfp_session_wake(s);
        return;
    }
    s->state = TFP_SESSION_STANDS;
    if (answers_itself(s))
        tfp_session_agent_is_there(s);
    else
        tfp_session_end(c, s, "failed", "protocol", "another process answers at its agent's socket");
}

void tfp_session_ask(tfp_capture *c, tfp_session *s)
{
    ask_agent(c, s);
    s->state = TFP_SESSION_RUNS;
}

void tfp_session_start(tfp_capture *c, tfp_session *s)
{
    s->times.begun_ns = tfp_now_ns();
    if (*s->server.host)
        tfp_session_start_grpc(c, s);
    else if (c->settings->via)
        tfp_session_start_kineto(c, s);
    else if (s->attaching.needed)
        tfp_session_start_attach(c, s);
    else
        start_agent(c, s);
}

/* ---- an agent's answer ---- */

static bool is_one_of(const char *word, const char *const *words)
{
    for (; *words; words++)
        if (strcmp(word, *words) == 0) return true;
    return false;
}

/* Codes that an agent may report; any other code is a failure of the agent. */
static void end_with_error(tfp_capture *c, tfp_session *s, const tfp_answer *a)
{
    static const char *const refused[] = { "busy", "no-steps", "no-framework", "unsafe", NULL };
    bool known = is_one_of(a->name, refused),
         busy = strcmp(a->name, "profiling") == 0; /* the job's own profiler is on */
    tfp_session_end(c, s, known ? "refused" : "failed", known ? a->name : busy ? "busy" : "protocol", "%s", a->text);
}

/* Ends a session that exceeds --max-bytes: complete planes of an XSpace are kept. */
static void end_too_big(tfp_capture *c, tfp_session *s)
{
    bool xspace = strstr(s->announced.name, ".xplane.pb") && !s->file.fields.wrong;
    int64_t whole = xspace ? (int64_t)s->file.fields.whole : 0;
    long long most = c->settings->max_bytes;
    if (whole && !tfp_session_keep_file(c, s, whole)) return;
    if (whole) s->row.kind = TFP_STR("xspace");
    tfp_session_end(c, s, whole ? "partial" : "failed", "too-big", "it is bigger than --max-bytes %lld%s", most,
                    whole ? ": whole planes up to there are kept" : "");
}

static void end_file(tfp_capture *c, tfp_session *s)
{
    const char *fault = strstr(s->announced.name, ".xplane.pb") ? tfp_session_xspace_fault(s, s->announced.cut) : NULL;
    s->announced.inside = false;
    if (s->announced.cut)
        end_too_big(c, s);
    else if (fault)
        tfp_session_end(c, s, "failed", "protocol", "%s", fault);
    else
        tfp_session_keep_file(c, s, s->file.bytes);
}

static void begin_file(tfp_capture *c, tfp_session *s, const tfp_answer *a)
{
    int64_t have = s->row.bytes == TFP_ABSENT ? 0 : s->row.bytes, room = c->settings->max_bytes - have;
    if (++s->announced.count > TFP_FILES_MOST) {
        tfp_session_end(c, s, "failed", "too-big", "it sends more than %d files", TFP_FILES_MOST);
        return;
    }
    memcpy(s->announced.name, a->name, sizeof s->announced.name);
    s->announced.inside = true;
    s->announced.cut = a->number > room;
    s->announced.left = s->announced.cut ? room > 0 ? (uint64_t)room : 0 : (uint64_t)a->number;
    if (tfp_session_open_file(c, s, s->announced.name) && !s->announced.left) end_file(c, s);
}

static void take_line(tfp_capture *c, tfp_session *s, const tfp_answer *a)
{
    static const char *const kinds[] = { "xspace", "kineto", "tf1", NULL };
    switch (a->kind) {
    case TFP_ANSWER_WAITS:
        if (!s->times.waits_since_ns) s->times.waits_since_ns = tfp_now_ns();
        break;
    case TFP_ANSWER_READY:
        s->ready = true;
        end_wait(s);
        break;
    case TFP_ANSWER_STARTED:
        s->row.started_unix_micros = a->number;
        end_wait(s);
        break;
    case TFP_ANSWER_FILE: begin_file(c, s, a); break;
    case TFP_ANSWER_DONE:
        if (!is_one_of(a->name, kinds)) {
            tfp_session_end(c, s, "failed", "protocol", "the agent sent no known kind of recording");
            break;
        }
        s->row.kind = tfp_capture_keep(c, a->name);
        s->row.window_micros = a->number;
        s->row.waited_micros = a->waited;
        if (a->stalled >= 0) s->row.stalled_micros = a->stalled;
        if (s->row.file.data)
            tfp_session_end(c, s, "ok", NULL, "%s", "");
        else
            tfp_session_end(c, s, "failed", "protocol", "the agent sent no file");
        break;
    case TFP_ANSWER_ERROR: end_with_error(c, s, a); break;
    default: tfp_session_end(c, s, "failed", "protocol", "the agent sent a line that is not part of its protocol");
    }
}

static void take_answer(tfp_capture *c, tfp_session *s)
{
    size_t at = 0, used;
    while (s->state == TFP_SESSION_RUNS && at < s->link.in.size) {
        if (s->announced.inside) {
            size_t n = s->link.in.size - at < s->announced.left ? s->link.in.size - at : (size_t)s->announced.left;
            tfp_session_add(s, (tfp_str){ s->link.in.data + at, n });
            s->announced.left -= n;
            at += n;
            if (!s->announced.left) end_file(c, s);
            continue;
        }
        tfp_answer a = tfp_answer_next((tfp_str){ s->link.in.data + at, s->link.in.size - at }, &used);
        if (a.kind == TFP_ANSWER_MORE) break;
        at += used;
        take_line(c, s, &a);
    }
    if (s->state != TFP_SESSION_RUNS || !at) return;
    memmove(s->link.in.data, s->link.in.data + at, s->link.in.size - at);
    s->link.in.size -= at;
}

static bool has_ended(const tfp_session *s)
{
    tfp_proc_stat stat;
    return !tfp_proc_stat_read(s->row.pid, &stat) || stat.start_ticks != s->row.start_ticks || stat.state == 'Z' ||
           stat.state == 'X';
}

static bool runs_another_program(const tfp_session *s)
{
    tfp_proc_stat stat;
    return s->attaching.stack_start && tfp_proc_stat_read(s->row.pid, &stat) && stat.stack_start &&
           stat.stack_start != s->attaching.stack_start;
}

/* Looks at lost connections again: the end of a process is visible a moment later than that of its socket. */
static void look_at_lost(tfp_capture *c, tfp_session *s, int64_t now)
{
    if (has_ended(s))
        tfp_session_end(c, s, "failed", "gone", "it ended during the capture");
    else if (runs_another_program(s))
        tfp_session_end(c, s, "failed", "gone",
                        "it ran another program (exec) during the capture, and its agent is gone");
    else if (now - s->times.lost_ns > LOST_NS)
        tfp_session_end(c, s, "failed", "protocol", "the agent closed the connection");
}

/* ---- the connection ---- */

short tfp_session_events(const tfp_session *s)
{
    if (s->state == TFP_SESSION_CONNECTS) return POLLOUT;
    const tfp_buf *out = *s->server.host ? &s->server.call.out : &s->link.out;
    return (short)(POLLIN | (s->link.sent < out->size ? POLLOUT : 0));
}

static void send_more(tfp_capture *c, tfp_session *s)
{
    tfp_buf *out = *s->server.host ? &s->server.call.out : &s->link.out;
    while (s->link.sent < out->size) {
        ssize_t n = send(s->link.fd, out->data + s->link.sent, out->size - s->link.sent, MSG_NOSIGNAL);
        if (n <= 0) {
            if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
            break; /* the other side's last answer is still read */
        }
        s->link.sent += (size_t)n;
    }
    if (s->link.sent == out->size) out->size = s->link.sent = 0;
    if (out->failed) c->nomem = true;
}

static void receive(tfp_capture *c, tfp_session *s)
{
    static _Thread_local char room[1 << 16];
    for (int i = 0; i < 64 && s->state == TFP_SESSION_RUNS && s->link.fd >= 0; i++) {
        ssize_t n = recv(s->link.fd, room, sizeof room, 0);
        if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
        tfp_str bytes = { room, n > 0 ? (size_t)n : 0 };
        if (*s->server.host) {
            tfp_session_grpc_received(c, s, bytes, n <= 0);
        } else if (n > 0) {
            tfp_buf_add(&s->link.in, room, (size_t)n);
            if (s->link.in.failed) c->nomem = true;
            take_answer(c, s);
        } else {
            s->times.lost_ns = tfp_now_ns();
            close(s->link.fd);
            s->link.fd = -1;
        }
        if (n <= 0) return;
    }
}

void tfp_session_ready(tfp_capture *c, tfp_session *s, short events)
{
    int why = 0;
    socklen_t size = sizeof why;
    if (s->state == TFP_SESSION_CONNECTS) {
        if (getsockopt(s->link.fd, SOL_SOCKET, SO_ERROR, &why, &size)) why = errno;
        errno = why;
        if (why)
            tfp_session_connect_next(c, s);
        else
            s->state = TFP_SESSION_RUNS;
    }
    if (s->state != TFP_SESSION_RUNS || s->link.fd < 0) return;
    send_more(c, s);
    if (events & (POLLIN | POLLHUP | POLLERR)) receive(c, s);
}

/* The innermost Python line of the main thread, to say where the job is while its agent cannot run. */
static void where_is_it(const tfp_session *s, char *out, size_t room)
{
    tfp_python p;
    tfp_method refusal;
    tfp_python_thread threads[64];
    tfp_live_frame frames[1024];
    tfp_buf file = { 0 }, function = { 0 };
    tfp_code_copy code = { .address = 0 };
    snprintf(out, room, "it did not answer in time");
    if (*s->server.host || !tfp_python_open(s->row.pid, &p, &refusal)) return;
    long count = tfp_python_threads(&p, threads, 64);
    for (long i = 0; i < count; i++) {
        if (threads[i].tid != s->row.pid) continue;
        long depth = tfp_python_stack(&p, threads[i].state, frames, 1024);
        if (depth > 0 && tfp_python_copy_code(&p, frames[0].code, &code) &&
            tfp_python_copied_text(&code, TFP_CODE_FILE, &file) &&
            tfp_python_copied_text(&code, TFP_CODE_NAME, &function))
            snprintf(out, room, "it did not answer in time; its main thread is at %.*s:%lld:%.*s",
                     (int)(file.size < 250 ? file.size : 250), file.data,
                     (long long)tfp_python_line(&p, frames[0].code, frames[0].at),
                     (int)(function.size < 250 ? function.size : 250), function.data);
    }
    tfp_vec_free(&code.bytes);
    tfp_buf_free(&file);
    tfp_buf_free(&function);
}

/* Handles sessions that end, or can go on, without a message from the other side. */
static void look_again(tfp_capture *c, tfp_session *s, int64_t now)
{
    if (s->times.retry_ns && now >= s->times.retry_ns) {
        s->times.retry_ns = 0;
        if (*s->server.host)
            tfp_session_start_grpc(c, s);
        else
            tfp_session_start_attach(c, s);
    }
    if (tfp_session_is_resolved(s)) tfp_session_start_grpc(c, s);
    if (s->state == TFP_SESSION_ATTACHES && s->attaching.attach && s->attaching.attach->queued) {
        if (has_ended(s))
            tfp_session_end(c, s, "failed", "gone", "it ended during the attach");
        else if (runs_another_program(s))
            tfp_session_end(c, s, "failed", "gone", "it ran another program (exec) during the attach");
        else
            look_for_agent(c, s);
    }
    if (s->times.lost_ns && s->state == TFP_SESSION_RUNS) look_at_lost(c, s, now);
    if (s->state == TFP_SESSION_LEAVES && tfp_session_has_left(c, s)) {
        tfp_session_free_attach(s);
        s->state = TFP_SESSION_DONE;
        tfp_capture_tell(c, s);
    }
}

void tfp_session_tick(tfp_capture *c, tfp_session *s)
{
    char where[640];
    int64_t now = tfp_now_ns();
    if (*s->kineto.folder) {
        tfp_session_kineto_tick(c, s, has_ended(s));
        return;
    }
    look_again(c, s, now);
    if (s->state == TFP_SESSION_DONE || s->state == TFP_SESSION_LEAVES || now < tfp_session_deadline(c, s)) return;
    where_is_it(s, where, sizeof where);
    tfp_session_end(c, s, "failed", s->state == TFP_SESSION_CONNECTS ? "unreachable" : "timeout", "%s", where);
}
