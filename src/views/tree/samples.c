// SPDX-License-Identifier: Apache-2.0
/* views/tree/samples.c: `code` and `calls` of sampled stacks (pprof). A row's own number is what was sampled with its function
 * on top; the kind of sample decides the column. In: tfp_profile.samples and their stacks. */
#include "model/span_names.h"
#include "model/tables/about.h"
#include "model/tables/code.h"
#include "model/tables/events.h"
#include "model/tables/read.h"
#include "model/tables/samples.h"
#include "model/tables/stats.h"
#include "options/options.h"
#include "views/core/statistics.h"
#include "views/core/engine.h"
#include "views/core/notes.h"
#include "views/core/own_frame.h"
#include "views/core/report.h"
#include "views/core/view.h"
#include "views/tree/trace_tree.h"

typedef struct sampled {
    tfp_trace_tree tree;
    const tfp_profile *p;
    tfp_arena arena;
    bool lines; /* rows are lines, not functions */
    uint32_t type,
        counts;      /* indexes in sample types: the one that is shown, and the one that counts runs; TFP_NONE: none */
    tfp_value value; /* the column that `type` fills */
    int64_t times;   /* times: factor from the unit of `type` to the column's unit */
    uint32_t *item_of;  /* for each trace; 0: none yet */
    tfp_strid *name_of; /* for each frame, a name of the tree; TFP_NONE: none yet */
    tfp_strid label;    /* -sample_label: the key; TFP_NONE: no sample has it, or none was given */
    tfp_str label_value;
    tfp_buf text;
    uint8_t *waits; /* for each trace: a tfp_waiting_stack */
    size_t left_out;
} sampled;

/* A stack that waits on another thread than the main one does no work. */
typedef enum waiting_stack { NOT_LOOKED_AT, WORKS, WAITS } waiting_stack;

/* ---- which column ---- */

static const struct {
    const char *unit;
    tfp_value value;
    int64_t times;
} units[] = {
    { "nanoseconds", TFP_V_CPU_MICROS, 1 },
    { "microseconds", TFP_V_CPU_MICROS, 1000 },
    { "milliseconds", TFP_V_CPU_MICROS, 1000000 },
    { "seconds", TFP_V_CPU_MICROS, 1000000000 },
    { "bytes", TFP_V_BYTES, 1 },
    { "byte", TFP_V_BYTES, 1 },
    { "kilobytes", TFP_V_BYTES, 1 << 10 },
    { "megabytes", TFP_V_BYTES, 1 << 20 },
};

/* A type with the name of a column, as tfprof writes them, uses that column; for others the unit decides. */
static void find_column(sampled *x)
{
    const tfp_sample_type *t = &tfp_samples_of(x->p)->sample_types.at[x->type];
    tfp_str type = tfp_text(x->p, t->type), unit = tfp_text(x->p, t->unit);
    x->value = TFP_V_RUNS;
    x->times = 1;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (tfp_str_eq(unit, tfp_str_of(units[i].unit))) {
            x->value = units[i].value;
            x->times = units[i].times;
        }
    for (int i = 0; i < tfp_column_count; i++) {
        int value = tfp_value_of(&tfp_columns[i]);
        if (value < 0 || !tfp_str_eq(type, tfp_str_of(tfp_columns[i].name))) continue;
        if (!tfp_is_time(value) || tfp_is_time(x->value)) x->value = (tfp_value)value;
    }
}

static bool counts_runs(const tfp_profile *p, uint32_t type)
{
    return tfp_str_eq(tfp_text(p, tfp_samples_of(p)->sample_types.at[type].unit), TFP_STR("count"));
}

/* The last type with that name; without a name the file's default. */
static tfp_status choose_type(sampled *x, const tfp_options *o, tfp_error *err)
{
    const tfp_profile *p = x->p;
    bool asked = o->verb.sample_type && *o->verb.sample_type;
    x->type = asked ? TFP_NONE : tfp_about_of(p)->sample_type;
    x->counts = TFP_NONE;
    for (uint32_t i = 0; i < tfp_samples_of(p)->sample_types.size; i++) {
        if (asked &&
            tfp_str_eq(tfp_text(p, tfp_samples_of(p)->sample_types.at[i].type), tfp_str_of(o->verb.sample_type)))
            x->type = i;
        if (x->counts == TFP_NONE && counts_runs(p, i)) x->counts = i;
    }
    if (x->type != TFP_NONE) return TFP_OK;
    tfp_buf known = { 0 };
    for (size_t i = 0; i < tfp_samples_of(p)->sample_types.size && i < 50; i++) {
        tfp_buf_text(&known, i ? ", " : "");
        tfp_buf_str(&known, tfp_text(p, tfp_samples_of(p)->sample_types.at[i].type));
    }
    tfp_status s = tfp_fail(err, TFP_BADARG, "option -sample_type: no samples of '%s'; there are %.*s",
                            o->verb.sample_type, (int)known.size, known.data ? known.data : "");
    tfp_buf_free(&known);
    return s;
}

