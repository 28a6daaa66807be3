// SPDX-License-Identifier: Apache-2.0
/* model/append.h: appends a piece of a file, which was read into tables of its own, to the profile. The result has the
 * same rows in the same order as if the profile had been filled directly. */
#ifndef TFP_APPEND_H
#define TFP_APPEND_H

#include "model/builder.h"

/* Makes tables for a piece: strings point into the piece's bytes, which must outlive them. */
bool tfp_piece_start(tfp_profile *piece, unsigned keep, size_t limit); /* false: out of memory; free it then too */
void tfp_piece_clear(tfp_profile *piece);                              /* empties it for the next piece */
void tfp_piece_free(tfp_profile *piece);

/* Where the piece's rows are in the profile: for strings, steps and lanes the number of each, for nodes the first
 * number. */
typedef struct tfp_placement {
    TFP_VEC(uint32_t) strings, steps;
    TFP_VEC(uint32_t) lanes;  /* filled by the caller when all strings are there */
    TFP_VEC(uint32_t) hashes; /* hashes of the piece's strings */
    uint32_t node_first;
    double scale; /* set by the caller: size of the whole input divided by the size of the part read so far */
} tfp_placement;
void tfp_placement_free(tfp_placement *at);

/* The most memory that the profile could take with the piece in it. */
size_t tfp_append_memory(const tfp_profile *p, const tfp_profile *piece);

/* Appends the strings. This is the first of two calls; between them the caller sets the lanes' numbers. */
void tfp_append_strings(tfp_builder *b, const tfp_profile *piece, tfp_placement *at);
/* Appends nodes, types, outputs, shapes, attributes, steps, executions with their details, and warnings; the caller
 * appends inputs. A fault is stored in the builder. The piece contains no code. */
void tfp_append_piece(tfp_builder *b, const tfp_profile *piece, tfp_placement *at);

#endif
