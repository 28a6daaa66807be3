// SPDX-License-Identifier: Apache-2.0
/* tests/unit/outputs/outputs_made.h: helpers of the output tests: search in texts, and profiles with runs made by
 * hand. */
#ifndef TFP_TEST_OUTPUTS_MADE_H
#define TFP_TEST_OUTPUTS_MADE_H

#include "model/tables/details.h"
#include "model/tables/graph.h"
#include "model/tables/profile.h"
#include "model/tables/runs.h"
#include "support.h"

static inline void has(const char *text, const char *part)
{
    if (!strstr(text, part)) fail_msg("\"%s\" lacks \"%s\"", text, part);
}

static inline void writes(const char *view, const char *lines, const char *options, const char *output,
                          const char *wanted)
{
    tfp_report *r = report_of(view, lines, options);
    char *text = written(r, output);
    assert_string_equal(text, wanted);
    free(text);
    drop_report(r);
}

/* A node with runs on one device in step 0. */
static inline uint32_t ran(tfp_builder *b, const char *name, const char *device, size_t runs, int64_t start,
                           int64_t every, int64_t us)
{
    uint32_t node = tfp_build_node(b, tfp_str_of(name), TFP_STR("Op"), true);
    uint32_t exec = tfp_build_exec(b, node, tfp_build_step(b, 0, true)), lane = lane_named(b, device);
    for (size_t i = 0; i < runs; i++) tfp_build_span(b, exec, lane, (start + (int64_t)i * every) * 1000, us * 1000);
    b->p->runs->execs.at[exec].start_ns = start * 1000;
    b->p->runs->execs.at[exec].run_count = (int64_t)runs;
    tfp_node *n = tfp_build_row(b, node);
    runs_on(b, node, device);
    n->host_device = n->device;
    return node;
}

static inline tfp_profile *empty_profile(tfp_builder *b)
{
    tfp_profile *p = tfp_profile_new();
    assert_int_equal(tfp_profile_add_bytes(p, "graph", "test", "\x22\x00", 2, NULL), TFP_OK);
    *b = (tfp_builder){ .p = p, .file = "test" };
    return p;
}

#define CPU0 "/job:a/replica:0/task:0/device:cpu:0"
#define GPU0 "/job:a/replica:0/task:0/device:gpu:0"

static inline void memory(tfp_builder *b, uint32_t node, int64_t at_us, int64_t in_use)
{
    tfp_memory m = { .at_ns = at_us * 1000, .allocator_bytes_in_use = in_use };
    tfp_build_memory(b, tfp_node_exec(b->p, node, 0), &m);
}

#endif
