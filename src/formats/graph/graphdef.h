// SPDX-License-Identifier: Apache-2.0
/* formats/graph/graphdef.h: reads a GraphDef that is part of another message. */
#ifndef TFP_GRAPHDEF_H
#define TFP_GRAPHDEF_H

#include "model/builder.h"
#include "formats/graph/program.h"
#include "wire/proto.h"

typedef struct tfp_graph_source {
    /* nodes with equal names are expected (in the meta graphs of a SavedModel), so there is no warning */
    bool overlaps;
    tfp_program_reader *program; /* receives the model's own graph when it is wanted; otherwise NULL */
} tfp_graph_source;

#endif
