// SPDX-License-Identifier: Apache-2.0
/* sql/cells.c: cells of queries that are not simply a field of a row: names by number, sums, shapes, steps of
 * executions. */
#include "sql/cells.h"

#include "flops/core/parameters.h"
#include "model/tables/code.h"
#include "model/tables/details.h"
#include "model/tables/graph.h"
#include "model/tables/runs.h"
#include "views/core/handle.h"
#include "views/core/texts.h"

void sql_give(const sql_api *a, sqlite3_context *context, const sql_cell *cell, bool failed)
{
    if (failed)
        a->result_error_nomem(context);
    else if (cell->type == 'i')
        a->result_int64(context, cell->i);
    else if (cell->type == 'r')
        a->result_double(context, cell->r);
    else if (!cell->type)
        a->result_null(context);
    else if (cell->s.size > INT32_MAX)
        a->result_error_toobig(context);
    else
        a->result_text(context, cell->s.data ? cell->s.data : "", (int)cell->s.size,
                       cell->made ? SQLITE_TRANSIENT : SQLITE_STATIC);
}

const char *sql_type_name(char type)
{
    switch (type) {
    case 'i':
    case 'b': return "integer";
    case 'r':
    case 'n': return "real";
    case 's': return "text";
    default: return "any";
    }
}

/* The text that was appended to the buffer; an empty one is NULL. */
static void put_made(sql_cell *out, const tfp_buf *text)
{
    if (!text->size) return;
    out->type = 's';
    out->made = true;
    out->s = (tfp_str){ text->data, text->size };
}

static uint32_t owner_of(const sql_row *row, sql_table_id table) { return row->in->owners[table][row->at]; }

static int64_t number(const sql_row *row, sql_table_id table, uint32_t at)
{
    return (int64_t)row->in->base[table] + at;
}

static void row_count(const sql_row *row, sql_cell *out, sql_table_id table)
{
    const sql_source *last = row->d->sources + row->d->count - 1;
    uint32_t end = row->in == last ? row->d->rows[table] : row->in[1].base[table];
    sql_put_int(out, (int64_t)end - row->in->base[table]);
}

void sql_profile_nodes(const sql_row *row, tfp_buf *b, sql_cell *out)
{
    (void)b;
    row_count(row, out, SQL_NODES);
}

void sql_profile_steps(const sql_row *row, tfp_buf *b, sql_cell *out)
{
    (void)b;
    row_count(row, out, SQL_STEPS);
}

void sql_profile_executions(const sql_row *row, tfp_buf *b, sql_cell *out)
{
    (void)b;
    row_count(row, out, SQL_EXECUTIONS);
}

void sql_node_parameters(const sql_row *row, tfp_buf *b, sql_cell *out)
{
    (void)b;
    const tfp_parameter_counts *c = row->in->parameters;
    sql_put_int(out, c ? c->own[row->at] : tfp_node_parameters(row->in->p, row->at, NULL));
}

void sql_node_shape(const sql_row *row, tfp_buf *b, sql_cell *out)
{
    tfp_shape_text(row->in->p, tfp_graph_of(row->in->p)->nodes.at[row->at].shape, b);
    put_made(out, b);
}

void sql_node_input_shapes(const sql_row *row, tfp_buf *b, sql_cell *out)
{
    tfp_node_input_shapes(row->in->p, row->at, "|", b);
    put_made(out, b);
}

void sql_node_invented(const sql_row *row, tfp_buf *b, sql_cell *out)
{
    (void)b;
    sql_put_int(out, (tfp_graph_of(row->in->p)->nodes.at[row->at].flags & TFP_NODE_INVENTED) != 0);
}

void sql_edge_shape(const sql_row *row, tfp_buf *b, sql_cell *out)
{
    const tfp_profile *p = row->in->p;
    tfp_shape_text(p, tfp_input_shape(p, &tfp_graph_of(p)->inputs.at[row->at]), b);
    put_made(out, b);
}

void sql_output_shape(const sql_row *row, tfp_buf *b, sql_cell *out)
{
    tfp_shape_text(row->in->p, tfp_graph_of(row->in->p)->outputs.at[row->at].shape, b);
    put_made(out, b);
}

