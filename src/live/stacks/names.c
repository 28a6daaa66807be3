// SPDX-License-Identifier: Apache-2.0
/* live/stacks/names.c: functions are identified by their texts, so a code object that is created again is the same function. A known code
 * object is only compared with its earlier copy, with one system call for a whole stack. */
#include "live/stacks/parts.h"
#include "views/core/handle.h"

tfp_str tfp_stacks_kept(tfp_sampler *s, tfp_str text)
{
    char *copy = tfp_arena_copy(tfp_arena_of(s->r), text);
    if (!copy) s->nomem = true;
    if (tfp_arena_of(s->r)->used > TFP_STACKS_NAMES_MOST) s->full = "the names of its functions take more than 48 MB";
    return (tfp_str){ copy ? copy : "", copy ? text.size : 0 };
}

uint32_t tfp_stacks_function_of(tfp_sampler *s, tfp_str name, tfp_stack_function f)
{
    size_t before = s->functions.names.count;
    tfp_strid id = tfp_intern(&s->functions.names, name);
    if (id == TFP_NONE) {
        s->nomem = true;
        return TFP_NONE;
    }
    if (s->functions.names.arena->used + tfp_arena_of(s->r)->used > TFP_STACKS_NAMES_MOST) {
        s->full = "the names of its functions take more than 48 MB";
        return TFP_NONE;
    }
    uint32_t at = tfp_map64_get(&s->functions.by_name, id);
    if (s->functions.names.count == before && at != TFP_NONE) return at;
    f.name = tfp_strtab_get(&s->functions.names, id);
    f.file = tfp_stacks_kept(s, f.file);
    f.function = tfp_stacks_kept(s, f.function);
    if (!tfp_push(&s->functions.list, f) ||
        !tfp_map64_put(&s->functions.by_name, id, (uint32_t)s->functions.list.size - 1)) {
        s->nomem = true;
        return TFP_NONE;
    }
    return (uint32_t)s->functions.list.size - 1;
}

static tfp_str text_of(const tfp_buf *b) { return (tfp_str){ b->data, b->size }; }

static uint32_t function_of_copy(tfp_sampler *s, const tfp_code_copy *copy)
{
    if (!tfp_python_copied_text(copy, TFP_CODE_FILE, &s->functions.file) ||
        !tfp_python_copied_text(copy, TFP_CODE_NAME, &s->functions.function)) {
        s->nomem = true;
        return TFP_NONE;
    }
    s->text.size = 0;
    tfp_buf_str(&s->text, text_of(&s->functions.file));
    tfp_buf_printf(&s->text, ":%lld:", (long long)copy->first_line);
    tfp_buf_str(&s->text, text_of(&s->functions.function));
    if (s->text.failed) {
        s->nomem = true;
        return TFP_NONE;
    }
    tfp_stack_function f = {
        { NULL, 0 }, text_of(&s->functions.file), text_of(&s->functions.function), copy->first_line, TFP_STR("python")
    };
    return tfp_stacks_function_of(s, text_of(&s->text), f);
}

/* ---- code objects ---- */

static known_code *known(tfp_stacked *p, uint64_t code)
{
    uint32_t at = tfp_map64_get(&p->by_code, code);
    return at == TFP_NONE ? NULL : &p->codes.at[at];
}

/* Compares the known code objects of these frames, each once, with what is in memory now. */
static void compare(tfp_sampler *s, const tfp_live_frame *frames, size_t count)
{
    enum { MANY = 64 };
    known_code *codes[MANY];
    const tfp_code_copy *copies[MANY];
    bool same[MANY];
    for (size_t i = 0, n = 0; i < count || n; n = 0) {
        for (; i < count && n < MANY; i++) {
            known_code *c = known(s->at, frames[i].code);
            if (!c || c->seen == s->stack) continue;
            c->seen = s->stack;
            codes[n] = c;
            copies[n++] = &c->copy;
        }
        if (!n) return;
        tfp_python_same_codes(s->python, copies, same, n);
        for (size_t k = 0; k < n; k++)
            if (!same[k]) codes[k]->seen = 0;
    }
}

/* Reads a code object that is new, or differs from its earlier copy. */
static uint32_t read_code(tfp_sampler *s, uint64_t code)
{
    known_code fresh = { .seen = 0 }, *c = known(s->at, code);
    bool keeps = c || s->at->codes.size < TFP_STACKS_CODES_MOST;
    if (!c) c = &fresh;
    c->function = tfp_python_copy_code(s->python, code, &c->copy) ? function_of_copy(s, &c->copy) : TFP_NONE;
    c->seen = c->function == TFP_NONE ? 0 : s->stack;
    uint32_t function = c->function;
    if (c != &fresh) return function;
    if (keeps && function != TFP_NONE && tfp_push(&s->at->codes, fresh) &&
        tfp_map64_put(&s->at->by_code, code, (uint32_t)s->at->codes.size - 1))
        return function;
    if (keeps && function != TFP_NONE) s->nomem = true;
    tfp_vec_free(&fresh.copy.bytes);
    return function;
}

bool tfp_stacks_name(tfp_sampler *s, size_t depth)
{
    s->stack++;
    compare(s, s->frames, depth);
    for (size_t k = 0; k < depth; k++) {
        const known_code *c = known(s->at, s->frames[k].code);
        if (k % 64 == 63 && tfp_stacks_over(s)) return false;
        s->key[k + 1] = c && c->seen == s->stack ? c->function : read_code(s, s->frames[k].code);
        if (s->key[k + 1] == TFP_NONE) return false;
    }
    return true;
}

tfp_str tfp_stacks_frame_text(tfp_sampler *s, uint32_t function, const tfp_live_frame *frame)
{
    const tfp_stack_function *f = &s->functions.list.at[function];
    s->text.size = 0;
    tfp_buf_str(&s->text, f->file);
    tfp_buf_printf(&s->text, ":%lld:", (long long)tfp_python_line(s->python, frame->code, frame->at));
    tfp_buf_str(&s->text, f->function);
    if (s->text.failed) s->nomem = true;
    return tfp_stacks_kept(s, text_of(&s->text));
}
