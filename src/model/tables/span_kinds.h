// SPDX-License-Identifier: Apache-2.0
/* model/tables/span_kinds.h: kinds, classes and marks of a trace's spans, and kinds of links between them. */
#ifndef TFP_TABLES_SPAN_KINDS_H
#define TFP_TABLES_SPAN_KINDS_H

#include "base/base.h"

typedef enum tfp_span_kind {
    TFP_SPAN_NONE,       /* of RunMetadata and ProfileProto, whose lanes determine what counts */
    TFP_SPAN_OP,         /* host op: an operation of the framework, or of a module compiled for the host */
    TFP_SPAN_CALL,       /* API call of the device's runtime or driver; a host op too */
    TFP_SPAN_ANNOTATION, /* user annotation */
    TFP_SPAN_MODULE,     /* nn.Module frame */
    TFP_SPAN_FRAME,      /* Python function call */
    TFP_SPAN_STEP,       /* marks a step */
    TFP_SPAN_ACTIVITY,   /* occupies a device: a kernel, copy or memset */
    TFP_SPAN_OTHER       /* shown only in the timeline, in `calls` of plain traces and in SQL */
} tfp_span_kind;
const char *tfp_span_kind_name(unsigned kind); /* "op", "call", "activity" ... */
/* What stands for the operation type of a row or slice of this kind: "op", "runtime", "kernel" ... */
const char *tfp_span_op_type(unsigned kind);
static inline bool tfp_is_host_op(unsigned kind) { return kind == TFP_SPAN_OP || kind == TFP_SPAN_CALL; }

typedef enum tfp_span_class { /* for activities, and for host ops where there is no device */
                              TFP_CLASS_COMPUTE,
                              TFP_CLASS_COMMUNICATION,
                              TFP_CLASS_COPY,
                              TFP_CLASS_SET
} tfp_span_class;
const char *tfp_span_class_name(unsigned class);

/* Marks of a span. */
enum {
    TFP_MARK_BACKWARD = 1, /* it repeats a forward op's sequence number */
    TFP_MARK_CLAMPED = 2,  /* its duration was negative or missing */
    TFP_MARK_INSTANT = 4,
    TFP_MARK_COLLECTIVE = 8, /* the file says that it is a collective, whatever its name */
    TFP_MARK_CONTINUES = 16, /* an activity in the same run of an operation as the activity before it in its stream */
    TFP_MARK_WAITS = 32,     /* a call that waits for the device according to the file, whatever its name */
    TFP_MARK_OP_TOLD = 32,   /* for activities: `external` gives its op, even if its call is known */
    TFP_MARK_HELD = 64,      /* an annotation inside a row of its compact lane; set by the join */
    TFP_MARK_LOADS = 64,     /* a call that loads the code of the kernel that it launches; set by the join */
    TFP_MARK_OUTSIDE = 128   /* outside the time range of the report (model/join/cut.h) */
};

/* Whether it is an op or a kernel; copies by the tracer and API calls are no work of the model. */
static inline bool tfp_is_work(unsigned kind, unsigned class)
{
    return kind == TFP_SPAN_OP ||
           (kind == TFP_SPAN_ACTIVITY && (class == TFP_CLASS_COMPUTE || class == TFP_CLASS_COMMUNICATION));
}

/* Whether a run of an instruction begins with a span. Several activities of one instruction are one run. It counts with
 * the first of them that is work: a memset may come before. `open`: of the lane, false before its first span. */
static inline bool tfp_run_begins(unsigned marks, bool work, bool *open)
{
    bool begins = !(marks & TFP_MARK_CONTINUES) || *open;
    *open = begins && !work;
    return begins;
}

/* Links between spans. Launches are in spans.launch instead; the join makes those of TFP_FLOW_BACKWARD (from forward to
 * backward operator). */
typedef enum tfp_flow_kind { TFP_FLOW_LAUNCH, TFP_FLOW_BACKWARD, TFP_FLOW_PRODUCER, TFP_FLOW_OTHER } tfp_flow_kind;

/* Whether the device of a lane is a TPU, whose activities are instructions of a program without launches. */
static inline bool tfp_is_tpu(tfp_str device) { return device.size > 4 && memcmp(device.data, "tpu:", 4) == 0; }

#endif
