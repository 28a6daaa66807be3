/* server/http.c: every request passes here first: method, Host, Origin, length, token; and every answer last: headers,
 * ETag, gzip. Routes see only requests that may be answered. */
#include "server_parts.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <arpa/inet.h>
#include <ctype.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <zlib.h>

#define BODIES_MOST ((size_t)96 << 20) /* bytes of all answers that are being sent; one alone may pass it */
#define WORTH_PACKING 1024

/* ---- parameters ---- */

const char *request_value(const request *r, const char *name)
{
    for (size_t i = r->parameter_count; i-- > 0;)
        if (strcmp(r->parameters[i].name, name) == 0) return r->parameters[i].value;
    return NULL;
}

bool request_int(const request *r, const char *name, long long least, long long most, long long *out)
{
    const char *text = request_value(r, name);
    char *end;
    if (!text) return true;
    if (!*text || strlen(text) > 19 || isspace((unsigned char)*text)) return false;
    long long n = strtoll(text, &end, 10);
    if (*end || n < least || n > most) return false;
    *out = n;
    return true;
}

static enum MHD_Result take_parameter(void *cls, enum MHD_ValueKind kind, const char *name, size_t name_size,
                                      const char *value, size_t value_size)
{
    request *r = cls;
    (void)kind;
    if (!value) value = "", value_size = 0;
    r->bytes += name_size + value_size;
    bool whole = strlen(name) == name_size && strlen(value) == value_size;
    if (!whole || r->parameter_count == REQUEST_PARAMETERS || r->bytes > REQUEST_BYTES)
        r->refused = true;
    else
        r->parameters[r->parameter_count++] = (parameter){ name, value };
    return MHD_YES;
}

/* ---- headers that decide ---- */

typedef struct headers {
    const char *host, *origin, *cookie, *authorization, *encoding, *match, *site, *mode, *length;
    int hosts, origins, lengths;
    bool body, expect;
} headers;

static bool is(const char *name, size_t size, const char *wanted)
{
    return strlen(wanted) == size && strncasecmp(name, wanted, size) == 0;
}

static enum MHD_Result take_header(void *cls, enum MHD_ValueKind kind, const char *name, size_t name_size,
                                   const char *value, size_t value_size)
{
    headers *h = cls;
    (void)kind, (void)value_size;
    if (!value) value = "";
    if (is(name, name_size, "Host")) h->host = value, h->hosts++;
    if (is(name, name_size, "Origin")) h->origin = value, h->origins++;
    if (is(name, name_size, "Cookie")) h->cookie = value;
    if (is(name, name_size, "Authorization")) h->authorization = value;
    if (is(name, name_size, "Accept-Encoding")) h->encoding = value;
    if (is(name, name_size, "If-None-Match")) h->match = value;
    if (is(name, name_size, "Sec-Fetch-Site")) h->site = value;
    if (is(name, name_size, "Sec-Fetch-Mode")) h->mode = value;
    if (is(name, name_size, "Expect")) h->expect = true;
    if (is(name, name_size, "Transfer-Encoding")) h->body = true;
    if (is(name, name_size, "Content-Length")) {
        h->lengths++;
        if (strcmp(value, "0") != 0) h->body = true;
    }
    return MHD_YES;
}

/* "NAME:PORT" of this server: localhost, the loopback addresses, and the address that it was told to listen on. */
static bool host_fits(const server *s, const char *host)
{
    const char *names[] = { "localhost", "127.0.0.1", "[::1]", s->host_name };
    char wanted[128];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(wanted, sizeof wanted, "%s:%d", names[i], s->port);
        if (strcasecmp(host, wanted) == 0) return true;
        if (s->port == 80 && strcasecmp(host, names[i]) == 0) return true;
    }
    return false;
}

static bool origin_fits(const headers *h)
{
    if (!h->origins) return true;
    size_t scheme = strlen("http://");
    return h->origins == 1 && strncasecmp(h->origin, "http://", scheme) == 0 &&
           strcasecmp(h->origin + scheme, h->host) == 0;
}

/* Without telling by its time how much of it was right. */
static bool same_token(const char *given, size_t size, const char *token)
{
    unsigned differs = strlen(token) != size;
    for (size_t i = 0; token[i]; i++) differs |= (unsigned)(token[i] ^ (i < size ? given[i] : 0));
    return !differs;
}

