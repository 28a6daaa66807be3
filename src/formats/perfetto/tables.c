// SPDX-License-Identifier: Apache-2.0
/* formats/perfetto/tables.c: the reader's tables: texts, what the numbers of a sequence mean, and events; and the limit on
 * their bytes; texts as JSON. */
#include "formats/perfetto/perfetto.h"

bool tfp_pf_keep(tfp_pf_reader *r, bool ok)
{
    r->no_memory |= !ok;
    return !r->no_memory && !r->too_big;
}

bool tfp_pf_fits(tfp_pf_reader *r, uint64_t more)
{
    r->too_big |= r->args.size + r->events.size * sizeof *r->events.at + more > r->most;
    return !r->too_big && !r->no_memory;
}

/* ---- texts ---- */

tfp_strid tfp_pf_text(tfp_pf_reader *r, tfp_str text)
{
    tfp_strid string = tfp_intern(&r->strings, text);
    return tfp_pf_keep(r, string != TFP_NONE) ? string : 0;
}

static uint64_t key_of(const tfp_pf_reader *r, uint32_t sequence, tfp_pf_table table, uint64_t id)
{
    const uint64_t parts[4] = { sequence, r->sequences.at[sequence].generation, (uint64_t)table, id };
    return tfp_hash(parts, sizeof parts);
}

tfp_strid tfp_pf_interned(const tfp_pf_reader *r, uint32_t sequence, tfp_pf_table table, uint64_t id)
{
    uint32_t string = tfp_map64_get(&r->interned, key_of(r, sequence, table, id));
    return string == TFP_NONE ? 0 : string;
}

void tfp_pf_intern(tfp_pf_reader *r, uint32_t sequence, tfp_pf_table table, uint64_t id, tfp_str text)
{
    tfp_strid string = tfp_intern(&r->strings, text);
    if (tfp_pf_keep(r, string != TFP_NONE))
        tfp_pf_keep(r, tfp_map64_put(&r->interned, key_of(r, sequence, table, id), string));
}

/* ---- events ---- */

void tfp_pf_add_event(tfp_pf_reader *r, tfp_pf_event *e)
{
    e->args_size = (uint32_t)(r->args.size - e->args);
    if (tfp_pf_fits(r, sizeof *e) && r->args.size - e->args <= UINT32_MAX)
        tfp_pf_keep(r, !r->args.failed && tfp_push(&r->events, *e));
}

void tfp_pf_put_string(tfp_buf *out, tfp_str s)
{
    tfp_buf_char(out, '"');
    tfp_json_put_escaped(out, s);
    tfp_buf_char(out, '"');
}
