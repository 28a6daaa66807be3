// SPDX-License-Identifier: Apache-2.0
/* live/record/session_grpc.c: a recording by a profiler server of TensorFlow or JAX, at a given port. */
#include "live/record/capture.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#define RETRY_NS ((int64_t)250 * 1000000)

/* The XSpace is written to its file as it arrives. If the response has two XSpaces, they are one: protobuf joins such
 * messages. */
static void take_field(void *ctx, uint64_t field, tfp_str bytes, uint64_t number)
{
    tfp_session *s = ctx;
    tfp_capture *c = s->server.owner;
    if (field == TFP_RESPONSE_EMPTY && !bytes.data) s->server.empty = number != 0;
    if (field != TFP_RESPONSE_XSPACE || !bytes.data || c->settings->recorder || s->server.call.too_big) return;
    if (!s->server.has_xspace && !tfp_session_open_file(c, s, ".xplane.pb")) return;
    s->server.has_xspace = true;
    int64_t room = c->settings->max_bytes - s->file.bytes;
    if ((int64_t)bytes.size > room) {
        bytes.size = room > 0 ? (size_t)room : 0;
        s->server.call.too_big = true;
    }
    tfp_session_add(s, bytes);
}

static void take_message(void *ctx, tfp_str bytes)
{
    tfp_session *s = ctx;
    if (s->state != TFP_SESSION_DONE) tfp_fields_feed(&s->server.response, bytes, take_field, s);
}

static void prepare_call(tfp_capture *c, tfp_session *s)
{
    char authority[280];
    tfp_buf message = { 0 };
    const tfp_live_settings *w = c->settings;
    const char *method = TFP_PROFILE_METHOD;
    tfp_profile_request r = { w->recorder ? 0 : w->ms, w->host_level, w->python_level,
                              tfp_mul(c->align_unix_micros, 1000, NULL) };
    if (w->recorder == TFP_RECORDER_STARTS) method = TFP_PROFILER_SERVICE "StartContinuousProfiling";
    if (w->recorder == TFP_RECORDER_STOPS) method = TFP_PROFILER_SERVICE "StopContinuousProfiling";
    if (w->snapshot) method = TFP_PROFILER_SERVICE "GetSnapshot";
    /* the other requests need no field */
    if (!w->snapshot && w->recorder != TFP_RECORDER_STOPS) tfp_profile_request_put(&r, &message);
    snprintf(authority, sizeof authority, strchr(s->server.host, ':') ? "[%s]:%s" : "%s:%s", s->server.host,
             s->server.port);
    tfp_call_free(&s->server.call);
    /* a few bytes of the response come before the XSpace */
    tfp_call_start(&s->server.call, authority, method, (tfp_str){ message.data, message.size },
                   (size_t)c->settings->max_bytes + 64);
    s->server.call.take = take_message;
    s->server.call.take_ctx = s;
    s->server.owner = (tfp_capture *)c;
    s->server.response = (tfp_fields){ .at = 0 };
    s->server.empty = s->server.has_xspace = false;
    tfp_session_drop_file(s);
    s->server.call.out.failed |= message.failed;
    tfp_buf_free(&message);
    s->link.sent = 0;
}

/* ---- addresses ---- */

/* A name is looked up in a thread of its own: a name server that does not answer must not delay the other recordings. The thread cannot
 * be stopped, so whichever ends last, the thread or the session, frees this. */
typedef struct tfp_resolver {
    _Atomic int users;
    _Atomic bool done;
    int why; /* the error of getaddrinfo; 0: none */
    struct addrinfo *found;
    char host[256], port[8];
} tfp_resolver;

static void let_go(tfp_resolver *r)
{
    if (--r->users) return;
    if (r->found) freeaddrinfo(r->found);
    free(r);
}

static void *resolve(void *ctx)
{
    tfp_resolver *r = ctx;
    struct addrinfo hint = { .ai_socktype = SOCK_STREAM };
    r->why = getaddrinfo(r->host, r->port, &hint, &r->found);
    if (r->why) r->found = NULL;
    r->done = true;
    let_go(r);
    return NULL;
}

static bool start_resolving(tfp_session *s)
{
    pthread_t thread;
    tfp_resolver *r = calloc(1, sizeof *r);
    if (!r) return false;
    r->users = 2;
    memcpy(r->host, s->server.host, sizeof r->host);
    memcpy(r->port, s->server.port, sizeof r->port);
    if (pthread_create(&thread, NULL, resolve, r)) {
        free(r);
        return false;
    }
    pthread_detach(thread);
    s->server.resolver = r;
    s->state = TFP_SESSION_CONNECTS;
    return true;
}

bool tfp_session_is_resolved(const tfp_session *s) { return s->server.resolver && s->server.resolver->done; }

void tfp_session_stop_resolving(tfp_session *s)
{
    if (s->server.resolver) let_go(s->server.resolver);
    s->server.resolver = NULL;
}

/* Tries the addresses of the name in order. */
void tfp_session_connect_next(tfp_capture *c, tfp_session *s)
{
    int why = errno;
    while (s->server.address) {
        const struct addrinfo *a = s->server.address;
        s->server.address = a->ai_next;
        if (s->link.fd >= 0) close(s->link.fd);
        s->link.fd = socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        if (s->link.fd < 0) {
            why = errno;
            continue;
        }
        if (connect(s->link.fd, a->ai_addr, a->ai_addrlen) == 0 || errno == EINPROGRESS) {
            s->state = TFP_SESSION_CONNECTS;
            return;
        }
        why = errno;
    }
    tfp_session_end(c, s, "failed", "unreachable", "%s", strerror(why));
}

