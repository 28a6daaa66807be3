// SPDX-License-Identifier: Apache-2.0
/* outputs/data/flames.c: a tree of rows as the input of flame graphs: folded stacks (Brendan Gregg's format: names joined by
 * semicolons, a blank, a number) and speedscope's JSON (https://www.speedscope.app/file-format-schema.json). A row's weight is
 * its total minus the totals of the rows shown below it, so that all weights add up to the root's total. Times: nanoseconds. */
#include "options/columns.h"
#include "options/options.h"
#include "options/units.h"
#include "outputs/core/output.h"
#include "views/core/report.h"
#include "views/core/rows.h"
#include "views/core/view.h"
#include "wire/json.h"

#define FRAMES_MOST ((uint64_t)64 << 20) /* limit of frames for all folded stacks together */

typedef struct stacks {
    const tfp_report *r;
    tfp_value value;
    tfp_unit unit;
    int64_t *weight; /* for each row */
} stacks;

static bool only_value(const tfp_options *o, stacks *x)
{
    int found = -1;
    for (int i = 0; i < tfp_column_count; i++) {
        if (!tfp_selects(o, (tfp_column_id)i)) continue;
        if (found >= 0 || tfp_columns[i].kind != TFP_COLUMN_IS_SUM) return false;
        found = i;
    }
    if (found < 0) return false;
    x->value = (tfp_value)tfp_value_of(&tfp_columns[found]);
    x->unit = tfp_columns[found].unit;
    return x->r->tree->total[x->value] != NULL;
}

static tfp_status start(stacks *x, const tfp_report *r, const char *output, tfp_error *err)
{
    *x = (stacks){ .r = r };
    if (!(r->about->row_traits & TFP_NESTS) || r->options->compat10)
        return tfp_fail(err, TFP_BADARG, "%s view has no %s output: use calls, scope or code", r->view, output);
    if (!only_value(r->options, x))
        return tfp_fail(err, TFP_BADARG, "%s needs exactly one numeric column in -select", output);
    size_t rows = r->tree->rows.size;
    x->weight = malloc((rows + 1) * sizeof *x->weight);
    if (!x->weight) return tfp_nomem(err);
    for (uint32_t i = 0; i < rows; i++) x->weight[i] = tfp_total(r, i, x->value);
    for (uint32_t i = 1; i < rows; i++) {
        int64_t *above = &x->weight[r->tree->rows.at[i].parent];
        *above = tfp_add(*above, -tfp_total(r, i, x->value), NULL);
    }
    for (uint32_t i = 0; i < rows; i++)
        if (x->weight[i] < 0) x->weight[i] = 0;
    return TFP_OK;
}

/* The name of a row without the scopes that it shares with its parent. */
static tfp_str frame_name(const tfp_report *r, uint32_t i)
{
    tfp_str name = tfp_shown_name(r, i), above = r->tree->rows.at[r->tree->rows.at[i].parent].name;
    bool below = r->about->rows_are == TFP_ROWS_OF_SCOPES && name.size > above.size + 1 &&
                 name.data[above.size] == '/' && memcmp(name.data, above.data, above.size) == 0;
    return below ? (tfp_str){ name.data + above.size + 1, name.size - above.size - 1 } : name;
}

static const tfp_str rest_name = { "(not shown)", sizeof "(not shown)" - 1 }; /* the root's own weight */

/* ---- folded ---- */

/* Frames are separated by semicolons. */
static void put_frame(tfp_buf *path, tfp_str name)
{
    size_t from = path->size;
    tfp_escape(path, name);
    for (size_t i = from; i < path->size; i++)
        if (path->data[i] == ';') path->data[i] = ':';
}

tfp_status tfp_write_folded_tree(const tfp_report *r, tfp_sink *s, tfp_error *err)
{
    stacks x;
    tfp_status status = start(&x, r, "folded", err);
    if (status) return status;
    size_t rows = r->tree->rows.size;
    uint64_t frames = 0;
    for (size_t i = 1; i < rows; i++)
        if (x.weight[i] > 0) frames += r->tree->rows.at[i].depth;
    tfp_buf path = { 0 };
    size_t *length = calloc(rows + 1, sizeof *length); /* length of the path down to a row, without the root */
    if (!length) status = tfp_nomem(err);
    if (!status && frames > FRAMES_MOST)
        status = tfp_fail(err, TFP_LIMIT, "the stacks pass %llu frames: try a smaller -max_depth",
                          (unsigned long long)FRAMES_MOST);
    for (uint32_t i = 1; i < rows && !status && !s->status && !path.failed; i++) {
        const tfp_row *row = &r->tree->rows.at[i];
        path.size =
            length[row->parent]; /* rows come in display order, so the buffer still begins with the parent's path */
        if (path.size) tfp_buf_char(&path, ';');
        put_frame(&path, frame_name(r, i));
        length[i] = path.size;
        if (x.weight[i] <= 0) continue;
        tfp_buf_str(&s->buf, (tfp_str){ path.data, path.size });
        tfp_buf_char(&s->buf, ' ');
        tfp_buf_int(&s->buf, x.weight[i]);
        tfp_buf_char(&s->buf, '\n');
        tfp_sink_flush_if_full(s);
    }
    if (!status && x.weight[0] > 0) {
        tfp_buf_str(&s->buf, rest_name);
        tfp_buf_char(&s->buf, ' ');
        tfp_buf_int(&s->buf, x.weight[0]);
        tfp_buf_char(&s->buf, '\n');
    }
    if (!status && path.failed) status = tfp_nomem(err);
    tfp_buf_free(&path);
    free(length);
    free(x.weight);
    return status;
}

