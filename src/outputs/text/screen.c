// SPDX-License-Identifier: Apache-2.0
/* outputs/text/screen.c: the four views as an aligned table: a line that describes it, numbers in columns, and the share of the
 * first number with a bar. At a terminal names are cut to the width, and columns for which there is no room are left out and
 * named at the end; in a pipe nothing is cut. TensorFlow's form is outputs/text/text.c. */
#include "model/tables/doubts.h"
#include "model/tables/runs.h"
#include "options/options.h"
#include "views/core/labels.h"
#include "outputs/core/tensor_text.h"
#include "outputs/text/screen.h"
#include "views/core/kinds.h"
#include "views/core/report.h"
#include "views/core/texts.h"

#include <stdio.h>

enum { GAP = 2, NUMBER = 9, SHARE = 6, NAME_LEAST = 20, LABEL_LEAST = 8, LABEL_MOST = 40, WIDEST = 160 };

/* ---- columns ---- */

typedef struct number {
    tfp_column_id column;
    bool own; /* the row's own number instead of its total */
} number;

typedef struct screen {
    const tfp_report *r;
    number numbers[TFP_COLUMNS_MAX + 1];
    tfp_column_id labels[TFP_COLUMNS_MAX];
    size_t number_count, label_count;
    size_t all_numbers, all_labels;     /* also those that are left out */
    size_t widths[TFP_COLUMNS_MAX + 1]; /* of numbers */
    size_t name_width, label_widths[TFP_COLUMNS_MAX];
    bool bars; /* there is room for them */
    bool list; /* the op view: totals there are sums over the rest of the list, which mean nothing to people */
    tfp_buf cell, scratch;
} screen;

static const char *head_of(const screen *x, const number *n)
{
    const tfp_column *c = &tfp_columns[n->column];
    bool both = x->r->options->made.apart; /* where devices and their host have a time each */
    if (n->own) return "self";
    if (!both && n->column == TFP_C_ACCELERATOR_MICROS) return "device";
    if (!both && n->column == TFP_C_CPU_MICROS) return "host";
    return c->head ? c->head : c->name;
}

/* Labels are lists; a row's devices have another head than its time on them. */
static const char *head_of_label(tfp_column_id label)
{
    return label == TFP_C_DEVICE ? "devices" : tfp_columns[label].name;
}

static int64_t total_of(const screen *x, uint32_t row, tfp_value v)
{
    return x->list && row ? tfp_own(x->r, row, v) : tfp_total(x->r, row, v);
}

/* Host and accelerator times are shown if both exist: instead of their sum, or in addition to it (-compat tensorflow). */
static bool is_told(const screen *x, tfp_column_id c)
{
    bool part = c == TFP_C_CPU_MICROS || c == TFP_C_ACCELERATOR_MICROS;
    if (x->r->options->made.apart) return c != TFP_C_MICROS;
    if (!part || !tfp_selects(x->r->options, TFP_C_MICROS)) return true;
    return tfp_total(x->r, 0, TFP_V_ACCELERATOR_MICROS) > 0 && tfp_total(x->r, 0, TFP_V_CPU_MICROS) > 0;
}

static bool orders(const tfp_order *by, tfp_column_id c)
{
    return by->by == TFP_BY_COLUMN ? by->column == c : by->by >= 0 && tfp_value_of(&tfp_columns[c]) == by->by;
}

/* Moves the column that orders the rows to the front, followed by the row's own number. */
static void lead_with_order(screen *x)
{
    size_t at = 0;
    for (size_t i = 0; i < x->number_count; i++)
        if (orders(&x->r->options->order, x->numbers[i].column)) at = i;
    if (!x->number_count) return;
    number first = x->numbers[at];
    bool own = tfp_kinds[tfp_columns[first.column].kind].adds_up && !x->list;
    memmove(x->numbers + at, x->numbers + at + 1, (x->number_count - at - 1) * sizeof *x->numbers);
    memmove(x->numbers + 1 + own, x->numbers, (x->number_count - 1) * sizeof *x->numbers);
    x->numbers[0] = first;
    if (own) x->numbers[1] = (number){ first.column, true };
    x->number_count += own;
}

