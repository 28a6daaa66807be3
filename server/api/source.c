// SPDX-License-Identifier: Apache-2.0
/* server/api/source.c: source texts, only of files that the profile's code traces name and that lie under a folder given at
 * start; and the values of a checkpoint's tensors. */
#include "data/reports.h"
#include "data/source.h"

#include <stdlib.h>
#include <unistd.h>

/* A report has only the lines that the code names, and some around them. */
static bool put_text(const question *q, const char *file, int fd, answer *a)
{
    answer whole = { 0 };
    if (!q->sources) return source_read(fd, a);
    bool read = source_read(fd, &whole);
    if (read && (answer_failed(&whole) || !source_add_near(q->sources, file, whole.data, whole.size, a)))
        a->no_memory = true;
    answer_free(&whole);
    return read;
}

static void answer_source(const question *q, answer *a)
{
    const char *file = request_value(q->request, "file");
    if (!file || !*file) {
        answer_error(a, ANSWER_WRONG, "the parameter 'file' is missing");
        return;
    }
    bool named = q->sources || source_is_named(q->profile.profile, file);
    int fd = named ? catalog_open_text(q->catalog, file) : -1;
    if (!named)
        answer_error(a, ANSWER_UNKNOWN, "the profile's code names no such file");
    else if (fd < 0)
        answer_error(a, ANSWER_UNKNOWN, "it lies under none of the folders that tfprof serve was started with");
    else if (!put_text(q, file, fd, a))
        answer_error(a, ANSWER_UNUSABLE, "not a text of at most %zu MB", SOURCE_MOST >> 20);
    else
        a->type = "text/plain; charset=utf-8";
    if (fd >= 0) close(fd);
}

static void put_file(const question *q, const tfp_report *files, size_t i, char *name, answer *a)
{
    int64_t lines = 0;
    if (tfp_report_string(files, i, "file", name, PATH_ROOM) >= PATH_ROOM) return;
    int fd = catalog_open_text(q->catalog, name);
    tfp_report_int(files, i, "lines", &lines);
    json_open(a, NULL, '{');
    json_text(a, "file", name);
    json_int(a, "lines", lines);
    json_bool(a, "readable", fd >= 0);
    json_close(a, '}');
    if (fd >= 0) close(fd);
}

/* Whether one file can be shown: an answer, where asking for its text would be refused. */
static void answer_file(const question *q, const char *file, answer *a)
{
    int fd = source_is_named(q->profile.profile, file) ? catalog_open_text(q->catalog, file) : -1;
    json_open(a, NULL, '{');
    json_open(a, "files", '[');
    json_open(a, NULL, '{');
    json_text(a, "file", file);
    json_bool(a, "readable", fd >= 0);
    json_close(a, '}');
    json_close(a, ']');
    json_close(a, '}');
    if (fd >= 0) close(fd);
}

/* All files that the code names, and whether they can be shown. */
static void answer_files(const question *q, answer *a)
{
    const char *one = request_value(q->request, "file");
    if (one && *one) {
        answer_file(q, one, a);
        return;
    }
    tfp_report *files = NULL;
    char *name = malloc(PATH_ROOM);
    if (!name || tfp_records(q->profile.profile, "files", -1, &files, NULL) != TFP_OK) a->no_memory = true;
    json_open(a, NULL, '{');
    json_open(a, "files", '[');
    for (size_t i = 0; name && i < tfp_report_row_count(files); i++) put_file(q, files, i, name, a);
    json_close(a, ']');
    json_close(a, '}');
    tfp_report_free(files);
    free(name);
}

static void put_summary(answer *a, const char *name, const tfp_tensor_summary *t)
{
    json_open(a, NULL, '{');
    json_text(a, "name", name);
    json_text(a, "dtype", t->dtype);
    json_text(a, "shape", t->shape);
    json_int(a, "elements", t->elements);
    json_bool(a, "numbers", t->numbers);
    if (t->numbers) {
        json_int(a, "finite", t->finite);
        json_int(a, "zeros", t->zeros);
        json_int(a, "nans", t->nans);
        json_int(a, "infinities", t->infinities);
        json_real(a, "min", t->least);
        json_real(a, "max", t->most);
        json_real(a, "mean", t->mean);
        json_real(a, "deviation", t->deviation);
        json_open(a, "histogram", '[');
        for (size_t i = 0; i < TFP_TENSOR_BINS; i++) json_int(a, NULL, t->bins[i]);
        json_close(a, ']');
        json_open(a, "values", '[');
        for (size_t i = 0; i < t->shown; i++) json_real(a, NULL, t->first[i]);
        json_close(a, ']');
    }
    json_close(a, '}');
}

static void answer_value(const question *q, answer *a)
{
    tfp_tensor_summary t;
    const char *name = request_value(q->request, "name");
    if (!name) {
        answer_error(a, ANSWER_WRONG, "the parameter 'name' is missing");
        return;
    }
    tfp_error *err = tfp_error_new();
    tfp_status s = tfp_tensor_summarise(q->profile.profile, name, &t, err);
    if (s)
        answer_failure(a, s, err);
    else
        put_summary(a, name, &t);
    tfp_error_free(err);
}

const route routes_source[] = {
    { "/api/v1/profiles/*/files", answer_files, "file", ROUTE_PROFILE },
    { "/api/v1/profiles/*/source", answer_source, "file", ROUTE_PROFILE },
    { "/api/v1/profiles/*/tensors/value", answer_value, "name", ROUTE_PROFILE },
    { 0 },
};
