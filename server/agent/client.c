// SPDX-License-Identifier: Apache-2.0
/* server/agent/client.c: asks the agent of another machine for the table of its jobs, and for recordings, which are stored as files
 * here. Nothing from the other side is trusted: names, sizes and order are checked, and every wait has a limit. */
#include "agent.h"
#include "http/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FILES_MOST 1000 /* most files of a process */
#define PROCESSES_MOST 256
#define ENTRIES_MOST 20000
#define CLOCK_MOST_MICROS 2000000 /* an answer that takes longer is too inaccurate for the other clock */

typedef struct stream {
    int fd;
    int64_t until_ms; /* end of the time for the whole answer */
    const remote *of;
    char bytes[1 << 16];
    size_t at, have;
    char head[GATE_HEAD + 1];
} stream;

static int refuse(char *why, size_t room, const char *text)
{
    snprintf(why, room, "%s", text);
    return -1;
}

static bool is_stopped(const remote *r) { return r->stopped && r->stopped(r); }

/* The reason why nothing more came. */
static const char *late_or(const stream *s, const char *otherwise)
{
    return now_ms() >= s->until_ms ? "it did not answer in time" : otherwise;
}

/* Receives more bytes; returns how many, 0: the end, or none in time. */
static size_t more(stream *s)
{
    s->at = s->have = 0;
    while (!is_stopped(s->of)) {
        int64_t now = now_ms(), slice = now + 200;
        if (now >= s->until_ms) return 0;
        if (!agent_wait_for(s->fd, POLLIN, slice < s->until_ms ? slice : s->until_ms)) continue;
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

/* Reads a line, without its line end. */
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

/* Writes the text of an error as one line of plain characters. */
static void tell_refusal(stream *s, int status, char *why, size_t room)
{
    char text[200], c;
    size_t n = 0;
    while (n < sizeof text - 1 && next_byte(s, &c) && c != '\n') text[n++] = c >= ' ' && c < 0x7f ? c : '?';
    text[n] = '\0';
    snprintf(why, room, "it answers with status %d: %s", status, text);
}

/* Sends a request and reads the head of its answer; false: it failed, `why` has the reason. */
static bool ask(const char *method, const char *target, stream *s, char *why, size_t room)
{
    const remote *r = s->of;
    http_url u;
    char *text = malloc(strlen(r->address) + strlen(target) + 64), *request = malloc(GATE_HEAD);
    const char *fault = "out of memory";
    bool ok = text && request;
    s->fd = -1;
    if (ok) sprintf(text, "http://%s/", r->address);
    ok = ok && http_url_of(text, "80", &u, &fault);
    if (ok && strchr(r->address, '/')) ok = false, fault = "it is no HOST:PORT";
    if (ok) s->fd = agent_connect(&u, s->until_ms, &fault);
    int n = s->fd >= 0 ? snprintf(request, GATE_HEAD,
                                  "%s %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nUser-Agent: tfprof/%s\r\n"
                                  "Connection: close\r\n\r\n",
                                  method, target, u.authority, r->token, tfp_version())
                       : 0;
    ok = s->fd >= 0 && n < GATE_HEAD;
    if (ok && !agent_send_all(s->fd, request, (size_t)n, s->until_ms)) ok = false, fault = strerror(errno);
    if (ok && !read_head(s)) ok = false, fault = late_or(s, "it ended without an HTTP answer");
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

/* Passes on a body of known length. */
static bool get(const remote *r, const char *target, char *why, size_t room)
{
    stream *s = malloc(sizeof *s);
    if (!s) return refuse(why, room, "out of memory") == 0;
    *s = (stream){ .fd = -1, .until_ms = now_ms() + r->answer_ms, .of = r };
    bool ok = ask("GET", target, s, why, room);
    int64_t left = ok ? length_of(s->head) : 0;
    if (ok && (left < 0 || left > r->table_most))
        ok = refuse(why, room, "its answer has no length, or is too long") == 0;
    while (ok && left) {
        size_t n = s->have - s->at;
        if (!n && !(n = more(s))) ok = refuse(why, room, late_or(s, "its answer ended too early")) == 0;
        if ((int64_t)n > left) n = (size_t)left;
        if (ok && r->write(r->ctx, s->bytes + s->at, n)) ok = refuse(why, room, "it cannot be written") == 0;
        s->at += n;
        left -= (int64_t)n;
    }
    if (s->fd >= 0) close(s->fd);
    free(s);
    return ok;
}

bool remote_table(const remote *r, const char *table, const char *format, char *why, size_t room)
{
    char target[100];
    snprintf(target, sizeof target, AGENT_TABLE "%.20s?format=%.40s", table, format);
    return get(r, target, why, room);
}

/* ---- recordings ---- */

/* Passes on a number of bytes to a descriptor, or, with -1, to write(). */
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

typedef struct clock_text {
    char text[40];
    size_t size;
} clock_text;

static int keep_clock(void *ctx, const void *data, size_t size)
{
    clock_text *t = ctx;
    if (size >= sizeof t->text - t->size) return 1;
    memcpy(t->text + t->size, data, size);
    t->size += size;
    t->text[t->size] = '\0';
    return 0;
}

bool remote_clock(const remote *r, int64_t *ahead)
{
    char why[400];
    clock_text t = { .size = 0 };
    remote one = *r;
    one.write = keep_clock;
    one.ctx = &t;
    one.table_most = sizeof t.text;
    int64_t before = unix_micros();
    if (!get(&one, AGENT_CLOCK, why, sizeof why)) return false;
    int64_t after = unix_micros(), theirs = strtoll(t.text, NULL, 10);
    *ahead = theirs - before - (after - before) / 2;
    return theirs > 0 && after - before < CLOCK_MOST_MICROS;
}

/* ---- limits of what comes ---- */

/* The files of one process: those in a job's folder whose names begin with the same number, or with none. */
typedef struct origin {
    char name[ARCHIVE_NAME];
    size_t files;
} origin;

typedef struct origins {
    origin *of;
    size_t count;
    int64_t bytes; /* of all of them */
} origins;

static origin *origin_of(origins *all, const char *name)
{
    const char *slash = strchr(name, '/');
    size_t size = slash ? (size_t)(slash - name) + 1 : 0;
    size += strspn(name + size, "0123456789");
    for (size_t i = 0; i < all->count; i++)
        if (strlen(all->of[i].name) == size && memcmp(all->of[i].name, name, size) == 0) return &all->of[i];
    if (all->count == PROCESSES_MOST) return NULL;
    origin *o = &all->of[all->count++];
    *o = (origin){ .files = 0 };
    memcpy(o->name, name, size);
    return o;
}

/* Whether one more file is allowed; otherwise `why` names the limit. */
static bool may_come(origins *all, const remote *r, const archive_entry *e, char *why, size_t room)
{
    origin *o = origin_of(all, e->name);
    if (!o) {
        snprintf(why, room, "it sends files of more than %d processes", PROCESSES_MOST);
    } else if (++o->files > FILES_MOST) {
        snprintf(why, room, "it sends more than %d files of a process", FILES_MOST);
    } else if (e->size > r->bytes_most - all->bytes) {
        snprintf(why, room, "its files are longer in all than --max-bytes %lld", (long long)r->bytes_most);
    } else {
        all->bytes += e->size;
        return true;
    }
    return false;
}

/* musl has no renameat2. */
static bool rename_new(int folder, const char *from, const char *to)
{
    enum { NO_REPLACE = 1 }; /* RENAME_NOREPLACE of linux/fs.h */
    return syscall(SYS_renameat2, folder, from, folder, to, NO_REPLACE) == 0;
}

/* Writes a new file with mode 0600, which appears only when it is complete. Makes the job's folder if needed. */
static int take_file(stream *s, const remote *r, const archive_entry *e, int folder, char *why, size_t room)
{
    char part[ARCHIVE_NAME + 8], job[ARCHIVE_NAME];
    const char *slash = strchr(e->name, '/');
    snprintf(part, sizeof part, "%s.part", e->name);
    snprintf(job, sizeof job, "%.*s", slash ? (int)(slash - e->name) : 0, e->name);
    if (slash && mkdirat(folder, job, 0700) && errno != EEXIST) return refuse(why, room, strerror(errno));
    int fd = openat(folder, part, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0) return refuse(why, room, strerror(errno));
    bool whole = pass_on(s, r, e->size, fd), closed = close(fd) == 0;
    if (whole && closed && rename_new(folder, part, e->name)) return 0;
    unlinkat(folder, part, 0);
    return refuse(why, room, whole ? strerror(errno) : late_or(s, "a file ended too early"));
}

/* The other side is ready: tells it when the recordings begin, through a separate connection. */
static void tell_start(const stream *s)
{
    char target[64], why[400];
    const remote *r = s->of;
    stream *to = r->start ? malloc(sizeof *to) : NULL;
    int64_t at = to ? r->start(r->start_ctx) : 0;
    if (at) {
        *to = (stream){ .fd = -1, .until_ms = s->until_ms, .of = r };
        snprintf(target, sizeof target, AGENT_START "?at=%lld", (long long)at);
        ask("POST", target, to, why, sizeof why);
        if (to->fd >= 0) close(to->fd);
    }
    free(to);
}

typedef struct taken {
    int status;
    bool waits, reported, last, ended;
    origins from;
} taken;

/* Takes one entry of the answer; false: `why` has the reason. */
static bool take_entry(stream *s, taken *t, int folder, char *why, size_t room)
{
    char line[ARCHIVE_NAME + 64];
    archive_entry e;
    const remote *r = s->of;
    if (!read_line(s, line, sizeof line) || !archive_line(line, &e) || (t->last && e.kind != ARCHIVE_END))
        return refuse(why, room, late_or(s, "its answer ended too early, or does not come from tfprof")) == 0;
    switch (e.kind) {
    case ARCHIVE_WAITS:
        if (!t->waits) s->until_ms += r->wait_ms;
        t->waits = true;
        return true;
    case ARCHIVE_READY: tell_start(s); return true;
    case ARCHIVE_FAILED:
        t->status = e.status == 2 ? 2 : 1;
        tell_refusal(s, 500, why, room);
        return false;
    case ARCHIVE_REPORT:
        t->status = (int)e.status;
        if (t->reported || e.size > r->table_most || !pass_on(s, r, e.size, -1))
            return refuse(why, room, late_or(s, "its table ended too early, or is too long")) == 0;
        return t->reported = true;
    case ARCHIVE_FILE:
        t->last = strcmp(e.name, "manifest.json") == 0;
        return may_come(&t->from, r, &e, why, room) && take_file(s, r, &e, folder, why, room) == 0;
    default: return t->ended = true;
    }
}

int remote_capture(const remote *r, const char *parameters, int folder, char *why, size_t room)
{
    char *target = malloc(strlen(parameters) + 64);
    stream *s = malloc(sizeof *s);
    taken t = { .status = 1, .from = { calloc(PROCESSES_MOST, sizeof *t.from.of), 0, 0 } };
    *why = '\0';
    if (!s || !target || !t.from.of) {
        refuse(why, room, "out of memory");
        t.status = 4;
        goto out;
    }
    sprintf(target, AGENT_CAPTURE "?%s", parameters);
    *s = (stream){ .fd = -1, .until_ms = now_ms() + r->answer_ms, .of = r };
    bool ok = ask("POST", target, s, why, room);
    for (size_t entries = 0; ok && !t.ended;)
        ok = entries++ < ENTRIES_MOST ? take_entry(s, &t, folder, why, room)
                                      : refuse(why, room, "it sends too many files") == 0;
    if (ok && !(t.reported && t.last)) ok = refuse(why, room, "its answer has no manifest") == 0;
    if (s->fd >= 0) close(s->fd);
    if (!ok && !t.status) t.status = 1;
    if (is_stopped(r)) t.status = 130;
out:
    free(t.from.of);
    free(s);
    free(target);
    return t.status;
}
