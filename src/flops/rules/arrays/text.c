// SPDX-License-Identifier: Apache-2.0
/* flops/rules/arrays/text.c: ops on strings: text, Unicode, encodings, examples and other serialised messages, readers
 * of files. They do no float arithmetic. A comment after a function lists the op's inputs or, for parsers, its outputs.
 * TensorFlow's rules: core/ops/string_ops.cc, parsing_ops.cc, io_ops.cc, encode_proto_ops.cc, decode_proto_ops.cc. */
#include "flops/rules/shared/rule.h"

static void need_rank(tfp_op *op, uint32_t i, int rank) { tfp_merge_rank(op, tfp_in(op, i), rank); }

static tfp_dims some(tfp_op *op) { return tfp_vector_of(op, TFP_DIM_UNKNOWN); }

/* ---- text ---- */

static void join(tfp_op *op) /* scalars combine with any shape */
{
    tfp_dims all = TFP_SCALAR_DIMS;
    for (uint32_t i = 0; i < op->in_count; i++) {
        tfp_dims d = tfp_in(op, i);
        if (d.rank > 0) all = all.rank > 0 ? tfp_merge(op, all, d) : d;
        if (d.rank < 0 && all.rank == 0) all = TFP_ANY_DIMS;
    }
    tfp_set(op, 0, all);
}

static void part_of_text(tfp_op *op) /* text, begin, length */
{
    tfp_merge(op, tfp_in(op, 1), tfp_in(op, 2));
    tfp_broadcast_inputs(op);
}

static void join_along(tfp_op *op) /* text, axes */
{
    tfp_dims text = tfp_in(op, 0);
    bool keep = tfp_attr_bool(op, "keep_dims", false), gone[TFP_RANK_MOST] = { false };
    const double *axes = tfp_in_elements(op, 1);
    int64_t count = tfp_in_size(op, 1), dims[TFP_RANK_MOST];
    if (text.rank < 0) return;
    bool told = axes && count >= 0;
    for (int64_t k = 0; told && k < count; k++) {
        if (!(axes[k] >= -TFP_RANK_MOST && axes[k] <= TFP_RANK_MOST)) {
            told = false; /* unknown, or out of range */
            break;
        }
        int axis = (int)axes[k] + (axes[k] < 0 ? text.rank : 0);
        if (tfp_wrong_if(op, axis < 0 || axis >= text.rank, "an axis outside of the rank")) return;
        gone[axis] = true;
    }
    if (!told) {
        if (keep) tfp_set(op, 0, tfp_any_of_rank(op, text.rank));
        return;
    }
    int rank = 0;
    for (int i = 0; i < text.rank; i++) {
        if (!gone[i] || keep) dims[rank++] = gone[i] ? 1 : text.at[i];
    }
    tfp_set(op, 0, tfp_shape_of(op, dims, rank));
}

static void code_points(tfp_op *op) /* where each string ends, its characters, (where each of them begins) */
{
    tfp_set(op, 0, tfp_vector_of(op, tfp_plus(tfp_in_size(op, 0), 1)));
    tfp_set(op, 1, some(op));
    tfp_set(op, 2, some(op));
}

/* ---- bytes to numbers ---- */

static void decode_padded(tfp_op *op) /* bytes, how many of them */
{
    int64_t width = TFP_DIM_UNKNOWN, bytes = tfp_type_bytes(tfp_attr_type(op, "out_type", 0));
    if (tfp_in_int(op, 1, &width) && (width <= 0 || bytes == 0 || width % bytes != 0)) {
        tfp_wrong(op, "a length that is no multiple of the type's");
    }
    tfp_set(op, 0, tfp_joined(op, tfp_in(op, 0), tfp_vector_of(op, tfp_over(width, bytes))));
}

/* ---- examples ---- */

typedef struct filling { /* outputs are set in their order */
    tfp_op *op;
    uint32_t at;
} filling;

static void give(filling *f, int64_t count, tfp_dims d)
{
    for (; count > 0 && f->at < f->op->out_count; count--) tfp_set(f->op, f->at++, d);
}

/* Indices, values and shapes of `attr` sparse tensors. */
static void give_sparse(filling *f, const char *attr, int64_t rank)
{
    int64_t count = tfp_attr_int(f->op, attr, 0);
    give(f, count, tfp_matrix_of(f->op, TFP_DIM_UNKNOWN, rank));
    give(f, count, some(f->op));
    give(f, count, tfp_vector_of(f->op, rank));
}

