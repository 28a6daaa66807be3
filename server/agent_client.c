// SPDX-License-Identifier: Apache-2.0
/* server/agent_client.c: asks the agent of another machine: the table of its jobs, and recordings, which become files here. Nothing
 * that the other end says is believed: names, sizes and order are checked, and every wait has a limit. */
#include "agent.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define ANSWER_MS 30000   /* for an answer to begin, and between two pieces of one */
#define CAPTURE_MS 400000 /* the same while the other end records */
#define TABLE_MOST ((int64_t)64 << 20)
#define FILES_MOST 10000

typedef struct stream {
    int fd;
    int64_t wait_ms;
    bool (*stopped)(void);
    char bytes[1 << 16];
    size_t at, have;
    char head[GATE_HEAD + 1];
} stream;

static int refuse(char *why, size_t room, const char *text)
{
    snprintf(why, room, "%s", text);
    return -1;
}

/* More bytes: how many, 0: the end or none in time. */
static size_t more(stream *s)
{
    int64_t until = agent_now_ms() + s->wait_ms;
    s->at = s->have = 0;
    while (!(s->stopped && s->stopped())) {
        int64_t now = agent_now_ms(), slice = now + 200;
        if (now >= until) return 0;
        if (!agent_wait_for(s->fd, POLLIN, slice < until ? slice : until)) continue;
        ssize_t n = recv(s->fd, s->bytes, sizeof s->bytes, 0);
        if (n < 0 && (errno == EAGAIN || errno == EINTR)) continue;
        s->have = n > 0 ? (size_t)n : 0;
        return s->have;
    }
    return 0;
}

static bool next_byte(stream *s, char *out)
{
    if (s->at == s->have && !more(s)) return false;
    *out = s->bytes[s->at++];
    return true;
}

/* A line without its end. */
static bool read_line(stream *s, char *out, size_t room)
{
    size_t n = 0;
    for (char c; n < room && next_byte(s, &c); n++) {
        if (c == '\n') {
            out[n] = '\0';
            return memchr(out, '\0', n) == NULL;
        }
        out[n] = c;
    }
    return false;
}

static bool read_head(stream *s)
{
    size_t n = 0;
    for (char c; n < GATE_HEAD && next_byte(s, &c);) {
        s->head[n++] = c;
        s->head[n] = '\0';
        if (n >= 4 && memcmp(s->head + n - 4, "\r\n\r\n", 4) == 0) return true;
    }
    return false;
}

/* What an error says, as one line of plain characters. */
static void tell_refusal(stream *s, int status, char *why, size_t room)
{
    char text[200], c;
    size_t n = 0;
    while (n < sizeof text - 1 && next_byte(s, &c) && c != '\n') text[n++] = c >= ' ' && c < 0x7f ? c : '?';
    text[n] = '\0';
    snprintf(why, room, "it answers with status %d: %s", status, text);
}

/* Sends a request and reads the head of its answer; false: why not. */
static bool ask(const remote *r, const char *method, const char *target, stream *s, char *why, size_t room)
{
    otlp_url u;
    char *text = malloc(strlen(r->address) + strlen(target) + 64), *request = malloc(GATE_HEAD);
    const char *fault = "out of memory";
    int64_t until = agent_now_ms() + ANSWER_MS;
    bool ok = text && request;
    s->fd = -1;
    if (ok) sprintf(text, "http://%s/", r->address);
    ok = ok && otlp_url_of(text, &u, &fault);
    if (ok && strchr(r->address, '/')) ok = false, fault = "it is no HOST:PORT";
    if (ok) s->fd = agent_connect(&u, until, &fault);
    int n = s->fd >= 0 ? snprintf(request, GATE_HEAD,
                                  "%s %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nUser-Agent: tfprof/%s\r\n"
                                  "Connection: close\r\n\r\n",
                                  method, target, u.authority, r->token, tfp_version())
                       : 0;
    ok = s->fd >= 0 && n < GATE_HEAD;
    if (ok && !agent_send_all(s->fd, request, (size_t)n, until)) ok = false, fault = strerror(errno);
    if (ok && !read_head(s)) ok = false, fault = "no HTTP answer came in time";
    int status = ok ? http_status_of(s->head, strlen(s->head)) : 0;
    if (!ok)
        snprintf(why, room, "%s", fault);
    else if (status <= 0)
        snprintf(why, room, "what answers is no agent of tfprof");
    else if (status != 200)
        tell_refusal(s, status, why, room);
    free(text);
    free(request);
    return ok && status == 200;
}

static int64_t length_of(const char *head)
{
    size_t size;
    const char *text = http_header_value(head, "Content-Length", &size);
    return text && size && size < 16 && strspn(text, "0123456789") >= size ? strtoll(text, NULL, 10) : -1;
}

