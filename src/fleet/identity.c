// SPDX-License-Identifier: Apache-2.0
/* fleet/identity.c: finds the fields of a run from the sidecar, the path and the trace. */
#include "fleet/identity.h"
#include "fleet/rows.h"
#include "fleet/pattern.h"
#include "base/io.h"
#include "wire/json.h"
#include "wire/jsonscan.h"

#include <limits.h>
#include <stdio.h>

static const char *const field_names[TFP_FIELDS] = { "job", "date", "host", "rank", "framework" };

tfp_status tfp_fleet_rules_pattern(tfp_fleet_rules *r, const char *pattern, tfp_error *err)
{
    tfp_status s = tfp_pattern_check(pattern, err);
    char *copy = s ? NULL : strdup(pattern);
    if (s) return s;
    if (copy && tfp_push(&r->patterns, copy)) return TFP_OK;
    free(copy);
    return tfp_nomem(err);
}

bool tfp_fleet_rules_sidecar(tfp_fleet_rules *r, const char *name)
{
    free(r->sidecar);
    r->sidecar = strdup(name);
    return r->sidecar != NULL;
}

void tfp_fleet_rules_free(tfp_fleet_rules *r)
{
    for (size_t i = 0; i < r->patterns.size; i++) free(r->patterns.at[i]);
    tfp_vec_free(&r->patterns);
    free(r->sidecar);
    *r = (tfp_fleet_rules){ 0 };
}

/* ---- dates ---- */

static bool digits(const char *at, size_t count, int64_t *out)
{
    *out = 0;
    for (size_t i = 0; i < count; i++) {
        if (at[i] < '0' || at[i] > '9') return false;
        *out = *out * 10 + (at[i] - '0');
    }
    return true;
}

/* Days from 1970-01-01 to a day of the proleptic Gregorian calendar. Years are counted from March, so that leap days come
 * last. */
