// SPDX-License-Identifier: Apache-2.0
/* formats/graph/program_parts.h: the reader of programs, shared by its files: program.c reads graphs, function.c
 * functions, meta.c signatures and variables. */
#ifndef TFP_PROGRAM_PARTS_H
#define TFP_PROGRAM_PARTS_H

#include "formats/graph/graphdef_parts.h"
#include "formats/graph/program.h"

#include <stdlib.h>

struct tfp_program_reader {
    tfp_builder *b;
    tfp_program *g;
    tfp_program *before; /* the program of the previous state, which g replaces */
    tfp_arena scratch;
    tfp_strtab values;                 /* short AttrValues, each distinct one once */
    TFP_VEC(tfp_program_attr) decoded; /* indexed by id in `values` */
    TFP_VEC(uint32_t) in;              /* for each name: 1 + the last body that has a node of that name */
    tfp_map64 results;                 /* body << 32 | name -> results, for the function that is being read */
    tfp_graph_shape shape;
    bool no_memory;
};

static inline bool ok(tfp_program_reader *r, bool success)
{
    if (!success) r->no_memory = true;
    return success;
}

/* Appends a row. Rows have 32-bit numbers. */
#define APPEND(r, table, row) ok((r), (r)->g->table.size < TFP_NONE - 1 && tfp_push(&(r)->g->table, (row)))
#define ROWS(r, table) ((uint32_t)(r)->g->table.size)

static inline tfp_status reader_status(tfp_program_reader *r, tfp_error *err)
{
    bool failed = r->no_memory || r->shape.no_memory;
    tfp_status s = tfp_builder_status(r->b, err);
    return s ? s : failed ? tfp_nomem(err) : TFP_OK;
}

static inline tfp_str tfp_wire_bytes(const tfp_wire *w)
{
    return (tfp_str){ (const char *)w->start, (size_t)(w->end - w->start) };
}

/* Reads a TensorShapeProto as shapes of the profile; TFP_NONE: it has a fault. */
uint32_t tfp_program_read_shape(tfp_program_reader *r, tfp_wire *outer, const tfp_field *field);
/* program.c: reads an entry of attr, and a NodeDef of a body; function.c: reads all functions. */
void tfp_program_read_attr(tfp_program_reader *r, tfp_wire *outer, const tfp_field *field);
tfp_status tfp_program_read_node(tfp_program_reader *r, tfp_wire w, uint32_t body, tfp_error *err);
tfp_status tfp_program_read_library(tfp_program_reader *r, tfp_wire w, tfp_error *err);
tfp_program_input tfp_program_parse_input(tfp_program_reader *r, tfp_str input, bool in_function);

#endif