tfp_status tfp_samples_select(tfp_report *r, tfp_error *err)
{
    sampled x = { .p = tfp_profile_of(r) };
    if (!tfp_rows_of_samples(r) || tfp_options_chosen(tfp_options_of(r), "select")) return TFP_OK;
    tfp_status s = choose_type(&x, tfp_options_of(r), err);
    if (s) return s;
    find_column(&x);
    if (x.value == TFP_V_CPU_MICROS) return TFP_OK; /* the default column has it */
    for (int i = 0; i < tfp_column_count; i++)
        if (tfp_value_of(&tfp_columns[i]) == (int)x.value)
            return tfp_options_set(r->options, "select", tfp_columns[i].name, err);
    return TFP_OK;
}

/* ---- -sample_label KEY=VALUE ---- */

static tfp_status choose_label(sampled *x, tfp_report *r, tfp_error *err)
{
    const char *asked = tfp_options_of(r)->verb.sample_label, *equals = asked ? strchr(asked, '=') : NULL;
    x->label = TFP_NONE;
    if (!asked || !*asked) return TFP_OK;
    if (!equals || equals == asked)
        return tfp_fail(err, TFP_BADARG, "option -sample_label: '%s' is not KEY=VALUE", asked);
    x->label_value = tfp_str_of(equals + 1);
    x->label = tfp_strtab_find(tfp_strings_of(x->p), (tfp_str){ asked, (size_t)(equals - asked) });
    return TFP_OK;
}

static bool has_label(sampled *x, uint32_t set)
{
    const tfp_stat_set *s = set == TFP_NONE ? NULL : &tfp_events_of(x->p)->stat_sets.at[set];
    for (uint32_t i = 0; s && i < s->count; i++) {
        const tfp_stat *stat = &tfp_events_of(x->p)->stats.at[s->first + i];
        if (stat->key != x->label) continue;
        tfp_str value = stat->type == TFP_STAT_TEXT ? tfp_text(x->p, (tfp_strid)stat->value.text) : (tfp_str){ "", 0 };
        if (stat->type == TFP_STAT_INT) {
            x->text.size = 0;
            tfp_buf_int(&x->text, stat->value.number);
            x->tree.failed |= x->text.failed;
            value = (tfp_str){ x->text.data ? x->text.data : "", x->text.size };
        }
        if (tfp_str_eq(value, x->label_value)) return true;
    }
    return false;
}

/* ---- rows ---- */

/* "FILE:LINE:FUNCTION"; only the function in `calls`, and if no file is known. */
static tfp_strid name_of(sampled *x, uint32_t frame)
{
    const tfp_code_frame *f = &tfp_code_of(x->p)->frames.at[frame];
    tfp_str function = tfp_text(x->p, f->function);
    if (x->name_of[frame] != TFP_NONE) return x->name_of[frame];
    x->text.size = 0;
    if (x->lines && f->file)
        tfp_put_line(&x->text, tfp_text(x->p, f->file), f->line, function);
    else
        tfp_buf_str(&x->text, function);
    tfp_strid id = x->text.failed ? TFP_NONE : tfp_intern(&x->tree.names, (tfp_str){ x->text.data, x->text.size });
    x->tree.failed |= id == TFP_NONE;
    return x->tree.failed ? 0 : (x->name_of[frame] = id);
}

static uint32_t item_of(sampled *x, uint32_t trace)
{
    if (trace == TFP_NONE) {
        tfp_strid none = tfp_intern(&x->tree.names, TFP_STR("(no stack)"));
        x->tree.failed |= none == TFP_NONE;
        return x->tree.failed ? 0 : tfp_trace_item_below(&x->tree, 0, none, TFP_SPAN_OTHER);
    }
    if (x->item_of[trace]) return x->item_of[trace];
    const tfp_trace *t = &tfp_code_of(x->p)->traces.at[trace];
    uint32_t at = 0;
    for (uint32_t i = 0; i < t->count && !x->tree.failed; i++)
        at = tfp_trace_item_below(&x->tree, at, name_of(x, tfp_code_of(x->p)->trace_frames.at[t->first + i]),
                                  TFP_SPAN_OTHER);
    return x->item_of[trace] = at;
}