static int64_t days_of(int64_t year, int64_t month, int64_t day)
{
    year -= month <= 2;
    int64_t era = year / 400, of_era = year - era * 400;
    int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

bool tfp_fleet_date(tfp_str t, int64_t *days)
{
    static const int lengths[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
    int64_t year, month, day;
    if (t.size != 10 || t.data[4] != '-' || t.data[7] != '-' || !digits(t.data, 4, &year) ||
        !digits(t.data + 5, 2, &month) || !digits(t.data + 8, 2, &day) || year < 1 || month < 1 || month > 12)
        return false;
    bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    if (day < 1 || day > lengths[month - 1] + (month == 2 && leap)) return false;
    *days = days_of(year, month, day);
    return true;
}

bool tfp_fleet_share(const char *text, double most, double *out)
{
    char *end;
    double x = strtod(text, &end);
    if (end == text) return false;
    if (strcmp(end, "%") == 0) x /= 100, end++;
    *out = x;
    return !*end && x >= 0 && x <= most;
}

/* ---- fields ---- */

static bool is_fit(tfp_fleet_identity *id, tfp_fleet_field field, tfp_str value)
{
    if (field == TFP_FIELD_DATE) return tfp_fleet_date(value, &id->date);
    if (field != TFP_FIELD_RANK) return true;
    return value.size && value.data[0] >= '0' && value.data[0] <= '9' && tfp_parse_int64(value, &id->rank);
}

static bool set_field(tfp_fleet_identity *id, tfp_fleet_field field, tfp_str value, const char *source)
{
    if (id->text[field].data) return true;
    if (!is_fit(id, field, value)) {
        id->not_taken++;
        return true;
    }
    id->text[field] = (tfp_str){ tfp_arena_copy(&id->arena, value), value.size };
    id->source[field] = source;
    return id->text[field].data != NULL;
}

static int field_of(tfp_str name)
{
    int i = 0;
    while (i < TFP_FIELDS && !tfp_str_eq(name, tfp_str_of(field_names[i]))) i++;
    return i;
}

static void put_label_name(tfp_fleet_identity *id, tfp_str name)
{
    tfp_buf_text(&id->labels, id->labels.size ? ",\"" : "{\"");
    tfp_json_put_escaped(&id->labels, name);
    tfp_buf_text(&id->labels, "\":");
}

static void put_text_label(tfp_fleet_identity *id, tfp_str name, tfp_str value)
{
    put_label_name(id, name);
    tfp_buf_char(&id->labels, '"');
    tfp_json_put_escaped(&id->labels, value);
    tfp_buf_char(&id->labels, '"');
}

/* ---- the sidecar ---- */

enum { SIDECAR_MOST = 1 << 20 };

static bool take_text(tfp_fleet_identity *id, tfp_str name, tfp_str raw)
{
    tfp_buf text = { 0 };
    int field = field_of(name);
    bool ok = true;
    tfp_jscan_decode(raw, &text);
    tfp_str value = { text.data ? text.data : "", text.size };
    if (field == TFP_FIELDS)
        put_text_label(id, name, value);
    else
        ok = set_field(id, (tfp_fleet_field)field, value, "sidecar");
    ok = ok && !text.failed;
    tfp_buf_free(&text);
    return ok;
}

/* Takes numbers, true, false and nested values. from: the value as it is written. */
static bool take_other(tfp_fleet_identity *id, tfp_str name, tfp_str from, const tfp_jscan_value *v)
{
    int field = field_of(name);
    while (from.size && (unsigned char)from.data[0] <= ' ') from.data++, from.size--;
    while (from.size && (unsigned char)from.data[from.size - 1] <= ' ') from.size--;
    if (field == TFP_FIELDS && v->kind == TFP_JSCAN_REAL && !(v->real - v->real == 0)) {
        put_text_label(id, name, from); /* NaN and Infinity are not valid in JSON, so they become texts */
    } else if (field == TFP_FIELDS) {
        put_label_name(id, name);
        tfp_buf_str(&id->labels, from);
    } else if (v->kind == TFP_JSCAN_INT) {
        return set_field(id, (tfp_fleet_field)field, from, "sidecar");
    }
    return true;
}

/* Reads the sidecar. If it is damaged, the members before the damage are used. */
static bool take_sidecar(tfp_fleet_identity *id, tfp_str text)
{
    tfp_jscan j = tfp_jscan_start(text);
    tfp_jscan_text key;
    bool ok = true;
    if (!tfp_jscan_take(&j, '{', "no object")) return true;
    for (bool first = true; ok && tfp_jscan_member(&j, first, &key); first = false) {
        tfp_buf name = { 0 };
        tfp_jscan_value v;
        tfp_jscan_decode(key.raw, &name);
        const char *from = j.at;
        tfp_jscan_value_of(&j, &v);
        tfp_str known = { name.data ? name.data : "", name.size };
        if (!j.fault && v.kind == TFP_JSCAN_STRING)
            ok = take_text(id, known, v.text.raw);
        else if (!j.fault && v.kind != TFP_JSCAN_NULL)
            ok = take_other(id, known, (tfp_str){ from, (size_t)(j.at - from) }, &v);
        ok = ok && !name.failed;
        tfp_buf_free(&name);
    }
    return ok && !id->labels.failed;
}

static bool read_sidecar(const tfp_fleet_rules *rules, const char *file, tfp_fleet_identity *id)
{
    char path[PATH_MAX];
    const char *slash = strrchr(file, '/');
    int folder = slash ? (int)(slash - file) + 1 : 0;
    int n = snprintf(path, sizeof path, "%.*s%s", folder, file, rules->sidecar ? rules->sidecar : "meta.json");
    tfp_buf text = { 0 };
    bool ok = true;
    if (n > 0 && (size_t)n < sizeof path && tfp_read_file(path, SIDECAR_MOST, &text, NULL) == TFP_OK && text.size)
        ok = take_sidecar(id, (tfp_str){ text.data, text.size });
    tfp_buf_free(&text);
    return ok;
}

/* ---- all together ---- */

static bool take_path(void *ctx, tfp_str name, tfp_str value)
{
    tfp_fleet_identity *id = ctx;
    int field = field_of(name);
    if (field != TFP_FIELDS) return set_field(id, (tfp_fleet_field)field, value, "path");
    put_text_label(id, name, value);
    return !id->labels.failed;
}

bool tfp_fleet_identify(const tfp_fleet_rules *rules, const char *file, tfp_str path, tfp_fleet_identity *out)
{
    *out = (tfp_fleet_identity){ 0 };
    if (file && !read_sidecar(rules, file, out)) return false;
    for (size_t i = 0; i < rules->patterns.size; i++) {
        bool ok = true;
        if (tfp_pattern_fits(rules->patterns.at[i], path, take_path, out, &ok)) return ok;
    }
    return true;
}

bool tfp_fleet_identity_end(tfp_fleet_identity *id, const tfp_fleet_about *about, tfp_fleet_run *run)
{
    bool ok = true;
    if (about->host.size) ok = set_field(id, TFP_FIELD_HOST, about->host, "trace");
    if (about->framework.size) ok = ok && set_field(id, TFP_FIELD_FRAMEWORK, about->framework, "trace");
    if (!id->text[TFP_FIELD_RANK].data && about->rank >= 0) {
        char text[24];
        int n = snprintf(text, sizeof text, "%lld", (long long)about->rank);
        ok = ok && set_field(id, TFP_FIELD_RANK, (tfp_str){ text, (size_t)n }, "trace");
    }
    if (!id->text[TFP_FIELD_DATE].data && about->started_us != INT64_MIN) {
        id->date = about->started_us / (INT64_C(86400) * 1000000);
        id->text[TFP_FIELD_DATE] = TFP_STR("trace");
        id->source[TFP_FIELD_DATE] = "trace";
    }
    for (int i = 0; i < TFP_FIELD_FRAMEWORK; i++)
        if (id->source[i])
            tfp_buf_printf(&id->sources, "%s%s=%s", id->sources.size ? "," : "", field_names[i], id->source[i]);
    if (id->labels.size) tfp_buf_char(&id->labels, '}');
    if (id->labels.size) run->labels = (tfp_str){ id->labels.data, id->labels.size };
    run->job = id->text[TFP_FIELD_JOB];
    run->host = id->text[TFP_FIELD_HOST];
    run->framework = id->text[TFP_FIELD_FRAMEWORK];
    run->dated = id->text[TFP_FIELD_DATE].data != NULL;
    run->date = id->date;
    run->ranked = id->text[TFP_FIELD_RANK].data != NULL;
    run->rank = id->rank;
    if (id->sources.size) run->identity = (tfp_str){ id->sources.data, id->sources.size };
    return ok && !id->sources.failed && !id->labels.failed;
}

void tfp_fleet_identity_free(tfp_fleet_identity *id)
{
    tfp_buf_free(&id->labels);
    tfp_buf_free(&id->sources);
    tfp_arena_free(&id->arena);
}
