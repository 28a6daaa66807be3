// SPDX-License-Identifier: Apache-2.0
/* views/tree/code_trace.c: the code view of a trace. If it has Python frames, rows are frames; their own time is the time
 * outside inner frames. Otherwise rows are the lines of call stacks, with the ops on them. */
#include "model/frames/kinds.h"
#include "model/span_names.h"
#include "model/tables/code.h"
#include "model/tables/events.h"
#include "model/tables/lanes.h"
#include "model/tables/read.h"
#include "model/tables/stats.h"
#include "options/options.h"
#include "views/core/coverage.h"
#include "views/core/engine.h"
#include "views/core/notes.h"
#include "views/core/own_frame.h"
#include "views/core/report.h"
#include "views/spans/nest.h"
#include "views/spans/trace.h"
#include "views/spans/waiting.h"
#include "views/tree/trace_tree.h"

typedef struct lines {
    tfp_trace_tree tree;
    const tfp_profile *p;
    tfp_arena arena;
    tfp_nest nest;
    uint32_t *item;   /* for each span: the row of the innermost frame or stack around it; 0: none */
    uint32_t *frame;  /* for each span: the frame or call with a row that it is, or that is around it; TFP_NONE: none */
    uint32_t *python; /* the same of Python's frames only */
    int64_t *self_ns; /* of frames */
    tfp_waiting waiting;
    bool bare; /* frames are XPlane's: without folders, beside lines of call stacks */
    tfp_map64
        path_of_file; /* of bare frames: hash of a file's name -> a path with it in a call stack; 0: there are several */
    tfp_strid line_of_call; /* key of the stat; TFP_NONE: frames do not tell it */
    /* time of kernels of captured graphs: the line that launches a graph is not the line of its kernels */
    int64_t replayed_ns;
    uint32_t *by_trace;  /* for each trace: its row; 0: none yet */
    tfp_strid *row_name; /* for each string that names a frame; TFP_NONE: not looked at, 0: it is no line of Python */
    tfp_buf text;
} lines;

static tfp_strid line_name(lines *x, tfp_str file, int64_t line, tfp_str function)
{
    x->text.size = 0;
    tfp_put_line(&x->text, file, line, function);
    tfp_strid id = x->text.failed ? TFP_NONE : tfp_intern(&x->tree.names, (tfp_str){ x->text.data, x->text.size });
    x->tree.failed |= id == TFP_NONE;
    return x->tree.failed ? 0 : id;
}

/* Finds the paths of the files in call stacks, of which frames have only the last part. */
static bool find_paths(lines *x)
{
    const tfp_code_tables *code = tfp_code_of(x->p);
    for (size_t i = 0; i < code->frames.size; i++) {
        tfp_strid file = code->frames.at[i].file;
        tfp_str base = tfp_str_last_part(tfp_text(x->p, file));
        uint64_t key = tfp_hash(base.data, base.size);
        uint32_t known = tfp_map64_get(&x->path_of_file, key);
        if (!tfp_map64_put(&x->path_of_file, key, known == TFP_NONE || known == file ? file : 0)) return false;
    }
    return true;
}

static tfp_str path_of_bare(const lines *x, tfp_str file)
{
    uint32_t path = tfp_map64_get(&x->path_of_file, tfp_hash(file.data, file.size));
    bool one = path != TFP_NONE && path && tfp_str_eq(tfp_str_last_part(tfp_text(x->p, path)), file);
    return one ? tfp_text(x->p, path) : tfp_path_of_bare_file(file);
}

/* The row's name for a frame; 0: it is no line of Python. */
static tfp_strid frame_name(lines *x, uint32_t span)
{
    const tfp_span_columns *s = &tfp_events_of(x->p)->spans;
    tfp_python_frame f;
    if (!(x->bare ? tfp_is_frame(x->p, span) : s->kind[span] == TFP_SPAN_FRAME)) return 0;
    tfp_strid *id = &x->row_name[s->name[span]];
    if (*id != TFP_NONE) return *id;
    *id = 0;
    if (tfp_python_frame_of(tfp_text(x->p, s->name[span]), &f))
        *id = line_name(x, x->bare ? path_of_bare(x, f.file) : f.file, f.line, f.function);
    else if (x->waiting.waits && x->waiting.waits[span]) /* a built-in that waits has a row below its caller */
        *id = tfp_trace_row_name(&x->tree, s->name[span]);
    return *id;
}

static uint32_t item_of_trace(lines *x, uint32_t trace);

/* ---- frames ---- */

/* The name of the line in the caller from which a span was called: "FILE:LINE:FUNCTION of the caller"; 0: it is not told. */
static tfp_strid call_name(lines *x, uint32_t span, uint32_t caller)
{
    tfp_python_frame f;
    return tfp_line_of_call(x->p, x->line_of_call, span, caller, &f) ? line_name(x, f.file, f.line, f.function) : 0;
}

