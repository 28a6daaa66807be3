// SPDX-License-Identifier: Apache-2.0
/* live/net/http2.c: frames of one gRPC call. Every length is checked against what is there; frames of other streams are passed over. */
#include "live/net/http2.h"

#include <stdio.h>

enum { DATA, HEADERS, PRIORITY, RST_STREAM, SETTINGS, PUSH_PROMISE, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION };
enum { END_STREAM = 1, ACK = 1, END_HEADERS = 4, PADDED = 8, WITH_PRIORITY = 32 };
#define BLOCK_MOST ((size_t)64 << 10)
/* limit of frames without data in excess of those with data: a server sends a few dozen */
#define IDLE_MOST 10000
#define OUT_MOST ((size_t)128 << 10) /* bytes that wait to be sent: a request, and answers to frames that ask for one */

/* ---- sending ---- */

static void put_frame(tfp_buf *b, int type, int flags, uint32_t stream, tfp_str payload)
{
    const char head[9] = {
        (char)(payload.size >> 16), (char)(payload.size >> 8), (char)payload.size,  (char)type,  (char)flags,
        (char)(stream >> 24),       (char)(stream >> 16),      (char)(stream >> 8), (char)stream
    };
    tfp_buf_add(b, head, sizeof head);
    tfp_buf_str(b, payload);
}

/* A header as a literal that no table stores; lengths below 127 take one byte. */
static void put_header(tfp_buf *b, const char *name, const char *value)
{
    const char *both[] = { name, value };
    tfp_buf_char(b, 0x10);
    for (size_t i = 0; i < 2; i++) {
        size_t size = strlen(both[i]);
        if (size < 127) {
            tfp_buf_char(b, (char)size);
        } else {
            tfp_buf_char(b, 127);
            for (size -= 127; size > 127; size >>= 7) tfp_buf_char(b, (char)(128 | (size & 127)));
            tfp_buf_char(b, (char)size);
        }
        tfp_buf_text(b, both[i]);
    }
}

