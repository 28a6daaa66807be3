// SPDX-License-Identifier: Apache-2.0
/* formats/json/kineto_names.c: what an event's name means. Each distinct name is looked at once (kineto_merge.c). */
#include "formats/json/kineto.h"
#include "model/span_names.h"
#include "model/tables/span_kinds.h"

uint8_t tfp_kineto_look_at_name(tfp_str name)
{
    tfp_step_name step;
    uint8_t bits = 0;
    if (tfp_step_name_of(name, &step)) bits |= TFP_KINETO_STEP;
    if (tfp_str_begins(name, TFP_STR("Optimizer.step#"))) bits |= TFP_KINETO_OPTIMIZER;
    if (tfp_str_begins(name, TFP_STR("nn.Module: "))) bits |= TFP_KINETO_MODULE;
    if (tfp_str_begins(name, TFP_STR("Memcpy"))) bits |= TFP_KINETO_COPY_NAME;
    if (tfp_str_begins(name, TFP_STR("Memset"))) bits |= TFP_KINETO_SET_NAME;
    if (tfp_str_eq(name, TFP_STR("dma_request"))) bits |= TFP_KINETO_COPY_NAME; /* MTIA */
    if (tfp_str_begins(name, TFP_STR("MEMCPY"))) bits |= TFP_KINETO_COPY_NAME;  /* Ascend */
    if (tfp_is_collective_kernel(name)) bits |= TFP_KINETO_COLLECTIVE_NAME;
    if (tfp_is_collective_range(name)) bits |= TFP_KINETO_COLLECTIVE_RANGE;
    if (tfp_is_collective_op(name)) bits |= TFP_KINETO_COLLECTIVE_OP;
    return bits;
}

uint8_t tfp_kineto_kernel_class(uint8_t name)
{
    if (name & TFP_KINETO_COPY_NAME) return TFP_CLASS_COPY;
    if (name & TFP_KINETO_SET_NAME) return TFP_CLASS_SET;
    return name & TFP_KINETO_COLLECTIVE_NAME ? TFP_CLASS_COMMUNICATION : TFP_CLASS_COMPUTE;
}
