// SPDX-License-Identifier: Apache-2.0
/* tests/unit/model/test_events.c: the functions that readers call to add the events of a trace, and how the join links
 * a few events. */
#include "model/event_builder.h"
#include "model/tables/profile.h"

#include "model/builder.h"
#include "model/join/join.h"
#include "model/tables/devices.h"
#include "model/tables/graph.h"
#include "model/tables/memory_events.h"
#include "model/tables/processes.h"
#include "model/tables/stats.h"
#include "model/tables/step_marks.h"
#include "support.h"

typedef struct traced {
    tfp_profile *p;
    tfp_builder b;
    uint32_t process, thread, stream;
} traced;

static traced start(void)
{
    traced x = { .p = tfp_profile_new() };
    assert_non_null(x.p);
    x.b = (tfp_builder){ .p = x.p, .file = "trace" };
    x.process = tfp_build_process(&x.b, &(tfp_process){ .pid = 7, .rank = -1 });
    x.thread = tfp_build_event_lane(&x.b, x.process, TFP_ROLE_THREAD, TFP_STR("cpu/thread:1"), TFP_STR("main"));
    x.stream = tfp_build_event_lane(&x.b, x.process, TFP_ROLE_STREAM, TFP_STR("gpu:0/stream:7"), TFP_STR(""));
    return x;
}

static uint32_t event(traced *x, uint32_t lane, tfp_span_kind kind, const char *name, int64_t start_ns, int64_t ns)
{
    tfp_event e = { .lane = lane,
                    .name = tfp_build_string(&x->b, tfp_str_of(name)),
                    .start_ns = start_ns,
                    .duration_ns = ns,
                    .kind = kind,
                    .stats = TFP_NONE,
                    .trace = TFP_NONE };
    return tfp_build_event(&x->b, &e);
}

static tfp_stat number(traced *x, const char *key, int64_t n)
{
    tfp_stat s;
    memset(&s, 0, sizeof s); /* equal stats must be equal in all bytes */
    s.key = tfp_build_string(&x->b, tfp_str_of(key));
    s.type = TFP_STAT_INT;
    s.value.number = n;
    return s;
}

/* ---- what is interned ---- */

static void a_lane_is_one_for_each_process_and_name(void **state)
{
    (void)state;
    traced x = start();
    uint32_t other = tfp_build_process(&x.b, &(tfp_process){ .pid = 8, .rank = 1 });
    assert_int_not_equal(other, x.process);
    assert_int_not_equal(x.thread, x.stream);
    assert_int_equal(tfp_build_event_lane(&x.b, x.process, TFP_ROLE_THREAD, TFP_STR("cpu/thread:1"), TFP_STR("again")),
                     x.thread);
    uint32_t there = tfp_build_event_lane(&x.b, other, TFP_ROLE_THREAD, TFP_STR("cpu/thread:1"), TFP_STR(""));
    assert_int_not_equal(there, x.thread);
    assert_int_equal(x.p->lanes->at[there].process, other);
    assert_str(tfp_text(x.p, x.p->lanes->at[x.thread].label), "main");
    assert_int_equal(x.p->lanes->at[x.stream].role, TFP_ROLE_STREAM);
    tfp_profile_free(x.p);
}

static void keys_are_never_zero_and_equal_for_equal_numbers(void **state)
{
    (void)state;
    static const uint64_t numbers[] = { 0, 1, 2, 0x7fffffff, 0x80000000, UINT32_MAX, UINT64_MAX - 1, UINT64_MAX };
    enum { COUNT = sizeof numbers / sizeof *numbers };
    traced x = start();
    uint32_t keys[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        keys[i] = tfp_build_key(&x.b, x.process, 1, numbers[i]);
        assert_int_not_equal(keys[i], 0);
        for (size_t k = 0; k < i; k++) assert_int_not_equal(keys[i], keys[k]);
    }
    for (size_t i = 0; i < COUNT; i++) assert_int_equal(tfp_build_key(&x.b, x.process, 1, numbers[i]), keys[i]);
    tfp_profile_free(x.p);
}

