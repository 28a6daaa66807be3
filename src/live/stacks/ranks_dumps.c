// SPDX-License-Identifier: Apache-2.0
/* live/stacks/ranks_dumps.c: ranks of a job of which dumps of PyTorch's flight recorder are there, beside ranks that
 * run: a dump says the first collective that has not ended, its group and line. */
#include "live/stacks/ranks_dumps.h"
#include "model/files/flights.h"
#include "model/frames/kinds.h"
#include "model/span_names.h"
#include "model/tables/code.h"
#include "model/tables/read.h"
#include "model/tables/sources.h"
#include "options/cells.h"
#include "views/hang/hang.h"

static bool keep(tfp_arena *a, tfp_buf *text, tfp_str *out)
{
    *out = tfp_buf_move(text, a);
    return out->data != NULL;
}

/* The innermost line that is no library's, FILE:LINE:FUNCTION. */
static bool set_line(const tfp_profile *p, uint32_t trace, tfp_arena *a, tfp_rank_row *row)
{
    const tfp_code_tables *c = tfp_code_of(p);
    const tfp_trace *stack = trace == TFP_NONE ? NULL : &c->traces.at[trace];
    for (uint32_t i = stack ? stack->count : 0; i-- > 0;) {
        const tfp_code_frame *f = &c->frames.at[c->trace_frames.at[stack->first + i]];
        tfp_buf b = { 0 };
        if (tfp_is_library_file(tfp_text(p, f->file))) continue;
        tfp_buf_str(&b, tfp_text(p, f->file));
        tfp_buf_printf(&b, ":%lld:", (long long)f->line);
        tfp_buf_str(&b, tfp_text(p, f->function));
        return keep(a, &b, &row->line);
    }
    return true;
}

static bool set_group(const tfp_profile *p, const tfp_flight_group *g, tfp_arena *a, tfp_rank_row *row)
{
    hang_ranks members = { 0 };
    tfp_buf name = { 0 };
    tfp_buf_str(&name, tfp_text(p, g->name));
    bool ok = keep(a, &name, &row->group) && hang_parse_ranks(tfp_text(p, g->members), &members);
    int64_t *copy = ok && members.size ? TFP_NEW(a, int64_t, members.size) : NULL;
    ok = ok && (!members.size || copy);
    if (copy) {
        memcpy(copy, members.at, members.size * sizeof *copy);
        qsort(copy, members.size, sizeof *copy, tfp_by_int);
        row->members = copy;
        row->member_count = members.size;
    }
    tfp_vec_free(&members);
    return ok;
}

static bool set_place(const tfp_profile *p, uint32_t dump, tfp_arena *a, tfp_rank_row *row)
{
    const tfp_flight_tables *t = tfp_flights_of(p);
    const tfp_flight_entry *waits = NULL, *last = NULL;
    for (size_t i = 0; i < t->entries.size && !waits; i++) {
        if (t->groups.at[t->entries.at[i].group].dump != dump) continue;
        last = &t->entries.at[i];
        if (!last->done) waits = last;
    }
    if (!last || !set_line(p, last->trace, a, row)) return !last;
    if (!waits) return true;
    tfp_buf name = { 0 };
    tfp_buf_str(&name, tfp_text(p, waits->name));
    return keep(a, &name, &row->collective) && set_group(p, &t->groups.at[waits->group], a, row);
}

bool tfp_ranks_add_dumps(const tfp_profile *p, uint64_t job, tfp_arena *a, tfp_rank_list *rows)
{
    const tfp_flight_tables *t = tfp_flights_of(p);
    size_t running = rows->size;
    bool ok = true;
    for (uint32_t i = 0; i < t->dumps.size && ok; i++) {
        const char *path = tfp_sources_of(p)->sources.at[t->dumps.at[i].source];
        tfp_rank_row row = {
            .rank = tfp_number_in_name(path), .world = TFP_ABSENT, .pid = TFP_ABSENT, .job = job, .by_count = true
        };
        bool there = row.rank < 0;
        for (size_t k = 0; k < running && !there; k++) there = rows->at[k].job == job && rows->at[k].rank == row.rank;
        if (there) continue; /* it still runs: what it does now counts */
        tfp_buf file = { 0 };
        tfp_buf_text(&file, path);
        ok = keep(a, &file, &row.dump) && set_place(p, i, a, &row) && tfp_push(rows, row);
    }
    for (size_t k = 0; k < running && rows->size > running; k++) /* a dump's lines may have another form */
        rows->at[k].by_count |= rows->at[k].job == job;
    return ok;
}
