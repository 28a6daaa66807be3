// SPDX-License-Identifier: Apache-2.0
/* names/names.h: names of kernels by their meaning: what a kernel does, its type, shape and layout, then who made it. Tables
 * and the page show these; machine formats have the whole names. */
#ifndef TFP_NAMES_H
#define TFP_NAMES_H

#include "base/base.h"

enum { TFP_SHORT_MOST = 64 }; /* characters of a short name */

/* Appends the short name: "gemm float 32x32 tn sliced · volta" (with a real multiplication sign). False, with nothing
 * appended, when the name is short as it is. */
bool tfp_kernel_short(tfp_str full, tfp_buf *out);

/* The short names of several kernels: equal ones are told apart by the part in which their whole names differ. shorts[i] is
 * a text in the arena, or full[i] itself. False without memory. */
bool tfp_kernel_shorts(tfp_arena *arena, const tfp_str *full, size_t count, tfp_str *shorts);

/* ---- for the files of this room ---- */

/* A name in C++ without its return type and its parameters. */
typedef struct tfp_cpp {
    tfp_str path;      /* "at::native::reduce_kernel" */
    tfp_str name;      /* "reduce_kernel" */
    tfp_str arguments; /* of the template, without its brackets */
} tfp_cpp;
tfp_cpp tfp_cpp_of(tfp_str text);
bool tfp_cpp_argument(tfp_str *rest, tfp_str *out); /* the next of `arguments`; false at the end */

/* "float", "bf16", "int8": the type that an argument of a template is; NULL: none. */
const char *tfp_type_word(tfp_str text);
const char *tfp_type_first(tfp_str arguments); /* of the first argument that is one, bool apart */

void tfp_word(tfp_buf *out, tfp_str word);                /* after a blank, unless it is the first */
void tfp_words_of_camel(tfp_buf *out, tfp_str name);      /* "RadixSort" -> "radix sort" */
void tfp_maker(tfp_buf *out, tfp_str maker);              /* " · maker" */
bool tfp_part_next(tfp_str *rest, char by, tfp_str *out); /* the next part of a text; false at the end */

/* Each appends the short name of its kind of name; false: it is none. */
bool tfp_short_gemm(tfp_str name, tfp_buf *out);         /* cutlass_..., volta_sgemm_..., sm80_xmma_..., Cijk_... */
bool tfp_short_template(const tfp_cpp *c, tfp_buf *out); /* PyTorch's families of templates */

#endif
