/* model/builder.c: how the format readers fill a profile: rows are appended and chained, strings interned. */
#include "model/join.h"
#include "model/program.h"

#include <stdio.h>
#include <stdlib.h>

/* Remembers the first fault. */
static bool check(tfp_builder *b, bool ok)
{
    if (!ok && !b->status) b->status = TFP_NOMEM;
    return !b->status;
}

/* Rows are found by 32-bit numbers. */
#define ROOM(b, table) check((b), (b)->p->table.size < TFP_NONE - 1)

/* Appends `row` and hangs it behind the chain that the owner's FIRST and LAST name. The owner may lie in a table
 * that does not move meanwhile. */
#define APPEND(b, table, row) (ROOM((b), table) && check((b), tfp_push(&(b)->p->table, (row))))
#define CHAIN(p, table, first, last)                                                                                   \
    do {                                                                                                               \
        uint32_t new_row = (uint32_t)(p)->table.size - 1;                                                              \
        if ((first) == TFP_NONE)                                                                                       \
            (first) = new_row;                                                                                         \
        else                                                                                                           \
            (p)->table.at[(last)].next = new_row;                                                                      \
        (last) = new_row;                                                                                              \
    } while (0)

static const tfp_exec_detail no_detail = { TFP_NONE, TFP_NONE, TFP_NONE, TFP_NONE, TFP_NONE, TFP_NONE };

tfp_status tfp_builder_status(tfp_builder *b, tfp_error *err)
{
    if (!b->status && b->p->arena.limit && tfp_profile_memory(b->p) > b->p->arena.limit) b->status = TFP_LIMIT;
    if (b->status == TFP_LIMIT)
        return tfp_fail(err, TFP_LIMIT, "needs more than %zu MB of memory", b->p->arena.limit >> 20);
    return b->status ? tfp_nomem(err) : TFP_OK;
}

size_t tfp_profile_memory(const tfp_profile *p)
{
/* what is filled: room that was never touched takes no memory */
#define BYTES(table) (p->table.size * sizeof *p->table.at)
    return p->arena.used + BYTES(nodes) + BYTES(types) + BYTES(inputs) + BYTES(outputs) + BYTES(shapes) + BYTES(dims) +
           BYTES(execs) + BYTES(details) + BYTES(spans) + BYTES(memories) + BYTES(buffers) + BYTES(allocations) +
           BYTES(frames) + BYTES(trace_frames) + BYTES(traces) + p->strings.count * 24 + BYTES(node_by_name) +
           tfp_events_memory(&p->events) + tfp_program_memory(p->program);
#undef BYTES
}

tfp_strid tfp_build_string(tfp_builder *b, tfp_str s)
{
    if (s.size == 0) return 0;
    tfp_strid id = tfp_intern(&b->p->strings, s);
    return check(b, id != TFP_NONE) ? id : 0;
}

tfp_strid tfp_build_lower(tfp_builder *b, tfp_str s)
{
    char small[256], *lower = s.size <= sizeof small ? small : malloc(s.size);
    if (!check(b, lower != NULL)) return 0;
    for (size_t i = 0; i < s.size; i++) lower[i] = s.data[i] >= 'A' && s.data[i] <= 'Z' ? s.data[i] + 32 : s.data[i];
    tfp_strid id = tfp_build_string(b, (tfp_str){ lower, s.size });
    if (lower != small) free(lower);
    return id;
}

void tfp_build_warn(tfp_builder *b, const char *what, tfp_str example) { tfp_build_warn_many(b, what, example, 1); }

void tfp_build_warn_many(tfp_builder *b, const char *what, tfp_str example, size_t count)
{
    tfp_profile *p = b->p;
    for (size_t i = p->warnings.size; i-- > 0;) {
        tfp_warning *w = &p->warnings.at[i];
        if (w->what == what && strcmp(w->file, b->file) == 0) {
            w->count += count;
            return;
        }
    }
    if (example.size > 200) example.size = 200;
    tfp_warning w = { .what = what, .count = count, .file = tfp_arena_copy(&p->arena, tfp_str_of(b->file)) };
    w.first = example.size ? tfp_arena_copy(&p->arena, example) : NULL;
    check(b, w.file && (!example.size || w.first) && tfp_push(&p->warnings, w));
}

