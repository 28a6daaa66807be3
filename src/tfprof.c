/* tfprof.c: the public functions: thin, joining the rooms. */
#include "flops/parameters.h"
#include "flops/rules/rule.h"
#include "model/program.h"
#include "outputs/arrow.h"
#include "outputs/table.h"
#include "registry.h"
#include "views/view.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef TFP_VERSION
#define TFP_VERSION "0"
#endif

/* Memory that a profile may take: so much for a small input, whatever it holds, and a multiple of big ones. What was
 * unpacked into memory takes its share first: a small gzip file must not make a big profile. */
#define MEMORY_FLOOR ((size_t)360 << 20)
#define MEMORY_UNPACKED ((size_t)400 << 20)
#define MEMORY_LEAST ((size_t)160 << 20)
#define MEMORY_PER_BYTE 6

static size_t memory_for(const tfp_profile *p, const tfp_input *in)
{
    size_t most = MEMORY_FLOOR;
    if (in->fd < 0)
        most = in->total + MEMORY_LEAST < MEMORY_UNPACKED ? MEMORY_UNPACKED - (size_t)in->total : MEMORY_LEAST;
    return most + (size_t)p->stored * MEMORY_PER_BYTE;
}

const char *tfp_version(void) { return TFP_VERSION; }

int tfp_exit_status(tfp_status status)
{
    static const int exits[] = { [TFP_OK] = 0,        [TFP_BADFILE] = 1, [TFP_BADARG] = 2, [TFP_NOTFOUND] = 2,
                                 [TFP_BADOUTPUT] = 3, [TFP_NOMEM] = 4,   [TFP_LIMIT] = 4,  [TFP_CANCELLED] = 130 };
    return (size_t)status < sizeof exits / sizeof *exits ? exits[status] : 1;
}

/* As much of a text as there is room for, in whole characters, and a NUL. */
static void give_text(tfp_str all, char *out, size_t room)
{
    if (!room || !out) return;
    size_t n = all.size < room ? all.size : room - 1;
    while (n < all.size && n && ((unsigned char)all.data[n] & 0xc0) == 0x80) n--;
    if (n) memcpy(out, all.data, n);
    out[n] = '\0';
}

size_t tfp_text_escape(const char *text, size_t size, char *out, size_t room)
{
    tfp_str all = { text, text ? size : 0 };
    tfp_buf escaped = { 0 };
    if (!tfp_is_plain(all)) { /* plain text needs no memory: it may say that there is none */
        tfp_escape(&escaped, all);
        all = (tfp_str){ escaped.data, escaped.failed ? 0 : escaped.size };
    }
    give_text(all, out, room);
    size_t need = escaped.failed ? SIZE_MAX : all.size;
    tfp_buf_free(&escaped);
    return need;
}

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
    case TFP_CHECKERS:
        while (tfp_checkers[count]) count++;
        return i < count ? tfp_checkers[i]->name : NULL;
    case TFP_ORDERS: return tfp_order_at(i, &order) ? order.name : NULL;
    case TFP_COLUMNS: return i < (size_t)tfp_column_count ? tfp_columns[i].name : NULL;
    case TFP_OPTIONS: return tfp_option_name(i, false);
    case TFP_COMMAND_OPTIONS: return tfp_option_name(i, true);
    case TFP_OPS:
    case TFP_OP_SOURCES: return tfp_rule_name(i);
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

const char *tfp_help(tfp_table table, const char *name)
{
    if (!name) return NULL;
    int column;
    switch (table) {
    case TFP_VIEWS: return tfp_view_find(name) ? tfp_view_find(name)->help : NULL;
    case TFP_OUTPUTS: return tfp_output_find(name) ? tfp_output_find(name)->help : NULL;
    case TFP_FORMATS: return tfp_format_find(name) ? tfp_format_find(name)->help : NULL;
    case TFP_CHECKERS:
        for (size_t i = 0; tfp_checkers[i]; i++)
            if (strcmp(tfp_checkers[i]->name, name) == 0) return tfp_checkers[i]->help;
        return NULL;
    case TFP_COLUMNS: column = tfp_column_find(tfp_str_of(name)); return column < 0 ? NULL : tfp_columns[column].help;
    case TFP_OPTIONS:
    case TFP_COMMAND_OPTIONS: return tfp_option_help(name);
    case TFP_ORDERS: return order_help(name);
    case TFP_OPS:
    case TFP_OP_SOURCES: return op_help(name, table == TFP_OPS);
    }
    return NULL;
}

