// SPDX-License-Identifier: Apache-2.0
/* sql/cells.h: the functions that compute cells, for the columns of tables.c: `out` gets the cell of a row; a computed
 * text is stored in `b`. */
#ifndef TFP_SQL_CELLS_H
#define TFP_SQL_CELLS_H

#include "model/tables/read.h"
#include "sql/tables.h"
#include "sqlite/api.h"

/* Gives a cell to SQLite; `failed`: there was no memory for its text. */
void sql_give(const sql_api *a, sqlite3_context *context, const sql_cell *cell, bool failed);
/* The name in SQL of a type of columns here ('i', 'r', 's') or of a table (tfp_cell_type). */
const char *sql_type_name(char type);

static inline void sql_put_int(sql_cell *out, int64_t i)
{
    out->type = 'i';
    out->i = i;
}
static inline void sql_put_text(sql_cell *out, const char *text)
{
    out->type = 's';
    out->s = tfp_str_of(text);
}
/* A string of the profile; none is NULL. */
static inline void sql_put_string(const sql_row *row, tfp_strid id, sql_cell *out)
{
    if (!id) return;
    out->type = 's';
    out->s = tfp_text(row->in->p, id);
}

void sql_profile_nodes(const sql_row *row, tfp_buf *b, sql_cell *out);
void sql_profile_steps(const sql_row *row, tfp_buf *b, sql_cell *out);
void sql_profile_executions(const sql_row *row, tfp_buf *b, sql_cell *out);
void sql_node_parameters(const sql_row *row, tfp_buf *b, sql_cell *out);
void sql_node_shape(const sql_row *row, tfp_buf *b, sql_cell *out);
void sql_node_input_shapes(const sql_row *row, tfp_buf *b, sql_cell *out);
void sql_node_invented(const sql_row *row, tfp_buf *b, sql_cell *out);
void sql_edge_shape(const sql_row *row, tfp_buf *b, sql_cell *out);
void sql_output_shape(const sql_row *row, tfp_buf *b, sql_cell *out);
void sql_step_listed(const sql_row *row, tfp_buf *b, sql_cell *out);
void sql_exec_step(const sql_row *row, tfp_buf *b, sql_cell *out);
void sql_exec_runs(const sql_row *row, tfp_buf *b, sql_cell *out);
void sql_exec_run_us(const sql_row *row, tfp_buf *b, sql_cell *out);
void sql_exec_float_ops(const sql_row *row, tfp_buf *b, sql_cell *out);
void sql_span_execution(const sql_row *row, tfp_buf *b, sql_cell *out);
void sql_span_node(const sql_row *row, tfp_buf *b, sql_cell *out);
void sql_span_step(const sql_row *row, tfp_buf *b, sql_cell *out);
void sql_span_lane(const sql_row *row, tfp_buf *b, sql_cell *out);
void sql_span_kind(const sql_row *row, tfp_buf *b, sql_cell *out);
void sql_span_start_us(const sql_row *row, tfp_buf *b, sql_cell *out);
void sql_span_duration_us(const sql_row *row, tfp_buf *b, sql_cell *out);
void sql_span_name(const sql_row *row, tfp_buf *b, sql_cell *out);
void sql_span_class(const sql_row *row, tfp_buf *b, sql_cell *out);
void sql_span_start_ns(const sql_row *row, tfp_buf *b, sql_cell *out);
void sql_span_duration_ns(const sql_row *row, tfp_buf *b, sql_cell *out);
void sql_span_self_ns(const sql_row *row, tfp_buf *b, sql_cell *out);
void sql_span_parent(const sql_row *row, tfp_buf *b, sql_cell *out);
void sql_span_launch(const sql_row *row, tfp_buf *b, sql_cell *out);
void sql_span_owner(const sql_row *row, tfp_buf *b, sql_cell *out);
void sql_span_lane_number(const sql_row *row, tfp_buf *b, sql_cell *out);
void sql_span_trace(const sql_row *row, tfp_buf *b, sql_cell *out);
void sql_process_rank(const sql_row *row, tfp_buf *b, sql_cell *out);
void sql_process_ranks(const sql_row *row, tfp_buf *b, sql_cell *out);
void sql_process_file(const sql_row *row, tfp_buf *b, sql_cell *out);
void sql_lane_role(const sql_row *row, tfp_buf *b, sql_cell *out);
void sql_arg_span(const sql_row *row, tfp_buf *b, sql_cell *out);
void sql_arg_key(const sql_row *row, tfp_buf *b, sql_cell *out);
void sql_arg_value(const sql_row *row, tfp_buf *b, sql_cell *out);
void sql_counter_value(const sql_row *row, tfp_buf *b, sql_cell *out);
void sql_memory_node(const sql_row *row, tfp_buf *b, sql_cell *out);
void sql_memory_step(const sql_row *row, tfp_buf *b, sql_cell *out);
void sql_allocation_node(const sql_row *row, tfp_buf *b, sql_cell *out);
void sql_allocation_step(const sql_row *row, tfp_buf *b, sql_cell *out);
void sql_buffer_address(const sql_row *row, tfp_buf *b, sql_cell *out);
void sql_code_position(const sql_row *row, tfp_buf *b, sql_cell *out);
void sql_code_file(const sql_row *row, tfp_buf *b, sql_cell *out);
void sql_code_line(const sql_row *row, tfp_buf *b, sql_cell *out);
void sql_code_function(const sql_row *row, tfp_buf *b, sql_cell *out);
void sql_code_function_line(const sql_row *row, tfp_buf *b, sql_cell *out);
void sql_code_text(const sql_row *row, tfp_buf *b, sql_cell *out);
void sql_columns_table(const sql_row *row, tfp_buf *b, sql_cell *out);
void sql_columns_name(const sql_row *row, tfp_buf *b, sql_cell *out);
void sql_columns_type(const sql_row *row, tfp_buf *b, sql_cell *out);
void sql_columns_help(const sql_row *row, tfp_buf *b, sql_cell *out);

#endif
