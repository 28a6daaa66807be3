// SPDX-License-Identifier: Apache-2.0
/* tests/fuzz/program/fuzz_pickle.c: pickles, read with and without a callback for items; every value that the expected
 * structure reaches is read in every way. */
#include "wire/pickle.h"

#include <stdlib.h>

static void look_at(const tfp_pickle *m, tfp_pvalue v)
{
    int64_t n;
    double x;
    tfp_str s;
    tfp_buf said = { 0 };
    bool whole = tfp_pickle_int(m, v, &n), real = tfp_pickle_real(m, v, &x), text = tfp_pickle_text(m, v, &s);
    if (whole && (!real || text)) abort();
    if (text && s.size && memchr(s.data, 1, s.size) == s.data + s.size) abort();
    if (tfp_pickle_count(m, v) && (whole || real || text)) abort();
    tfp_pickle_describe(m, v, &said);
    if (!said.failed && !said.size) abort();
    tfp_buf_free(&said);
}

/* Goes as deep as the readers do. */
static void walk(const tfp_pickle *m, tfp_pvalue v, int depth)
{
    look_at(m, v);
    look_at(m, tfp_pickle_callee(m, v));
    look_at(m, tfp_pickle_args(m, v));
    look_at(m, tfp_pickle_state(m, v));
    for (size_t i = 0; depth && i < tfp_pickle_pairs(m, v) && i < 8; i++) {
        tfp_pvalue key = tfp_pickle_key(m, v, i);
        look_at(m, key);
        if (key && !tfp_pickle_member(m, v, key) && tfp_pickle_value(m, v, i) == 0 && i > 8) abort();
        walk(m, tfp_pickle_value(m, v, i), depth - 1);
    }
    for (size_t i = 0; depth && i < tfp_pickle_count(m, v) && i < 8; i++) walk(m, tfp_pickle_item(m, v, i), depth - 1);
}

static bool take_dicts(void *ctx, tfp_pickle *m, tfp_pvalue to, tfp_pvalue item)
{
    uint32_t number;
    (void)ctx;
    walk(m, to, 0);
    walk(m, item, 2);
    for (size_t i = 0; i < tfp_pickle_pairs(m, item) && i < 8; i++) {
        tfp_pvalue inner = tfp_pickle_value(m, item, i);
        if (inner == to || tfp_pickle_kind_of(inner) != TFP_PICKLE_LIST) continue;
        tfp_pickle_fold(m, inner, (uint32_t)i);
        if (!tfp_pickle_folded(m, inner, &number) || number != i) abort();
    }
    return tfp_pickle_kind_of(item) == TFP_PICKLE_DICT;
}

static void read_once(const uint8_t *data, size_t size, bool take)
{
    tfp_input in = { 0 };
    tfp_pvalue root;
    tfp_pickle *m = tfp_pickle_new((uint64_t)64 << 20);
    if (m && tfp_input_memory(&in, "pickle", data, size, NULL) == TFP_OK) {
        if (take) tfp_pickle_on_item(m, take_dicts, NULL);
        if (tfp_pickle_read(m, &in, &root, NULL) == TFP_OK) walk(m, root, 4);
    }
    tfp_input_close(&in);
    tfp_pickle_free(m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    read_once(data, size, false);
    read_once(data, size, true);
    return 0;
}
