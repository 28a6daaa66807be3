// SPDX-License-Identifier: Apache-2.0
/* live/net/http2.h: one unary gRPC call over HTTP/2 in plain text: bytes to send, bytes received, and at the end a status and a message.
 * Knows no socket. RFC 9113, RFC 7541, gRPC over HTTP/2. */
#ifndef TFP_LIVE_HTTP2_H
#define TFP_LIVE_HTTP2_H

#include "base/base.h"

typedef void (*tfp_header_fn)(void *ctx, tfp_str name, tfp_str value);
/* False: no header block, or one that refers to a dynamic table. */
bool tfp_hpack_read(tfp_str block, tfp_header_fn fn, void *ctx);

typedef struct tfp_call {
    tfp_buf out;   /* to be sent */
    tfp_buf in;    /* received, not yet a whole frame */
    tfp_buf block; /* a header block that continues in the next frame */
    tfp_buf body;  /* the message's prefix; without `take` also the message */
    size_t body_most;
    uint64_t passed; /* bytes of the message that were passed to take() */
    /* gets the message in pieces as it arrives; NULL: it is collected in body */
    void (*take)(void *ctx, tfp_str bytes);
    void *take_ctx;
    bool open_block, block_ends, done;
    size_t idle;         /* frames so far that brought no data, minus those that did */
    bool too_big;        /* the body exceeded its limit; the part within the limit is kept */
    int http_status;     /* 0: not told */
    int64_t grpc_status; /* -1: not told */
    char grpc_message[304];
    const char *wrong; /* the fault in HTTP/2 or gRPC; a literal */
} tfp_call;

/* path: "/package.Service/Method"; authority: host and port; message: the request, at most 32 KB. */
void tfp_call_start(tfp_call *c, const char *authority, const char *path, tfp_str message, size_t body_most);
/* Takes in received bytes. After `done`, `wrong` or `too_big` nothing more is expected. */
void tfp_call_feed(tfp_call *c, const void *data, size_t size);
/* The message; empty when take() received it. False: there is no message or not exactly one; if the status was 0, `wrong` says why. */
bool tfp_call_message(tfp_call *c, tfp_str *out);
void tfp_call_free(tfp_call *c);

/* ---- live/net/grpc.c: the profiler service of TensorFlow and JAX ---- */
#define TFP_PROFILER_SERVICE "/tensorflow.ProfilerService/"
#define TFP_PROFILE_METHOD TFP_PROFILER_SERVICE "Profile"
typedef struct tfp_profile_request {
    /* ms 0: until it is stopped; start_unix_ns 0: starts at once */
    int64_t ms, host_level, python_level, start_unix_ns;
} tfp_profile_request;
void tfp_profile_request_put(const tfp_profile_request *r, tfp_buf *out);
/* A protobuf message that arrives in pieces: its top-level fields, one after another, whatever they hold. Must begin
 * zeroed. */
typedef struct tfp_fields {
    uint64_t tag, number, left; /* of the current field: tag, number, and the bytes still to come */
    uint64_t at, whole;         /* at: bytes so far; whole: bytes up to the end of the last complete field */
    unsigned shift;
    enum { TFP_FIELD_TAG, TFP_FIELD_NUMBER, TFP_FIELD_SIZE, TFP_FIELD_BYTES } stage;
    bool wrong; /* the bytes are no message */
} tfp_fields;
/* Called for each piece of a field's bytes, and once for a numeric field, with bytes.data NULL. */
typedef void (*tfp_field_fn)(void *ctx, uint64_t field, tfp_str bytes, uint64_t number);
void tfp_fields_feed(tfp_fields *f, tfp_str bytes, tfp_field_fn fn, void *ctx);
/* Whether a message may end here. */
static inline bool tfp_fields_are_whole(const tfp_fields *f) { return !f->wrong && f->at == f->whole; }
/* fields of a response: a flag that nothing was recorded; the XSpace */
enum { TFP_RESPONSE_EMPTY = 7, TFP_RESPONSE_XSPACE = 8 };

#endif
