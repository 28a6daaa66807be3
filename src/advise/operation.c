/* advise/operation.c: operations that have a faster form. */
#include "advise/checker.h"

#include "model/builder.h"

static bool has_type(const tfp_profile *p, uint32_t node, tfp_str type)
{
    for (TFP_EACH(types, t, p->nodes.at[node].type_first, p))
        if (tfp_str_eq(tfp_text(p, p->types.at[t].name), type)) return true;
    return false;
}

/* "FusedBatchNorm" exactly: TensorFlow's check does not know its later versions. */
static tfp_status check(tfp_report *r, uint32_t row, tfp_error *err)
{
    const tfp_profile *p = r->profile;
    bool batch_norm = false, fused = false, nhwc = false;
    for (uint32_t i = 0; i < p->nodes.size; i++) {
        const tfp_node *n = &p->nodes.at[i];
        batch_norm = batch_norm || tfp_str_has(tfp_text(p, n->name), TFP_STR("BatchNorm"));
        fused = fused || has_type(p, i, TFP_STR("FusedBatchNorm"));
        nhwc = nhwc || (n->data_format && tfp_str_eq(tfp_text(p, n->data_format), TFP_STR("NHWC")) &&
                        tfp_device_is_accelerator(tfp_text(p, n->device)));
    }
    tfp_status s = TFP_OK;
    if (batch_norm && !fused)
        s = tfp_checker_find(r, row, TFP_STR("Maybe use faster FusedBatchNorm instead of BatchNorm"), err);
    if (nhwc && !s)
        s = tfp_checker_find(r, row, TFP_STR("Found operation using NHWC data_format on GPU. Maybe NCHW is faster."),
                             err);
    return s;
}

const tfp_checker tfp_checker_operation = { "OperationChecker",
                                            "Batch normalisation that is not fused, and NHWC data on a GPU.", true,
                                            check };