static void equal_sets_of_stats_are_stored_once(void **state)
{
    (void)state;
    traced x = start();
    tfp_stat two[] = { number(&x, "grid", 4), number(&x, "block", 256) }, swapped[] = { two[1], two[0] };
    uint32_t set = tfp_build_stats(&x.b, two, 2);
    assert_int_equal(tfp_build_stats(&x.b, two, 2), set);
    assert_int_not_equal(tfp_build_stats(&x.b, swapped, 2), set);
    assert_int_not_equal(tfp_build_stats(&x.b, two, 1), set);
    assert_int_equal(tfp_build_stats(&x.b, NULL, 0), TFP_NONE);
    assert_int_equal(x.p->events->stat_sets.size, 3);
    assert_int_equal(x.p->events->stats.size, 5);
    tfp_profile_free(x.p);
}

/* ---- rows ---- */

static void columns_grow_together(void **state)
{
    (void)state;
    enum { COUNT = 5000 };
    traced x = start();
    for (int64_t i = 0; i < COUNT; i++)
        assert_int_equal(event(&x, x.thread, TFP_SPAN_OP, i % 2 ? "odd" : "even", i * 10, i), i);
    const tfp_span_columns *s = &x.p->events->spans;
    assert_int_equal(s->size, COUNT);
    for (size_t i = 0; i < COUNT; i++) {
        assert_int_equal(s->start_ns[i], i * 10);
        assert_int_equal(s->duration_ns[i], i);
        assert_int_equal(s->kind[i], TFP_SPAN_OP);
        assert_int_equal(s->stats[i], TFP_NONE);
        assert_true(tfp_str_eq(tfp_text(x.p, s->name[i]), tfp_str_of(i % 2 ? "odd" : "even")));
    }
    assert_true(tfp_profile_memory(x.p) >= COUNT * 2 * sizeof(int64_t));
    tfp_profile_free(x.p);
}

static void links_need_both_ends_and_findings_add_up(void **state)
{
    (void)state;
    static const char what[] = "spans that overlap";
    traced x = start();
    uint32_t a = event(&x, x.thread, TFP_SPAN_OP, "a", 0, 10);
    tfp_build_link(&x.b, TFP_FLOW_LAUNCH, a, TFP_NONE);
    tfp_build_link(&x.b, TFP_FLOW_LAUNCH, TFP_NONE, a);
    assert_int_equal(x.p->events->flows.size, 0);
    tfp_build_link(&x.b, TFP_FLOW_BACKWARD, a, a);
    assert_int_equal(x.p->events->flows.at[0].kind, TFP_FLOW_BACKWARD);
    tfp_build_data_finding(&x.b, "warning", what, 2, TFP_STR("first"));
    tfp_build_data_finding(&x.b, "warning", what, 3, TFP_STR("second"));
    assert_int_equal(x.p->events->findings.size, 1);
    assert_int_equal(x.p->events->findings.at[0].count, 5);
    assert_str(tfp_text(x.p, x.p->events->findings.at[0].first), "first");
    tfp_profile_free(x.p);
}

static void calls_after_a_fault_do_nothing(void **state)
{
    (void)state;
    traced x = start();
    x.b.status = TFP_NOMEM;
    assert_int_equal(event(&x, x.thread, TFP_SPAN_OP, "a", 0, 10), TFP_NONE);
    assert_int_equal(tfp_build_process(&x.b, &(tfp_process){ .pid = 9 }), TFP_NONE);
    assert_int_equal(tfp_build_key(&x.b, 0, 0, UINT64_MAX), 0);
    tfp_build_link(&x.b, TFP_FLOW_LAUNCH, 0, 0);
    tfp_build_memory_event(&x.b, &(tfp_memory_event){ .bytes = 1 });
    tfp_build_counter(&x.b, &(tfp_counter_sample){ .value = 1 });
    const tfp_event_tables *t = x.p->events;
    assert_int_equal(t->spans.size + t->flows.size + t->memory.size + t->counters.size, 0);
    tfp_profile_free(x.p);
}

/* ---- the join ---- */