/* ---- profiles ---- */

tfp_profile *tfp_profile_new(void)
{
    tfp_profile *p = calloc(1, sizeof *p);
    if (!p) return NULL;
    p->keep = TFP_KEEP_MEMORY | TFP_KEEP_PROGRAM;
    p->arena.limit = MEMORY_LEAST;
    p->time_grain_ns = 1000;
    if (tfp_strtab_init(&p->strings, &p->arena) == TFP_OK) return p;
    tfp_profile_free(p);
    return NULL;
}

void tfp_profile_free(tfp_profile *p)
{
    if (!p) return;
    if (p->checkpoint && p->checkpoint_free) p->checkpoint_free(p->checkpoint);
    tfp_program_free(p->program);
    tfp_vec_free(&p->nodes);
    tfp_vec_free(&p->types);
    tfp_vec_free(&p->inputs);
    tfp_vec_free(&p->outputs);
    tfp_vec_free(&p->shapes);
    tfp_vec_free(&p->dims);
    tfp_vec_free(&p->run_shapes);
    tfp_vec_free(&p->steps);
    tfp_vec_free(&p->step_order);
    tfp_vec_free(&p->execs);
    tfp_vec_free(&p->lanes);
    tfp_vec_free(&p->details);
    tfp_vec_free(&p->spans);
    tfp_events_free(&p->events);
    tfp_vec_free(&p->memories);
    tfp_vec_free(&p->buffers);
    tfp_vec_free(&p->allocations);
    tfp_vec_free(&p->frames);
    tfp_vec_free(&p->trace_frames);
    tfp_vec_free(&p->traces);
    tfp_vec_free(&p->attrs);
    tfp_vec_free(&p->run_output_bytes);
    tfp_vec_free(&p->coverage);
    tfp_vec_free(&p->warnings);
    tfp_vec_free(&p->sources);
    tfp_vec_free(&p->node_by_name);
    tfp_map64_free(&p->types_by_node);
    tfp_map64_free(&p->run_shape_by_output);
    tfp_map64_free(&p->step_by_id);
    tfp_map64_free(&p->lane_by_name);
    tfp_map64_free(&p->frame_by_hash);
    tfp_map64_free(&p->trace_by_hash);
    tfp_strtab_free(&p->strings);
    tfp_arena_free(&p->arena);
    free(p);
}

tfp_status tfp_profile_keep(tfp_profile *p, unsigned keep)
{
    if (!p || keep > (TFP_KEEP_ALL | TFP_KEEP_FUNCTIONS | TFP_KEEP_PROGRAM)) return TFP_BADARG;
    p->keep = keep;
    return TFP_OK;
}

tfp_status tfp_profile_on_progress(tfp_profile *p, tfp_progress_fn fn, void *ctx)
{
    if (!p) return TFP_BADARG;
    p->progress = fn;
    p->progress_ctx = ctx;
    return TFP_OK;
}

/* The surest format. A file that none knows is named by what it is not. */
static const tfp_format *recognise(tfp_str head, uint64_t total, tfp_error *err)
{
    const tfp_format *best = NULL;
    int sure = 0;
    for (size_t i = 0; tfp_formats[i]; i++) {
        int n = tfp_formats[i]->probe ? tfp_formats[i]->probe(head, total) : 0;
        if (n > sure) {
            sure = n;
            best = tfp_formats[i];
        }
    }
    if (!best)
        tfp_fail(err, TFP_BADFILE, "%s", total ? "not a profile, graph, run_meta, op_log or checkpoint" : "empty file");
    return best;
}

#define HEAD ((size_t)64 << 10) /* bytes by which a file is known */

