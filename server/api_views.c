/* server/api_views.c: reports of one profile: its views, with every option as a parameter. */
#include "leased.h"

#include <stdlib.h>
#include <string.h>

void answer_failure(answer *a, tfp_status s, const tfp_error *err)
{
    int status = s == TFP_NOTFOUND || s == TFP_BADARG ? 400 : s == TFP_BADFILE ? 422 : 503;
    const char *why = tfp_error_message(err);
    answer_error(a, status, "%s", *why ? why : "out of memory");
}

/* An option that is given again is a list; where the output goes is not for a request to say. */
static tfp_status take_option(const request *r, size_t i, tfp_options *o, tfp_error *err)
{
    const char *name = r->parameters[i].name, *values[REQUEST_PARAMETERS] = { r->parameters[i].value };
    size_t count = 0;
    for (size_t k = 0; k < r->parameter_count; k++)
        if (strcmp(r->parameters[k].name, name) == 0) {
            if (k < i) return TFP_OK; /* taken with the first of them */
            values[count++] = r->parameters[k].value;
        }
    if (count > 1) return tfp_options_set_list(o, name, values, count, err);
    bool bare = !*values[0] && tfp_options_kind(name) == 'b';
    return tfp_options_set(o, name, bare ? NULL : values[0], err);
}

bool options_of(const request *r, const char *besides, tfp_options *o, answer *a)
{
    static const char refused[] = "output dump_to_file proto_out format";
    tfp_error *err = tfp_error_new();
    bool ok = true;
    for (size_t i = 0; i < r->parameter_count && ok; i++) {
        const char *name = r->parameters[i].name;
        if (strcmp(name, "token") == 0 || strcmp(name, "format") == 0 || routes_list_has(besides, name)) continue;
        if (routes_list_has(refused, name)) {
            answer_error(a, 400, "a request writes no file: no parameter '%s'", name);
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

/* The types of the library's outputs; a request can have those only. */
static const struct {
    const char *name, *type;
} formats[] = {
    { "json", "application/json" },           { "jsonl", "application/x-ndjson" },
    { "csv", "text/csv; charset=utf-8" },     { "text", "text/plain; charset=utf-8" },
    { "md", "text/markdown; charset=utf-8" }, { "columns", "application/octet-stream" },
};

void answer_report(const request *r, tfp_report *report, answer *a)
{
    const char *format = request_value(r, "format");
    size_t i = 0, count = sizeof formats / sizeof *formats;
    tfp_error *err = tfp_error_new();
    while (format && i < count && strcmp(formats[i].name, format) != 0) i++;
    tfp_status s = TFP_OK;
    if (i == count) {
        answer_error(a, 400, "no format '%s'", format);
    } else {
        a->type = formats[i].type;
        s = tfp_report_write(report, formats[i].name, answer_write, a, err);
        if (s && s != TFP_BADOUTPUT) answer_failure(a, s, err);
    }
    tfp_error_free(err);
    tfp_report_free(report);
}

void answer_made(const request *r, tfp_status s, tfp_report *report, const tfp_error *err, answer *a)
{
    if (s)
        answer_failure(a, s, err);
    else
        answer_report(r, report, a);
}

static void answer_view(catalog *c, const request *r, const route_words *w, answer *a)
{
    lease l;
    if (!tfp_help(TFP_VIEWS, w->text[1])) {
        answer_error(a, 404, "no view '%s'", w->text[1]);
        return;
    }
    tfp_options *o = tfp_options_new();
    tfp_error *err = tfp_error_new();
    if (o && err && options_of(r, "", o, a) && lease_or_answer(c, w->text[0], &l, a)) {
        tfp_report *report = NULL;
        const char *format = request_value(r, "format");
        tfp_options_every_value(o, !format || strncmp(format, "json", 4) == 0);
        tfp_status s = tfp_report_build(l.profile, w->text[1], o, &report, err);
        answer_made(r, s, report, err, a);
        catalog_give_back(c, &l);
    } else if (!o || !err) {
        a->failed = true;
    }
    tfp_error_free(err);
    tfp_options_free(o);
}

const route routes_views[] = { { "/api/v1/profiles/*/views/*", answer_view, "*", false }, { 0 } };
