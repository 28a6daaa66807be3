// SPDX-License-Identifier: Apache-2.0
/* tests/unit/model/test_scan.c: a scan gives the same sums of the same file, whether each span is stored or sums of packed rows. */
#include "model/tables/events.h"
#include "model/tables/lanes.h"
#include "model/tables/profile.h"
#include "model/trace/scan.h"
#include "support.h"

static const char *const files[] = { TEST_DATA "/sample/xplane/gpu.xplane.pb", TEST_DATA "/sample/xplane/tpu.xplane.pb",
                                     TEST_DATA "/sample/xplane/rocm/rocm.xplane.pb",
                                     TEST_DATA "/sample/xplane/buffers/streams.xplane.pb",
                                     TEST_DATA "/sample/recorded/jax.xplane.pb.gz" };
enum { FILES = sizeof files / sizeof *files };
static const tfp_scan_ask work = { .kinds = TFP_SPANS(ACTIVITY) | TFP_SPANS(OP), .step.which = TFP_STEP_ALL };

static tfp_profile *read_keeping(const char *file, unsigned keep)
{
    tfp_profile *p = tfp_profile_new();
    assert_int_equal(tfp_profile_keep(p, keep), TFP_OK);
    assert_int_equal(tfp_profile_add_file(p, NULL, file, NULL), TFP_OK);
    assert_int_equal(tfp_profile_finish(p, NULL), TFP_OK);
    return p;
}

/* Sums everything that a scan gives of spans with this name. */
static void add_named(const tfp_profile *p, const tfp_scan_ask *ask, tfp_str name, tfp_fold *sum)
{
    *sum = (tfp_fold){ 0 };
    for (tfp_scan s = tfp_scan_of(p, ask); tfp_scan_next(&s);)
        for (const tfp_scan_row *row = s.rows; row < s.rows + s.count; row++)
            if (tfp_str_eq(tfp_text(p, row->name), name)) tfp_fold_join(sum, &row->self_ns);
}

static void sums_do_not_depend_on_what_stores_the_spans(void **state)
{
    (void)state;
    size_t fewer = 0;
    for (size_t i = 0; i < FILES; i++) {
        tfp_profile *single = read_keeping(files[i], TFP_KEEP_MEMORY),
                    *packed = read_keeping(files[i], TFP_KEEP_ROWS | TFP_KEEP_TOTAL);
        size_t rows = 0, spans = 0;
        for (tfp_scan s = tfp_scan_of(packed, &work); tfp_scan_next(&s);) {
            for (const tfp_scan_row *row = s.rows; row < s.rows + s.count; row++, rows++) {
                tfp_fold a, b;
                add_named(single, &work, tfp_text(packed, row->name), &a);
                add_named(packed, &work, tfp_text(packed, row->name), &b);
                assert_true(a.count == b.count && a.total == b.total && a.min == b.min && a.max == b.max);
            }
        }
        for (tfp_scan s = tfp_scan_of(single, &work); tfp_scan_next(&s);) spans += s.count;
        assert_true(rows > 0 && rows <= spans);
        fewer += rows < spans;
        tfp_profile_free(single);
        tfp_profile_free(packed);
    }
    assert_true(fewer > 2); /* the other files are in doubt: each span is stored after all */
}

static void a_step_is_a_part_of_all(void **state)
{
    (void)state;
    tfp_profile *p = read_keeping(files[0], TFP_KEEP_MEMORY);
    size_t spans = 0, kept = 0;
    tfp_scan_ask first = { .kinds = TFP_SPANS(ACTIVITY) };
    first.step = tfp_step_of_row(0, 0);
    for (uint32_t i = 0; i < p->events->spans.size; i++)
        spans += p->events->spans.kind[i] == TFP_SPAN_ACTIVITY && p->events->spans.step[i] == 0;
    for (tfp_scan s = tfp_scan_of(p, &first); tfp_scan_next(&s);) kept += s.count;
    assert_true(spans > 0);
    assert_int_equal(kept, spans);
    tfp_profile_free(p);
}

typedef struct times {
    size_t count, launched, classes;
    int64_t start_ns, length_ns, delay_ns, last_ns;
} times;

/* All activities of a profile as if they were of one device. */
static times times_of(const tfp_profile *p)
{
    const tfp_span_columns *s = &p->events->spans;
    uint32_t *device = calloc(p->lanes->size + 1, sizeof *device), *spans = malloc((s->size + 1) * sizeof *spans);
    bool *host = calloc(p->lanes->size + 1, sizeof *host);
    size_t count = 0;
    times t = { .last_ns = INT64_MIN };
    assert_true(device && spans && host);
    for (uint32_t i = 0; i < s->size; i++)
        if (s->kind[i] == TFP_SPAN_ACTIVITY) spans[count++] = i;
    tfp_sort_key by_start[] = { TFP_UP_IN(s->start_ns), { 0 } };
    assert_true(tfp_order_items(spans, count, by_start, NULL, 0));
    tfp_time_scan scan = tfp_time_scan_of(p, &(tfp_time_ask){ 0, device, host, spans, count });
    while (tfp_time_scan_next(&scan)) {
        for (const tfp_time_row *row = scan.rows; row < scan.rows + scan.count; row++, t.count++) {
            assert_true(row->start_ns >= t.last_ns);
            t.last_ns = row->start_ns;
            t.start_ns += row->start_ns % 1000000;
            t.length_ns += row->end_ns - row->start_ns;
            t.classes += row->class;
            t.launched += row->launched;
            if (row->launched) t.delay_ns += row->start_ns - row->call_start_ns + row->end_ns - row->call_end_ns;
        }
    }
    tfp_time_scan_end(&scan);
    free(device);
    free(spans);
    free(host);
    return t;
}

static void times_do_not_depend_on_what_stores_the_spans(void **state)
{
    (void)state;
    for (size_t i = 0; i + 1 < FILES; i++) { /* the last has no device */
        tfp_profile *single = read_keeping(files[i], TFP_KEEP_MEMORY),
                    *packed = read_keeping(files[i], TFP_KEEP_ROWS | TFP_KEEP_TOTAL);
        times a = times_of(single), b = times_of(packed);
        assert_true(a.count > 0);
        assert_memory_equal(&a, &b, sizeof a);
        tfp_profile_free(single);
        tfp_profile_free(packed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(sums_do_not_depend_on_what_stores_the_spans),
                                        cmocka_unit_test(times_do_not_depend_on_what_stores_the_spans),
                                        cmocka_unit_test(a_step_is_a_part_of_all) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