/* ---- speedscope ---- */

typedef struct opened { /* a row that is not closed yet */
    uint32_t row, frame;
    int64_t end;
} opened;

typedef struct scope {
    stacks x;
    tfp_arena arena;
    tfp_strtab names;
    uint32_t *frame; /* for each row: index in names */
    TFP_VEC(opened) open;
    int64_t at;
} scope;

static const char *unit_of(const stacks *x)
{
    if (tfp_is_time(x->value)) return "nanoseconds";
    return x->unit == TFP_SIZE ? "bytes" : "none";
}

static bool name_frames(scope *c)
{
    const tfp_report *r = c->x.r;
    c->frame = TFP_NEW(&c->arena, uint32_t, r->tree->rows.size + 1);
    if (!c->frame || tfp_strtab_init(&c->names, &c->arena)) return false;
    for (uint32_t i = 0; i < r->tree->rows.size; i++) {
        c->frame[i] = tfp_intern(&c->names, i ? frame_name(r, i) : rest_name);
        if (c->frame[i] == TFP_NONE) return false;
    }
    return true;
}

static void put_event(tfp_json *j, const char *type, uint32_t frame, int64_t at)
{
    tfp_json_open(j, '{');
    tfp_json_text_at(j, "type", type);
    tfp_json_int_at(j, "frame", frame);
    tfp_json_int_at(j, "at", at);
    tfp_json_close(j, '}');
}

/* Closes rows until `parent` is the innermost open one. A row does not end before the rows inside it. */
static void close_to(scope *c, tfp_json *j, uint32_t parent)
{
    while (c->open.size && c->open.at[c->open.size - 1].row != parent) {
        const opened *o = &c->open.at[--c->open.size];
        if (o->end > c->at) c->at = o->end;
        put_event(j, "C", o->frame, c->at);
    }
}

/* Siblings follow one another; inside a row its children come first, then its own weight. */
static bool put_events(scope *c, tfp_json *j, tfp_sink *s)
{
    const tfp_report *r = c->x.r;
    for (uint32_t i = 1; i < r->tree->rows.size && !s->status; i++) {
        int64_t total = tfp_total(r, i, c->x.value);
        if (total <= 0) continue;
        close_to(c, j, r->tree->rows.at[i].parent);
        opened o = { i, c->frame[i], tfp_add(c->at, total, NULL) };
        if (!tfp_push(&c->open, o)) return false;
        put_event(j, "O", o.frame, c->at);
        tfp_sink_flush_if_full(s);
    }
    close_to(c, j, 0);
    if (c->x.weight[0] > 0) {
        put_event(j, "O", c->frame[0], c->at);
        c->at = tfp_add(c->at, c->x.weight[0], NULL);
        put_event(j, "C", c->frame[0], c->at);
    }
    return true;
}

static void put_frames(scope *c, tfp_json *j, tfp_sink *s)
{
    tfp_json_key(j, "shared");
    tfp_json_open(j, '{');
    tfp_json_key(j, "frames");
    tfp_json_open(j, '[');
    for (size_t i = 0; i < c->names.count && !s->status; i++) {
        tfp_json_open(j, '{');
        tfp_json_str_at(j, "name", tfp_strtab_get(&c->names, (tfp_strid)i));
        tfp_json_close(j, '}');
        tfp_sink_flush_if_full(s);
    }
    tfp_json_close(j, ']');
    tfp_json_close(j, '}');
}

static bool put_file(scope *c, tfp_sink *s)
{
    const tfp_report *r = c->x.r;
    tfp_json j = tfp_json_start(&s->buf);
    tfp_json_open(&j, '{');
    tfp_json_text_at(&j, "$schema", "https://www.speedscope.app/file-format-schema.json");
    tfp_json_text_at(&j, "exporter", "tfprof");
    put_frames(c, &j, s);
    tfp_json_key(&j, "profiles");
    tfp_json_open(&j, '[');
    tfp_json_open(&j, '{');
    tfp_json_text_at(&j, "type", "evented");
    tfp_json_text_at(&j, "name", r->view);
    tfp_json_text_at(&j, "unit", unit_of(&c->x));
    tfp_json_int_at(&j, "startValue", 0);
    tfp_json_key(&j, "events");
    tfp_json_open(&j, '[');
    bool ok = put_events(c, &j, s);
    tfp_json_close(&j, ']');
    tfp_json_int_at(&j, "endValue", c->at);
    tfp_json_close(&j, '}');
    tfp_json_close(&j, ']');
    tfp_json_close(&j, '}');
    tfp_buf_char(&s->buf, '\n');
    return ok;
}

static tfp_status write_speedscope(const tfp_report *r, tfp_sink *s, tfp_error *err)
{
    if (r->stacks) return tfp_speedscope_stacks(r->stacks, s, err);
    scope c = { .at = 0 };
    tfp_status status = start(&c.x, r, "speedscope", err);
    if (!status && !(name_frames(&c) && put_file(&c, s))) status = tfp_nomem(err);
    tfp_strtab_free(&c.names);
    tfp_arena_free(&c.arena);
    tfp_vec_free(&c.open);
    free(c.x.weight);
    return status;
}

const tfp_output_format tfp_output_speedscope = {
    .name = "speedscope",
    .help = "A file for https://www.speedscope.app: sampled stacks in order of time, or the calls, scope or code view "
            "with one numeric column.",
    .in_format_option = true,
    .write = write_speedscope,
};
