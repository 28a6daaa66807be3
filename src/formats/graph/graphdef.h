// SPDX-License-Identifier: Apache-2.0
/* formats/graph/graphdef.h: reading a GraphDef that stands inside another message. */
#ifndef TFP_GRAPHDEF_H
#define TFP_GRAPHDEF_H

#include "model/builder.h"
#include "formats/graph/program.h"
#include "wire/proto.h"

typedef struct tfp_graph_source {
    bool overlaps; /* nodes of the same name are expected (the meta graphs of a SavedModel): no warning for them */
    tfp_program_reader *program; /* of the model's own graph, when it is kept; else NULL */
} tfp_graph_source;

/* Adds the nodes of a GraphDef to the profile; of nodes with one name the first stays. The nodes of its function library
 * are no nodes of the graph: they are left out with a warning, or with TFP_KEEP_FUNCTIONS become FUNCTION/NODE. */
tfp_status tfp_read_graph_def(tfp_builder *b, tfp_wire w, tfp_graph_source source, tfp_error *err);

#endif
