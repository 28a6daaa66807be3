// SPDX-License-Identifier: Apache-2.0
/* flops/rules/onnx/onnx.c: the lists of rules for ONNX. */
#include "flops/rules/onnx/onnx.h"

const tfp_op_rule *const tfp_onnx_rules[] = { tfp_onnx_products, tfp_onnx_attention, tfp_onnx_bodies,
                                              tfp_onnx_contrib,  tfp_onnx_elements,  tfp_onnx_images,
                                              tfp_onnx_learned,  tfp_onnx_arrays,    NULL };