/* Tensors with the shapes that the attribute lists, one for each example. */
static void give_dense(filling *f, const char *attr, tfp_dims examples)
{
    const tfp_attr_list *list = tfp_attr_members(f->op, attr);
    for (size_t i = 0; i < list->shape_count && f->at < f->op->out_count; i++)
        give(f, 1, tfp_joined(f->op, examples, list->shapes[i]));
}

static int64_t rank_and(tfp_dims examples, int more)
{
    return examples.rank < 0 ? TFP_DIM_UNKNOWN : examples.rank + more;
}

/* Row splits of a ragged tensor with one row for each example. */
static tfp_dims row_ends(tfp_op *op, tfp_dims examples) { return tfp_vector_of(op, tfp_plus(tfp_dim(examples, 0), 1)); }

static void parse_examples(tfp_op *op)
{
    filling f = { op, 0 };
    tfp_dims examples = tfp_merge_rank(op, tfp_in(op, 0), 1);
    need_rank(op, 1, 1);
    give_sparse(&f, "Nsparse", 2);
    give_dense(&f, "dense_shapes", examples);
}

static void parse_examples_v2(tfp_op *op)
{
    filling f = { op, 0 };
    tfp_dims examples = tfp_in(op, 0);
    int64_t ragged = (int64_t)tfp_attr_members(op, "ragged_value_types")->size;
    give_sparse(&f, "num_sparse", rank_and(examples, 1));
    give_dense(&f, "dense_shapes", examples);
    give(&f, ragged, some(op));
    give(&f, ragged, row_ends(op, examples));
}

static void parse_example(tfp_op *op)
{
    filling f = { op, 0 };
    need_rank(op, 0, 0);
    give_sparse(&f, "num_sparse", 1);
    give_dense(&f, "dense_shapes", TFP_SCALAR_DIMS);
}

static void parse_sequence(tfp_op *op) /* of a single example */
{
    filling f = { op, 0 };
    need_rank(op, 0, 0);
    need_rank(op, 1, 1);
    give_sparse(&f, "Ncontext_sparse", 1);
    give_dense(&f, "context_dense_shapes", TFP_SCALAR_DIMS);
    give_sparse(&f, "Nfeature_list_sparse", 2);
    give_dense(&f, "feature_list_dense_shapes", some(op));
}

/* The features with a value at each step: sparse ones, dense ones, and the number of steps. */
static void give_steps(filling *f, tfp_dims examples)
{
    give_sparse(f, "Nfeature_list_sparse", rank_and(examples, 2));
    give_dense(f, "feature_list_dense_shapes", tfp_joined(f->op, examples, some(f->op)));
    give(f, tfp_attr_int(f->op, "Nfeature_list_dense", 0), examples);
}

static void parse_sequences(tfp_op *op)
{
    filling f = { op, 0 };
    tfp_dims examples = tfp_merge_rank(op, tfp_in(op, 0), 1);
    need_rank(op, 1, 1);
    give_sparse(&f, "Ncontext_sparse", 2);
    give_dense(&f, "context_dense_shapes", examples);
    give_steps(&f, examples);
}

static void parse_sequences_v2(tfp_op *op)
{
    filling f = { op, 0 };
    tfp_dims examples = tfp_in(op, 0);
    int64_t ragged = (int64_t)tfp_attr_members(op, "context_ragged_value_types")->size;
    int64_t ragged_steps = (int64_t)tfp_attr_members(op, "feature_list_ragged_value_types")->size;
    give_sparse(&f, "Ncontext_sparse", rank_and(examples, 1));
    give_dense(&f, "context_dense_shapes", examples);
    give(&f, ragged, some(op));
    give(&f, ragged, row_ends(op, examples));
    give_steps(&f, examples);
    give(&f, ragged_steps, some(op));
    give(&f, ragged_steps, row_ends(op, examples));
    give(&f, ragged_steps, some(op));
}

static void columns(tfp_op *op) /* records, a default for each column */
{
    for (uint32_t i = 1; i < op->in_count; i++) {
        tfp_dims d = tfp_in(op, i);
        if (d.rank > 1 || tfp_dim(d, 0) > 1) tfp_wrong(op, "a default of more than one element");
    }
    tfp_same_as_input(op);
}

