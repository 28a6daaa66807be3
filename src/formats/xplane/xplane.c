// SPDX-License-Identifier: Apache-2.0
/* formats/xplane/xplane.c: reads an XSpace file (NAME.xplane.pb), which TensorFlow's and JAX's profilers write, as a
 * trace. In: a file in windows. Out: calls on a tfp_builder: lanes, spans (or compact rows where only sums are asked for),
 * marks of steps, memory events; the join makes the nodes. Its parts: plane.c, line.c, compact.c, class.c; hlo/proto.c
 * reads the HLO modules in the file. Uses base, wire, model. Message layout: tsl/profiler/protobuf/xplane.proto. */
#include "formats/files/folder.h"
#include "formats/xplane/parts.h"
#include "model/event_builder.h"
#include "model/trace/compact.h"
#include "model/tables/events.h"
#include "model/tables/profile.h"
#include "model/tables/sources.h"
#include "query/order.h"

/* ---- recognizing such a file ---- */

static bool is_plane_name(tfp_str s)
{
    static const char *const begin[] = { "/host:",   "/device:", "/virtualdevice:", "Task Environment", "Host CPUs",
                                         "Syscalls", "#Chip" };
    for (size_t i = 0; i < sizeof begin / sizeof *begin; i++) {
        size_t n = strlen(begin[i]);
        if (s.size >= n && memcmp(s.data, begin[i], n) == 0) return true;
    }
    return false;
}

/* Takes the next field, of which perhaps only the beginning is in the head; false at the end, or where there is no
 * field. */
static bool next_partly(tfp_wire *w, uint64_t *tag, tfp_str *bytes)
{
    uint64_t size = 0;
    const uint8_t *at = w->at;
    if (at >= w->end || !tfp_wire_varint(w, &at, tag) || *tag < 8) return false;
    if ((*tag & 7) == TFP_VARINT || (*tag & 7) == TFP_BYTES) {
        if (!tfp_wire_varint(w, &at, &size)) return false;
    }
    if ((*tag & 7) == TFP_VARINT) size = 0;
    if ((*tag & 7) == TFP_FIXED64) size = 8;
    if ((*tag & 7) == TFP_FIXED32) size = 4;
    if ((*tag & 7) == TFP_GROUP || (*tag & 7) > TFP_FIXED32) return false;
    size_t left = (size_t)(w->end - at);
    *bytes = (tfp_str){ (const char *)at, size < left ? (size_t)size : left };
    w->at = at + bytes->size;
    return true;
}

/* The name of the first plane, possibly cut at the end of the head; empty when there is none. Newer writers may put
 * unknown fields before it. */
static tfp_str first_plane(tfp_str head)
{
    tfp_wire w = tfp_wire_start(head);
    tfp_str bytes;
    uint64_t tag = 0;
    while (tag != (1 << 3 | TFP_BYTES))
        if (!next_partly(&w, &tag, &bytes)) return (tfp_str){ "", 0 };
    w = tfp_wire_start(bytes);
    while (next_partly(&w, &tag, &bytes))
        if (tag == (2 << 3 | TFP_BYTES)) return bytes;
    return (tfp_str){ "", 0 };
}

static int probe(tfp_str head, uint64_t total)
{
    (void)total;
    if (is_plane_name(first_plane(head))) return 98;
    if (head.size < 2 || head.data[0] != '\n') return 0;
    if (head.size > 64) head.size = 64; /* it is damaged at its beginning already */
    return tfp_str_has(head, TFP_STR("/device:")) || tfp_str_has(head, TFP_STR("/host:CPU")) ? 40 : 0;
}

/* ---- the first pass: planes without their events ---- */

/* Bytes read at a time. Only the head of each line is read and its events are skipped, so a larger window would read
 * events in vain. */
#define HEADS_WINDOW ((size_t)16 << 10)

static tfp_status read_text(tfp_xreader *r, const tfp_field *f, tfp_error *err)
{
    tfp_wire w = tfp_input_wire(r->in, f);
    tfp_str text = tfp_field_bytes(&w, f);
    if (w.fault) return tfp_wire_end(&w, err);
    if (f->number == 2) tfp_xplane_tell(r, "warning", "errors that the recorder noted", text);
    if (f->number == 3) tfp_xplane_tell(r, "warning", "warnings that the recorder noted", text);
    if (f->number == 4) tfp_build_keep(r->b, tfp_push(&r->hosts, tfp_build_string(r->b, text)));
    return tfp_builder_status(r->b, err);
}

