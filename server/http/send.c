// SPDX-License-Identifier: Apache-2.0
/* server/http/send.c: prepares answers for sending: headers, ETag, gzip, and the text of errors. */
#include "http.h"
#include "server_parts.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define BODIES_MOST ((size_t)96 << 20) /* limit for all answers that are being sent; a single one may exceed it */
#define WORTH_PACKING 1024

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
    } all[] = { { 400, "Bad Request" },        { 405, "Method Not Allowed" }, { 408, "Request Timeout" },
                { 413, "Content Too Large" },  { 414, "URI Too Long" },       { 421, "Misdirected Request" },
                { 429, "Too Many Requests" },  { 417, "Expectation Failed" }, { 431, "Headers Too Large" },
                { 503, "Service Unavailable" } };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].status == status) return all[i].reason;
    return "No";
}

typedef struct body { /* the state of an answer until it is sent */
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

/* Compresses the answer with gzip; false: the answer is unchanged. */
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

/* Unpacks a file of the page, for a client that does not accept gzip. */
static void unpack(answer *a)
{
    unsigned char part[16384];
    z_stream z = { .next_in = (unsigned char *)(uintptr_t)a->fixed, .avail_in = (uInt)a->size };
    int rc = inflateInit2(&z, 15 + 16);
    a->fixed = NULL;
    a->size = 0;
    a->packed = false;
    if (rc != Z_OK) {
        a->no_memory = true;
        return;
    }
    do {
        z.next_out = part;
        z.avail_out = sizeof part;
        rc = inflate(&z, Z_NO_FLUSH);
        answer_add(a, part, sizeof part - z.avail_out);
    } while (rc == Z_OK);
    a->no_memory |= rc != Z_STREAM_END;
    inflateEnd(&z);
}

void send_prepare(answer *a, bool can_unpack)
{
    if (answer_failed(a) || a->status != ANSWER_OK) return;
    if (a->packed && !can_unpack) unpack(a);
    const void *data = a->fixed ? a->fixed : a->data;
    snprintf(a->tag, sizeof a->tag, "\"%016llx%s\"", (unsigned long long)XXH3_64bits(data ? data : "", a->size),
             can_unpack ? "-gzip" : "");
    if (!a->fixed && a->size >= WORTH_PACKING && can_unpack) pack(a);
}

/* Makes the answer an error, as JSON. */
static void add_words(answer *a)
{
    char *error = a->error;
    a->error = NULL;
    json_open(a, NULL, '{');
    if (a->status == ANSWER_LOADING) {
        json_text(a, "state", "loading");
        json_real(a, "progress", a->progress);
    } else {
        json_text(a, "error", error ? error : "out of memory");
    }
    json_close(a, '}');
    free(error);
}

static struct MHD_Response *response_of(server *s, answer *a)
{
    body *b = calloc(1, sizeof *b);
    if (!b) return NULL;
    /* libmicrohttpd only reads it */
    void *data = a->fixed ? (void *)(uintptr_t)a->fixed : a->data;
    *b = (body){ s, a->data, a->fixed ? 0 : a->size };
    atomic_fetch_add(&s->bodies, b->size);
    struct MHD_Response *m = s->mhd.MHD_create_response_from_buffer_with_free_callback_cls(a->size, data, free_body, b);
    if (!m) { free_body(b); }
    a->data = NULL;
    return m;
}

bool send_has_room(server *s, const answer *a)
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
    if (a->status == ANSWER_OK || a->status == 304) s->mhd.MHD_add_response_header(m, "ETag", a->tag);
    if (a->packed) s->mhd.MHD_add_response_header(m, "Content-Encoding", "gzip");
    if (a->status == 405) s->mhd.MHD_add_response_header(m, "Allow", a->allow ? a->allow : "GET, HEAD");
    if (a->status == ANSWER_BUSY || a->status == ANSWER_LOADING) s->mhd.MHD_add_response_header(m, "Retry-After", "1");
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

enum MHD_Result send_answer(server *s, struct MHD_Connection *c, const char *match, answer *a, bool set_cookie)
{
    if (answer_failed(a))
        answer_error(a, a->too_long ? ANSWER_UNUSABLE : ANSWER_BUSY, "%s", answer_why(a));
    else if (!send_has_room(s, a))
        answer_error(a, ANSWER_BUSY, "too many answers are on their way: ask again");
    if (a->status == ANSWER_OK && match && *a->tag && (strstr(match, a->tag) || strcmp(match, "*") == 0))
        forget_body(a, 304);
    if (a->error || a->status == ANSWER_LOADING) add_words(a);
    struct MHD_Response *m = response_of(s, a);
    if (!m) return MHD_NO;
    add_headers(s, m, a, set_cookie);
    enum MHD_Result sent = s->mhd.MHD_queue_response(c, (unsigned)a->status, m);
    s->mhd.MHD_destroy_response(m);
    return sent;
}
