// SPDX-License-Identifier: Apache-2.0
/* registry.c: everything that this library can do, on one screen. A new format, view or output needs one file and its
 * name here; the list of checkers is in advise/advise.c, because it must be below the code that uses it. */
#include "registry.h"

#include "views/core/view.h"

const tfp_format *const tfp_formats[] = { &tfp_format_profile,     &tfp_format_tfprof,    &tfp_format_graph,
                                          &tfp_format_run_meta,    &tfp_format_op_log,    &tfp_format_checkpoint,
                                          &tfp_format_kineto,      &tfp_format_xplane,    &tfp_format_hlo,
                                          &tfp_format_pprof,       &tfp_format_snapshot,  &tfp_format_flight,
                                          &tfp_format_safetensors, &tfp_format_gguf,      &tfp_format_torch,
                                          &tfp_format_onnx,        &tfp_format_inspector, &tfp_format_execution_trace,
                                          &tfp_format_sqlite,      &tfp_format_perfetto,  &tfp_format_speedscope,
                                          &tfp_format_folded,      &tfp_format_capture,   &tfp_format_eager,
                                          &tfp_format_inductor,    &tfp_format_tfevents,  NULL };

#define VIEW(name) &tfp_view_##name,
const tfp_view *const tfp_views[] = {
#include "views/core/views.def"
    NULL
};
#undef VIEW

const tfp_output_format *const tfp_outputs[] = {
    &tfp_output_text,       &tfp_output_json,     &tfp_output_jsonl,   &tfp_output_csv,
    &tfp_output_md,         &tfp_output_arrow,    &tfp_output_parquet, &tfp_output_proto,
    &tfp_output_script,     &tfp_output_timeline, &tfp_output_pprof,   &tfp_output_folded,
    &tfp_output_speedscope, &tfp_output_perfetto, &tfp_output_columns, NULL
};

const tfp_format *tfp_format_find(const char *name)
{
    for (size_t i = 0; name && tfp_formats[i]; i++)
        if (strcmp(tfp_formats[i]->name, name) == 0) return tfp_formats[i];
    return NULL;
}

const tfp_view *tfp_view_find(const char *name)
{
    for (size_t i = 0; name && tfp_views[i]; i++)
        if (strcmp(tfp_views[i]->name, name) == 0) return tfp_views[i];
    return NULL;
}

const tfp_output_format *tfp_output_find(const char *name)
{
    for (size_t i = 0; name && tfp_outputs[i]; i++)
        if (strcmp(tfp_outputs[i]->name, name) == 0) return tfp_outputs[i];
    return NULL;
}
