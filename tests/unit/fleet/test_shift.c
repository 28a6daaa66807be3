// SPDX-License-Identifier: Apache-2.0
/* tests/unit/fleet/test_shift.c: finds the day on which a series of daily times changed permanently, in generated
 * series whose change is known. */
#include "support.h"

#include "fleet/trend/shift.h"

#include <math.h>

enum { DAYS = 30 };
static const tfp_shift_rules rules = { 0.03, 0.001 };

static uint32_t seed = 11;
/* The sum of twelve uniform numbers minus six: nearly normal, with deviation 1. */
static double noise(void)
{
    double sum = -6;
    for (int i = 0; i < 12; i++) {
        seed = seed * 1664525u + 1013904223u;
        sum += (double)(seed >> 8) / 16777216.0;
    }
    return sum;
}

static void make(double *days, size_t count, double deviation)
{
    for (size_t i = 0; i < count; i++) days[i] = 100 + deviation * noise();
}

static tfp_shift found(const double *days, size_t count)
{
    tfp_shift s;
    assert_true(tfp_shift_find(days, count, &rules, &s));
    return s;
}

static bool counts(const tfp_shift *s) { return s->at < s->end && s->p <= rules.p && fabs(s->change) >= rules.least; }

static void a_change_is_found_on_its_day(void **state)
{
    (void)state;
    for (size_t since = 3; since <= DAYS - 3; since += 4)
        for (int sign = -1; sign <= 1; sign += 2) {
            double days[DAYS];
            make(days, DAYS, 1);
            for (size_t i = since; i < DAYS; i++) days[i] *= 1 + sign * 0.15;
            tfp_shift s = found(days, DAYS);
            assert_true(counts(&s));
            assert_int_equal(s.at, since);
            assert_true(fabs(s.change - sign * 0.15) < 0.02);
        }
}

static void a_bad_day_is_no_change(void **state)
{
    (void)state;
    for (size_t bad = 0; bad < DAYS; bad++) {
        double days[DAYS];
        make(days, DAYS, 1);
        days[bad] *= 2;
        tfp_shift s = found(days, DAYS);
        assert_false(counts(&s));
    }
}

static void what_went_back_is_no_change(void **state)
{
    (void)state;
    double days[DAYS];
    make(days, DAYS, 1);
    for (size_t i = 10; i < DAYS - 2; i++) days[i] *= 1.2;
    tfp_shift s = found(days, DAYS);
    assert_false(counts(&s) && s.change > 0);
}

/* In series without a change, the rule reports no more changes than it allows, plus a few by chance. */
static void noise_is_no_change(void **state)
{
    (void)state;
    int alarms = 0;
    for (int i = 0; i < 2000; i++) {
        double days[DAYS];
        make(days, DAYS, 3);
        tfp_shift s = found(days, DAYS);
        alarms += counts(&s);
    }
    assert_in_range(alarms, 0, 8);
}

static void few_days_and_equal_days(void **state)
{
    (void)state;
    double days[DAYS] = { 0 };
    for (size_t count = 0; count <= DAYS; count++) {
        tfp_shift s = found(days, count);
        assert_false(counts(&s));
    }
    for (size_t i = 15; i < DAYS; i++) days[i] = 5; /* from zero to something: there is no relative change */
    tfp_shift s = found(days, DAYS);
    assert_int_equal(s.at, 15);
    assert_true(isfinite(s.change));
}

static void rates_are_those_of_the_rule(void **state)
{
    (void)state;
    const double p[] = { 0.01, 0.5, 0.02, 0.03, 1 };
    const double wanted[] = { 0.05, 0.625, 0.05, 0.05,
                              1 }; /* p times 5, divided by its rank, and at most the value of the next rank */
    double q[5];
    assert_true(tfp_shift_rates(p, q, 5));
    for (size_t i = 0; i < 5; i++) assert_true(fabs(q[i] - wanted[i]) < 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_change_is_found_on_its_day), cmocka_unit_test(a_bad_day_is_no_change),
        cmocka_unit_test(what_went_back_is_no_change),  cmocka_unit_test(noise_is_no_change),
        cmocka_unit_test(few_days_and_equal_days),      cmocka_unit_test(rates_are_those_of_the_rule),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
