// SPDX-License-Identifier: Apache-2.0
/* flops/rules/rule.h: what the rules of operations are written in. A rule is a table row an op: how the shapes of its
 * outputs follow from its inputs, and how many float operations one execution takes. A rule sees one node at a time
 * (tfp_op). Unknown is always allowed; a wrong shape or number never is: what does not fit together gives unknown. */
#ifndef TFP_RULE_H
#define TFP_RULE_H

#include "model/program.h"

/* ---- counts: not negative, or TFP_UNKNOWN; unknown and overflow give unknown ---- */
#define TFP_UNKNOWN ((int64_t)-1)
int64_t tfp_times(int64_t a, int64_t b);
int64_t tfp_plus(int64_t a, int64_t b);
int64_t tfp_minus(int64_t a, int64_t b);         /* unknown below 0 too */
int64_t tfp_over(int64_t a, int64_t b);          /* cut; unknown for b 0 */
int64_t tfp_elements(tfp_dims d);                /* the product; unknown when a dim is, unless another is 0 */
static inline int64_t tfp_dim(tfp_dims d, int i) /* i < 0 counts from the end; unknown when there is none such */
{
    if (i < 0) i += d.rank;
    return i >= 0 && i < d.rank ? d.at[i] : TFP_DIM_UNKNOWN;
}
bool tfp_dims_known(tfp_dims d);             /* fully */
bool tfp_dims_equal(tfp_dims a, tfp_dims b); /* the same text: unknowns in the same places */

/* ---- tensors: what is known of one output of one node ---- */
typedef struct tfp_held { /* what a resource or variant holds: the variable's value, a list's elements */
    tfp_dims shape;
    int dtype;  /* DataType, 0 unknown */
    bool empty; /* a list that nothing was put into yet: its elements will have this shape, or one that says more */
    tfp_dims declared; /* of a list: what it was made for, which holds for all that is ever put into it; any else */
} tfp_held;

typedef enum tfp_limit { /* of elements in the importer: what TensorFlow would use them for; fold.h */
                         TFP_ANY_USE,
                         TFP_AS_SHAPE_ONLY, /* where a shape is asked for: tfp_in_as_shape */
                         TFP_NO_FOLD        /* everything but computing with them */
} tfp_limit;

typedef struct tfp_known {
    tfp_dims shape;
    int dtype; /* DataType without the mark of references, 0 unknown */
    const double
        *elements; /* row-major, of numbers and booleans; NAN: not known. NULL: none of them is, or there are more
                               than TFP_FOLD_MAX. The shape is fully known when this is given. Exact for integers to 2^53,
                               which is more than any dimension may be. */
    const tfp_held *held; /* NULL: not known */
    tfp_limit limit;
} tfp_known;
#define TFP_FOLD_MAX 4096

/* ---- one node as its rules see it ---- */
typedef struct tfp_op_rule tfp_op_rule;
typedef struct tfp_op {
    const tfp_profile *profile;
    const tfp_program *program;
    const tfp_program_node *node;
    const tfp_op_rule *rule;
    const tfp_known *in; /* the data inputs; use tfp_in, which is harmless for those that a broken file lacks */
    uint32_t in_count;
    tfp_known *out; /* a rule for shapes fills these; at the start: type by the op's definition, nothing else known */
    uint32_t out_count;
    tfp_arena *arena;  /* for new dims and elements */
    bool importer;     /* only what TensorFlow's importer of a file finds; else all that can be known */
    const char *wrong; /* a rule's word for what does not fit together; set by tfp_wrong */
    bool no_memory;
} tfp_op;

bool tfp_op_is(const tfp_op *op, const char *name);
tfp_dims tfp_in(const tfp_op *op, uint32_t i);               /* shape of input i; any when there is none */
int tfp_in_type(const tfp_op *op, uint32_t i);               /* DataType, 0 unknown */
const double *tfp_in_elements(const tfp_op *op, uint32_t i); /* NULL when none is known */
const tfp_held *tfp_in_held(const tfp_op *op, uint32_t i);   /* NULL when not known */
/* The one element of input i as a whole number (scalar, or one element); false when it is not known or no integer. */
bool tfp_in_int(const tfp_op *op, uint32_t i, int64_t *out);
/* Input i holds a shape (a vector of dims, -1 for unknown): as far as it is known. */
tfp_dims tfp_in_as_shape(tfp_op *op, uint32_t i);
tfp_dims tfp_out(const tfp_op *op, uint32_t i); /* of output i, in rules that count */