static tfp_status read_input(tfp_profile *p, const tfp_format *f, tfp_input *in, tfp_error *err)
{
    tfp_builder b = { .p = p, .file = in->name };
    tfp_str head;
    tfp_status s = tfp_input_peek(in, HEAD, &head, err);
    if (!s && in->total == 0) s = tfp_fail(err, TFP_BADFILE, "empty file");
    if (!s && !f && !(f = recognise((tfp_str){ head.data, head.size < HEAD ? head.size : HEAD }, in->total, err)))
        s = TFP_BADFILE;
    if (s) return s;
    in->progress = p->progress;
    in->progress_ctx = p->progress_ctx;
    p->stored += in->stored;
    if (memory_for(p, in) > p->arena.limit) p->arena.limit = memory_for(p, in);
    s = f->read(&b, in, err);
    return s ? s : tfp_builder_status(&b, err);
}

static const tfp_format *recognise_path(const char *path)
{
    for (size_t i = 0; tfp_formats[i]; i++)
        if (tfp_formats[i]->probe_path && tfp_formats[i]->probe_path(path)) return tfp_formats[i];
    return NULL;
}

static tfp_status check_add(tfp_profile *p, const char *format, const char *name, const tfp_format **f, tfp_error *err)
{
    tfp_error_clear(err);
    if (!p || !name) return tfp_fail(err, TFP_BADARG, "no profile, or no file's name");
    *f = tfp_format_find(format);
    if (format && !*f) return tfp_fail(err, TFP_BADARG, "no format '%s'", format);
    p->finished = false;
    char *copy = tfp_arena_copy(&p->arena, tfp_str_of(name));
    return copy && tfp_push(&p->sources, copy) ? TFP_OK : tfp_nomem(err);
}

tfp_status tfp_profile_add_file(tfp_profile *p, const char *format, const char *path, tfp_error *err)
{
    const tfp_format *f = NULL;
    tfp_status s = check_add(p, format, path, &f, err);
    if (s) return s;
    if (!f) f = recognise_path(path);
    if (f && f->read_path && (!f->read || (f->probe_path && f->probe_path(path)))) {
        tfp_builder b = { .p = p, .file = path };
        if (p->arena.limit < MEMORY_FLOOR) p->arena.limit = MEMORY_FLOOR;
        s = f->read_path(&b, path, err);
        return tfp_within_file(err, s ? s : tfp_builder_status(&b, err), path);
    }
    tfp_input in;
    s = tfp_input_open(&in, path, err);
    if (!s) s = read_input(p, f, &in, err);
    tfp_input_close(&in);
    return tfp_within_file(err, s, path);
}

tfp_status tfp_profile_add_descriptor(tfp_profile *p, const char *format, const char *name, int fd, tfp_error *err)
{
    const tfp_format *f = NULL;
    tfp_status s = check_add(p, format, name, &f, err);
    if (s) return s;
    if (f && !f->read) return tfp_fail(err, TFP_BADARG, "%s: a %s is read by its path only", name, format);
    int own = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    if (own < 0) return tfp_fail(err, TFP_BADFILE, "%s: not an open descriptor", name);
    tfp_input in;
    s = tfp_input_descriptor(&in, name, own, err);
    if (!s) s = read_input(p, f, &in, err);
    tfp_input_close(&in);
    return tfp_within_file(err, s, name);
}

tfp_status tfp_profile_add_bytes(tfp_profile *p, const char *format, const char *name, const void *data, size_t size,
                                 tfp_error *err)
{
    const tfp_format *f = NULL;
    tfp_status s = check_add(p, format, name, &f, err);
    if (s) return s;
    if (size && !data) return tfp_fail(err, TFP_BADARG, "no data");
    if (f && !f->read) return tfp_fail(err, TFP_BADARG, "%s: a %s is read from files only", name, format);
    tfp_input in;
    s = tfp_input_memory(&in, name, data, size, err);
    if (!s) s = read_input(p, f, &in, err);
    tfp_input_close(&in);
    return tfp_within_file(err, s, name);
}

