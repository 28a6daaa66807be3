// SPDX-License-Identifier: Apache-2.0
/* compare/families.c: `diff -view triage`: the device time of each family of kernels in each phase, a step and a token. Kernels of two
 * vendors or engines have no name in common, what they do for the model is the same. */
#include "compare/sides.h"
#include "options/options.h"
#include "query/groups.h"
#include "query/order.h"
#include "views/core/grid.h"
#include "views/core/report.h"

#include <math.h>

typedef struct family_row {
    tfp_str phase, family;
    int64_t ns[2];      /* sums of both sides */
    double us[2];       /* a step; NAN: the side has no such phase */
    double token_us[2]; /* NAN: unknown */
    double difference_us, ratio, order;
    uint32_t of; /* the phase's place */
} family_row;

typedef struct phase { /* of both sides */
    tfp_str name;
    double steps[2], tokens[2]; /* of all ranks; NAN: unknown */
} phase;

typedef struct families {
    tfp_report *r;
    tfp_report *sides[2];
    tfp_groups rows, phases;
} families;

/* clang-format off */
static const tfp_table_column columns[] = {
    TFP_COLUMN(family_row, "phase", TEXT, LABEL, phase, "The phase; empty: the traces have none."),
    TFP_COLUMN(family_row, "family", TEXT, LABEL, family, "What the kernels do for the model (triage)."),
    TFP_COLUMN(family_row, "left_us", REAL, MICROS, us[0], "Device time of a step on one rank, left."),
    TFP_COLUMN(family_row, "right_us", REAL, MICROS, us[1], "The same, right."),
    TFP_COLUMN(family_row, "difference_us", REAL, MICROS, difference_us, "Right less left."),
    TFP_COLUMN(family_row, "left_token_us", REAL, MICROS, token_us[0], "Device time of a token, left."),
    TFP_COLUMN(family_row, "right_token_us", REAL, MICROS, token_us[1], "The same, right."),
    TFP_COLUMN(family_row, "ratio", REAL, NUMBER, ratio, "Right by left, of a step."),
    { 0 },
};
/* clang-format on */

static const tfp_grid *part_of(const tfp_report *r, const char *name)
{
    for (size_t i = 0; i < r->parts.size; i++)
        if (strcmp(r->parts.at[i].name, name) == 0) return &r->parts.at[i].grid;
    return NULL;
}

static double cell(const tfp_grid *g, const char *name, size_t row)
{
    double x;
    return tfp_cell_real_at(tfp_grid_find(g, name), row, &x) ? x : NAN;
}

/* A text of a side's report in the memory of the answer; empty: absent. */
static tfp_str text_of(families *f, const tfp_grid *g, const char *name, size_t row)
{
    const tfp_table_column *c = tfp_grid_find(g, name);
    if (tfp_cell_absent(c, row)) return TFP_STR("");
    return (tfp_str){ tfp_arena_copy(tfp_arena_of(f->r), c->texts[row]), c->texts[row].size };
}

static phase *phase_of(families *f, tfp_str name)
{
    phase *p = TFP_GROUP(&f->phases, tfp_group_text(&f->phases, name));
    if (p && f->phases.added) *p = (phase){ .name = name, .steps = { NAN, NAN }, .tokens = { NAN, NAN } };
    return p;
}

/* "3 steps of 829 µs, 2413 tokens/s, busy 96 %" of each side. */
static bool say_head(families *f, const char *side, const tfp_report *from)
{
    for (size_t i = 0; i < from->facts.size; i++) {
        const tfp_fact *fact = &from->facts.at[i];
        if (!fact->label || strcmp(fact->name, "files") == 0 || strcmp(fact->name, "command") == 0) continue;
        if (fact->type != TFP_CELL_TEXT) continue;
        tfp_buf label = { 0 };
        tfp_buf_printf(&label, "%s, %s", fact->label, side);
        const char *name = tfp_buf_move(&label, tfp_arena_of(f->r)).data;
        tfp_str text = { tfp_arena_copy(tfp_arena_of(f->r), fact->text), fact->text.size };
        if (!name || !text.data || !tfp_fact_text(f->r, name, name, text)) return false;
    }
    return true;
}

