// SPDX-License-Identifier: Apache-2.0
/* formats/xplane/names.c: the meaning of the names of planes, lines and kernels. Names of planes and lines:
 * tsl/profiler/utils/xplane_schema.cc. */
#include "formats/xplane/parts.h"
#include "model/span_names.h"

#include <stdio.h>

/* ---- ids ---- */

bool tfp_xids_put(tfp_xids *x, uint64_t id, uint32_t row)
{
    size_t size = x->near.size;
    if (id >= TFP_XIDS_NEAR) return tfp_map64_put(&x->far, id, row);
    if (id >= size) {
        if (!tfp_reserve(&x->near, (size_t)id + 1)) return false;
        memset(x->near.at + size, 0xff, ((size_t)id + 1 - size) * sizeof *x->near.at); /* TFP_NONE */
        x->near.size = (size_t)id + 1;
    }
    x->near.at[id] = row;
    return true;
}

void tfp_xids_free(tfp_xids *x)
{
    tfp_vec_free(&x->near);
    tfp_map64_free(&x->far);
}

/* ---- planes and lines ---- */

/* Parses the digits at the end of "/device:GPU:3"; false when the end is something else. */
static bool number_behind(tfp_str name, const char *prefix, unsigned *out)
{
    size_t at = strlen(prefix);
    *out = 0;
    if (!tfp_str_begins(name, tfp_str_of(prefix)) || at == name.size || name.size - at > 6) return false;
    for (; at < name.size; at++) {
        if (name.data[at] < '0' || name.data[at] > '9') return false;
        *out = *out * 10 + (unsigned)(name.data[at] - '0');
    }
    return true;
}

tfp_xplane_kind tfp_xplane_kind_of(tfp_str name, char *device, size_t room)
{
    unsigned number;
    device[0] = '\0';
    if (number_behind(name, "/device:GPU:", &number)) {
        snprintf(device, room, "gpu:%u", number);
        return XP_GPU;
    }
    if (number_behind(name, "/device:TPU:", &number)) {
        snprintf(device, room, "tpu:%u", number);
        return XP_TPU;
    }
    if (tfp_str_eq(name, TFP_STR("/host:CPU")) || tfp_str_eq(name, TFP_STR("/host:CUPTI")) ||
        tfp_str_eq(name, TFP_STR("/host:ROCTRACER")))
        return XP_HOST;
    if (tfp_str_eq(name, TFP_STR("/host:metadata"))) return XP_METADATA;
    if (tfp_str_eq(name, TFP_STR("Task Environment"))) return XP_ENVIRONMENT;
    return tfp_str_begins(name, TFP_STR("/host:")) ? XP_HOST_OTHER : XP_OTHER;
}

/* Lines that post-processing derived from other lines have ids from here on. */
#define DERIVED_FIRST INT64_C(0xDEADBEEF)
#define DERIVED_LAST (DERIVED_FIRST + 63)

/* Whether the line has only copies: "Stream #8(MemcpyOther)", as ROCm names it when it knows no direction; "Stream
 * #20(Kernel,MemcpyD2H)" has kernels too. */
static bool has_copies_only(tfp_str line)
{
    const char *open = line.size ? memchr(line.data, '(', line.size) : NULL;
    if (!open) return false;
    tfp_str kinds = { open, (size_t)(line.data + line.size - open) };
    while (kinds.size) { /* at the beginning of a kind */
        kinds = (tfp_str){ kinds.data + 1, kinds.size - 1 };
        if (!tfp_str_begins(kinds, TFP_STR("Memcpy"))) return false;
        const char *comma = memchr(kinds.data, ',', kinds.size);
        kinds = comma ? (tfp_str){ comma, (size_t)(kinds.data + kinds.size - comma) } : TFP_STR("");
    }
    return true;
}

tfp_xline_kind tfp_xplane_line_kind(tfp_xplane_kind plane, int64_t id, tfp_str name)
{
    bool derived = id >= DERIVED_FIRST && id <= DERIVED_LAST;
    if (plane == XP_HOST) return XL_HOST;
    if (plane != XP_GPU && plane != XP_TPU) return XL_SHOWN;
    if (tfp_str_eq(name, TFP_STR("XLA Modules"))) return XL_MODULES;
    if (derived) return XL_SHOWN;
    if (plane == XP_GPU && tfp_str_begins(name, TFP_STR("Stream #")))
        return has_copies_only(name) ? XL_COPIES : XL_STREAM;
    if (plane == XP_GPU) return XL_SHOWN;
    if (tfp_str_eq(name, TFP_STR("XLA Ops"))) return XL_OPS;
    return tfp_str_eq(name, TFP_STR("Async XLA Ops")) ? XL_ASYNC : XL_SHOWN;
}

tfp_str tfp_xplane_module_name(tfp_str run)
{
    size_t at = run.size;
    if (!at || run.data[at - 1] != ')') return run;
    for (at--; at > 0 && run.data[at - 1] >= '0' && run.data[at - 1] <= '9';) at--;
    if (at < 2 || at == run.size - 1 || run.data[at - 1] != '(') return run;
    return (tfp_str){ run.data, at - 1 };
}

/* ---- classes of kernels ---- */

/* Whether the name is `base`, then -start, -done or nothing, then any suffix after a dot, an underscore or a hyphen. */
static bool is_instruction(tfp_str name, const char *base)
{
    size_t n = strlen(base);
    return tfp_str_begins(name, tfp_str_of(base)) && (name.size == n || memchr("._-", name.data[n], 3));
}

static bool is_collective_instruction(tfp_str name)
{
    static const char *const bases[] = {
        "all-reduce",         "all-gather",           "reduce-scatter", "all-to-all", "ragged-all-to-all",
        "collective-permute", "collective-broadcast", "send",           "recv"
    };
    for (size_t i = 0; i < sizeof bases / sizeof *bases; i++)
        if (is_instruction(name, bases[i])) return true;
    return false;
}

tfp_span_class tfp_xplane_class_of(tfp_xline_kind line, tfp_str name, tfp_str instruction)
{
    bool stream = tfp_xline_is_stream(line);
    if (stream && (tfp_str_begins(name, TFP_STR("Memset")) || tfp_str_begins(name, TFP_STR("memset"))))
        return TFP_CLASS_SET;
    if (line == XL_COPIES) return TFP_CLASS_COPY;
    if (stream && (tfp_str_begins(name, TFP_STR("Memcpy")) || tfp_str_begins(name, TFP_STR("memcpy"))))
        return TFP_CLASS_COPY;
    if (tfp_is_collective_kernel(name) || is_collective_instruction(instruction)) return TFP_CLASS_COMMUNICATION;
    if (line == XL_ASYNC) return TFP_CLASS_COPY;
    if (line == XL_OPS && (is_instruction(instruction, "copy-start") || is_instruction(instruction, "copy-done") ||
                           is_instruction(instruction, "infeed") || is_instruction(instruction, "outfeed")))
        return TFP_CLASS_COPY;
    return TFP_CLASS_COMPUTE;
}
