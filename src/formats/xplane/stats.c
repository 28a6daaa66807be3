// SPDX-License-Identifier: Apache-2.0
/* formats/xplane/stats.c: stats that events of a class share: numbers in texts of the tracer, and what a program's
 * instruction computes. In: values of a file, and its programs. Out: rows of the reader's class_stats. */
#include "formats/xplane/parts.h"
#include "model/tables/instructions.h"
#include "model/tables/read.h"

static tfp_strid key_named(tfp_xreader *r, const char *name) { return tfp_build_string(r->b, tfp_str_of(name)); }

static void add_stat(tfp_xreader *r, tfp_stat s) { tfp_build_keep(r->b, tfp_push(&r->classes.stats, s)); }

void tfp_xplane_put_number(tfp_xreader *r, const char *name, int64_t number)
{
    add_stat(r, (tfp_stat){ .key = key_named(r, name), .type = TFP_STAT_INT, .value.number = number });
}

void tfp_xplane_put_text(tfp_xreader *r, const char *name, tfp_strid text)
{
    if (text) add_stat(r, (tfp_stat){ .key = key_named(r, name), .type = TFP_STAT_TEXT, .value.text = text });
}

/* The number after "KEY:" in a text such as "regs:32 grid:8,1,1 occ_pct:62.5"; false: the text has no such key. */
static bool detail(tfp_str text, const char *key, double *out)
{
    size_t n = strlen(key);
    for (size_t at = 0; at + n < text.size; at++) {
        if (memcmp(text.data + at, key, n) != 0 || text.data[at + n] != ':') continue;
        if (at && text.data[at - 1] != ' ' && text.data[at - 1] != '\n') continue;
        char number[32];
        size_t size = 0;
        for (at += n + 1; at < text.size && size < sizeof number - 1 && text.data[at] > ' '; at++)
            number[size++] = text.data[at];
        number[size] = '\0';
        char *end;
        *out = strtod(number, &end);
        return end != number && *out >= 0 && *out < 9e18;
    }
    return false;
}

/* Splits texts of the tracer into stats with Kineto's names. */
void tfp_xplane_put_details(tfp_xreader *r, tfp_strid details)
{
    double number;
    tfp_str text = tfp_text(r->p, details);
    if (detail(text, "occ_pct", &number))
        add_stat(r, (tfp_stat){ .key = key_named(r, "est. achieved occupancy %"),
                                .type = TFP_STAT_REAL,
                                .value.real = number });
    if (detail(text, "size", &number) || detail(text, "num_bytes", &number))
        tfp_xplane_put_number(r, "bytes", (int64_t)number);
}

/* ---- what is computed ---- */

/* Whether neither a module of the file nor the event itself explains an instruction. Instructions that only call others
 * do no work and do not count. */
static bool is_unexplained(const tfp_xtold *t, tfp_str instruction)
{
    if (!instruction.size || t->flops || t->bytes) return false;
    static const char *const callers[] = { "while", "call", "conditional" };
    for (size_t i = 0; i < sizeof callers / sizeof *callers; i++)
        if (tfp_str_begins(instruction, tfp_str_of(callers[i]))) return false;
    return true;
}

void tfp_xplane_put_work(tfp_xreader *r, const tfp_xtold *t, const tfp_hlo_module *m, uint32_t row,
                         tfp_strid instruction)
{
    const tfp_hlo_instruction *i = m && row != TFP_NONE ? &m->instructions.at[row] : NULL;
    if (t->flops && t->flops->type == TFP_STAT_INT)
        tfp_xplane_put_number(r, "flops", t->flops->number);
    else if (i && i->cost.flops)
        tfp_xplane_put_number(r, "flops", i->cost.flops);
    else if (i ? !i->cost.counted : is_unexplained(t, tfp_text(r->p, instruction)))
        tfp_xplane_put_number(r, "flops_unknown", 1);
    if (i) {
        const char *type = tfp_hlo_float_name(tfp_hlo_type(r->b, m, row));
        tfp_xplane_put_text(r, "hlo_opcode", tfp_hlo_what(r->b, m, row));
        if (type && i->cost.flops) tfp_xplane_put_text(r, "hlo_type", tfp_build_string(r->b, tfp_str_of(type)));
    }
    if (i && i->cost.macs) tfp_xplane_put_number(r, "macs", i->cost.macs);
    if (t->bytes && t->bytes->type == TFP_STAT_INT)
        tfp_xplane_put_number(r, "bytes_accessed", t->bytes->number);
    else if (i && i->cost.bytes > 0)
        tfp_xplane_put_number(r, "bytes_moved", i->cost.bytes); /* computed, not in the file */
}

uint32_t tfp_xplane_work_stats(tfp_xreader *r, const tfp_hlo_module *m, uint32_t row)
{
    const tfp_xtold nothing = { NULL, NULL };
    size_t first = r->classes.stats.size;
    tfp_strid instruction = m->instructions.at[row].name;
    tfp_xplane_put_text(r, "hlo_op", instruction);
    tfp_xplane_put_text(r, "hlo_module", m->name);
    tfp_xplane_put_work(r, &nothing, m, row, instruction);
    size_t count = r->classes.stats.size - first;
    uint32_t stats = r->b->status || !count ? TFP_NONE : tfp_build_stats(r->b, r->classes.stats.at + first, count);
    r->classes.stats.size = first;
    return stats;
}
