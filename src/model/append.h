// SPDX-License-Identifier: Apache-2.0
/* model/append.h: the rows of a piece of a file, read into tables of their own, become rows of the profile: the same rows
 * in the same order as if the profile had been filled piece by piece. */
#ifndef TFP_APPEND_H
#define TFP_APPEND_H

#include "model/builder.h"

/* Tables for a piece: strings are borrowed from the piece's bytes, which must outlive them. */
bool tfp_piece_start(tfp_profile *piece, unsigned keep, size_t limit); /* false without memory; then free it too */
void tfp_piece_clear(tfp_profile *piece);                              /* empties it for the next piece */
void tfp_piece_free(tfp_profile *piece);

/* The places of the piece's rows in the profile: by id in the piece, or the first of them. */
typedef struct tfp_placement {
    TFP_VEC(uint32_t) strings, steps;
    TFP_VEC(uint32_t) lanes;  /* set by the caller when all strings are there */
    TFP_VEC(uint32_t) hashes; /* of the piece's strings */
    uint32_t node_first;
    double scale; /* set by the caller: size of the whole input over the part that is read */
} tfp_placement;
void tfp_placement_free(tfp_placement *at);

/* The most memory that the profile could take with the piece in it. */
size_t tfp_append_memory(const tfp_profile *p, const tfp_profile *piece);

/* Appends the strings: the first of two calls, between which the caller gives the lanes their places. */
void tfp_append_strings(tfp_builder *b, const tfp_profile *piece, tfp_placement *at);
/* Appends nodes, types, outputs, shapes, attributes, steps, executions with what belongs to them, and warnings; inputs are
 * the caller's. A fault is the builder's. The piece holds no code. */
void tfp_append_piece(tfp_builder *b, const tfp_profile *piece, tfp_placement *at);

#endif
