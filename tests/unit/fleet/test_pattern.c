// SPDX-License-Identifier: Apache-2.0
/* Patterns of paths and names against matchers that try everything, and dates against the C library's calendar. */
#include "fleet/identity.h"
#include "fleet/pattern.h"

#include "support.h"

#include <fnmatch.h>
#include <time.h>

static uint32_t seed = 11;
static uint32_t chance(uint32_t below)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % below;
}

/* A random word of at most `most` of these letters. */
static void word(char *out, uint32_t most, const char *letters)
{
    uint32_t size = chance(most + 1);
    for (uint32_t i = 0; i < size; i++) out[i] = letters[chance((uint32_t)strlen(letters))];
    out[size] = '\0';
}

static void globs_fit_as_the_shell_has_them(void **state)
{
    (void)state;
    char glob[12], name[12];
    for (int i = 0; i < 50000; i++) {
        word(glob, 6, "ab*?");
        word(name, 7, "ab");
        if (*glob) assert_int_equal(tfp_glob_fits_one(glob, tfp_str_of(name)), fnmatch(glob, name, 0) == 0);
    }
    assert_true(tfp_glob_fits_one("x*,?b", TFP_STR("ab")));
    assert_false(tfp_glob_fits_one("x*,?b", TFP_STR("abc")));
}

/* Each * takes at least one letter. On success `first` is the fewest letters that the first * can take. */
static bool fits(const char *pattern, const char *name, size_t *first)
{
    size_t rest;
    if (*pattern != '*') return *pattern ? *pattern == *name && fits(pattern + 1, name + 1, first) : !*name;
    for (*first = 1; *first <= strlen(name); ++*first)
        if (fits(pattern + 1, name + *first, &rest)) return true;
    return false;
}

static bool note(void *ctx, tfp_str name, tfp_str value)
{
    size_t *taken = ctx;
    if (tfp_str_eq(name, TFP_STR("first"))) *taken = value.size;
    return true;
}

static void placeholders_take_as_few_letters_as_fit(void **state)
{
    (void)state;
    char pattern[16], named[32], name[12];
    int fitting = 0;
    for (int i = 0; i < 50000; i++) {
        size_t first = 0, taken = 0;
        bool ok = true;
        word(pattern, 5, "ab*");
        word(name, 7, "ab");
        if (!*pattern || !*name) continue;
        const char *star = strchr(pattern, '*');
        snprintf(named, sizeof named, "%.*s%s%s", (int)(star ? star - pattern : 16), pattern, star ? "{first}" : "",
                 star ? star + 1 : "");
        bool expected = fits(pattern, name, &first);
        assert_int_equal(tfp_pattern_fits(named, tfp_str_of(name), note, &taken, &ok), expected);
        if (expected && star && !strchr(star + 1, '*')) {
            size_t only;
            assert_true(fits(star, name + (star - pattern), &only));
            assert_int_equal(taken, only);
            fitting++;
        }
    }
    assert_true(fitting > 1000);
}

static void dates_are_those_of_the_calendar(void **state)
{
    (void)state;
    char text[16];
    for (int year = 1896; year < 2105; year++) {
        for (int month = 1; month <= 13; month++) {
            for (int day = 0; day <= 32; day++) {
                struct tm t = { .tm_year = year - 1900, .tm_mon = month - 1, .tm_mday = day };
                int64_t days = 0, expected = timegm(&t) / 86400;
                bool is_date = t.tm_year == year - 1900 && t.tm_mon == month - 1 && t.tm_mday == day;
                snprintf(text, sizeof text, "%04d-%02d-%02d", year, month, day);
                assert_int_equal(tfp_fleet_date(tfp_str_of(text), &days), is_date);
                if (is_date) assert_int_equal(days, expected);
            }
        }
    }
}

static void shares_are_numbers_or_percents_within_their_limit(void **state)
{
    (void)state;
    double x;
    assert_true(tfp_fleet_share("1%", 1, &x) && x == 0.01);
    assert_true(tfp_fleet_share("0.25", 1, &x) && x == 0.25);
    static const char *const wrong[] = { "", "%", "-1%", "101%", "2", "1%%", "1 %", "nan" };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) assert_false(tfp_fleet_share(wrong[i], 1, &x));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(globs_fit_as_the_shell_has_them),
        cmocka_unit_test(placeholders_take_as_few_letters_as_fit),
        cmocka_unit_test(dates_are_those_of_the_calendar),
        cmocka_unit_test(shares_are_numbers_or_percents_within_their_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
