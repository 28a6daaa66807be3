// SPDX-License-Identifier: Apache-2.0
/* formats/graph/tfdevice.c: the meaning of TensorFlow's device names: which are devices and which streams, which are
 * CPUs and which accelerators, and what kind of time is recorded there. Names are in lower case. */
#include "formats/graph/tfdevice.h"

/* Matches: anything, a slash, "device:gpu", "gpu", "device:cpu" or "cpu", a colon and digits up to the end. The regular
 * expression that TensorFlow uses has a dot for "anything", which matches no newline and only complete UTF-8
 * characters. */
static bool is_canonical(tfp_str name)
{
    size_t end = name.size, at = end;
    while (at > 0 && name.data[at - 1] >= '0' && name.data[at - 1] <= '9') at--;
    if (at == end || at == 0 || name.data[at - 1] != ':') return false;
    tfp_str rest = { name.data, at - 1 };
    if (rest.size < 4) return false;
    tfp_str kind = { rest.data + rest.size - 3, 3 };
    if (!tfp_str_eq(kind, TFP_STR("cpu")) && !tfp_str_eq(kind, TFP_STR("gpu"))) return false;
    rest.size -= 3;
    if (rest.size >= 7 && memcmp(rest.data + rest.size - 7, "device:", 7) == 0) rest.size -= 7;
    return rest.size > 0 && rest.data[rest.size - 1] == '/' && !memchr(rest.data, '\n', rest.size) &&
           tfp_utf8_valid(rest);
}

tfp_tf_device tfp_tf_device_of(tfp_str name)
{
    tfp_tf_device d = { .canonical = is_canonical(name), .all_streams = tfp_str_has(name, TFP_STR("stream:all")) };
    if (tfp_str_has(name, TFP_STR("cpu"))) d.on |= TFP_NODE_ON_CPU;
    if (tfp_str_has(name, TFP_STR("gpu"))) d.on |= TFP_NODE_ON_ACCELERATOR;
    d.kind = d.all_streams ? TFP_LANE_ACCELERATOR : d.canonical ? TFP_LANE_CPU : TFP_LANE_OTHER;
    d.role = tfp_str_has(name, TFP_STR("stream")) ? TFP_ROLE_STREAM : TFP_ROLE_THREAD;
    return d;
}

static bool take(tfp_str *s, const char *word)
{
    size_t size = strlen(word);
    if (s->size < size || memcmp(s->data, word, size) != 0) return false;
    *s = (tfp_str){ s->data + size, s->size - size };
    return true;
}

/* Cuts off the part up to the next slash, or to the end. */
static tfp_str part(tfp_str *s)
{
    const char *slash = s->size ? memchr(s->data, '/', s->size) : NULL;
    tfp_str out = { s->data, slash ? (size_t)(slash - s->data) : s->size };
    *s = (tfp_str){ s->data + out.size, s->size - out.size };
    return out;
}

/* The parts of "/job:J/replica:R/task:T/device:gpu:0/stream:13"; false when the name is of another form. */
typedef struct name_parts {
    tfp_str job, replica, task, type, rest;
} name_parts;

static bool split(tfp_str s, name_parts *out)
{
    *out = (name_parts){ TFP_STR(""), TFP_STR(""), TFP_STR(""), TFP_STR(""), TFP_STR("") };
    if (take(&s, "/job:")) out->job = part(&s);
    if (take(&s, "/replica:")) out->replica = part(&s);
    if (take(&s, "/task:")) out->task = part(&s);
    if (!take(&s, "/device:") && !take(&s, "/")) return false;
    out->type = part(&s);
    out->rest = s.size ? (tfp_str){ s.data + 1, s.size - 1 } : s;
    return out->type.size > 0;
}

static void put_place(tfp_buf *b, const name_parts *n)
{
    if (n->job.size && !tfp_str_eq(n->job, TFP_STR("localhost"))) {
        tfp_buf_str(b, n->job);
        if (n->replica.size && !tfp_str_eq(n->replica, TFP_STR("0"))) {
            tfp_buf_char(b, '.');
            tfp_buf_str(b, n->replica);
        }
        tfp_buf_char(b, ':');
        tfp_buf_str(b, n->task.size ? n->task : TFP_STR("0"));
        tfp_buf_char(b, '/');
    }
    tfp_buf_str(b, n->type);
}

tfp_strid tfp_tf_place(tfp_builder *b, tfp_str name)
{
    name_parts n;
    tfp_buf text = { 0 };
    if (!split(name, &n)) return tfp_build_string(b, name);
    put_place(&text, &n);
    return tfp_build_composed(b, &text);
}

static tfp_run_use use_of(tfp_str name, const tfp_tf_device *d)
{
    name_parts n;
    if (d->canonical) return d->on & TFP_NODE_ON_ACCELERATOR ? TFP_USE_LAUNCH : TFP_USE_HOST;
    if (!split(name, &n)) return TFP_USE_NONE;
    if (tfp_str_eq(n.rest, TFP_STR("memcpy"))) return TFP_USE_MEMCPY;
    if (tfp_str_eq(n.rest, TFP_STR("stream:all"))) return TFP_USE_ALL;
    return take(&n.rest, "stream:") ? TFP_USE_STREAM : TFP_USE_NONE;
}

static tfp_lane lane_row(tfp_builder *b, tfp_str name, tfp_lane_kind kind)
{
    tfp_tf_device d = tfp_tf_device_of(name);
    tfp_lane row = { .name = tfp_build_string(b, name), .kind = kind, .role = d.role, .process = TFP_NONE };
    row.is_device = d.canonical;
    row.use = use_of(name, &d);
    row.place = tfp_tf_place(b, name);
    return row;
}

uint32_t tfp_tf_lane(tfp_builder *b, tfp_str name, tfp_lane_kind kind)
{
    tfp_strid id = tfp_build_string(b, name);
    uint32_t lane = tfp_build_find_lane(b, id);
    if (lane != TFP_NONE) return lane;
    tfp_lane row = lane_row(b, name, kind);
    return tfp_build_lane(b, &row, true);
}

uint32_t tfp_tf_twin_lane(tfp_builder *b, tfp_str name, tfp_lane_kind kind)
{
    tfp_lane row = lane_row(b, name, kind);
    return tfp_build_lane(b, &row, false);
}

/* Replaces "gpu:" and digits by "cpu:0", wherever they are. */
tfp_strid tfp_tf_host_of(tfp_builder *b, tfp_str name)
{
    tfp_buf host = { 0 };
    for (size_t i = 0; i < name.size;) {
        tfp_str rest = { name.data + i, name.size - i };
        size_t digits = 0;
        if (rest.size > 4 && memcmp(rest.data, "gpu:", 4) == 0)
            while (4 + digits < rest.size && rest.data[4 + digits] >= '0' && rest.data[4 + digits] <= '9') digits++;
        if (digits)
            tfp_buf_str(&host, TFP_STR("cpu:0"));
        else
            tfp_buf_char(&host, *rest.data);
        i += digits ? 4 + digits : 1;
    }
    return tfp_build_composed(b, &host);
}