static bool add_side(families *f, size_t side)
{
    const tfp_report *from = f->sides[side];
    const tfp_grid *head = part_of(from, "head"), *kernels = from->grid;
    for (size_t i = 0; i < head->row_count; i++) {
        phase *p = phase_of(f, text_of(f, head, "phase", i));
        if (!p) return false;
        double ranks = cell(head, "ranks", i);
        p->steps[side] = cell(head, "steps", i) * ranks;
        p->tokens[side] = cell(head, "tokens", i) * ranks;
    }
    const tfp_table_column *device = tfp_grid_find(kernels, "device_us");
    for (size_t i = 0; i < kernels->row_count; i++) {
        tfp_str name = text_of(f, kernels, "phase", i), family = text_of(f, kernels, "family", i);
        phase *p = phase_of(f, name);
        family_row *row = TFP_GROUP(&f->rows, tfp_group_text(&f->rows, name), tfp_group_text(&f->rows, family));
        if (!p || !row) return false;
        if (f->rows.added) *row = (family_row){ .phase = name, .family = family, .of = tfp_group_index(&f->phases, p) };
        double us = 0;
        tfp_cell_real_at(device, i, &us);
        row->ns[side] = tfp_add(row->ns[side], (int64_t)(us * 1000 + .5), NULL);
    }
    return true;
}

static void finish(families *f)
{
    const phase *phases = f->phases.rows;
    for (size_t i = 0; i < f->rows.count; i++) {
        family_row *row = (family_row *)f->rows.rows + i;
        const phase *p = &phases[row->of];
        for (int side = 0; side < 2; side++) {
            double us = (double)row->ns[side] / 1000;
            row->us[side] = p->steps[side] > 0 ? us / p->steps[side] : NAN;
            row->token_us[side] = p->tokens[side] > 0 ? us / p->tokens[side] : NAN;
        }
        row->difference_us = row->us[1] - row->us[0];
        row->ratio = row->us[0] > 0 ? row->us[1] / row->us[0] : NAN;
        row->order = fabs(row->difference_us);
        if (isnan(row->order)) row->order = 0;
        if (!row->phase.size) row->phase = (tfp_str){ NULL, 0 };
    }
}

static tfp_status build_side(families *f, const tfp_side *side, tfp_report **out, tfp_error *err)
{
    if (side->text) return tfp_fail(err, TFP_BADARG, "%s: a text has no kernels", side->label);
    tfp_options *o = tfp_options_copy(f->r->options);
    tfp_status s = o ? tfp_options_set(o, "format", "json", err) : tfp_nomem(err);
    if (!s) s = tfp_options_set(o, "min_share", "0", err);
    if (!s && side->step.which == TFP_STEP_ONE) o->step = side->step;
    if (!s) s = tfp_options_set(o, "top", "0", err);
    if (!s) s = tfp_view_build(side->profile, &tfp_view_triage, o, out, err);
    tfp_options_free(o);
    return s;
}

tfp_status tfp_diff_families(tfp_report *r, const tfp_sides *sides, tfp_error *err)
{
    static const tfp_sort_key biggest_first[] = {
        TFP_UP(family_row, of), TFP_DOWN(family_row, order), TFP_UP(family_row, family), { 0 }
    };
    families f = { .r = r, .rows.row_size = sizeof(family_row), .phases.row_size = sizeof(phase) };
    if (sides->at.size != 2)
        return tfp_fail(err, TFP_BADARG, "-view triage compares two sides, not %zu", sides->at.size);
    bool swap = r->options->sides.swap_files;
    tfp_status s = TFP_OK;
    for (size_t i = 0; i < 2 && !s; i++) {
        const tfp_side *side = &sides->at.at[swap ? 1 - i : i];
        const char *name = side->name ? side->name : i ? "right" : "left";
        s = build_side(&f, side, &f.sides[i], err);
        if (!s && (!add_side(&f, i) || !say_head(&f, name, f.sides[i]))) s = tfp_nomem(err);
    }
    if (!s) finish(&f);
    size_t count;
    family_row *rows = tfp_groups_end(&f.rows, tfp_arena_of(r), biggest_first, &count);
    if (!s) s = rows ? tfp_grid_of(r, &(tfp_row_table){ columns, rows, sizeof *rows, count, 0 }, err) : tfp_nomem(err);
    tfp_groups_free(&f.phases);
    tfp_report_free(f.sides[0]);
    tfp_report_free(f.sides[1]);
    return s;
}
