// SPDX-License-Identifier: Apache-2.0
/* views/limits/ids.c: which call reads whose result, by the storages of tensors in an execution trace beside the trace.
 * Ids count in their file; those of calls increase as calls start. */
#include "model/recorded.h"
#include "query/order.h"
#include "views/core/handle.h"
#include "views/limits/limits.h"

enum { USES_LOOKED_AT = 4096 }; /* of a result after it was made */

typedef struct use { /* a call that reads a storage, or fills it anew */
    uint64_t file, storage, id;
    uint32_t call;
    bool fills;
} use;

typedef struct tfp_limit_ids {
    const tfp_recorded_tables *recorded;
    uint32_t *op_of; /* by call: index in the recorded ops; TFP_NONE */
    TFP_VEC(use) uses;
} tfp_limit_ids;

static const tfp_sort_key by_storage[] = { TFP_UP(use, file), TFP_UP(use, storage), TFP_UP(use, id), { 0 } };

static uint64_t file_of(const tfp_recorded_tables *t, uint32_t op)
{
    uint64_t file = 0;
    while (file < t->files.size && t->files.at[file] <= op) file++;
    return file;
}

static const tfp_recorded_op *op_at(const tfp_limits *l, uint32_t call)
{
    uint32_t op = l->ids && call != TFP_NONE ? l->ids->op_of[call] : TFP_NONE;
    return op == TFP_NONE ? NULL : &l->ids->recorded->ops.at[op];
}

bool tfp_limits_has_ids(const tfp_limits *l, uint32_t call) { return op_at(l, call) != NULL; }

/* What a copy or a fill overwrites it does not read. */
static bool only_writes_first(const tfp_limits *l, uint32_t call)
{
    uint32_t kind = l->calls.at[call].kind;
    return kind != TFP_NONE && l->kinds.at[kind].in_place && l->kinds.at[kind].class == TFP_WORK_MOVEMENT;
}

static bool makes(const tfp_limits *l, const tfp_recorded_op *x, uint64_t storage)
{
    const tfp_recorded_tensor *t = l->ids->recorded->tensors.at + x->tensors + x->input_count;
    for (uint32_t i = 0; i < x->output_count; i++)
        if (t[i].storage == storage) return true;
    return false;
}

static bool reads(const tfp_limits *l, uint32_t call, const tfp_recorded_op *x, uint64_t storage)
{
    const tfp_recorded_tensor *t = l->ids->recorded->tensors.at + x->tensors;
    bool skip = only_writes_first(l, call);
    for (uint32_t i = 0; i < x->input_count; i++)
        if (t[i].storage == storage && (t[i].position || !skip)) return true;
    return false;
}

/* ---- all uses ---- */

static bool add_uses(tfp_limits *l, uint32_t call)
{
    tfp_limit_ids *ids = l->ids;
    const tfp_recorded_op *x = op_at(l, call);
    if (!x) return true;
    const tfp_recorded_tensor *t = ids->recorded->tensors.at + x->tensors;
    uint64_t file = file_of(ids->recorded, ids->op_of[call]);
    for (uint32_t i = 0; i < x->input_count + x->output_count; i++) {
        bool read = reads(l, call, x, t[i].storage);
        if (i < x->input_count ? !read : read) continue; /* an input that is overwritten; an output that is an input */
        if (t[i].storage && !tfp_push(&ids->uses, ((use){ file, t[i].storage, x->id, call, !read }))) return false;
    }
    return true;
}

bool tfp_limits_find_ids(tfp_limits *l)
{
    const tfp_recorded_tables *t = tfp_recorded_of(l->p);
    tfp_map64 op_of = { 0 };
    bool any = false, ok = true;
    for (uint32_t i = 0; i < t->ops.size && ok; i++) {
        if (!t->ops.at[i].span) continue;
        any = true;
        ok = tfp_map64_put(&op_of, t->ops.at[i].span - 1, i);
    }
    if (ok && any) {
        ok = (l->ids = TFP_NEW(tfp_arena_of(l->r), tfp_limit_ids, 1)) != NULL;
        if (ok) *l->ids = (tfp_limit_ids){ .recorded = t };
        ok = ok && (l->ids->op_of = TFP_NEW(tfp_arena_of(l->r), uint32_t, l->calls.size + 1)) != NULL;
        for (uint32_t i = 0; i < l->calls.size && ok; i++)
            l->ids->op_of[i] = l->calls.at[i].op == TFP_NONE ? TFP_NONE : tfp_map64_get(&op_of, l->calls.at[i].op);
        for (uint32_t i = 0; i < l->calls.size && ok; i++) ok = add_uses(l, i);
        ok = ok && tfp_order_rows(l->ids->uses.at, sizeof(use), l->ids->uses.size, by_storage);
    }
    tfp_map64_free(&op_of);
    return ok;
}

void tfp_limits_free_ids(tfp_limits *l)
{
    if (l->ids) tfp_vec_free(&l->ids->uses);
}

/* ---- questions ---- */

bool tfp_limits_reads_result(const tfp_limits *l, uint32_t call, uint32_t before)
{
    const tfp_recorded_op *x = op_at(l, call), *made = op_at(l, before);
    if (!x || !made) return false;
    const tfp_recorded_tensor *t = l->ids->recorded->tensors.at + made->tensors + made->input_count;
    for (uint32_t i = 0; i < made->output_count; i++)
        if (t[i].storage && reads(l, call, x, t[i].storage)) return true;
    return false;
}

bool tfp_limits_input_made(const tfp_limits *l, const uint32_t *members, uint32_t at, uint32_t argument, uint32_t nth)
{
    const tfp_recorded_op *x = op_at(l, members[at]);
    const tfp_recorded_tensor *t = l->ids->recorded->tensors.at + x->tensors;
    for (uint32_t i = 0; i < x->input_count; i++) {
        if ((uint32_t)t[i].position != argument || nth--) continue;
        for (uint32_t m = 0; m < at; m++)
            if (t[i].storage && makes(l, op_at(l, members[m]), t[i].storage)) return true;
        return false;
    }
    return false;
}

static bool read_outside(const tfp_limits *l, const uint32_t *members, uint32_t count, uint32_t at, uint64_t storage)
{
    const tfp_limit_ids *ids = l->ids;
    const tfp_recorded_op *x = op_at(l, members[at]);
    uint64_t file = file_of(ids->recorded, ids->op_of[members[at]]);
    size_t i;
#define AT(i) ids->uses.at[i]
    TFP_LOWER_BOUND(i, 0, ids->uses.size,
                    AT(i).file != file         ? AT(i).file < file
                    : AT(i).storage != storage ? AT(i).storage < storage
                                               : AT(i).id <= x->id);
    for (size_t end = i + USES_LOOKED_AT; i < ids->uses.size && i < end; i++) {
        if (AT(i).file != file || AT(i).storage != storage || AT(i).fills) return false;
        bool inside = false;
        for (uint32_t m = at + 1; m < count && !inside; m++) {
            inside = members[m] == AT(i).call;
            /* later reads are of that member's result */
            if (inside && makes(l, op_at(l, members[m]), storage)) return false;
        }
        if (!inside) return true;
    }
#undef AT
    return false;
}

bool tfp_limits_read_later(const tfp_limits *l, const uint32_t *members, uint32_t count, uint32_t at)
{
    const tfp_recorded_op *x = op_at(l, members[at]);
    const tfp_recorded_tensor *t = l->ids->recorded->tensors.at + x->tensors + x->input_count;
    for (uint32_t i = 0; i < x->output_count; i++)
        if (t[i].storage && read_outside(l, members, count, at, t[i].storage)) return true;
    return false;
}