/* ---- attributes: the fallback when one is absent or of another kind; attrs.c ---- */
bool tfp_attr_given(const tfp_op *op, const char *name);
int64_t tfp_attr_int(const tfp_op *op, const char *name, int64_t fallback);
double tfp_attr_real(const tfp_op *op, const char *name, double fallback);
bool tfp_attr_bool(const tfp_op *op, const char *name, bool fallback);
int tfp_attr_type(const tfp_op *op, const char *name, int fallback);
tfp_str tfp_attr_text(const tfp_op *op, const char *name, const char *fallback);
tfp_str tfp_attr_function(const tfp_op *op, const char *name);             /* its name; empty when absent */
tfp_dims tfp_attr_shape(const tfp_op *op, const char *name);               /* any when absent */
const tfp_attr_tensor *tfp_attr_const(const tfp_op *op, const char *name); /* NULL when absent */
const tfp_attr_list *tfp_attr_members(const tfp_op *op, const char *name); /* an empty one when absent */
/* The first `most` numbers of a list go into `out`; how many numbers there are. */
size_t tfp_attr_numbers(const tfp_op *op, const char *name, int64_t *out, size_t most);

/* ---- making shapes; all in op->arena, any after running out of memory ---- */
void tfp_set(tfp_op *op, uint32_t i, tfp_dims shape); /* output i; harmless when there is none */
void tfp_set_held(tfp_op *op, uint32_t i, tfp_dims shape, int dtype);
void tfp_set_held_list(tfp_op *op, uint32_t i, tfp_held list);
void tfp_wrong(tfp_op *op, const char *what); /* "inner dimensions differ": all outputs stay unknown */
tfp_dims tfp_shape_of(tfp_op *op, const int64_t *dims, int rank); /* copied; a negative dim is unknown */
tfp_dims tfp_vector_of(tfp_op *op, int64_t dim);
tfp_dims tfp_matrix_of(tfp_op *op, int64_t rows, int64_t columns);
tfp_dims tfp_any_of_rank(tfp_op *op, int rank);
tfp_dims tfp_part(tfp_op *op, tfp_dims d, int from,
                  int to); /* dims [from, to); to < 0 or from < 0 count from the end, TFP_TO_END: all; any of an
                                                                unknown rank or outside of it */
#define TFP_TO_END INT32_MAX
tfp_dims tfp_joined(tfp_op *op, tfp_dims a, tfp_dims b);           /* one behind the other; any when one is */
tfp_dims tfp_with_dim(tfp_op *op, tfp_dims d, int i, int64_t dim); /* dim i replaced; i < 0 counts from the end */
/* Both say the same tensor: what either knows; sets tfp_wrong and gives `a` when they differ. */
tfp_dims tfp_merge(tfp_op *op, tfp_dims a, tfp_dims b);
int64_t tfp_merge_dim(tfp_op *op, int64_t a, int64_t b);
int64_t tfp_dim_plus(tfp_op *op, int64_t a, int64_t b); /* sums of dimensions: wrong beyond 63 bits and below 0 */
int64_t tfp_dim_minus(tfp_op *op, int64_t a, int64_t b);
int64_t tfp_dim_times(tfp_op *op, int64_t a, int64_t b);
tfp_dims tfp_merge_rank(tfp_op *op, tfp_dims d, int rank);  /* d must have this rank: any of that rank, or wrong */
tfp_dims tfp_at_least(tfp_op *op, tfp_dims d, int rank);    /* d must have at least this rank, or wrong */
tfp_dims tfp_broadcast(tfp_op *op, tfp_dims a, tfp_dims b); /* as BroadcastBinaryOpOutputShapeFn does */
tfp_dims tfp_either(tfp_op *op, tfp_dims a, tfp_dims b);    /* what holds for both: dims that differ are unknown */
/* Room for the elements of output i, whose shape is set and fully known; NULL when they are too many. */
double *tfp_new_elements(tfp_op *op, uint32_t i);
/* Bytes of one element, 0 when they differ or the type is unknown. */
int tfp_type_bytes(int dtype);

/* ---- shape rules that many ops share; in shared.c ---- */
void tfp_same_as_input(tfp_op *op);                  /* every output has the shape of input 0 */
void tfp_broadcast_inputs(tfp_op *op);               /* output 0: inputs 0 and 1 broadcast */
void tfp_rank_of_input(tfp_op *op);                  /* output 0 has the rank of input 0 */
void tfp_scalar_outputs(tfp_op *op);                 /* every output is a scalar */
size_t tfp_set_listed(tfp_op *op, const char *name); /* outputs as an attribute lists them; -> how many it lists */
void tfp_listed_outputs(tfp_op *op);                 /* every output has its shape in output_shapes */
void tfp_no_outputs(tfp_op *op);
void tfp_unknown_outputs(tfp_op *op); /* TensorFlow says unknown too */
void tfp_merged_inputs(tfp_op *op);   /* every output: all inputs are of one shape */
/* Shapes written as text, such as "nd, n, d -> _d, _, d"; pattern.c tells how. */
void tfp_shape_pattern(tfp_op *op, const char *pattern);
void tfp_shape_by_pattern(tfp_op *op);                                   /* the rule's */
#define TFP_SHAPE(text) .pattern = (text), .shape = tfp_shape_by_pattern /* in place of a row's shape */
#define TFP_PATTERN(name, text)                                                                                        \
    static void name(tfp_op *op) { tfp_shape_pattern(op, text); }