static const char *recognise_input(tfp_input *in, tfp_status s, const char *name, tfp_error *err)
{
    const tfp_format *f = NULL;
    tfp_str head;
    if (!s) s = tfp_input_peek(in, HEAD, &head, err);
    if (!s) f = recognise((tfp_str){ head.data, head.size < HEAD ? head.size : HEAD }, in->total, err);
    tfp_input_close(in);
    if (!f) tfp_within_file(err, s ? s : TFP_BADFILE, name);
    return f ? f->name : NULL;
}

const char *tfp_recognise_file(const char *path, tfp_error *err)
{
    tfp_error_clear(err);
    if (!path) return tfp_fail(err, TFP_BADARG, "no file's name"), NULL;
    const tfp_format *f = recognise_path(path);
    if (f) return f->name;
    tfp_input in;
    tfp_status s = tfp_input_open(&in, path, err);
    return recognise_input(&in, s, path, err);
}

const char *tfp_recognise_bytes(const char *name, const void *data, size_t size, tfp_error *err)
{
    tfp_error_clear(err);
    if (!name || (size && !data)) return tfp_fail(err, TFP_BADARG, "no name, or no data"), NULL;
    tfp_input in;
    tfp_status s = tfp_input_memory(&in, name, data, size, err);
    return recognise_input(&in, s, name, err);
}

const char *tfp_recognise_start(const char *name, const void *data, size_t size, uint64_t total, tfp_error *err)
{
    tfp_error_clear(err);
    if (!name || !data || size > total)
        return tfp_fail(err, TFP_BADARG, "no name, no data, or more than all of it"), NULL;
    tfp_input in;
    tfp_str head;
    const tfp_format *f = NULL;
    tfp_status s = tfp_input_start(&in, name, (tfp_str){ data, size }, HEAD, total, err);
    if (!s) {
        head = (tfp_str){ in.buffer, in.filled < HEAD ? in.filled : HEAD };
        f = recognise(head, in.total, err);
    }
    tfp_input_close(&in);
    if (!f) tfp_within_file(err, s ? s : TFP_BADFILE, name);
    return f ? f->name : NULL;
}

tfp_status tfp_profile_next_step(tfp_profile *p, int64_t step)
{
    if (!p) return TFP_BADARG;
    p->next_step = step;
    p->has_next_step = true;
    return TFP_OK;
}

/* What is found only when all files are there is told of the first of them: the graph or the whole profile. */
tfp_status tfp_profile_finish(tfp_profile *p, tfp_error *err)
{
    tfp_error_clear(err);
    if (!p) return tfp_fail(err, TFP_BADARG, "no profile");
    tfp_builder b = { .p = p, .file = tfp_first_source(p) };
    tfp_status s = tfp_build_finish(&b, err);
    if (!s) s = tfp_parameters_mark(&b, err);
    if (s) p->finished = false;
    return s;
}

const char *tfp_profile_warning(const tfp_profile *p, size_t i)
{
    return p && i < p->warnings.size ? p->warnings.at[i].line : NULL;
}

double tfp_profile_coverage(const tfp_profile *p, size_t i)
{
    return p && i < p->coverage.size ? p->coverage.at[i] : -1;
}

size_t tfp_profile_step_count(const tfp_profile *p) { return p ? p->step_order.size : 0; }

int64_t tfp_profile_step(const tfp_profile *p, size_t i)
{
    return p && i < p->step_order.size ? p->steps.at[p->step_order.at[i]].id : -1;
}

size_t tfp_profile_node_count(const tfp_profile *p) { return p ? p->nodes.size : 0; }

const char *tfp_profile_node_name(const tfp_profile *p, size_t i)
{
    return p && i < p->nodes.size ? tfp_text(p, p->nodes.at[i].name).data : NULL;
}

tfp_status tfp_profile_write(const tfp_profile *p, tfp_write_fn fn, void *ctx, tfp_error *err)
{
    tfp_error_clear(err);
    if (!p || !p->finished || !fn) return tfp_fail(err, TFP_BADARG, "no finished profile, or nowhere to write");
    if (p->details.size < p->execs.size)
        return tfp_fail(err, TFP_BADARG, "the profile was read without TFP_KEEP_MEMORY");
    tfp_sink sink;
    tfp_sink_start(&sink, fn, ctx);
    tfp_status s = tfp_write_profile_proto(p, &sink, err), end = tfp_sink_end(&sink, s ? NULL : err);
    return s ? s : end;
}

