// SPDX-License-Identifier: Apache-2.0
/* tfprof.c: the public functions that need no profile: escaping, and the tables of what the library can do. */
#include "flops/rules/shared/rule.h"
#include "options/columns.h"
#include "options/options.h"
#include "registry.h"
#include "views/core/notes.h"
#include "views/core/handle.h"
#include "views/core/view.h"

size_t tfp_text_escape(const char *text, size_t size, char *out, size_t room)
{
    tfp_str all = { text, text ? size : 0 };
    tfp_buf escaped = { 0 };
    if (!tfp_is_plain(all)) { /* plain text needs no memory, so even an out-of-memory message can be escaped */
        tfp_escape(&escaped, all);
        all = (tfp_str){ escaped.data, escaped.failed ? 0 : escaped.size };
    }
    tfp_text_give(all, out, room);
    size_t need = escaped.failed ? SIZE_MAX : all.size;
    tfp_buf_free(&escaped);
    return need;
}

int tfp_version_number(void) { return TFP_VERSION_NUMBER; }

/* ---- the tables ---- */

const char *tfp_list(tfp_table table, size_t i)
{
    size_t count = 0;
    tfp_order order;
    switch (table) {
    case TFP_VIEWS:
        while (tfp_views[count]) count++;
        return i < count ? tfp_views[i]->name : NULL;
    case TFP_OUTPUTS:
        while (tfp_outputs[count]) count++;
        return i < count ? tfp_outputs[i]->name : NULL;
    case TFP_FORMATS:
        while (tfp_formats[count]) count++;
        return i < count ? tfp_formats[i]->name : NULL;
    case TFP_CHECKERS: return tfp_checker_at(i) ? tfp_checker_at(i)->name : NULL;
    case TFP_ORDERS: return tfp_order_at(i, &order) ? order.name : NULL;
    case TFP_COLUMNS:
    case TFP_TRACE_COLUMNS: return i < (size_t)tfp_column_count ? tfp_columns[i].name : NULL;
    case TFP_OPTIONS: return tfp_option_name(i, false);
    case TFP_COMMAND_OPTIONS: return tfp_option_name(i, true);
    case TFP_OPS:
    case TFP_OP_SOURCES: return tfp_rule_name(i);
    case TFP_NOTES: return i < TFP_NOTE_CODES ? tfp_note_kinds[i].name : NULL;
    }
    return NULL;
}

static const char *order_help(const char *name)
{
    tfp_order order;
    for (size_t i = 0; tfp_order_at(i, &order); i++) {
        if (strcmp(order.name, name) != 0) continue;
        if (order.by == TFP_BY_NAME) return "By name, in byte order.";
        if (order.by == TFP_BY_OCCURRENCE) return "By the number of nodes, in the op and code views.";
        if (order.by == TFP_BY_TRAVERSAL) return "As the tree is walked.";
        if (order.by == TFP_BY_START) return "By the first start of the row or a row below, the earliest first.";
        return "By the column's total, the biggest first.";
    }
    return NULL;
}

static const char *op_help(const char *name, bool formula)
{
    const tfp_op_rule *r = tfp_rule_find(tfp_str_of(name));
    if (!r) return NULL;
    if (!r->count) return formula ? "no formula" : "nothing can be said about it";
    return formula ? r->formula : r->source;
}

static const char *column_help(const char *name, bool trace)
{
    int column = tfp_column_find(tfp_str_of(name));
    return column < 0 ? NULL : tfp_column_help(&tfp_columns[column], trace);
}

const char *tfp_help(tfp_table table, const char *name)
{
    if (!name) return NULL;
    switch (table) {
    case TFP_VIEWS: return tfp_view_find(name) ? tfp_view_find(name)->help : NULL;
    case TFP_OUTPUTS: return tfp_output_find(name) ? tfp_output_find(name)->help : NULL;
    case TFP_FORMATS: return tfp_format_find(name) ? tfp_format_find(name)->help : NULL;
    case TFP_CHECKERS:
        for (size_t i = 0; tfp_checker_at(i); i++)
            if (strcmp(tfp_checker_at(i)->name, name) == 0) return tfp_checker_at(i)->help;
        return NULL;
    case TFP_COLUMNS:
    case TFP_TRACE_COLUMNS: return column_help(name, table == TFP_TRACE_COLUMNS);
    case TFP_OPTIONS:
    case TFP_COMMAND_OPTIONS: return tfp_option_help(name);
    case TFP_ORDERS: return order_help(name);
    case TFP_OPS:
    case TFP_OP_SOURCES: return op_help(name, table == TFP_OPS);
    case TFP_NOTES:
        for (size_t i = 0; i < TFP_NOTE_CODES; i++)
            if (strcmp(tfp_note_kinds[i].name, name) == 0) return tfp_note_kinds[i].help;
        return NULL;
    }
    return NULL;
}
