// SPDX-License-Identifier: Apache-2.0
/* outputs/text/headline.c: a table whose first row is shown as a sentence, for people: that sentence, then the other rows with
 * the columns that answer the question, under heads in words. Programs get the whole table. */
#include "outputs/text/headline.h"
#include "options/options.h"
#include "outputs/text/screen.h"
#include "views/core/report.h"

enum { SHOWN = 4 };

static const struct {
    const char *name, *head;
} shown[SHOWN] = {
    { "scenario", "if" }, { "step_us", "a step" }, { "gain_us", "gain" }, { "gain_share", "of the step" }
};

/* A column without the rows before `skip`. */
static tfp_table_column below(const tfp_table_column *c, size_t skip, const char *head)
{
    tfp_table_column out = *c;
    out.name = head;
    out.ints = c->ints ? c->ints + skip : NULL;
    out.reals = c->reals ? c->reals + skip : NULL;
    out.texts = c->texts ? c->texts + skip : NULL;
    out.shorts = c->shorts ? c->shorts + skip : NULL;
    out.absent = c->absent ? c->absent + skip : NULL;
    return out;
}

static bool begins_with_today(const tfp_grid *g)
{
    const tfp_table_column *c = tfp_grid_find(g, shown[0].name);
    return c && c->type == 's' && g->row_count && tfp_str_eq(c->texts[0], TFP_STR("today"));
}

void tfp_headline_put(const tfp_report *r, tfp_buf *out)
{
    tfp_buf text = { 0 };
    tfp_escape(&text, tfp_str_of(r->headline));
    tfp_screen_wrap(out, (tfp_str){ text.data, text.size }, 0, r->options->to.screen);
    tfp_buf_char(out, '\n');
    out->failed |= text.failed;
    tfp_buf_free(&text);
}

bool tfp_headline_grid(const tfp_report *r, tfp_grid *out)
{
    size_t skip = begins_with_today(r->grid); /* -order_by may have moved the first row; it is then an ordinary row */
    *out = (tfp_grid){ .row_count = r->grid->row_count - skip };
    for (size_t i = 0; i < SHOWN; i++) {
        const tfp_table_column *c = tfp_grid_find(r->grid, shown[i].name);
        if (c && !tfp_push(&out->columns, below(c, skip, shown[i].head))) return false;
    }
    return true;
}
