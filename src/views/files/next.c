// SPDX-License-Identifier: Apache-2.0
/* views/files/next.c: suggests what to ask next about a profile: a table of conditions, commands and the questions that
 * they answer. */
#include "model/files/allocator.h"
#include "model/tables/events.h"
#include "model/tables/graph.h"
#include "model/tables/read.h"
#include "model/tables/runs.h"
#include "model/tables/samples.h"
#include "model/tables/sources.h"
#include "options/units.h"
#include "views/core/engine.h"
#include "views/core/grid.h"
#include "views/core/handle.h"
#include "views/core/view.h"
#include "views/files/info.h"
#include "views/flops/instructions.h"

typedef struct next_row {
    tfp_str command, answers;
} next_row;

/* clang-format off */
static const tfp_table_column next_columns[] = {
    TFP_COLUMN(next_row, "answers", TEXT, LABEL, answers, "The question that it answers."),
    TFP_COLUMN(next_row, "command", TEXT, LABEL, command, "A command for these files."), /* last: it may be long */
    { NULL, TFP_CELL_INT, TFP_LABEL, 0, NULL, 0 },
};
/* clang-format on */

/* Writes the files as arguments of a command, quoted for a shell. */
static void put_files(const tfp_profile *p, tfp_buf *b)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=,+@%";
    size_t shown = 0;
    for (size_t i = 0; i < tfp_sources_of(p)->sources.size; i++) {
        const char *path = tfp_sources_of(p)->sources.at[i];
        bool in_folder = i && !tfp_sources_of(p)->formats.at[0]; /* a folder comes first, followed by its files */
        if (in_folder) continue;
        if (shown++ >= 3 || path[strspn(path, plain)] || !*path || *path == '-') {
            tfp_buf_text(b, " FILE...");
            return;
        }
        tfp_buf_printf(b, " %s", path);
    }
}

static bool always(const tfp_profile *p)
{
    (void)p;
    return true;
}
static bool has_memory(const tfp_profile *p) { return tfp_allocator_of(p)->devices.size != 0; }
static bool has_stacks(const tfp_profile *p) { return tfp_ran_any(p) && tfp_profile_has(p, TFP_HAS_STACKS); }
static bool has_stacks_of_lines(const tfp_profile *p) { return has_stacks(p) && !tfp_lines_are_functions(p); }
static bool has_stacks_of_functions(const tfp_profile *p) { return has_stacks(p) && tfp_lines_are_functions(p); }
static bool has_samples(const tfp_profile *p) { return tfp_samples_of(p)->samples.size != 0; }
static bool has_trace_of_operations(const tfp_profile *p) { return tfp_has(p, TFP_HAS_TRACE) && tfp_ran_any(p); }
static bool has_trace_of_another_program(const tfp_profile *p) { return tfp_has(p, TFP_HAS_TRACE) && !tfp_ran_any(p); }
static bool has_program(const tfp_profile *p) { return tfp_has(p, TFP_HAS_PROGRAM); }
static bool has_instructions(const tfp_profile *p) { return !has_program(p) && tfp_has_instructions(p); }
static bool has_tensors(const tfp_profile *p) { return tfp_has(p, TFP_HAS_TENSORS); }
/* A folder of so many traces is read better by commands that keep them apart. */
static bool has_many_traces(const tfp_profile *p)
{
    enum { MANY = 100 };
    return tfp_has(p, TFP_HAS_TRACE) && tfp_sources_of(p)->sources.size > 1 + MANY && !tfp_sources_of(p)->formats.at[0];
}
static bool has_many_traces_of_operations(const tfp_profile *p) { return has_many_traces(p) && tfp_ran_any(p); }
static bool has_rows(const tfp_profile *p) { return tfp_graph_of(p)->nodes.size || tfp_events_of(p)->spans.size; }

static const struct {
    bool (*fits)(const tfp_profile *p);
    bool of_parameters; /* only if the files have parameters */
    const char *command, *answers;
} next_commands[] = {
    { has_memory, false, "memory", "who held memory at the peak, what did not fit?" },
    { tfp_ran_any, false, "summary", "where does a step go, and what could be better?" },
    { tfp_ran_any, false, "op -order_by micros -top 10", "which operations take longest?" },
    { has_stacks_of_functions, false, "lines", "which functions of your code?" },
    { has_stacks_of_lines, false, "lines", "which lines of your code?" },
    { has_samples, false, "calls", "which functions, by what called them?" },
    { has_samples, false, "lines", "which lines of your code?" },
    { has_trace_of_another_program, false, "calls -order_by micros", "what took how long, by what it ran in?" },
    { has_trace_of_another_program, false, "calls -format speedscope > calls.json",
      "the same as a flame graph (speedscope.app)" },
    { has_trace_of_another_program, false, "serve", "when did it run?" },
    { has_trace_of_operations, false, "steps", "is the device busy?" },
    { has_program, false, "flops", "how many float operations?" },
    { has_instructions, false, "flops", "how many float operations, and how fast?" },
    { always, true, "params", "which parameters, in which blocks, trained or not?" },
    { has_tensors, false, "scope -select params,tensor_value", "what is in the variables?" },
    { has_many_traces, false, "index -o tables", "how do the traces compare, each by itself, in SQL?" },
    { has_many_traces_of_operations, false, "serve", "all of it as pages in the browser" },
    { has_rows, false, "report -o report.html", "all of it as a page in one file" },
};
#define NEXT_COMMANDS (sizeof next_commands / sizeof *next_commands)

static bool put_next(tfp_report *r, next_row *row, const char *command, const char *answers)
{
    tfp_buf b = { 0 };
    size_t verb = strcspn(command, " ");
    tfp_buf_printf(&b, "tfprof %.*s", (int)verb, command);
    put_files(tfp_profile_of(r), &b);
    tfp_buf_text(&b, command + verb);
    *row = (next_row){ tfp_buf_move(&b, tfp_arena_of(r)), tfp_str_of(answers) };
    return row->command.data != NULL;
}

tfp_status tfp_info_next(tfp_report *r, bool parameters, tfp_error *err)
{
    next_row rows[NEXT_COMMANDS];
    size_t n = 0;
    for (size_t i = 0; i < NEXT_COMMANDS; i++)
        if (next_commands[i].fits(tfp_profile_of(r)) && (parameters || !next_commands[i].of_parameters) &&
            !put_next(r, &rows[n++], next_commands[i].command, next_commands[i].answers))
            return tfp_nomem(err);
    if (!n) return TFP_OK;
    tfp_row_table next = { next_columns, rows, sizeof *rows, n, 0 };
    tfp_grid *g = tfp_grid_part_add(r, "next", "what to ask next");
    if (!g) return tfp_nomem(err);
    g->sentences = true;
    return tfp_grid_fill(r, g, &next, err);
}
