// SPDX-License-Identifier: Apache-2.0
/* formats/perfetto/perfetto.c: reads traces of Perfetto (.pftrace), as PyTorch, rocprofv3 and Kineto write them. */
#include "formats/perfetto/perfetto.h"

#include "formats/files/format.h"
#include "model/tables/profile.h"
#include "model/tables/sources.h"

#define LEAST_ROOM ((uint64_t)128 << 20)    /* bytes of events and texts that even the smallest file may fill */
#define ROOM_OF_BYTE 48                     /* and this many more for each byte of the file */
#define UNPACKED_MOST ((uint64_t)256 << 20) /* limit for all compressed packets together */

static tfp_status read_again(tfp_pf_reader *r, const tfp_input *in, tfp_buf *text, tfp_error *err)
{
    tfp_input trace;
    tfp_status s = tfp_input_memory(&trace, in->name, text->data, text->size, err);
    if (!s) s = tfp_format_kineto.read(r->b, &trace, err);
    tfp_input_close(&trace);
    return s;
}

static void reader_free(tfp_pf_reader *r)
{
    for (size_t i = 0; i < r->unpacked.size; i++) tfp_buf_free(&r->unpacked.at[i]);
    tfp_vec_free(&r->unpacked);
    tfp_vec_free(&r->tracks);
    tfp_vec_free(&r->events);
    tfp_vec_free(&r->sequences);
    tfp_vec_free(&r->clocks);
    tfp_vec_free(&r->launches);
    tfp_vec_free(&r->waits);
    tfp_vec_free(&r->stages);
    free(r->correlations);
    tfp_map64 *const maps[] = { &r->track_by_uuid, &r->sequence_by_id, &r->interned, &r->clock_by_hash };
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++) tfp_map64_free(maps[i]);
    tfp_buf_free(&r->args);
    tfp_strtab_free(&r->strings);
    tfp_arena_free(&r->arena);
}

static tfp_status read_trace(tfp_pf_reader *r, tfp_input *in, tfp_error *err)
{
    tfp_str all;
    tfp_buf text = { 0 };
    static const char cut[] = "the file is cut short: its complete packets were read";
    tfp_status s = tfp_input_all(in, &all, err);
    if (s) return s;
    tfp_pf_read_packets(r, all, false);
    r->cut |= in->cut_at != 0;
    if (!r->events.size && !r->no_memory && !r->too_big)
        return tfp_fail(err, TFP_BADFILE, "a trace of Perfetto without slices or counters%s",
                        r->cut ? ", or cut short" : "");
    if (!r->no_memory && !r->too_big) tfp_pf_write_trace(r, &text);
    if (r->no_memory) s = tfp_nomem(err);
    if (!s && r->too_big) s = tfp_fail(err, TFP_LIMIT, "it unpacks to more than a trace of its size can hold");
    if (!s) s = read_again(r, in, &text, err);
    if (!s) {
        tfp_pf_tell(r, "error", "packets that cannot be read, left out", r->unreadable);
        tfp_pf_tell(r, "error", cut, r->cut);
        tfp_pf_doubt_cut(r);
    }
    tfp_buf_free(&text);
    return s;
}

static tfp_status read_perfetto(tfp_builder *b, tfp_input *in, tfp_error *err)
{
    tfp_pf_reader r = { .b = b, .spare = UNPACKED_MOST };
    r.most = LEAST_ROOM + ROOM_OF_BYTE * in->stored;
    tfp_status s = tfp_strtab_init(&r.strings, &r.arena);
    if (s) return tfp_nomem(err);
    if (tfp_intern(&r.strings, TFP_STR("")) != 0) s = tfp_nomem(err);
    if (!s) s = read_trace(&r, in, err);
    reader_free(&r);
    return s;
}

/* Looks at the first packet: field 1 of the file, whose fields are those of TracePacket. XPlane begins alike, but its
 * plane has a number and a name with a slash. */
static int probe(tfp_str head, uint64_t total)
{
    tfp_wire w = tfp_wire_start(head);
    const uint8_t *at = (const uint8_t *)head.data + 1;
    uint64_t size;
    (void)total;
    if (head.size < 3 || head.data[0] != '\n' || !tfp_wire_varint(&w, &at, &size)) return 0;
    size_t left = head.size - (size_t)((const char *)at - head.data);
    tfp_wire packet = tfp_wire_start((tfp_str){ (const char *)at, size < left ? (size_t)size : left });
    int known = 0;
    for (tfp_field f; tfp_wire_next(&packet, &f);) {
        bool bytes = f.number == 6 || f.number == 11 || f.number == 12 || f.number == 43 || f.number == 44 ||
                     f.number == 50 || f.number == 59 || f.number == 60;
        bool number = f.number == 8 || f.number == 10 || f.number == 13 || f.number == 41 || f.number == 42 ||
                      f.number == 58 || f.number == 87;
        if ((bytes && f.type == TFP_BYTES) || (number && f.type == TFP_VARINT)) known++;
        if (f.number <= 5) return 0; /* a plane, or another file's message */
    }
    return known ? 70 : 0;
}

const tfp_format tfp_format_perfetto = {
    .name = "perfetto",
    .help =
        "trace of Perfetto (.pftrace) of PyTorch, rocprofv3 or any program with track events: slices, counters, flows",
    .probe = probe,
    .read = read_perfetto,
    .stands = TFP_FORMAT_IS(RANKS),
    .takes_cut = true,
    .from = TFP_FROM_PYTORCH,
};