static void choose_columns(screen *x, const tfp_column_id *cells, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const tfp_column *c = &tfp_columns[cells[i]];
        if (!is_told(x, cells[i])) continue;
        if (!tfp_kinds[c->kind].number) {
            x->labels[x->label_count++] = cells[i];
            continue;
        }
        x->numbers[x->number_count++] = (number){ cells[i], false };
    }
    lead_with_order(x);
    for (size_t i = 0; i < x->number_count; i++) {
        size_t name = strlen(head_of(x, &x->numbers[i]));
        x->widths[i] = name > NUMBER ? name : NUMBER;
    }
    x->all_numbers = x->number_count;
    x->all_labels = x->label_count;
}

static bool has_share(const screen *x)
{
    return x->number_count && tfp_kinds[tfp_columns[x->numbers[0].column].kind].adds_up;
}

static size_t numbers_width(const screen *x)
{
    size_t n = has_share(x) ? SHARE + GAP + (x->bars ? TFP_BAR + GAP : 0) : 0;
    for (size_t i = 0; i < x->number_count; i++) n += x->widths[i] + GAP;
    return n;
}

static void put_name(screen *x, uint32_t row, tfp_buf *out)
{
    if (!x->list) tfp_screen_depth(x->r->tree->rows.at[row].depth, out);
    if (row)
        tfp_escape(out, tfp_screen_own_name(x->r, row));
    else
        tfp_buf_text(out, "(all)");
}

static void put_label(screen *x, uint32_t row, tfp_column_id label, tfp_buf *out)
{
    const tfp_row *y = &x->r->tree->rows.at[row];
    x->scratch.size = 0;
    if (label == TFP_C_DEVICE) tfp_labels_join_devices(x->r, row, &x->scratch);
    if (label == TFP_C_OP_TYPES) tfp_labels_join_op_types(x->r, row, &x->scratch);
    if (label == TFP_C_INPUT_SHAPES && y->node != TFP_NONE)
        tfp_node_input_shapes(x->r->profile, y->node, "|", &x->scratch);
    out->failed |= x->scratch.failed;
    tfp_escape(out, (tfp_str){ x->scratch.data, x->scratch.size });
}

static void put_real(screen *x, uint32_t row, const number *n, tfp_buf *out)
{
    double real;
    if (tfp_cell_number(x->r, row, n->column, !x->list || !row, &real))
        tfp_format_real(out, tfp_columns[n->column].unit, real);
}

static void put_sum(screen *x, uint32_t row, const number *n, tfp_buf *out)
{
    const tfp_column *c = &tfp_columns[n->column];
    tfp_value v = c->numbers[0].value;
    int64_t amount = n->own ? tfp_own(x->r, row, v) : total_of(x, row, v);
    if (n->own && !x->r->tree->rows.at[row].accounted) return;
    tfp_report_put_number(x->r, v, c->unit, amount, out);
}

static void (*const of_kind[TFP_COLUMN_KINDS])(screen *x, uint32_t row, const number *n, tfp_buf *out) = {
    [TFP_COLUMN_IS_SUM] = put_sum, [TFP_COLUMN_IS_RATIO] = put_real, [TFP_COLUMN_IS_STATISTIC] = put_real
};

static void put_number(screen *x, uint32_t row, const number *n, tfp_buf *out)
{
    of_kind[tfp_columns[n->column].kind](x, row, n, out);
}

static size_t longest_name(screen *x)
{
    size_t longest = 4;
    for (uint32_t i = 0; i < x->r->tree->rows.size; i++) {
        x->cell.size = 0;
        put_name(x, i, &x->cell);
        size_t n = tfp_screen_width((tfp_str){ x->cell.data, x->cell.size });
        if (n > longest) longest = n;
    }
    return longest;
}

static size_t longest_label(screen *x, tfp_column_id label)
{
    size_t longest = strlen(head_of_label(label));
    for (uint32_t i = 0; i < x->r->tree->rows.size; i++) {
        x->cell.size = 0;
        put_label(x, i, label, &x->cell);
        size_t n = tfp_screen_width((tfp_str){ x->cell.data, x->cell.size });
        if (n > longest) longest = n;
    }
    return longest;
}

