// SPDX-License-Identifier: Apache-2.0
/* formats/sqlite/range_text.h: parses the texts of ranges, which may be operators of PyTorch, and the names
 * of API calls. */
#ifndef TFP_RANGE_TEXT_H
#define TFP_RANGE_TEXT_H

#include "base/base.h"

/* A text of torch.autograd.profiler.emit_nvtx: NAME[, seq = N][, op_id = N][, sizes = [..]][, input_op_ids = [..]]. */
typedef struct tfp_range_op {
    tfp_str name, sizes;   /* sizes: empty when the text has none */
    int64_t sequence;      /* -1: none */
    bool marked, backward; /* marked: the text has one of the endings; otherwise it is only a name such as aten::mm */
} tfp_range_op;
bool tfp_range_is_op(tfp_str text, tfp_range_op *out);

/* Turns cudaLaunchKernel_v7000 and cudaLaunchKernel_v7000_ptsz into cudaLaunchKernel. */
tfp_str tfp_api_name(tfp_str name);

#endif
