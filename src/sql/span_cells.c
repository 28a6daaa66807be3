// SPDX-License-Identifier: Apache-2.0
/* sql/span_cells.c: cells of spans, of their arguments in traces, and of their lanes and processes. The table `spans`
 * has the spans of executions (TensorFlow's files) first, then the events of traces. */
#include "model/tables/details.h"
#include "model/tables/events.h"
#include "model/tables/graph.h"
#include "model/tables/lanes.h"
#include "model/tables/processes.h"
#include "model/tables/read.h"
#include "model/tables/runs.h"
#include "model/tables/sources.h"
#include "model/tables/stats.h"
#include "query/order.h"
#include "sql/cells.h"

/* The number of a row of another table; TFP_NONE becomes NULL. */
static void put_row(const sql_row *row, sql_table_id table, uint32_t at, sql_cell *out)
{
    if (at != TFP_NONE) sql_put_int(out, (int64_t)row->in->base[table] + at);
}
static void put_step(const sql_row *row, uint32_t step, sql_cell *out)
{
    if (step != TFP_NONE) sql_put_int(out, tfp_executions_of(row->in->p)->steps.at[step].id);
}

/* ---- spans ---- */

static const tfp_span *own_span(const sql_row *row) /* the span of an execution; NULL: the row is one of a trace */
{
    return row->at < tfp_details_of(row->in->p)->spans.size ? &tfp_details_of(row->in->p)->spans.at[row->at] : NULL;
}
static uint32_t event_of(const sql_row *row) { return row->at - (uint32_t)tfp_details_of(row->in->p)->spans.size; }
static const tfp_span_columns *events_of(const sql_row *row) { return &tfp_events_of(row->in->p)->spans; }
static uint32_t owner_exec(const sql_row *row) { return row->in->owners[SQL_SPANS][row->at]; }
static uint32_t owner_node(const sql_row *row) { return row->in->owners[SQL_EXECUTIONS][owner_exec(row)]; }

void sql_span_execution(const sql_row *row, tfp_buf *b, sql_cell *out)
{
    (void)b;
    const tfp_span_columns *s = events_of(row);
    if (own_span(row)) {
        put_row(row, SQL_EXECUTIONS, owner_exec(row), out);
        return;
    }
    uint32_t at = event_of(row), node = s->node[at];
    if (node == TFP_NONE || s->step[at] == TFP_NONE) return;
    put_row(row, SQL_EXECUTIONS, tfp_node_exec(row->in->p, node, s->step[at]), out);
}
void sql_span_node(const sql_row *row, tfp_buf *b, sql_cell *out)
{
    (void)b;
    put_row(row, SQL_NODES, own_span(row) ? owner_node(row) : events_of(row)->node[event_of(row)], out);
}
void sql_span_step(const sql_row *row, tfp_buf *b, sql_cell *out)
{
    (void)b;
    const tfp_profile *p = row->in->p;
    put_step(row,
             own_span(row) ? tfp_executions_of(p)->execs.at[owner_exec(row)].step : events_of(row)->step[event_of(row)],
             out);
}
static uint32_t lane_of(const sql_row *row)
{
    const tfp_span *x = own_span(row);
    return x ? x->lane : events_of(row)->lane[event_of(row)];
}
void sql_span_lane(const sql_row *row, tfp_buf *b, sql_cell *out)
{
    (void)b;
    out->type = 's';
    out->s = tfp_text(row->in->p, tfp_lanes_of(row->in->p)->at[lane_of(row)].name);
}
void sql_span_lane_number(const sql_row *row, tfp_buf *b, sql_cell *out)
{
    (void)b;
    put_row(row, SQL_LANES, lane_of(row), out);
}
void sql_span_kind(const sql_row *row, tfp_buf *b, sql_cell *out)
{
    (void)b;
    if (own_span(row))
        sql_put_text(out, tfp_lane_kind_name(tfp_lanes_of(row->in->p)->at[lane_of(row)].kind));
    else
        sql_put_text(out, tfp_span_kind_name(events_of(row)->kind[event_of(row)]));
}
static int64_t start_of(const sql_row *row)
{
    const tfp_span *x = own_span(row);
    return x ? x->start_ns : events_of(row)->start_ns[event_of(row)];
}
static int64_t duration_of(const sql_row *row)
{
    const tfp_span *x = own_span(row);
    return x ? x->duration_ns : events_of(row)->duration_ns[event_of(row)];
}
void sql_span_start_us(const sql_row *row, tfp_buf *b, sql_cell *out)
{
    (void)b;
    sql_put_int(out, tfp_micros(start_of(row)));
}
void sql_span_duration_us(const sql_row *row, tfp_buf *b, sql_cell *out)
{
    (void)b;
    sql_put_int(out, tfp_micros(duration_of(row)));
}
void sql_span_start_ns(const sql_row *row, tfp_buf *b, sql_cell *out)
{
    (void)b;
    sql_put_int(out, start_of(row));
}
void sql_span_duration_ns(const sql_row *row, tfp_buf *b, sql_cell *out)
{
    (void)b;
    sql_put_int(out, duration_of(row));
}
void sql_span_name(const sql_row *row, tfp_buf *b, sql_cell *out)
{
    (void)b;
    const tfp_profile *p = row->in->p;
    sql_put_string(
        row, own_span(row) ? tfp_graph_of(p)->nodes.at[owner_node(row)].name : events_of(row)->name[event_of(row)],
        out);
}
void sql_span_class(const sql_row *row, tfp_buf *b, sql_cell *out)
{
    (void)b;
    if (own_span(row) || events_of(row)->kind[event_of(row)] != TFP_SPAN_ACTIVITY) return;
    sql_put_text(out, tfp_span_class_name(events_of(row)->class[event_of(row)]));
}
void sql_span_self_ns(const sql_row *row, tfp_buf *b, sql_cell *out)
{
    (void)b;
    if (own_span(row)) return;
    uint8_t kind = events_of(row)->kind[event_of(row)];
    if (kind != TFP_SPAN_OP && kind != TFP_SPAN_CALL && kind != TFP_SPAN_ACTIVITY) return;
    sql_put_int(out, events_of(row)->self_ns[event_of(row)]);
}
/* The number of another span of the trace. */
static void put_event(const sql_row *row, const uint32_t *column, sql_cell *out)
{
    uint32_t at = own_span(row) ? TFP_NONE : column[event_of(row)];
    if (at != TFP_NONE)
        sql_put_int(out, (int64_t)row->in->base[SQL_SPANS] + (int64_t)tfp_details_of(row->in->p)->spans.size + at);
}
void sql_span_parent(const sql_row *row, tfp_buf *b, sql_cell *out)
{
    (void)b;
    put_event(row, events_of(row)->parent, out);
}
void sql_span_launch(const sql_row *row, tfp_buf *b, sql_cell *out)
{
    (void)b;
    put_event(row, events_of(row)->launch, out);
}
void sql_span_owner(const sql_row *row, tfp_buf *b, sql_cell *out)
{
    (void)b;
    put_event(row, events_of(row)->owner, out);
}
void sql_span_trace(const sql_row *row, tfp_buf *b, sql_cell *out)
{
    (void)b;
    if (!own_span(row)) put_row(row, SQL_TRACES, events_of(row)->trace[event_of(row)], out);
}

