// SPDX-License-Identifier: Apache-2.0
/* options/options_proto.c: reads options in the form of TensorFlow's Python API: a serialized OptionsProto, or for
 * advise an AdvisorOptionsProto. Message layout: tensorflow/core/profiler/tfprof_options.proto. */
#include "options/options.h"
#include "wire/proto.h"

#include <stdio.h>
#include <stdlib.h>

/* The kinds of fields of OptionsProto. */
typedef enum field_kind { NUMBER, BOOLEAN, TEXT, LIST } field_kind;
typedef struct option_field {
    uint32_t number;
    field_kind kind;
    const char *option;
} option_field;

/* clang-format off */
static const option_field fields[] = { /* the minimums come from the column table */
    {  1, NUMBER,  "max_depth" },
    {  7, TEXT,    "order_by" },
    {  8, LIST,    "account_type_regexes" },
    {  9, LIST,    "start_name_regexes" },
    { 10, LIST,    "trim_name_regexes" },
    { 11, LIST,    "show_name_regexes" },
    { 12, LIST,    "hide_name_regexes" },
    { 13, BOOLEAN, "account_displayed_op_only" },
    { 14, LIST,    "select" },
    { 15, TEXT,    "output" },
    { 16, TEXT,    "dump_to_file" },
    { 18, NUMBER,  "step" },
};
/* clang-format on */
enum { FIELD_COUNT = sizeof fields / sizeof *fields, FIELD_MAX = FIELD_COUNT + TFP_COLUMNS_MAX };

/* The values of a field in the message: the last one of a single field, all of a list. Texts are copies that end in
 * NUL. */
typedef struct value {
    bool given;
    bool has_nul; /* the last text contained NUL bytes */
    int64_t number;
    TFP_VEC(char *) texts;
} value;

typedef struct reader {
    tfp_options *o;
    option_field fields[FIELD_MAX];
    value values[FIELD_MAX]; /* by field */
    size_t count;
    bool no_memory;
} reader;

/* NUL bytes would end a text early, so they are written as in patterns: \x00. No column has such a name. */
static void add_text(reader *r, value *v, tfp_str text)
{
    tfp_buf copy = { 0 };
    v->has_nul = text.size && memchr(text.data, 0, text.size);
    for (size_t i = 0; v->has_nul && i < text.size; i++) {
        if (text.data[i])
            tfp_buf_char(&copy, text.data[i]);
        else
            tfp_buf_text(&copy, "\\x00");
    }
    if (!v->has_nul) tfp_buf_str(&copy, text);
    tfp_buf_char(&copy, 0);
    if (!copy.failed && tfp_push(&v->texts, copy.data)) return;
    tfp_buf_free(&copy);
    r->no_memory = true;
}

/* Collects the fields of the table and those of the columns' minimums. */
static void list_fields(reader *r)
{
    for (size_t i = 0; i < FIELD_COUNT; i++) r->fields[r->count++] = fields[i];
    for (int i = 0; i < tfp_column_count; i++)
        if (tfp_columns[i].min.proto)
            r->fields[r->count++] = (option_field){ tfp_columns[i].min.proto, NUMBER, tfp_columns[i].min.option };
}

static void read_field(reader *r, tfp_wire *w, const tfp_field *f)
{
    for (size_t i = 0; i < r->count; i++) {
        if (r->fields[i].number != f->number) continue;
        value *v = &r->values[i];
        v->given = true;
        if (r->fields[i].kind == NUMBER || r->fields[i].kind == BOOLEAN)
            v->number = tfp_field_int(w, f);
        else
            add_text(r, v, tfp_field_bytes(w, f));
    }
}

/* Ignores unknown columns; the error names the first of them. */
static tfp_status set_columns(tfp_options *o, const value *v, tfp_error *err)
{
    const char **known = calloc(v->texts.size + 1, sizeof *known);
    const char *unknown = NULL;
    size_t count = 0;
    if (!known) return tfp_nomem(err);
    for (size_t i = 0; i < v->texts.size; i++) {
        if (tfp_column_find(tfp_str_of(v->texts.at[i])) >= 0)
            known[count++] = v->texts.at[i];
        else if (!unknown)
            unknown = v->texts.at[i];
    }
    tfp_status s = tfp_options_set_list(o, "select", known, count, err);
    free(known);
    if (s || !unknown) return s;
    return tfp_fail(err, TFP_BADARG, "option -select: no column '%.100s'", unknown);
}

