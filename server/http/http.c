// SPDX-License-Identifier: Apache-2.0
/* server/http/http.c: checks every request first: method, Host, Origin, length, token. Only requests that may be answered
 * reach a route. */
#include "http/clock.h"
#include "server_parts.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- parameters ---- */

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
    const char *host, *origin, *cookie, *authorization, *encoding, *match, *site, *mode, *dest;
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
    if (is(name, name_size, "Sec-Fetch-Dest")) h->dest = value;
    if (is(name, name_size, "Expect")) h->expect = true;
    if (is(name, name_size, "Transfer-Encoding")) h->body = true;
    if (is(name, name_size, "Content-Length")) {
        h->lengths++;
        if (strcmp(value, "0") != 0) h->body = true;
    }
    return MHD_YES;
}

/* Whether "NAME:PORT" is this server: localhost, the loopback addresses, and the address given with --host. */
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

/* Whether the cookies contain NAME=TOKEN. */
static bool cookie_fits(const server *s, const char *cookies)
{
    char name[32];
    size_t size = (size_t)snprintf(name, sizeof name, "tfprof-%d=", s->port);
    for (const char *at = cookies; at && *at;) {
        at += strspn(at, "; ");
        size_t length = strcspn(at, ";");
        if (length > size && strncmp(at, name, size) == 0 && gate_same_token(at + size, length - size, s->token))
            return true;
        at += length;
    }
    return false;
}

static bool bearer_fits(const headers *h, const char *token)
{
    return *token && h->authorization && strncasecmp(h->authorization, "Bearer ", 7) == 0 &&
           gate_same_token(h->authorization + 7, strlen(h->authorization + 7), token);
}

static bool token_fits(const server *s, const headers *h, const request *r)
{
    const char *given = request_value(r, "token");
    if (!*s->token || cookie_fits(s, h->cookie)) return true;
    if (given && gate_same_token(given, strlen(given), s->token)) return true;
    return bearer_fits(h, s->token);
}

/* Whether a request may change something: it needs a token in a header. Cookies are not enough, because browsers send them
 * even when another site's form or link made the request. The page has a separate token for this, because scripts cannot read
 * the cookie. */
static bool may_change(const server *s, const headers *h)
{
    return (bearer_fits(h, s->token) || bearer_fits(h, live_token(s->live))) &&
           (!h->site || strcmp(h->site, "same-origin") == 0);
}

/* Whether the request may come from that site: another site's page may link here, but not fetch. */
static bool site_fits(const headers *h)
{
    bool other = h->site && (strcmp(h->site, "cross-site") == 0 || strcmp(h->site, "same-site") == 0);
    return !other || (h->mode && strcmp(h->mode, "navigate") == 0);
}

/* Whether the page is inside another page's frame, which is not allowed; a redirect could not carry the header that
 * forbids it. */
static bool is_framed(const headers *h)
{
    return h->dest && routes_list_has("iframe frame fencedframe embed object", h->dest);
}

/* Returns 0, or the status of the refusal, with its text in the answer. */
static int refuse(const server *s, const char *method, const headers *h, const request *r, answer *a)
{
    int status = 0;
    const char *why = "";
    bool get = strcmp(method, "GET") == 0 || strcmp(method, "HEAD") == 0, post = s->live && strcmp(method, "POST") == 0;
    bool changes = s->live && routes_changes(r->path);
    if (!get && !post)
        status = 405, why = "only GET and HEAD are answered";
    else if (post != changes)
        status = 405, why = changes ? "this path is for POST" : "only GET and HEAD are answered here";
    else if (h->hosts != 1 || !host_fits(s, h->host))
        status = h->hosts == 1 ? 421 : 400, why = "the Host header must name this server once, with its port";
    else if (h->lengths > 1 || (h->lengths && h->body))
        status = 413, why = "a request must have no body";
    else if (h->body)
        status = 413, why = "a request must have no body";
    else if (h->expect)
        status = 417, why = "the header Expect is not supported";
    else if (!origin_fits(h) || !site_fits(h))
        status = 403, why = "requests from pages of other sites are not answered";
    else if (is_framed(h))
        status = 403, why = "no page of this server may be shown inside another one";
    else if (r->refused)
        status = 400, why = "too many or too long parameters, or one with a NUL inside";
    else if (!token_fits(s, h, r))
        status = 403, why = "open the page with the whole address that tfprof serve printed: it has a token";
    else if (changes && !may_change(s, h))
        status = 403,
        why = "it needs the header 'Authorization: Bearer TOKEN', from a page of this server or from a program";
    if (status) answer_error(a, status, "%s", why);
    if (changes) a->allow = "POST";
    return status;
}

