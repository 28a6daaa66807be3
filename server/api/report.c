// SPDX-License-Identifier: Apache-2.0
/* server/api/report.c: the report of a profile as a file, as `tfprof report` makes it: the page's "Save as report". */
#include "report.h"

#include <stdio.h>
#include <string.h>

#define SIZE_MOST ((size_t)64 << 20) /* bytes of the file, as the program's default */
enum { PLACE_MOST = 4096 };

static bool is_stopped(void *ctx) { return catalog_stopping(ctx, 0, 0) != 0; }

/* A place and what is chosen there: the part of an address that the page wrote after the profile's id. */
static bool is_place(const char *place)
{
    size_t n = strlen(place);
    bool plain = n && n < PLACE_MOST && *place >= 'a' && *place <= 'z';
    for (size_t i = 0; i < n && plain; i++) plain = (unsigned char)place[i] > ' ' && place[i] != 127;
    return plain;
}

static void make(const question *q, const report_options *o, answer *a)
{
    char id[sizeof *q->only->at], why[1200] = "";
    snprintf(id, sizeof id, "%.*s", (int)sizeof id - 1, q->words.text[0]);
    int status = report_of_served(o, q->catalog, &(profile_ids){ &id, 1 }, a, why, sizeof why);
    if (status == REPORT_BAD_USAGE)
        answer_error(a, ANSWER_WRONG, "%s", why);
    else if (status)
        answer_error(a, is_stopped(q->catalog) ? ANSWER_BUSY : ANSWER_UNUSABLE, "%s", why);
    else
        a->type = "text/html; charset=utf-8", a->file = "report.html";
}

static void answer_report_file(const question *q, answer *a)
{
    const request *r = q->request;
    report_options o = {
        .step = -1, .size_most = SIZE_MOST, .place = request_value(r, "place"), .stopped = is_stopped, .ctx = q->catalog
    };
    bool free_one = false;
    if (!request_int(r, "step", -1, INT64_MAX, &o.step))
        answer_error(a, ANSWER_WRONG, "step '%s': not a number", request_value(r, "step"));
    else if (o.place && !is_place(o.place))
        answer_error(a, ANSWER_WRONG, "place: not a place of the page, such as timeline?sel=span:12");
    else if (!q->reporting)
        answer_error(a, ANSWER_UNKNOWN, "no report is made here");
    else if (!atomic_compare_exchange_strong(q->reporting, &free_one, true))
        answer_error(a, ANSWER_BUSY, "another report is being made: ask again");
    else {
        make(q, &o, a);
        atomic_store(q->reporting, false);
    }
}

const route routes_report[] = { { "/api/v1/profiles/*/report", answer_report_file, "step place", ROUTE_PROFILE },
                                { 0 } };
