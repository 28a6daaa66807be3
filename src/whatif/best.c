// SPDX-License-Identifier: Apache-2.0
/* whatif/best.c: without a change that is asked for, the ten single ones that help most. */
#include "views/core/report.h"
#include "views/core/grid.h"
#include "whatif/change.h"

enum { OPS = 20, ROWS = 10 };

typedef struct op_time {
    tfp_strid name;
    double time;
} op_time;

static bool longer(const void *ctx, uint32_t a, uint32_t b)
{
    const op_time *o = ctx;
    return o[a].time > o[b].time;
}

static bool add_time(op_time *ops, uint32_t *count, tfp_map64 *known, tfp_strid name, double time)
{
    uint32_t at = tfp_map64_get(known, name);
    if (at == TFP_NONE) {
        at = (*count)++;
        ops[at].name = name;
        if (!tfp_map64_put(known, name, at)) return false;
    }
    ops[at].time += time;
    return true;
}

/* By the name of the op that launched it; without a device by host ops. */
static bool collect(const tfp_job *j, op_time *ops, uint32_t *count)
{
    tfp_map64 known = { 0 };
    bool ok = true;
    for (uint32_t i = 0; ok && i < j->device_count; i++) {
        const tfp_job_activity *a = &j->activities[i];
        uint32_t owner = j->s->owner[a->span];
        double time = a->joint == TFP_NONE ? a->duration : j->joints.at[a->joint].pure;
        if (owner != TFP_NONE) ok = add_time(ops, count, &known, j->s->name[owner], time);
    }
    for (uint32_t i = 0; ok && !j->device_count && i < j->s->size; i++)
        if (j->s->kind[i] == TFP_SPAN_OP) ok = add_time(ops, count, &known, j->s->name[i], (double)j->s->self_ns[i]);
    tfp_map64_free(&known);
    return ok;
}

/* A name as a pattern that has only it. */
static tfp_str pattern_of(tfp_whatif *w, tfp_str name)
{
    tfp_buf b = { 0 };
    tfp_buf_text(&b, "faster ");
    for (size_t i = 0; i < name.size; i++) {
        if (memchr("\\.+*?()[]{}|^$", name.data[i], 14)) tfp_buf_char(&b, '\\');
        tfp_buf_char(&b, name.data[i]);
    }
    tfp_buf_text(&b, "=2");
    char *text = b.failed ? NULL : tfp_arena_copy(&w->r->arena, (tfp_str){ b.data, b.size });
    tfp_str out = { text, text ? b.size : 0 };
    tfp_buf_free(&b);
    return out;
}

static bool try_ops(tfp_whatif *w)
{
    const tfp_job *j = &w->job;
    size_t most = j->p->strings.count + 1;
    op_time *ops = calloc(most, sizeof *ops);
    uint32_t *order = malloc(most * sizeof *order), count = 0;
    bool ok = ops && order && collect(j, ops, &count);
    for (uint32_t i = 0; ok && i < count; i++) order[i] = i;
    ok = ok && tfp_sort(order, count, longer, ops);
    for (uint32_t i = 0; ok && i < count && i < OPS; i++) {
        tfp_faster f = { .factor = 2, .rank = -1 };
        tfp_strid name = ops[order[i]].name;
        tfp_named_of(j, name, &f.named);
        tfp_variant_reset(j, &w->v);
        ok = tfp_apply_faster(&w->changer, &f);
        tfp_named_free(&f.named);
        tfp_str scenario = pattern_of(w, tfp_text(j->p, name));
        ok = ok && scenario.data && tfp_whatif_row_add(w, scenario);
    }
    free(ops);
    free(order);
    return ok;
}

static bool try_one(tfp_whatif *w, const char *typed)
{
    tfp_change change;
    tfp_str rest = tfp_str_of(typed);
    const tfp_change *no_match;
    return !tfp_change_next(&rest, &change) ||
           (tfp_whatif_apply(w, &change, 1, &no_match) && tfp_whatif_row_add(w, change.typed));
}

static bool gains_more(const void *ctx, uint32_t a, uint32_t b)
{
    const tfp_whatif_row *rows = ctx;
    if (a == 0 || b == 0) return a == 0 && b != 0; /* today stays first */
    return rows[a].gain_us > rows[b].gain_us;
}

tfp_status tfp_whatif_best(tfp_whatif *w, tfp_error *err)
{
    bool device = w->job.device_count > 0;
    bool ok = try_ops(w) && (!device || (try_one(w, "no-sync") && try_one(w, "overlap comm") && try_one(w, "launch 0"))) &&
              try_one(w, "input 0") && (w->job.unit_count < 2 || try_one(w, "ideal stragglers"));
    tfp_whatif_row *sorted =
        ok ? tfp_rows_sorted(&w->r->arena, w->rows.at, sizeof *w->rows.at, w->rows.size, gains_more) : NULL;
    if (!sorted) return tfp_nomem(err);
    if (w->rows.size > ROWS + 1) w->rows.size = ROWS + 1;
    memcpy(w->rows.at, sorted, w->rows.size * sizeof *sorted);
    return TFP_OK;
}
