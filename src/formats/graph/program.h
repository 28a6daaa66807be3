// SPDX-License-Identifier: Apache-2.0
/* formats/graph/program.h: graphs become the profile's program. One reader goes through all graphs of a file; what it read takes
 * its place in the profile at the end, whole or not at all. */
#ifndef TFP_FORMATS_PROGRAM_H
#define TFP_FORMATS_PROGRAM_H

#include "model/builder.h"
#include "model/program.h"
#include "wire/proto.h"

typedef struct tfp_program_reader tfp_program_reader;

/* Adds to the program that the profile has, or begins the next state's. NULL without memory. */
tfp_program_reader *tfp_program_start(tfp_builder *b);

/* What follows is of a SavedModel. */
void tfp_program_saved_model(tfp_program_reader *r);
/* What follows are operators of ONNX. */
void tfp_program_onnx(tfp_program_reader *r);

/* The nodes and functions of a GraphDef; of those with one name the first stays. */
tfp_status tfp_program_add_graph(tfp_program_reader *r, tfp_wire w, tfp_error *err);
/* What else a MetaGraphDef tells: signatures and variables. */
tfp_status tfp_program_add_meta(tfp_program_reader *r, tfp_wire w, tfp_error *err);

/* For graphs that come in other forms, node by node: rows of the main graph, as they are. Faults of memory are told at
 * the end. The attributes and inputs of a node come before it. */
uint32_t tfp_program_attr_count(const tfp_program_reader *r);
void tfp_program_add_attr(tfp_program_reader *r, tfp_str name, tfp_str value);
void tfp_program_sort_attrs(tfp_program_reader *r, uint32_t first); /* once a node has all of its attributes */
uint32_t tfp_program_input_count(const tfp_program_reader *r);
void tfp_program_add_input(tfp_program_reader *r, tfp_program_input input);
void tfp_program_add_node(tfp_program_reader *r, const tfp_program_node *n);

/* Frees the reader. With a status of TFP_OK the profile has the program now; else what was read is dropped. Gives back
 * the status, or what went wrong here. */
tfp_status tfp_program_end(tfp_program_reader *r, tfp_status s, tfp_error *err);

#endif
