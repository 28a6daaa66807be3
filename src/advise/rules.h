// SPDX-License-Identifier: Apache-2.0
/* advise/rules.h: what the files of the rules for traces share. A rule is a row of a table (trace_rules.c): when it speaks, what
 * it says, how much of a step its remedy could save, where to look. */
#ifndef TFP_RULES_H
#define TFP_RULES_H

#include "advise/checker.h"
#include "views/trace/facts.h"

/* The function that judges: fills in `text` and returns whether the rule has a finding. */
typedef struct tfp_ruling {
    const tfp_trace_facts *f;
    double limit; /* in force */
    tfp_buf text;
    double about_ns;    /* of a step, as the text tells it first; NAN: it tells none */
    double saving_ns;   /* of a step; 0: not known */
    double host_ns;     /* what the rules on the host before this one could save, added up */
    const char *change; /* of `tfprof whatif`, which saving_ns is then from; NULL: none */
    uint32_t evidence;  /* -> spans: the one to look at; TFP_NONE: none */
    const char *remedy; /* a remedy that fits the trace better than the rule's; NULL: none */
} tfp_ruling;
typedef bool (*tfp_judge)(tfp_ruling *x);

static inline double tfp_part(double part, double whole) { return whole > 0 ? part / whole : 0; }
void tfp_ruling_us(tfp_ruling *x, double ns);
/* "waiting for input takes 1.2ms of a step of 5.0ms (24%)"; `take` when it is several */
void tfp_ruling_part(tfp_ruling *x, const char *what, double ns);
void tfp_ruling_rate(tfp_ruling *x, double count, const char *what); /* "; 2.5 reads a step" */
void tfp_ruling_share(tfp_ruling *x, const char *where, double ns);  /* ", 1.0ms of it WHERE"; nothing of nothing */
void tfp_ruling_name(tfp_ruling *x, tfp_str name);
void tfp_ruling_span(tfp_ruling *x, uint32_t span); /* its name */
void tfp_ruling_path(tfp_ruling *x, uint32_t span); /* of the host: with the spans around it */

/* trace_host.c */
bool tfp_optimizer_is_unfused(const tfp_trace_facts *f,
                              double least); /* it launches that many kernels a step, and a third of all */
bool tfp_ruling_input_bound(tfp_ruling *x);
bool tfp_ruling_host_bound(tfp_ruling *x);
bool tfp_ruling_host_stalls(tfp_ruling *x);
bool tfp_ruling_python_time(tfp_ruling *x);
bool tfp_ruling_value_reads(tfp_ruling *x);
bool tfp_ruling_synchronization(tfp_ruling *x);
bool tfp_ruling_allocations(tfp_ruling *x);
bool tfp_ruling_blocked_host(tfp_ruling *x);
bool tfp_ruling_host_communication(tfp_ruling *x);
bool tfp_ruling_retracing(tfp_ruling *x);
bool tfp_ruling_compilations(tfp_ruling *x);
bool tfp_ruling_idle_device(tfp_ruling *x);
bool tfp_ruling_uneven_steps(tfp_ruling *x);
bool tfp_ruling_unfused_optimizer(tfp_ruling *x);

/* trace_device.c */
bool tfp_ruling_exposed_communication(tfp_ruling *x);
bool tfp_ruling_small_collectives(tfp_ruling *x);
bool tfp_ruling_collective_skew(tfp_ruling *x);
bool tfp_ruling_stragglers(tfp_ruling *x);
bool tfp_ruling_pageable_copies(tfp_ruling *x);
bool tfp_ruling_exposed_copies(tfp_ruling *x);
bool tfp_ruling_low_occupancy(tfp_ruling *x);
bool tfp_ruling_one_stream(tfp_ruling *x);
bool tfp_ruling_tiny_kernels(tfp_ruling *x);
bool tfp_ruling_casts(tfp_ruling *x);
bool tfp_ruling_layouts(tfp_ruling *x);
bool tfp_ruling_plain_matmuls(tfp_ruling *x);
bool tfp_ruling_odd_shapes(tfp_ruling *x);
bool tfp_ruling_memory_limit(tfp_ruling *x);
bool tfp_ruling_fragmentation(tfp_ruling *x);

#endif
