// SPDX-License-Identifier: Apache-2.0
/* flops/rules/shared/rule.h: the interface of operation rules. A rule is a table row for one or more ops: how the
 * shapes of the outputs follow from the inputs, and how many float operations one execution takes. A rule sees one node
 * at a time (tfp_op). It may always answer unknown, but never a wrong shape or number: inputs that do not fit together
 * give unknown. */
#ifndef TFP_RULE_H
#define TFP_RULE_H

#include "cost/cost.h"
#include "model/program.h"

/* ---- counts (cost/cost.h) ---- */
int64_t tfp_elements(tfp_dims d);                /* product of the dims; unknown when a dim is, unless another is 0 */
static inline int64_t tfp_dim(tfp_dims d, int i) /* i < 0 counts from the end; unknown when out of range */
{
    if (i < 0) i += d.rank;
    return i >= 0 && i < d.rank ? d.at[i] : TFP_DIM_UNKNOWN;
}
static inline int64_t tfp_either_count(int64_t a, int64_t b) { return a >= 0 ? a : b; } /* the known one */
int64_t tfp_dim_least(int64_t a, int64_t b); /* 0 when either is 0; unknown when either is */
bool tfp_dims_known(tfp_dims d);             /* no unknown dim, known rank */
bool tfp_dims_equal(tfp_dims a, tfp_dims b); /* equal, with unknown dims in the same places */

/* ---- tensors: facts about one output of one node ---- */
typedef struct tfp_held { /* the tensor behind a resource or variant: a variable's value, a list's elements */
    tfp_dims shape;
    int dtype;         /* DataType, 0 unknown */
    bool empty;        /* a list that is still empty: its elements will have this shape, or a more precise one */
    tfp_dims declared; /* for a list: the shape with which it was made, which holds for every element; any otherwise */
} tfp_held;

typedef enum tfp_limit { /* how far TensorFlow's importer would use the elements; fold.h */
                         TFP_ANY_USE,
                         TFP_AS_SHAPE_ONLY, /* only where a shape is needed: tfp_in_as_shape */
                         TFP_NO_FOLD        /* everything but folding */
} tfp_limit;