/* A number too wide for the usual width widens its column. */
static void widen_numbers(screen *x)
{
    for (uint32_t row = 0; row < x->r->tree->rows.size; row++)
        for (size_t i = 0; i < x->number_count; i++) {
            x->cell.size = 0;
            put_number(x, row, &x->numbers[i], &x->cell);
            if (x->cell.size > x->widths[i]) x->widths[i] = x->cell.size;
        }
}

/* Leaves out labels first, then numbers, from the last; the number that orders the rows stays. */
static void leave_out(screen *x, size_t width)
{
    size_t kept = x->number_count > 1 && x->numbers[1].own ? 2 : 1;
    while (x->label_count && numbers_width(x) + NAME_LEAST + x->label_count * (GAP + LABEL_LEAST) > width)
        x->label_count--;
    while (x->number_count > kept && numbers_width(x) + NAME_LEAST > width) x->number_count--;
}

static size_t at_most(size_t n, size_t most) { return n < most ? n : most; }

/* The name gets the width that the numbers leave, minus a part for the labels, which follow it. */
static void measure(screen *x)
{
    size_t left = (size_t)x->r->options->to.screen, numbers;
    widen_numbers(x);
    if (!left) { /* no terminal: there is room for everything */
        x->bars = true;
        x->name_width = at_most(longest_name(x), WIDEST);
        for (size_t i = 0; i < x->label_count; i++)
            x->label_widths[i] = at_most(longest_label(x, x->labels[i]), WIDEST);
        return;
    }
    leave_out(x, left);
    x->bars = true;
    x->bars = numbers_width(x) + NAME_LEAST + x->label_count * (GAP + LABEL_MOST) <= left;
    numbers = numbers_width(x);
    left = left > numbers + NAME_LEAST ? left - numbers : NAME_LEAST;
    if (!x->label_count) {
        x->name_width = left;
        return;
    }
    size_t longest = longest_name(x), least = x->label_count * (GAP + LABEL_LEAST);
    size_t labels = x->label_count * (GAP + LABEL_MOST), half = left / 2 > least ? left / 2 : least;
    size_t for_labels = labels < half ? labels : half;
    if (left > longest && left - for_labels > longest) for_labels = left - longest;
    x->name_width = left - for_labels < longest ? left - for_labels : longest;
    for (size_t i = 0; i < x->label_count; i++) x->label_widths[i] = for_labels / x->label_count - GAP;
}

/* ---- lines ---- */

/* Fills up to the next column; a text wider than its column shifts the rest of its line. */
static void put_gap(tfp_buf *out, size_t at, size_t to) { tfp_buf_fill(out, ' ', (at < to ? to - at : 0) + GAP); }

static void put_right(tfp_buf *out, const tfp_buf *cell, size_t width)
{
    size_t n = tfp_screen_width((tfp_str){ cell->data, cell->size });
    if (n < width) tfp_buf_fill(out, ' ', width - n);
    tfp_buf_add(out, cell->data, cell->size);
    tfp_buf_fill(out, ' ', GAP);
}

static void put_share(screen *x, uint32_t row, tfp_buf *out)
{
    tfp_value v = (tfp_value)tfp_value_of(&tfp_columns[x->numbers[0].column]);
    int64_t all = tfp_total(x->r, 0, v);
    double share = all > 0 ? (double)total_of(x, row, v) / (double)all : 0;
    x->cell.size = 0;
    tfp_format_real(&x->cell, TFP_SHARE, share);
    put_right(out, &x->cell, SHARE);
    if (!x->bars) return;
    tfp_screen_bar(out, share, x->r->options->to.colours);
    tfp_buf_fill(out, ' ', GAP);
}

