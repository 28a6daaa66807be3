// SPDX-License-Identifier: Apache-2.0
/* advise/rules.h: shared by the files of the rules for traces. A rule is a row of a table (trace_rules.c): its condition, its
 * text, how much of a step its remedy could save, and where to look. */
#ifndef TFP_RULES_H
#define TFP_RULES_H

#include "advise/checker.h"
#include "views/trace/facts.h"

/* State of the function that judges: it fills in `text` and returns whether the rule has a finding. */
typedef struct tfp_ruling {
    const tfp_trace_facts *f;
    double limit; /* the limit in use */
    tfp_buf text;
    double about_ns;    /* time per step, the first one in the text; NAN: none */
    double saving_ns;   /* saving per step; 0: unknown */
    double host_ns;     /* sum of the savings of earlier rules about the host */
    const char *change; /* the change of `tfprof whatif` that gave saving_ns; NULL: none */
    uint32_t evidence;  /* index in spans: the one to look at; TFP_NONE: none */
    const char *remedy; /* a remedy that fits the trace better than the rule's; NULL: none */
} tfp_ruling;
typedef bool (*tfp_judge)(tfp_ruling *x);

static inline double tfp_part(double part, double whole) { return whole > 0 ? part / whole : 0; }
void tfp_ruling_us(tfp_ruling *x, double ns);
/* appends "waiting for input takes 1.2ms of a step of 5.0ms (24%)"; `take` for a plural */
void tfp_ruling_part(tfp_ruling *x, const char *what, double ns);
void tfp_ruling_rate(tfp_ruling *x, double count, const char *what); /* appends "; 2.5 reads a step" */
/* appends ", 1.0ms of it WHERE"; nothing when ns is 0 */
void tfp_ruling_share(tfp_ruling *x, const char *where, double ns);
void tfp_ruling_name(tfp_ruling *x, tfp_str name);
void tfp_ruling_span(tfp_ruling *x, uint32_t span); /* appends its name */
void tfp_ruling_path(tfp_ruling *x, uint32_t span); /* for a host span: appends it with the spans around it */

/* trace_host.c */
bool tfp_optimizer_is_unfused(const tfp_trace_facts *f,
                              /* whether it launches at least this many kernels per step, and a third of all */
                              double least);
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