int64_t tfp_build_micros(tfp_builder *b, int64_t micros)
{
    bool clamped = false;
    int64_t ns = tfp_mul(micros, 1000, &clamped);
    if (!clamped) return ns;
    tfp_build_warn(b, "times too big for 64 bits, clamped", TFP_STR(""));
    return ns / 1000 * 1000;
}

/* ---- nodes ---- */

void tfp_build_name(tfp_builder *b, tfp_strid name, uint32_t node)
{
    tfp_profile *p = b->p;
    size_t size = p->node_by_name.size;
    if (name >= size) {
        if (!check(b, tfp_reserve(&p->node_by_name, (size_t)name + 1))) return;
        memset(p->node_by_name.at + size, 0xff, ((size_t)name + 1 - size) * sizeof(uint32_t)); /* TFP_NONE */
        p->node_by_name.size = (size_t)name + 1;
    }
    if (p->node_by_name.at[name] != TFP_NONE) p->name_twice = true;
    p->node_by_name.at[name] = node;
}

uint32_t tfp_build_find(tfp_builder *b, tfp_str name) { return tfp_find_node(b->p, name); }

uint32_t tfp_build_node(tfp_builder *b, tfp_str name, tfp_str op, bool with_type)
{
    tfp_profile *p = b->p;
    tfp_node n = { .name = tfp_build_string(b, name),
                   .op = tfp_build_string(b, op),
                   .id = (int64_t)p->nodes.size,
                   .type_first = TFP_NONE,
                   .exec_first = TFP_NONE,
                   .input_first = TFP_NONE,
                   .output_first = TFP_NONE,
                   .shape = TFP_NONE,
                   .trace = TFP_NONE,
                   .attrs = TFP_NONE };
    if (b->status || !APPEND(b, nodes, n)) return TFP_NONE;
    uint32_t node = (uint32_t)p->nodes.size - 1;
    tfp_build_name(b, n.name, node);
    if (with_type) tfp_build_type(b, node, n.op);
    return b->status ? TFP_NONE : node;
}

/* Nodes have a handful of types; one that has more than that is found by a table, or a file could take forever. */
#define FEW_TYPES 32

static bool has_type(tfp_builder *b, uint32_t node, tfp_strid type, size_t *count)
{
    *count = 0;
    for (TFP_EACH(types, t, tfp_build_row(b, node)->type_first, b->p)) {
        if (b->p->types.at[t].name == type) return true;
        if (++*count == FEW_TYPES) return tfp_map64_get(&b->p->types_by_node, (uint64_t)node << 32 | type) != TFP_NONE;
    }
    return false;
}

void tfp_build_type(tfp_builder *b, uint32_t node, tfp_strid type)
{
    size_t count;
    if (b->status || has_type(b, node, type, &count)) return;
    tfp_node *n = tfp_build_row(b, node);
    if (!APPEND(b, types, ((tfp_type){ type, TFP_NONE }))) return;
    CHAIN(b->p, types, n->type_first, n->type_last);
    if (count == FEW_TYPES) check(b, tfp_map64_put(&b->p->types_by_node, (uint64_t)node << 32 | type, 0));
}

void tfp_build_input(tfp_builder *b, uint32_t node, int32_t position, tfp_strid source, int32_t output_index)
{
    if (b->status) return;
    tfp_input_edge e = { position, output_index, TFP_NONE, source, TFP_NONE };
    tfp_node *n = tfp_build_row(b, node);
    if (APPEND(b, inputs, e)) CHAIN(b->p, inputs, n->input_first, n->input_last);
}

/* TensorFlow has no tensors of more dimensions. A shape is shown with every node that takes it as input: without a bound
 * a small file could become a huge report. */
#define MAX_DIMS 254

