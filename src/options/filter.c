// SPDX-License-Identifier: Apache-2.0
/* options/filter.c: the list of patterns of one option. */
#include "options/regex.h"

#include <stdlib.h>

tfp_str tfp_filter_item(tfp_str *list)
{
    const char *comma = list->size ? memchr(list->data, ',', list->size) : NULL;
    tfp_str item = { list->data, comma ? (size_t)(comma - list->data) : list->size };
    size_t used = item.size + (comma ? 1 : 0);
    list->data += used;
    list->size -= used;
    return item;
}

static tfp_status compile(tfp_filter *f, tfp_str item, tfp_error *err)
{
    char why[256];
    f->regexes[f->count] = tfp_regex_new(item, why, sizeof why);
    bool valid = f->regexes[f->count++] != NULL;
    if (valid) return TFP_OK;
    if (!why[0]) return tfp_nomem(err);
    f->broken = true;
    return tfp_fail(err, TFP_BADARG, "invalid regex '%.*s': %s", (int)(item.size < 1000 ? item.size : 1000), item.data,
                    why);
}

tfp_status tfp_filter_of(const tfp_str *items, size_t count, tfp_filter **out, tfp_error *err)
{
    tfp_filter *f = calloc(1, sizeof *f);
    size_t size = 1;
    for (size_t i = 0; i < count; i++) size += items[i].size + 1;
    *out = NULL;
    if (!f || !(f->regexes = calloc(count + 1, sizeof *f->regexes)) || !(f->text = calloc(1, size))) {
        tfp_filter_free(f);
        return tfp_nomem(err);
    }
    f->refs = 1;
    tfp_status s = TFP_OK;
    for (size_t i = 0, at = 0; i < count; i++) {
        if (i) f->text[at++] = ',';
        if (items[i].size) memcpy(f->text + at, items[i].data, items[i].size);
        at += items[i].size;
        tfp_status bad = compile(f, items[i], s ? NULL : err);
        if (!s) s = bad;
        if (bad == TFP_NOMEM) {
            tfp_filter_free(f);
            return tfp_nomem(err);
        }
    }
    f->any = f->count == 1 && strcmp(f->text, ".*") == 0;
    *out = f;
    return s;
}

tfp_status tfp_filter_new(tfp_str list, tfp_filter **out, tfp_error *err)
{
    size_t most = 1, count = 0;
    for (size_t i = 0; i < list.size; i++) most += list.data[i] == ',';
    tfp_str *items = calloc(most, sizeof *items);
    *out = NULL;
    if (!items) return tfp_nomem(err);
    while (list.size) {
        tfp_str item = tfp_filter_item(&list);
        if (item.size) items[count++] = item;
    }
    tfp_status s = tfp_filter_of(items, count, out, err);
    free(items);
    return s;
}

tfp_filter *tfp_filter_keep(tfp_filter *f)
{
    if (f) __atomic_add_fetch(&f->refs, 1, __ATOMIC_RELAXED);
    return f;
}

void tfp_filter_free(tfp_filter *f)
{
    if (!f || (f->refs > 0 && __atomic_sub_fetch(&f->refs, 1, __ATOMIC_ACQ_REL) > 0)) return;
    for (size_t i = 0; i < f->count; i++)
        if (f->regexes[i]) tfp_regex_free(f->regexes[i]);
    free(f->regexes);
    free(f->text);
    free(f);
}

bool tfp_filter_matches(const tfp_filter *f, tfp_str name)
{
    if (!f) return false;
    if (f->any) return true;
    for (size_t i = 0; i < f->count; i++)
        if (f->regexes[i] && tfp_regex_full_match(f->regexes[i], name)) return true;
    return false;
}

unsigned tfp_filter_failures(const tfp_filter *f)
{
    unsigned n = 0;
    for (size_t i = 0; f && i < f->count; i++) n += f->regexes[i] ? tfp_regex_failures(f->regexes[i]) : 0;
    return n;
}
