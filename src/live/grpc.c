// SPDX-License-Identifier: Apache-2.0
/* live/grpc.c: the messages of tensorflow.ProfilerService: tsl/profiler/protobuf/profiler_service.proto, profiler_options.proto. */
#include "live/http2.h"
#include "wire/proto.h"

void tfp_profile_request_put(const tfp_profile_request *r, tfp_buf *out)
{
    tfp_put_int(out, 1, r->ms); /* duration_ms */
    size_t options = tfp_put_open(out, 4);
    tfp_put_int_always(out, 2, r->host_level);
    tfp_put_int_always(out, 3, 1); /* device_tracer_level */
    tfp_put_int_always(out, 4, r->python_level);
    tfp_put_int(out, 5, 1); /* version: the levels are meant */
    tfp_put_int(out, 7, 1); /* enable_hlo_proto */
    tfp_put_int(out, 8, r->start_unix_ns);
    tfp_put_int(out, 9, r->ms); /* duration_ms: the one that servers obey */
    tfp_put_close(out, options);
    tfp_put_bytes(out, 6, TFP_STR("tfprof"));    /* session_id */
    tfp_put_bytes(out, 7, TFP_STR("localhost")); /* host_name */
    tfp_put_int(out, 9, 1);                      /* emit_xspace */
}

/* A field's tag and length; false at the end, or where no field can be. */
static bool next_field(tfp_str in, size_t *at, uint64_t *tag, uint64_t *value, size_t *size)
{
    uint64_t *const numbers[] = { tag, value };
    *tag = *value = 0;
    for (size_t i = 0; i < 2; i++) {
        unsigned shift = 0;
        bool more = true;
        if (i && (*tag & 7) != 0 && (*tag & 7) != 2) break;
        for (; more && *at < in.size && shift < 64; shift += 7) {
            unsigned char c = (unsigned char)in.data[(*at)++];
            *numbers[i] |= (uint64_t)(c & 127) << shift;
            more = c & 128;
        }
        if (more) return false;
    }
    *size = 0;
    if ((*tag & 7) == 2) *size = *value > SIZE_MAX / 2 ? SIZE_MAX / 2 : (size_t)*value;
    if ((*tag & 7) == 1) *size = 8;
    if ((*tag & 7) == 5) *size = 4;
    return *tag >> 3 && (*tag & 7) != 3 && (*tag & 7) != 4 && (*tag & 7) < 6;
}

/* The last field of a response that passed the limit is cut: its bytes so far are given. */
bool tfp_profile_response(tfp_str message, tfp_str *xspace, bool *empty)
{
    size_t at = 0, size;
    uint64_t tag, value;
    bool found = false;
    *empty = false;
    *xspace = (tfp_str){ "", 0 };
    while (at < message.size && next_field(message, &at, &tag, &value, &size)) {
        size_t there = size < message.size - at ? size : message.size - at;
        if (tag == (7 << 3)) *empty = value != 0;
        if (tag == (8 << 3 | 2)) {
            *xspace = (tfp_str){ message.data + at, there };
            found = true;
        }
        at += there;
    }
    return found;
}

size_t tfp_xspace_whole(tfp_str cut)
{
    size_t at = 0, whole = 0, size;
    uint64_t tag = 0, value = 0;
    while (at < cut.size && next_field(cut, &at, &tag, &value, &size) && size <= cut.size - at) whole = at += size;
    return whole;
}