uint32_t tfp_build_shape(tfp_builder *b, const int64_t *dims, size_t count, bool scalar)
{
    static const int64_t one = 1;
    tfp_profile *p = b->p;
    if (scalar && count == 0) dims = &one, count = 1;
    if (count > MAX_DIMS) {
        tfp_build_warn(b, "shapes of more than 254 dimensions, taken as unknown", TFP_STR(""));
        count = 0;
    }
    if (b->status || !check(b, p->dims.size + count < TFP_NONE && tfp_reserve(&p->dims, p->dims.size + count)))
        return TFP_NONE;
    tfp_shape s = { (uint32_t)p->dims.size, (uint32_t)count, scalar };
    if (count) memcpy(p->dims.at + p->dims.size, dims, count * sizeof *dims);
    p->dims.size += count;
    return APPEND(b, shapes, s) ? (uint32_t)p->shapes.size - 1 : TFP_NONE;
}

void tfp_build_output(tfp_builder *b, uint32_t node, int32_t slot, uint32_t shape)
{
    if (b->status) return;
    tfp_node *n = tfp_build_row(b, node);
    if (APPEND(b, outputs, ((tfp_output){ slot, shape, TFP_NONE })))
        CHAIN(b->p, outputs, n->output_first, n->output_last);
}

/* Dims that differ become -1; of different ranks nothing is known. */
static void join_run_shape(tfp_builder *b, tfp_run_shape *r, const int64_t *dims, size_t count, bool scalar)
{
    tfp_profile *p = b->p;
    tfp_shape *old = &p->shapes.at[r->shape];
    if (old->count == 0) return;
    if (old->scalar && scalar) return;
    if (old->count != count || old->scalar != scalar) {
        *old = (tfp_shape){ old->first, 0, false };
        return;
    }
    for (size_t i = 0; i < count; i++)
        if (p->dims.at[old->first + i] != dims[i]) p->dims.at[old->first + i] = -1;
}

void tfp_build_run_shape(tfp_builder *b, uint32_t node, int32_t slot, const int64_t *dims, size_t count)
{
    tfp_profile *p = b->p;
    if (b->status || slot < 0) return;
    uint64_t key = (uint64_t)node << 32 | (uint32_t)slot;
    uint32_t at = tfp_map64_get(&p->run_shape_by_output, key);
    if (at != TFP_NONE) {
        join_run_shape(b, &p->run_shapes.at[at], dims, count, count == 0);
        return;
    }
    uint32_t shape = tfp_build_shape(b, dims, count, count == 0);
    if (shape == TFP_NONE || !APPEND(b, run_shapes, ((tfp_run_shape){ node, slot, shape }))) return;
    check(b, tfp_map64_put(&p->run_shape_by_output, key, (uint32_t)p->run_shapes.size - 1));
}

void tfp_build_attrs(tfp_builder *b, uint32_t node, tfp_str encoded)
{
    if (b->status || !(b->p->keep & TFP_KEEP_ATTRS)) return;
    char *copy = tfp_arena_copy(&b->p->arena, encoded);
    if (!check(b, copy != NULL) || !APPEND(b, attrs, ((tfp_str){ copy, encoded.size }))) return;
    tfp_build_row(b, node)->attrs = (uint32_t)b->p->attrs.size - 1;
}

/* ---- steps and executions ---- */

uint32_t tfp_build_step(tfp_builder *b, int64_t id, bool listed)
{
    tfp_profile *p = b->p;
    uint32_t at = tfp_find_step(p, id);
    if (at != TFP_NONE) {
        p->steps.at[at].listed |= listed;
        return at;
    }
    if (b->status || !APPEND(b, steps, ((tfp_step){ id, listed }))) return TFP_NONE;
    at = (uint32_t)p->steps.size - 1;
    return check(b, tfp_map64_put(&p->step_by_id, (uint64_t)id, at)) ? at : TFP_NONE;
}