void tfp_session_start_grpc(tfp_capture *c, tfp_session *s)
{
    struct addrinfo number = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICHOST };
    int why = 0;
    if (tfp_session_is_resolved(s)) {
        why = s->server.resolver->why;
        s->server.addresses = s->server.resolver->found;
        s->server.resolver->found = NULL;
        tfp_session_stop_resolving(s);
    } else if (!s->server.addresses && getaddrinfo(s->server.host, s->server.port, &number, &s->server.addresses)) {
        s->server.addresses = NULL;
        if (start_resolving(s)) return;
        why = EAI_MEMORY;
    }
    if (why) {
        tfp_session_end(c, s, "failed", "unreachable", "%s", gai_strerror(why));
        return;
    }
    s->server.address = s->server.addresses;
    prepare_call(c, s);
    errno = 0;
    tfp_session_connect_next(c, s);
}

/* A server allows one session per process. One that is busy says so, and is asked again until --wait is over. Whether it has a
 * recorder does not change, so a request for one is not repeated. */
static bool wait_for_other(tfp_capture *c, tfp_session *s)
{
    if (c->settings->snapshot || c->settings->recorder) return false;
    if (s->server.call.grpc_status == 0 || !strcasestr(s->server.call.grpc_message, "session")) return false;
    int64_t now = tfp_now_ns();
    if (!s->times.waits_since_ns) s->times.waits_since_ns = now;
    if ((double)(now - s->times.waits_since_ns) / 1e9 >= c->settings->wait) {
        tfp_session_end(c, s, "refused", "busy", "another session runs in it: %s", s->server.call.grpc_message);
        return true;
    }
    close(s->link.fd);
    s->link.fd = -1;
    s->times.retry_ns = now + RETRY_NS;
    return true;
}

/* The fault in the answer; NULL: it has an XSpace, or as much of one as --max-bytes allows. */
static const char *fault_of(const tfp_capture *c, tfp_session *s)
{
    tfp_str message;
    bool cut = s->server.call.too_big;
    if (!tfp_call_message(&s->server.call, &message)) return s->server.call.wrong;
    if (s->server.response.wrong || (!cut && !tfp_fields_are_whole(&s->server.response)))
        return "the answer is no protobuf message";
    if (s->server.has_xspace) return tfp_session_xspace_fault(s, cut);
    if (cut) return NULL;
    return s->server.empty         ? "the server recorded nothing"
           : c->settings->snapshot ? "the answer has no XSpace"
                                   : "the answer has no XSpace: the server is older than emit_xspace";
}

static void keep_response(tfp_capture *c, tfp_session *s)
{
    bool cut = s->server.call.too_big;
    if (c->settings->recorder) { /* the answer is empty */
        tfp_session_end(c, s, "ok", NULL, "%s", "");
        return;
    }
    const char *fault = fault_of(c, s);
    if (fault) {
        tfp_session_end(c, s, "failed", "protocol", "%s", fault);
        return;
    }
    int64_t size = cut ? (int64_t)s->file.fields.whole : s->file.bytes;
    if (!s->server.has_xspace || (cut && !size)) {
        tfp_session_end(c, s, "failed", "too-big", "it is bigger than --max-bytes %lld",
                        (long long)c->settings->max_bytes);
        return;
    }
    s->row.kind = TFP_STR("xspace");
    if (!c->settings->snapshot) s->row.window_micros = c->settings->ms * 1000;
    if (s->times.waits_since_ns) s->row.waited_micros = (s->times.begun_ns - s->times.waits_since_ns) / 1000;
    if (s->row.waited_micros < 0) s->row.waited_micros = (tfp_now_ns() - s->times.waits_since_ns) / 1000;
    if (!tfp_session_keep_file(c, s, size)) return;
    if (cut)
        tfp_session_end(c, s, "partial", "too-big",
                        "it is bigger than --max-bytes %lld: whole planes up to there are kept",
                        (long long)c->settings->max_bytes);
    else
        tfp_session_end(c, s, "ok", NULL, "%s", "");
}

void tfp_session_grpc_received(tfp_capture *c, tfp_session *s, tfp_str bytes, bool ended)
{
    char code[32];
    tfp_call *k = &s->server.call;
    if (s->row.started_unix_micros == TFP_ABSENT && !c->settings->snapshot && !c->settings->recorder)
        s->row.started_unix_micros = tfp_unix_micros(); /* approximate: the server does not tell when it began */
    if (bytes.size) tfp_call_feed(k, bytes.data, bytes.size);
    if (s->state == TFP_SESSION_DONE) return; /* the file could not be written */
    if (k->in.failed || k->body.failed || k->block.failed) {
        c->nomem = true;
        tfp_session_end(c, s, "failed", "low-memory", "tfprof has no memory for the answer");
    } else if (k->wrong && !k->done) {
        tfp_session_end(c, s, "failed", "protocol", "%s", k->wrong);
    } else if (k->done && k->grpc_status > 0) {
        if (wait_for_other(c, s)) return;
        snprintf(code, sizeof code, "grpc-%lld", (long long)k->grpc_status);
        tfp_session_end(c, s, "failed", code, "%s", *k->grpc_message ? k->grpc_message : "the server gave no reason");
    } else if (k->done && k->grpc_status < 0) {
        if (k->http_status && k->http_status != 200)
            tfp_session_end(c, s, "failed", "protocol", "the server answers HTTP %d", k->http_status);
        else
            tfp_session_end(c, s, "failed", "protocol", "an answer without a status");
    } else if (k->done || k->too_big) {
        keep_response(c, s);
    } else if (ended) {
        tfp_session_end(c, s, "failed", "protocol", "the server closed the connection");
    }
}
