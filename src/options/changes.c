// SPDX-License-Identifier: Apache-2.0
/* options/changes.c: the changes for `whatif`: values are checked when they are set, and parsed again where they are
 * used. */
#include "options/changes.h"

#include "options/options.h"
#include "options/regex.h"

#include <math.h>

static const char *const names[] = { "faster", "no-sync", "overlap", "link", "ideal",
                                     "keep",   "launch",  "input",   "fuse", NULL };

static tfp_status wrong(tfp_error *err, const char *why) { return tfp_fail(err, TFP_BADARG, "%s", why); }

/* Removes a prefix from a text. */
static bool take(tfp_str *text, const char *begin)
{
    tfp_str first = tfp_str_of(begin);
    if (!tfp_str_begins(*text, first)) return false;
    text->data += first.size;
    text->size -= first.size;
    return true;
}

static bool number_of(tfp_str text, double *out)
{
    char copy[64], *end;
    if (!text.size || text.size >= sizeof copy || text.data[0] == ' ') return false;
    memcpy(copy, text.data, text.size);
    copy[text.size] = 0;
    *out = strtod(copy, &end);
    return *end == 0 && isfinite(*out);
}

/* A time: a number of microseconds, or with a unit. */
static bool micros_of(tfp_str text, double *out)
{
    tfp_amount amount;
    if (number_of(text, out)) return *out >= 0;
    if (!tfp_amount_parse(text, &amount) || amount.percent || amount.unit != TFP_MICROS) return false;
    *out = amount.value;
    return isfinite(*out) && *out >= 0;
}

/* An optional "rank:R/" at the start. */
static bool take_rank(tfp_str *text, int64_t *rank)
{
    *rank = -1;
    if (!take(text, "rank:")) return true;
    const char *slash = text->size ? memchr(text->data, '/', text->size) : NULL;
    if (!slash || !tfp_parse_int64((tfp_str){ text->data, (size_t)(slash - text->data) }, rank) || *rank < 0)
        return false;
    text->size -= (size_t)(slash + 1 - text->data);
    text->data = slash + 1;
    return true;
}

static const char *read_faster(tfp_str v, tfp_change *out)
{
    if (!take_rank(&v, &out->rank)) return "not a rank such as rank:3/PATTERN=2";
    out->host = take(&v, "host:");
    const char *equals = v.size ? memrchr(v.data, '=', v.size) : NULL;
    if (!equals || equals == v.data) return "not PATTERN=FACTOR, such as gemm.*=2";
    out->pattern = (tfp_str){ v.data, (size_t)(equals - v.data) };
    tfp_str factor = { equals + 1, v.size - out->pattern.size - 1 };
    if (!number_of(factor, &out->number) || out->number < 0) return "the factor is not a number of at least 0";
    return NULL;
}

static const char *read_link(tfp_str v, tfp_change *out)
{
    out->comm = out->copy = true;
    if (take(&v, "comm="))
        out->copy = false;
    else if (take(&v, "copy="))
        out->comm = false;
    if (v.size && v.data[v.size - 1] == 'x') v.size--;
    if (!number_of(v, &out->number) || out->number <= 0) return "not a factor such as 2x, comm=2x or copy=2x";
    return NULL;
}

static const char *read_keep(tfp_str v, tfp_change *out)
{
    static const char *const words[] = { "rank:", "stage:", "dp:" };
    int64_t number;
    if (take(&v, "op:")) {
        out->keep = TFP_KEPT_OP;
        out->pattern = v;
        return v.size ? NULL : "names no type of operation";
    }
    for (size_t i = 0; i < 3; i++) {
        if (!take(&v, words[i])) continue;
        if (!tfp_parse_int64(v, &number) || number < 0) return "the number is not a whole one of at least 0";
        out->keep = (uint8_t)(TFP_KEPT_RANK + i);
        out->number = (double)number;
        return NULL;
    }
    return "not rank:R, stage:S, dp:D or op:NAME";
}

/* NULL, or the reason why it is invalid. */
static const char *read_change(tfp_change_kind kind, tfp_str v, tfp_change *out)
{
    *out = (tfp_change){ .kind = kind, .rank = -1 };
    switch (kind) {
    case TFP_CHANGE_FASTER: return read_faster(v, out);
    case TFP_CHANGE_NO_SYNC: return NULL;
    case TFP_CHANGE_OVERLAP: return tfp_str_eq(v, TFP_STR("comm")) ? NULL : "only comm can overlap";
    case TFP_CHANGE_LINK: return read_link(v, out);
    case TFP_CHANGE_IDEAL:
        out->device = tfp_str_eq(v, TFP_STR("device"));
        return out->device || tfp_str_eq(v, TFP_STR("stragglers")) ? NULL : "not stragglers, and not device";
    case TFP_CHANGE_KEEP: return read_keep(v, out);
    case TFP_CHANGE_LAUNCH:
        out->graph = tfp_str_eq(v, TFP_STR("graph"));
        return out->graph || micros_of(v, &out->number) ? NULL : "not a time such as 2us, and not graph";
    case TFP_CHANGE_FUSE:
        out->pattern = tfp_str_eq(v, TFP_STR("all")) ? TFP_STR("") : v;
        return v.size ? NULL : "not all, and no pattern";
    case TFP_CHANGE_INPUT: return micros_of(v, &out->number) ? NULL : "not a time such as 0 or 50us";
    }
    return "no such change";
}

