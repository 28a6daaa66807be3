// SPDX-License-Identifier: Apache-2.0
/* formats/tensorflow/profileproto.c: a ProfileProto, tfprof's own file (profile_N), is read as a whole profile. In: a
 * file in windows, one node at a time. Out: calls on a tfp_builder; nothing is printed. Its parts are in files of their
 * own: profileproto_node.c, profileproto_exec.c, profileproto_end.c, profileproto_program.c; big files are read by
 * several threads (profileproto_pieces.c). Uses base, wire, model. Message layout:
 * tensorflow/core/profiler/tfprof_log.proto. */
#include "formats/files/folder.h"
#include "formats/graph/sniff.h"
#include "formats/tensorflow/profileproto_parts.h"
#include "model/tables/graph.h"
#include "model/tables/profile.h"
#include "model/tables/sources.h"

/* ---- the message itself: ProfileProto ---- */

static tfp_status read_binary(tfp_builder *b, tfp_input *in, tfp_kind kind, tfp_error *err)
{
    (void)kind; /* there is only one kind */
    tfp_profile_reader r = {
        .b = b, .p = b->p, .first_row = b->p->graph->nodes.size, .keys.small_most = in->total / 8
    };
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
    if (b->p->graph->nodes.size) return tfp_fail(err, TFP_BADARG, "a profile holds everything and stands alone");
    return tfp_read_message(b, in, TFP_KINDS(TFP_KIND_PROFILE), read_binary, err);
}

static int probe(tfp_str head, uint64_t total) { return tfp_sniff_score(head, total, TFP_KINDS(TFP_KIND_PROFILE)); }

const tfp_format tfp_format_profile = {
    .name = "profile",
    .from = TFP_FROM_TENSORFLOW,
    .help = "ProfileProto: a whole profile in one file, such as profile_10; stands alone, or with a checkpoint",
    .stands = TFP_FORMAT_IS(WHOLE),
    .probe = probe,
    .read = read_profile,
    .probe_path = tfp_profile_is_folder,
    .list = tfp_profile_list,
};
