// SPDX-License-Identifier: Apache-2.0
/* formats/json/inspector.c: files of NCCL's inspector plugin: JSON lines, one file per process, one line for each
 * collective or transfer between two ranks, with its size and duration. The lines do not tell when it began, so they
 * become rows of the view transfer and no spans. Layout: github.com/NVIDIA/nccl, ext-profiler/inspector, version
 * 4.0. */
#include "formats/files/format.h"
#include "formats/json/text.h"
#include "model/builder.h"
#include "model/files/collectives.h"
#include "model/tables/events.h"
#include "model/tables/graph.h"
#include "model/tables/profile.h"
#include "model/tables/samples.h"

typedef struct line_fields {
    tfp_strid kind, group;
    int64_t rank, ranks, bytes;
    double micros;
    bool known_rank, known_bytes, known_time;
} line_fields;

typedef struct reader {
    tfp_builder *b;
    size_t lines, odd, others;
} reader;

static tfp_strid string_of(reader *r, tfp_jscan *j)
{
    tfp_jscan_value v;
    tfp_jscan_value_of(j, &v);
    if (j->fault || v.kind != TFP_JSCAN_STRING) return 0;
    return tfp_json_string(r->b, &v.text);
}

static bool number_of(tfp_jscan *j, int64_t *out)
{
    tfp_jscan_value v;
    tfp_jscan_value_of(j, &v);
    if (j->fault || v.kind != TFP_JSCAN_INT || v.number < 0) return false;
    *out = v.number;
    return true;
}

static bool micros_of(tfp_jscan *j, double *out)
{
    tfp_jscan_value v;
    tfp_jscan_value_of(j, &v);
    *out = v.kind == TFP_JSCAN_INT ? (double)v.number : v.kind == TFP_JSCAN_REAL ? v.real : -1;
    return !j->fault && *out >= 0 && *out < 9e15;
}

static bool is(tfp_jscan_text key, const char *word) { return tfp_str_eq(key.raw, tfp_str_of(word)); }

static void read_header(reader *r, tfp_jscan *j, line_fields *to)
{
    tfp_jscan_text key;
    if (tfp_jscan_peek(j) != '{') {
        tfp_jscan_skip(j);
        return;
    }
    tfp_jscan_take(j, '{', "an object is expected");
    for (bool first = true; tfp_jscan_member(j, first, &key); first = false) {
        if (is(key, "comm_name"))
            to->group = string_of(r, j);
        else if (is(key, "rank"))
            to->known_rank = number_of(j, &to->rank);
        else if (is(key, "n_ranks"))
            number_of(j, &to->ranks);
        else
            tfp_jscan_skip(j);
    }
}

/* Reads "coll_perf" or "p2p_perf", whose members begin with "coll" or "p2p". */
static void read_perf(reader *r, tfp_jscan *j, tfp_str prefix, line_fields *to)
{
    tfp_jscan_text key;
    if (tfp_jscan_peek(j) != '{') {
        tfp_jscan_skip(j);
        return;
    }
    tfp_jscan_take(j, '{', "an object is expected");
    for (bool first = true; tfp_jscan_member(j, first, &key); first = false) {
        bool ours = tfp_str_begins(key.raw, prefix);
        tfp_str rest = ours ? (tfp_str){ key.raw.data + prefix.size, key.raw.size - prefix.size } : key.raw;
        if (ours && !rest.size)
            to->kind = string_of(r, j);
        else if (ours && tfp_str_eq(rest, TFP_STR("_msg_size_bytes")))
            to->known_bytes = number_of(j, &to->bytes);
        else if (ours && tfp_str_eq(rest, TFP_STR("_exec_time_us")))
            to->known_time = micros_of(j, &to->micros);
        else
            tfp_jscan_skip(j);
    }
}

static void add_row(reader *r, const line_fields *f)
{
    tfp_timed_collective row = {
        .rank = f->rank, .group_size = f->ranks, .bytes = f->bytes, .kind = f->kind, .group = f->group
    };
    row.duration_ns = (int64_t)(f->micros * 1000 + 0.5);
    if (!tfp_push(r->b->p->timed, row)) r->b->status = TFP_NOMEM;
}