static tfp_status read_planes(tfp_xreader *r, tfp_error *err)
{
    tfp_status s = TFP_OK;
    while (!s && tfp_input_left(r->in) > 0) {
        tfp_field f;
        uint64_t at = tfp_input_at(r->in), size;
        if ((s = tfp_wire_peek_input(r->in, &f, &size, err))) break;
        if (f.number == 1 && f.type == TFP_BYTES) {
            s = tfp_within(err, tfp_xplane_read_plane(r, at + size - f.bytes.size, f.bytes.size, err), "plane %zu",
                           r->planes.size);
            if (!s) s = tfp_input_seek(r->in, at + size, err);
            continue;
        }
        if (!tfp_wire_next_input(r->in, &f, &s, err)) break;
        if (f.number >= 1 && f.number <= 4) s = read_text(r, &f, err);
    }
    return s;
}

/* ---- the process ---- */

#define EPOCH_LEAST INT64_C(100000000000000000) /* in ns: the year 1973; no trace takes that long */

/* Finds the base of times: lines of older writers count from 1970. All lines are shifted by the same amount. */
static void find_base(tfp_xreader *r)
{
    int64_t least = INT64_MAX;
    for (size_t i = 0; i < r->planes.size; i++) {
        const tfp_xplane *p = &r->planes.at[i];
        for (size_t k = 0; k < p->lines.size; k++)
            if (p->lines.at[k].timestamp_ns >= EPOCH_LEAST && p->lines.at[k].timestamp_ns < least)
                least = p->lines.at[k].timestamp_ns;
    }
    if (least == INT64_MAX) return;
    r->base_ns = r->found.profile_start_ns >= EPOCH_LEAST && r->found.profile_start_ns <= least
                     ? r->found.profile_start_ns
                     : least;
}

/* The host's name: from the file's contents, otherwise from its name, "HOST.xplane.pb". */
static tfp_strid host_of(tfp_xreader *r)
{
    if (r->hosts.size) return r->hosts.at[0];
    const char *slash = strrchr(r->in->name, '/');
    tfp_str name = tfp_str_of(slash ? slash + 1 : r->in->name);
    size_t at = tfp_str_find(name, TFP_STR(".xplane.pb"));
    return at == SIZE_MAX || at == 0 ? 0 : tfp_build_string(r->b, (tfp_str){ name.data, at });
}

static void build_process(tfp_xreader *r, size_t devices_before)
{
    tfp_process p = {
        .host = host_of(r), .pid = r->found.pid, .rank = -1, .source = (uint32_t)r->p->files->sources.size - 1
    };
    int64_t origin = r->base_ns ? r->base_ns : r->found.profile_start_ns;
    if (!r->p->files->sources.size) p.source = TFP_NONE;
    if (!r->p->about.origin_unix_ns)
        r->p->about.origin_unix_ns = origin;
    else if (origin)
        p.clock_offset_ns = tfp_add(origin, -r->p->about.origin_unix_ns, NULL);
    r->process = tfp_build_process(r->b, &p);
    for (size_t i = devices_before; i < r->p->events->devices.size; i++)
        r->p->events->devices.at[i].process = r->process;
}

/* ---- the second pass: events ---- */

/* Sorts runs of modules by start. */
static void sort_runs(tfp_xreader *r, tfp_xplane *p)
{
    static const tfp_sort_key by_start[] = { TFP_UP(tfp_xrun, start_ns), { 0 } };
    tfp_build_keep(r->b, tfp_order_rows(p->runs.at, sizeof *p->runs.at, p->runs.size, by_start));
}

/* Reads lines of modules before those of operations, which need to know the running module. */
static tfp_status read_lines(tfp_xreader *r, uint32_t plane, tfp_error *err)
{
    tfp_status s = tfp_xplane_read_lines(r, plane, true, err);
    if (!s) sort_runs(r, &r->planes.at[plane]);
    if (!s) s = tfp_xplane_read_lines(r, plane, false, err);
    return tfp_within(err, s, "plane %u", plane);
}

