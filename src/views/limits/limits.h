// SPDX-License-Identifier: Apache-2.0
/* views/limits/limits.h: how far each call is from what its device can do. A call is a run of an operator with all
 * activities that it launched (calls.c). Peaks of the device and the sizes of its tensors give an ideal time
 * (ideal.c), the rest of its time is lost. docs/limits.md has the formulas. */
#ifndef TFP_VIEWS_LIMITS_H
#define TFP_VIEWS_LIMITS_H

#include "flops/aten/traffic.h"
#include "model/tables/types.h"

/* Why a call is not judged. */
typedef enum tfp_why_not {
    TFP_JUDGED,
    TFP_WHY_NO_LAUNCH,
    TFP_WHY_NO_OP,
    TFP_WHY_NO_SHAPES,
    TFP_WHY_NO_RULE,
    TFP_WHY_NO_PEAK,
    TFP_WHY_GRAPH,
    TFP_WHY_TRITON,
    TFP_WHY_COLLECTIVE,
    TFP_WHY_TRANSFER,
    TFP_WHYS
} tfp_why_not;
extern const char *const tfp_why_names[TFP_WHYS];

typedef enum tfp_limit_bound { TFP_BOUND_COMPUTE, TFP_BOUND_MEMORY, TFP_BOUND_LATENCY, TFP_BOUNDS } tfp_limit_bound;
extern const char *const tfp_bound_names[TFP_BOUNDS];

/* What the device can do; 0: unknown. */
typedef struct tfp_limit_peaks {
    tfp_str device;                /* its name; without data: unknown */
    double flops[TFP_FLOAT_TYPES]; /* a second */
    double bandwidth;              /* bytes a second */
    double floor_us;               /* about the shortest time of a kernel */
    bool known;                    /* calls have an ideal time: the bandwidth is known */
    bool others;                   /* the trace has other kinds of devices, too */
} tfp_limit_peaks;

/* Calls of one operator with the same arguments. */
typedef struct tfp_call_kind {
    tfp_strid name;
    uint32_t stats; /* index in stat_sets */
    const struct tfp_traffic_rule *rule;
    uint8_t class, type, why, norm; /* tfp_work_class, tfp_float_type, tfp_why_not, tfp_norm_part */
    bool in_place, fusable, whole;
    int64_t flops, bytes;         /* 0 if it is not judged */
    double compute_us, memory_us; /* at the peaks; 0: unknown */
    double peak_us;               /* its float operations at the peak of their type, for the MFU */
    uint32_t in_first, in_count;  /* index in inputs */
    tfp_sized out;
    uint32_t dims_first, rank; /* index in dims: of the result */
} tfp_call_kind;

typedef struct tfp_limit_call {
    uint32_t op;              /* span; TFP_NONE: none */
    uint32_t kind;            /* index in kinds; TFP_NONE: it has no op */
    uint32_t first, last;     /* its activities, as indexes in the list of activities */
    uint32_t parts;           /* how many */
    uint32_t unit, step;      /* step: TFP_NONE: in no step */
    int64_t ns;               /* on the device */
    double ideal_us, loss_us; /* of a judged call, if the peaks are known */
    uint8_t class, why, bound;
    bool latency; /* less work than the shortest kernel could do */
} tfp_limit_call;

typedef struct tfp_limit_part { /* an activity of a call */
    uint32_t span, call, next;  /* next: index in the list; TFP_NONE: the last of its call */
} tfp_limit_part;

typedef struct tfp_limits {
    tfp_report *r;
    const tfp_profile *p;
    const tfp_span_columns *s;
    const struct tfp_trace_index *x;
    tfp_limit_peaks peaks;
    TFP_VEC(tfp_limit_part) parts; /* by lane, in order of their starts */
    TFP_VEC(tfp_limit_call) calls;
    TFP_VEC(tfp_call_kind) kinds;
    TFP_VEC(tfp_sized) inputs;
    TFP_VEC(int64_t) dims;
    uint32_t *call_of;         /* by span of an activity: index in calls; TFP_NONE */
    tfp_map64 forward_of;      /* backward operator -> forward operator, as spans */
    struct tfp_blocks *memory; /* allocations; NULL: none were recorded (memory.c) */
    struct tfp_limit_ids *ids; /* storages; NULL: no execution trace has these calls (ids.c) */
} tfp_limits;

/* peaks.c. Errors: TFP_BADARG: a bad option. */
tfp_status tfp_limit_peaks_of(const tfp_report *r, tfp_limit_peaks *out, tfp_error *err);
/* Finds the calls and judges them. Errors: TFP_NOTFOUND: no activity of a device, or no shapes. */
tfp_status tfp_limits_of(tfp_report *r, const struct tfp_trace_index *x, tfp_limits *out, tfp_error *err);
/* The same of a trace without shapes, too: then no call is judged. */
tfp_status tfp_limits_of_any(tfp_report *r, const struct tfp_trace_index *x, tfp_limits *out, tfp_error *err);
void tfp_limits_free(tfp_limits *l);
/* calls.c; false: out of memory. */
bool tfp_limits_find_calls(tfp_limits *l);
/* ideal.c */
void tfp_limits_judge(tfp_limits *l);

/* The kind of a call's arguments, parsed again. */
bool tfp_limits_arguments(const tfp_limits *l, const tfp_call_kind *k, tfp_aten_call *out);
/* The forward operator of the backward one that a span is in; TFP_NONE: it is in none. */
uint32_t tfp_limits_forward(const tfp_limits *l, uint32_t span);
/* When a call begins on the host; INT64_MAX: unknown. And the name of a part. */
int64_t tfp_limit_start(const tfp_limits *l, const tfp_limit_call *c);
tfp_strid tfp_limit_part_name(const tfp_limits *l, uint32_t part);
/* memory.c: the allocations of each op. False: out of memory. */
bool tfp_limits_find_memory(tfp_limits *l);
/* The bytes of the last allocation inside an op, of at least so many bytes; 0: none. */
int64_t tfp_limits_allocated(const tfp_limits *l, uint32_t op, int64_t least);
/* The last allocation inside an op of at least so many bytes, or `before` it as well; TFP_NONE: none. And when an
 * allocation was freed; INT64_MAX: never. */
uint32_t tfp_limits_block(const tfp_limits *l, uint32_t op, int64_t bytes, bool before);
int64_t tfp_limits_freed(const tfp_limits *l, uint32_t block);

/* ---- ids.c: what an execution trace beside the trace says of the storages of tensors ---- */
bool tfp_limits_find_ids(tfp_limits *l); /* false: out of memory */
void tfp_limits_free_ids(tfp_limits *l);
/* The rest is asked of calls that have ids. */
bool tfp_limits_has_ids(const tfp_limits *l, uint32_t call);
bool tfp_limits_reads_result(const tfp_limits *l, uint32_t call, uint32_t before);
/* Whether an earlier member made the n-th tensor of an argument of a member. */
bool tfp_limits_input_made(const tfp_limits *l, const uint32_t *members, uint32_t at, uint32_t argument, uint32_t nth);
/* Whether a call outside of a chain reads a member's result later. */
bool tfp_limits_read_later(const tfp_limits *l, const uint32_t *members, uint32_t count, uint32_t at);

#endif
