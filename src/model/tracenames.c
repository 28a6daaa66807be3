// SPDX-License-Identifier: Apache-2.0
/* model/tracenames.c: what the names of events say, whatever wrote them. */
#include "model/events.h"

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c; }

/* The words of `pattern` at `at`, in any case; '_' between them may be missing. */
static bool words_at(const char *at, const char *end, const char *pattern)
{
    for (; *pattern; pattern++) {
        if (at < end && lower(*at) == *pattern)
            at++;
        else if (*pattern != '_')
            return false;
    }
    return true;
}

bool tfp_is_collective_kernel(tfp_str name)
{
    static const char *const patterns[] = { "all_reduce", "all_gather", "reduce_scatter", "all_to_all" };
    if (tfp_str_begins(name, TFP_STR("nccl")) || tfp_str_begins(name, TFP_STR("rccl"))) return true;
    for (const char *at = name.data, *end = at + name.size; at < end; at++) {
        char c = lower(*at);
        if (c != 'a' && c != 'r') continue;
        for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
            if (c == patterns[i][0] && words_at(at, end, patterns[i])) return true;
    }
    return tfp_str_has(name, TFP_STR("cross_device_reduce"));
}

bool tfp_python_frame_of(tfp_str text, tfp_python_frame *out)
{
    for (size_t i = 0; i + 1 < text.size; i++) {
        int64_t line = 0;
        size_t at = i + 1;
        if (text.data[i] != '(') continue;
        while (at < text.size && text.data[at] >= '0' && text.data[at] <= '9' && line < INT32_MAX / 10)
            line = line * 10 + (text.data[at++] - '0');
        if (at == i + 1 || text.size - at < 3 || memcmp(text.data + at, "): ", 3) != 0) continue;
        *out = (tfp_python_frame){ { text.data, i }, { text.data + at + 3, text.size - at - 3 }, (int32_t)line };
        return i > 0;
    }
    return false;
}
