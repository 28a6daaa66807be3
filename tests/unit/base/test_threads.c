// SPDX-License-Identifier: Apache-2.0
/* tests/unit/base/test_threads.c: any number of threads may read a finished profile at the same time, and sharing work
 * between threads does not change its result. In a TSan build (-Db_sanitize=thread) this finds data races; in other
 * builds it checks that all threads get the same bytes. */
#include "base/threads.h"
#include "tfprof/tfprof.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { THREADS = 4, ROUNDS = 2 };

static int count_bytes(void *ctx, const void *data, size_t size)
{
    uint64_t *sum = ctx;
    for (size_t i = 0; i < size; i++) *sum = *sum * 31 + ((const unsigned char *)data)[i];
    return 0;
}

/* Prints every view in every format; returns the sum of all bytes. */
static void *read_all(void *profile)
{
    uint64_t *sum = calloc(1, sizeof *sum);
    const char *view, *form;
    for (int round = 0; sum && round < ROUNDS; round++) {
        for (size_t v = 0; (view = tfp_list(TFP_VIEWS, v)); v++) {
            tfp_options *o = tfp_options_new();
            tfp_report *r = NULL;
            tfp_options_set(o, "format", "json", NULL); /* all columns are computed */
            tfp_options_set(o, "select", "micros,params,op_types,tensor_value", NULL);
            if (tfp_report_build(profile, view, o, &r, NULL) == TFP_OK)
                for (size_t f = 0; (form = tfp_list(TFP_OUTPUTS, f)); f++)
                    tfp_report_write(r, form, count_bytes, sum, NULL);
            tfp_report_free(r);
            tfp_options_free(o);
        }
    }
    return sum;
}

static void threads_read_one_profile_at_a_time_and_agree(void **state)
{
    (void)state;
    pthread_t threads[THREADS];
    uint64_t *sums[THREADS];
    tfp_profile *p = tfp_profile_new();
    assert_non_null(p);
    assert_int_equal(tfp_profile_add_file(p, NULL, TEST_DATA "/sample/dense/profile_3.gz", NULL), TFP_OK);
    assert_int_equal(tfp_profile_add_file(p, "checkpoint", TEST_DATA "/sample/dense/ckpt_v2/model.ckpt-3", NULL),
                     TFP_OK);
    assert_int_equal(tfp_profile_finish(p, NULL), TFP_OK);
    for (int i = 0; i < THREADS; i++) assert_int_equal(pthread_create(&threads[i], NULL, read_all, p), 0);
    for (int i = 0; i < THREADS; i++) assert_int_equal(pthread_join(threads[i], (void **)&sums[i]), 0);
    for (int i = 0; i < THREADS; i++) {
        assert_non_null(sums[i]);
        assert_true(*sums[i] != 0 && *sums[i] == *sums[0]);
    }
    for (int i = 0; i < THREADS; i++) free(sums[i]);
    tfp_profile_free(p);
}

static void the_environment_says_how_many_threads(void **state)
{
    (void)state;
    static const struct {
        const char *words;
        size_t threads, piece;
    } rows[] = { { "3", 3, 0 }, { "7/500", 7, 500 }, { "1000", TFP_THREADS_MOST, 0 } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        setenv("TFPROF_THREADS", rows[i].words, 1);
        assert_int_equal(tfp_sharing_get().threads, rows[i].threads);
        assert_int_equal(tfp_sharing_get().piece, rows[i].piece);
    }
    static const char *const wrong[] = { "", "0", "-2", "many", "x/" };
    unsetenv("TFPROF_THREADS");
    size_t usual = tfp_sharing_get().threads;
    assert_true(usual >= 1);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        setenv("TFPROF_THREADS", wrong[i], 1);
        assert_int_equal(tfp_sharing_get().threads, usual);
        assert_int_equal(tfp_sharing_get().piece, 0);
    }
    unsetenv("TFPROF_THREADS");
}

enum { ROWS = 5000 };

static void mark_rows(void *ctx, size_t worker, size_t first, size_t end)
{
    unsigned char *marks = ctx;
    assert_true(worker < 7 && first < end && end <= ROWS);
    for (size_t i = first; i < end; i++) marks[i]++;
}

static void every_row_is_worked_on_once(void **state)
{
    (void)state;
    for (size_t threads = 1; threads <= 7; threads += 3) {
        unsigned char marks[ROWS] = { 0 };
        setenv("TFPROF_THREADS", "7/11", 1);
        tfp_rows_run(threads, ROWS, mark_rows, marks);
        for (size_t i = 0; i < ROWS; i++) assert_int_equal(marks[i], 1);
    }
    unsetenv("TFPROF_THREADS");
}

enum { PIECES = 400 };

typedef struct pieces {
    pthread_t caller;
    bool caller_joins;
    unsigned taken, joined, stop_at; /* stop_at: the piece that ends all work */
    unsigned slots[TFP_SLOTS(7)];
} pieces;

