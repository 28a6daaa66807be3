// SPDX-License-Identifier: Apache-2.0
/* formats/runmetadata.h: what the files of this format share. */
#ifndef TFP_RUNMETADATA_H
#define TFP_RUNMETADATA_H

#include "model/builder.h"
#include "wire/proto.h"

/* What an entry says of itself, for runmetadata_transfer.c. */
typedef struct tfp_run_entry {
    tfp_str name, label;                  /* node_name, timeline_label */
    uint32_t step, lane, node;            /* -> steps, lanes, nodes; TFP_NONE: no node of its own */
    int64_t start_ns, duration_ns, bytes; /* bytes: of its outputs */
    tfp_strid device;
} tfp_run_entry;
/* Notes that an entry is a copy, or received a tensor from another device, when it is one. */
void tfp_read_transfer(tfp_builder *b, const tfp_run_entry *e);
/* Of a NodeExecStats: the shapes that the node's outputs had. */
void tfp_read_run_shapes(tfp_builder *b, tfp_wire w, uint32_t node);

#endif
