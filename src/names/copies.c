// SPDX-License-Identifier: Apache-2.0
/* names/copies.c: the direction of a copy, its names, and how each recorder writes it. */
#include "names/copies.h"

#define COPY "Memcpy "
#define ARROW "\xe2\x86\x92"

/* clang-format off */
static const struct {
    const char *copy, *arrow, *spellings[6]; /* spellings in lower case */
} directions[TFP_DIRECTIONS] = {
    [TFP_UNKNOWN_DIRECTION] = { COPY "unknown", NULL, { NULL } },
    [TFP_HTOD] = { COPY "HtoD", "host" ARROW "device", { "htod", "h2d", "hosttodevice", "m2d", "host_to_device" } },
    [TFP_DTOH] = { COPY "DtoH", "device" ARROW "host", { "dtoh", "d2h", "devicetohost", "d2m", "device_to_host" } },
    [TFP_HTOA] = { COPY "HtoA", NULL, { NULL } },
    [TFP_ATOH] = { COPY "AtoH", NULL, { NULL } },
    [TFP_ATOA] = { COPY "AtoA", NULL, { NULL } },
    [TFP_ATOD] = { COPY "AtoD", NULL, { NULL } },
    [TFP_DTOA] = { COPY "DtoA", NULL, { NULL } },
    [TFP_DTOD] = { COPY "DtoD", "device" ARROW "device", { "dtod", "d2d", "devicetodevice", "device_to_device" } },
    [TFP_HTOH] = { COPY "HtoH", "host" ARROW "host", { "htoh", "h2h", "hosttohost", "m2m", "host_to_host" } },
    [TFP_PTOP] = { COPY "PtoP", "peer" ARROW "peer", { "ptop", "p2p", "peertopeer" } },
};
/* clang-format on */

tfp_direction tfp_direction_of(tfp_str text)
{
    static const uint8_t order[] = { TFP_HTOD, TFP_DTOH, TFP_PTOP, TFP_DTOD, TFP_HTOH };
    for (size_t i = 0; i < sizeof order; i++)
        for (const char *const *word = directions[order[i]].spellings; *word; word++)
            if (tfp_str_has_caseless(text, tfp_str_of(*word))) return order[i];
    return TFP_UNKNOWN_DIRECTION;
}

tfp_direction tfp_direction_at_start(tfp_str text)
{
    for (int d = 0; d < TFP_DIRECTIONS; d++)
        if (directions[d].arrow && tfp_str_begins(text, tfp_str_of(tfp_direction_name(d)))) return d;
    return TFP_UNKNOWN_DIRECTION;
}

const char *tfp_copy_of(tfp_direction d) { return directions[d].copy; }
const char *tfp_direction_name(tfp_direction d) { return directions[d].copy + sizeof COPY - 1; }
const char *tfp_direction_arrow(tfp_direction d) { return directions[d].arrow; }

tfp_str tfp_copy_name(tfp_str recorded)
{
    static const char *const begins[] = { "MEMORY_COPY_", "Copy" };
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++) {
        tfp_str begin = tfp_str_of(begins[i]), rest = { recorded.data + begin.size, recorded.size - begin.size };
        tfp_direction d = tfp_str_begins(recorded, begin) ? tfp_direction_of(rest) : TFP_UNKNOWN_DIRECTION;
        for (const char *const *word = directions[d].spellings; *word; word++)
            if (rest.size == strlen(*word) && tfp_str_has_caseless(rest, tfp_str_of(*word)))
                return tfp_str_of(tfp_copy_of(d));
    }
    return recorded;
}

const char *tfp_copy_memory(tfp_str name, tfp_str details)
{
    static const char *const memories[] = { "pageable", "pinned" };
    for (size_t i = 0; i < sizeof memories / sizeof *memories; i++) {
        tfp_str word = tfp_str_of(memories[i]);
        if (tfp_str_has_caseless(name, word) || tfp_str_has_caseless(details, word)) return memories[i];
    }
    return NULL;
}
