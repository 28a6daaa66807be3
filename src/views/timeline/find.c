// SPDX-License-Identifier: Apache-2.0
/* views/timeline/find.c: searches a timeline's spans by name: all that contain a text, and the next one. */
#include "model/tables/details.h"
#include "model/tables/events.h"
#include "model/tables/read.h"
#include "views/core/grid.h"
#include "views/core/handle.h"
#include "views/timeline/timeline.h"

#include <stdlib.h>

/* ---- searching ---- */

uint8_t *tfp_timeline_matches(const tfp_timeline *t, const char *search)
{
    size_t count = tfp_strings_of(t->p)->count;
    tfp_str part = tfp_str_of(search);
    uint8_t *found = calloc(count + 1, 1);
    for (size_t i = 0; found && i < count; i++) found[i] = tfp_str_has_caseless(tfp_strings_of(t->p)->strings[i], part);
    for (size_t i = 0; found && i < count; i++)
        found[i] |= tfp_str_has_caseless(tfp_timeline_short(t, (tfp_strid)i), part);
    return found;
}

/* ---- the next one of a name ---- */

typedef struct match_row {
    int64_t span, row, start_ns, duration_ns;
    tfp_str name;
} match_row;

static const tfp_table_column match_columns[] = {
    TFP_COLUMN_WHOLE(match_row, "span", INT, NUMBER, span, "its number"),
    TFP_COLUMN_WHOLE(match_row, "row", INT, NUMBER, row, "its row, counted over all lanes"),
    TFP_COLUMN_WHOLE(match_row, "start_us", NANO, MICROS, start_ns, "from the start of the timeline"),
    TFP_COLUMN_WHOLE(match_row, "duration_us", NANO, MICROS, duration_ns, "how long it took"),
    TFP_COLUMN_WHOLE(match_row, "name", TEXT, LABEL, name, "of the span"),
    { 0 }
};

/* By start, then by position. */
static bool comes_before(const tfp_timeline *t, uint32_t a, uint32_t b)
{
    return t->start_ns[a] != t->start_ns[b] ? t->start_ns[a] < t->start_ns[b] : a < b;
}

tfp_status tfp_timeline_find(const tfp_timeline *t, const char *search, int64_t first_row, int64_t last_row,
                             int64_t after, int backward, tfp_report **out, tfp_error *err)
{
    tfp_report *r = NULL;
    tfp_status s = tfp_timeline_ask(t, "find", &r, out, err);
    if (s) return s;
    size_t spans = t->runs ? tfp_details_of(t->p)->spans.size : tfp_events_of(t->p)->spans.size;
    uint32_t from = after >= 0 && (uint64_t)after < spans ? t->place_of[after] : TFP_NONE, best = TFP_NONE;
    uint8_t *found = search && *search ? tfp_timeline_matches(t, search) : NULL;
    int64_t count = 0, before = 0;
    uint32_t first = first_row < 0                       ? 0
                     : first_row < (int64_t)t->row_count ? (uint32_t)first_row
                                                         : (uint32_t)t->row_count;
    uint32_t last = last_row < 0                       ? 0
                    : last_row < (int64_t)t->row_count ? (uint32_t)last_row + 1
                                                       : (uint32_t)t->row_count;
    for (uint32_t i = t->row_first[first]; found && i < t->row_first[last]; i++) {
        if (!found[tfp_timeline_name(t, i)]) continue;
        count++;
        bool wanted = from == TFP_NONE || (i != from && comes_before(t, from, i) == !backward);
        if (wanted && (best == TFP_NONE || comes_before(t, i, best) == !backward)) best = i;
    }
    for (uint32_t i = t->row_first[first]; best != TFP_NONE && i < t->row_first[last]; i++)
        before += found[tfp_timeline_name(t, i)] && comes_before(t, i, best);
    match_row row = { 0 };
    if (best != TFP_NONE)
        row = (match_row){ t->span[best], tfp_timeline_row(t, best), t->start_ns[best],
                           t->end_ns[best] - t->start_ns[best], tfp_text(t->p, tfp_timeline_name(t, best)) };
    tfp_fact *all = tfp_fact_add(r, "matches", "Matches", TFP_CELL_INT, TFP_NUMBER);
    if (all) all->number = count;
    tfp_fact *place = tfp_fact_add(r, "place", "Place among them", TFP_CELL_INT, TFP_NUMBER);
    if (place) place->number = best == TFP_NONE ? 0 : before + 1;
    bool ok = all && place && (found || !search || !*search);
    s = ok ? tfp_grid_of(r, &(tfp_row_table){ match_columns, &row, sizeof row, best != TFP_NONE, 0 }, err)
           : tfp_nomem(err);
    free(found);
    return tfp_report_give(r, s, out);
}
