/* views/parameters.c: the model's parameters, where they are more than the elements of every node's attribute shape: with
 * -float_ops_source own, and of a checkpoint alone, of which TensorFlow's tool shows nothing. In: tfp_parameters. */
#include "views/view.h"

/* A note on the parameters that the column leaves out. */
static tfp_status note_others(tfp_report *r, const tfp_parameter_counts *c, tfp_error *err)
{
    static const struct {
        tfp_parameter_kind kind;
        const char *text;
    } others[] = {
        { TFP_SLOT, "of optimizers" },
        { TFP_BOOKKEEPING, "of counters and random states" },
        { TFP_UNUSED, "of handles that no signature takes, or that count elsewhere" },
    };
    tfp_buf text = { 0 };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (!c->elements[others[i].kind]) continue;
        tfp_buf_text(&text, text.size ? ", " : "");
        tfp_buf_int(&text, c->elements[others[i].kind]);
        tfp_buf_printf(&text, " %s", others[i].text);
    }
    tfp_status s = text.failed ? tfp_nomem(err) : TFP_OK;
    if (!s && text.size)
        s = tfp_report_note_add(r, err, "params are those of the model's variables, without %.*s", (int)text.size,
                                text.data);
    tfp_buf_free(&text);
    if (s || !c->unknown) return s;
    return tfp_report_note_add(r, err, "%zu variable%s of the model without a known shape count no parameters",
                               c->unknown, c->unknown == 1 ? "" : "s");
}

tfp_status tfp_parameters_start(tfp_report *r, tfp_error *err)
{
    bool asked = tfp_options_find_parameters(r->options) && r->profile->program;
    bool alone = tfp_has(r->profile, TFP_HAS_VARIABLES) && (r->values >> TFP_V_PARAMS & 1);
    if (!asked && !alone) return TFP_OK;
    tfp_parameter_counts *c = TFP_NEW(&r->arena, tfp_parameter_counts, 1);
    tfp_status s = c ? tfp_parameters(r->profile, &r->arena, c, err) : tfp_nomem(err);
    if (s) return s;
    r->parameters = c;
    if (!(r->values >> TFP_V_PARAMS & 1)) return TFP_OK; /* only their kinds are asked for */
    r->clamped |= c->clamped;
    return note_others(r, c, err);
}