static void decode_message(tfp_op *op) /* how many values each field has, and the values */
{
    tfp_dims messages = tfp_in(op, 0), values = tfp_joined(op, messages, some(op));
    int64_t fields = (int64_t)tfp_attr_members(op, "output_types")->size;
    tfp_set(op, 0, tfp_joined(op, messages, tfp_vector_of(op, fields)));
    for (uint32_t i = 1; i < op->out_count; i++) tfp_set(op, i, values);
}

static void encode_message(tfp_op *op) /* how many values each field has, the values */
{
    tfp_dims messages = TFP_ANY_DIMS;
    for (uint32_t i = 1; i < op->in_count; i++) {
        messages = tfp_merge(op, messages, tfp_part(op, tfp_at_least(op, tfp_in(op, i), 1), 0, -1));
    }
    tfp_set(op, 0, messages);
}

/* ---- files ---- */

static void records(tfp_op *op)
{
    int64_t batch = tfp_attr_int(op, "batch_size", 32);
    if (batch > 0) tfp_set(op, 0, tfp_vector_of(op, batch));
}

#define TEXT tfp_count_zero, 0, "0", "text, no float arithmetic"
#define PARSES tfp_count_zero, 0, "0", "bytes to values, no float arithmetic"

const tfp_op_rule tfp_rules_text[] = {
    { "AsString StringLength StringLower StringUpper StringStrip StringToHashBucket StringToHashBucketFast "
      "StringToHashBucketStrong StringToNumber StaticRegexFullMatch StaticRegexReplace UnicodeScript UnicodeTranscode "
      "EncodeBase64 DecodeBase64",
      tfp_same_as_input, TEXT },
    { "StringFormat", tfp_scalar_outputs, TEXT },
    { "StringJoin", join, TEXT },
    { "StringNGrams", TFP_SHAPE("_, n -> _, n"), TEXT },
    { "StringSplit StringSplitV2", TFP_SHAPE("_, () -> _2, _, 2"), TEXT },
    { "Substr", part_of_text, TEXT },
    { "ReduceJoin", join_along, TEXT },
    { "RegexFullMatch RegexReplace", TFP_SHAPE("A, (), () -> A"), TEXT },
    { "UnicodeDecode UnicodeDecodeWithOffsets", code_points, TEXT },
    { "UnicodeEncode", TFP_SHAPE("_, n -> n-"), TEXT },

    { "DecodeRaw", TFP_SHAPE("A -> A_"), PARSES },
    { "DecodePaddedRaw", decode_padded, PARSES },
    { "DecodeCompressed DecodeJSONExample", tfp_same_as_input, PARSES },
    { "DecodeCSV", columns, PARSES },
    { "DecodeProtoV2", decode_message, PARSES },
    { "EncodeProto", encode_message, PARSES },
    { "ParseTensor", tfp_unknown_outputs, PARSES },
    { "SerializeTensor", tfp_scalar_outputs, PARSES },
    { "ParseExample", parse_examples, PARSES },
    { "ParseExampleV2", parse_examples_v2, PARSES },
    { "ParseSingleExample", parse_example, PARSES },
    { "ParseSingleSequenceExample", parse_sequence, PARSES },
    { "ParseSequenceExample", parse_sequences, PARSES },
    { "ParseSequenceExampleV2", parse_sequences_v2, PARSES },

    { "RecordInput", records, TFP_MOVES },
    { "WholeFileReader TextLineReader FixedLengthRecordReader TFRecordReader LMDBReader IdentityReader",
      TFP_SHAPE("-> 2"), TFP_MOVES },
    { "WholeFileReaderV2 TextLineReaderV2 FixedLengthRecordReaderV2 TFRecordReaderV2 IdentityReaderV2 ReaderRead "
      "ReaderReadV2 ReaderNumRecordsProduced ReaderNumRecordsProducedV2 ReaderNumWorkUnitsCompleted "
      "ReaderNumWorkUnitsCompletedV2 ReaderSerializeState ReaderSerializeStateV2",
      tfp_scalar_outputs, TFP_MOVES },
    { "ReaderReadUpTo ReaderReadUpToV2", TFP_SHAPE("-> _, _"), TFP_MOVES },
    { "ReaderRestoreState ReaderRestoreStateV2 ReaderReset ReaderResetV2", tfp_no_outputs, TFP_MOVES },
    { NULL },
};
