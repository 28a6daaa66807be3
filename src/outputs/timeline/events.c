// SPDX-License-Identifier: Apache-2.0
/* outputs/timeline/events.c: events of a Chrome trace, as all timelines write them. */
#include "model/tables/graph.h"
#include "model/tables/runs.h"
#include "outputs/timeline/timeline.h"
#include "views/core/handle.h"

void tfp_trace_put_region(tfp_trace_out *t, const tfp_trace_region *x, bool with_op)
{
    tfp_json *j = &t->j;
    tfp_buf room = { 0 };
    tfp_str name = tfp_trace_name(t, x->name, &room);
    tfp_json_open(j, '{');
    tfp_json_key(j, "args");
    tfp_json_open(j, '{');
    tfp_json_str_at(j, "name", name);
    if (with_op) { tfp_json_str_at(j, "op", name); }
    tfp_json_close(j, '}');
    tfp_json_text_at(j, "cat", "Op");
    tfp_json_key(j, "dur");
    tfp_json_thousandths(j, x->duration_ns);
    tfp_json_str_at(j, "name", name);
    tfp_json_text_at(j, "ph", "X");
    tfp_json_int_at(j, "pid", x->pid);
    tfp_json_int_at(j, "tid", x->tid);
    tfp_json_key(j, "ts");
    tfp_json_thousandths(j, x->start_ns);
    tfp_json_close(j, '}');
    tfp_buf_free(&room);
    tfp_sink_flush_if_full(t->sink);
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
    tfp_json_str_at(j, "name", (tfp_str){ full.data, full.size });
    tfp_json_close(j, '}');
    tfp_json_text_at(j, "name", "process_name");
    tfp_json_text_at(j, "ph", "M");
    tfp_json_int_at(j, "pid", pid);
    tfp_json_close(j, '}');
    tfp_buf_free(&full);
    tfp_sink_flush_if_full(t->sink);
}

uint32_t tfp_timeline_exec(const tfp_report *r, uint32_t node)
{
    const tfp_profile *p = tfp_profile_of(r);
    if (node == TFP_NONE || tfp_step_of(r).which != TFP_STEP_ONE) return TFP_NONE;
    const tfp_node *n = &tfp_graph_of(p)->nodes.at[node];
    if (n->device == 0 || n->host_device == 0) return TFP_NONE;
    uint32_t exec = tfp_node_exec(p, node, tfp_step_of(r).row);
    return exec != TFP_NONE && tfp_executions_of(p)->execs.at[exec].start_ns != 0 ? exec : TFP_NONE;
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
