// SPDX-License-Identifier: Apache-2.0
/* whatif/best.c: the ten single changes that help most, for a command without changes. */
#include "model/tables/read.h"
#include "model/tables/spans.h"
#include "query/groups.h"
#include "query/order.h"
#include "views/core/grid.h"
#include "views/core/handle.h"
#include "whatif/device.h"

enum { OPS = 20, ROWS = 10, LONG_NAME = 60 };

/* How a pattern continues after the stem of a name. */
enum { ENDS, OPEN, NUMBERED };
static const char *const goes_on[] = { "", ".*", "(\\.[0-9]+)?" };

/* The time of ops, or of kernels without an op, that one pattern matches. */
typedef struct op_time {
    tfp_strid stem; /* -> stems */
    unsigned on;    /* -> goes_on */
    double time;
} op_time;

typedef struct op_times {
    const tfp_job *j;
    bool *activity; /* for each string: whether an activity has this name */
    tfp_strtab stems;
    tfp_groups ops;   /* of op_time, by stem and `on` */
    tfp_groups names; /* of uint32_t, by name: index in ops + 1 */
} op_times;

static const tfp_sort_key longest_first[] = { TFP_DOWN(op_time, time), { 0 } };
static const tfp_sort_key best_first[] = { TFP_DOWN(tfp_whatif_row, gain_us), { 0 } };

static bool opens_arguments(tfp_str rest)
{
    return rest.data[0] == '<' || (rest.data[0] == '(' && !tfp_str_begins(rest, TFP_STR("(anonymous namespace)")));
}

/* Cuts a long name before the arguments of its template or function, because these differ from kernel to kernel. */
static tfp_str stem_of(tfp_str name)
{
    if (name.size <= LONG_NAME) return name;
    size_t size = 0;
    while (size < LONG_NAME && !(size && opens_arguments((tfp_str){ name.data + size, name.size - size }))) size++;
    while (size && ((unsigned char)name.data[size] & 0xc0) == 0x80) size--; /* not inside a character */
    return (tfp_str){ name.data, size };
}

/* NULL: out of memory. `numbered`: the name is an XLA instruction type; instructions have this name with a number
 * appended. */
static op_time *op_of(op_times *o, tfp_strid name, bool numbered)
{
    uint32_t *at = TFP_GROUP(&o->names, name, numbered);
    if (!at || *at) return at ? (op_time *)o->ops.rows + *at - 1 : NULL;
    tfp_str all = tfp_text(o->j->p, name), stem = stem_of(all);
    unsigned on = stem.size < all.size ? OPEN : numbered ? NUMBERED : ENDS;
    tfp_strid id = tfp_intern(&o->stems, stem);
    op_time *op = id == TFP_NONE ? NULL : TFP_GROUP(&o->ops, id, on);
    if (!op) return NULL;
    op->stem = id, op->on = on;
    *at = (uint32_t)(op - (op_time *)o->ops.rows) + 1;
    return op;
}

static bool add_time(op_times *o, tfp_strid name, bool numbered, double time)
{
    op_time *op = op_of(o, name, numbered);
    if (op) op->time += time;
    return op != NULL;
}

/* Sums activities by the name of their op; without a device, sums host ops. */
static bool collect(op_times *o)
{
    const tfp_job *j = o->j;
    bool ok = true;
    for (uint32_t i = 0; i < j->device_count; i++) o->activity[j->s->name[j->activities[i].span]] = true;
    for (uint32_t i = 0; ok && i < j->device_count; i++) {
        const tfp_job_activity *a = &j->activities[i];
        double time = a->joint == TFP_NONE ? a->duration : j->joints.at[a->joint].pure;
        tfp_strid name = tfp_named_after(j, a->span);
        ok = add_time(o, name, o->activity[name] && tfp_named_by_type(j, a->span) == name, time);
    }
    for (uint32_t i = 0; ok && !j->device_count && i < j->s->size; i++)
        if (j->s->kind[i] == TFP_SPAN_OP) ok = add_time(o, j->s->name[i], false, (double)j->s->self_ns[i]);
    return ok;
}

/* The pattern that matches only this name. */
static const char *pattern_of(tfp_whatif *w, tfp_str name, unsigned on)
{
    tfp_buf b = { 0 };
    tfp_buf_text(&b, "faster ");
    for (size_t i = 0; i < name.size; i++) {
        if (memchr("\\.+*?()[]{}|^$", name.data[i], 14)) tfp_buf_char(&b, '\\');
        tfp_buf_char(&b, name.data[i]);
    }
    tfp_buf_text(&b, goes_on[on]);
    tfp_buf_text(&b, "=2");
    return tfp_buf_move(&b, tfp_arena_of(w->r)).data;
}

/* A name that cannot be a pattern, such as one with a line break, is left out. */
static bool try_one(tfp_whatif *w, const char *typed)
{
    tfp_change change;
    tfp_str rest = tfp_str_of(typed);
    const tfp_change *no_match;
    if (!tfp_change_next(&rest, &change)) return true;
    if (!tfp_whatif_apply(w, &change, 1, &no_match)) return false;
    return no_match || tfp_whatif_row_add(w, change.typed);
}

static bool try_all(tfp_whatif *w, op_times *o)
{
    bool ok = tfp_order_rows(o->ops.rows, o->ops.row_size, o->ops.count, longest_first);
    for (size_t i = 0; ok && i < o->ops.count && i < OPS; i++) {
        const op_time *op = (op_time *)o->ops.rows + i;
        const char *typed = pattern_of(w, tfp_strtab_get(&o->stems, op->stem), op->on);
        ok = typed && try_one(w, typed);
    }
    return ok;
}

static bool try_ops(tfp_whatif *w)
{
    op_times o = { .j = &w->job,
                   .activity = TFP_NEW(tfp_arena_of(w->r), bool, tfp_strings_of(w->job.p)->count + 1),
                   .ops.row_size = sizeof(op_time),
                   .names.row_size = sizeof(uint32_t) };
    bool ok = o.activity && tfp_strtab_init(&o.stems, tfp_arena_of(w->r)) == TFP_OK && collect(&o) && try_all(w, &o);
    tfp_strtab_free(&o.stems);
    tfp_groups_free(&o.names);
    tfp_groups_free(&o.ops);
    return ok;
}

/* Changes towards the limits of the device, if they are known. */
static bool try_limits(tfp_whatif *w)
{
    tfp_error why = { 0 };
    tfp_status s = tfp_aten_has_shapes(w->job.p) ? tfp_whatif_device_of(w, &why) : TFP_BADFILE;
    if (s) return s != TFP_NOMEM;
    return try_one(w, "ideal device") && try_one(w, "fuse all");
}

tfp_status tfp_whatif_best(tfp_whatif *w, tfp_error *err)
{
    bool device = w->job.device_count > 0;
    bool ok =
        try_ops(w) &&
        (!device || (try_one(w, "no-sync") && try_one(w, "overlap comm") && try_one(w, "launch 0") && try_limits(w))) &&
        try_one(w, "input 0") && (w->job.unit_count < 2 || try_one(w, "ideal stragglers"));
    size_t changes = w->rows.size ? w->rows.size - 1 : 0; /* the first row is today */
    ok = ok && (!changes || tfp_order_rows(w->rows.at + 1, sizeof *w->rows.at, changes, best_first));
    if (w->rows.size > ROWS + 1) w->rows.size = ROWS + 1;
    return ok ? TFP_OK : tfp_nomem(err);
}
