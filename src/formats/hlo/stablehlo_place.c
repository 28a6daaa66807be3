// SPDX-License-Identifier: Apache-2.0
/* formats/hlo/stablehlo_place.c: locations of MLIR: "NAME"(#loc1), "FILE":LINE:COLUMN, callsite(#loc1 at #loc2),
 * fused[...]. The outermost name of an operation is the framework's op; the name directly around a file is a function.
 * Aliases may come before or after the operations, so they are looked up at the end. */
#include "formats/hlo/stablehlo.h"
#include "model/tables/instructions.h"
#include "model/tables/read.h"

/* The place of a name (#loc3), which the file may define later. */
static uint32_t alias(tfp_shlo *r, tfp_str *s)
{
    if (!tfp_shlo_take(s, "#")) return TFP_NONE;
    tfp_strid name = tfp_build_string(r->b, tfp_shlo_word(s));
    uint32_t at = tfp_map64_get(&r->place_by_name, name);
    if (at != TFP_NONE || r->b->status) return at;
    tfp_shlo_place unknown = { .inner = TFP_NONE, .caller = TFP_NONE };
    at = (uint32_t)r->places.size;
    return tfp_build_keep(r->b, tfp_push(&r->places, unknown) && tfp_map64_put(&r->place_by_name, name, at)) ? at
                                                                                                             : TFP_NONE;
}

/* Reads "FILE":LINE:COLUMN, or "NAME" with the location inside it. */
static void read_name(tfp_shlo *r, tfp_str *s, tfp_shlo_place *p)
{
    tfp_strid text = tfp_build_string(r->b, tfp_shlo_quoted(s));
    if (tfp_shlo_take(s, ":")) {
        int64_t line = tfp_shlo_number(s);
        p->file = text;
        p->line = line > 0 && line < INT32_MAX ? (int32_t)line : 0;
        return;
    }
    p->name = text;
    if (!tfp_shlo_take(s, "(")) return;
    tfp_shlo_blanks(s);
    if (s->size && s->data[0] == '"') { /* it is a file */
        tfp_strid file = tfp_build_string(r->b, tfp_shlo_quoted(s));
        int64_t line = tfp_shlo_take(s, ":") ? tfp_shlo_number(s) : 0;
        if (line > 0 && line < INT32_MAX) {
            p->file = file;
            p->line = (int32_t)line;
        }
    } else {
        p->inner = alias(r, s);
    }
}

static tfp_shlo_place place_of(tfp_shlo *r, tfp_str s)
{
    tfp_shlo_place p = { .inner = TFP_NONE, .caller = TFP_NONE };
    if (tfp_shlo_take(&s, "callsite(")) {
        p.inner = alias(r, &s);
        if (tfp_shlo_take(&s, "at")) p.caller = alias(r, &s);
    } else if (tfp_shlo_take(&s, "fused")) {
        size_t at = tfp_shlo_outside(s, "["); /* metadata may come before it */
        s = (tfp_str){ s.data + at, s.size - at };
        tfp_shlo_take(&s, "[");
        tfp_shlo_blanks(&s);
        if (s.size && s.data[0] == '"')
            read_name(r, &s, &p);
        else
            p.inner = alias(r, &s);
    } else if (s.size && s.data[0] == '"') {
        read_name(r, &s, &p);
    }
    return p;
}

uint32_t tfp_shlo_read_place(tfp_shlo *r, tfp_str s)
{
    tfp_shlo_blanks(&s);
    if (s.size && s.data[0] == '#') return alias(r, &s);
    tfp_shlo_place p = place_of(r, s);
    if (!p.name && !p.file && p.inner == TFP_NONE) return TFP_NONE;
    return tfp_build_keep(r->b, tfp_push(&r->places, p)) ? (uint32_t)r->places.size - 1 : TFP_NONE;
}

void tfp_shlo_read_alias(tfp_shlo *r)
{
    tfp_str s = r->line;
    uint32_t at = alias(r, &s);
    if (at == TFP_NONE || !tfp_shlo_take(&s, "=") || !tfp_shlo_take(&s, "loc(")) return;
    tfp_shlo_place p = place_of(r, s);
    if (!r->b->status) r->places.at[at] = p;
}

/* ---- names and stacks ---- */

#define DEEPEST 128 /* most nested names or calls */

/* The outermost name of a place. */
static tfp_strid name_of(const tfp_shlo *r, uint32_t at)
{
    for (int depth = 0; at != TFP_NONE && depth < DEEPEST; depth++, at = r->places.at[at].inner) {
        const tfp_shlo_place *p = &r->places.at[at];
        bool function = p->inner != TFP_NONE && r->places.at[p->inner].file && !r->places.at[p->inner].name;
        if (p->name && (depth == 0 || !function)) return p->name;
        if (p->caller != TFP_NONE) break;
    }
    return 0;
}

/* The file inside `at`, and the function around that file. */
static const tfp_shlo_place *file_of(const tfp_shlo *r, uint32_t at, tfp_strid *function)
{
    *function = 0;
    for (int depth = 0; at != TFP_NONE && depth < DEEPEST; depth++) {
        const tfp_shlo_place *p = &r->places.at[at];
        if (p->file) return p;
        *function = p->name;
        at = p->inner;
    }
    return NULL;
}

