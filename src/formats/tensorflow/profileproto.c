// SPDX-License-Identifier: Apache-2.0
/* formats/tensorflow/profileproto.c: a ProfileProto, tfprof's own file (profile_N), becomes a whole profile.
 * In: a file in windows, one node at a time. Out: calls on a tfp_builder; nothing is printed.
 * Its parts are in files of their own: profileproto_node.c, profileproto_exec.c, profileproto_end.c,
 * profileproto_program.c; big files are read by several threads (profileproto_pieces.c).
 * Uses base, wire, model. Message layout: tensorflow/core/profiler/tfprof_log.proto. */
#include "formats/files/folder.h"
#include "formats/tensorflow/profileproto_parts.h"
#include "formats/graph/sniff.h"
#include "model/model.h"

/* ---- the message itself: ProfileProto ---- */

/* An entry of nodes: key -> ProfileNode */
static tfp_status read_node_entry(tfp_profile_reader *r, tfp_wire w, tfp_error *err)
{
    int64_t key = 0;
    tfp_str node = { (const char *)w.start, 0 };
    r->window = node.data;
    r->window_at = w.base;
    for (tfp_field f; tfp_wire_next(&w, &f);) {
        if (f.number == 1)
            key = tfp_field_int(&w, &f);
        else if (f.number == 2)
            node = tfp_field_bytes(&w, &f);
    }
    tfp_status s = tfp_wire_end(&w, err);
    if (!s) s = tfp_profile_read_node(r, node, key, err);
    return tfp_within(err, s, "node %zu", r->nodes.size);
}

/* An entry of id_to_string */
static tfp_status read_string(tfp_profile_reader *r, tfp_wire w, tfp_error *err)
{
    int64_t key = 0;
    tfp_str text = { "", 0 };
    for (tfp_field f; tfp_wire_next(&w, &f);) {
        if (f.number == 1)
            key = tfp_field_int(&w, &f);
        else if (f.number == 2)
            text = tfp_field_bytes(&w, &f);
    }
    tfp_status s = tfp_within(err, tfp_wire_end(&w, err), "id_to_string");
    if (s) return s;
    return tfp_map64_put(&r->string_by_id, (uint64_t)key, tfp_build_string(r->b, text)) ? TFP_OK : tfp_nomem(err);
}

static void read_steps(tfp_profile_reader *r, tfp_wire *w, const tfp_field *f)
{
    uint64_t v;
    for (tfp_packed p = tfp_packed_start(w, f, TFP_VARINT); tfp_packed_next(w, &p, &v);) {
        if ((int64_t)v < 0) tfp_profile_warn(r, "negative step numbers, which cannot be asked for", (int64_t)v);
        tfp_build_step(r->b, (int64_t)v, true);
    }
}

tfp_status tfp_profile_read_top(tfp_profile_reader *r, tfp_input *in, const tfp_field *f, tfp_error *err)
{
    tfp_wire w = tfp_input_wire(in, f);
    switch (f->number) {
    case 1: {
        tfp_wire entry = tfp_field_message(&w, f);
        return w.fault ? tfp_wire_end(&w, err) : read_node_entry(r, entry, err);
    }
    case 2:
        if (tfp_field_bool(&w, f)) tfp_build_has(r->b, TFP_HAS_CODE);
        break;
    case 3: read_steps(r, &w, f); break;
    case 4: {
        tfp_wire entry = tfp_field_message(&w, f);
        return w.fault ? tfp_wire_end(&w, err) : read_string(r, entry, err);
    }
    }
    return tfp_wire_end(&w, err);
}

static tfp_status read_binary(tfp_builder *b, tfp_input *in, tfp_kind kind, tfp_error *err)
{
    (void)kind; /* there is one only */
    tfp_profile_reader r = { .b = b, .p = b->p, .first_row = b->p->nodes.size, .small_keys = in->total / 8 };
    tfp_status s = tfp_profile_program_start(&r) ? TFP_OK : tfp_nomem(err);
    if (!s) s = tfp_profile_read_pieces(&r, in, err);
    for (tfp_field f; s == TFP_OK && tfp_wire_next_input(in, &f, &s, err);) s = tfp_profile_read_top(&r, in, &f, err);
    if (!s) s = tfp_profile_finish_reading(&r, err);
    s = tfp_profile_program_finish(&r, s, err);
    tfp_profile_reader_free(&r);
    tfp_build_has(b, TFP_HAS_GRAPH);
    tfp_build_has(b, TFP_HAS_TYPES);
    return s;
}

static tfp_status read_profile(tfp_builder *b, tfp_input *in, tfp_error *err)
{
    if (b->p->nodes.size) return tfp_fail(err, TFP_BADARG, "a profile holds everything and stands alone");
    return tfp_read_message(b, in, TFP_KINDS(TFP_KIND_PROFILE), read_binary, err);
}

static int probe(tfp_str head, uint64_t total) { return tfp_sniff_score(head, total, TFP_KINDS(TFP_KIND_PROFILE)); }

const tfp_format tfp_format_profile = {
    .name = "profile",
    .help = "ProfileProto: a whole profile in one file, such as profile_10; stands alone, or with a checkpoint",
    .stands = TFP_FORMAT_IS(WHOLE),
    .probe = probe,
    .read = read_profile,
    .probe_path = tfp_profile_is_folder,
    .list = tfp_profile_list,
};