static tfp_status set_number(tfp_options *o, const option_field *f, int64_t n, tfp_error *err)
{
    char text[24];
    if (strcmp(f->option, "step") == 0 && n < -1) n = -1; /* any negative number means the mean */
    snprintf(text, sizeof text, "%lld", (long long)n);
    return tfp_options_set(o, f->option, text, err);
}

static tfp_status set_value(tfp_options *o, const option_field *f, const value *v, tfp_error *err)
{
    const char *last = v->texts.size ? v->texts.at[v->texts.size - 1] : "";
    switch (f->kind) {
    case NUMBER: return set_number(o, f, v->number, err);
    case BOOLEAN: return tfp_options_set(o, f->option, v->number ? "true" : "false", err);
    case TEXT:
        if (v->has_nul) return tfp_fail(err, TFP_BADARG, "option -%s: value '%.500s': a NUL byte", f->option, last);
        if (!*last) return TFP_OK;
        tfp_status s = tfp_options_set(o, f->option, last, err);
        return s ? s : tfp_options_known_order(o, err);
    case LIST:
        if (strcmp(f->option, "select") == 0) return set_columns(o, v, err);
        return tfp_options_set_list(o, f->option, (const char *const *)v->texts.at, v->texts.size, err);
    }
    return TFP_OK;
}

/* Sets every value even if another is invalid, and reports the first error. proto3 does not send an empty list, 0 or
 * false, so an absent field is empty, 0 or false; only texts keep their defaults. */
static tfp_status set_values(reader *r, tfp_error *err)
{
    tfp_status s = TFP_OK;
    for (size_t i = 0; i < r->count; i++) {
        if (!r->values[i].given && r->fields[i].kind == TEXT) continue;
        tfp_status bad = set_value(r->o, &r->fields[i], &r->values[i], s ? NULL : err);
        if (bad && strcmp(r->fields[i].option, "order_by") == 0) tfp_options_set(r->o, "order_by", "name", NULL);
        if (bad == TFP_NOMEM) return tfp_nomem(err); /* even after an invalid value: the others were not set */
        if (!s) s = bad;
    }
    return s;
}

tfp_status tfp_options_of_view(tfp_options *o, tfp_str bytes, tfp_error *err)
{
    reader r = { .o = o };
    list_fields(&r);
    tfp_wire w = tfp_wire_start(bytes);
    for (tfp_field f; tfp_wire_next(&w, &f);) read_field(&r, &w, &f);
    tfp_status s = tfp_wire_end(&w, err);
    if (!s && r.no_memory) s = tfp_nomem(err);
    if (!s) s = set_values(&r, err);
    for (size_t i = 0; i < r.count; i++) {
        for (size_t k = 0; k < r.values[i].texts.size; k++) free(r.values[i].texts.at[k]);
        tfp_vec_free(&r.values[i].texts);
    }
    return s;
}

/* Whether a comma-separated list can contain this name; otherwise it is not the name of a checker. */
static bool is_one_item(tfp_str name)
{
    return !name.size || (!memchr(name.data, ',', name.size) && !memchr(name.data, 0, name.size));
}

/* Reads the names of the checkers. A list that is a single comma selects no checker. */
tfp_status tfp_options_of_advisor(tfp_options *o, tfp_str bytes, tfp_error *err)
{
    tfp_buf names = { 0 };
    tfp_str odd = { "", 0 };
    tfp_wire w = tfp_wire_start(bytes);
    tfp_buf_char(&names, ',');
    for (tfp_field f; tfp_wire_next(&w, &f);) {
        if (f.number != 1) continue;
        tfp_str name = tfp_field_name(&w, &f, "checkers"); /* the key; checkers have no options of their own today */
        if (!is_one_item(name)) {
            odd = name;
            continue;
        }
        tfp_buf_str(&names, name);
        tfp_buf_char(&names, ',');
    }
    tfp_status s = tfp_wire_end(&w, err);
    tfp_buf_char(&names, 0);
    if (!s) s = names.failed ? tfp_nomem(err) : tfp_options_set(o, "checkers", names.data, err);
    if (!s && odd.size)
        s = tfp_fail(err, TFP_BADARG, "option -checkers: no checker '%.*s'", (int)(odd.size < 200 ? odd.size : 200),
                     odd.data);
    tfp_buf_free(&names);
    return s;
}