/* ---- executions and their parts ---- */

static void put_step(const sql_row *row, uint32_t exec, sql_cell *out)
{
    sql_put_int(out, tfp_executions_of(row->in->p)->steps.at[tfp_executions_of(row->in->p)->execs.at[exec].step].id);
}

void sql_exec_step(const sql_row *row, tfp_buf *b, sql_cell *out)
{
    (void)b;
    put_step(row, row->at, out);
}

void sql_exec_runs(const sql_row *row, tfp_buf *b, sql_cell *out)
{
    (void)b;
    sql_put_int(out, tfp_exec_runs(&tfp_executions_of(row->in->p)->execs.at[row->at]));
}

void sql_exec_run_us(const sql_row *row, tfp_buf *b, sql_cell *out)
{
    (void)b;
    const tfp_exec *x = &tfp_executions_of(row->in->p)->execs.at[row->at];
    sql_put_int(out, tfp_micros(tfp_add(x->cpu_ns, x->accelerator_ns, NULL)));
}

void sql_exec_float_ops(const sql_row *row, tfp_buf *b, sql_cell *out)
{
    (void)b;
    const tfp_profile *p = row->in->p;
    sql_put_int(out, tfp_mul(tfp_graph_of(p)->nodes.at[owner_of(row, SQL_EXECUTIONS)].float_ops,
                             tfp_exec_runs(&tfp_executions_of(p)->execs.at[row->at]), NULL));
}

/* The node and the step of a row that belongs to an execution. */
static void put_node_of(const sql_row *row, sql_table_id table, sql_cell *out)
{
    sql_put_int(out, number(row, SQL_NODES, row->in->owners[SQL_EXECUTIONS][owner_of(row, table)]));
}

void sql_memory_node(const sql_row *row, tfp_buf *b, sql_cell *out)
{
    (void)b;
    put_node_of(row, SQL_MEMORY, out);
}

void sql_memory_step(const sql_row *row, tfp_buf *b, sql_cell *out)
{
    (void)b;
    put_step(row, owner_of(row, SQL_MEMORY), out);
}

void sql_allocation_node(const sql_row *row, tfp_buf *b, sql_cell *out)
{
    (void)b;
    put_node_of(row, SQL_ALLOCATIONS, out);
}

void sql_allocation_step(const sql_row *row, tfp_buf *b, sql_cell *out)
{
    (void)b;
    put_step(row, owner_of(row, SQL_ALLOCATIONS), out);
}

void sql_buffer_address(const sql_row *row, tfp_buf *b, sql_cell *out)
{
    tfp_buf_printf(b, "0x%llx", (unsigned long long)tfp_details_of(row->in->p)->buffers.at[row->at].address);
    put_made(out, b);
}

/* ---- code ---- */

static const tfp_code_frame *frame_of(const sql_row *row)
{
    return &tfp_code_of(row->in->p)->frames.at[tfp_code_of(row->in->p)->trace_frames.at[row->at]];
}

void sql_code_position(const sql_row *row, tfp_buf *b, sql_cell *out)
{
    (void)b;
    sql_put_int(out, (int64_t)row->at - tfp_code_of(row->in->p)->traces.at[owner_of(row, SQL_CODE)].first);
}

void sql_code_file(const sql_row *row, tfp_buf *b, sql_cell *out)
{
    (void)b;
    sql_put_string(row, frame_of(row)->file, out);
}

void sql_code_line(const sql_row *row, tfp_buf *b, sql_cell *out)
{
    (void)b;
    sql_put_int(out, frame_of(row)->line);
}

void sql_code_function(const sql_row *row, tfp_buf *b, sql_cell *out)
{
    (void)b;
    sql_put_string(row, frame_of(row)->function, out);
}

void sql_code_function_line(const sql_row *row, tfp_buf *b, sql_cell *out)
{
    (void)b;
    sql_put_int(out, frame_of(row)->function_line);
}

void sql_code_text(const sql_row *row, tfp_buf *b, sql_cell *out)
{
    (void)b;
    sql_put_string(row, frame_of(row)->text, out);
}