static void put_row(screen *x, uint32_t row, tfp_buf *out)
{
    for (size_t i = 0; i < x->number_count; i++) {
        x->cell.size = 0;
        put_number(x, row, &x->numbers[i], &x->cell);
        put_right(out, &x->cell, x->widths[i]);
        if (!i && has_share(x)) put_share(x, row, out);
    }
    x->cell.size = 0;
    put_name(x, row, &x->cell);
    if (x->r->options->to.screen) tfp_screen_cut_name(&x->cell, x->name_width);
    tfp_buf_add(out, x->cell.data, x->cell.size);
    for (size_t i = 0, at = tfp_screen_width((tfp_str){ x->cell.data, x->cell.size }), to = x->name_width;
         i < x->label_count; i++) {
        put_gap(out, at, to);
        x->cell.size = 0;
        put_label(x, row, x->labels[i], &x->cell);
        if (x->r->options->to.screen) tfp_screen_cut(&x->cell, x->label_widths[i]);
        tfp_buf_add(out, x->cell.data, x->cell.size);
        at = tfp_screen_width((tfp_str){ x->cell.data, x->cell.size });
        to = x->label_widths[i];
    }
    while (!out->failed && out->size && out->data[out->size - 1] == ' ') out->size--;
    tfp_buf_char(out, '\n');
    const tfp_row *y = &x->r->tree->rows.at[row];
    if (y->tensor != TFP_NONE) tfp_tensor_text(x->r->tree->tensors.at[y->tensor], out);
}

/* How many steps the mean leaves out. */
static size_t count_left(const tfp_report *r, size_t steps)
{
    bool *left = NULL;
    size_t count = 0;
    if (r->step.phase || !tfp_left_steps(r->profile, &left) || !left) return 0;
    for (size_t i = 0; i < tfp_executions_of(r->profile)->steps.size; i++) count += left[i];
    free(left);
    return count < steps ? count : 0;
}

static void put_mean(const tfp_report *r, size_t steps, tfp_buf *line)
{
    size_t left = count_left(r, steps);
    if (left)
        tfp_buf_printf(line, "mean of %zu of %zu steps", steps - left, steps);
    else
        tfp_buf_printf(line, "mean of %zu steps", steps);
}

/* The part of the recording that the rows cover. */
static void put_extent(const tfp_report *r, tfp_buf *line)
{
    const tfp_moments *range = &r->options->part.range;
    size_t steps = tfp_profile_step_count(r->profile);
    if (r->step.phase && r->step.which != TFP_STEP_ONE)
        tfp_buf_printf(line, "%s %s steps", r->step.which == TFP_STEP_ALL ? "all" : "mean of the",
                       r->options->part.phase);
    else if (r->step.which == TFP_STEP_ALL)
        tfp_buf_text(line, range->given ? "what was recorded" : "all that was recorded");
    else if (r->step.which == TFP_STEP_ONE)
        tfp_buf_printf(line, "step %lld", (long long)tfp_executions_of(r->profile)->steps.at[r->step.row].id);
    else if (steps > 1)
        put_mean(r, steps, line);
    else
        tfp_buf_text(line, steps ? "one step" : "no steps");
    if (!range->given) return;
    tfp_buf_text(line, " from ");
    tfp_format_real(line, TFP_MICROS, (double)range->from_ns / 1000);
    tfp_buf_text(line, " to ");
    if (range->to_ns == INT64_MAX)
        tfp_buf_text(line, "the end");
    else
        tfp_format_real(line, TFP_MICROS, (double)range->to_ns / 1000);
}

static const char *order_word(const tfp_order *o)
{
    if (o->by == TFP_V_ACCELERATOR_MICROS) return "device time";
    if (o->by == TFP_V_CPU_MICROS) return "host time";
    return o->head ? o->head : o->name;
}

/* One line that describes the table; `help COLUMN` explains the rest. */
static void put_doc(const screen *x, tfp_buf *out)
{
    const tfp_report *r = x->r;
    bool colours = r->options->to.colours;
    tfp_buf line = { 0 };
    tfp_buf_printf(&line, "%s, ", r->view);
    put_extent(r, &line);
    size_t shown = r->tree->rows.size - 1;
    tfp_buf_printf(&line, "; by %s; %zu", order_word(&r->options->order), shown);
    if (r->tree->left) tfp_buf_printf(&line, " of %zu", shown + r->tree->left);
    tfp_buf_printf(&line, " row%s", shown + r->tree->left == 1 ? "" : "s");
    if (r->tree->left) tfp_buf_text(&line, ", -top 0: all");
    if (r->options->to.screen) tfp_screen_cut(&line, (size_t)r->options->to.screen);
    if (colours) tfp_buf_text(out, TFP_DIM);
    tfp_buf_add(out, line.data, line.size);
    if (colours) tfp_buf_text(out, TFP_PLAIN);
    tfp_buf_text(out, "\n\n");
    out->failed |= line.failed;
    tfp_buf_free(&line);
}

