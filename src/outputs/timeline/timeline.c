// SPDX-License-Identifier: Apache-2.0
/* outputs/timeline/timeline.c: a report as a Chrome trace (chrome://tracing, Perfetto): the graph view with devices, lanes, data
 * flow and memory (graph.c, memory.c), the calls view as
 * recorded (trace.c), the scope and code views as nested boxes.
 * Events, their order and their names are TensorFlow's: tensorflow/core/profiler/internal/tfprof_timeline.cc. */
#include "outputs/timeline/timeline.h"
#include "views/core/view.h"

#include <stdlib.h>

uint32_t tfp_timeline_exec(const tfp_report *r, uint32_t node)
{
    const tfp_profile *p = r->profile;
    if (node == TFP_NONE || r->step.which != TFP_STEP_ONE) return TFP_NONE;
    const tfp_node *n = &p->nodes.at[node];
    if (n->device == 0 || n->host_device == 0) return TFP_NONE;
    uint32_t exec = tfp_node_exec(p, node, r->step.row);
    return exec != TFP_NONE && p->execs.at[exec].start_ns != 0 ? exec : TFP_NONE;
}

tfp_str tfp_trace_name(tfp_trace_out *t, tfp_str name, tfp_buf *room)
{
    t->written += name.size;
    if (t->written <= TFP_TIMELINE_NAME_BYTES || name.size <= TFP_TIMELINE_SHORT_NAME) return name;
    t->names_cut = true;
    room->size = 0;
    size_t end = TFP_TIMELINE_SHORT_NAME;
    while (end && ((unsigned char)name.data[end] & 0xc0) == 0x80) end--; /* not inside a character */
    tfp_buf_add(room, name.data, end);
    tfp_buf_text(room, "\xe2\x80\xa6");
    return room->failed ? (tfp_str){ name.data, end } : (tfp_str){ room->data, room->size };
}

static void put_key_int(tfp_json *j, const char *key, int64_t n)
{
    tfp_json_key(j, key);
    tfp_json_int(j, n);
}

static void put_key_text(tfp_json *j, const char *key, const char *text)
{
    tfp_json_key(j, key);
    tfp_json_text(j, text);
}

void tfp_trace_process(tfp_trace_out *t, int64_t pid, const char *before, tfp_str name, const char *after)
{
    tfp_json *j = &t->j;
    tfp_buf full = { 0 };
    tfp_buf_text(&full, before);
    tfp_buf_str(&full, name);
    tfp_buf_text(&full, after);
    if (full.failed) j->out->failed = true;
    tfp_json_open(j, '{');
    tfp_json_key(j, "args");
    tfp_json_open(j, '{');
    tfp_json_key(j, "name");
    tfp_json_str(j, (tfp_str){ full.data, full.size });
    tfp_json_close(j, '}');
    put_key_text(j, "name", "process_name");
    put_key_text(j, "ph", "M");
    put_key_int(j, "pid", pid);
    tfp_json_close(j, '}');
    tfp_buf_free(&full);
    tfp_sink_flush_if_full(t->sink);
}

void tfp_trace_put_region(tfp_trace_out *t, const tfp_trace_region *x, bool with_op)
{
    tfp_json *j = &t->j;
    tfp_buf room = { 0 };
    tfp_str name = tfp_trace_name(t, x->name, &room);
    tfp_json_open(j, '{');
    tfp_json_key(j, "args");
    tfp_json_open(j, '{');
    tfp_json_key(j, "name");
    tfp_json_str(j, name);
    if (with_op) {
        tfp_json_key(j, "op");
        tfp_json_str(j, name);
    }
    tfp_json_close(j, '}');
    put_key_text(j, "cat", "Op");
    tfp_json_key(j, "dur");
    tfp_json_thousandths(j, x->duration_ns);
    tfp_json_key(j, "name");
    tfp_json_str(j, name);
    put_key_text(j, "ph", "X");
    put_key_int(j, "pid", x->pid);
    put_key_int(j, "tid", x->tid);
    tfp_json_key(j, "ts");
    tfp_json_thousandths(j, x->start_ns);
    tfp_json_close(j, '}');
    tfp_buf_free(&room);
    tfp_sink_flush_if_full(t->sink);
}

/* ---- scope and code views ---- */

/* Each row is as long as its total and begins where its previous sibling ends; rows without time are left out with all
 * rows below them. One process for each depth. */
static tfp_status write_nested(const tfp_report *r, tfp_trace_out *t, tfp_error *err)
{
    static const tfp_str none = { "", 0 };
    if (!r->total[TFP_V_MICROS]) return tfp_fail(err, TFP_BADARG, "a timeline needs a report with the column micros");
    int64_t *at = malloc((r->rows.size + 1) * sizeof *at); /* where the next child of a row begins; -1: left out */
    if (!at) return tfp_nomem(err);
    uint32_t depths = 0;
    for (uint32_t i = 0; i < r->rows.size && !t->sink->status; i++) {
        const tfp_row *x = &r->rows.at[i];
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
    if (t->names_cut) put_key_text(j, "tfprof.names", "long names are cut: in full they pass 64 MB");
    if (t->flows_cut) put_key_text(j, "tfprof.flows", "only the first 1000000 flows are here");
    tfp_json_close(j, '}');
}

static tfp_status write_timeline(const tfp_report *r, tfp_sink *s, tfp_error *err)
{
    bool graph = r->about == &tfp_view_graph, calls = r->about == &tfp_view_calls;
    if (!graph && r->kind != TFP_REPORT_TREE && r->kind != TFP_REPORT_GROUPS)
        return tfp_fail(err, TFP_BADARG, "%s view has no timeline: use graph, scope or code", r->view);
    if (graph && r->profile->details.size < r->profile->execs.size)
        return tfp_fail(err, TFP_BADARG, "a timeline of the graph view needs a profile read with TFP_KEEP_MEMORY");
    if (graph && r->step.which != TFP_STEP_ONE)
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
