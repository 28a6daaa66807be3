/* formats/tfdevice.c: what the names of TensorFlow's devices mean: which are devices and which are streams, which are
 * CPUs and which accelerators, and what the times recorded there count as. Names are in lower case. */
#include "formats/tfdevice.h"

/* Anything, a slash, "device:gpu", "gpu", "device:cpu" or "cpu", a colon and digits, and nothing behind them. The regex
 * that TensorFlow uses has a dot for "anything": no newline, and only whole UTF-8 characters. */
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

static tfp_lane lane_row(tfp_strid id, tfp_str name, tfp_lane_kind kind)
{
    tfp_tf_device d = tfp_tf_device_of(name);
    return (tfp_lane){ .name = id, .kind = kind, .role = d.role, .is_device = d.canonical, .process = TFP_NONE };
}

uint32_t tfp_tf_lane(tfp_builder *b, tfp_str name, tfp_lane_kind kind)
{
    tfp_strid id = tfp_build_string(b, name);
    uint32_t lane = tfp_build_find_lane(b, id);
    if (lane != TFP_NONE) return lane;
    tfp_lane row = lane_row(id, name, kind);
    return tfp_build_lane(b, &row, true);
}

uint32_t tfp_tf_twin_lane(tfp_builder *b, tfp_str name, tfp_lane_kind kind)
{
    tfp_lane row = lane_row(tfp_build_string(b, name), name, kind);
    return tfp_build_lane(b, &row, false);
}

/* "gpu:" and digits become "cpu:0", wherever they stand. */
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
    if (host.failed && !b->status) b->status = TFP_NOMEM;
    tfp_strid id = host.failed ? 0 : tfp_build_string(b, (tfp_str){ host.data, host.size });
    tfp_buf_free(&host);
    return id;
}