static void the_join_nests_host_ops_and_takes_their_self_times(void **state)
{
    (void)state;
    traced x = start();
    uint32_t inner = event(&x, x.thread, TFP_SPAN_OP, "inner", 110, 30); /* the order in the file does not matter */
    uint32_t outer = event(&x, x.thread, TFP_SPAN_OP, "outer", 100, 100);
    uint32_t range = event(&x, x.thread, TFP_SPAN_ANNOTATION, "range", 50, 200);
    assert_int_equal(tfp_build_finish(&x.b, NULL), TFP_OK);
    const tfp_span_columns *s = &x.p->events->spans;
    assert_int_equal(s->parent[inner], outer);
    assert_int_equal(s->parent[outer], range);
    assert_int_equal(s->parent[range], TFP_NONE);
    assert_int_equal(s->self_ns[outer], 70);
    assert_int_equal(s->self_ns[inner], 30);
    assert_str(tfp_text(x.p, x.p->graph->nodes.at[s->node[inner]].name), "range/outer/inner");
    assert_true(tfp_profile_has(x.p, TFP_HAS_TRACE));
    assert_true(tfp_profile_has(x.p, TFP_HAS_SPANS));
    assert_false(tfp_profile_has(x.p, TFP_HAS_CODE));
    tfp_profile_free(x.p);
}

/* Where nothing marks steps, the outermost roots are steps; such steps are not parents of other spans. */
static void roots_that_are_steps_are_no_parents(void **state)
{
    (void)state;
    for (int joins = 1; joins < 3; joins++) {
        traced x = start();
        uint32_t range = event(&x, x.thread, TFP_SPAN_ANNOTATION, "range", 0, 300);
        uint32_t root = event(&x, x.thread, TFP_SPAN_ANNOTATION, "train", 100, 100);
        uint32_t op = event(&x, x.thread, TFP_SPAN_OP, "op", 110, 50);
        tfp_build_step_mark(&x.b, &(tfp_step_mark){ .span = root, .source = TFP_STEPS_ROOTS, .number = -1 });
        for (int i = 0; i < joins; i++) {
            if (i) event(&x, x.thread, TFP_SPAN_OP, "later", 400, 5);
            assert_int_equal(tfp_build_finish(&x.b, NULL), TFP_OK);
        }
        const tfp_span_columns *s = &x.p->events->spans;
        assert_int_equal(s->kind[root], TFP_SPAN_STEP);
        assert_int_equal(s->parent[op], range);
        assert_int_not_equal(s->step[op], TFP_NONE);
        assert_int_equal(s->step[range], TFP_NONE);
        assert_str(tfp_text(x.p, x.p->graph->nodes.at[s->node[op]].name), "range/op");
        tfp_profile_free(x.p);
    }
}

/* Two processes use the same numbers, close together or far apart in time; the second call with a number is later. */
static void launches_are_found_in_their_process(void **state)
{
    (void)state;
    static const uint64_t factors[] = { 1, 3, 1000003, UINT64_C(1) << 40 };
    enum { CALLS = 500 };
    for (size_t f = 0; f < sizeof factors / sizeof *factors; f++) {
        traced x = start();
        uint32_t other = tfp_build_process(&x.b, &(tfp_process){ .pid = 8, .rank = 1 });
        uint32_t lanes[2][2] = { { x.thread, x.stream } };
        lanes[1][0] = tfp_build_event_lane(&x.b, other, TFP_ROLE_THREAD, TFP_STR("cpu/thread:1"), TFP_STR(""));
        lanes[1][1] = tfp_build_event_lane(&x.b, other, TFP_ROLE_STREAM, TFP_STR("gpu:1/stream:7"), TFP_STR(""));
        tfp_span_columns *s = &x.p->events->spans;
        for (uint32_t i = 0; i < CALLS; i++) {
            for (int k = 0; k < 2; k++) {
                uint32_t late = event(&x, lanes[k][0], TFP_SPAN_CALL, "late", 100 * i + 50, 5);
                uint32_t call = event(&x, lanes[k][0], TFP_SPAN_CALL, "call", 100 * i, 5);
                uint32_t kernel = event(&x, lanes[k][1], TFP_SPAN_ACTIVITY, "kernel", 100 * i + 10, 20);
                uint32_t key = tfp_build_key(&x.b, x.process, 0, 7 + i * factors[f]);
                s->correlation[late] = s->correlation[call] = s->correlation[kernel] = key;
            }
        }
        uint32_t alone = event(&x, x.stream, TFP_SPAN_ACTIVITY, "kernel", 0, 1);
        s->correlation[alone] = tfp_build_key(&x.b, x.process, 0, 3);
        assert_int_equal(tfp_build_finish(&x.b, NULL), TFP_OK);
        for (uint32_t i = 0; i < 2 * CALLS; i++) assert_int_equal(s->launch[3 * i + 2], 3 * i + 1);
        assert_int_equal(s->launch[alone], TFP_NONE);
        tfp_profile_free(x.p);
    }
}

