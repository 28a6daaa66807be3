// SPDX-License-Identifier: Apache-2.0
/* tests/unit/watch/simulated.h: jobs that are simulated: ranks that load, compute, and wait for one another in a
 * collective, with noise, faults, and things that healthy jobs do. What a recorder would see of them is given to the
 * judge. */
#ifndef TEST_WATCH_SIMULATED_H
#define TEST_WATCH_SIMULATED_H

#include "support.h"

#include "watch/judge/judge.h"

#include <math.h>

enum { RANKS = 32, FINDINGS = 16 };

typedef struct simulation {
    /* the job */
    uint64_t seed;
    int ranks;
    double step_us;       /* input and compute of a healthy step */
    double noise;         /* standard deviation of the logarithm of each part */
    double tail;          /* probability that a part takes up to five times as long */
    double spread;        /* ranks differ by this share of a step, always */
    int evaluate_every;   /* steps; 0: never. Then rank 0 takes 40 steps' time alone */
    int checkpoint_every; /* rank 0 writes for 5 steps' time */
    double rate;          /* looks a second */
    double
        busy_us; /* a busy machine: mean time until a thread that slept gets a CPU; to compute takes three times as long */
    bool arrivals;   /* false: only what samples tell is known */
    int start_looks; /* looks at each rank before its first step: imports */
    /* the fault */
    int culprit;           /* -1: none; RANKS: all ranks */
    tfp_watch_class doing; /* what the culprit does longer */
    int delay;             /* 1: its thread is runnable meanwhile; 2: it is throttled */
    int from, until;       /* steps */
    double extra;          /* share of a step; 0.5: half a step longer */
    double clock;          /* of the GPU, MHz; while the fault lasts it is slower by the fault; 0: there is none */
    double longer;         /* factor of all parts of all ranks, from that step on; 0: none */
    /* what came of it */
    int64_t now_us;
    int found, ended;
    struct {
        char kind[16], cause[16], line[64];
        int64_t rank, found_us, since_step;
        double gain, chance, certainty, late_us;
        int met, windows; /* of permuted blocks; -1: it does not say */
    } findings[FINDINGS];
    double lateness; /* of the culprit, as told by late() */
} simulation;

#define SIMULATED                                                                                                      \
    {                                                                                                                  \
        .seed = 1, .ranks = 4, .step_us = 50000, .noise = 0.03, .tail = 0.002, .spread = 0.05, .rate = 20,             \
        .arrivals = true, .culprit = -1, .doing = TFP_WATCH_INPUT, .from = 600, .until = 1000000, .extra = 0.5         \
    }

static double uniform(simulation *s)
{
    s->seed = s->seed * 6364136223846793005u + 1442695040888963407u;
    return ((double)(s->seed >> 33) + 0.5) / 2147483648.0;
}

static double part(simulation *s, double mean)
{
    double normal = sqrt(-2 * log(uniform(s))) * cos(6.283185307 * uniform(s));
    double us = mean * exp(s->noise * normal);
    return uniform(s) < s->tail ? us * (1 + 4 * uniform(s)) : us;
}

static void simulated_found(void *ctx, const tfp_watch_rank *rank, const tfp_watch_finding *f)
{
    simulation *s = ctx;
    (void)rank;
    if (f->ended != TFP_ABSENT) {
        s->ended++;
        return;
    }
    if (s->found == FINDINGS) return;
    snprintf(s->findings[s->found].kind, 16, "%.*s", (int)f->kind.size, f->kind.data ? f->kind.data : "");
    snprintf(s->findings[s->found].cause, 16, "%.*s", (int)f->cause.size, f->cause.data ? f->cause.data : "");
    snprintf(s->findings[s->found].line, 64, "%.*s", (int)f->line.size, f->line.data ? f->line.data : "");
    s->findings[s->found].rank = f->rank;
    s->findings[s->found].found_us = s->now_us;
    s->findings[s->found].since_step = f->step;
    s->findings[s->found].gain = f->gain;
    s->findings[s->found].chance = f->chance;
    s->findings[s->found].certainty = f->certainty;
    char text[600];
    snprintf(text, sizeof text, "%.*s", (int)f->evidence.size, f->evidence.data ? f->evidence.data : "");
    const char *at = strstr(text, "meet the rule in ");
    s->findings[s->found].met = s->findings[s->found].windows = -1;
    if (at) sscanf(at, "meet the rule in %d of %d", &s->findings[s->found].met, &s->findings[s->found].windows);
    s->findings[s->found++].late_us = f->lateness_us;
}

