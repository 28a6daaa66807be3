// SPDX-License-Identifier: Apache-2.0
/* formats/xplane/eager.c: the operation in a host event's name: NAME:TYPE in a function, or an operation that
 * TensorFlow ran eagerly. Names: tensorflow/core/common_runtime/eager/execute.cc. */
#include "formats/xplane/parts.h"

/* The type in the name of an eager operation, "EagerLocalExecute: MatMul". Calls of functions ("__inference_f_81") do
 * not count, because the function's own operations do. Empty for other names. */
static tfp_str eager_type(tfp_str name)
{
    static const tfp_str none = { "", 0 }, prefix = { "EagerLocalExecute: ", 19 };
    if (!tfp_str_begins(name, prefix)) return none;
    tfp_str type = { name.data + prefix.size, name.size - prefix.size };
    return tfp_op_type_is(type) && !tfp_str_begins(type, TFP_STR("__")) ? type : none;
}

void tfp_xplane_op_of(tfp_xreader *r, tfp_str name, tfp_xmeta *m)
{
    tfp_str op, type = eager_type(name);
    m->eager = type.size > 0;
    if (m->eager)
        op = type;
    else if (!tfp_op_name_split(name, &op, &type))
        return;
    m->op = tfp_build_string(r->b, op);
    m->op_type = tfp_build_string(r->b, type);
}

void tfp_xplane_settle_eager(tfp_xreader *r)
{
    bool has_others = false;
    for (size_t i = 0; i < r->planes.size && !has_others; i++) {
        const tfp_xplane *p = &r->planes.at[i];
        if (p->kind != XP_HOST) continue;
        for (size_t k = 0; k < p->metas.size; k++) has_others |= p->metas.at[k].op && !p->metas.at[k].eager;
        for (size_t k = 0; k < p->stat_names.size; k++) has_others |= p->stat_names.at[k].known == XS_HLO_OP;
    }
    for (size_t i = 0; i < r->planes.size && has_others; i++)
        for (size_t k = 0; k < r->planes.at[i].metas.size; k++)
            if (r->planes.at[i].metas.at[k].eager) r->planes.at[i].metas.at[k].op = 0;
}