/* Items that are in order, with a few or many late items, and in reverse: the sort is always stable. */
static void keys_are_sorted_however_many_are_late(void **state)
{
    (void)state;
    enum { MOST = 5000 };
    static uint64_t keys[MOST];
    static uint32_t items[MOST];
    static const uint32_t counts[] = { 0, 1, 2, 17, 900, MOST }, late[] = { 0, 1, 100, 15, 3 };
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        for (size_t l = 0; l < sizeof late / sizeof *late; l++) {
            for (uint32_t i = 0; i < counts[c]; i++) {
                keys[i] = l == 4 ? (counts[c] - i) / 3 : late[l] && i % late[l] == late[l] / 2 ? i / 5 : i / 2;
                items[i] = i;
            }
            assert_true(tfp_sort_keys(items, counts[c], keys));
            for (uint32_t i = 1; i < counts[c]; i++) {
                uint64_t a = keys[items[i - 1]], b = keys[items[i]];
                assert_true(a < b || (a == b && items[i - 1] < items[i]));
            }
        }
    }
}

/* Items in a few runs that are in order, as when each table of a file is, and in one run too many for merging. */
static void runs_in_order_are_merged(void **state)
{
    (void)state;
    enum { MOST = 4000 };
    static uint64_t keys[MOST];
    static uint32_t items[MOST];
    static const uint32_t parts[] = { 2, 3, 5, 16, 17 };
    for (size_t p = 0; p < sizeof parts / sizeof *parts; p++) {
        for (uint32_t i = 0; i < MOST; i++) {
            keys[i] = i % (MOST / parts[p] + 1) / 2;
            items[i] = i;
        }
        assert_true(tfp_sort_keys(items, MOST, keys));
        for (uint32_t i = 1; i < MOST; i++) {
            uint64_t a = keys[items[i - 1]], b = keys[items[i]];
            assert_true(a < b || (a == b && items[i - 1] < items[i]));
        }
    }
}

static void many_events(void *ctx, size_t count)
{
    (void)ctx;
    traced x = start();
    for (size_t i = 0; i < count; i++) {
        int64_t at = (int64_t)i * 100;
        uint32_t key = tfp_build_key(&x.b, x.process, 1, i + 1);
        event(&x, x.thread, TFP_SPAN_OP, i % 7 ? "a" : "b", at, 90);
        uint32_t call = event(&x, x.thread, TFP_SPAN_CALL, "launch", at + 10, 20);
        uint32_t kernel = event(&x, x.stream, TFP_SPAN_ACTIVITY, "kernel", at + 50, 40);
        if (x.b.status) break;
        x.p->events->spans.correlation[call] = x.p->events->spans.correlation[kernel] = key;
    }
    assert_int_equal(tfp_build_finish(&x.b, NULL), TFP_OK);
    assert_int_equal(x.p->events->spans.launch[3 * count - 1], 3 * count - 2);
    tfp_profile_free(x.p);
}

static void events_are_joined_in_linear_time(void **state)
{
    (void)state;
    assert_linear(many_events, NULL, 2000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_lane_is_one_for_each_process_and_name),
        cmocka_unit_test(keys_are_never_zero_and_equal_for_equal_numbers),
        cmocka_unit_test(equal_sets_of_stats_are_stored_once),
        cmocka_unit_test(columns_grow_together),
        cmocka_unit_test(links_need_both_ends_and_findings_add_up),
        cmocka_unit_test(calls_after_a_fault_do_nothing),
        cmocka_unit_test(the_join_nests_host_ops_and_takes_their_self_times),
        cmocka_unit_test(roots_that_are_steps_are_no_parents),
        cmocka_unit_test(launches_are_found_in_their_process),
        cmocka_unit_test(keys_are_sorted_however_many_are_late),
        cmocka_unit_test(runs_in_order_are_merged),
        cmocka_unit_test(events_are_joined_in_linear_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
