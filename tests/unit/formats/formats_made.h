// SPDX-License-Identifier: Apache-2.0
/* tests/unit/formats/formats_made.h: builds inputs field by field, and reads the profile made from them. */
#ifndef TFP_TEST_FORMATS_MADE_H
#define TFP_TEST_FORMATS_MADE_H

#include "model/tables/graph.h"
#include "model/tables/profile.h"
#include "model/tables/runs.h"
#include "support.h"

#include "wire/proto.h"
#include "tfprof/tfprof.h"

typedef struct made {
    tfp_profile *p;
    tfp_error err;
    tfp_status s;
} made;

static tfp_buf bytes; /* the message being built */

static inline size_t open_field(uint32_t number) { return tfp_put_open(&bytes, number); }
static inline void close_field(size_t at) { tfp_put_close(&bytes, at); }
static inline void text(uint32_t number, const char *s) { tfp_put_bytes_always(&bytes, number, tfp_str_of(s)); }
static inline void number(uint32_t field, int64_t v) { tfp_put_int_always(&bytes, field, v); }

static inline void start(made *m)
{
    memset(m, 0, sizeof *m);
    m->p = tfp_profile_new();
    assert_non_null(m->p);
    tfp_buf_free(&bytes);
}

/* Adds the built message as a file of that format; the file is named after the format. */
static inline void add(made *m, const char *format)
{
    m->s = tfp_profile_add_bytes(m->p, format, format, bytes.data ? bytes.data : "", bytes.size, &m->err);
    bytes.size = 0;
}

static inline void finish(made *m)
{
    assert_string_equal(tfp_error_message(&m->err), "");
    assert_int_equal(tfp_profile_finish(m->p, &m->err), TFP_OK);
}

static inline void drop(made *m)
{
    tfp_profile_free(m->p);
    tfp_buf_free(&bytes);
}

static inline bool warned(const made *m, const char *part)
{
    for (size_t i = 0; tfp_profile_warning(m->p, i); i++)
        if (strstr(tfp_profile_warning(m->p, i), part)) return true;
    return false;
}

static inline const tfp_node *node_of(const made *m, const char *name)
{
    uint32_t node = tfp_find_node(m->p, tfp_str_of(name));
    return node == TFP_NONE ? NULL : &m->p->graph->nodes.at[node];
}

static inline int64_t micros(const made *m, const char *name, uint32_t step)
{
    tfp_step_choice of = step == TFP_NONE ? tfp_step_of_id(-1) : tfp_step_of_row(step, 0);
    tfp_node_stats s;
    tfp_node_stats_at(m->p, tfp_find_node(m->p, tfp_str_of(name)), of, &s);
    return tfp_micros(s.total_ns);
}

static inline void graph_node(const char *name, const char *op, const char *input)
{
    size_t at = open_field(1);
    text(1, name);
    text(2, op);
    if (input) text(3, input);
    close_field(at);
}

static inline void one_node_graph(made *m)
{
    start(m);
    graph_node("a", "Const", NULL);
    add(m, "graph");
}

static inline size_t open_node(int64_t key, const char *name, size_t *entry)
{
    *entry = open_field(1);
    number(1, key);
    size_t node = open_field(2);
    text(1, name);
    text(9, "Op");
    number(13, key);
    return node;
}

static inline void exec_of(int64_t step, int64_t us)
{
    size_t entry = open_field(12);
    number(1, step);
    size_t exec = open_field(2);
    number(1, 1);
    size_t times = open_field(5);
    text(1, "/cpu:0");
    size_t list = open_field(2), tuple = open_field(1);
    int64_t pair[] = { 100, us };
    tfp_put_packed_ints(&bytes, 1, pair, 2);
    close_field(tuple);
    close_field(list);
    close_field(times);
    close_field(exec);
    close_field(entry);
}

static inline void profile_node(int64_t key, const char *name, int64_t us)
{
    size_t entry, node = open_node(key, name, &entry);
    exec_of(0, us);
    close_field(node);
    close_field(entry);
}

static inline void steps(void)
{
    int64_t list[] = { 0, 4 };
    tfp_put_packed_ints(&bytes, 3, list, 2);
}

#endif