uint32_t tfp_build_exec(tfp_builder *b, uint32_t node, uint32_t step)
{
    if (b->status) return TFP_NONE;
    tfp_profile *p = b->p;
    tfp_node *n = tfp_build_row(b, node);
    /* run metadata comes step by step, so that the last one is nearly always it */
    if (n->exec_first != TFP_NONE && p->execs.at[n->exec_last].step == step) return n->exec_last;
    for (TFP_EACH(execs, e, n->exec_first, p))
        if (p->execs.at[e].step == step) return e;
    return tfp_build_new_exec(b, node, step);
}

/* Where the chains of an execution begin, or NULL when they are not kept. */
static tfp_exec_detail *build_detail(tfp_builder *b, uint32_t exec)
{
    tfp_profile *p = b->p;
    if (!(p->keep & TFP_KEEP_MEMORY)) return NULL;
    while (p->details.size <= exec)
        if (!check(b, tfp_push(&p->details, no_detail))) return NULL;
    return &p->details.at[exec];
}

uint32_t tfp_build_new_exec(tfp_builder *b, uint32_t node, uint32_t step)
{
    if (b->status) return TFP_NONE;
    tfp_profile *p = b->p;
    tfp_node *n = tfp_build_row(b, node);
    tfp_exec x = { .step = step, .next = TFP_NONE };
    if (!APPEND(b, execs, x)) return TFP_NONE;
    CHAIN(p, execs, n->exec_first, n->exec_last);
    build_detail(b, n->exec_last);
    return n->exec_last;
}

void tfp_build_exec_again(tfp_builder *b, uint32_t exec)
{
    tfp_exec *x = &b->p->execs.at[exec];
    *x = (tfp_exec){ .step = x->step, .next = x->next };
    if (exec < b->p->details.size) b->p->details.at[exec] = no_detail;
}

uint32_t tfp_build_lane(tfp_builder *b, tfp_str name)
{
    tfp_profile *p = b->p;
    tfp_strid id = tfp_build_string(b, name);
    uint32_t lane = tfp_map64_get(&p->lane_by_name, id);
    if (b->status || lane != TFP_NONE) return b->status ? TFP_NONE : lane;
    tfp_lane l = { .name = id, .kind = TFP_LANE_OTHER, .process = TFP_NONE };
    if (tfp_str_has(name, TFP_STR("stream:all")))
        l.kind = TFP_LANE_ACCELERATOR;
    else if (tfp_device_is_canonical(name))
        l.kind = TFP_LANE_CPU;
    if (!APPEND(b, lanes, l)) return TFP_NONE;
    lane = (uint32_t)p->lanes.size - 1;
    return check(b, tfp_map64_put(&p->lane_by_name, id, lane)) ? lane : TFP_NONE;
}

void tfp_build_span(tfp_builder *b, uint32_t exec, uint32_t lane, int64_t start_ns, int64_t duration_ns)
{
    if (b->status) return;
    tfp_exec *x = &b->p->execs.at[exec];
    bool clamped = false;
    tfp_lane_kind kind = b->p->lanes.at[lane].kind;
    if (kind == TFP_LANE_CPU) x->cpu_ns = tfp_add(x->cpu_ns, duration_ns, &clamped);
    if (kind == TFP_LANE_ACCELERATOR) x->accelerator_ns = tfp_add(x->accelerator_ns, duration_ns, &clamped);
    if (clamped) tfp_build_warn(b, "sums of times too big for 64 bits, clamped", TFP_STR(""));
    tfp_exec_detail *d = build_detail(b, exec);
    if (d && APPEND(b, spans, ((tfp_span){ lane, TFP_NONE, start_ns, duration_ns })))
        CHAIN(b->p, spans, d->span_first, d->span_last);
}

