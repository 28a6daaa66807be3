// SPDX-License-Identifier: Apache-2.0
/* flops/aten/aten.h: float operations of PyTorch's operators (aten), from the input shapes that a trace recorded with
 * each call (`Input Dims`, `Input type`, `Concrete Inputs`). Nothing is guessed: a call whose shapes or arguments are
 * missing has no count. docs/flops.md has the formulas. */
#ifndef TFP_ATEN_H
#define TFP_ATEN_H

#include "flops/core/devices.h"
#include "model/tables/types.h"

enum { TFP_ATEN_INPUTS = 48, TFP_ATEN_RANK = 12 };
#define TFP_ATEN_UNKNOWN ((int64_t)-1)

/* Types of elements, as PyTorch numbers them (c10/core/ScalarType.h); TFP_SCALAR_TYPES: unknown. */
typedef enum tfp_scalar_type {
    TFP_SCALAR_UINT8,
    TFP_SCALAR_INT8,
    TFP_SCALAR_INT16,
    TFP_SCALAR_INT32,
    TFP_SCALAR_INT64,
    TFP_SCALAR_HALF,
    TFP_SCALAR_FLOAT,
    TFP_SCALAR_DOUBLE,
    TFP_SCALAR_COMPLEX_HALF,
    TFP_SCALAR_COMPLEX_FLOAT,
    TFP_SCALAR_COMPLEX_DOUBLE,
    TFP_SCALAR_BOOL,
    TFP_SCALAR_QINT8,
    TFP_SCALAR_QUINT8,
    TFP_SCALAR_QINT32,
    TFP_SCALAR_BFLOAT16,
    TFP_SCALAR_FLOAT8_E5M2 = 23,
    TFP_SCALAR_FLOAT8_E4M3FN,
    TFP_SCALAR_FLOAT8_E5M2FNUZ,
    TFP_SCALAR_FLOAT8_E4M3FNUZ,
    TFP_SCALAR_TYPES
} tfp_scalar_type;
/* Bytes of an element; 0: unknown. */
int tfp_scalar_bytes(unsigned scalar_type);

/* One argument of a call: a tensor, a list, or (neither flag set) a number, a list of numbers or nothing. */
typedef struct tfp_aten_input {
    bool tensor, list;
    int rank; /* rank of a tensor */
    int64_t dims[TFP_ATEN_RANK];
    bool strided;                   /* `strides` are known: of a tensor only */
    int64_t strides[TFP_ATEN_RANK]; /* in elements */
    int64_t elements;               /* number of elements in the tensor, or in all tensors of the list */
    int64_t matrices;               /* number of elements in those tensors of a list that have rank 2 */
    int bytes;                      /* size of an element; 0: unknown */
    tfp_float_type type;
    uint8_t scalar_type; /* tfp_scalar_type */
    tfp_str shapes;      /* of a list of tensors: its shapes as written */
    tfp_str spans;       /* of a list of tensors: its strides as written; empty: unknown */
    tfp_str value; /* a number or list of numbers as written: "[2, 2]", "1", "True"; empty: not recorded, or none */
} tfp_aten_input;

typedef struct tfp_aten_call {
    tfp_aten_input in[TFP_ATEN_INPUTS];
    int count; /* number of arguments */
} tfp_aten_call;

/* Cost of one call; TFP_ATEN_UNKNOWN where a shape is missing. */
typedef struct tfp_aten_cost {
    int64_t flops, macs, bytes; /* bytes: read and written */
} tfp_aten_cost;

/* A row of the table of formulas. */
typedef struct tfp_aten_rule {
    const char *names; /* without "aten::", separated by blanks; NAME also covers NAME_, the form that works in place */
    tfp_aten_cost (*count)(
        const tfp_aten_call *c,
        const struct tfp_aten_rule *rule); /* NULL: the operator only moves or makes data, and counts 0 */
    int64_t each;
    bool parts;                    /* composed of other operators: counts only if none of those was recorded */
    const char *formula, *meaning; /* for documentation */
    int of;                        /* the argument whose elements are counted */
} tfp_aten_rule;

