// SPDX-License-Identifier: Apache-2.0
/* live/net/grpc.c: the messages of tensorflow.ProfilerService: tsl/profiler/protobuf/profiler_service.proto, profiler_options.proto. */
#include "live/net/http2.h"
#include "wire/proto.h"

void tfp_profile_request_put(const tfp_profile_request *r, tfp_buf *out)
{
    tfp_put_int(out, 1, r->ms); /* duration_ms */
    size_t options = tfp_put_open(out, 4);
    tfp_put_int_always(out, 2, r->host_level);
    tfp_put_int_always(out, 3, 1); /* device_tracer_level */
    tfp_put_int_always(out, 4, r->python_level);
    tfp_put_int(out, 5, 1); /* version: makes the server obey the levels */
    tfp_put_int(out, 7, 1); /* enable_hlo_proto */
    tfp_put_int(out, 8, r->start_unix_ns);
    tfp_put_int(out, 9, r->ms); /* duration_ms: the field that servers obey */
    tfp_put_close(out, options);
    tfp_put_bytes(out, 6, TFP_STR("tfprof"));    /* session_id */
    tfp_put_bytes(out, 7, TFP_STR("localhost")); /* host_name */
    tfp_put_int(out, 9, 1);                      /* emit_xspace */
}

/* ---- fields ---- */

static void end_field(tfp_fields *f)
{
    f->stage = TFP_FIELD_TAG;
    f->tag = f->number = 0;
    f->shift = 0;
    f->whole = f->at;
}

/* The tag of a field is complete: prepares for what follows. */
static void begin_field(tfp_fields *f)
{
    static const unsigned char bytes[] = { 0, 8, 0, 0, 0, 4 };
    unsigned wire = f->tag & 7;
    f->shift = 0;
    f->number = 0;
    if (!(f->tag >> 3) || f->tag >> 32 || wire == 3 || wire == 4 || wire > 5) {
        f->wrong = true;
    } else if (wire == 0 || wire == 2) {
        f->stage = wire == 0 ? TFP_FIELD_NUMBER : TFP_FIELD_SIZE;
    } else {
        f->left = bytes[wire];
        f->stage = TFP_FIELD_BYTES;
    }
}

/* Adds one byte of a varint, which has seven bits per byte; returns whether it was the last one. */
static bool add_byte(tfp_fields *f, uint64_t *to, unsigned char c)
{
    if (f->shift > 63) f->wrong = true;
    if (!f->wrong) *to |= (uint64_t)(c & 127) << f->shift;
    f->shift += 7;
    f->at++;
    return !(c & 128);
}

void tfp_fields_feed(tfp_fields *f, tfp_str bytes, tfp_field_fn fn, void *ctx)
{
    for (size_t i = 0; i < bytes.size && !f->wrong;) {
        unsigned char c = (unsigned char)bytes.data[i];
        if (f->stage == TFP_FIELD_BYTES) {
            size_t n = bytes.size - i < f->left ? bytes.size - i : (size_t)f->left;
            if (fn) fn(ctx, f->tag >> 3, (tfp_str){ bytes.data + i, n }, 0);
            f->left -= n;
            f->at += n;
            i += n;
            if (!f->left) end_field(f);
            continue;
        }
        i++;
        if (f->stage == TFP_FIELD_TAG) {
            if (add_byte(f, &f->tag, c)) begin_field(f);
        } else if (add_byte(f, &f->number, c) && !f->wrong) {
            bool is_number = f->stage == TFP_FIELD_NUMBER;
            if (fn && (is_number || !f->number)) fn(ctx, f->tag >> 3, (tfp_str){ is_number ? NULL : "", 0 }, f->number);
            f->left = f->number;
            if (is_number || !f->left)
                end_field(f);
            else
                f->stage = TFP_FIELD_BYTES;
        }
    }
}