typedef struct tfp_known {
    tfp_dims shape;
    int dtype; /* DataType without the reference flag, 0 unknown */
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
typedef struct tfp_fold_rule tfp_fold_rule;
typedef struct tfp_op {
    const tfp_profile *profile;
    const tfp_program *program;
    const tfp_program_node *node;
    const tfp_op_rule *rule;
    const tfp_fold_rule *fold;
    const tfp_known *in; /* the data inputs; read them with tfp_in, which accepts an index that a broken file lacks */
    uint32_t in_count;
    tfp_known *out; /* filled by the shape rule; initially only the type from the op's definition is known */
    uint32_t out_count;
    tfp_arena *arena;  /* for new dims and elements */
    bool importer;     /* infer only as much as TensorFlow's importer; otherwise everything possible */
    const char *wrong; /* the mismatch in words; set by tfp_wrong */
    bool no_memory;
} tfp_op;

bool tfp_op_is(const tfp_op *op, const char *name);
tfp_dims tfp_in(const tfp_op *op, uint32_t i);               /* shape of input i; any when there is no such input */
int tfp_in_type(const tfp_op *op, uint32_t i);               /* DataType, 0 unknown */
const double *tfp_in_elements(const tfp_op *op, uint32_t i); /* NULL when none is known */
const tfp_held *tfp_in_held(const tfp_op *op, uint32_t i);   /* NULL when not known */
/* The single element of input i as a whole number; false when it is not known or no integer. */
bool tfp_in_int(const tfp_op *op, uint32_t i, int64_t *out);
/* Input i is a shape (a vector of dims, -1 for unknown): returns it as far as known. */
tfp_dims tfp_in_as_shape(tfp_op *op, uint32_t i);
tfp_dims tfp_out(const tfp_op *op, uint32_t i);    /* shape of output i, for counts */
int64_t tfp_in_size(const tfp_op *op, uint32_t i); /* elements of input i, as tfp_elements */
int64_t tfp_out_size(const tfp_op *op, uint32_t i);

/* ---- attributes: return the fallback when absent or of another kind; attrs.c ---- */
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
/* Copies the first `most` numbers of a list to `out`; returns how many the list has. */
size_t tfp_attr_numbers(const tfp_op *op, const char *name, int64_t *out, size_t most);

/* ---- making shapes; all in op->arena; any when memory runs out ---- */
void tfp_set(tfp_op *op, uint32_t i, tfp_dims shape); /* output i; ignored when there is no such output */
void tfp_set_held(tfp_op *op, uint32_t i, tfp_dims shape, int dtype);
void tfp_set_held_list(tfp_op *op, uint32_t i, tfp_held list);
void tfp_wrong(tfp_op *op,
               const char *what); /* records a mismatch ("inner dimensions differ"): all outputs become unknown */
bool tfp_wrong_if(tfp_op *op, bool wrong, const char *what);      /* the same, if it is wrong; returns that */
tfp_dims tfp_shape_of(tfp_op *op, const int64_t *dims, int rank); /* copied; a negative dim is unknown */
tfp_dims tfp_vector_of(tfp_op *op, int64_t dim);
tfp_dims tfp_matrix_of(tfp_op *op, int64_t rows, int64_t columns);
tfp_dims tfp_any_of_rank(tfp_op *op, int rank);
tfp_dims tfp_part(tfp_op *op, tfp_dims d, int from,
                  int to); /* dims [from, to); to < 0 or from < 0 count from the end, TFP_TO_END: all; any of an
                                                                unknown rank or outside of it */
#define TFP_TO_END INT32_MAX
tfp_dims tfp_joined(tfp_op *op, tfp_dims a, tfp_dims b);           /* concatenated dims; any when one is any */
tfp_dims tfp_with_dim(tfp_op *op, tfp_dims d, int i, int64_t dim); /* dim i replaced; i < 0 counts from the end */
/* Two facts about one tensor: merges them; when they contradict each other calls tfp_wrong and returns `a`. */
tfp_dims tfp_merge(tfp_op *op, tfp_dims a, tfp_dims b);
int64_t tfp_merge_dim(tfp_op *op, int64_t a, int64_t b);
int64_t tfp_dim_plus(tfp_op *op, int64_t a,
                     int64_t b); /* arithmetic of dimensions: tfp_wrong beyond 63 bits and below 0 */
int64_t tfp_dim_minus(tfp_op *op, int64_t a, int64_t b);
int64_t tfp_dim_times(tfp_op *op, int64_t a, int64_t b);
tfp_dims tfp_merge_rank(tfp_op *op, tfp_dims d, int rank);  /* d must have this rank; tfp_wrong otherwise */
tfp_dims tfp_at_least(tfp_op *op, tfp_dims d, int rank);    /* d must have at least this rank, or tfp_wrong */
tfp_dims tfp_broadcast(tfp_op *op, tfp_dims a, tfp_dims b); /* as BroadcastBinaryOpOutputShapeFn does */
/* known_values.c: whether two lists or variables hold elements of the same shape and type; what is known in either of
 * two cases, NULL when nothing is. */
bool tfp_same_held(const tfp_held *a, const tfp_held *b);
const tfp_held *tfp_either_held(tfp_op *op, const tfp_held *a, const tfp_held *b);
/* Intersects two facts that both hold; where they contradict each other neither is used. *agree, if not NULL, says
 * whether they agree. */
tfp_dims tfp_both_true(tfp_op *op, tfp_dims a, tfp_dims b, bool *agree);
tfp_dims tfp_either(tfp_op *op, tfp_dims a, tfp_dims b); /* what holds for both: dims that differ are unknown */
/* Memory for the elements of output i, whose shape is set and fully known; NULL when there are too many. */
double *tfp_new_elements(tfp_op *op, uint32_t i);
/* Bytes of one element; 0 when elements differ in size or the type is unknown. */
int tfp_type_bytes(int dtype);

/* ---- shape rules that many ops share; in shared.c ---- */
void tfp_same_as_input(tfp_op *op);                  /* every output has the shape of input 0 */
void tfp_broadcast_inputs(tfp_op *op);               /* output 0: inputs 0 and 1 broadcast */
void tfp_rank_of_input(tfp_op *op);                  /* output 0 has the rank of input 0 */
void tfp_scalar_outputs(tfp_op *op);                 /* every output is a scalar */
size_t tfp_set_listed(tfp_op *op, const char *name); /* outputs as an attribute lists them; returns how many */
void tfp_listed_outputs(tfp_op *op);                 /* every output has its shape in output_shapes */
void tfp_no_outputs(tfp_op *op);
void tfp_unknown_outputs(tfp_op *op); /* for ops whose outputs TensorFlow does not know either */
void tfp_merged_inputs(tfp_op *op);   /* every output has the one shape of all inputs */
enum { TFP_PARTS_MAX = 16 };
void tfp_split_nd(tfp_op *op, tfp_dims d); /* outputs: d in equal parts; attributes num_splits, paddings */
/* Shapes written as text, such as "nd, n, d -> _d, _, d"; described in pattern.c. */
void tfp_shape_pattern(tfp_op *op, const char *pattern);
/* Dimension `which` of the vector of sizes in input i; the importer knows all of a vector or nothing. */
int64_t tfp_told_dim(tfp_op *op, uint32_t i, int64_t which);
void tfp_shape_by_pattern(tfp_op *op);                                   /* by the rule's pattern */
#define TFP_SHAPE(text) .pattern = (text), .shape = tfp_shape_by_pattern /* in place of a row's shape */
#define TFP_SHAPE_AFTER(function, text) .first = (function), TFP_SHAPE(text)

/* ---- counting ---- */
typedef struct tfp_cost {
    int64_t flops, macs; /* TFP_UNKNOWN: a shape is missing */
} tfp_cost;
tfp_cost tfp_cost_of(int64_t flops);  /* no multiply-adds */
tfp_cost tfp_cost_macs(int64_t macs); /* two float operations each */
/* Shared counts; the result is multiplied by op->rule->per. */
tfp_cost tfp_count_each_output(const tfp_op *op); /* elements of output 0 */
tfp_cost tfp_count_each_input(const tfp_op *op);  /* elements of the input that the row's `of` names */
tfp_cost tfp_count_zero(const tfp_op *op);        /* moves or names data; needs no shape */

/* ---- the table ---- */
struct tfp_op_rule {
    const char *ops;                     /* names, one blank between them */
    void (*shape)(tfp_op *op);           /* NULL: unknown */
    tfp_cost (*count)(const tfp_op *op); /* NULL: no formula */
    int64_t per;                         /* factor of the shared counts */
    const char *formula;                 /* for people: "2*m*k*n"; NULL without count */
    const char *source;                  /* origin of the formula: "registry", or in words; NULL without count */
    const char *pattern;                 /* for tfp_shape_by_pattern */
    void (*first)(tfp_op *op);           /* sets those outputs that are "=" in the pattern */
    uint32_t of;                         /* for tfp_count_each_input */
};
/* The last members of rows: count, per, formula and source. */
#define TFP_EACH_OUT(per, source) tfp_count_each_output, (per), #per " * n(out)", (source)
#define TFP_EACH_IN(per, source) tfp_count_each_input, (per), #per " * n(in0)", (source)
#define TFP_EACH_OF(input, per, formula, source) tfp_count_each_input, (per), (formula), (source), .of = (input)
#define TFP_MOVES tfp_count_zero, 0, "0", "moves data"
#define TFP_NO_COUNT NULL, 0, NULL, NULL

/* Lists of rows, each ended by an empty one; rules.c names the lists. The first row of an op wins. */
extern const tfp_op_rule tfp_rules_math[], tfp_rules_reduce[], tfp_rules_matrix[], tfp_rules_contract[],
    tfp_rules_linalg[], tfp_rules_nn[], tfp_rules_conv[], tfp_rules_pool[], tfp_rules_norm[], tfp_rules_rnn[],
    tfp_rules_quantized[], tfp_rules_array[], tfp_rules_lookup[], tfp_rules_index[], tfp_rules_state[],
    tfp_rules_optimizer[], tfp_rules_random[], tfp_rules_sparse[], tfp_rules_segment[], tfp_rules_image[],
    tfp_rules_signal[], tfp_rules_text[], tfp_rules_data[], tfp_rules_tensor_array[], tfp_rules_list[],
    tfp_rules_control[], tfp_rules_collective[], tfp_rules_tpu[], tfp_rules_other[];
const tfp_op_rule *tfp_rule_find(tfp_str op); /* NULL when there is none; a linear search */
const char *tfp_rule_name(size_t i);          /* name of the i-th operation with a rule; NULL past the end */

/* ---- constant folding: flops/fold; run after the shape rule, when output 0's shape is fully known and small ---- */
#define TFP_WHOLE(i) (1u << (i))
#define TFP_WHOLE_ALL 0x3fffffffu
#define TFP_NEVER 0x40000000u /* the importer does not fold this operation */
struct tfp_fold_rule {
    const char *ops;
    void (*fold)(tfp_op *op); /* sets out[i].elements where it can; this row is op->fold */
    unsigned importer;        /* TensorFlow's importer folds only when it can compute with all of these inputs */
    double (*one)(int dtype, double a); /* what is done with an element, or a pair; dtype: of the operands */
    double (*two)(int dtype, double a, double b);
    double number; /* a number that the function takes */
};
/* Lists of rows, each ended by an empty one; rules.c names the lists. */
extern const tfp_fold_rule tfp_folds_values[], tfp_folds_math[], tfp_folds_reduce[], tfp_folds_move[],
    tfp_folds_index[];

/* ---- definitions of ops, from TensorFlow's registry: opdefs.c, made by tools/opdefs.py ---- */
typedef struct tfp_opdef {
    /* Outputs in order, one blank between them: "NAME:TYPE" with TYPE an attribute's name, a DataType's number (3), or
     * ATTR=NUMBER for an attribute with a default (out_type=3); before the name "N*" when attribute N tells how many
     * (N=2* with a default); "NAME:Tout[]" a list of types. A single one has no name. "" when there are none. A "!" goes
     * first when the op is stateful: it runs in every call of its function, used or not. */
    const char *outputs;
    const char *ops; /* the ops that have them, one blank between them */
} tfp_opdef;
extern const tfp_opdef tfp_opdefs[]; /* ends with an empty row */
#define TFP_USUAL_OUTPUTS ":T"       /* of an op that has a rule and no row there */

#endif
