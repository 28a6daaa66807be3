// SPDX-License-Identifier: Apache-2.0
/* views/limits/tables.h: the tables of limits: calls summed by operator, module, line or kernel; by shape; and chains that
 * one kernel could do. */
#ifndef TFP_VIEWS_LIMITS_TABLES_H
#define TFP_VIEWS_LIMITS_TABLES_H

#include "views/core/grid.h"
#include "views/limits/limits.h"

typedef enum tfp_limits_by {
    TFP_LIMITS_BY_OP,
    TFP_LIMITS_BY_MODULE,
    TFP_LIMITS_BY_LAYER, /* modules whose paths differ only in numbers, together */
    TFP_LIMITS_BY_LINE,
    TFP_LIMITS_BY_KERNEL,
    TFP_LIMITS_BY_SHAPE,
    TFP_LIMITS_BY_CHAIN,
    TFP_LIMITS_BYS
} tfp_limits_by;
extern const char *const tfp_limits_by_words[TFP_LIMITS_BYS + 1]; /* ended by NULL */

typedef struct tfp_limit_row {
    int64_t rank;
    tfp_str name, class, bound, why;
    int64_t calls, float_ops, bytes_moved, latency_calls;
    int64_t device_ns, not_judged_ns;
    double latency_us, ideal_us, loss_us; /* NAN: unknown */
    double share, loss_share, efficiency, flops_per_second, bytes_per_second;
    double bound_us[TFP_BOUNDS]; /* ideal time by bound */
    int64_t class_ns[TFP_WORK_CLASSES], why_ns[TFP_WHYS];
    double order_us; /* the loss; on an unknown device the time */
    uint32_t unit;
    uint32_t last; /* the call that was added last, plus 1 */
} tfp_limit_row;
static inline bool tfp_limits_by_place(tfp_limits_by by)
{
    return by == TFP_LIMITS_BY_MODULE || by == TFP_LIMITS_BY_LAYER || by == TFP_LIMITS_BY_LINE;
}
/* layers.c: a module's path with '*' for numbers of its parts: "Net_*", "layers.*.mlp". Data NULL: out of memory. */
tfp_str tfp_limits_layer(tfp_str path, tfp_arena *a);

extern const tfp_table_column tfp_limit_columns[], tfp_limit_shape_columns[], tfp_limit_chain_columns[];

/* Rows in the report's arena, biggest loss first. False: out of memory. */
bool tfp_limit_rows(const tfp_limits *l, tfp_limits_by by, tfp_limit_row **rows, size_t *count);

typedef struct tfp_limit_sums { /* over all calls */
    int64_t device_ns, judged_ns, calls, latency_calls, float_ops, bytes_moved;
    int64_t calls_over, ns_over; /* faster than the memory allows */
    double ideal_us, loss_us, latency_us;
    double peak_us,
        memory_us; /* of calls in steps: float operations at the peak of their type, bytes at the bandwidth */
    int64_t why_ns[TFP_WHYS];
    struct { /* of products, convolutions and attention, by type */
        int64_t ns;
        double float_ops;
    } products[TFP_FLOAT_TYPES];
} tfp_limit_sums;
tfp_limit_sums tfp_limits_sum(const tfp_limits *l);
/* Appends the reasons in which calls are not judged, most time first, joined. */
void tfp_limits_put_why(const int64_t why_ns[TFP_WHYS], const char *between, tfp_buf *out);

#endif
