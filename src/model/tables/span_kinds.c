// SPDX-License-Identifier: Apache-2.0
/* model/tables/span_kinds.c: the names of kinds and classes of spans and of kinds of lanes, as tables, SQL, the page and files have them. */
#include "model/tables/span_kinds.h"
#include "model/tables/lanes.h"

static const struct {
    const char *name, *op_type;
} kinds[] = {
    [TFP_SPAN_NONE] = { "other", "other" },     [TFP_SPAN_OP] = { "op", "op" },
    [TFP_SPAN_CALL] = { "call", "runtime" },    [TFP_SPAN_ANNOTATION] = { "annotation", "annotation" },
    [TFP_SPAN_MODULE] = { "module", "module" }, [TFP_SPAN_FRAME] = { "frame", "python" },
    [TFP_SPAN_STEP] = { "step", "step" },       [TFP_SPAN_ACTIVITY] = { "activity", "kernel" },
    [TFP_SPAN_OTHER] = { "other", "other" },
};

const char *tfp_span_kind_name(unsigned kind) { return kinds[kind].name; }
const char *tfp_span_op_type(unsigned kind) { return kinds[kind].op_type; }

const char *tfp_span_class_name(unsigned class)
{
    static const char *const names[] = { [TFP_CLASS_COMPUTE] = "compute",
                                         [TFP_CLASS_COMMUNICATION] = "communication",
                                         [TFP_CLASS_COPY] = "copy",
                                         [TFP_CLASS_SET] = "set" };
    return names[class & 3];
}

const char *tfp_lane_kind_name(unsigned kind)
{
    static const char *const names[] = {
        [TFP_LANE_OTHER] = "other", [TFP_LANE_CPU] = "cpu", [TFP_LANE_ACCELERATOR] = "accelerator"
    };
    return names[kind];
}