static void simulated_late(void *ctx, const tfp_watch_rank *rank, int64_t step, double late_us)
{
    simulation *s = ctx;
    (void)step;
    if (rank->rank == s->culprit) s->lateness = late_us;
}

typedef struct simulated_rank {
    tfp_watch_rank who;
    double input, compute, extra, end, next_look, steps_in_row;
    double queued[2], cpu; /* in the run queue after input and after the fault; CPU time */
} simulated_rank;

static double own_of(const simulated_rank *r) { return r->input + r->queued[0] + r->extra + r->queued[1] + r->compute; }

static double queue_us(simulation *s) { return s->busy_us > 0 ? -s->busy_us * log(uniform(s)) : 0; }

/* What a busy machine makes of a rank's step. Returns its time in the run queue. */
static double simulated_queue(simulation *s, simulated_rank *r)
{
    bool computes = s->doing == TFP_WATCH_COMPUTE;
    r->cpu = 0.2 * r->compute + (computes && !s->delay ? r->extra : 0); /* most of compute is on a device */
    if (s->busy_us <= 0) return 0;
    double waits = 0.4 * r->compute + (computes && !s->delay ? 2 * r->extra : 0);
    r->compute *= 1.4;
    if (computes && !s->delay) r->extra *= 3;
    r->queued[0] = queue_us(s);
    r->queued[1] = r->extra > 0 && !computes ? queue_us(s) : 0;
    return waits + r->queued[0] + r->queued[1];
}

/* What the main thread does at a moment of a step that began at 0: input, the fault, compute, then it waits. */
static void simulated_look(tfp_watch_judge *j, simulation *s, const simulated_rank *r, double begin, double at)
{
    static const char *const fault_lines[] = {
        "", "train.py:9:fault", "gc.py:1:collect", "train.py:8:locked", "train.py:7:write", "", "model.py:5:forward"
    };
    double in = at - begin;
    tfp_watch_class doing = TFP_WATCH_WAIT;
    const char *line = "train.py:30:reduce";
    const double ends[] = { r->input, r->queued[0], r->extra, r->queued[1], r->compute };
    int at_part = 0;
    for (; at_part < 5 && in >= ends[at_part]; at_part++) in -= ends[at_part];
    if (at_part < 5) doing = at_part ? TFP_WATCH_COMPUTE : TFP_WATCH_INPUT;
    if (at_part < 2)
        line = "train.py:10:load"; /* a thread that waits for a CPU after it slept stands at the same line */
    else if (at_part < 4)
        line = s->delay ? "train.py:20:train" : fault_lines[s->doing];
    else if (at_part < 5)
        line = "train.py:20:train";
    if (at_part == 2 && !s->delay) doing = s->doing;
    assert_int_equal(tfp_watch_judge_look(j, &r->who, (int64_t)at, doing, tfp_str_of(line)), TFP_OK);
}