/* Uses runs of modules on the CPU as steps if there are no better ones. They belong to the thread of the last thunk. */
static void mark_thunks(tfp_xreader *r)
{
    for (size_t i = 0; i < r->thunks.list.size && !r->found.steps; i++) {
        const tfp_xthunks *t = &r->thunks.list.at[i];
        uint32_t span = t->span == TFP_NONE
                            ? tfp_xplane_marker(r, &(tfp_event){ .lane = t->lane, .start_ns = t->start_ns })
                            : t->span;
        tfp_step_mark m = { span, TFP_STEPS_MODULES, -1, t->module, t->run, t->end_ns, t->busy_ns };
        tfp_build_step_mark(r->b, &m);
    }
    if (!r->thunks.list.size || r->found.steps || r->thunks.last_span == TFP_NONE) return;
    const tfp_xthunks *last = &r->thunks.list.at[r->thunks.last];
    tfp_step_mark m = { r->thunks.last_span, TFP_STEPS_MODULES, -1, last->module, last->run, last->end_ns, 0 };
    tfp_build_step_mark(r->b, &m);
}

static void reader_free(tfp_xreader *r)
{
    for (size_t i = 0; i < r->planes.size; i++) tfp_xplane_free(&r->planes.at[i]);
    for (size_t i = 0; i < r->programs.modules.size; i++) tfp_hlo_free(&r->programs.modules.at[i]);
    tfp_vec_free(&r->planes);
    tfp_vec_free(&r->programs.modules);
    tfp_vec_free(&r->programs.numbers);
    tfp_vec_free(&r->hosts);
    tfp_vec_free(&r->classes.list);
    tfp_vec_free(&r->classes.stats);
    tfp_vec_free(&r->event.stats);
    tfp_vec_free(&r->event.values);
    tfp_vec_free(&r->thunks.list);
    tfp_map64_free(&r->thunks.by_run);
    tfp_map64_free(&r->programs.by_number);
    tfp_map64_free(&r->programs.by_name);
    tfp_map64_free(&r->classes.by_hash);
    tfp_map64_free(&r->only_by_module);
    tfp_buf_free(&r->event.unpacked);
    tfp_compact_writer_free(&r->compact);
}

static tfp_status read_xplane(tfp_builder *b, tfp_input *in, tfp_error *err)
{
    tfp_xreader r = {
        .b = b, .p = b->p, .in = in, .sums = tfp_keeps_sums(b->p), .rows = b->p->reads & TFP_READS_TIMES
    };
    size_t devices = b->p->events->devices.size;
    tfp_progress_fn progress = in->progress;
    in->progress = NULL; /* several planes are read, so positions do not measure progress */
    in->window = HEADS_WINDOW;
    tfp_status s = read_planes(&r, err);
    in->window = 0;
    if (!s && !r.planes.size) s = tfp_fail(err, TFP_BADFILE, "no planes: nothing was recorded");
    if (!s) {
        tfp_xplane_settle_eager(&r);
        r.graph_id = tfp_build_string(b, TFP_STR("cuda_graph_id"));
        if (r.found.graph_launches)
            r.sums = false; /* the places of activities follow from those around them, so spans are needed */
        find_base(&r);
        build_process(&r, devices);
        for (uint32_t i = 0; i < r.planes.size && !s; i++) {
            s = read_lines(&r, i, err);
            if (!s && progress && progress(in->progress_ctx, tfp_input_at(in), in->total))
                s = tfp_fail(err, TFP_CANCELLED, "cancelled");
        }
    }
    if (!s) mark_thunks(&r);
    if (!s) tfp_xplane_build_buffers(&r);
    for (size_t i = 0; i < r.programs.modules.size && !s; i++)
        if (r.programs.modules.at[i].ran) tfp_hlo_build_nodes(b, &r.programs.modules.at[i], true);
    if (!s && !r.found.events) tfp_build_warn(b, "no events: nothing was recorded", TFP_STR(""));
    if (!s) s = tfp_builder_status(b, err);
    reader_free(&r);
    in->progress = progress;
    return s;
}

const tfp_format tfp_format_xplane = {
    .name = "xplane",
    .help = "XPlane trace of TensorFlow 2 or JAX: NAME.xplane.pb, or the folder that holds such files",
    .probe = probe,
    .read = read_xplane,
    .stands = TFP_FORMAT_IS(RANKS),
    .probe_path = tfp_xplane_is_folder,
    .list = tfp_xplane_list,
};
