// SPDX-License-Identifier: Apache-2.0
/* formats/xplane/lane.c: the head of a line, which is everything before its first event, and its lane. */
#include "formats/xplane/parts.h"
#include "model/tables/profile.h"

static const tfp_lane_role roles[] = {
    [XL_HOST] = TFP_ROLE_THREAD,  [XL_STREAM] = TFP_ROLE_STREAM, [XL_COPIES] = TFP_ROLE_STREAM,
    [XL_OPS] = TFP_ROLE_STREAM,   [XL_ASYNC] = TFP_ROLE_ASYNC,   [XL_MODULES] = TFP_ROLE_DERIVED,
    [XL_SHOWN] = TFP_ROLE_DERIVED
};

/* Makes a name such as "cpu/thread:-7", "gpu:0/stream:13", "tpu:1/XLA Ops". */
uint32_t tfp_xplane_lane(tfp_xline_reader *lr)
{
    tfp_xreader *r = lr->r;
    const tfp_xplane *p = &r->planes.at[lr->plane];
    tfp_str line = tfp_text(r->p, lr->l->name), plane = tfp_text(r->p, p->name);
    tfp_buf name = { 0 };
    if (lr->l->kind == XL_HOST) {
        tfp_buf_printf(&name, "cpu/thread:%lld", (long long)lr->l->id);
    } else if (tfp_xline_is_stream(lr->l->kind)) {
        size_t at = strlen("Stream #"), end = at;
        while (end < line.size && line.data[end] >= '0' && line.data[end] <= '9') end++;
        tfp_buf_printf(&name, "%s/stream:", p->device);
        if (end > at)
            tfp_buf_add(&name, line.data + at, end - at);
        else
            tfp_buf_int(&name, lr->l->id);
    } else if (p->device[0]) {
        tfp_buf_printf(&name, "%s/", p->device);
        tfp_buf_str(&name, line);
    } else {
        tfp_buf_printf(&name, "%.*s/%.*s:%lld", (int)(plane.size > 200 ? 200 : plane.size), plane.data,
                       (int)(line.size > 200 ? 200 : line.size), line.data, (long long)lr->l->id);
        for (size_t i = 0; i < name.size && i < plane.size; i++)
            if (name.data[i] == '/') name.data[i] = ' ';
    }
    tfp_build_keep(r->b, !name.failed);
    uint32_t lane = name.failed ? TFP_NONE
                                : tfp_build_event_lane(r->b, r->process, roles[lr->l->kind],
                                                       (tfp_str){ name.data, name.size }, tfp_text(r->p, lr->l->label));
    tfp_buf_free(&name);
    return lane;
}

tfp_status tfp_xplane_read_head(tfp_xreader *r, tfp_xplane *p, tfp_xline *l, tfp_error *err)
{
    tfp_str name = { "", 0 };
    tfp_strid display = 0;
    uint64_t total = r->in->total;
    bool named = false, timed = false;
    tfp_status s = tfp_input_seek(r->in, l->at, err);
    r->in->total = l->at + l->size;
    while (!s && tfp_input_left(r->in) > 0) {
        tfp_field f;
        uint64_t at = tfp_input_at(r->in), size;
        if ((s = tfp_wire_peek_input(r->in, &f, &size, err))) break;
        if (f.number == 4 && f.type == TFP_BYTES) {
            if (named && timed) break;
            s = tfp_input_seek(r->in, at + size, err); /* some fields of the head may come after the events */
            continue;
        }
        if (!tfp_wire_next_input(r->in, &f, &s, err)) break;
        tfp_wire w = tfp_input_wire(r->in, &f);
        switch (f.number) {
        case 1: l->id = tfp_field_int(&w, &f); break;
        case 2:
            name = tfp_field_bytes(&w, &f);
            l->name = tfp_build_string(r->b, name);
            named = true;
            break;
        case 3:
            l->timestamp_ns = tfp_field_int(&w, &f);
            timed = true;
            break;
        case 11: display = tfp_build_string(r->b, tfp_field_bytes(&w, &f)); break;
        }
        s = tfp_wire_end(&w, err);
    }
    r->in->total = total;
    if (!l->name) l->name = display;
    l->label = display ? display : l->name;
    l->kind = tfp_xplane_line_kind(p->kind, l->id, tfp_text(r->p, l->name));
    return s ? s : tfp_builder_status(r->b, err);
}