/* ---- one request ---- */

static void read_headers(server *s, struct MHD_Connection *c, headers *h)
{
    *h = (headers){ 0 };
    s->mhd.MHD_get_connection_values_n(c, MHD_HEADER_KIND, take_header, h);
}

static enum MHD_Result answer_now(server *s, job *j, const headers *h, bool visit)
{
    if (!*j->answer.tag) send_prepare(&j->answer, j->can_unpack);
    return send_answer(s, j->connection, h->match, &j->answer, visit);
}

/* Finds the id of the profile that a request is about, in its path or its parameters; "": none. */
static void find_subject(const request *r, char *out, size_t room)
{
    static const char start[] = "/api/v1/profiles/", running[] = "/api/v1/live/";
    bool path = strncmp(r->path, start, sizeof start - 1) == 0;
    const char *id = path ? r->path + sizeof start - 1 : request_value(r, "profile");
    if (!id) id = request_value(r, "side");
    if (strncmp(r->path, running, sizeof running - 1) == 0) id = "live"; /* running jobs have a share of threads too */
    snprintf(out, room, "%.*s", id ? (int)strcspn(id, "/@") : 0, id ? id : "");
}

/* Answers quick requests at once; otherwise the connection is suspended until a job is done. */
static enum MHD_Result take_route(server *s, job *j, const headers *h)
{
    if (!routes_quick(j->request.path) || strcmp(j->request.path, "/api/v1/changes") == 0) {
        find_subject(&j->request, j->about, sizeof j->about);
        s->mhd.MHD_suspend_connection(j->connection);
        if (jobs_add(&s->jobs, j)) return MHD_YES;
        s->mhd.MHD_resume_connection(j->connection);
        answer_error(&j->answer, ANSWER_BUSY, "too many requests: ask again");
        j->done = true;
        return MHD_YES;
    }
    question q = { .catalog = s->catalog, .live = s->live, .request = &j->request, .reporting = &s->reporting };
    routes_answer(&q, &j->answer);
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
        j->since_ms = now_ms();
        j->answer = (answer){ .status = ANSWER_OK, .type = "application/json" };
        return MHD_YES;
    }
    read_headers(s, c, &h);
    if (j->done) return answer_now(s, j, &h, false);
    if (j->asked) return MHD_YES; /* the connection is suspended */
    j->asked = true;
    return begin(s, j, method, path, &h);
}

/* ---- jobs ---- */

void http_work(void *ctx, job *j)
{
    server *s = ctx;
    question q = { .catalog = s->catalog, .live = s->live, .request = &j->request, .reporting = &s->reporting };
    j->answer = (answer){ .status = ANSWER_OK, .type = "application/json" };
    routes_answer(&q, &j->answer);
    if (send_has_room(s, &j->answer)) send_prepare(&j->answer, j->can_unpack);
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

/* ---- connections ---- */

void http_let_in(void *ctx, int socket, const struct sockaddr *from, unsigned size)
{
    server *s = ctx;
    s->mhd.MHD_add_connection(s->daemon, socket, from, size); /* libmicrohttpd closes the socket if it cannot take it */
}