/* ---- counting ---- */
typedef struct tfp_cost {
    int64_t flops, macs; /* TFP_UNKNOWN: a shape is missing */
} tfp_cost;
tfp_cost tfp_cost_of(int64_t flops);  /* no multiply-adds */
tfp_cost tfp_cost_macs(int64_t macs); /* two float operations each */
/* Shared ones; op->rule->per times what they say. */
tfp_cost tfp_count_each_output(const tfp_op *op); /* elements of output 0 */
tfp_cost tfp_count_each_input(const tfp_op *op);  /* elements of input 0 */
tfp_cost tfp_count_zero(const tfp_op *op);        /* moves or names data; needs no shape */

/* ---- the table ---- */
struct tfp_op_rule {
    const char *ops;                     /* names, one blank between them */
    void (*shape)(tfp_op *op);           /* NULL: unknown */
    tfp_cost (*count)(const tfp_op *op); /* NULL: no formula */
    int64_t per;                         /* what the shared counts multiply with */
    const char *formula;                 /* for people: "2*m*k*n"; NULL without count */
    const char *source;                  /* where the formula is from: "registry", or in words; NULL without count */
    const char *pattern;                 /* of tfp_shape_by_pattern */
};
/* The last three members of a row. */
#define TFP_EACH_OUT(per, source) tfp_count_each_output, (per), #per " * n(out)", (source)
#define TFP_EACH_IN(per, source) tfp_count_each_input, (per), #per " * n(in0)", (source)
#define TFP_MOVES tfp_count_zero, 0, "0", "moves data"
#define TFP_NO_COUNT NULL, 0, NULL, NULL

/* A list of rows that ends with an empty one; rules.c names the lists. Of one op the first row counts. */
extern const tfp_op_rule tfp_rules_math[], tfp_rules_reduce[], tfp_rules_matrix[], tfp_rules_contract[],
    tfp_rules_linalg[], tfp_rules_nn[], tfp_rules_conv[], tfp_rules_pool[], tfp_rules_norm[], tfp_rules_rnn[],
    tfp_rules_quantized[], tfp_rules_array[], tfp_rules_lookup[], tfp_rules_index[], tfp_rules_state[],
    tfp_rules_optimizer[], tfp_rules_random[], tfp_rules_sparse[], tfp_rules_segment[], tfp_rules_image[],
    tfp_rules_signal[], tfp_rules_text[], tfp_rules_data[], tfp_rules_tensor_array[], tfp_rules_list[],
    tfp_rules_control[], tfp_rules_collective[], tfp_rules_tpu[], tfp_rules_other[];
const tfp_op_rule *tfp_rule_find(tfp_str op);        /* NULL when there is none; goes through all of them */
const tfp_op_rule *tfp_rule_at(size_t i);            /* all of them, list after list; NULL past the end */
const char *tfp_rule_name(size_t i);                 /* of the i-th operation that has a rule; NULL past the end */
bool tfp_next_name(const char **ops, tfp_str *name); /* names of a row; false at the end */

/* ---- constant folding: fold.c; run after the shape rule, when output 0's shape is fully known and small ---- */
#define TFP_WHOLE(i) (1u << (i))
#define TFP_WHOLE_ALL 0x3fffffffu
#define TFP_NEVER 0x40000000u /* it does not fold such an operation */
typedef struct tfp_fold_rule {
    const char *ops;
    void (*fold)(tfp_op *op); /* sets out[i].elements where it can */
    unsigned importer;        /* TensorFlow's importer folds only when it can compute with all of these inputs */
} tfp_fold_rule;
extern const tfp_fold_rule tfp_fold_rules[]; /* ends with an empty row */

/* ---- definitions of ops, from TensorFlow's registry: opdefs.c, made by tools/opdefs.py ---- */
typedef struct tfp_opdef {
    const char *op;
    /* Outputs in order, one blank between them: "NAME:TYPE" with TYPE an attribute's name, a DataType's number (3), or
     * ATTR=NUMBER for an attribute with a default (out_type=3); before the name "N*" when attribute N tells how many
     * (N=2* with a default); "NAME:Tout[]" a list of types. "" when there are none. A "!" goes first when the op is
     * stateful: it runs in every call of its function, asked for or not. */
    const char *outputs;
} tfp_opdef;
extern const tfp_opdef tfp_opdefs[]; /* by op in byte order */
static inline bool tfp_opdef_stateful(const tfp_opdef *d) { return d && d->outputs[0] == '!'; }
static inline const char *tfp_opdef_outputs(const tfp_opdef *d) { return d ? d->outputs + tfp_opdef_stateful(d) : ""; }
extern const size_t tfp_opdef_count;
const tfp_opdef *tfp_opdef_find(tfp_str op); /* NULL when TensorFlow has no such op */

#endif