/* Runs so many steps. Looks and steps come in the order of time, as far as ranks of one step differ. */
static void simulate(simulation *s, tfp_watch_judge *j, uint64_t job, int steps)
{
    simulated_rank r[RANKS] = { 0 };
    double begin = 1e9, next_tick = begin;
    double offset[RANKS];
    for (int i = 0; i < s->ranks; i++) {
        r[i].who = (tfp_watch_rank){ .number = job * 1000 + (uint64_t)i,
                                     .job = job,
                                     .pid = 100 + i,
                                     .rank = i,
                                     .world = s->ranks,
                                     .run = TFP_STR("run"),
                                     .name = TFP_STR("train.py"),
                                     .host = TFP_STR("here") };
        offset[i] = 1 + s->spread * (uniform(s) - 0.5);
        r[i].next_look = begin + uniform(s) * 1e6 / s->rate;
        for (int k = 0; k < s->start_looks; k++)
            assert_int_equal(
                tfp_watch_judge_look(j, &r[i].who, (int64_t)begin - 1, TFP_WATCH_COMPUTE, TFP_STR("train.py:1:import")),
                TFP_OK);
    }
    for (int step = 0; step < steps; step++) {
        double queued[RANKS], latest = 0, factor = s->longer > 0 && step >= s->from && step < s->until ? s->longer : 1;
        for (int i = 0; i < s->ranks; i++) {
            bool faulty = (s->culprit == i || s->culprit == RANKS) && s->doing != TFP_WATCH_WAIT && step >= s->from &&
                          step < s->until;
            r[i].input = part(s, 0.2 * s->step_us * factor * offset[i]);
            r[i].compute = part(s, 0.7 * s->step_us * factor * offset[i]);
            r[i].extra = faulty ? part(s, s->extra * s->step_us) : 0;
            if (i == 0 && s->evaluate_every && step % s->evaluate_every == s->evaluate_every - 1)
                r[i].compute += 40 * s->step_us;
            if (i == 0 && s->checkpoint_every && step % s->checkpoint_every == s->checkpoint_every - 1)
                r[i].compute += 5 * s->step_us;
            queued[i] = simulated_queue(s, &r[i]);
            latest = fmax(latest, own_of(&r[i]));
        }
        bool network = s->culprit == RANKS && s->doing == TFP_WATCH_WAIT && step >= s->from && step < s->until;
        double leave = begin + latest + (network ? s->extra + 0.02 : 0.02) * s->step_us,
               end = leave + 0.08 * s->step_us;
        for (int i = 0; i < s->ranks; i++) {
            double own = own_of(&r[i]);
            int looks = 0, waits = 0;
            for (; r[i].next_look < end; looks++) {
                waits += r[i].next_look - begin >= own && r[i].next_look < leave;
                simulated_look(j, s, &r[i], begin, r[i].next_look);
                double rate = tfp_watch_judge_wants_looks(j, &r[i].who) ? 100 : s->rate;
                r[i].next_look += 1e6 / rate * (0.9 + 0.2 * uniform(s));
            }
            tfp_watch_step row;
            tfp_watch_clear(TFP_WATCH_STEPS, &row);
            row.step = step, row.steps = 1;
            row.start = (int64_t)begin + 1000000000000000;
            row.duration_us = end - begin;
            row.wait_us = s->arrivals ? leave - begin - own : waits * 1e6 / s->rate;
            row.run_delay_us = (s->delay ? r[i].extra : part(s, 100)) + queued[i];
            row.throttled_us = s->delay == 2 ? r[i].extra : 0;
            row.cpu_us = r[i].cpu;
            if (s->clock > 0) row.gpu_clock_mhz = r[i].extra > 0 ? s->clock * (own - r[i].extra) / own : s->clock;
            s->now_us = (int64_t)end;
            double skew = 300 * uniform(s);
            tfp_watch_moments m = { (int64_t)(end + skew), TFP_ABSENT, TFP_ABSENT };
            if (s->arrivals) m.arrive = (int64_t)(begin + own), m.leave = (int64_t)(leave + skew);
            assert_int_equal(tfp_watch_judge_step(j, &r[i].who, &row, m), TFP_OK);
        }
        begin = end;
        for (; next_tick < begin; next_tick += 1e6) {
            tfp_watch_fact facts[RANKS];
            for (int i = 0; i < s->ranks; i++)
                facts[i] = (tfp_watch_fact){ .rank = &r[i].who,
                                             .state = 'S',
                                             .doing = TFP_WATCH_COMPUTE,
                                             .cpu_ns = step * 1000,
                                             .other_cpu_ns = 0,
                                             .collectives = step,
                                             .hits = step,
                                             .line = TFP_STR("train.py:20:train"),
                                             .stack = (uint64_t)step };
            assert_int_equal(tfp_watch_judge_tick(j, facts, (size_t)s->ranks, (int64_t)next_tick,
                                                  (int64_t)next_tick + 1000000000000000),
                             TFP_OK);
        }
    }
}

/* A judge with this simulation alone. */
static void run_simulation(simulation *s, int steps)
{
    tfp_watch_judge *j;
    tfp_watch_heard heard = { simulated_found, simulated_late, s };
    assert_int_equal(tfp_watch_judge_new(&heard, &j, NULL), TFP_OK);
    simulate(s, j, 7, steps);
    tfp_watch_judge_free(j);
}

#endif