static tfp_str word_of(tfp_str line)
{
    const char *blank = line.size ? memchr(line.data, ' ', line.size) : NULL;
    return (tfp_str){ line.data, blank ? (size_t)(blank - line.data) : line.size };
}

/* The value after the word of a line. */
static tfp_str value_of(tfp_str line)
{
    size_t skip = word_of(line).size;
    skip += skip < line.size;
    return (tfp_str){ line.data + skip, line.size - skip };
}

bool tfp_change_next(tfp_str *rest, tfp_change *out)
{
    while (rest->size) {
        tfp_str line = tfp_str_cut_line(rest);
        size_t kind;
        if (!tfp_word_find(word_of(line), names, &kind)) continue;
        if (read_change((tfp_change_kind)kind, value_of(line), out)) continue;
        out->typed = line;
        return true;
    }
    return false;
}

/* The name of an option as the user types it. */
static tfp_str typed_name(const char *name)
{
    return strcmp(name, "no_sync") == 0 ? TFP_STR("no-sync") : tfp_str_of(name);
}

static tfp_status check_pattern(const tfp_change *c, tfp_error *err)
{
    char why[200] = "";
    if (c->kind != TFP_CHANGE_FASTER && (c->kind != TFP_CHANGE_FUSE || !c->pattern.size)) return TFP_OK;
    tfp_regex *r = tfp_regex_new(c->pattern, why, sizeof why);
    tfp_regex_free(r);
    if (r) return TFP_OK;
    return *why ? tfp_fail(err, TFP_BADARG, "invalid regular expression: %s", why) : tfp_nomem(err);
}

static tfp_status check(tfp_str name, tfp_str value, tfp_error *err)
{
    tfp_change change;
    size_t kind;
    if (!tfp_word_find(name, names, &kind)) return wrong(err, "no such change");
    if (memchr(value.data, '\n', value.size)) return wrong(err, "a line break in it");
    const char *why = read_change((tfp_change_kind)kind, value, &change);
    return why ? wrong(err, why) : check_pattern(&change, err);
}

/* Copies all lines except those with a name. */
static void copy_others(tfp_buf *to, tfp_str all, tfp_str name)
{
    while (all.size) {
        tfp_str line = tfp_str_cut_line(&all);
        if (name.size && tfp_str_eq(word_of(line), name)) continue;
        tfp_buf_str(to, line);
        tfp_buf_char(to, '\n');
    }
}

tfp_status tfp_changes_set(char **field, const char *name, tfp_str value, tfp_error *err)
{
    tfp_str typed = typed_name(name), none = { "", 0 };
    bool flag = tfp_str_eq(typed, TFP_STR("no-sync")), clear = !value.size;
    tfp_buf all = { 0 };
    tfp_status s = clear ? TFP_OK : check(typed, value, err);
    if (s) return s;
    copy_others(&all, tfp_str_of(*field), clear || flag ? typed : none);
    if (!clear) {
        tfp_buf_str(&all, typed);
        if (!flag) tfp_buf_char(&all, ' ');
        if (!flag) tfp_buf_str(&all, value);
        tfp_buf_char(&all, '\n');
    }
    bool empty = all.size == 0;
    tfp_buf_char(&all, 0);
    if (all.failed) return tfp_buf_free(&all), tfp_nomem(err);
    if (empty) tfp_buf_free(&all);
    free(*field);
    *field = all.data;
    return TFP_OK;
}

void tfp_changes_get(const char *field, const char *name, tfp_buf *out)
{
    tfp_str all = tfp_str_of(field), typed = typed_name(name);
    bool some = false, flag = tfp_str_eq(typed, TFP_STR("no-sync"));
    while (all.size) {
        tfp_str line = tfp_str_cut_line(&all);
        if (!tfp_str_eq(word_of(line), typed)) continue;
        if (some) tfp_buf_char(out, ',');
        tfp_buf_str(out, flag ? TFP_STR("true") : value_of(line));
        some = true;
    }
    if (flag && !some) tfp_buf_text(out, "false");
}