static waiting_stack judge_stack(sampled *x, uint32_t trace)
{
    const tfp_profile *p = x->p;
    const tfp_trace *t = &tfp_code_of(p)->traces.at[trace];
    bool thread = false;
    for (uint32_t i = 0; i < t->count && !thread; i++) {
        const tfp_code_frame *f = &tfp_code_of(p)->frames.at[tfp_code_of(p)->trace_frames.at[t->first + i]];
        thread = tfp_str_eq(tfp_text(p, f->function), TFP_STR("_bootstrap")) &&
                 tfp_str_ends(tfp_text(p, f->file), TFP_STR("threading.py"));
    }
    if (!thread) return WORKS;
    const tfp_code_frame *leaf = &tfp_code_of(p)->frames.at[tfp_code_of(p)->trace_frames.at[t->first + t->count - 1]];
    x->text.size = 0;
    if (leaf->file) tfp_put_line(&x->text, tfp_text(p, leaf->file), leaf->line, TFP_STR(""));
    if (leaf->file) tfp_buf_char(&x->text, ':');
    tfp_buf_str(&x->text, tfp_text(p, leaf->function));
    x->tree.failed |= x->text.failed;
    return !x->text.failed && tfp_frame_waits((tfp_str){ x->text.data, x->text.size }) ? WAITS : WORKS;
}

/* Whether a sample shows a thread that waits, which `code` and `lines` leave out. */
static bool waits(sampled *x, uint32_t trace)
{
    if (!(x->lines || tfp_options_of(x->tree.r)->made.working) || trace == TFP_NONE) return false;
    if (x->waits[trace] == NOT_LOOKED_AT) x->waits[trace] = (uint8_t)judge_stack(x, trace);
    return x->waits[trace] == WAITS;
}

static void add(sampled *x, const tfp_stack_sample *s)
{
    uint32_t item = item_of(x, s->trace);
    int64_t n = tfp_mul(s->value, x->times, tfp_clamped_of(x->tree.r));
    int64_t runs = s->type == x->counts ? s->value : x->counts == TFP_NONE;
    if (s->type != x->type) n = 0;
    bool host = x->value == TFP_V_CPU_MICROS || x->value == TFP_V_MICROS, device = x->value == TFP_V_ACCELERATOR_MICROS;
    if (x->value == TFP_V_RUNS) runs = n;
    tfp_trace_tree_add(&x->tree, item, (tfp_trace_part){ TFP_NONE, INT64_MAX, host ? n : 0, device ? n : 0, runs });
    if (host || device || x->value == TFP_V_RUNS || x->tree.failed) return;
    tfp_trace_item *row = &x->tree.items.at[item];
    row->amount = tfp_add(row->amount, n, tfp_clamped_of(x->tree.r));
}

static bool start(sampled *x, tfp_report *r)
{
    size_t frames = tfp_code_of(x->p)->frames.size + 1;
    tfp_trace_tree_start(&x->tree, r);
    x->tree.amount_is = x->value;
    x->item_of = TFP_NEW(&x->arena, uint32_t, tfp_code_of(x->p)->traces.size + 1);
    x->name_of = TFP_NEW(&x->arena, tfp_strid, frames);
    x->waits = TFP_NEW(&x->arena, uint8_t, tfp_code_of(x->p)->traces.size + 1);
    if (!x->item_of || !x->name_of || !x->waits) return false;
    memset(x->name_of, 0xff, frames * sizeof *x->name_of); /* TFP_NONE */
    return !x->tree.failed;
}

static size_t add_samples(sampled *x, const tfp_options *o)
{
    bool label = o->verb.sample_label && *o->verb.sample_label;
    size_t shown = 0;
    for (size_t i = 0; i < tfp_samples_of(x->p)->samples.size && !x->tree.failed; i++) {
        const tfp_stack_sample *s = &tfp_samples_of(x->p)->samples.at[i];
        if ((s->type != x->type && s->type != x->counts) || (label && !has_label(x, s->labels))) continue;
        shown++;
        if (waits(x, s->trace))
            x->left_out++;
        else
            add(x, s);
    }
    return shown;
}

tfp_status tfp_tree_of_samples(tfp_report *r, bool lines, tfp_error *err)
{
    sampled x = { .p = tfp_profile_of(r), .lines = lines };
    tfp_status s = choose_type(&x, tfp_options_of(r), err);
    if (!s) s = choose_label(&x, r, err);
    if (s) return s;
    find_column(&x);
    bool ok = start(&x, r);
    size_t shown = ok ? add_samples(&x, tfp_options_of(r)) : 0;
    tfp_arena_free(&x.arena);
    tfp_buf_free(&x.text);
    if (ok && !x.tree.failed && !shown)
        s = tfp_report_note_add(r, TFP_NOTE_NO_SAMPLES, err, "no sample matches: -sample_type, -sample_label");
    if (ok && !s && x.left_out)
        s = tfp_report_note_add(r, TFP_NOTE_WAITING, err,
                                "stacks of other threads than the main one that wait are left out: %zu of %zu stacks",
                                x.left_out, shown);
    if (ok && !s && !x.tree.failed) return tfp_trace_tree_show(&x.tree, err);
    tfp_trace_tree_free(&x.tree);
    return s ? s : tfp_nomem(err);
}