/* Goes below the row of the line from which a span was called. */
static bool go_to_line(lines *x, uint32_t span)
{
    tfp_strid line = call_name(x, span, x->python[span]);
    if (!line) return false;
    if (x->tree.items.at[x->item[span]].name != line)
        x->item[span] = tfp_trace_item_below(&x->tree, x->item[span], line, TFP_SPAN_FRAME);
    return true;
}

/* The time of a frame or call is no longer that of the one around it. */
static void take_time(lines *x, uint32_t span)
{
    uint32_t around = x->frame[span];
    if (around != TFP_NONE) x->self_ns[around] = tfp_add(x->self_ns[around], -x->nest.duration_ns[span], NULL);
    x->self_ns[span] = x->nest.duration_ns[span];
    x->frame[span] = span;
}

/* A call of a function without a frame, or of a module, whose line is known: its time is the line's. */
static void add_call(lines *x, uint32_t span)
{
    unsigned kind = tfp_events_of(x->p)->spans.kind[span];
    if ((kind == TFP_SPAN_FRAME || kind == TFP_SPAN_MODULE) && go_to_line(x, span)) take_time(x, span);
}

static void add_frames(lines *x)
{
    const tfp_span_columns *s = &tfp_events_of(x->p)->spans;
    for (size_t k = 0; k < s->size && !x->tree.failed; k++) {
        uint32_t i = x->nest.order[k], parent = x->nest.parent[i];
        x->frame[i] = parent == TFP_NONE ? TFP_NONE : x->frame[parent];
        x->python[i] = parent == TFP_NONE ? TFP_NONE : x->python[parent];
        x->item[i] = parent == TFP_NONE ? 0 : x->item[parent];
        tfp_strid name = frame_name(x, i);
        if (!name) {
            if (x->bare && (s->kind[i] == TFP_SPAN_OP || s->kind[i] == TFP_SPAN_CALL) && s->trace[i] != TFP_NONE) {
                x->item[i] = item_of_trace(x, s->trace[i]); /* an operation has a line of its own */
                take_time(x, i);
            } else
                add_call(x, i);
            continue;
        }
        go_to_line(x, i);
        take_time(x, i);
        x->python[i] = i;
        x->item[i] = tfp_trace_item_below(&x->tree, x->item[i], name, TFP_SPAN_FRAME);
    }
    for (uint32_t i = 0; i < s->size && !x->tree.failed; i++)
        if (x->frame[i] == i && tfp_cut_takes(x->p, i) && !tfp_waits_uncounted(x->p, &x->waiting, i))
            tfp_trace_tree_add(
                &x->tree, x->item[i],
                (tfp_trace_part){ s->step[i], s->start_ns[i], x->self_ns[i] > 0 ? x->self_ns[i] : 0, 0, 1 });
}

/* ---- call stacks ---- */

static uint32_t item_of_trace(lines *x, uint32_t trace)
{
    const tfp_trace *t = &tfp_code_of(x->p)->traces.at[trace];
    uint32_t item = x->by_trace[trace];
    if (item) return item;
    for (uint32_t i = 0; i < t->count; i++) {
        const tfp_code_frame *f = &tfp_code_of(x->p)->frames.at[tfp_code_of(x->p)->trace_frames.at[t->first + i]];
        tfp_strid name = line_name(x, tfp_text(x->p, f->file), f->line, tfp_text(x->p, f->function));
        if (name) item = tfp_trace_item_below(&x->tree, item, name, TFP_SPAN_FRAME);
    }
    return x->by_trace[trace] = item;
}

static void add_stacks(lines *x)
{
    const tfp_span_columns *s = &tfp_events_of(x->p)->spans;
    for (size_t k = 0; k < s->size && !x->tree.failed; k++) {
        uint32_t i = x->nest.order[k], parent = x->nest.parent[i], trace = s->trace[i];
        if (trace != TFP_NONE)
            x->item[i] = item_of_trace(x, trace);
        else if (!s->path[i] && parent != TFP_NONE) /* a span with a place of its own has its own call stack, or none */
            x->item[i] = x->item[parent];
        bool op = s->kind[i] == TFP_SPAN_OP || s->kind[i] == TFP_SPAN_CALL;
        if (op && x->item[i] && tfp_cut_takes(x->p, i))
            tfp_trace_tree_add(&x->tree, x->item[i],
                               (tfp_trace_part){ s->step[i], s->start_ns[i], s->self_ns[i], 0, 1 });
    }
}

/* ---- both ---- */

static uint32_t replay_item(lines *x)
{
    tfp_strid name = tfp_intern(&x->tree.names, TFP_STR(TFP_REPLAY_ROW));
    x->tree.failed |= name == TFP_NONE;
    return x->tree.failed ? 0 : tfp_trace_item_below(&x->tree, 0, name, TFP_SPAN_FRAME);
}

