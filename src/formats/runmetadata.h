/* formats/runmetadata.h: what the files of this format share. */
#ifndef TFP_RUNMETADATA_H
#define TFP_RUNMETADATA_H

#include "model/builder.h"
#include "wire/proto.h"

/* Of a NodeExecStats: the shapes that the node's outputs had. */
void tfp_read_run_shapes(tfp_builder *b, tfp_wire w, uint32_t node);

#endif
