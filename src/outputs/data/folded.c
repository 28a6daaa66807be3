// SPDX-License-Identifier: Apache-2.0
/* outputs/data/folded.c: stacks as lines "thread;outer;...;inner COUNT", which flame graph tools read. */
#include "live/stacks/stacks.h"
#include "outputs/core/output.h"
#include "views/core/report.h"

/* Frames are separated by semicolons, so one in a name becomes a colon. */
static void put_name(tfp_buf *b, tfp_str name)
{
    size_t from = b->size;
    tfp_escape(b, name);
    for (size_t i = from; i < b->size; i++)
        if (b->data[i] == ';') b->data[i] = ':';
}

static tfp_status write_folded(const tfp_report *r, tfp_sink *s, tfp_error *err)
{
    if (!r->stacks) return tfp_write_folded_tree(r, s, err);
    for (size_t i = 0; i < r->stacks->stack_count && !s->status; i++) {
        const tfp_stack *x = &r->stacks->stacks[i];
        put_name(&s->buf, x->thread);
        for (size_t k = x->depth; k-- > 0;) {
            tfp_buf_char(&s->buf, ';');
            put_name(&s->buf, r->stacks->functions[x->functions[k]].name);
        }
        tfp_buf_printf(&s->buf, " %lld\n", (long long)x->count);
        tfp_sink_flush_if_full(s);
    }
    return TFP_OK;
}

const tfp_output_format tfp_output_folded = {
    "folded",
    "Lines that flame graph tools read: sampled stacks, or calls, scope and code "
    "with one numeric column, times in nanoseconds.",
    true, write_folded
};
