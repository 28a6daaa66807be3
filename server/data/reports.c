// SPDX-License-Identifier: Apache-2.0
/* server/data/reports.c: makes options from parameters, and reports in the requested format. */
#include "reports.h"

#include <string.h>

void answer_failure(answer *a, tfp_status s, const tfp_error *err)
{
    static const int statuses[] = {
        [TFP_BADFILE] = ANSWER_UNUSABLE,   [TFP_BADARG] = ANSWER_WRONG, [TFP_NOTFOUND] = ANSWER_WRONG,
        [TFP_BADOUTPUT] = ANSWER_UNUSABLE, [TFP_NOMEM] = ANSWER_BUSY,   [TFP_LIMIT] = ANSWER_UNUSABLE,
        [TFP_CANCELLED] = ANSWER_BUSY
    };
    const char *why = tfp_error_message(err);
    answer_error(a, statuses[s], "%s", *why ? why : "out of memory");
    a->over_limit = s == TFP_LIMIT;
}

bool report_json(tfp_report *report, tfp_error *err, answer *text, answer *a)
{
    tfp_status s = tfp_report_write(report, "json", answer_write, text, err);
    answer_add(text, "", 1);
    a->no_memory |= text->no_memory;
    a->too_long |= text->too_long;
    if (s && !answer_failed(text)) answer_failure(a, s, err);
    return !s && !answer_failed(text);
}

/* Sets an option. One that is repeated is a list; a request may not choose where output is written. */
static tfp_status take_option(const request *r, size_t i, tfp_options *o, tfp_error *err)
{
    const char *name = r->parameters[i].name, *values[REQUEST_PARAMETERS] = { r->parameters[i].value };
    size_t count = 0;
    for (size_t k = 0; k < r->parameter_count; k++)
        if (strcmp(r->parameters[k].name, name) == 0) {
            if (k < i) return TFP_OK; /* it was set together with the first of them */
            values[count++] = r->parameters[k].value;
        }
    if (count > 1) return tfp_options_set_list(o, name, values, count, err);
    bool bare = !*values[0] && tfp_options_kind(name) == 'b';
    return tfp_options_set(o, name, bare ? NULL : values[0], err);
}

bool options_of(const request *r, const char *except, tfp_options *o, answer *a)
{
    static const char refused[] = "output dump_to_file proto_out format";
    tfp_error *err = tfp_error_new();
    bool ok = true;
    for (size_t i = 0; i < r->parameter_count && ok; i++) {
        const char *name = r->parameters[i].name;
        if (strcmp(name, "token") == 0 || strcmp(name, "format") == 0 || routes_list_has(except, name)) continue;
        if (routes_list_has(refused, name)) {
            answer_error(a, ANSWER_WRONG, "a request writes no file: no parameter '%s'", name);
            ok = false;
            break;
        }
        tfp_status s = take_option(r, i, o, err);
        if (!s) continue;
        answer_failure(a, s, err);
        ok = false;
    }
    tfp_error_free(err);
    return ok;
}

/* The content types of the library's outputs; only these may be requested. */
static const struct {
    const char *name, *type;
} formats[] = {
    { "json", "application/json" },
    { "jsonl", "application/x-ndjson" },
    { "csv", "text/csv; charset=utf-8" },
    { "text", "text/plain; charset=utf-8" },
    { "md", "text/markdown; charset=utf-8" },
    { "columns", "application/octet-stream" },
    { "arrow", "application/vnd.apache.arrow.stream" },
    { "parquet", "application/vnd.apache.parquet" },
};

static void write_report(const request *r, const tfp_report *report, answer *a)
{
    const char *format = request_value(r, "format");
    size_t i = 0, count = sizeof formats / sizeof *formats;
    while (format && i < count && strcmp(formats[i].name, format) != 0) i++;
    if (i == count) {
        answer_error(a, ANSWER_WRONG, "no format '%s'", format);
        return;
    }
    tfp_error *err = tfp_error_new();
    a->type = formats[i].type;
    tfp_status s = tfp_report_write(report, formats[i].name, answer_write, a, err);
    if (s && !answer_failed(a)) answer_failure(a, s, err);
    tfp_error_free(err);
}

void answer_report(const request *r, tfp_status s, tfp_report *report, const tfp_error *err, answer *a)
{
    if (s)
        answer_failure(a, s, err);
    else
        write_report(r, report, a);
    tfp_report_free(report);
}

void answer_added(answer *a, const char *id, const char *path)
{
    json_open(a, NULL, '{');
    json_text(a, "id", id);
    json_text(a, "path", path);
    json_close(a, '}');
}