/* "share of device" above the share and its bar, for times, which are of several kinds. */
static void put_share_head(screen *x, tfp_buf *out)
{
    tfp_column_id first = x->numbers[0].column;
    bool part = first == TFP_C_ACCELERATOR_MICROS || first == TFP_C_CPU_MICROS;
    size_t room = x->bars ? TFP_BAR + GAP : 0, from = out->size;
    x->cell.size = 0;
    tfp_buf_text(&x->cell, "share");
    put_right(out, &x->cell, SHARE);
    if (!room) return;
    from = out->size;
    if (part) out->size--; /* the blank of the gap is the one between the words */
    if (part) tfp_buf_text(out, first == TFP_C_ACCELERATOR_MICROS ? "of device" : "of host");
    tfp_buf_fill(out, ' ', room - (out->size - from));
}

static void put_header(screen *x, tfp_buf *out)
{
    if (x->r->options->to.colours) tfp_buf_text(out, TFP_BOLD);
    for (size_t i = 0; i < x->number_count; i++) {
        x->cell.size = 0;
        tfp_buf_text(&x->cell, head_of(x, &x->numbers[i]));
        put_right(out, &x->cell, x->widths[i]);
        if (i || !has_share(x)) continue;
        put_share_head(x, out);
    }
    tfp_buf_text(out, "name");
    for (size_t i = 0, at = 4, to = x->name_width; i < x->label_count; i++) {
        put_gap(out, at, to);
        x->cell.size = 0;
        tfp_buf_text(&x->cell, head_of_label(x->labels[i]));
        if (x->r->options->to.screen) tfp_screen_cut(&x->cell, x->label_widths[i]);
        tfp_buf_add(out, x->cell.data, x->cell.size);
        at = tfp_screen_width((tfp_str){ x->cell.data, x->cell.size });
        to = x->label_widths[i];
    }
    if (x->r->options->to.colours) tfp_buf_text(out, TFP_PLAIN);
    tfp_buf_char(out, '\n');
}

static void put_left_out(const screen *x, tfp_buf *out)
{
    const char *comma = "";
    if (x->number_count == x->all_numbers && x->label_count == x->all_labels) return;
    tfp_buf text = { 0 };
    tfp_buf_text(&text, "no room for ");
    for (size_t i = x->number_count; i < x->all_numbers; i++, comma = ", ")
        tfp_buf_printf(&text, "%s%s", comma, head_of(x, &x->numbers[i]));
    for (size_t i = x->label_count; i < x->all_labels; i++, comma = ", ")
        tfp_buf_printf(&text, "%s%s", comma, tfp_columns[x->labels[i]].name);
    tfp_buf_text(&text, TFP_NO_ROOM);
    tfp_screen_wrap(out, (tfp_str){ text.data, text.size }, 0, x->r->options->to.screen);
    tfp_buf_char(out, '\n');
    out->failed |= text.failed;
    tfp_buf_free(&text);
}

tfp_status tfp_screen_text(const tfp_report *r, const tfp_column_id *cells, size_t n, tfp_sink *s, tfp_error *err)
{
    screen x = { .r = r, .list = tfp_kind_of(r)->list };
    choose_columns(&x, cells, n);
    measure(&x);
    put_doc(&x, &s->buf);
    put_header(&x, &s->buf);
    for (uint32_t row = 0; row < r->tree->rows.size && !s->status; row++) {
        put_row(&x, row, &s->buf);
        tfp_sink_flush_if_full(s);
    }
    put_left_out(&x, &s->buf);
    bool failed = x.cell.failed || x.scratch.failed;
    tfp_buf_free(&x.cell);
    tfp_buf_free(&x.scratch);
    return failed ? tfp_nomem(err) : TFP_OK;
}