tfp_status tfp_profile_write_file(const tfp_profile *p, const char *path, tfp_error *err)
{
    tfp_error_clear(err);
    if (!path) return tfp_fail(err, TFP_BADARG, "no path");
    tfp_outfile f;
    tfp_status s = tfp_outfile_open(&f, path, err);
    if (s) return s;
    s = tfp_profile_write(p, tfp_outfile_write, &f, err);
    if (s == TFP_BADOUTPUT || !s) s = tfp_outfile_finish(&f, err);
    tfp_outfile_abandon(&f);
    return s;
}

tfp_status tfp_write_file(const char *path, const void *data, size_t size, tfp_error *err)
{
    tfp_error_clear(err);
    if (!path || (!data && size)) return tfp_fail(err, TFP_BADARG, "no path, or no data");
    tfp_outfile f;
    tfp_status s = tfp_outfile_open(&f, path, err);
    if (s) return s;
    if (size) tfp_outfile_write(&f, data, size);
    s = tfp_outfile_finish(&f, err);
    tfp_outfile_abandon(&f);
    return s;
}

/* ---- reports ---- */

static tfp_status find_step(tfp_report *r, tfp_error *err)
{
    const tfp_profile *p = r->profile;
    int64_t asked = r->options->step;
    r->step = TFP_NONE;
    if (asked < 0) return TFP_OK;
    uint32_t at = tfp_find_step(p, asked);
    if (at != TFP_NONE && p->steps.at[at].listed) {
        r->step = at;
        return TFP_OK;
    }
    tfp_buf known = { 0 };
    size_t n = tfp_profile_step_count(p);
    for (size_t i = 0; i < n && i < 50; i++)
        tfp_buf_printf(&known, "%s%lld", i ? " " : "", (long long)tfp_profile_step(p, i));
    if (n > 50) tfp_buf_text(&known, " ...");
    tfp_fail(err, TFP_NOTFOUND, "step %lld not found (%s%.*s)", (long long)asked, n ? "steps " : "no steps",
             (int)known.size, known.data ? known.data : "");
    tfp_buf_free(&known);
    return tfp_within_file(err, TFP_NOTFOUND, tfp_first_source(p));
}

/* A match without memory says no, and the report would be another one. */
static unsigned failed_matches(const tfp_options *o)
{
    unsigned n = 0;
    for (size_t i = 0; i < TFP_F_COUNT; i++) n += tfp_filter_failures(o->filters[i]);
    return n;
}

static tfp_status start_reach(tfp_report *r, tfp_error *err)
{
    size_t count = r->profile->nodes.size;
    r->reach = r->options->compat10 ? NULL : TFP_NEW(&r->arena, tfp_reach, count);
    if (r->options->compat10) return TFP_OK;
    if (!r->reach) return tfp_nomem(err);
    for (size_t i = 0; i < count; i++) r->reach[i].row = TFP_NONE;
    return TFP_OK;
}

static tfp_status build(tfp_report *r, const tfp_view *view, tfp_error *err)
{
    unsigned failed_before = failed_matches(r->options);
    r->view = view->name;
    r->about = view;
    r->kind = view->kind;
    r->values = tfp_options_values(r->options);
    tfp_status s = tfp_checkers_known(r->options->checkers, err);
    if (!s && r->options->reach) s = start_reach(r, err);
    if (!s) s = find_step(r, err);
    if (!s && r->options->max_depth < 1 && r->kind != TFP_REPORT_FINDINGS && r->kind != TFP_REPORT_GRID)
        s = tfp_report_note_add(r, err, "max_depth %lld %s", (long long)r->options->max_depth,
                                r->kind == TFP_REPORT_LIST ? "shows at most the first type" : "works as 1");
    if (!s && r->kind != TFP_REPORT_GRID) s = tfp_counts_start(r, err);
    if (!s && r->kind != TFP_REPORT_GRID) s = tfp_parameters_start(r, err);
    if (!s) s = view->build(r, err);
    if (!s && failed_matches(r->options) != failed_before) s = tfp_nomem(err);
    if (!s && r->clamped)
        s = tfp_report_note_add(r, err, "%s: sums too big for 64 bits, clamped", tfp_first_source(r->profile));
    return s;
}

