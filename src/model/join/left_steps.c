// SPDX-License-Identifier: Apache-2.0
/* model/join/left_steps.c: the steps that no mean takes, because something in them is in doubt (docs/advise.md). */
#include "model/tables/doubts.h"
#include "model/tables/events.h"
#include "model/tables/lanes.h"
#include "model/tables/profile.h"
#include "model/tables/runs.h"
#include "model/tables/step_marks.h"

#include <stdlib.h>

enum { DOUBTED = 1, UNSTEADY = 2 };

static uint64_t key_of(uint32_t process, uint32_t step) { return (uint64_t)process << 32 | step; }

/* Lists the steps of processes that may be left out. False: out of memory. *most: nothing is known of any step. */
static bool list(const tfp_event_tables *e, tfp_map64 *why, bool *most)
{
    bool ok = true;
    for (size_t i = 0; i < e->doubts.size && ok; i++) {
        const tfp_doubt *d = &e->doubts.at[i];
        uint64_t key = key_of(d->process, d->step);
        *most |= tfp_doubt_of_all(d->kind);
        if (d->step == TFP_NONE || !d->count) continue;
        if (d->kind < TFP_DOUBT_SAID)
            ok = tfp_map64_put(why, key, DOUBTED);
        else if (d->of && tfp_map64_get(why, key) == TFP_NONE)
            ok = tfp_map64_put(why, key, UNSTEADY);
    }
    return ok;
}

/* Whether a device works in a step that stays, or in no step at all. */
static bool works_elsewhere(const tfp_profile *p, const tfp_map64 *why)
{
    const tfp_span_columns *s = &p->events->spans;
    bool any = false;
    for (uint32_t i = 0; i < s->size; i++) {
        uint32_t process = p->lanes->at[s->lane[i]].process;
        if (s->kind[i] != TFP_SPAN_ACTIVITY || s->step[i] == TFP_NONE) continue;
        any = true;
        if (tfp_map64_get(why, key_of(process, s->step[i])) == TFP_NONE) return true;
    }
    return !any;
}

bool tfp_left_steps(const tfp_profile *p, bool **out)
{
    const tfp_event_tables *e = p->events;
    tfp_map64 why = { 0 };
    size_t count[UNSTEADY + 1] = { 0 };
    bool most = false, ok = list(e, &why, &most);
    *out = NULL;
    for (size_t i = 0; i < e->windows.size && ok && !most; i++) {
        uint32_t of = tfp_map64_get(&why, key_of(e->windows.at[i].process, e->windows.at[i].step));
        count[of == TFP_NONE ? 0 : of]++;
    }
    if (ok && !most && count[DOUBTED] + count[UNSTEADY]) {
        bool elsewhere = works_elsewhere(p, &why), unsteady = elsewhere && count[0];
        most = !elsewhere || count[DOUBTED] > e->windows.size / 2;
        if (!most) ok = (*out = calloc(p->runs->steps.size + 1, sizeof **out)) != NULL;
        for (size_t i = 0; i < e->windows.size && ok && !most; i++) {
            uint32_t of = tfp_map64_get(&why, key_of(e->windows.at[i].process, e->windows.at[i].step));
            if (of != TFP_NONE && (of == DOUBTED || unsteady)) (*out)[e->windows.at[i].step] = true;
        }
    }
    tfp_map64_free(&why);
    return ok;
}