bool remote_top(const remote *r, const char *format, char *why, size_t room)
{
    char target[100];
    stream *s = malloc(sizeof *s);
    if (!s) return refuse(why, room, "out of memory") == 0;
    *s = (stream){ .fd = -1, .wait_ms = ANSWER_MS };
    snprintf(target, sizeof target, AGENT_TOP "?format=%.40s", format);
    bool ok = ask(r, "GET", target, s, why, room);
    int64_t left = ok ? length_of(s->head) : 0;
    if (ok && (left < 0 || left > TABLE_MOST))
        ok = refuse(why, room, "its answer has no length, or too much of it") == 0;
    while (ok && left) {
        size_t n = s->have - s->at;
        if (!n && !(n = more(s))) ok = refuse(why, room, "its answer ended too early") == 0;
        if ((int64_t)n > left) n = (size_t)left;
        if (ok && r->write(r->ctx, s->bytes + s->at, n)) ok = refuse(why, room, "it cannot be written") == 0;
        s->at += n;
        left -= (int64_t)n;
    }
    if (s->fd >= 0) close(s->fd);
    free(s);
    return ok;
}

/* ---- recordings ---- */

/* So many bytes to a descriptor, or, -1, to write(). */
static bool pass_on(stream *s, const remote *r, int64_t left, int fd)
{
    while (left) {
        size_t n = s->have - s->at;
        if (!n && !(n = more(s))) return false;
        if ((int64_t)n > left) n = (size_t)left;
        if (fd < 0 ? r->write(r->ctx, s->bytes + s->at, n) != 0 : write(fd, s->bytes + s->at, n) != (ssize_t)n)
            return false;
        s->at += n;
        left -= (int64_t)n;
    }
    return true;
}

/* A new file, 0600, which appears whole. Folders of jobs are made. */
static int take_file(stream *s, const remote *r, const archive_entry *e, int folder, char *why, size_t room)
{
    char part[ARCHIVE_NAME + 8], job[ARCHIVE_NAME];
    const char *slash = strchr(e->name, '/');
    if (e->size > r->file_most) return refuse(why, room, "a file is longer than --max-bytes");
    snprintf(part, sizeof part, "%s.part", e->name);
    snprintf(job, sizeof job, "%.*s", slash ? (int)(slash - e->name) : 0, e->name);
    if (slash && mkdirat(folder, job, 0700) && errno != EEXIST) return refuse(why, room, strerror(errno));
    int fd = openat(folder, part, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0) return refuse(why, room, strerror(errno));
    bool whole = pass_on(s, r, e->size, fd), closed = close(fd) == 0;
    if (whole && closed && renameat2(folder, part, folder, e->name, RENAME_NOREPLACE) == 0) return 0;
    unlinkat(folder, part, 0);
    return refuse(why, room, whole ? strerror(errno) : "a file ended too early");
}

int remote_capture(const remote *r, const char *parameters, int folder, bool (*stopped)(void), char *why, size_t room)
{
    char line[ARCHIVE_NAME + 64], *target = malloc(strlen(parameters) + 64);
    stream *s = malloc(sizeof *s);
    int status = 1;
    bool reported = false, last = false, ended = false;
    *why = '\0';
    if (!s || !target) {
        refuse(why, room, "out of memory");
        free(s);
        free(target);
        return 4;
    }
    sprintf(target, AGENT_CAPTURE "?%s", parameters);
    *s = (stream){ .fd = -1, .wait_ms = CAPTURE_MS, .stopped = stopped };
    bool ok = ask(r, "POST", target, s, why, room);
    for (size_t files = 0; ok && !ended;) {
        archive_entry e;
        if (!read_line(s, line, sizeof line) || !archive_line(line, &e) || files++ > FILES_MOST ||
            (last && e.kind != ARCHIVE_END)) {
            ok = refuse(why, room, "its answer ended too early, or is none of tfprof's") == 0;
        } else if (e.kind == ARCHIVE_FAILED) {
            status = e.status == 2 ? 2 : 1;
            tell_refusal(s, 500, why, room);
            ok = false;
        } else if (e.kind == ARCHIVE_REPORT) {
            status = (int)e.status;
            ok = !reported && pass_on(s, r, e.size, -1);
            reported = true;
            if (!ok) refuse(why, room, "its table ended too early");
        } else if (e.kind == ARCHIVE_FILE) {
            last = strcmp(e.name, "manifest.json") == 0;
            ok = take_file(s, r, &e, folder, why, room) == 0;
        } else {
            ended = true;
        }
    }
    if (ok && !(reported && last)) ok = refuse(why, room, "its answer has no manifest") == 0;
    if (s->fd >= 0) close(s->fd);
    free(s);
    free(target);
    if (stopped && stopped()) return 130;
    return ok || status ? status : 1;
}
