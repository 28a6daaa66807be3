// SPDX-License-Identifier: Apache-2.0
/* views/spans/guessed_steps.c: notes about steps without marks: what replaces the marks, and how much of the work is inside the
 * resulting windows. */
#include "model/tables/events.h"
#include "model/tables/processes.h"
#include "views/core/notes.h"
#include "views/spans/trace.h"

#include <stdio.h>

static const struct {
    const char *check, *each; /* check: a finding of `check`; each: what one step is */
} stand_ins[] = {
    [TFP_STEPS_KERAS] = { "no step markers: calls of Keras's step functions count as steps",
                          "each call of a Keras step function counts as one" },
    [TFP_STEPS_ROOTS] = { "no step markers: outermost roots count as steps",
                          "each outermost root (_r = 1) counts as one" },
    [TFP_STEPS_MODULES] = { "no step markers: runs of the longest XLA module count as steps",
                            "each run of the longest XLA module counts as one" },
    [TFP_STEPS_OPTIMIZER] = { "no step markers: each step ends with an optimizer step",
                              "each ends with a step of an optimizer" },
    [TFP_STEPS_NONE] = { "no steps found: the whole trace is step 0", NULL },
};

const char *tfp_stand_in(unsigned source) { return source <= TFP_STEPS_NONE ? stand_ins[source].check : NULL; }

typedef struct guess { /* sums over processes whose steps have the same source */
    int64_t processes, work_ns, in_steps_ns;
    bool of_devices;
} guess;

static guess guess_of(const tfp_profile *p, unsigned source)
{
    guess g = { 0 };
    for (size_t i = 0; i < tfp_events_of(p)->processes.size; i++) {
        const tfp_process *x = &tfp_events_of(p)->processes.at[i];
        if (x->steps != source) continue;
        g.processes++;
        g.work_ns = tfp_add(g.work_ns, x->work_ns, NULL);
        g.in_steps_ns = tfp_add(g.in_steps_ns, x->work_in_steps_ns, NULL);
        g.of_devices |= x->work_of_devices;
    }
    return g;
}

static double share_of(const guess *g) { return (double)g->in_steps_ns / (double)g->work_ns; }

#define LEAST_SHARE 0.5

bool tfp_steps_hold_little(const tfp_profile *p)
{
    for (unsigned source = 0; source < TFP_STEPS_NONE; source++) {
        guess g = guess_of(p, source);
        if (g.work_ns > 0 && share_of(&g) < LEAST_SHARE) return true;
    }
    return false;
}

tfp_status tfp_note_guessed_steps(tfp_report *r, const tfp_profile *p, const char *side, tfp_error *err)
{
    tfp_status s = TFP_OK;
    for (unsigned source = 0; source < TFP_STEPS_NONE && !s; source++) {
        guess g = guess_of(p, source);
        char held[128] = "";
        if (!g.processes || !stand_ins[source].each) continue;
        if (g.work_ns > 0)
            snprintf(held, sizeof held, "; %.0f%% of the %s work lies in them%s", 100 * share_of(&g),
                     g.of_devices ? "devices'" : "host's",
                     share_of(&g) < LEAST_SHARE ? ", too little for findings about steps" : "");
        s = tfp_report_note_add(r, TFP_NOTE_STEPS_GUESSED, err, "%s%ssteps are guessed: the file marks none, so %s%s",
                                side ? side : "", side ? ": " : "", stand_ins[source].each, held);
    }
    return s;
}
