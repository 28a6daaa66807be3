// SPDX-License-Identifier: Apache-2.0
/* live/stacks/once.c: reads every thread once; each frame becomes a row, with --locals including its variables. */
#include "live/stacks/parts.h"
#include "views/core/notes.h"

static tfp_str locals_of(tfp_sampler *s, const tfp_live_frame *frame)
{
    if (!tfp_python_locals(s->python, frame, &s->text)) {
        s->functions.changed++;
        return (tfp_str){ "", 0 };
    }
    return tfp_stacks_kept(s, (tfp_str){ s->text.data, s->text.size });
}

static void add_python_rows(tfp_sampler *s, const tfp_python_thread *thread, bool locals, threads_rows *rows)
{
    threads_row row;
    if (!tfp_stacks_row(s, thread->tid, &row)) return;
    long depth = tfp_stacks_read(s, thread->state);
    if (depth < 0) s->looks.torn++;
    for (long k = 0; k < depth; k++) {
        row.depth = k;
        if (tfp_stacks_over(s)) return;
        if (rows->size == TFP_STACKS_ROWS_MOST) {
            s->full = "it has more than " TFP_QUOTED(TFP_STACKS_ROWS_MOST) " frames in all";
            return;
        }
        row.name = tfp_stacks_frame_text(s, s->key[k + 1], &s->frames[k]);
        row.locals = locals ? locals_of(s, &s->frames[k]) : (tfp_str){ "", 0 };
        if (!tfp_push(rows, row)) s->nomem = true;
    }
}

/* Reads every thread of every process; false when the process that was named has ended. */
static bool add_all_rows(tfp_sampler *s, const tfp_stacks_settings *settings, threads_rows *rows)
{
    tfp_stacks_find_children(s, true);
    for (size_t k = 0; k < s->processes.list.size; k++) {
        tfp_stacks_go_to(s, k);
        long count = tfp_stacks_list(s);
        if (count < 0 && !k) return false;
        for (long i = 0; i < count && !tfp_stacks_over(s); i++)
            if (!settings->gil || s->seen[i].locks) add_python_rows(s, &s->seen[i], settings->locals, rows);
    }
    return true;
}

tfp_status tfp_stacks_once(tfp_sampler *s, const tfp_stacks_settings *settings, tfp_error *err)
{
    threads_rows rows = { 0 };
    tfp_native *native = NULL;
    s->looks.until_ns = tfp_now_ns() + TFP_STACKS_ONCE_NS;
    tfp_status status = settings->native ? tfp_native_begin(s, settings, &native, err) : TFP_OK;
    if (native)
        status = tfp_native_once(native, &rows, err);
    else if (!status && !add_all_rows(s, settings, &rows))
        status = tfp_fail(err, TFP_BADFILE, "it has ended");
    if (s->nomem) status = tfp_nomem(err);
    if (!status && !s->full && tfp_now_ns() > s->looks.until_ns) s->full = "reading its threads took more than 2 s";
    if (!status) status = tfp_stacks_note_limits(s, err);
    if (!status && s->looks.torn)
        status =
            tfp_report_note_add(s->r, TFP_NOTE_SAMPLES_TORN, err, "the stack%s of %lld thread%s changed while %s read",
                                s->looks.torn == 1 ? "" : "s", (long long)s->looks.torn, s->looks.torn == 1 ? "" : "s",
                                s->looks.torn == 1 ? "it was" : "they were");
    if (!status && s->functions.changed)
        status = tfp_report_note_add(s->r, TFP_NOTE_LOCALS_LOST, err,
                                     "%lld frame%s no local variables here: %s ended while these were read",
                                     (long long)s->functions.changed, s->functions.changed == 1 ? " has" : "s have",
                                     s->functions.changed == 1 ? "it" : "they");
    if (!status) status = tfp_threads_fill(s->r, &rows, settings->locals, err);
    tfp_native_free(native);
    tfp_vec_free(&rows);
    return status;
}