/* Adds activities at their launches. */
static void add_activities(lines *x)
{
    bool apart = x->tree.r->options->made.replays_apart;
    const tfp_span_columns *s = &tfp_events_of(x->p)->spans;
    for (uint32_t i = 0; i < s->size && !x->tree.failed; i++) {
        if (s->kind[i] != TFP_SPAN_ACTIVITY || tfp_lanes_of(x->p)->at[s->lane[i]].role != TFP_ROLE_STREAM) continue;
        if (!tfp_cut_takes(x->p, i)) continue;
        uint32_t from = tfp_span_host(s, i);
        if (from == TFP_NONE) from = s->owner[i];
        uint32_t item = s->path[i] ? x->item[i] : from == TFP_NONE ? 0 : x->item[from];
        if (s->trace[i] != TFP_NONE) item = item_of_trace(x, s->trace[i]);
        bool replayed = tfp_is_replayed_without_line(x->tree.r, i);
        if (replayed && apart) item = replay_item(x);
        if (item && replayed && tfp_span_in_step(x->tree.r, i))
            x->replayed_ns = tfp_add(x->replayed_ns, s->self_ns[i], NULL);
        /* an activity without a host op on its line is a run of the line */
        bool run = from == TFP_NONE || s->path[i] || item != x->item[from];
        tfp_trace_part part = { s->step[i], s->start_ns[i], 0, s->self_ns[i], run };
        if (item) tfp_trace_tree_add(&x->tree, item, part);
    }
}

static bool start(lines *x, tfp_report *r)
{
    const tfp_profile *p = r->profile;
    size_t count = tfp_events_of(p)->spans.size + 1, strings = tfp_strings_of(p)->count + 1;
    *x = (lines){ .p = p };
    tfp_trace_tree_start(&x->tree, r);
    x->item = TFP_NEW(&x->arena, uint32_t, count);
    x->frame = TFP_NEW(&x->arena, uint32_t, count);
    x->python = TFP_NEW(&x->arena, uint32_t, count);
    x->self_ns = TFP_NEW(&x->arena, int64_t, count);
    x->row_name = TFP_NEW(&x->arena, tfp_strid, strings);
    x->by_trace = TFP_NEW(&x->arena, uint32_t, tfp_code_of(p)->traces.size + 1);
    if (!x->by_trace || !tfp_nest_of(p, &x->arena, &x->nest) || !x->item || !x->frame || !x->python || !x->self_ns ||
        !x->row_name)
        return false;
    if (!tfp_waiting_of(p, r->cut, &x->arena, &x->waiting)) return false;
    if (r->options->made.replays_apart && !tfp_own_lines_of(r, &x->nest)) return false; /* `lines` takes it */
    tfp_nest_cut(p, r->cut, &x->nest);
    memset(x->row_name, 0xff, strings * sizeof *x->row_name); /* TFP_NONE */
    x->line_of_call = tfp_stat_key(p, TFP_LINE_OF_CALL);
    x->bare = tfp_has_bare_frames(p);
    if (x->bare && !find_paths(x)) return false;
    return !x->tree.failed;
}

static void say_explained(const lines *x, tfp_report *r, bool frames)
{
    tfp_explained e = { .given = true, .device_ns = -x->replayed_ns, .replayed_ns = x->replayed_ns };
    for (size_t i = 1; i < x->tree.items.size; i++) {
        e.host_ns = tfp_add(e.host_ns, x->tree.items.at[i].cpu_ns, NULL);
        e.device_ns = tfp_add(e.device_ns, x->tree.items.at[i].accelerator_ns, NULL);
    }
    e.why_not = frames ? "under no Python frame" : "without a call stack";
    r->covered->explained = e;
}

tfp_status tfp_code_of_trace(tfp_report *r, tfp_error *err)
{
    lines x;
    bool ok = start(&x, r), frames = ok && (x.bare || tfp_lines_are_functions(r->profile));
    if (frames)
        add_frames(&x);
    else if (ok)
        add_stacks(&x);
    if (ok) add_activities(&x);
    if (ok) say_explained(&x, r, frames);
    ok = ok && (!frames || !tfp_nest_note(r, &x.nest, err));
    tfp_arena_free(&x.arena);
    tfp_map64_free(&x.path_of_file);
    tfp_buf_free(&x.text);
    if (ok && !x.tree.failed && x.tree.items.size == 1) {
        tfp_status s =
            tfp_report_note_add(r, TFP_NOTE_NO_STACKS, err, "no lines of code in the trace: record it with stacks");
        if (s) ok = false;
    }
    if (ok && !x.tree.failed) return tfp_trace_tree_show(&x.tree, err);
    tfp_trace_tree_free(&x.tree);
    return tfp_nomem(err);
}
