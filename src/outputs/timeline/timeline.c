// SPDX-License-Identifier: Apache-2.0
/* outputs/timeline/timeline.c: a report as a Chrome trace (chrome://tracing, Perfetto): the graph view with devices, lanes, data
 * flow and memory (graph.c, memory.c), the calls view as
 * recorded (trace.c), the scope and code views as nested boxes.
 * Events, their order and their names are TensorFlow's: tensorflow/core/profiler/internal/tfprof_timeline.cc. */
#include "model/tables/details.h"
#include "model/tables/read.h"
#include "model/tables/runs.h"
#include "options/columns.h"
#include "outputs/timeline/timeline.h"
#include "views/core/rows.h"
#include "views/core/view.h"

/* ---- scope and code views ---- */

/* Each row is as long as its total and begins where its previous sibling ends; rows without time are left out with all
 * rows below them. One process for each depth. */
static tfp_status write_nested(const tfp_report *r, tfp_trace_out *t, tfp_error *err)
{
    static const tfp_str none = { "", 0 };
    if (!tfp_tree_of(r)->total[TFP_V_MICROS])
        return tfp_fail(err, TFP_BADARG, "a timeline needs a report with the column micros");
    int64_t *at = malloc((tfp_row_count(r) + 1) * sizeof *at); /* the start of a row's next child; -1: left out */
    if (!at) return tfp_nomem(err);
    uint32_t depths = 0;
    for (uint32_t i = 0; i < tfp_row_count(r) && !t->sink->status; i++) {
        const tfp_row *x = tfp_row_at(r, i);
        int64_t *parent = &at[x->parent], ns = tfp_total(r, i, TFP_V_MICROS);
        at[i] = i == 0 ? 0 : *parent;
        if (i && (*parent < 0 || ns <= 0)) {
            at[i] = -1;
            continue;
        }
        if (i) *parent = tfp_add(*parent, ns, NULL);
        if (x->depth >= depths) {
            char label[32] = "Scope:";
            tfp_buf number = { .data = label, .size = 6, .capacity = sizeof label - 1 };
            tfp_buf_int(&number, x->depth);
            label[number.size] = '\0';
            tfp_trace_process(t, x->depth, label, none, "");
            depths = x->depth + 1;
        }
        tfp_trace_region box = { x->name, at[i], ns, x->depth, 0 };
        tfp_trace_put_region(t, &box, true);
    }
    free(at);
    return TFP_OK;
}

/* ---- the whole trace ---- */

static void put_losses(tfp_trace_out *t)
{
    tfp_json *j = &t->j;
    if (!t->names_cut && !t->flows_cut) return;
    tfp_json_key(j, "otherData");
    tfp_json_open(j, '{');
    if (t->names_cut) { tfp_json_text_at(j, "tfprof.names", "long names are cut: in full they pass 64 MB"); }
    if (t->flows_cut) { tfp_json_text_at(j, "tfprof.flows", "only the first 1000000 flows are here"); }
    tfp_json_close(j, '}');
}

static tfp_status write_timeline(const tfp_report *r, tfp_sink *s, tfp_error *err)
{
    bool graph = tfp_view_of(r)->timeline == TFP_TIMELINE_OF_STEP,
         calls = tfp_view_of(r)->timeline == TFP_TIMELINE_OF_SPANS;
    if (!graph && (!tfp_kind_of(r)->numbers || tfp_kind_of(r)->list))
        return tfp_fail(err, TFP_BADARG, "%s view has no timeline: use graph, scope or code", tfp_name_of(r));
    if (graph && tfp_details_of(tfp_profile_of(r))->details.size < tfp_executions_of(tfp_profile_of(r))->execs.size)
        return tfp_fail(err, TFP_BADARG, "a timeline of the graph view needs a profile read with %s",
                        tfp_reads_name(TFP_READS_RUNS));
    if (graph && tfp_step_of(r).which != TFP_STEP_ONE)
        return tfp_fail(err, TFP_BADARG, "a timeline of the graph view needs -step");
    tfp_trace_out t = { .sink = s, .j = tfp_json_start(&s->buf) };
    tfp_json_open(&t.j, '{');
    tfp_json_key(&t.j, "traceEvents");
    tfp_json_open(&t.j, '[');
    tfp_status status = graph   ? tfp_timeline_graph(r, &t, err)
                        : calls ? tfp_timeline_trace(r, &t, err)
                                : write_nested(r, &t, err);
    tfp_json_close(&t.j, ']');
    put_losses(&t);
    tfp_json_close(&t.j, '}');
    tfp_buf_char(&s->buf, '\n');
    return status;
}

const tfp_output_format tfp_output_timeline = {
    .name = "timeline",
    .help = "A Chrome trace (chrome://tracing, Perfetto) of the graph, calls, scope or code view.",
    .in_format_option = false,
    .write = write_timeline,
};
