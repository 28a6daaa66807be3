// SPDX-License-Identifier: Apache-2.0
/* model/tables/code.h: call stacks: frames, and traces, which consist of frames. */
#ifndef TFP_TABLES_CODE_H
#define TFP_TABLES_CODE_H

#include "model/tables/types.h"

#include "schema/code.def"

typedef struct tfp_code_tables {
    TFP_VEC(tfp_code_frame) frames;
    TFP_VEC(uint32_t) trace_frames;
    TFP_VEC(tfp_trace) traces;
    TFP_VEC(tfp_seen_code) seen;
    tfp_map64 frame_by_hash, trace_by_hash;
} tfp_code_tables;

TFP_CONST const tfp_code_tables *tfp_code_of(const tfp_profile *p);

#endif