tfp_status tfp_report_build(const tfp_profile *p, const char *view, const tfp_options *o, tfp_report **out,
                            tfp_error *err)
{
    tfp_error_clear(err);
    if (out) *out = NULL;
    if (!p || !view || !out || !p->finished) return tfp_fail(err, TFP_BADARG, "no finished profile, or no view's name");
    const tfp_view *v = tfp_view_find(view);
    if (!v) return tfp_fail(err, TFP_NOTFOUND, "no view '%s'", view);
    tfp_report *r = calloc(1, sizeof *r);
    if (!r) return tfp_nomem(err);
    r->profile = p;
    r->options = o ? tfp_options_copy(o) : tfp_options_new();
    tfp_status s = r->options ? build(r, v, err) : tfp_nomem(err);
    if (s)
        tfp_report_free(r);
    else
        *out = r;
    return s;
}

void tfp_report_free(tfp_report *r)
{
    if (!r) return;
    for (size_t i = 0; i < r->tensors.size; i++) {
        tfp_tensor_free(r->tensors.at[i]);
        free(r->tensors.at[i]);
    }
    tfp_vec_free(&r->tensors);
    tfp_vec_free(&r->rows);
    tfp_vec_free(&r->findings);
    tfp_vec_free(&r->grid.columns);
    tfp_vec_free(&r->facts);
    for (size_t i = 0; i < r->parts.size; i++) tfp_vec_free(&r->parts.at[i].grid.columns);
    tfp_vec_free(&r->parts);
    tfp_vec_free(&r->notes);
    tfp_vec_free(&r->over);
    if (r->code) tfp_vec_free(&r->code->items);
    tfp_options_free(r->options);
    tfp_arena_free(&r->arena);
    free(r);
}

const char *tfp_report_note(const tfp_report *r, size_t i) { return r && i < r->notes.size ? r->notes.at[i] : NULL; }
int tfp_report_is_table(const tfp_report *r) { return r && r->kind == TFP_REPORT_GRID; }

size_t tfp_report_row_count(const tfp_report *r)
{
    return !r ? 0 : r->kind == TFP_REPORT_GRID ? r->grid.row_count : r->rows.size;
}

const char *tfp_report_row_name(const tfp_report *r, size_t row)
{
    return r && row < r->rows.size ? r->rows.at[row].name.data : NULL;
}

size_t tfp_report_row_parent(const tfp_report *r, size_t row)
{
    return r && row < r->rows.size ? r->rows.at[row].parent : 0;
}

int64_t tfp_report_value(const tfp_report *r, size_t row, const char *column, int total)
{
    int c = column ? tfp_column_find(tfp_str_of(column)) : -1;
    int value = c < 0 ? -1 : tfp_value_of(&tfp_columns[c]);
    if (!r || row >= r->rows.size || value < 0) return 0;
    tfp_value v = (tfp_value)value;
    return total ? tfp_total(r, (uint32_t)row, v) : tfp_own(r, (uint32_t)row, v);
}

size_t tfp_report_finding_count(const tfp_report *r, const char *checker)
{
    size_t n = 0;
    if (!checker) return r ? r->findings.size : 0;
    for (size_t i = 0; r && i < r->findings.size; i++)
        n += tfp_str_eq(r->rows.at[r->findings.at[i].checker].name, tfp_str_of(checker));
    return n;
}

/* ---- a report as a flat table ---- */

const char *tfp_report_column(const tfp_report *r, size_t i)
{
    tfp_flat f;
    return r && tfp_table_column(r, false, i, &f) ? f.name : NULL;
}

char tfp_report_column_type(const tfp_report *r, const char *column)
{
    tfp_flat f;
    return r && column && tfp_table_find(r, column, &f) ? f.type : '\0';
}

