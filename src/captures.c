// SPDX-License-Identifier: Apache-2.0
/* captures.c: the formats "capture", a trace of the time when CUDA or HIP graphs were captured, and "eager", a run of the model without
 * graphs. Each is read into a separate profile, of which only the places of launches are kept: its own time and calls are not
 * counted. In: a trace of PyTorch. Out: rows of the builder's captured graphs, with the float operations of each captured call,
 * or of its passes. */
#include "flops/aten/captured.h"
#include "formats/files/folder.h"
#include "formats/files/format.h"
#include "model/graphs/eager.h"
#include "model/tables/profile.h"
#include "model/tables/sources.h"

/* Counts the float operations of the operators around the captured launches. */
static bool count_calls(tfp_graph_tables *g, const tfp_profile *p, size_t from)
{
    tfp_aten_work w = { 0 };
    if (!tfp_aten_has_shapes(p)) return true;
    if (!tfp_aten_work_out(p, &w)) return false;
    bool ok = tfp_aten_count_captured(g, p, &w, from, false);
    g->file_calls = g->calls.size;
    tfp_aten_work_free(&w);
    return ok;
}

/* Copies the reader's warnings about the file. */
static void take_warnings(tfp_builder *b, const tfp_profile *from)
{
    for (size_t i = 0; i < from->files->warnings.size; i++) {
        const tfp_warning *w = &from->files->warnings.at[i];
        tfp_build_warn_many(b, w->what, tfp_str_of(w->first ? w->first : ""), w->count);
    }
}

static tfp_status take(tfp_builder *b, tfp_profile *from, tfp_error *err)
{
    tfp_graph_tables *g = b->p->captures;
    tfp_graphs_drop_own(g);
    size_t first = g->launches.size, graphs = g->captured.size;
    g->given = true;
    if (!tfp_graphs_collect(b, from, false) || !count_calls(g, from, first)) return tfp_nomem(err);
    g->file_graphs = g->captured.size;
    g->file_launches = g->launches.size;
    b->p->events->joined_events = SIZE_MAX; /* forces the join to run again for all events */
    take_warnings(b, from);
    if (g->captured.size == graphs) tfp_build_warn(b, "no graph was captured in the trace", TFP_STR(""));
    return tfp_builder_status(b, err);
}

static tfp_status take_eager(tfp_builder *b, tfp_profile *from, tfp_error *err)
{
    tfp_status s = tfp_eager_collect(b, from, err);
    if (s) return s;
    b->p->events->joined_events = SIZE_MAX; /* forces the join to run again for all events */
    take_warnings(b, from);
    return tfp_builder_status(b, err);
}

static tfp_status read_apart(tfp_builder *b, tfp_input *in,
                             tfp_status (*use)(tfp_builder *, tfp_profile *, tfp_error *), tfp_error *err)
{
    tfp_profile *p = tfp_profile_new();
    tfp_builder own = { .p = p, .file = in->name };
    if (!p) return tfp_nomem(err);
    p->arena.limit = b->p->arena.limit;
    char *name = tfp_arena_copy(&p->arena, tfp_str_of(in->name));
    tfp_status s = name && tfp_push(&p->files->sources, name) && tfp_push(&p->files->formats, tfp_format_kineto.name)
                       ? TFP_OK
                       : tfp_nomem(err);
    if (!s) s = tfp_format_kineto.read(&own, in, err);
    if (!s) s = tfp_build_finish(&own, err);
    if (!s) s = use(b, p, err);
    tfp_profile_free(p);
    return s;
}

static tfp_status read_capture(tfp_builder *b, tfp_input *in, tfp_error *err) { return read_apart(b, in, take, err); }
static tfp_status read_eager(tfp_builder *b, tfp_input *in, tfp_error *err)
{
    return read_apart(b, in, take_eager, err);
}

/* Lists all traces of a folder, by name. */
static tfp_status list_captures(const char *path, tfp_buf *paths, tfp_error *err)
{
    tfp_names names = { 0 };
    char file[TFP_PATH_ROOM];
    if (!tfp_names_of(path, &names)) return tfp_nomem(err);
    for (size_t i = 0; i < names.size; i++) {
        bool trace = tfp_name_ends(names.at[i], ".json") || tfp_name_ends(names.at[i], ".json.gz");
        if (!trace || strcmp(names.at[i], "kernel_information.json") == 0) continue;
        if (!tfp_path_join(file, path, names.at[i]) || tfp_is_folder(file)) continue;
        tfp_buf_add(paths, file, strlen(file) + 1);
    }
    tfp_names_free(&names);
    if (paths->failed) return tfp_nomem(err);
    return paths->size ? TFP_OK : tfp_fail(err, TFP_BADFILE, "is a folder without traces (*.json, *.json.gz)");
}

const tfp_format tfp_format_capture = {
    .name = "capture",
    .help = "traces of PyTorch in which CUDA or HIP graphs were captured, or a folder with them: "
            "the modules, ops and lines of what the graphs replay",
    .read = read_capture,
    .stands = TFP_FORMAT_IS(SEVERAL) | TFP_FORMAT_IS(PART),
    .takes_cut = true,
    .in_windows = true,
    .list = list_captures,
};

const tfp_format tfp_format_eager = {
    .name = "eager",
    .help = "traces of PyTorch of the same model without CUDA or HIP graphs, with stacks or modules, or a folder "
            "with them: the modules, ops and lines of what graphs replay",
    .read = read_eager,
    .stands = TFP_FORMAT_IS(SEVERAL) | TFP_FORMAT_IS(PART),
    .takes_cut = true,
    .in_windows = true,
    .list = list_captures,
};