uint32_t tfp_build_memory(tfp_builder *b, uint32_t exec, const tfp_memory *m)
{
    if (b->status) return TFP_NONE;
    tfp_exec *x = &b->p->execs.at[exec];
    bool clamped = false;
    x->requested_bytes = tfp_add(x->requested_bytes, m->requested_bytes, &clamped);
    x->peak_bytes = tfp_add(x->peak_bytes, m->peak_bytes, &clamped);
    x->residual_bytes = tfp_add(x->residual_bytes, m->residual_bytes, &clamped);
    x->output_bytes = tfp_add(x->output_bytes, m->output_bytes, &clamped);
    if (clamped) tfp_build_warn(b, "sums of bytes too big for 64 bits, clamped", TFP_STR(""));
    tfp_exec_detail *d = build_detail(b, exec);
    if (!d) return TFP_NONE;
    tfp_memory row = *m;
    row.next = row.buffer_first = TFP_NONE;
    if (!APPEND(b, memories, row)) return TFP_NONE;
    CHAIN(b->p, memories, d->memory_first, d->memory_last);
    return d->memory_last;
}

void tfp_build_buffer(tfp_builder *b, uint32_t memory, int32_t slot, int64_t bytes, uint64_t address)
{
    if (b->status || memory == TFP_NONE) return;
    tfp_memory *m = &b->p->memories.at[memory];
    if (APPEND(b, buffers, ((tfp_buffer){ slot, TFP_NONE, bytes, address })))
        CHAIN(b->p, buffers, m->buffer_first, m->buffer_last);
}

void tfp_build_allocation(tfp_builder *b, uint32_t exec, int64_t at_ns, int64_t bytes)
{
    tfp_exec_detail *d = b->status ? NULL : build_detail(b, exec);
    if (d && APPEND(b, allocations, ((tfp_allocation){ at_ns, bytes, TFP_NONE })))
        CHAIN(b->p, allocations, d->alloc_first, d->alloc_last);
}

/* ---- devices ---- */

/* Anything, a slash, "device:gpu", "gpu", "device:cpu" or "cpu", a colon and digits, and nothing behind them. The regex
 * that TensorFlow uses has a dot for "anything": no newline, and only whole UTF-8 characters. */
bool tfp_device_is_canonical(tfp_str name)
{
    size_t end = name.size, at = end;
    while (at > 0 && name.data[at - 1] >= '0' && name.data[at - 1] <= '9') at--;
    if (at == end || at == 0 || name.data[at - 1] != ':') return false;
    tfp_str rest = { name.data, at - 1 };
    if (rest.size < 4) return false;
    tfp_str kind = { rest.data + rest.size - 3, 3 };
    if (!tfp_str_eq(kind, TFP_STR("cpu")) && !tfp_str_eq(kind, TFP_STR("gpu"))) return false;
    rest.size -= 3;
    if (rest.size >= 7 && memcmp(rest.data + rest.size - 7, "device:", 7) == 0) rest.size -= 7;
    return rest.size > 0 && rest.data[rest.size - 1] == '/' && !memchr(rest.data, '\n', rest.size) &&
           tfp_utf8_valid(rest);
}

bool tfp_device_is_accelerator(tfp_str name) { return tfp_str_has(name, TFP_STR("gpu")); }
bool tfp_device_is_cpu(tfp_str name) { return tfp_str_has(name, TFP_STR("cpu")); }

/* ---- code ---- */

static bool same_trace(const tfp_profile *p, uint32_t trace, const uint32_t *frames, size_t count)
{
    const tfp_trace *t = &p->traces.at[trace];
    return t->count == count && memcmp(p->trace_frames.at + t->first, frames, count * sizeof *frames) == 0;
}

/* The row of an equal frame, perhaps a new one. */
static uint32_t build_frame(tfp_builder *b, const tfp_code_frame *f)
{
    tfp_profile *p = b->p;
    for (uint64_t key = tfp_hash(f, sizeof *f);; key++) {
        uint32_t at = tfp_map64_get(&p->frame_by_hash, key);
        if (at != TFP_NONE && memcmp(&p->frames.at[at], f, sizeof *f) == 0) return at;
        if (at != TFP_NONE) continue;
        if (!APPEND(b, frames, *f)) return TFP_NONE;
        at = (uint32_t)p->frames.size - 1;
        return check(b, tfp_map64_put(&p->frame_by_hash, key, at)) ? at : TFP_NONE;
    }
}