/* The column of a cell; false when there is no such cell. */
static bool flat_at(const tfp_report *r, size_t row, const char *column, tfp_flat *f)
{
    return r && column && row < tfp_table_rows(r) && tfp_table_find(r, column, f);
}

int tfp_report_int(const tfp_report *r, size_t row, const char *column, int64_t *out)
{
    tfp_flat f;
    int64_t n;
    if (!flat_at(r, row, column, &f) || !tfp_flat_int(&f, r, (uint32_t)row, &n)) return 0;
    if (out) *out = n;
    return 1;
}

int tfp_report_real(const tfp_report *r, size_t row, const char *column, double *out)
{
    tfp_flat f;
    int64_t n;
    double x;
    if (!flat_at(r, row, column, &f)) return 0;
    if (!tfp_flat_real(&f, r, (uint32_t)row, &x)) {
        if (!tfp_flat_int(&f, r, (uint32_t)row, &n)) return 0;
        x = (double)n;
    }
    if (out) *out = x;
    return 1;
}

int tfp_report_absent(const tfp_report *r, size_t row, const char *column)
{
    tfp_flat f;
    if (!flat_at(r, row, column, &f)) return 1;
    if (f.type == 's') return f.grid && f.grid->absent && f.grid->absent[row];
    return !tfp_report_real(r, row, column, NULL);
}

size_t tfp_report_string(const tfp_report *r, size_t row, const char *column, char *out, size_t room)
{
    tfp_flat f;
    tfp_buf text = { 0 };
    if (flat_at(r, row, column, &f)) {
        tfp_cells cells = tfp_cells_of(r);
        tfp_flat_text(&f, &cells, (uint32_t)row, &text);
        tfp_cells_free(&cells);
    }
    give_text((tfp_str){ text.data, text.failed ? 0 : text.size }, out, room);
    size_t need = text.failed ? SIZE_MAX : text.size;
    tfp_buf_free(&text);
    return need;
}

size_t tfp_report_finding(const tfp_report *r, size_t i, const char **checker, char *out, size_t room)
{
    bool there = r && i < r->findings.size;
    if (checker) *checker = there ? r->rows.at[r->findings.at[i].checker].name.data : NULL;
    return tfp_report_string(r, i, there ? "report" : NULL, out, room);
}

tfp_status tfp_report_arrow(const tfp_report *r, struct ArrowArrayStream *out, tfp_error *err)
{
    tfp_error_clear(err);
    if (out) *out = (struct ArrowArrayStream){ 0 };
    if (!r || !out) return tfp_fail(err, TFP_BADARG, "no report, or no stream to fill");
    return tfp_arrow_export(r, TFP_ARROW_ROWS, TFP_ARROW_TEXT, out, err);
}

void tfp_arrow_release(struct ArrowArrayStream *stream)
{
    if (stream && stream->release) stream->release(stream);
}

tfp_status tfp_report_write(const tfp_report *r, const char *output, tfp_write_fn fn, void *ctx, tfp_error *err)
{
    tfp_error_clear(err);
    if (!r || !output || !fn) return tfp_fail(err, TFP_BADARG, "no report, no output's name, or nowhere to write");
    const tfp_output_format *f = tfp_output_find(output);
    if (!f) return tfp_fail(err, TFP_NOTFOUND, "no output '%s'", output);
    tfp_sink sink;
    tfp_sink_start(&sink, fn, ctx);
    tfp_status s = f->write(r, &sink, err);
    if (s) sink.buf.size = 0; /* nothing half written */
    tfp_status end = tfp_sink_end(&sink, s ? NULL : err);
    return s ? s : end;
}

tfp_status tfp_report_write_file(const tfp_report *r, const char *output, const char *path, tfp_error *err)
{
    tfp_error_clear(err);
    if (!path) return tfp_fail(err, TFP_BADARG, "no path");
    tfp_outfile f;
    tfp_status s = tfp_outfile_open(&f, path, err);
    if (s) return s;
    s = tfp_report_write(r, output, tfp_outfile_write, &f, err);
    if (!s || (s == TFP_BADOUTPUT && f.error)) s = tfp_outfile_finish(&f, err);
    tfp_outfile_abandon(&f);
    return s;
}
