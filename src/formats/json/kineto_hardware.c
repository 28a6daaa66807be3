// SPDX-License-Identifier: Apache-2.0
/* formats/json/kineto_hardware.c: Chrome traces without Kineto's categories in which processes are devices. Huawei's
 * profiler calls such a process `Ascend Hardware`, and its threads are streams. rpd2tracing.py of rocmProfileData calls it
 * `GPUn`, and its arrows `api_op` begin at API calls. torch.autograd's own export has no names: its pids are `CPU functions`
 * and `CUDA functions`, and a thread of the latter is a device. */
#include "formats/json/kineto.h"
#include "model/event_builder.h"
#include "model/span_names.h"
#include "model/tables/events.h"
#include "model/tables/profile.h"

typedef enum role { PLAIN, DEVICE, RPD_DEVICE, RPD_HOST, AUTOGRAD_HOST } role;

/* ---- which lanes ---- */

static bool is_rpd(const tfp_kineto_reader *r)
{
    tfp_str word = TFP_STR("api_op");
    uint32_t category = (uint32_t)tfp_hash(word.data, word.size);
    for (size_t i = 0; r->lanes.numbered.size && i < r->links.arrows.size; i++)
        if (r->links.arrows.at[i].category == category) return true;
    return false;
}

static bool is_in(const uint64_t *at, size_t count, uint64_t process)
{
    for (size_t i = 0; i < count; i++)
        if (at[i] == process) return true;
    return false;
}

static role role_of(const tfp_kineto_reader *r, const tfp_kineto_lane *lane, bool rpd)
{
    uint64_t process = tfp_kineto_pid(lane);
    if (lane->kind != TFP_KINETO_THREAD) return PLAIN;
    if (is_in(r->lanes.hardware.at, r->lanes.hardware.size, process)) return DEVICE;
    if (rpd) return is_in(r->lanes.numbered.at, r->lanes.numbered.size, process) ? RPD_DEVICE : RPD_HOST;
    tfp_str pid = lane->words & 1 ? tfp_text(r->b->p, (tfp_strid)lane->a) : TFP_STR("");
    if (!tfp_str_ends(pid, TFP_STR(" functions"))) return PLAIN;
    return tfp_str_begins(pid, TFP_STR("CPU ")) ? AUTOGRAD_HOST : DEVICE;
}

/* Makes a stream of a device's lane. In torch.autograd's export the thread is the number of the device. */
static void make_stream(tfp_kineto_reader *r, uint32_t place)
{
    tfp_kineto_lane *lane = &r->lanes.list.at[place];
    tfp_str pid = lane->words & 1 ? tfp_text(r->b->p, (tfp_strid)lane->a) : TFP_STR("");
    if (tfp_str_ends(pid, TFP_STR(" functions"))) {
        lane->a = lane->b;
        lane->words = lane->words >> 1 & 1;
        lane->b = 0;
    }
    tfp_kineto_make_stream(r, place);
}

/* ---- what ran on them ---- */

/* Whether it is a frame that rpd2tracing.py draws around operations, or around those of a graph. */
static bool is_frame(const tfp_kineto_reader *r, uint32_t stats)
{
    const tfp_event_tables *t = r->b->p->events;
    const tfp_stat_set *set = stats == TFP_NONE ? NULL : &t->stat_sets.at[stats];
    for (uint32_t i = 0; set && i < set->count; i++) {
        const tfp_stat *stat = &t->stats.at[set->first + i];
        tfp_str key = tfp_text(r->b->p, stat->key);
        if (tfp_str_eq(key, TFP_STR("kernels"))) return true;
        if (tfp_str_eq(key, TFP_STR("desc")) && stat->type == TFP_STAT_TEXT)
            return tfp_str_begins(tfp_text(r->b->p, (tfp_strid)stat->value.text), TFP_STR("UserMarker frame"));
    }
    return false;
}

/* Makes an operator of a range NAME[, seq = N][, op_id = N][, sizes = [..]], as emit_nvtx of PyTorch names them. */
static void make_op(tfp_kineto_reader *r, uint32_t span)
{
    static const char *const endings[] = { ", seq = ", ", op_id = ", ", sizes = " };
    tfp_span_columns *s = &r->b->p->events->spans;
    tfp_str name = tfp_text(r->b->p, s->name[span]), all = name;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t at = tfp_str_find(name, tfp_str_of(endings[i]));
        if (at != SIZE_MAX) name.size = at;
    }
    s->kind[span] = TFP_SPAN_OP;
    if (name.size < all.size) s->name[span] = tfp_build_string(r->b, name);
}

