// SPDX-License-Identifier: Apache-2.0
/* names/names.h: readable names of kernels: what a kernel does, its type, shape and layout, then the library that it comes
 * from. Tables and the page show these; machine formats have the full names. */
#ifndef TFP_NAMES_H
#define TFP_NAMES_H

#include "base/base.h"

enum { TFP_SHORT_MOST = 64 }; /* characters of a short name */

/* Appends the short name: "gemm float 32x32 tn sliced · volta" (with a real multiplication sign). False, with nothing
 * appended, if the name is already short. */
bool tfp_kernel_short(tfp_str full, tfp_buf *out);

/* The short names of several kernels: equal ones get the part in which their full names differ. shorts[i] is a text in the
 * arena, or full[i] itself. False if memory is out. */
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

/* "float", "bf16", "int8": the type that a template's argument names; NULL: none. */
const char *tfp_type_word(tfp_str text);
/* of the first argument that names a type; bool counts only if there is no other */
const char *tfp_type_first(tfp_str arguments);

void tfp_word(tfp_buf *out, tfp_str word);                /* with a blank before it, unless it is the first */
void tfp_words_of_camel(tfp_buf *out, tfp_str name);      /* "RadixSort" -> "radix sort" */
void tfp_maker(tfp_buf *out, tfp_str maker);              /* " · maker" */
bool tfp_part_next(tfp_str *rest, char by, tfp_str *out); /* the next part of a text; false at the end */

/* Each appends the short name for its kind of name; false: the name is of another kind. */
bool tfp_short_gemm(tfp_str name, tfp_buf *out);         /* cutlass_..., volta_sgemm_..., sm80_xmma_..., Cijk_... */
bool tfp_short_template(const tfp_cpp *c, tfp_buf *out); /* PyTorch's families of templates */

#endif