uint32_t tfp_build_trace(tfp_builder *b, const tfp_code_frame *frames, size_t count)
{
    tfp_profile *p = b->p;
    if (b->status || count == 0) return TFP_NONE;
    size_t first = p->trace_frames.size;
    if (!check(b, first + count < TFP_NONE && tfp_reserve(&p->trace_frames, first + count))) return TFP_NONE;
    uint32_t *rows = p->trace_frames.at + first;
    for (size_t i = 0; i < count; i++) rows[i] = build_frame(b, &frames[i]);
    if (b->status) return TFP_NONE;
    for (uint64_t key = tfp_hash(rows, count * sizeof *rows);; key++) {
        uint32_t at = tfp_map64_get(&p->trace_by_hash, key);
        if (at != TFP_NONE && same_trace(p, at, rows, count)) return at;
        if (at != TFP_NONE) continue;
        if (!APPEND(b, traces, ((tfp_trace){ (uint32_t)first, (uint32_t)count }))) return TFP_NONE;
        p->trace_frames.size += count;
        at = (uint32_t)p->traces.size - 1;
        return check(b, tfp_map64_put(&p->trace_by_hash, key, at)) ? at : TFP_NONE;
    }
}

/* ---- the end of adding ---- */

static void resolve_inputs(tfp_builder *b)
{
    tfp_profile *p = b->p;
    for (size_t i = 0; i < p->inputs.size; i++) {
        tfp_input_edge *e = &p->inputs.at[i];
        if (e->node != TFP_NONE) continue;
        e->node = tfp_named_node(p, e->name);
        if (e->node == TFP_NONE && i >= p->inputs_warned)
            tfp_build_warn(b, "inputs that name no node", tfp_text(p, e->name));
    }
    p->inputs_warned = p->inputs.size;
}

static void write_warnings(tfp_builder *b)
{
    tfp_profile *p = b->p;
    for (size_t i = 0; i < p->warnings.size; i++) {
        tfp_warning *w = &p->warnings.at[i];
        if (w->told == w->count) continue;
        tfp_buf line = { 0 };
        tfp_escape(&line, tfp_str_of(w->file));
        tfp_buf_printf(&line, ": %s", w->what);
        if (w->count > 1 || w->first) tfp_buf_printf(&line, ": %zu", w->count);
        if (w->first) {
            tfp_buf_text(&line, w->count > 1 ? " (first: " : " (");
            tfp_escape(&line, tfp_str_of(w->first));
            tfp_buf_char(&line, ')');
        }
        w->line = line.failed ? NULL : tfp_arena_copy(&p->arena, (tfp_str){ line.data, line.size });
        if (check(b, w->line != NULL)) w->told = w->count;
        tfp_buf_free(&line);
    }
}

static bool step_less(const void *ctx, uint32_t a, uint32_t b)
{
    const tfp_profile *p = ctx;
    return p->steps.at[a].id < p->steps.at[b].id;
}

static void sort_steps(tfp_builder *b)
{
    tfp_profile *p = b->p;
    p->step_order.size = 0;
    for (uint32_t i = 0; i < p->steps.size; i++)
        if (p->steps.at[i].listed) check(b, tfp_push(&p->step_order, i));
    check(b, tfp_sort(p->step_order.at, p->step_order.size, step_less, p));
}

tfp_status tfp_build_finish(tfp_builder *b, tfp_error *err)
{
    tfp_profile *p = b->p;
    const char *file = b->file;
    tfp_build_join(b);
    if (p->events.spans.size) p->time_grain_ns = 1; /* traces have times below a microsecond */
    if (p->graph_file) b->file = p->graph_file;
    resolve_inputs(b);
    sort_steps(b);
    b->file = file;
    write_warnings(b);
    p->finished = !b->status;
    p->finished_before = true;
    if (p->program) p->program->finished = true;
    return tfp_builder_status(b, err);
}
