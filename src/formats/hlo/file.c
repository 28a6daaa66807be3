// SPDX-License-Identifier: Apache-2.0
/* formats/hlo/file.c: an HLO module as a file of its own: an HloProto (NAME.hlo.pb, NAME.hlo_proto.pb), an
 * HloModuleProto, a text dump, or StableHLO text. Its instructions become nodes with shapes, edges, call stacks and
 * float operations. Uses base, wire, model. Message layout: xla/service/hlo.proto. */
#include "formats/files/format.h"
#include "formats/hlo/hlo.h"
#include "formats/hlo/stablehlo.h"
#include "model/tables/sources.h"

/* ---- recognizing such a file ---- */

/* The first field `number` of a message, possibly cut at the end of the head; empty when there is none. */
static tfp_str field_bytes(tfp_str bytes, uint32_t number)
{
    tfp_wire w = tfp_wire_start(bytes);
    while (w.at < w.end) {
        const uint8_t *at = w.at;
        uint64_t tag, size;
        if (!tfp_wire_varint(&w, &at, &tag) || tag < 8) break;
        if ((tag & 7) == TFP_BYTES && tag >> 3 == number) {
            if (!tfp_wire_varint(&w, &at, &size)) break;
            size_t left = (size_t)(w.end - at);
            return (tfp_str){ (const char *)at, size < left ? (size_t)size : left };
        }
        tfp_field f;
        if (!tfp_wire_next(&w, &f)) break;
    }
    return (tfp_str){ "", 0 };
}

/* Whether it is a HloModuleProto: the first instruction of its first computation has a known opcode. */
static bool is_module(tfp_str bytes)
{
    tfp_str instruction = field_bytes(field_bytes(bytes, 3), 2);
    return tfp_hlo_is_opcode(field_bytes(instruction, 2));
}

static int probe(tfp_str head, uint64_t total)
{
    (void)total;
    if (tfp_hlo_is_text(head) || tfp_shlo_is(head)) return 97;
    if (head.size < 2 || head.data[0] != '\n') return 0;
    return is_module(field_bytes(head, 1)) || is_module(head) ? 97 : 0;
}

/* ---- reading ---- */

static tfp_status read_hlo(tfp_builder *b, tfp_input *in, tfp_error *err)
{
    tfp_str all;
    tfp_hlo_module m = { 0 };
    tfp_status s = tfp_input_all(in, &all, err);
    if (s) return s;
    if (tfp_hlo_is_text(all))
        s = tfp_hlo_read_text(b, all, &m, err);
    else if (tfp_shlo_is(all))
        s = tfp_shlo_read(b, all, &m, err);
    else
        s = tfp_hlo_read_proto(b, tfp_wire_start(all), &m, err);
    if (s) return s;
    if (!m.instructions.size) {
        tfp_hlo_free(&m);
        return tfp_fail(err, TFP_BADFILE, "not an HLO module: it has no instructions");
    }
    tfp_hlo_build_nodes(b, &m, false);
    tfp_hlo_free(&m);
    return tfp_builder_status(b, err);
}

const tfp_format tfp_format_hlo = {
    .name = "hlo",
    .from = TFP_FROM_XLA,
    .help = "HLO module of XLA: an HloProto (NAME.hlo.pb, NAME.hlo_proto.pb) or a text dump, or StableHLO text",
    .probe = probe,
    .read = read_hlo,
};