void tfp_call_start(tfp_call *c, const char *authority, const char *path, tfp_str message, size_t body_most)
{
    /* no dynamic table, no push, windows and frames as big as possible, so that flow control never delays the answer */
    static const char settings[] = { 0, 1, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 4, 0x7f, -1, -1, -1, 0, 5, 0, -1, -1, -1 };
    static const char window[] = { 0x7f, -2, 0, 0 };
    tfp_buf headers = { 0 }, data = { 0 };
    *c = (tfp_call){ .body_most = body_most, .grpc_status = -1 };
    put_header(&headers, ":method", "POST");
    put_header(&headers, ":scheme", "http");
    put_header(&headers, ":path", path);
    put_header(&headers, ":authority", authority);
    put_header(&headers, "te", "trailers");
    put_header(&headers, "content-type", "application/grpc");
    put_header(&headers, "user-agent", "tfprof");
    const char prefix[5] = { 0, (char)(message.size >> 24), (char)(message.size >> 16), (char)(message.size >> 8),
                             (char)message.size };
    tfp_buf_add(&data, prefix, sizeof prefix);
    tfp_buf_str(&data, message);
    tfp_buf_text(&c->out, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
    put_frame(&c->out, SETTINGS, 0, 0, (tfp_str){ settings, sizeof settings });
    put_frame(&c->out, WINDOW_UPDATE, 0, 0, (tfp_str){ window, sizeof window });
    put_frame(&c->out, HEADERS, END_HEADERS, 1, (tfp_str){ headers.data, headers.size });
    put_frame(&c->out, DATA, END_STREAM, 1, (tfp_str){ data.data, data.size });
    c->out.failed |= headers.failed || data.failed;
    tfp_buf_free(&headers);
    tfp_buf_free(&data);
}

/* ---- receiving ---- */

static void set_message(tfp_call *c, tfp_str value)
{
    size_t n = 0;
    for (size_t i = 0; i < value.size && n < 300; i++) {
        unsigned x;
        char hex[3] = { 0 };
        if (value.data[i] == '%' && i + 2 < value.size) {
            memcpy(hex, value.data + i + 1, 2);
            if (sscanf(hex, "%2x", &x) == 1) {
                c->grpc_message[n++] = (char)(x ? x : ' ');
                i += 2;
                continue;
            }
        }
        c->grpc_message[n++] = value.data[i] ? value.data[i] : ' ';
    }
    c->grpc_message[n] = '\0';
}

static void take_header(void *ctx, tfp_str name, tfp_str value)
{
    tfp_call *c = ctx;
    int64_t n;
    if (tfp_str_eq(name, TFP_STR(":status")) && tfp_parse_int64(value, &n) && n >= 100 && n < 1000)
        c->http_status = (int)n;
    if (tfp_str_eq(name, TFP_STR("grpc-status")) && tfp_parse_int64(value, &n))
        c->grpc_status = n < 0 || n > 99 ? 2 : n;
    if (tfp_str_eq(name, TFP_STR("grpc-message"))) set_message(c, value);
}

/* The payload without padding and, of HEADERS, without its priority. */
static bool strip(const unsigned char *head, tfp_str *p)
{
    size_t padding = 0, skip = 0;
    if (head[4] & PADDED) {
        if (!p->size) return false;
        padding = (unsigned char)p->data[0];
        skip = 1;
    }
    if (head[3] == HEADERS && (head[4] & WITH_PRIORITY)) skip += 5;
    if (skip + padding > p->size) return false;
    *p = (tfp_str){ p->data + skip, p->size - skip - padding };
    return true;
}

static void end_block(tfp_call *c)
{
    c->open_block = false;
    if (!tfp_hpack_read((tfp_str){ c->block.data, c->block.size }, take_header, c))
        c->wrong = "headers that cannot be read";
    c->block.size = 0;
    if (c->block_ends) c->done = true;
}

static void take_block(tfp_call *c, const unsigned char *head, tfp_str p)
{
    if (c->block.size + p.size > BLOCK_MOST) {
        c->wrong = "headers of more than 64 KB";
        return;
    }
    tfp_buf_str(&c->block, p);
    c->open_block = true;
    if (head[4] & END_HEADERS) end_block(c);
}

/* The message's bytes after its prefix go to take(). */
static void pass_on(tfp_call *c, tfp_str p)
{
    enum { PREFIX = 5 };
    size_t n = c->body.size < PREFIX ? PREFIX - c->body.size : 0;
    if (n > p.size) n = p.size;
    tfp_buf_add(&c->body, p.data, n);
    p = (tfp_str){ p.data + n, p.size - n };
    if (c->body.size && c->body.data[0]) c->wrong = "a compressed message";
    if (!p.size || c->wrong) return;
    c->passed += p.size;
    c->take(c->take_ctx, p);
}

static void take_data(tfp_call *c, const unsigned char *head, tfp_str p)
{
    size_t room = c->body_most - c->body.size - (size_t)c->passed;
    if (p.size > room) {
        c->too_big = true;
        p.size = room;
    }
    if (c->take)
        pass_on(c, p);
    else
        tfp_buf_str(&c->body, p);
    if (head[4] & END_STREAM) c->done = true;
}

static void take_frame(tfp_call *c, const unsigned char *head, tfp_str p)
{
    uint32_t stream = (uint32_t)(head[5] & 127) << 24 | (uint32_t)head[6] << 16 | (uint32_t)head[7] << 8 | head[8];
    int type = head[3];
    if (type == DATA && p.size)
        c->idle -= c->idle > 0;
    else if (++c->idle > IDLE_MOST)
        c->wrong = "more than 10000 frames without data";
    if (c->out.size > OUT_MOST) c->wrong = "it asks for answers and does not read them";
    if (c->wrong) return;
    if (c->open_block && (type != CONTINUATION || stream != 1)) {
        c->wrong = "headers that are not continued";
        return;
    }
    if (type == SETTINGS && !(head[4] & ACK)) put_frame(&c->out, SETTINGS, ACK, 0, TFP_STR(""));
    if (type == PING && !(head[4] & ACK)) {
        if (p.size == 8)
            put_frame(&c->out, PING, ACK, 0, p);
        else
            c->wrong = "a PING that has not 8 bytes";
    }
    if (type == GOAWAY && !c->done) {
        uint32_t last = 0;
        for (size_t i = 0; i < 4 && i < p.size; i++) last = last << 8 | (unsigned char)p.data[i];
        if (p.size < 8 || !(last & INT32_MAX)) c->wrong = "the server closes the connection (GOAWAY)";
    }
    if (stream != 1) return;
    if (type == RST_STREAM) c->wrong = "the server cancelled the call (RST_STREAM)";
    if (type == PUSH_PROMISE) c->wrong = "an unrequested PUSH_PROMISE";
    if (type == CONTINUATION && !c->open_block) c->wrong = "a continuation of headers that were not begun";
    if (type == DATA || type == HEADERS) {
        if (!strip(head, &p)) {
            c->wrong = "padding longer than its frame";
        } else if (type == DATA) {
            take_data(c, head, p);
        } else {
            c->block_ends = head[4] & END_STREAM;
            take_block(c, head, p);
        }
    }
    if (type == CONTINUATION && !c->wrong) take_block(c, head, p);
}

void tfp_call_feed(tfp_call *c, const void *data, size_t size)
{
    size_t at = 0;
    tfp_buf_add(&c->in, data, size);
    while (!c->done && !c->wrong && !c->too_big && !c->in.failed && c->in.size - at >= 9) {
        const unsigned char *head = (const unsigned char *)c->in.data + at;
        size_t length = (size_t)head[0] << 16 | (size_t)head[1] << 8 | head[2];
        if (at == 0 && !c->http_status && c->in.size >= 5 && memcmp(head, "HTTP/", 5) == 0) {
            c->wrong = "an answer of HTTP/1";
            break;
        }
        if (c->in.size - at - 9 < length) break;
        take_frame(c, head, (tfp_str){ (const char *)head + 9, length });
        at += 9 + length;
    }
    if (at) {
        memmove(c->in.data, c->in.data + at, c->in.size - at);
        c->in.size -= at;
    }
}

bool tfp_call_message(tfp_call *c, tfp_str *out)
{
    const unsigned char *b = (const unsigned char *)c->body.data;
    *out = (tfp_str){ "", 0 };
    if (c->body.size < 5) {
        if (!c->wrong) c->wrong = "an answer without a message";
        return false;
    }
    size_t size = (size_t)b[1] << 24 | (size_t)b[2] << 16 | (size_t)b[3] << 8 | b[4];
    if (b[0]) {
        c->wrong = "a compressed message";
        return false;
    }
    if (c->passed || c->take) {
        if (size == c->passed || (c->too_big && size > c->passed)) return true;
        c->wrong = size > c->passed ? "a message that is cut short" : "more than one message";
        return false;
    }
    if (size > c->body.size - 5) {
        if (!c->too_big) {
            c->wrong = "a message that is cut short";
            return false;
        }
        size = c->body.size - 5;
    } else if (size < c->body.size - 5) {
        c->wrong = "more than one message";
        return false;
    }
    *out = (tfp_str){ c->body.data + 5, size };
    return true;
}

void tfp_call_free(tfp_call *c)
{
    tfp_buf_free(&c->out);
    tfp_buf_free(&c->in);
    tfp_buf_free(&c->block);
    tfp_buf_free(&c->body);
}
