// SPDX-License-Identifier: Apache-2.0
/* compare/sides.c: the list of what is compared: profiles, steps of them, and texts that a scope view printed. */
#include "compare/sides.h"
#include "model/tables/read.h"

#include <stdlib.h>

tfp_sides *tfp_sides_new(void) { return calloc(1, sizeof(tfp_sides)); }

static void free_side(tfp_side *x)
{
    free(x->name);
    free(x->label);
    if (x->text) tfp_scopetext_free(x->text);
    free(x->text);
}

void tfp_sides_free(tfp_sides *s)
{
    for (size_t i = 0; s && i < s->at.size; i++) free_side(&s->at.at[i]);
    if (s) tfp_vec_free(&s->at);
    free(s);
}

/* Takes over the contents of *x, also when it fails. */
static tfp_status add(tfp_sides *s, tfp_side *x, const char *name, const char *label, tfp_error *err)
{
    bool ok = (!name || (x->name = strdup(name))) && (x->label = strdup(label)) && tfp_push(&s->at, *x);
    if (!ok) free_side(x);
    return ok ? TFP_OK : tfp_nomem(err);
}

tfp_status tfp_sides_add(tfp_sides *s, const char *name, const char *label, const tfp_profile *p, int64_t step,
                         tfp_error *err)
{
    tfp_error_clear(err);
    if (!s || !p || !tfp_is_finished(p)) return tfp_fail(err, TFP_BADARG, "no sides, or no finished profile");
    if (step < -1) return tfp_fail(err, TFP_BADARG, "steps count from 0; -1 is all of them");
    tfp_side x = { .profile = p, .step = tfp_step_of_id(step) };
    return add(s, &x, name, label ? label : tfp_first_source(p), err);
}

static tfp_status add_text(tfp_sides *s, const char *name, const char *label, tfp_scopetext *t, tfp_status opened,
                           tfp_error *err)
{
    tfp_side x = { .text = t };
    tfp_status status = opened ? opened : tfp_input_check_whole(&t->input, err);
    if (!status) status = tfp_scopetext_read(t, err);
    if (!status) return add(s, &x, name, label, err);
    free_side(&x);
    return tfp_within_file(err, status, label);
}

tfp_status tfp_sides_add_text(tfp_sides *s, const char *name, const char *path, tfp_error *err)
{
    tfp_error_clear(err);
    if (!s || !path) return tfp_fail(err, TFP_BADARG, "no sides, or no path");
    tfp_scopetext *t = calloc(1, sizeof *t);
    if (!t) return tfp_nomem(err);
    return add_text(s, name, path, t, tfp_input_open(&t->input, path, err), err);
}

tfp_status tfp_sides_add_text_bytes(tfp_sides *s, const char *name, const char *label, const void *data, size_t size,
                                    tfp_error *err)
{
    tfp_error_clear(err);
    if (!s || !label || (size && !data)) return tfp_fail(err, TFP_BADARG, "no sides, no label or no bytes");
    tfp_scopetext *t = calloc(1, sizeof *t);
    char *copy = malloc(size + 1);
    if (!t || !copy) {
        free(t);
        free(copy);
        return tfp_nomem(err);
    }
    if (size) memcpy(copy, data, size);
    tfp_status opened = tfp_input_memory(&t->input, label, copy, size, err);
    if (!opened && !t->input.owned) { /* not unpacked: the input reads the copy, and owns it from here on */
        t->input.buffer = copy;
        t->input.owned = true;
    } else {
        free(copy);
    }
    return add_text(s, name, label, t, opened, err);
}

int tfp_is_scope_text(const void *data, size_t size)
{
    return data && tfp_scopetext_begins((tfp_str){ data, size }, true);
}
