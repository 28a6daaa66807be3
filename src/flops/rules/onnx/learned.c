// SPDX-License-Identifier: Apache-2.0
/* flops/rules/onnx/learned.c: models of the domain ai.onnx.ml: linear models and what prepares their features. Trees have
 * no formula: how many of their branches a row takes depends on it. */
#include "flops/rules/onnx/onnx.h"

/* [rows, targets]; a vector is one row. */
static int64_t rows_of(const tfp_op *op)
{
    tfp_dims in = tfp_in(op, 0);
    return in.rank < 0 ? TFP_UNKNOWN : in.rank < 2 ? 1 : in.at[0];
}

static void regressed(tfp_op *op) { tfp_set(op, 0, tfp_matrix_of(op, rows_of(op), tfp_attr_int(op, "targets", 1))); }

/* Labels, and for each row a score of each class. */
static void classified(tfp_op *op)
{
    const tfp_attr_list *numbers = tfp_attr_members(op, "classlabels_ints"),
                        *texts = tfp_attr_members(op, "classlabels_strings");
    size_t classes = numbers->number_count ? numbers->number_count : texts->text_count;
    tfp_set(op, 0, tfp_vector_of(op, rows_of(op)));
    tfp_set(op, 1, tfp_matrix_of(op, rows_of(op), classes ? (int64_t)classes : TFP_DIM_UNKNOWN));
}

static tfp_cost count_linear(const tfp_op *op)
{
    size_t weights = tfp_attr_members(op, "coefficients")->real_count;
    return tfp_cost_macs(tfp_times(rows_of(op), weights ? (int64_t)weights : TFP_UNKNOWN));
}

const tfp_op_rule tfp_onnx_learned[] = {
    { "ai.onnx.ml::LinearRegressor", regressed, count_linear, 0, "2 * rows * n(coefficients)", "a product and a sum" },
    { "ai.onnx.ml::LinearClassifier", classified, count_linear, 0, "2 * rows * n(coefficients)",
      "a product and a sum" },
    { "ai.onnx.ml::Scaler", tfp_same_as_input, TFP_EACH_IN(2, "a difference and a product") },
    { "ai.onnx.ml::Normalizer", tfp_same_as_input, TFP_EACH_IN(3, "square, sum, division") },
    { "ai.onnx.ml::Imputer ai.onnx.ml::Binarizer", tfp_same_as_input, TFP_EACH_IN(1, "a comparison an element") },
    { "ai.onnx.ml::LabelEncoder ai.onnx.ml::CategoryMapper", tfp_same_as_input, TFP_MOVES },
    { "ai.onnx.ml::CastMap ai.onnx.ml::DictVectorizer ai.onnx.ml::FeatureVectorizer ai.onnx.ml::OneHotEncoder "
      "ai.onnx.ml::ArrayFeatureExtractor ai.onnx.ml::ZipMap",
      NULL, TFP_MOVES },
    { NULL },
};
