/* tests/unit/test_threads.c: a finished profile may be read by any number of threads at a time. Under TSan (a build with
 * -Db_sanitize=thread) this finds what they would share by mistake; otherwise that they all get the same bytes. */
#include "tfprof/tfprof.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

enum { THREADS = 4, ROUNDS = 2 };

static int count_bytes(void *ctx, const void *data, size_t size)
{
    uint64_t *sum = ctx;
    for (size_t i = 0; i < size; i++) *sum = *sum * 31 + ((const unsigned char *)data)[i];
    return 0;
}

/* Every view in every form; the sum of all bytes is the answer. */
static void *read_all(void *profile)
{
    static const char *const forms[] = { "text", "json", "csv", "md", "proto" };
    uint64_t *sum = calloc(1, sizeof *sum);
    const char *view;
    for (int round = 0; sum && round < ROUNDS; round++) {
        for (size_t v = 0; (view = tfp_list(TFP_VIEWS, v)); v++) {
            tfp_options *o = tfp_options_new();
            tfp_report *r = NULL;
            tfp_options_set(o, "format", "json", NULL); /* all columns are computed */
            tfp_options_set(o, "select", "micros,params,op_types,tensor_value", NULL);
            if (tfp_report_build(profile, view, o, &r, NULL) == TFP_OK)
                for (size_t f = 0; f < sizeof forms / sizeof *forms; f++)
                    tfp_report_write(r, forms[f], count_bytes, sum, NULL);
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

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(threads_read_one_profile_at_a_time_and_agree) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
