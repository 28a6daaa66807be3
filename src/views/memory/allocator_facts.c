// SPDX-License-Identifier: Apache-2.0
/* views/memory/allocator_facts.c: the facts above the tables of a memory snapshot: the last time that a device ran out of memory
 * and what would have to be freed, and for each device its peak and the memory that its segments waste. */
#include "model/files/allocator.h"
#include "options/options.h"
#include "views/core/handle.h"
#include "views/memory/allocator.h"

static void put_size(tfp_buf *b, const char *before, int64_t bytes, const char *after)
{
    tfp_buf_text(b, before);
    tfp_format_amount(b, TFP_SIZE, bytes > 0 ? bytes : 0);
    tfp_buf_text(b, after);
}

static bool say(tfp_heap *p, const char *name, const char *label, tfp_buf *text)
{
    return tfp_fact_buf(p->r, name, label, text);
}

/* ---- out of memory ---- */

const tfp_heap_device *tfp_heap_last_oom(const tfp_heap *p)
{
    for (size_t i = p->device_count; i-- > 0;)
        if (p->devices[i].oom.done) return &p->devices[i];
    return NULL;
}

static bool say_oom(tfp_heap *p, const tfp_heap_device *d)
{
    const tfp_allocator_entry *e = &tfp_allocator_of(tfp_profile_of(p->r))->entries.at[d->oom_entry];
    tfp_str line = tfp_heap_line_of(p, e->trace);
    tfp_buf b = { 0 };
    tfp_escape(&b, d->name);
    put_size(&b, " had no memory for ", e->bytes, " that ");
    tfp_escape(&b, line);
    tfp_buf_text(&b, " asked for");
    put_size(&b, ": tensors held ", d->oom.held, "");
    put_size(&b, ", the allocator had reserved ", d->oom.reserved, "");
    put_size(&b, ", and the device had ", (int64_t)e->address, " free");
    return say(p, "out_of_memory", "out of memory", &b);
}

/* Lists lines whose allocations, together with the free memory, would have been enough, biggest first. Free memory inside
 * segments counts: when a segment has no other tensors the allocator returns it. */
static bool say_what_fits(tfp_heap *p, const tfp_heap_device *d)
{
    const tfp_allocator_entry *e = &tfp_allocator_of(tfp_profile_of(p->r))->entries.at[d->oom_entry];
    int64_t unused = tfp_add(d->oom.reserved, -d->oom.held, NULL);
    int64_t missing = tfp_add(tfp_add(e->bytes, -(int64_t)e->address, NULL), unused > 0 ? -unused : 0, NULL);
    tfp_heap_holders of = { 0 };
    tfp_heap_lines rows = { 0 };
    tfp_buf b = { 0 };
    bool ok = tfp_heap_holders_at(p, d, d->oom.done, &of) && tfp_heap_add_lines(p, d, &d->oom, &of, &rows);
    if (missing <= 0) {
        put_size(&b, "enough was free, but in pieces: ", unused, " inside of segments (-by segment)");
    } else if (missing > d->oom.held) {
        put_size(&b, "", missing, " more are needed than all tensors held: it cannot fit on this device");
    } else {
        put_size(&b, "", missing, " more are needed, as much as");
        for (size_t i = 0; i < rows.size && i < 3 && missing > 0; i++) {
            put_size(&b, i ? ", and " : " ", rows.at[i].bytes, " of ");
            tfp_escape(&b, rows.at[i].line);
            missing = tfp_add(missing, -rows.at[i].bytes, NULL);
        }
        if (missing > 0) tfp_buf_text(&b, ", and more");
    }
    tfp_vec_free(&of);
    tfp_vec_free(&rows);
    if (!ok) tfp_buf_free(&b);
    return ok && say(p, "to_fit", "to make it fit", &b);
}

/* ---- devices ---- */

static bool say_peak(tfp_heap *p, size_t i)
{
    const tfp_heap_device *d = &p->devices[i];
    bool at = tfp_options_of(p->r)->part.at.given;
    tfp_buf b = { 0 };
    tfp_buf_printf(&b, at ? "held_bytes_%zu" : "peak_bytes_%zu", i + 1);
    tfp_str name = tfp_buf_move(&b, tfp_arena_of(p->r)), label;
    tfp_buf_text(&b, at ? "held by " : "peak of ");
    tfp_escape(&b, d->name);
    label = tfp_buf_move(&b, tfp_arena_of(p->r));
    tfp_fact *f = name.data && label.data ? tfp_fact_add(p->r, name.data, label.data, 'i', TFP_SIZE) : NULL;
    if (!f) return false;
    f->number = d->peak.held;
    if (d->peak.at_us != TFP_ABSENT) {
        tfp_buf_text(&b, "at ");
        tfp_format_real(&b, TFP_MICROS, (double)d->peak.at_us);
        tfp_buf_text(&b, ", ");
    }
    put_size(&b, "before the recording ", d->before.held, "");
    put_size(&b, ", at the end ", d->end.held, "");
    put_size(&b, ", then reserved ", d->end.reserved, "");
    f->more = tfp_buf_move(&b, tfp_arena_of(p->r));
    return f->more.data != NULL;
}

tfp_status tfp_heap_facts(tfp_heap *p, tfp_error *err)
{
    const tfp_heap_device *d = tfp_heap_last_oom(p);
    bool ok = !d || (say_oom(p, d) && say_what_fits(p, d));
    for (size_t i = 0; i < p->device_count && i < 8 && ok; i++) ok = say_peak(p, i);
    return ok ? TFP_OK : tfp_nomem(err);
}
