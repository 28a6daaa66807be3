// SPDX-License-Identifier: Apache-2.0
/* formats/graph/program.h: reads graphs as the profile's program. One reader reads all graphs of a file; its result
 * becomes part of the profile at the end, completely or not at all. */
#ifndef TFP_FORMATS_PROGRAM_H
#define TFP_FORMATS_PROGRAM_H

#include "model/builder.h"
#include "model/program.h"
#include "wire/proto.h"

typedef struct tfp_program_reader tfp_program_reader;

/* Adds to the program that the profile has, or begins the program of the next state. NULL: out of memory. */
tfp_program_reader *tfp_program_start(tfp_builder *b);

/* The graphs that follow are those of a SavedModel. */
void tfp_program_saved_model(tfp_program_reader *r);
/* The nodes that follow are operators of ONNX. */
void tfp_program_onnx(tfp_program_reader *r);

/* Reads the nodes and functions of a GraphDef; if a name is repeated the first one is kept. */
tfp_status tfp_program_add_graph(tfp_program_reader *r, tfp_wire w, tfp_error *err);
/* Reads the signatures and variables of a MetaGraphDef. */
tfp_status tfp_program_add_meta(tfp_program_reader *r, tfp_wire w, tfp_error *err);

/* For graphs in other forms, added node by node as rows of the main graph. Lack of memory is reported at the end. The
 * attributes and inputs of a node are added before it. */
uint32_t tfp_program_attr_count(const tfp_program_reader *r);
void tfp_program_add_attr(tfp_program_reader *r, tfp_str name, tfp_str value);
void tfp_program_add_named_attr(tfp_program_reader *r, tfp_strid name, tfp_str value);
void tfp_program_sort_attrs(tfp_program_reader *r, uint32_t first); /* called when a node has all of its attributes */
uint32_t tfp_program_input_count(const tfp_program_reader *r);
void tfp_program_add_input(tfp_program_reader *r, tfp_program_input input);
void tfp_program_add_node(tfp_program_reader *r, const tfp_program_node *n);

/* Frees the reader. With a status of TFP_OK the profile has the program now; otherwise what was read is dropped.
 * Returns the status, or the error that happened here. */
tfp_status tfp_program_end(tfp_program_reader *r, tfp_status s, tfp_error *err);

#endif
