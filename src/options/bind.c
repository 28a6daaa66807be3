// SPDX-License-Identifier: Apache-2.0
/* options/bind.c: values for the parameters of a query. Each is kept under its name until
 * tfp_options_free; binding a name again replaces its value. */
#include "options/options.h"

static tfp_binding *slot_of(tfp_bindings *b, const char *name)
{
    for (size_t i = 0; i < b->size; i++)
        if (strcmp(b->at[i].name, name) == 0) return &b->at[i];
    tfp_binding made = { .name = strdup(name) };
    if (made.name && tfp_push(b, made)) return &b->at[b->size - 1];
    free(made.name);
    return NULL;
}

static tfp_status bind(tfp_options *o, const char *name, tfp_binding value, tfp_error *err)
{
    tfp_error_clear(err);
    tfp_binding *to = NULL;
    if (!o || !name || !*name)
        tfp_fail(err, TFP_BADARG, "no options, or no parameter's name");
    else if (!(to = slot_of(&o->query.bindings, name)))
        tfp_nomem(err);
    if (!to) {
        free(value.text);
        return o && name && *name ? TFP_NOMEM : TFP_BADARG;
    }
    free(to->text);
    value.name = to->name;
    *to = value;
    return TFP_OK;
}

tfp_status tfp_options_bind_int(tfp_options *o, const char *name, int64_t value, tfp_error *err)
{
    return bind(o, name, (tfp_binding){ .type = 'i', .whole = value }, err);
}

tfp_status tfp_options_bind_real(tfp_options *o, const char *name, double value, tfp_error *err)
{
    return bind(o, name, (tfp_binding){ .type = 'r', .real = value }, err);
}

tfp_status tfp_options_bind_text(tfp_options *o, const char *name, const char *text, size_t size, tfp_error *err)
{
    tfp_binding value = { .type = text ? 's' : 0, .size = text ? size : 0 };
    if (text && !(value.text = malloc(size + 1))) return tfp_nomem(err);
    if (size && text) memcpy(value.text, text, size);
    return bind(o, name, value, err);
}

bool tfp_bindings_copy(tfp_bindings *to, const tfp_bindings *from)
{
    *to = (tfp_bindings){ 0 };
    if (!tfp_reserve(to, from->size)) return false;
    for (size_t i = 0; i < from->size; i++) {
        tfp_binding one = from->at[i];
        one.name = strdup(one.name);
        one.text = one.text ? malloc(one.size + 1) : NULL;
        if (one.text) memcpy(one.text, from->at[i].text, one.size);
        to->at[to->size++] = one;
        if (!one.name || (from->at[i].text && !one.text)) return false;
    }
    return true;
}

void tfp_bindings_free(tfp_bindings *b)
{
    for (size_t i = 0; i < b->size; i++) {
        free(b->at[i].name);
        free(b->at[i].text);
    }
    tfp_vec_free(b);
}
