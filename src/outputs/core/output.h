// SPDX-License-Identifier: Apache-2.0
/* outputs/core/output.h: the interface of every output: a report in, bytes into a sink. */
#ifndef TFP_OUTPUT_H
#define TFP_OUTPUT_H

#include "base/io.h"
#include "model/tables/types.h"

typedef struct tfp_output_format {
    const char *name; /* "text", "json", "csv", "md", "proto", "timeline", "pprof" ... */
    const char *help;
    bool in_format_option; /* may be given to -format */
    /* TFP_BADARG if this report has no such form ("op view has no timeline"). Fills s->buf and calls
     * tfp_sink_flush_if_full regularly; tfp_sink_end reports failures of the sink. */
    tfp_status (*write)(const tfp_report *r, tfp_sink *s, tfp_error *err);
} tfp_output_format;

extern const tfp_output_format tfp_output_text, tfp_output_json, tfp_output_jsonl, tfp_output_csv, tfp_output_md,
    tfp_output_proto, tfp_output_timeline, tfp_output_pprof, tfp_output_script, tfp_output_columns, tfp_output_folded,
    tfp_output_speedscope, tfp_output_arrow, tfp_output_parquet, tfp_output_perfetto;

/* The folded form of a tree (data/flames.c); data/folded.c has that of sampled stacks. */
tfp_status tfp_write_folded_tree(const tfp_report *r, tfp_sink *s, tfp_error *err);

/* Sampled stacks for speedscope (speedscope_stacks.c); flames.c has trees. */
struct tfp_stacks;
tfp_status tfp_speedscope_stacks(const struct tfp_stacks *all, tfp_sink *s, tfp_error *err);

/* The profile itself, as a ProfileProto. */
tfp_status tfp_write_profile_proto(const tfp_profile *p, tfp_sink *s, tfp_error *err);

/* "D peak memory: N MB" lines that TensorFlow prints when a graph timeline of an accelerator is written. */
void tfp_timeline_peaks(const tfp_report *r, tfp_buf *out);

#endif
