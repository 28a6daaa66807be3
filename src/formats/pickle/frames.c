// SPDX-License-Identifier: Apache-2.0
/* formats/pickle/frames.c: turns the stacks of PyTorch's pickles into code traces. Many entries have equal lists of
 * frames, so each list is read once. */
#include "formats/pickle/pickles.h"
#include "model/builder.h"
#include "model/tables/code.h"

static tfp_strid text_of(tfp_frames *f, tfp_pvalue frame, pickle_word word)
{
    return tfp_pickle_string(f->b, f->m, tfp_pickle_member(f->m, frame, f->words->at[word]));
}

static uint32_t build(tfp_frames *f, const tfp_pvalue *items, size_t count)
{
    f->stack.size = 0;
    for (size_t i = count; i-- > 0;) {
        int64_t line = 0;
        tfp_code_frame x = { .file = text_of(f, items[i], WORD_FILENAME), .function = text_of(f, items[i], WORD_NAME) };
        tfp_pickle_int(f->m, tfp_pickle_member(f->m, items[i], f->words->at[WORD_LINE]), &line);
        x.line = line > 0 && line <= INT32_MAX ? (int32_t)line : 0;
        if (!tfp_push(&f->stack, x)) {
            f->b->status = TFP_NOMEM;
            return TFP_NONE;
        }
    }
    return tfp_build_trace(f->b, f->stack.at, f->stack.size);
}

uint32_t tfp_frames_trace(tfp_frames *f, tfp_pvalue list)
{
    uint32_t trace = TFP_NONE;
    size_t count;
    if (tfp_pickle_folded(f->m, list, &trace)) return trace;
    const tfp_pvalue *items = tfp_pickle_items(f->m, list, &count);
    if (count) {
        uint64_t hash = tfp_hash(items, count * sizeof *items);
        trace = tfp_map64_get_any(&f->trace_by_items, hash);
        if (trace == TFP_NONE) {
            trace = build(f, items, count);
            if (trace != TFP_NONE && !tfp_map64_put_any(&f->trace_by_items, hash, trace)) f->b->status = TFP_NOMEM;
        }
    }
    tfp_pickle_fold(f->m, list, trace);
    return trace;
}

void tfp_frames_free(tfp_frames *f)
{
    tfp_map64_free(&f->trace_by_items);
    tfp_vec_free(&f->stack);
}
