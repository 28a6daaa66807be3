// SPDX-License-Identifier: Apache-2.0
/* wire/pickle_json.c: reads JSON into the values of a pickle's machine, for readers whose files come in both forms.
 * Nesting is bounded, and kept on a stack of its own. */
#include "wire/jsonscan.h"
#include "wire/pickle_parts.h"

typedef struct open_box {
    unsigned kind;
    size_t first; /* index in the machine's stack */
} open_box;

typedef struct json_reader {
    tfp_pickle *m;
    tfp_jscan j;
    TFP_VEC(open_box) open;
} json_reader;

static void push_text(json_reader *r, const tfp_jscan_text *text)
{
    tfp_str s = text->raw;
    r->m->text.size = 0;
    if (text->escaped) {
        tfp_jscan_decode(text->raw, &r->m->text);
        if (!pickle_keep(r->m, !r->m->text.failed)) return;
        s = (tfp_str){ r->m->text.data ? r->m->text.data : "", r->m->text.size };
    }
    pickle_push(r->m, pickle_string(r->m, TFP_PICKLE_TEXT, s));
}

static void push_scalar(json_reader *r)
{
    tfp_jscan_value v = { .kind = TFP_JSCAN_NULL };
    tfp_jscan_value_of(&r->j, &v);
    if (r->j.fault) return;
    switch (v.kind) {
    case TFP_JSCAN_BOOL: pickle_push(r->m, pv_make(TFP_PICKLE_BOOL, (uint64_t)v.number)); break;
    case TFP_JSCAN_INT: pickle_push(r->m, pickle_int(r->m, v.number)); break;
    case TFP_JSCAN_REAL: pickle_push(r->m, pickle_real(r->m, v.real)); break;
    case TFP_JSCAN_STRING: push_text(r, &v.text); break;
    default: pickle_push(r->m, pv_make(TFP_PICKLE_NONE, 0)); break;
    }
}

/* Closes the containers that end here; true if another value follows. */
static bool next_value(json_reader *r, bool first)
{
    tfp_pickle *m = r->m;
    while (r->open.size && !r->j.fault && !m->status) {
        open_box top = r->open.at[r->open.size - 1];
        tfp_jscan_text key;
        bool more = top.kind == TFP_PICKLE_LIST ? tfp_jscan_item(&r->j, first) : tfp_jscan_member(&r->j, first, &key);
        if (more && top.kind == TFP_PICKLE_DICT) push_text(r, &key);
        if (more || r->j.fault) return more && !m->status;
        tfp_pvalue made = pickle_box_of(m, top.kind, m->stack.at + top.first, m->stack.size - top.first);
        m->stack.size = top.first;
        r->open.size--;
        pickle_push(m, made);
        first = false;
        if (m->words.size % 64 == 0) pickle_fits(m);
    }
    return false;
}

static void read_values(json_reader *r)
{
    bool first;
    do {
        unsigned char c = tfp_jscan_peek(&r->j);
        first = c == '[' || c == '{';
        if (!first) {
            push_scalar(r);
        } else if (r->open.size >= TFP_JSCAN_DEPTH) {
            tfp_jscan_fail(&r->j, TFP_JSCAN_WRONG, "nested too deeply");
        } else {
            open_box box = { c == '[' ? TFP_PICKLE_LIST : TFP_PICKLE_DICT, r->m->stack.size };
            r->j.at++;
            (void)pickle_keep(r->m, tfp_push(&r->open, box));
        }
    } while (next_value(r, first));
}

tfp_status tfp_pickle_read_json(tfp_pickle *m, tfp_str text, tfp_pvalue *root, tfp_error *err)
{
    json_reader r = { .m = m, .j = tfp_jscan_start(text) };
    m->err = err;
    m->status = TFP_OK;
    m->stack.size = 0;
    *root = 0;
    read_values(&r);
    if (!m->status && r.j.fault)
        m->status = tfp_fail(err, TFP_BADFILE, "byte %zu: %s", (size_t)(r.j.at - text.data),
                             r.j.fault == TFP_JSCAN_MORE ? "the JSON is cut short" : r.j.wrong);
    if (!m->status && m->stack.size == 1) *root = m->stack.at[0];
    tfp_vec_free(&r.open);
    return m->status;
}
