// SPDX-License-Identifier: Apache-2.0
/* formats/graph/schema.h: the messages that the text form of a file may hold, for tfp_text_to_wire. */
#ifndef TFP_SCHEMA_H
#define TFP_SCHEMA_H

#include "wire/textproto.h"

extern const tfp_message_schema tfp_schema_graph_def, tfp_schema_meta_graph, tfp_schema_saved_model,
    tfp_schema_run_metadata, tfp_schema_op_log, tfp_schema_profile;

#endif
