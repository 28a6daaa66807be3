// SPDX-License-Identifier: Apache-2.0
/* tests/unit/views/test_held.c: allocations and frees of a trace; each free is subtracted from the operator that
 * allocated the memory. */
#include "model/tables/graph.h"

#include "support.h"
#include "views/memory/allocations.h"

#include <string.h>

typedef struct held {
    tfp_report *r;
    tfp_holding h;
} held;

/* A PyTorch trace with the operator `op` from 10 to 20, the operator `other` from 30 to 40, and these events. */
static held held_of(const char *events)
{
    held x = { 0 };
    tfp_error err = { 0 };
    tfp_profile *p = tfp_profile_new();
    tfp_options *o = tfp_options_new();
    tfp_buf text = { 0 };
    tfp_buf_printf(
        &text,
        "{\"schemaVersion\": 1, \"traceEvents\": ["
        "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"op\", \"pid\": 1, \"tid\": 1, \"ts\": 10, \"dur\": 10},"
        "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"other\", \"pid\": 1, \"tid\": 1, \"ts\": 30, \"dur\": 10}"
        "%s]}",
        events);
    assert_int_equal(tfp_profile_keep(p, TFP_KEEP_ALL), TFP_OK);
    if (tfp_profile_add_bytes(p, "kineto", "trace", text.data, text.size, &err) || tfp_profile_finish(p, &err) ||
        tfp_report_build(p, "memory", o, &x.r, &err) || tfp_holding_new(x.r, &x.h, &err))
        fail_msg("%s", err.text);
    tfp_buf_free(&text);
    tfp_options_free(o);
    return x;
}

static void drop(held *x)
{
    tfp_holding_free(&x->h);
    drop_report(x->r);
}

/* An allocator event: at time `ts`, this many bytes at an address of a device, and the device's total after it. */
#define EVENT(ts, address, bytes, device, total)                                                                       \
    ",{\"ph\": \"i\", \"cat\": \"cpu_instant_event\", \"name\": \"[memory]\", \"pid\": 1, \"tid\": 1, \"ts\": " #ts    \
    ", \"s\": \"t\", \"args\": {\"Addr\": " #address ", \"Bytes\": " #bytes                                            \
    ", \"Device Type\": 1, \"Device Id\": " #device ", \"Total Allocated\": " #total ", \"Total Reserved\": 4096}}"

static uint32_t node_named(const held *x, const char *name)
{
    uint32_t node = tfp_find_node(x->r->profile, tfp_str_of(name));
    assert_int_not_equal(node, TFP_NONE);
    return node;
}

static void a_free_is_taken_off_the_one_who_allocated(void **state)
{
    (void)state;
    held x = held_of(EVENT(12, 7, 100, 0, 100) EVENT(35, 7, -100, 0, 0));
    assert_int_equal(x.h.events.size, 2);
    assert_int_equal(x.h.events.at[0].owner, node_named(&x, "op"));
    assert_int_equal(x.h.events.at[1].owner, node_named(&x, "op"));
    assert_int_equal(x.h.events.at[1].bytes, -100);
    assert_int_equal(x.h.devices[0].before, 0);
    assert_int_equal(x.h.devices[0].reserved, 4096);
    assert_true(x.h.devices[0].recorded);
    drop(&x);
}

static void an_address_given_out_again_has_its_new_owner(void **state)
{
    (void)state;
    held x =
        held_of(EVENT(12, 7, 100, 0, 100) EVENT(14, 7, -100, 0, 0) EVENT(32, 7, 60, 0, 60) EVENT(50, 7, -60, 0, 0));
    assert_int_equal(x.h.events.size, 4);
    assert_int_equal(x.h.events.at[2].owner, node_named(&x, "other"));
    assert_int_equal(x.h.events.at[3].owner, node_named(&x, "other"));
    drop(&x);
}

static void what_nobody_was_seen_to_allocate_was_held_before(void **state)
{
    (void)state;
    held x = held_of(EVENT(12, 7, -100, 0, 500) EVENT(14, 7, -100, 0, 400) EVENT(25, 8, 10, 0, 410));
    assert_int_equal(x.h.devices[0].before, 600);
    assert_int_equal(x.h.events.at[0].owner, TFP_OWNER_BEFORE);
    assert_int_equal(x.h.events.at[1].owner, TFP_OWNER_BEFORE);
    assert_int_equal(x.h.events.at[2].owner, TFP_NONE); /* no operator was running */
    drop(&x);
}

static void devices_are_kept_apart_and_their_events_are_in_order_of_time(void **state)
{
    (void)state;
    held x = held_of(EVENT(14, 7, 1, 0, 3) EVENT(12, 7, 2, 1, 2) EVENT(11, 8, 2, 0, 2) EVENT(35, 7, -2, 1, 0));
    assert_int_equal(x.h.device_count, 2);
    assert_int_equal(x.h.events.size, 4);
    for (size_t i = 1; i < x.h.events.size; i++) {
        const tfp_held_event *a = &x.h.events.at[i - 1], *b = &x.h.events.at[i];
        assert_true(a->device < b->device || (a->device == b->device && a->at_ns <= b->at_ns));
    }
    /* not the owner of the same address on another device */
    assert_int_equal(x.h.events.at[3].owner, node_named(&x, "op"));
    assert_int_equal(x.h.origin_ns, x.h.events.at[0].at_ns - 1000);
    drop(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_free_is_taken_off_the_one_who_allocated),
        cmocka_unit_test(an_address_given_out_again_has_its_new_owner),
        cmocka_unit_test(what_nobody_was_seen_to_allocate_was_held_before),
        cmocka_unit_test(devices_are_kept_apart_and_their_events_are_in_order_of_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
