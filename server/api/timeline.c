// SPDX-License-Identifier: Apache-2.0
/* server/api/timeline.c: a profile's timeline in windows: lanes, visible items of a window, sums over it, one
 * span, the next of a name. The layout is made once for each profile (catalog_timeline). */
#include "data/reports.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 1000, WIDTH_MOST = 10000, MOST = 1000000 };
#define TIME_MOST_US 4e15 /* limits of a window */

/* Reads microseconds with decimals as nanoseconds; without the parameter the value is unchanged. */
static bool take_time(const question *q, const char *name, int64_t *ns, answer *a)
{
    const char *text = request_value(q->request, name);
    char *end;
    if (!text) return true;
    errno = 0;
    double us = strtod(text, &end);
    bool ok = *text && !text[strspn(text, "0123456789.eE+-")] && !*end && us >= 0 && us <= TIME_MOST_US;
    if (ok) *ns = (int64_t)(us * 1000);
    if (!ok) answer_error(a, ANSWER_WRONG, "%s '%s': not a time in microseconds", name, text);
    return ok;
}

static bool take_int(const question *q, const char *name, long long least, long long most, long long *out, answer *a)
{
    bool ok = request_int(q->request, name, least, most, out);
    const char *text = request_value(q->request, name);
    if (!ok && most == INT64_MAX)
        answer_error(a, ANSWER_WRONG, "%s '%s': not a whole number of at least %lld", name, text, least);
    else if (!ok)
        answer_error(a, ANSWER_WRONG, "%s '%s': not a whole number from %lld to %lld", name, text, least, most);
    return ok;
}

typedef struct window { /* the parameters of a request; each route uses some of them */
    int64_t from_ns, to_ns;
    long long width, first_row, last_row, step, most, after, backward;
    const char *search, *by, *rows;
} window;

static bool take_window(const question *q, window *w, answer *a)
{
    *w = (window){ .to_ns = (int64_t)(TIME_MOST_US * 1000),
                   .width = WIDTH,
                   .last_row = INT64_MAX,
                   .step = -1,
                   .most = -1,
                   .after = -1 };
    w->search = request_value(q->request, "q");
    w->by = request_value(q->request, "by");
    w->rows = request_value(q->request, "rows");
    return take_time(q, "from", &w->from_ns, a) && take_time(q, "to", &w->to_ns, a) &&
           take_int(q, "px", 1, WIDTH_MOST, &w->width, a) && take_int(q, "first_row", 0, INT64_MAX, &w->first_row, a) &&
           take_int(q, "last_row", 0, INT64_MAX, &w->last_row, a) && take_int(q, "step", -1, INT64_MAX, &w->step, a) &&
           take_int(q, "most", 1, MOST, &w->most, a) && take_int(q, "after", -1, INT64_MAX, &w->after, a) &&
           take_int(q, "backward", 0, 1, &w->backward, a);
}

typedef tfp_status ask(const question *q, const tfp_timeline *t, const window *w, tfp_report **out, tfp_error *err);

static void answer_timeline(const question *q, answer *a, ask *what)
{
    window w;
    if (!take_window(q, &w, a)) return;
    tfp_report *report = NULL;
    const tfp_timeline *t = NULL;
    tfp_error *err = tfp_error_new();
    tfp_status s = catalog_timeline(q->catalog, &q->profile, &t, err);
    if (!s) s = what(q, t, &w, &report, err);
    answer_report(q->request, s, report, err, a);
    tfp_error_free(err);
}

static tfp_status ask_spans(const question *q, const tfp_timeline *t, const window *w, tfp_report **out, tfp_error *err)
{
    (void)q;
    if (w->most > 0) return tfp_timeline_whole(t, w->step, w->most, out, err);
    return tfp_timeline_spans(t, w->from_ns, w->to_ns, (int)w->width, w->rows, w->search, out, err);
}
static void answer_spans(const question *q, answer *a) { answer_timeline(q, a, ask_spans); }

static tfp_status ask_sums(const question *q, const tfp_timeline *t, const window *w, tfp_report **out, tfp_error *err)
{
    (void)q;
    return tfp_timeline_sums(t, w->from_ns, w->to_ns, w->by, w->search, w->rows, out, err);
}
static void answer_sums(const question *q, answer *a) { answer_timeline(q, a, ask_sums); }

static tfp_status ask_leaves(const question *q, const tfp_timeline *t, const window *w, tfp_report **out,
                             tfp_error *err)
{
    (void)q;
    return tfp_timeline_leaves(t, w->step, w->most > 0 ? w->most : 0, out, err);
}
static void answer_leaves(const question *q, answer *a) { answer_timeline(q, a, ask_leaves); }

static tfp_status ask_counters(const question *q, const tfp_timeline *t, const window *w, tfp_report **out,
                               tfp_error *err)
{
    (void)q;
    (void)w;
    return tfp_timeline_counters(t, out, err);
}
static void answer_counters(const question *q, answer *a) { answer_timeline(q, a, ask_counters); }

static tfp_status ask_lanes(const question *q, const tfp_timeline *t, const window *w, tfp_report **out, tfp_error *err)
{
    (void)q;
    return tfp_timeline_lanes(t, w->step, out, err);
}
static void answer_lanes(const question *q, answer *a) { answer_timeline(q, a, ask_lanes); }

static tfp_status ask_find(const question *q, const tfp_timeline *t, const window *w, tfp_report **out, tfp_error *err)
{
    (void)q;
    return tfp_timeline_find(t, w->search, w->first_row, w->last_row, w->after, (int)w->backward, out, err);
}
static void answer_find(const question *q, answer *a) { answer_timeline(q, a, ask_find); }

/* A word that is no number identifies no span. */
static tfp_status ask_span(const question *q, const tfp_timeline *t, const window *w, tfp_report **out, tfp_error *err)
{
    (void)w;
    const char *word = q->words.text[1];
    errno = 0;
    long long span = word[strspn(word, "0123456789")] ? -1 : strtoll(word, NULL, 10);
    return tfp_timeline_span(t, errno ? -1 : span, out, err);
}
static void answer_span(const question *q, answer *a) { answer_timeline(q, a, ask_span); }

const route routes_timeline[] = {
    { "/api/v1/profiles/*/lanes", answer_lanes, "step format", ROUTE_PROFILE },
    { "/api/v1/profiles/*/spans", answer_spans, "from to px rows q step most format", ROUTE_PROFILE },
    { "/api/v1/profiles/*/sums", answer_sums, "from to by q rows format", ROUTE_PROFILE },
    { "/api/v1/profiles/*/leaves", answer_leaves, "step most format", ROUTE_PROFILE },
    { "/api/v1/profiles/*/counters", answer_counters, "format", ROUTE_PROFILE },
    { "/api/v1/profiles/*/find", answer_find, "q after backward first_row last_row format", ROUTE_PROFILE },
    { "/api/v1/profiles/*/spans/*", answer_span, "format", ROUTE_PROFILE },
    { 0 },
};
