// SPDX-License-Identifier: Apache-2.0
/* whatif/apply.c: changes of device work: faster or removed activities, faster links. */
#include "model/graphs.h"
#include "model/nest.h"
#include "model/tables/spans.h"
#include "names/copies.h"
#include "whatif/change.h"
#include "whatif/gains.h"

bool tfp_changer_new(tfp_changer *c, const tfp_job *j, tfp_variant *v)
{
    tfp_arena *a = j->arena;
    *c = (tfp_changer){ .j = j,
                        .v = v,
                        .anchor_flags = TFP_NEW(a, bool, j->anchors.count + 1),
                        .anchor_sums = TFP_NEW(a, double, j->anchors.count + 1),
                        .joint_done = TFP_NEW(a, uint8_t, j->joints.size + 1) };
    return c->anchor_flags && c->anchor_sums && c->joint_done;
}

/* For a collective, the time after all ranks have arrived is divided, and only once for all ranks. */
static void divide(tfp_changer *c, uint32_t i, double factor)
{
    uint32_t joint = c->j->activities[i].joint;
    if (c->j->activities[i].ends_with == TFP_NONE) c->v->duration[i] /= factor;
    if (joint != TFP_NONE && !c->joint_done[joint]) c->v->pure[joint] /= factor;
    if (joint != TFP_NONE) c->joint_done[joint] = 1;
}

static void forget_joints(tfp_changer *c)
{
    if (c->j->joints.size) memset(c->joint_done, 0, c->j->joints.size);
}

void tfp_take_away(tfp_changer *c, uint32_t i)
{
    const tfp_job *j = c->j;
    uint32_t call = j->activities[i].call;
    c->v->removed[i] = true;
    if (call == TFP_NONE || tfp_is_graph_launch(tfp_job_name(j, j->anchors.list[call].span))) return;
    c->anchor_flags[call] = true;
}

void tfp_empty_calls(tfp_changer *c)
{
    for (uint32_t i = 0; i < c->j->anchors.count; i++) {
        const tfp_job_anchor *a = &c->j->anchors.list[i];
        if (a->call == TFP_NONE || !c->anchor_flags[a->call] || a->waits) continue;
        c->v->touched[i] = a->own;
        c->v->own[i] = 0;
        if (a->ends && a->kind == TFP_ANCHOR_CALL) c->v->unsynced[i] = true; /* nor does it wait for a full queue */
    }
    if (c->j->anchors.count) memset(c->anchor_flags, 0, c->j->anchors.count * sizeof *c->anchor_flags);
}

static bool launched_inside(const tfp_job *j, tfp_named *n, uint32_t i)
{
    uint32_t span = j->activities[i].span;
    return tfp_named_inside(n, j->s->launch[span]) || tfp_named_inside(n, j->s->owner[span]) ||
           tfp_named_inside(n, span) || tfp_named_computes(n, span);
}

/* An activity inside another one also has the name of the outer one. */
static bool has_name(const tfp_job *j, tfp_named *n, uint32_t i)
{
    uint32_t span = j->activities[i].span;
    if (tfp_named_has(n, span)) return true;
    return j->around && j->around[span] != TFP_NONE && tfp_named_inside(n, span);
}

/* Nests the Python frames, which are not in the model's nesting. It is slow, so it is done only when needed. */
static bool nest_frames(tfp_changer *c, tfp_named *n)
{
    tfp_nest nest;
    if (!n->regex || !tfp_named_frame(n)) return true;
    if (!c->framed && tfp_nest_of(c->j->p, c->j->arena, &nest)) c->framed = nest.parent;
    n->parent = c->framed;
    return c->framed != NULL;
}

static void change_activities(tfp_changer *c, tfp_faster *f, bool by_name)
{
    const tfp_job *j = c->j;
    for (uint32_t i = 0; i < j->activity_count; i++) {
        const tfp_job_activity *a = &j->activities[i];
        if (!tfp_job_of_rank(j, a->unit, f->rank)) continue;
        if (!(by_name ? has_name(j, &f->named, i) : launched_inside(j, &f->named, i))) continue;
        c->found = true;
        if (f->factor == 0)
            tfp_take_away(c, i);
        else if (!f->host)
            divide(c, i, f->factor);
    }
    forget_joints(c);
    tfp_empty_calls(c);
}

bool tfp_apply_faster(tfp_changer *c, tfp_faster *f)
{
    const tfp_job *j = c->j;
    bool by_name = false;
    c->found = false;
    for (uint32_t i = 0; i < j->activity_count && !by_name && !f->host; i++)
        by_name = tfp_job_of_rank(j, j->activities[i].unit, f->rank) && tfp_named_has(&f->named, j->activities[i].span);
    if (!by_name && !nest_frames(c, &f->named)) return false;
    if (f->host || (!j->device_count && !by_name)) {
        f->host = true;
        if (f->factor == 0) change_activities(c, f, false);
        return tfp_apply_host(c, f);
    }
    change_activities(c, f, by_name);
    return true;
}

/* The call that launched the activity waits for nothing, such as for a copy from pageable memory. */
static void unsync_call(tfp_changer *c, uint32_t i)
{
    uint32_t call = c->j->activities[i].call;
    uint32_t end = call == TFP_NONE ? TFP_NONE : c->j->anchors.end_of_call[c->j->anchors.list[call].span];
    if (end != TFP_NONE) c->v->unsynced[end] = true;
}

bool tfp_apply_remedy(tfp_changer *c, const tfp_remedy *remedy)
{
    const tfp_job *j = c->j;
    for (uint32_t i = 0; remedy->has && i < j->activity_count; i++) {
        uint32_t span = j->activities[i].span;
        if (!remedy->has(remedy->ctx, span, j->waits[span])) continue;
        if (remedy->left > 0) {
            divide(c, i, 1 / remedy->left);
            continue;
        }
        tfp_take_away(c, i);
        unsync_call(c, i);
    }
    forget_joints(c);
    tfp_empty_calls(c);
    return tfp_apply_remedy_host(c, remedy);
}

void tfp_apply_link(tfp_changer *c, const tfp_change *link)
{
    const tfp_job *j = c->j;
    for (uint32_t i = 0; i < j->activity_count; i++) {
        uint32_t span = j->activities[i].span;
        bool copy = j->s->class[span] == TFP_CLASS_COPY && tfp_copy_needs_link(tfp_job_name(j, span));
        if ((j->activities[i].collective && link->comm) || (copy && link->copy)) divide(c, i, link->number);
    }
    forget_joints(c);
}
