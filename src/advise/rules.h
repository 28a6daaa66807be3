// SPDX-License-Identifier: Apache-2.0
/* advise/rules.h: shared by the files of the rules for traces. A rule is a row of a table (trace_rules.c): its condition, its
 * text, how much of a step its remedy could save, and where to look. */
#ifndef TFP_RULES_H
#define TFP_RULES_H

#include "advise/checker.h"
#include "views/trace/facts.h"

#include <math.h>

#define TFP_LEAST_GAIN 0.01 /* share of a step: a finding that gains less comes last */

struct tfp_ruling;
/* Whether a rule's remedy changes a span; `waits`: why the span waits (TFP_WAITS_...). */
typedef bool (*tfp_touches)(const struct tfp_ruling *x, uint32_t span, unsigned waits);

/* State of the function that judges: it fills in `text` and returns whether the rule has a finding. */
typedef struct tfp_ruling {
    const tfp_trace_facts *f;
    const struct tfp_device_limits *limits; /* NULL: unknown */
    tfp_about about;
    double limit; /* the limit in use */
    tfp_buf text;
    double about_ns;  /* time per step, the first one in the text; NAN: none */
    double saving_ns; /* saving per step; 0: unknown */
    double host_ns;   /* sum of the savings of earlier rules about the host */
    /* What the remedy changes. NULL: the change that the rule's row names; if there is none, the host's whole time, at
     * most. */
    tfp_touches touches;
    double left;                   /* the share of their time that the activities among these spans still take */
    tfp_sort_of_work sort;         /* for touches: the sort of kernels */
    const tfp_kernel_fact *kernel; /* for touches: the kernel */
    unsigned *says;                /* for touches: for each string, what it means as a span's name; 0: not known yet */
    double replayed_ns;            /* what a replay says about the saving; NAN: nothing */
    const char *change;            /* the change of `tfprof whatif` that gave saving_ns; NULL: none */
    const char *limit_by;          /* what the replay's step mostly consists of: "the host"; NULL: unknown */
    uint32_t evidence;             /* index in spans: the one to look at; TFP_NONE: none */
    const char *remedy;            /* a remedy that fits the trace better than the rule's; NULL: none */
} tfp_ruling;
typedef bool (*tfp_judge)(tfp_ruling *x);

/* Whether a replay says that the remedy saves next to nothing. */
static inline bool tfp_ruling_is_denied(const tfp_ruling *x)
{
    return !isnan(x->replayed_ns) && x->saving_ns < TFP_LEAST_GAIN * x->f->mean.judged_ns;
}
/* What a span's name says (TFP_NAME_...), for touches. */
unsigned tfp_ruling_says(const tfp_ruling *x, uint32_t span);
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

/* One item of -rule_limits (rule_limits.c); false at the end. */
typedef struct tfp_rule_limit {
    tfp_str item, name;
    double limit;
    bool known; /* it has a limit */
} tfp_rule_limit;
bool tfp_rule_limit_next(tfp_str *left, tfp_rule_limit *out);

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
bool tfp_ruling_first_calls(tfp_ruling *x);
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

/* device_limits.c */
bool tfp_ruling_fusable_chains(tfp_ruling *x);
bool tfp_ruling_slow_products(tfp_ruling *x);
bool tfp_ruling_launch_bound(tfp_ruling *x);

#endif
