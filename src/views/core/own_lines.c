// SPDX-License-Identifier: Apache-2.0
/* views/core/own_lines.c: what a frame means for the line of a stack, by what is known of the code and by -home and -library_regexes. */
#include "views/core/own_lines.h"
#include "model/tables/code.h"
#include "model/tables/read.h"

#include <stdlib.h>

struct tfp_own_lines {
    const tfp_profile *p;
    tfp_whose whose;
    const tfp_filter *home, *library;
    bool none; /* -library_regexes begins with "-": only its patterns name libraries */
    tfp_map64 bits_of_file;
};

static bool is_found(const tfp_filter *f, size_t from, tfp_str file)
{
    tfp_str found;
    for (size_t i = from; f && i < f->count; i++)
        if (f->regexes[i] && tfp_regex_find(f->regexes[i], file, 0, &found, 0)) return true;
    return false;
}

tfp_own_lines *tfp_own_lines_new(const tfp_profile *p, const tfp_filter *home, const tfp_filter *library,
                                 const tfp_nest *n)
{
    tfp_own_lines *l = calloc(1, sizeof *l);
    if (!l) return NULL;
    *l = (tfp_own_lines){ .p = p, .home = home, .library = library };
    l->none = library && *library->text == '-' && (!library->text[1] || library->text[1] == ',');
    if (tfp_whose_kept(&l->whose, p) && tfp_whose_gather(&l->whose, p, n)) return l;
    tfp_own_lines_free(l);
    return NULL;
}

void tfp_own_lines_free(tfp_own_lines *l)
{
    if (!l) return;
    tfp_whose_free(&l->whose);
    tfp_map64_free(&l->bits_of_file);
    free(l);
}

static unsigned bits_of(const tfp_own_lines *l, tfp_str file)
{
    unsigned bits = tfp_whose_frame(&l->whose, file, TFP_STR(""));
    if (l->none) bits |= TFP_FRAME_OWN;
    if (is_found(l->library, l->none, file)) bits &= ~(unsigned)(TFP_FRAME_OWN | TFP_FRAME_LAST);
    return is_found(l->home, 0, file) ? bits | TFP_FRAME_HOME : bits;
}

unsigned tfp_frame_here(tfp_own_lines *l, tfp_str file, tfp_str function)
{
    uint64_t key = tfp_hash(file.data, file.size);
    unsigned bits = tfp_map64_get(&l->bits_of_file, key);
    if (bits == TFP_NONE) {
        bits = bits_of(l, file);
        tfp_map64_put(&l->bits_of_file, key, bits); /* without memory it is found again */
    }
    return bits | (tfp_whose_opens(&l->whose, file, function) ? TFP_FRAME_OP : 0);
}

uint32_t tfp_own_frame_of(tfp_own_lines *l, uint32_t trace)
{
    const tfp_code_tables *code = tfp_code_of(l->p);
    const tfp_trace *stack = &code->traces.at[trace];
    tfp_stack_line line = TFP_STACK_TOP;
    for (uint32_t i = 0; i < stack->count; i++) {
        uint32_t at = code->trace_frames.at[stack->first + i];
        const tfp_code_frame *f = &code->frames.at[at];
        line = tfp_stack_below(line, tfp_frame_here(l, tfp_text(l->p, f->file), tfp_text(l->p, f->function)), at);
    }
    return line.at;
}

void tfp_outward_add(tfp_outward *o, unsigned frame, uint32_t at)
{
    static const unsigned bits[] = { [TFP_RANK_LAST] = TFP_FRAME_LAST,
                                     [TFP_RANK_INSIDE] = TFP_FRAME_OWN,
                                     [TFP_RANK_OWN] = TFP_FRAME_OWN,
                                     [TFP_RANK_HOME] = TFP_FRAME_HOME };
    bool op = frame & TFP_FRAME_OP; /* this frame and those before it are inside */
    if (op) o->by_rank[TFP_RANK_OWN] = o->by_rank[TFP_RANK_HOME] = 0;
    for (unsigned rank = TFP_RANK_LAST; rank <= (op ? TFP_RANK_INSIDE : TFP_RANK_HOME); rank++)
        if (frame & bits[rank] && !o->by_rank[rank]) o->by_rank[rank] = at + 1;
}

uint32_t tfp_outward_best(const tfp_outward *o)
{
    for (unsigned rank = TFP_RANK_HOME; rank > TFP_RANK_NONE; rank--)
        if (o->by_rank[rank]) return o->by_rank[rank] - 1;
    return TFP_NONE;
}