static void read_line(reader *r, tfp_str line)
{
    line_fields f = { .ranks = -1 };
    tfp_jscan_text key;
    tfp_jscan j = tfp_jscan_start(line);
    bool perf = false;
    r->lines++;
    if (!tfp_jscan_take(&j, '{', "a line is no object")) {
        r->odd++;
        return;
    }
    for (bool first = true; tfp_jscan_member(&j, first, &key); first = false) {
        bool collective = is(key, "coll_perf"), pair = is(key, "p2p_perf");
        perf |= collective || pair;
        if (is(key, "header"))
            read_header(r, &j, &f);
        else if (collective || pair)
            read_perf(r, &j, collective ? TFP_STR("coll") : TFP_STR("p2p"), &f);
        else
            tfp_jscan_skip(&j);
    }
    bool whole = !j.fault && f.kind && f.known_rank && f.known_bytes && f.known_time;
    if (whole)
        add_row(r, &f);
    else if (j.fault || perf)
        r->odd++;
    else
        r->others++;
}

static bool next_line(tfp_input *in, tfp_str *line, tfp_status *s, tfp_error *err)
{
    enum { FIRST = 4096, LINE_MOST = 1 << 20 };
    uint64_t left = tfp_input_left(in);
    if (*s || !left) return false;
    for (size_t size = FIRST;; size *= 4) {
        tfp_str seen;
        if ((*s = tfp_input_peek(in, size, &seen, err))) return false;
        const char *end = seen.size ? memchr(seen.data, '\n', seen.size) : NULL;
        if (!end && seen.size >= size && size < LINE_MOST) continue;
        if (!end && seen.size >= LINE_MOST) {
            *s = tfp_fail(err, TFP_BADFILE, "byte %llu: a line of more than %d bytes",
                          (unsigned long long)tfp_input_at(in), LINE_MOST);
            return false;
        }
        *line = (tfp_str){ seen.data, end ? (size_t)(end - seen.data) : seen.size };
        return true;
    }
}

static tfp_status read_inspector(tfp_builder *b, tfp_input *in, tfp_error *err)
{
    reader r = { .b = b };
    size_t before = b->p->timed->size;
    tfp_str line;
    tfp_status s = TFP_OK;
    if (b->p->graph->nodes.size || b->p->events->processes.size || b->p->sampled->samples.size)
        return tfp_fail(err, TFP_BADARG,
                        "lines of NCCL's inspector cannot be combined with other files: they have no times");
    while (!b->status && next_line(in, &line, &s, err)) {
        if (line.size) read_line(&r, line);
        bool last = line.size >= tfp_input_left(in);
        s = tfp_input_skip(in, line.size + !last, err);
    }
    if (r.odd)
        tfp_build_warn_many(b, "lines that are cut short or lack rank, name, size or time, left out", TFP_STR(""),
                            r.odd);
    if (!s && !b->status && b->p->timed->size == before)
        s = tfp_fail(err, TFP_BADFILE, "no collective in %zu line%s", r.lines, r.lines == 1 ? "" : "s");
    return s ? s : tfp_builder_status(b, err);
}

static int probe(tfp_str head, uint64_t total)
{
    (void)total;
    bool perf = tfp_str_has(head, TFP_STR("\"coll_perf\"")) || tfp_str_has(head, TFP_STR("\"p2p_perf\""));
    return perf && head.data[0] == '{' && tfp_str_has(head, TFP_STR("\"n_ranks\"")) ? 93 : 0;
}

const tfp_format tfp_format_inspector = {
    .name = "inspector",
    .help = "lines of NCCL's inspector plugin, a file for each process: collectives with sizes and times, for transfer",
    .probe = probe,
    .read = read_inspector,
    .stands = TFP_FORMAT_IS(RANKS),
    .in_windows = true,
};
