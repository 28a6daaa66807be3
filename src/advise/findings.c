// SPDX-License-Identifier: Apache-2.0
/* advise/findings.c: the findings of `advise` as a table, for queries (sql/grids.c). It is no command: `advise` has the same cells. */
#include "advise/checker.h"
#include "options/options.h"
#include "views/core/grid.h"
#include "views/core/report.h"
#include "views/core/rows.h"

typedef struct finding_row {
    tfp_str name, file, command, text;
    double seconds, gain_seconds;
    int64_t span;
} finding_row;

/* clang-format off */
static const tfp_table_column columns[] = {
    TFP_COLUMN(finding_row, "name", TEXT, LABEL, name, "the rule or checker"),
    TFP_COLUMN(finding_row, "seconds", REAL, LABEL, seconds, "of a step: the time that it is about"),
    TFP_COLUMN(finding_row, "gain_seconds", REAL, LABEL, gain_seconds, "of a step: how much a remedy saves at most"),
    TFP_COLUMN(finding_row, "file", TEXT, LABEL, file, "where the span was recorded"),
    TFP_COLUMN(finding_row, "span", INT, LABEL, span, "-> spans, of a profile that is queried alone: the one to look at first"),
    TFP_COLUMN(finding_row, "command", TEXT, LABEL, command, "what shows more"),
    TFP_COLUMN(finding_row, "text", TEXT, LABEL, text, "the whole sentence"),
    { NULL, TFP_CELL_INT, TFP_LABEL, 0, NULL, 0 },
};
/* clang-format on */

static bool keep(tfp_report *r, tfp_str *text)
{
    const char *copy = tfp_arena_copy(&r->arena, *text);
    text->data = copy;
    return copy != NULL;
}

tfp_status tfp_checker_findings(const tfp_report *r, const struct tfp_limits *limits, tfp_report **out, tfp_error *err)
{
    tfp_options *o = tfp_options_new();
    if (!o) return tfp_nomem(err);
    bool same = r->trace && !r->runs && !r->marked && !r->cut && r->options->step.which == TFP_STEP_MEAN;
    if (same) { /* the same question of the same steps */
        o->made.facts = r->trace;
        o->made.limits = limits;
    }
    tfp_status s = tfp_checker_build(r, &tfp_view_advise, o, out, err);
    tfp_options_free(o);
    return s;
}

static tfp_status build(tfp_report *r, tfp_error *err)
{
    tfp_report *v = NULL;
    tfp_status s = tfp_checker_findings(r, NULL, &v, err);
    if (s) return s;
    finding_row *rows = TFP_NEW(&r->arena, finding_row, v->findings.size + 1);
    bool ok = rows != NULL;
    for (size_t i = 0; ok && i < v->findings.size; i++) {
        const tfp_finding *f = &v->findings.at[i];
        rows[i] = (finding_row){ .name = v->tree->rows.at[f->checker].name,
                                 .file = f->file,
                                 .command = f->command,
                                 .text = f->text,
                                 .seconds = f->seconds,
                                 .gain_seconds = f->gain_seconds,
                                 .span = f->evidence.span == TFP_NONE ? TFP_ABSENT : (int64_t)f->evidence.span };
        ok = keep(r, &rows[i].name) && keep(r, &rows[i].file) && keep(r, &rows[i].command) && keep(r, &rows[i].text);
    }
    size_t count = v->findings.size;
    tfp_report_free(v);
    return ok ? tfp_grid_of(r, &(tfp_row_table){ columns, rows, sizeof *rows, count, 0 }, err) : tfp_nomem(err);
}

const tfp_view tfp_view_findings = {
    "findings", "The findings of advise, a row each.", TFP_REPORT_GRID, NULL, NULL, build, 0, columns, "no findings",
};