/* NAME=TOKEN among the cookies. */
static bool cookie_fits(const server *s, const char *cookies)
{
    char name[32];
    size_t size = (size_t)snprintf(name, sizeof name, "tfprof-%d=", s->port);
    for (const char *at = cookies; at && *at;) {
        at += strspn(at, "; ");
        size_t length = strcspn(at, ";");
        if (length > size && strncmp(at, name, size) == 0 && same_token(at + size, length - size, s->token))
            return true;
        at += length;
    }
    return false;
}

static bool token_fits(const server *s, const headers *h, const request *r)
{
    const char *given = request_value(r, "token");
    if (!*s->token || cookie_fits(s, h->cookie)) return true;
    if (given && same_token(given, strlen(given), s->token)) return true;
    return h->authorization && strncasecmp(h->authorization, "Bearer ", 7) == 0 &&
           same_token(h->authorization + 7, strlen(h->authorization + 7), s->token);
}

/* A page of another site may point here, but not ask. */
static bool site_fits(const headers *h)
{
    bool other = h->site && (strcmp(h->site, "cross-site") == 0 || strcmp(h->site, "same-site") == 0);
    return !other || (h->mode && strcmp(h->mode, "navigate") == 0);
}

/* 0, or the status with which it is refused; the text is in the answer then. */
static int refuse(const server *s, const char *method, const headers *h, const request *r, answer *a)
{
    int status = 0;
    const char *why = "";
    if (strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0)
        status = 405, why = "only GET and HEAD are answered";
    else if (h->hosts != 1 || !host_fits(s, h->host))
        status = h->hosts == 1 ? 421 : 400, why = "the Host header must name this server once, with its port";
    else if (h->lengths > 1 || (h->lengths && h->body))
        status = 413, why = "a request has no body here";
    else if (h->body)
        status = 413, why = "a request has no body here";
    else if (h->expect)
        status = 417, why = "nothing can be expected here";
    else if (!origin_fits(h) || !site_fits(h))
        status = 403, why = "requests from pages of other sites are not answered";
    else if (r->refused)
        status = 400, why = "too many or too long parameters, or one with a NUL inside";
    else if (!token_fits(s, h, r))
        status = 403, why = "open the page with the whole address that tfprof serve printed: it has a token";
    if (status) answer_error(a, status, "%s", why);
    return status;
}

/* ---- answers ---- */

const http_header http_always[] = {
    { "Content-Security-Policy",
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
      "font-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'" },
    { "X-Content-Type-Options", "nosniff" },
    { "X-Frame-Options", "DENY" },
    { "Referrer-Policy", "no-referrer" },
    { "Cross-Origin-Opener-Policy", "same-origin" },
    { "Cross-Origin-Resource-Policy", "same-origin" },
    { "Vary", "Accept-Encoding, Cookie, Authorization" },
    { 0 },
};

const char *http_reason(int status)
{
    static const struct {
        int status;
        const char *reason;
    } all[] = { { 400, "Bad Request" },       { 405, "Method Not Allowed" }, { 408, "Request Timeout" },
                { 413, "Content Too Large" }, { 414, "URI Too Long" },       { 417, "Expectation Failed" },
                { 431, "Headers Too Large" }, { 503, "Service Unavailable" } };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].status == status) return all[i].reason;
    return "No";
}

typedef struct body { /* of an answer, until it is sent */
    server *s;
    void *data;
    size_t size;
} body;

static void free_body(void *cls)
{
    body *b = cls;
    atomic_fetch_sub(&b->s->bodies, b->size);
    free(b->data);
    free(b);
}

