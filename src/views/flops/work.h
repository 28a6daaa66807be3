// SPDX-License-Identifier: Apache-2.0
/* views/flops/work.h: shared by the files of the report `flops` of compiled programs and traces: rows of work, and the
 * tables that are made of them. */
#ifndef TFP_VIEWS_FLOPS_WORK_H
#define TFP_VIEWS_FLOPS_WORK_H

#include "views/flops/instructions.h"
#include "views/core/grid.h"
#include "views/core/view.h"
#include "views/flops/left_out.h"

/* Bits of tfp_row_table.shown. */
enum {
    TFP_WORK_TIMES = 1,
    TFP_WORK_PEAK = 2,
    TFP_WORK_BOUND = 4,
    TFP_WORK_ATTAINED = 8,
    TFP_WORK_TYPES = 16,
    TFP_WORK_DEVICE = 32,
    TFP_WORK_OPCODE = 64
};

/* What work reached, per second, beside what its device can do. NAN: unknown. */
typedef struct tfp_work_rates {
    double intensity; /* float operations for each byte moved */
    double peak, attainable, rate;
    double attained; /* the share of the attainable rate */
} tfp_work_rates;

typedef struct tfp_work_row { /* an op, a scope, an instruction, or a type of numbers */
    tfp_str name, op, module, scope, shapes, source, bound, types;
    tfp_str opcode; /* for an op: the opcodes of its instructions that compute most, at most three */
    int64_t instructions, counted, runs;
    int64_t float_ops, macs, bytes;
    int64_t moved_float_ops; /* sum over instructions whose bytes are known */
    int64_t ns, device_ns;
    int64_t working_ns; /* the instructions' time on accelerators; for those without any, their whole time */
    struct {
        int64_t float_ops, macs, bytes;
    } in_steps; /* for a trace: the part within windows of steps */
    int64_t of_type[TFP_FLOAT_TYPES];
    bool moves; /* the bytes of some instruction are known */
    double share;
    tfp_work_rates rates;
} tfp_work_row;

typedef struct tfp_work_tables {
    tfp_report *r;
    tfp_instruction_sums sums;
    tfp_work_row all;
    int64_t uncounted_bytes, counted_ns, loops;
    tfp_left_out left;  /* work without a count */
    bool bytes_missing; /* bytes of some instruction without a count are unknown */
    bool bytes_least;   /* bytes of some instruction that has a count are unknown */
    bool operators;     /* the rows are PyTorch's operators, not instructions */
    tfp_strid first_loop;
    double peak_flops, peak_bandwidth; /* 0: unknown, or by type */
    const tfp_device_info *device;     /* the device whose peaks are used; NULL: none */
    const tfp_device_peaks *known;     /* its peaks from its data sheet, used if the trace has none; NULL: none */
    const char *published;             /* its name, if the vendor's bandwidth replaces the trace's; NULL: it does not */
    unsigned shown;
} tfp_work_tables;

/* roofline.c. Finds the peaks: those of the options, otherwise those in the trace, otherwise those of a known
 * device. */
tfp_status tfp_work_find_peaks(tfp_work_tables *t, tfp_error *err);
/* Sets what a row achieves and what the device could; false: out of memory. */
bool tfp_work_roof(const tfp_work_tables *t, tfp_work_row *row);
/* Adds the table of types, if peaks are by type. */
tfp_status tfp_work_types(const tfp_work_tables *t, tfp_error *err);
/* Adds a note if a share exceeds 1: no work is faster than its device, so a peak must be wrong. */
tfp_status tfp_work_check_peaks(const tfp_work_tables *t, double most_attained, tfp_error *err);
bool tfp_work_peak_facts(const tfp_work_tables *t); /* false: out of memory */
/* Adds the fact how much of the device's peak the steps use, if the peak is known. */
tfp_status tfp_work_utilization(const tfp_work_tables *t, tfp_error *err);

/* work_facts.c: the facts above the tables; false: out of memory. */
bool tfp_work_facts(const tfp_work_tables *t);
/* Adds text after the last fact, for people. */
bool tfp_work_say(const tfp_work_tables *t, const char *format, ...) TFP_PRINTF(2, 3);

#endif
