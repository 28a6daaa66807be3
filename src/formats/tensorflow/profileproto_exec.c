// SPDX-License-Identifier: Apache-2.0
/* formats/tensorflow/profileproto_exec.c: reads what a node of a ProfileProto did in one step: times by device, memory,
 * allocations. In: an entry of ProfileNode.execs. Out: calls on a tfp_builder. Message: ExecProfile of
 * tfprof_log.proto. */
#include "formats/graph/tfdevice.h"
#include "formats/tensorflow/profileproto_parts.h"
#include "model/tables/details.h"
#include "model/tables/lanes.h"
#include "model/tables/profile.h"
#include "model/tables/runs.h"

/* The lane of a device. Its kind follows from the map that holds its times, not from its name. */
uint32_t tfp_profile_lane(tfp_profile_reader *r, tfp_str name, tfp_lane_kind kind)
{
    memo *m = &r->runs.lanes[kind].last;
    if (m->text.data && tfp_str_eq(m->text, name)) return m->id;
    tfp_strid id = tfp_build_string(r->b, name);
    uint64_t key = (uint64_t)id * 4 + kind;
    uint32_t lane = tfp_map64_get(&r->runs.lane_by_name, key);
    if (lane == TFP_NONE) {
        lane = tfp_tf_lane(r->b, name, kind);
        if (lane != TFP_NONE && r->p->lanes->at[lane].kind != kind) lane = tfp_tf_twin_lane(r->b, name, kind);
        if (lane == TFP_NONE) return TFP_NONE;
        tfp_profile_ok(r, tfp_map64_put(&r->runs.lane_by_name, key, lane));
    }
    *m = (memo){ tfp_text(r->p, id), lane };
    return lane;
}

/* Reads a Tuple: [start, duration]. */
static void read_time(tfp_profile_reader *r, tfp_str bytes, uint32_t exec, uint32_t lane)
{
    int64_t values[2] = { 0, 0 };
    size_t count = 0;
    tfp_wire w = tfp_wire_start(bytes);
    for (tfp_field f; tfp_wire_next(&w, &f);) {
        if (f.number != 1) continue;
        uint64_t v;
        for (tfp_packed p = tfp_packed_start(&w, &f, TFP_VARINT); tfp_packed_next(&w, &p, &v);)
            if (count++ < 2) values[count - 1] = (int64_t)v;
    }
    TFP_PROFILE_END(r, w, "times");
    if (w.fault || lane == TFP_NONE) return;
    if (count < 2)
        tfp_build_warn(r->b, "times without start and duration, left out", TFP_STR(""));
    else
        tfp_build_span(r->b, exec, lane, TIME(r, values[0]), TIME(r, values[1]));
    if (count > 2) tfp_build_warn(r->b, "times with more than start and duration, the rest left out", TFP_STR(""));
}

/* Reads an entry of accelerator_execs or cpu_execs: device name -> ExecTime. */
static void read_times(tfp_profile_reader *r, tfp_str bytes, uint32_t exec, tfp_lane_kind kind)
{
    tfp_profile_entry e = tfp_profile_read_entry(r, bytes, true, "execs of a device");
    uint32_t lane = e.sound ? tfp_profile_lane(r, e.name, kind) : TFP_NONE;
    r->runs.lanes[kind].exec = exec;
    tfp_wire times = tfp_wire_start(e.value);
    for (tfp_field f; tfp_wire_next(&times, &f);)
        if (f.number == 1) read_time(r, tfp_field_bytes(&times, &f), exec, lane);
    TFP_PROFILE_END(r, times, "execs of a device");
}

/* Reads a device that an execution names without times, such as one stream of a GPU. It is kept as an empty span, so
 * that the node's device is known. */
static void read_device(tfp_profile_reader *r, tfp_str name, uint32_t exec)
{
    for (int kind = TFP_LANE_CPU; kind <= TFP_LANE_ACCELERATOR; kind++) {
        const lane_memo *m = &r->runs.lanes[kind];
        if (m->last.text.data && m->exec == exec && tfp_str_eq(m->last.text, name)) return;
    }
    if (tfp_tf_device_of(name).kind != TFP_LANE_OTHER) return;
    uint32_t lane = tfp_profile_lane(r, name, TFP_LANE_OTHER);
    if (lane != TFP_NONE) tfp_build_span(r->b, exec, lane, 0, 0);
}

/* Reads an entry of output_memory: slot -> Memory. */
static void read_buffer(tfp_profile_reader *r, tfp_str bytes, uint32_t memory)
{
    int64_t size = 0;
    uint64_t address = 0;
    tfp_profile_entry e = tfp_profile_read_entry(r, bytes, false, "output_memory");
    int32_t slot = (int32_t)(uint32_t)e.key;
    tfp_wire v = tfp_wire_start(e.value);
    for (tfp_field f; tfp_wire_next(&v, &f);) {
        if (f.number == 1)
            size = tfp_field_int(&v, &f);
        else if (f.number == 2)
            address = tfp_field_uint(&v, &f);
    }
    TFP_PROFILE_END(r, v, "output_memory");
    if (memory != TFP_NONE) tfp_build_buffer(r->b, memory, slot, BYTES(r, size), address);
}