/* gzip; false leaves the answer as it is. */
static bool pack(answer *a)
{
    z_stream z = { 0 };
    if (deflateInit2(&z, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) return false;
    uLong most = deflateBound(&z, (uLong)a->size);
    unsigned char *out = malloc(most);
    z.next_in = (unsigned char *)a->data;
    z.avail_in = (uInt)a->size;
    z.next_out = out;
    z.avail_out = (uInt)most;
    bool ok = out && a->size < UINT32_MAX && deflate(&z, Z_FINISH) == Z_STREAM_END && z.total_out < a->size;
    size_t size = z.total_out;
    deflateEnd(&z);
    if (!ok) {
        free(out);
        return false;
    }
    free(a->data);
    a->data = (char *)out;
    a->size = a->room = size;
    return a->packed = true;
}

/* A page's file for who cannot unpack it. */
static void unpack(answer *a)
{
    unsigned char part[16384];
    z_stream z = { .next_in = (unsigned char *)(uintptr_t)a->fixed, .avail_in = (uInt)a->size };
    int rc = inflateInit2(&z, 15 + 16);
    a->fixed = NULL;
    a->size = 0;
    a->packed = false;
    if (rc != Z_OK) {
        a->failed = true;
        return;
    }
    do {
        z.next_out = part;
        z.avail_out = sizeof part;
        rc = inflate(&z, Z_NO_FLUSH);
        answer_add(a, part, sizeof part - z.avail_out);
    } while (rc == Z_OK);
    a->failed |= rc != Z_STREAM_END;
    inflateEnd(&z);
}

/* Its bytes as they go out. */
static void prepare(answer *a, bool can_unpack)
{
    if (a->packed && !can_unpack) unpack(a);
    if (a->failed) return;
    const void *data = a->fixed ? a->fixed : a->data;
    snprintf(a->tag, sizeof a->tag, "\"%016llx%s\"", (unsigned long long)XXH3_64bits(data ? data : "", a->size),
             can_unpack ? "-gzip" : "");
    if (!a->fixed && a->size >= WORTH_PACKING && can_unpack) pack(a);
}

static struct MHD_Response *response_of(server *s, answer *a)
{
    body *b = calloc(1, sizeof *b);
    if (!b) return NULL;
    /* libmicrohttpd writes nothing into it */
    void *data = a->fixed ? (void *)(uintptr_t)a->fixed : a->data;
    *b = (body){ s, a->data, a->fixed ? 0 : a->size };
    atomic_fetch_add(&s->bodies, b->size);
    struct MHD_Response *m = s->mhd.MHD_create_response_from_buffer_with_free_callback_cls(a->size, data, free_body, b);
    if (!m) { free_body(b); }
    a->data = NULL;
    return m;
}

/* Takes its bytes into account; false: there is no room for them now. */
static bool has_room(server *s, const answer *a)
{
    size_t others = atomic_load(&s->bodies);
    return a->fixed || !others || others + a->size <= BODIES_MOST;
}

static void forget_body(answer *a, int status)
{
    answer_free(a);
    a->fixed = NULL;
    a->size = 0;
    a->packed = false;
    a->status = status;
    a->type = NULL;
}

static void add_headers(server *s, struct MHD_Response *m, const answer *a, bool set_cookie)
{
    char cookie[160], file[400];
    for (const http_header *h = http_always; h->name; h++) s->mhd.MHD_add_response_header(m, h->name, h->value);
    if (a->type) s->mhd.MHD_add_response_header(m, "Content-Type", a->type);
    s->mhd.MHD_add_response_header(m, "Cache-Control",
                                   a->immutable ? "private, max-age=31536000, immutable" : "private, no-cache");
    s->mhd.MHD_add_response_header(m, "Connection", "close");
    if (a->status == 200 || a->status == 304) s->mhd.MHD_add_response_header(m, "ETag", a->tag);
    if (a->packed) s->mhd.MHD_add_response_header(m, "Content-Encoding", "gzip");
    if (a->status == 405) s->mhd.MHD_add_response_header(m, "Allow", "GET, HEAD");
    if (a->status == 503 || a->status == 202) s->mhd.MHD_add_response_header(m, "Retry-After", "1");
    if (a->status == 303) s->mhd.MHD_add_response_header(m, "Location", "/");
    if (set_cookie) {
        snprintf(cookie, sizeof cookie, "tfprof-%d=%s; HttpOnly; SameSite=Strict; Path=/", s->port, s->token);
        s->mhd.MHD_add_response_header(m, "Set-Cookie", cookie);
    }
    if (a->file) {
        snprintf(file, sizeof file, "attachment; filename=\"%s\"", a->file);
        s->mhd.MHD_add_response_header(m, "Content-Disposition", file);
    }
}

static enum MHD_Result send_answer(server *s, struct MHD_Connection *c, const headers *h, answer *a, bool set_cookie)
{
    if (a->failed || !has_room(s, a))
        answer_error(a, 503, "%s",
                     a->failed ? "the answer is too long, or there is no memory for it"
                               : "too many answers are on their way: ask again");
    if (a->status == 200 && h->match && *a->tag && (strstr(h->match, a->tag) || strcmp(h->match, "*") == 0))
        forget_body(a, 304);
    struct MHD_Response *m = response_of(s, a);
    if (!m) return MHD_NO;
    add_headers(s, m, a, set_cookie);
    enum MHD_Result sent = s->mhd.MHD_queue_response(c, (unsigned)a->status, m);
    s->mhd.MHD_destroy_response(m);
    return sent;
}

/* ---- one request ---- */

static void read_headers(server *s, struct MHD_Connection *c, headers *h)
{
    *h = (headers){ 0 };
    s->mhd.MHD_get_connection_values_n(c, MHD_HEADER_KIND, take_header, h);
}

static enum MHD_Result answer_now(server *s, job *j, const headers *h, bool visit)
{
    if (!visit && !j->answer.failed && !*j->answer.tag) prepare(&j->answer, j->can_unpack);
    return send_answer(s, j->connection, h, &j->answer, visit);
}

/* What takes a while sleeps until it is done; all else is answered at once. */
static enum MHD_Result take_route(server *s, job *j, const headers *h)
{
    if (!routes_quick(j->request.path) || strcmp(j->request.path, "/api/v1/changes") == 0) {
        s->mhd.MHD_suspend_connection(j->connection);
        if (jobs_add(&s->jobs, j)) return MHD_YES;
        s->mhd.MHD_resume_connection(j->connection);
        answer_error(&j->answer, 503, "too many requests: ask again");
        j->done = true;
        return MHD_YES;
    }
    routes_answer(s->catalog, &j->request, &j->answer);
    return answer_now(s, j, h, false);
}

static enum MHD_Result begin(server *s, job *j, const char *method, const char *path, const headers *h)
{
    request *r = &j->request;
    r->path = path;
    connections_asks(s, j->connection);
    s->mhd.MHD_get_connection_values_n(j->connection, MHD_GET_ARGUMENT_KIND, take_parameter, r);
    j->can_unpack = h->encoding && strstr(h->encoding, "gzip");
    if (refuse(s, method, h, r, &j->answer)) return answer_now(s, j, h, false);
    if (!*s->token || !request_value(r, "token") || strcmp(path, "/") != 0) return take_route(s, j, h);
    j->answer.status = 303;
    j->answer.type = NULL;
    return answer_now(s, j, h, true);
}

/* Called when the headers are there, again when it is clear that there is no body, and again when a job is done. */
enum MHD_Result http_request(void *cls, struct MHD_Connection *c, const char *path, const char *method,
                             const char *version, const char *data, size_t *size, void **state)
{
    server *s = cls;
    headers h;
    job *j = *state;
    (void)version, (void)data;
    *size = 0;
    if (!j) {
        *state = j = calloc(1, sizeof *j);
        if (!j) return MHD_NO;
        j->connection = c;
        j->since_ms = http_now_ms();
        j->answer = (answer){ .status = 200, .type = "application/json" };
        return MHD_YES;
    }
    read_headers(s, c, &h);
    if (j->done) return answer_now(s, j, &h, false);
    if (j->asked) return MHD_YES; /* it sleeps */
    j->asked = true;
    return begin(s, j, method, path, &h);
}

/* ---- jobs ---- */

void http_work(void *ctx, job *j)
{
    server *s = ctx;
    j->answer = (answer){ .status = 200, .type = "application/json" };
    routes_answer(s->catalog, &j->request, &j->answer);
    if (j->answer.failed || !has_room(s, &j->answer)) return;
    prepare(&j->answer, j->can_unpack);
}

void http_wake(void *ctx, job *j)
{
    server *s = ctx;
    s->mhd.MHD_resume_connection(j->connection);
}

uint64_t http_version(void *ctx)
{
    server *s = ctx;
    return catalog_version(s->catalog);
}

int64_t http_now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* ---- the door ---- */

void http_let_in(void *ctx, int socket, const struct sockaddr *from, unsigned size)
{
    server *s = ctx;
    s->mhd.MHD_add_connection(s->daemon, socket, from, size); /* it closes the socket when it cannot take it */
}