static bool take_piece(void *ctx, size_t slot, size_t worker)
{
    pieces *p = ctx;
    if (worker == 0) assert_true(pthread_equal(pthread_self(), p->caller));
    if (p->taken == PIECES) return false;
    p->slots[slot] = p->taken++;
    return true;
}

static void work_on_piece(void *ctx, size_t slot)
{
    pieces *p = ctx;
    for (volatile unsigned i = 0; i < p->slots[slot] % 7 * 300; i++) {}
    p->slots[slot] += 1000;
}

static bool join_piece(void *ctx, size_t slot)
{
    pieces *p = ctx;
    assert_int_equal(p->slots[slot], 1000 + p->joined);
    if (p->caller_joins) assert_true(pthread_equal(pthread_self(), p->caller));
    return p->joined++ != p->stop_at;
}

static void pieces_are_joined_in_order(void **state)
{
    (void)state;
    for (size_t threads = 1; threads <= 7; threads++) {
        for (int way = 0; way < 4; way++) {
            pieces p = { .caller = pthread_self(), .caller_joins = way & 1, .stop_at = way & 2 ? 100 : PIECES };
            tfp_pieces work = { &p, take_piece, work_on_piece, join_piece, p.caller_joins };
            tfp_pieces_run(&work, threads);
            assert_int_equal(p.joined, way & 2 ? 101 : PIECES);
        }
    }
}

/* ---- several files ---- */

enum { FILES = 12 };

typedef struct adding {
    const tfp_profile *p;
    pthread_t caller;
    size_t seen[FILES];
} adding;

static int look_on(void *ctx, uint64_t done, uint64_t total)
{
    adding *a = ctx;
    assert_true(pthread_equal(pthread_self(), a->caller));
    assert_true(done <= total);
    a->seen[tfp_profile_adding(a->p)]++;
    return 0;
}

static tfp_status add_many(tfp_profile *p, adding *a, const char *bad, tfp_error *err)
{
    const char *paths[FILES], *formats[FILES] = { NULL };
    int64_t steps[FILES];
    for (size_t i = 0; i < FILES; i++) {
        paths[i] = i % 2 ? TEST_DATA "/sample/chance/11/run_meta_1" : TEST_DATA "/sample/chance/13/run_meta_0";
        formats[i] = i % 3 ? "run_meta" : NULL;
        steps[i] = (int64_t)(1000 - i);
    }
    if (bad) paths[FILES / 2] = bad;
    *a = (adding){ .p = p, .caller = pthread_self() };
    assert_int_equal(tfp_profile_on_progress(p, look_on, a), TFP_OK);
    return tfp_profile_add_files(p, FILES, formats, paths, steps, err);
}

static void several_files_are_added_in_their_order(void **state)
{
    (void)state;
    static const char *const threads[] = { "1", "2", "7" };
    tfp_error *err = tfp_error_new();
    for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) {
        adding a;
        setenv("TFPROF_THREADS", threads[i], 1);
        tfp_profile *p = tfp_profile_new();
        assert_int_equal(add_many(p, &a, NULL, err), TFP_OK);
        assert_int_equal(tfp_profile_finish(p, err), TFP_OK);
        assert_int_equal(tfp_profile_step_count(p), FILES);
        assert_int_equal(tfp_profile_step(p, 0), 1000 - FILES + 1);
        for (size_t k = 0; k < FILES; k++) assert_true(a.seen[k] > 0);
        tfp_profile_free(p);
        p = tfp_profile_new();
        assert_int_equal(add_many(p, &a, "/nothing/here", err), TFP_BADFILE);
        assert_string_equal(tfp_error_message(err), "/nothing/here: cannot open: No such file or directory");
        assert_int_equal(tfp_profile_adding(p), FILES / 2);
        tfp_profile_free(p);
    }
    unsetenv("TFPROF_THREADS");
    tfp_profile *p = tfp_profile_new();
    assert_int_equal(tfp_profile_add_files(p, 0, NULL, NULL, NULL, err), TFP_OK);
    assert_int_equal(tfp_profile_add_files(p, 1, NULL, NULL, NULL, err), TFP_BADARG);
    assert_int_equal(tfp_profile_add_descriptors(p, 1, NULL, &(const char *){ "x" }, NULL, err), TFP_BADARG);
    assert_int_equal(tfp_profile_add_files(p, 1, NULL, &(const char *){ NULL }, NULL, err), TFP_BADARG);
    tfp_profile_free(p);
    tfp_error_free(err);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_read_one_profile_at_a_time_and_agree),
        cmocka_unit_test(the_environment_says_how_many_threads),
        cmocka_unit_test(every_row_is_worked_on_once),
        cmocka_unit_test(pieces_are_joined_in_order),
        cmocka_unit_test(several_files_are_added_in_their_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
