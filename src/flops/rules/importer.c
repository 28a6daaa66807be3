// SPDX-License-Identifier: Apache-2.0
/* flops/rules/importer.c: ops of which TensorFlow's importer of a graph knows less than the rules: an overlay of their
 * table, used when its op log is asked for (-float_ops_source tensorflow). Differences within a rule are in the rule,
 * under op->importer. Source: tensorflow/core/ops and their shape functions. */
#include "flops/core/rule_index.h"

/* The importer takes the first of two shapes that must be equal. */
static void first_of_two(tfp_op *op)
{
    tfp_merge(op, tfp_in(op, 0), tfp_in(op, 1));
    tfp_set(op, 0, tfp_in(op, 0));
}

/* clang-format off */
const tfp_importer_rule tfp_importer_rules[] = {
    /* forms of old graphs (before versions 14 and 16), and ops without a shape function */
    { "BatchCholesky BatchCholeskyGrad BatchMatrixInverse BatchMatrixDeterminant BatchSelfAdjointEig "
      "BatchSelfAdjointEigV2 BatchSvd BatchMatrixSolve BatchMatrixTriangularSolve BatchMatrixSolveLs BatchMatrixDiag "
      "BatchMatrixDiagPart BatchMatrixSetDiag BatchMatrixBandPart BatchFFT BatchFFT2D BatchFFT3D BatchIFFT BatchIFFT2D "
      "BatchIFFT3D RiscCholesky RiscTriangularSolve RiscFft XlaSelfAdjointEig HostConst TileGrad XlaSplitND XlaConcatND "
      "XlaSetBound ReadVariableXlaSplitND RaggedBincount RecordInput", .shape = tfp_unknown_outputs },
    { "XlaConv XlaConvV2 XlaSelectAndScatter", .shape = tfp_rank_of_input },
    { "ApproximateEqual", .shape = first_of_two },
    /* the importer uses these inputs only when it knows all of their elements */
    { "Transpose ConjugateTranspose SplitV Pad PadV2 MirrorPad MirrorPadGrad SpaceToBatch BatchToSpace",
      .whole = TFP_WHOLE(1) },
    { "SpaceToBatchND BatchToSpaceND", .whole = TFP_WHOLE(1) | TFP_WHOLE(2) },
    /* the importer does not know what these handles hold */
    { "IdentityN TensorArrayV2 FIFOQueueV2 PaddingFIFOQueueV2 RandomShuffleQueueV2 ResourceConditionalAccumulator "
      "HashTableV2 AnonymousHashTable", .forgets_held = true },
    { NULL },
};
/* clang-format on */