/* ---- arguments: a row for each one of each span, in the order of spans ---- */

/* The span whose arguments contain a row: the last one that begins at or before it, because spans without arguments
 * come before. */
static uint32_t span_of(const sql_row *row)
{
    const uint32_t *first = row->in->args;
    uint32_t after;
    TFP_LOWER_BOUND(after, 1, tfp_events_of(row->in->p)->spans.size, first[after] <= row->at);
    return after - 1;
}
static const tfp_stat *stat_of(const sql_row *row)
{
    const tfp_event_tables *t = tfp_events_of(row->in->p);
    uint32_t span = span_of(row);
    return &t->stats.at[t->stat_sets.at[t->spans.stats[span]].first + (row->at - row->in->args[span])];
}
void sql_arg_span(const sql_row *row, tfp_buf *b, sql_cell *out)
{
    (void)b;
    sql_put_int(out,
                (int64_t)row->in->base[SQL_SPANS] + (int64_t)tfp_details_of(row->in->p)->spans.size + span_of(row));
}
void sql_arg_key(const sql_row *row, tfp_buf *b, sql_cell *out)
{
    (void)b;
    sql_put_string(row, stat_of(row)->key, out);
}
void sql_arg_value(const sql_row *row, tfp_buf *b, sql_cell *out)
{
    (void)b;
    const tfp_stat *s = stat_of(row);
    switch (s->type) {
    case TFP_STAT_INT: sql_put_int(out, s->value.number); break;
    case TFP_STAT_REAL:
        out->type = 'r';
        out->r = s->value.real;
        break;
    default: out->type = 's'; out->s = tfp_text(row->in->p, (tfp_strid)s->value.text);
    }
}

/* ---- processes, lanes ---- */

void sql_process_rank(const sql_row *row, tfp_buf *b, sql_cell *out)
{
    (void)b;
    int32_t rank = tfp_events_of(row->in->p)->processes.at[row->at].rank;
    if (rank >= 0) sql_put_int(out, rank);
}
void sql_process_ranks(const sql_row *row, tfp_buf *b, sql_cell *out)
{
    (void)b;
    int32_t count = tfp_events_of(row->in->p)->processes.at[row->at].rank_count;
    if (count > 0) sql_put_int(out, count);
}
void sql_process_file(const sql_row *row, tfp_buf *b, sql_cell *out)
{
    (void)b;
    const tfp_profile *p = row->in->p;
    uint32_t source = tfp_events_of(p)->processes.at[row->at].source;
    if (source < tfp_sources_of(p)->sources.size) sql_put_text(out, tfp_sources_of(p)->sources.at[source]);
}
void sql_lane_role(const sql_row *row, tfp_buf *b, sql_cell *out)
{
    static const char *const roles[] = { [TFP_ROLE_THREAD] = "thread",
                                         [TFP_ROLE_STREAM] = "stream",
                                         [TFP_ROLE_ASYNC] = "async",
                                         [TFP_ROLE_DERIVED] = "derived",
                                         [TFP_ROLE_COUNTER] = "counter" };
    (void)b;
    const tfp_lane *lane = &tfp_lanes_of(row->in->p)->at[row->at];
    if (lane->process != TFP_NONE) sql_put_text(out, roles[lane->role]);
}