/* The row of an operator ("aten::NAME") in a table whose rows begin with their names, as above; NULL: none. *in_place: it is
 * the form that works in place, which has no row of its own. */
const void *tfp_aten_row(tfp_str name, const void *rows, size_t count, size_t row_size, bool *in_place);
/* Parses the arguments of a call as the trace writes them; false when `dims` is not a list of shapes. */
bool tfp_aten_read(tfp_aten_call *c, tfp_str dims, tfp_str types, tfp_str values);
/* Reads the strides of a call whose arguments were read, as the trace writes them (`Input Strides`). */
void tfp_aten_read_strides(tfp_aten_call *c, tfp_str strides);
/* The type of the call's first tensor of floats. */
tfp_float_type tfp_aten_type(const tfp_aten_call *c);
/* Bytes of all input tensors; TFP_ATEN_UNKNOWN when the type of one is not known. */
int64_t tfp_aten_input_bytes(const tfp_aten_call *c);
/* The rule of an operator ("aten::mm", "c10d::allreduce_"), NULL when there is none. */
const tfp_aten_rule *tfp_aten_find(tfp_str name);

/* The shapes of a list of tensors, at most `most`; returns how many the list has. */
int tfp_aten_listed(const tfp_aten_input *in, tfp_aten_input *out, int most);
/* Parses an argument such as "[2, 2]" or "1" into at most `most` numbers; returns how many, 0 when it is neither. */
int tfp_aten_numbers(const tfp_aten_input *in, int64_t *out, int most);
/* The same into exactly `count`, of which a single number stands for all; false when there are others. */
bool tfp_aten_spread(const tfp_aten_input *in, int64_t *out, int count);

/* ---- the cost of a trace's calls ---- */
typedef enum tfp_aten_state {
    TFP_ATEN_NONE,     /* not an operator */
    TFP_ATEN_COUNTED,  /* has a count, perhaps 0 */
    TFP_ATEN_INSIDE,   /* an enclosing operator's count includes it */
    TFP_ATEN_PARTS,    /* the operators inside it are counted instead */
    TFP_ATEN_NO_SHAPE, /* it has a formula, but the trace lacks a shape for it */
    TFP_ATEN_NO_FORMULA
} tfp_aten_state;

/* Facts about a call, the calls around it and those inside it. */
typedef struct tfp_aten_place {
    bool covered;       /* the count of an enclosing operator includes it */
    bool known;         /* it has a count of its own */
    bool any_below;     /* some operator inside it has a count, perhaps 0 */
    bool counted_below; /* some operator inside it has a count from a formula */
} tfp_aten_place;
tfp_aten_state tfp_aten_state_of(tfp_str name, const tfp_aten_rule *rule, const tfp_aten_place *at);

typedef struct tfp_aten_set { /* calls with the same name and arguments */
    tfp_aten_cost cost;
    tfp_float_type type;
} tfp_aten_set;

typedef struct tfp_aten_work {
    tfp_aten_set *sets;
    uint32_t *set;   /* for each span: index in sets; TFP_NONE: none */
    uint32_t *cover; /* for each span: the enclosing operator whose count includes it; TFP_NONE: none */
    uint8_t *state;  /* for each span: tfp_aten_state */
} tfp_aten_work;

/* Whether the trace recorded input shapes; whether the trace or the captures of its graphs did. */
bool tfp_aten_has_shapes(const tfp_profile *p);
bool tfp_aten_recorded(const tfp_profile *p);
/* Counts every call; false when memory runs out. */
bool tfp_aten_work_out(const tfp_profile *p, tfp_aten_work *out);
void tfp_aten_work_free(tfp_aten_work *w);
/* Adds the float operations to the executions of a profile whose trace recorded shapes; false when memory runs out. */
bool tfp_aten_count_execs(tfp_profile *p);
/* The same for nodes that were made of recorded calls; with TFP_READS_PROGRAM the calls also become instructions. */
bool tfp_aten_count_recorded(tfp_profile *p);

#endif
