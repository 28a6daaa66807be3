// SPDX-License-Identifier: Apache-2.0
/* server/engine/reply.c: parses the answer of a server as it arrives: head, then a body of known length, in chunks, or up to the end of the
 * connection. Each byte is looked at once. */
#include "engine.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { DIGITS_MOST = 12, LINE_MOST = 8192 };

static void refuse(engine_reply *r, const char *why)
{
    if (!r->wrong) r->wrong = why;
}

static void add(engine_reply *r, const char *data, size_t size)
{
    if (!size) return;
    if (size > ENGINE_BODY_MOST - r->size) {
        refuse(r, "its answer is longer than 4 MB");
        return;
    }
    if (r->size + size >= r->room) {
        size_t room = 2 * (r->size + size) + 1;
        char *more = realloc(r->body, room);
        if (!more) {
            refuse(r, "out of memory");
            return;
        }
        r->body = more;
        r->room = room;
    }
    memcpy(r->body + r->size, data, size);
    r->size += size;
    r->body[r->size] = '\0';
}

/* The head is complete: how the body ends. */
static void begin_body(engine_reply *r)
{
    size_t size;
    r->status = http_status_of(r->head, r->head_size);
    if (r->status <= 0) {
        r->status = 0;
        refuse(r, "it does not answer in HTTP");
        return;
    }
    r->redirects = r->status >= 300 && r->status < 400;
    const char *coding = http_header_value(r->head, "Transfer-Encoding", &size);
    r->chunked = coding && size == 7 && strncasecmp(coding, "chunked", 7) == 0;
    const char *length = http_header_value(r->head, "Content-Length", &size);
    r->stage = r->chunked ? REPLY_SIZE : length ? REPLY_DATA : REPLY_REST;
    if (r->chunked || !length) return;
    if (!size || size > 15 || strspn(length, "0123456789") < size) {
        refuse(r, "the length of its answer is no number");
        return;
    }
    r->left = strtoull(length, NULL, 10);
    if (r->left > ENGINE_BODY_MOST) refuse(r, "its answer is longer than 4 MB");
    r->whole = !r->left && !r->wrong;
}

static void take_head(engine_reply *r, char c)
{
    if (r->head_size == GATE_HEAD) {
        refuse(r, "the head of its answer is longer than 16 KB");
        return;
    }
    r->head[r->head_size++] = c;
    r->head[r->head_size] = '\0';
    if (r->head_size < 9 && http_status_of(r->head, r->head_size) < 0) refuse(r, "it does not answer in HTTP");
    if (c == '\n' && r->head_size >= 4 && memcmp(r->head + r->head_size - 4, "\r\n\r\n", 4) == 0) begin_body(r);
}

static void take_size(engine_reply *r, char c)
{
    static const char digits[] = "0123456789abcdef";
    const char *at = c ? strchr(digits, tolower((unsigned char)c)) : NULL;
    if (at) {
        if (++r->digits > DIGITS_MOST) refuse(r, "it does not answer in HTTP");
        r->left = r->left << 4 | (uint64_t)(at - digits);
    } else if (!r->digits || (c != '\r' && c != '\n' && c != ';' && c != ' ')) {
        refuse(r, "it does not answer in HTTP");
    } else {
        r->stage = REPLY_EXTENSION;
        r->line = 0;
    }
}

/* The rest of a chunk's first line; c: its next byte. */
static void take_extension(engine_reply *r, char c)
{
    if (c != '\n') {
        if (++r->line > LINE_MOST) refuse(r, "it does not answer in HTTP");
        return;
    }
    r->stage = r->left ? REPLY_DATA : REPLY_TRAILER;
    r->line = 0;
    r->digits = 0;
}

/* Lines after the last chunk, up to an empty one. digits: bytes of the present line. */
static void take_trailer(engine_reply *r, char c)
{
    if (++r->line > LINE_MOST) refuse(r, "it does not answer in HTTP");
    if (c == '\n') r->whole = !r->digits && !r->wrong;
    r->digits = c == '\n' ? 0 : r->digits + (c != '\r');
}

static void take(engine_reply *r, char c)
{
    switch (r->stage) {
    case REPLY_HEAD: take_head(r, c); break;
    case REPLY_SIZE:
        take_size(r, c);
        if (c == '\n' && r->stage == REPLY_EXTENSION) take_extension(r, c);
        break;
    case REPLY_EXTENSION: take_extension(r, c); break;
    case REPLY_AFTER: /* the line end behind a chunk */
        if (c == '\n')
            r->stage = REPLY_SIZE, r->left = 0, r->digits = 0;
        else if (c != '\r')
            refuse(r, "it does not answer in HTTP");
        break;
    default: take_trailer(r, c);
    }
}

void engine_reply_feed(engine_reply *r, const char *data, size_t size)
{
    while (size && !r->whole && !r->wrong) {
        if (r->stage != REPLY_DATA && r->stage != REPLY_REST) {
            take(r, *data++);
            size--;
            continue;
        }
        size_t n = r->stage == REPLY_DATA && r->left < size ? (size_t)r->left : size;
        add(r, data, n);
        data += n;
        size -= n;
        if (r->stage == REPLY_REST) continue;
        r->left -= n;
        if (!r->left && r->chunked) r->stage = REPLY_AFTER;
        r->whole = !r->left && !r->chunked && !r->wrong;
    }
}

void engine_reply_end(engine_reply *r)
{
    if (r->whole || r->wrong) return;
    if (r->stage == REPLY_REST)
        r->whole = true;
    else
        refuse(r, r->status ? "its answer ended too early" : "it ended the connection without an answer");
}

void engine_reply_free(engine_reply *r)
{
    free(r->body);
    *r = (engine_reply){ 0 };
}
