// SPDX-License-Identifier: Apache-2.0
/* flops/core/parameters.h: which variables of a graph, SavedModel or checkpoint are parameters of the model, how many
 * elements they have, and whether they are trained. TensorFlow's tool counts the attribute `shape` of every node
 * (tfp_node_parameters); here only variables count, each once. */
#ifndef TFP_PARAMETERS_H
#define TFP_PARAMETERS_H

#include "model/tables/types.h"

typedef enum tfp_parameter_kind {
    TFP_NO_PARAMETER,
    TFP_TRAINED,     /* trainable */
    TFP_FIXED,       /* belongs to the model but is not trained: averages of a batch normalization */
    TFP_PARAMETER,   /* belongs to the model; whether it is trained is not known */
    TFP_SLOT,        /* belongs to an optimizer */
    TFP_BOOKKEEPING, /* step counters, states of random generators */
    TFP_UNUSED,      /* no signature uses it, or it is a second handle of a variable that counts elsewhere */
    TFP_PARAMETER_KINDS
} tfp_parameter_kind;

typedef struct tfp_parameter_counts {
    uint8_t *kinds; /* per node of the profile: tfp_parameter_kind */
    /* per node: a variable's DataType, 0 when it is not known; in files of weights -1 minus the tfp_strid of its
     * type */
    int32_t *dtype;
    int64_t *bytes_of;    /* per node: bytes stored in a file of weights; NULL for other files */
    int64_t *elements_of; /* per node: its elements, when it is a variable of any kind */
    int64_t *own;         /* per node: its elements when it is TFP_TRAINED, TFP_FIXED or TFP_PARAMETER, else 0 */
    int64_t elements[TFP_PARAMETER_KINDS]; /* sums by kind */
    int64_t total;                         /* of TFP_TRAINED, TFP_FIXED and TFP_PARAMETER */
    int64_t idle;                          /* of variables of the model that no signature uses, each once */
    size_t unknown;                        /* variables of the model with unknown shape: they count as 0 */
    bool clamped;                          /* a sum did not fit into 64 bits */
} tfp_parameter_counts;

/* Arrays are in `arena`. All zero for a profile with neither a program nor a checkpoint alone. Errors: TFP_NOMEM. */
tfp_status tfp_parameters(const tfp_profile *p, tfp_arena *arena, tfp_parameter_counts *out, tfp_error *err);

/* Whether every command counts parameters this way: for a SavedModel, where a variable may have several nodes with the
 * attribute `shape`, and for a checkpoint alone. For other files the column `params` has the number of TensorFlow's
 * tool. */
bool tfp_parameters_once(const tfp_profile *p);

/* The additional types of a kind for -account_type_regexes, ended by NULL: _model_variables with, where it is known,
 * _trainable_variables or _non_trainable_variables; _optimizer_variables; _bookkeeping_variables. */
const char *const *tfp_parameter_types(tfp_parameter_kind kind);

/* Gives these types to the nodes of a checkpoint alone; a graph's nodes have the types that TensorFlow's tool gives
 * them, and a report that finds parameters uses the kinds. Called at the end of adding. */
tfp_status tfp_parameters_mark(tfp_builder *b, tfp_error *err);

#endif