/* A span of RPD's host: a call, or a range with the text that the program gave it. */
static void take_range(tfp_kineto_reader *r, uint32_t span)
{
    tfp_span_columns *s = &r->b->p->events->spans;
    tfp_str name = tfp_text(r->b->p, s->name[span]);
    tfp_step_name step;
    bool call = tfp_str_begins(name, TFP_STR("hip")) || tfp_str_begins(name, TFP_STR("hsa_"));
    bool op = tfp_str_has(name, TFP_STR("::"));
    if (tfp_str_ends(name, TFP_STR("::writeRows"))) return; /* the tracer's own */
    s->kind[span] = call ? TFP_SPAN_CALL : TFP_SPAN_ANNOTATION;
    if (op && !call) make_op(r, span);
    if (call || op || !tfp_step_name_of(name, &step)) return;
    tfp_step_mark m = { .span = span, .source = TFP_STEPS_NAMED, .number = step.number };
    if (step.profiler) s->kind[span] = TFP_SPAN_STEP;
    if (step.profiler) m.source = TFP_STEPS_MARKED;
    tfp_build_step_mark(r->b, &m);
}

static void make_activity(tfp_kineto_reader *r, tfp_map64 *class_of, uint32_t span)
{
    tfp_span_columns *s = &r->b->p->events->spans;
    uint32_t class = tfp_map64_get(class_of, s->name[span]);
    if (class == TFP_NONE) {
        tfp_str name = tfp_text(r->b->p, s->name[span]);
        class = tfp_kineto_kernel_class(tfp_kineto_look_at_name(name));
        if (tfp_str_begins(name, TFP_STR("CopyHostTo")) || tfp_str_begins(name, TFP_STR("CopyDeviceTo")))
            class = TFP_CLASS_COPY;
        if (tfp_str_eq(name, TFP_STR("FillBuffer"))) class = TFP_CLASS_SET;
        if (!tfp_build_keep(r->b, tfp_map64_put(class_of, s->name[span], class))) return;
    }
    s->kind[span] = TFP_SPAN_ACTIVITY;
    s->class[span] = (uint8_t) class;
    r->links.activities++, r->links.unnumbered++;
}

static void take_spans(tfp_kineto_reader *r, const uint8_t *roles)
{
    const tfp_span_columns *s = &r->b->p->events->spans;
    tfp_map64 class_of = { 0 };
    bool found = false; /* r->first_plain is set: the first event that remains without a category */
    for (uint32_t i = (uint32_t)r->first_span; i < s->size && !r->b->status; i++) {
        if (s->kind[i] != TFP_SPAN_OTHER || s->marks[i] & TFP_MARK_INSTANT) continue;
        role is = (role)roles[s->lane[i]];
        if (is == PLAIN || (is == RPD_DEVICE && is_frame(r, s->stats[i]))) {
            if (!found) r->first_plain = s->name[i];
            found = true;
            continue;
        }
        if (is == RPD_HOST)
            take_range(r, i);
        else if (is == AUTOGRAD_HOST)
            r->b->p->events->spans.kind[i] = TFP_SPAN_OP;
        else
            make_activity(r, &class_of, i);
        r->plain--;
    }
    tfp_map64_free(&class_of);
}

void tfp_kineto_find_hardware(tfp_kineto_reader *r)
{
    bool rpd = is_rpd(r), any = false;
    uint8_t *roles = NULL;
    if (!r->plain || r->b->status) return;
    roles = calloc(r->b->p->lanes->size + 1, 1);
    if (!roles) {
        tfp_build_keep(r->b, false);
        return;
    }
    for (size_t i = 0; i < r->lanes.list.size && !r->b->status; i++) {
        uint32_t at = r->lanes.of.at[i];
        role is = at == TFP_NONE ? PLAIN : role_of(r, &r->lanes.list.at[i], rpd);
        if (is == PLAIN) continue;
        if (is == DEVICE || is == RPD_DEVICE) make_stream(r, (uint32_t)i);
        roles[at] = (uint8_t)is;
        any = true;
    }
    if (any) take_spans(r, roles);
    free(roles);
}