/* ExecMemory */
static void read_memory(tfp_profile_reader *r, tfp_str bytes, uint32_t exec)
{
    int64_t v[11] = { 0 }; /* values by field number */
    r->runs.buffers.size = 0;
    tfp_wire w = tfp_wire_start(bytes);
    for (tfp_field f; tfp_wire_next(&w, &f);) {
        if (f.number >= 1 && f.number <= 10)
            v[f.number] = BYTES(r, tfp_field_int(&w, &f));
        else if (f.number == 11)
            tfp_profile_ok(r, tfp_push(&r->runs.buffers, tfp_field_bytes(&w, &f)));
    }
    TFP_PROFILE_END(r, w, "memory_execs");
    tfp_memory m = { .next = TFP_NONE,
                     .buffer_first = TFP_NONE,
                     .buffer_last = TFP_NONE,
                     .at_ns = tfp_build_micros(r->b, v[1]),
                     .host_temp_bytes = v[2],
                     .host_persistent_bytes = v[3],
                     .accelerator_temp_bytes = v[4],
                     .accelerator_persistent_bytes = v[5],
                     .requested_bytes = v[6],
                     .peak_bytes = v[7],
                     .residual_bytes = v[8],
                     .output_bytes = v[9],
                     .allocator_bytes_in_use = v[10] };
    uint32_t memory = tfp_build_memory(r->b, exec, &m);
    for (size_t i = 0; i < r->runs.buffers.size; i++) read_buffer(r, r->runs.buffers.at[i], memory);
}

static uint32_t find_step(tfp_profile_reader *r, int64_t id)
{
    step_ref *s = &r->runs.step_of[id & 15];
    if (s->step && s->id == id) return s->step - 1;
    uint32_t step = tfp_build_step(r->b, id, false);
    if (step != TFP_NONE) *s = (step_ref){ id, step + 1 };
    return step;
}

/* The execution of the node in that step. A step that comes twice starts again, as in a map. */
static uint32_t start_exec(tfp_profile_reader *r, uint32_t node, int64_t step_id)
{
    uint32_t step = find_step(r, step_id);
    if (step == TFP_NONE) return TFP_NONE;
    while (r->runs.execs.size <= step)
        if (!tfp_profile_ok(r, tfp_push(&r->runs.execs, ((exec_ref){ TFP_NONE, TFP_NONE })))) return TFP_NONE;
    exec_ref *last = &r->runs.execs.at[step];
    if (last->node != node) {
        *last = (exec_ref){ node, tfp_build_new_exec(r->b, node, step) };
        return last->exec;
    }
    if (last->exec == TFP_NONE) return TFP_NONE; /* out of memory */
    tfp_profile_warn(r, "steps that come twice in one node, the last kept", step_id);
    tfp_build_exec_again(r->b, last->exec);
    return last->exec;
}

/* ExecProfile */
static void read_exec_fields(tfp_profile_reader *r, tfp_str bytes, uint32_t exec)
{
    tfp_exec *x = &r->p->runs->execs.at[exec]; /* the pointer is valid: no execution is added meanwhile */
    tfp_wire w = tfp_wire_start(bytes);
    for (tfp_field f; tfp_wire_next(&w, &f);) {
        switch (f.number) {
        case 1: x->run_count = tfp_profile_positive(r, tfp_field_int(&w, &f), "negative run counts, taken as 0"); break;
        case 2: x->start_ns = TIME(r, tfp_field_int(&w, &f)); break;
        case 3: x->end_ns = TIME(r, tfp_field_int(&w, &f)); break;
        case 4: read_times(r, tfp_field_bytes(&w, &f), exec, TFP_LANE_ACCELERATOR); break;
        case 5: read_times(r, tfp_field_bytes(&w, &f), exec, TFP_LANE_CPU); break;
        case 6: read_device(r, tfp_field_bytes(&w, &f), exec); break;
        case 7: read_memory(r, tfp_field_bytes(&w, &f), exec); break;
        case 11: {
            tfp_profile_int_pair record = tfp_profile_pair(r, tfp_field_bytes(&w, &f), "allocations");
            tfp_build_allocation(r->b, exec, TIME(r, record.key), record.value);
            break;
        }
        }
    }
    TFP_PROFILE_END(r, w, "execs");
    if (x->end_ns >= x->start_ns) return;
    tfp_build_warn(r->b, "ends before their starts, moved to the starts", TFP_STR(""));
    x->end_ns = x->start_ns;
}

/* Reads an entry of execs: step -> ExecProfile. */
void tfp_profile_read_exec(tfp_profile_reader *r, tfp_str bytes, uint32_t node)
{
    tfp_profile_entry e = tfp_profile_read_entry(r, bytes, false, "execs");
    uint32_t exec = e.sound ? start_exec(r, node, e.key) : TFP_NONE;
    if (exec != TFP_NONE) read_exec_fields(r, e.value, exec);
}
