// SPDX-License-Identifier: Apache-2.0
/* flops/aten/aten.h: float operations of PyTorch's operators (aten), from the input shapes that a trace recorded with each
 * call (`Input Dims`, `Input type`, `Concrete Inputs`). Nothing is guessed: a call whose shapes or arguments are missing
 * has no count. docs/flops.md has the formulas. */
#ifndef TFP_ATEN_H
#define TFP_ATEN_H

#include "flops/devices.h"
#include "model/model.h"

enum { TFP_ATEN_INPUTS = 48, TFP_ATEN_RANK = 12 };
#define TFP_ATEN_UNKNOWN ((int64_t)-1)

/* One argument of a call. */
typedef struct tfp_aten_input {
    bool tensor, list; /* neither: a number, a list of numbers, or nothing */
    int rank;          /* of a tensor */
    int64_t dims[TFP_ATEN_RANK];
    int64_t elements; /* of a tensor, or of all in a list */
    int64_t matrices; /* of a list: elements of those of rank 2 */
    int bytes;        /* of an element; 0: not known */
    tfp_float_type type;
    tfp_str value; /* of what is no tensor: as written, "[2, 2]", "1", "True"; empty: not recorded, or none */
} tfp_aten_input;

typedef struct tfp_aten_call {
    tfp_aten_input in[TFP_ATEN_INPUTS];
    int count; /* of arguments */
} tfp_aten_call;

/* Numbers of one call; TFP_ATEN_UNKNOWN where a shape is missing. */
typedef struct tfp_aten_cost {
    int64_t flops, macs, bytes; /* bytes that it reads and writes */
} tfp_aten_cost;

/* A row of the table of formulas. */
typedef struct tfp_aten_rule {
    const char *names; /* without "aten::", separated by blanks; NAME_ is NAME in place */
    tfp_aten_cost (*count)(const tfp_aten_call *c, const struct tfp_aten_rule *rule); /* NULL: moves or makes data, 0 */
    int64_t each;
    bool parts;                    /* made of other operators: counts only when none of them was recorded */
    const char *formula, *meaning; /* in words */
} tfp_aten_rule;

/* Arguments of a call as the trace has them; false when `dims` is no list of shapes. */
bool tfp_aten_read(tfp_aten_call *c, tfp_str dims, tfp_str types, tfp_str values);
/* The type of the first tensor of floats that it takes. */
tfp_float_type tfp_aten_type(const tfp_aten_call *c);
/* Bytes of all tensors that it takes; TFP_ATEN_UNKNOWN when the type of one is not known. */
int64_t tfp_aten_input_bytes(const tfp_aten_call *c);
/* The rule of an operator ("aten::mm", "c10d::allreduce_"), NULL when there is none. */
const tfp_aten_rule *tfp_aten_find(tfp_str name);

/* Numbers in an argument such as "[2, 2]" or "1"; how many there are, 0 when it is neither. */
int tfp_aten_numbers(const tfp_aten_input *in, int64_t *out, int most);

/* ---- what the calls of a trace take ---- */
typedef enum tfp_aten_state {
    TFP_ATEN_NONE,     /* no operator */
    TFP_ATEN_COUNTED,  /* has a count, perhaps 0 */
    TFP_ATEN_INSIDE,   /* part of an operator that counts it */
    TFP_ATEN_PARTS,    /* what it does is counted by the operators in it */
    TFP_ATEN_NO_SHAPE, /* it has a formula, and the trace lacks a shape for it */
    TFP_ATEN_NO_FORMULA
} tfp_aten_state;

/* What is known of a call and of those around and inside it. */
typedef struct tfp_aten_place {
    bool covered;                  /* an operator around it counts it */
    bool known;                    /* it has a count by itself */
    bool any_below, counted_below; /* inside it is an operator with a count; with a formula */
} tfp_aten_place;
tfp_aten_state tfp_aten_state_of(tfp_str name, const tfp_aten_rule *rule, const tfp_aten_place *at);

typedef struct tfp_aten_set { /* calls that are the same */
    tfp_aten_cost cost;
    tfp_float_type type;
} tfp_aten_set;

typedef struct tfp_aten_work {
    tfp_aten_set *sets;
    uint32_t *set;   /* by span: -> sets; TFP_NONE */
    uint32_t *cover; /* by span: the operator around it that counts it; TFP_NONE */
    uint8_t *state;  /* by span: tfp_aten_state */
} tfp_aten_work;

/* Whether a trace recorded input shapes. */
bool tfp_aten_recorded(const tfp_profile *p);
/* Works out every call; false without memory. */
bool tfp_aten_work_out(const tfp_profile *p, tfp_aten_work *out);
void tfp_aten_work_free(tfp_aten_work *w);
/* The float operations of executions, of a profile whose trace recorded shapes; false without memory. */
bool tfp_aten_count_execs(tfp_profile *p);
/* The same of nodes that were made of recorded calls, and with TFP_KEEP_PROGRAM the calls as instructions. */
bool tfp_aten_count_recorded(tfp_profile *p);

#endif