/* The call site that `at` is, or that its names contain. */
static uint32_t site_of(const tfp_shlo *r, uint32_t at)
{
    for (int depth = 0; at != TFP_NONE && depth < DEEPEST; depth++, at = r->places.at[at].inner)
        if (r->places.at[at].caller != TFP_NONE) return at;
    return TFP_NONE;
}

static uint32_t add_frame(tfp_shlo *r, uint32_t at, uint32_t parent)
{
    tfp_hlo_module *m = r->m;
    tfp_strid function;
    const tfp_shlo_place *p = file_of(r, at, &function);
    if (!p) return parent;
    tfp_hlo_place place = { (uint32_t)m->files.size + 1, (uint32_t)m->functions.size + 1, p->line };
    if (!tfp_build_keep(r->b, tfp_push(&m->files, p->file) && tfp_push(&m->functions, function) &&
                                  tfp_push(&m->places, place)))
        return 0;
    tfp_hlo_frame frame = { (uint32_t)m->places.size, parent };
    return tfp_build_keep(r->b, tfp_push(&m->frames, frame)) ? (uint32_t)m->frames.size : 0;
}

/* Adds the frames of a place, callers first, each place once. Returns an index in frames, from 1. */
static uint32_t frame_of(tfp_shlo *r, uint32_t at)
{
    uint32_t stack[DEEPEST];
    size_t count = 0;
    for (uint32_t next = at; next != TFP_NONE && count < DEEPEST && !r->places.at[next].known;) {
        stack[count++] = next;
        uint32_t site = site_of(r, next);
        next = site == TFP_NONE ? TFP_NONE : r->places.at[site].caller;
    }
    while (count && !r->b->status) {
        tfp_shlo_place *p = &r->places.at[stack[--count]];
        uint32_t site = site_of(r, stack[count]);
        uint32_t caller = site == TFP_NONE ? TFP_NONE : r->places.at[site].caller;
        p->frame = add_frame(r, stack[count], caller == TFP_NONE ? 0 : r->places.at[caller].frame);
        p->known = true;
    }
    return r->places.at[at].frame;
}

/* Names are relative to the call of the function that contains them, unless they begin with the program. */
static bool is_absolute(tfp_str name)
{
    static const char *const programs[] = { "jit(", "pjit(", "pmap(" };
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
        if (name.size > 5 && memcmp(name.data, programs[i], strlen(programs[i])) == 0) return true;
    return false;
}

#define PREFIX_MOST 1024 /* bytes; functions that call one another would make names ever longer */

static void prefix(tfp_shlo *r, tfp_hlo_instruction *i, tfp_str before)
{
    tfp_str name = tfp_text(r->b->p, i->op_name);
    if (!i->op_name || is_absolute(name)) return;
    tfp_buf text = { 0 };
    tfp_buf_str(&text, before);
    tfp_buf_char(&text, '/');
    tfp_buf_str(&text, name);
    i->op_name = tfp_build_composed(r->b, &text);
}

/* Finds the first call of each function, by its name. */
static void find_calls(tfp_shlo *r, tfp_map64 *calls)
{
    tfp_hlo_module *m = r->m;
    for (uint32_t i = 0; i < m->instructions.size && !r->b->status; i++) {
        const tfp_hlo_instruction *n = &m->instructions.at[i];
        if (!n->called_count || !tfp_str_eq(tfp_text(r->b->p, n->opcode), TFP_STR("call"))) continue;
        uint64_t function = (uint64_t)m->ids.at[n->called_first];
        if (tfp_map64_get(calls, function) == TFP_NONE) tfp_build_keep(r->b, tfp_map64_put(calls, function, i));
    }
}

/* Puts the name of a function's first call before the names of its instructions. One pass is enough, because the list
 * has a function's own computations before it, and callers before the functions that they call. */
static void prefix_all(tfp_shlo *r)
{
    tfp_hlo_module *m = r->m;
    tfp_map64 calls = { 0 };
    find_calls(r, &calls);
    for (size_t c = 0, first = 0; c < m->computations.size && !r->b->status; c++) {
        const tfp_hlo_computation *function = &m->computations.at[c];
        if (function->id >= TFP_SHLO_REGIONS) continue;
        uint32_t call = tfp_map64_get(&calls, (uint64_t)function->id);
        tfp_strid name = call == TFP_NONE ? 0 : m->instructions.at[call].op_name;
        tfp_str before = tfp_text(r->b->p, name);
        uint32_t i = m->computations.at[first].first, end = function->first + function->count;
        for (; name && before.size <= PREFIX_MOST && i < end; i++) prefix(r, &m->instructions.at[i], before);
        first = c + 1;
    }
    tfp_map64_free(&calls);
}

void tfp_shlo_settle_places(tfp_shlo *r)
{
    for (size_t i = 0; i < r->m->instructions.size && !r->b->status; i++) {
        tfp_hlo_instruction *n = &r->m->instructions.at[i];
        uint32_t place = n->frame; /* until now it was an index in places, from 1 */
        n->frame = 0;
        if (!place) continue;
        n->op_name = name_of(r, place - 1);
        n->frame = frame_of(r, place - 1);
    }
    prefix_all(r);
}
