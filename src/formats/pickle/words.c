// SPDX-License-Identifier: Apache-2.0
/* formats/pickle/words.c: the words of PyTorch's dicts as values of a pickle machine, and error messages about values
 * of another kind. */
#include "formats/pickle/pickles.h"
#include "model/builder.h"

#include <stdio.h>

static const char *const texts[WORDS] = {
#define PICKLE_WORD(word, text) text,
    PICKLE_WORDS(PICKLE_WORD)
#undef PICKLE_WORD
};

bool tfp_pickle_words(tfp_pickle *m, pickle_words *out)
{
    bool ok = true;
    for (size_t i = 0; i < WORDS && ok; i++) {
        out->at[i] = tfp_pickle_word(m, tfp_str_of(texts[i]));
        ok = out->at[i] != 0;
    }
    return ok;
}

bool tfp_is_pickle(tfp_str head)
{
    return head.size > 2 && (unsigned char)head.data[0] == 0x80 && head.data[1] >= 2 && head.data[1] <= 5;
}

uint64_t tfp_pickle_memory(const tfp_input *in)
{
    uint64_t least = (uint64_t)256 << 20;
    return in->total == TFP_TOTAL_UNKNOWN || in->total / 2 < least ? least : in->total / 2;
}

tfp_status tfp_pickle_refuse(tfp_pickle *m, tfp_pvalue v, const char *what, tfp_error *err)
{
    tfp_buf said = { 0 };
    if (!v) return tfp_fail(err, TFP_BADFILE, "%s is missing", what);
    tfp_pickle_describe(m, v, &said);
    tfp_status s =
        said.failed ? tfp_nomem(err) : tfp_fail(err, TFP_BADFILE, "%s is %.*s", what, (int)said.size, said.data);
    tfp_buf_free(&said);
    return s;
}

tfp_strid tfp_pickle_string(tfp_builder *b, const tfp_pickle *m, tfp_pvalue v)
{
    tfp_str s;
    return tfp_pickle_text(m, v, &s) ? tfp_build_made_string(b, s) : 0;
}

tfp_status tfp_pickle_number_of(tfp_pickle *m, tfp_pvalue of, const pickle_words *words, pickle_word word, int64_t *out,
                                tfp_error *err)
{
    char what[64];
    tfp_pvalue v = tfp_pickle_member(m, of, words->at[word]);
    if (tfp_pickle_int(m, v, out)) return TFP_OK;
    snprintf(what, sizeof what, "a `%s`", texts[word]);
    return tfp_pickle_refuse(m, v, what, err);
}
