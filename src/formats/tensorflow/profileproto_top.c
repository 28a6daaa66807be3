// SPDX-License-Identifier: Apache-2.0
/* formats/tensorflow/profileproto_top.c: the fields of the message itself; pieces of a big file use these functions
 * too. */
#include "formats/tensorflow/profileproto_parts.h"

/* An entry of nodes: key -> ProfileNode */
static tfp_status read_node_entry(tfp_profile_reader *r, tfp_wire w, tfp_error *err)
{
    int64_t key = 0;
    tfp_str node = { (const char *)w.start, 0 };
    r->window = node.data;
    r->window_at = w.base;
    for (tfp_field f; tfp_wire_next(&w, &f);) {
        if (f.number == 1)
            key = tfp_field_int(&w, &f);
        else if (f.number == 2)
            node = tfp_field_bytes(&w, &f);
    }
    tfp_status s = tfp_wire_end(&w, err);
    if (!s) s = tfp_profile_read_node(r, node, key, err);
    return tfp_within(err, s, "node %zu", r->nodes.size);
}

/* An entry of id_to_string */
static tfp_status read_string(tfp_profile_reader *r, tfp_wire w, tfp_error *err)
{
    int64_t key = 0;
    tfp_str text = { "", 0 };
    for (tfp_field f; tfp_wire_next(&w, &f);) {
        if (f.number == 1)
            key = tfp_field_int(&w, &f);
        else if (f.number == 2)
            text = tfp_field_bytes(&w, &f);
    }
    tfp_status s = tfp_within(err, tfp_wire_end(&w, err), "id_to_string");
    if (s) return s;
    return tfp_map64_put(&r->traces.string_by_id, (uint64_t)key, tfp_build_string(r->b, text)) ? TFP_OK
                                                                                               : tfp_nomem(err);
}

static void read_steps(tfp_profile_reader *r, tfp_wire *w, const tfp_field *f)
{
    uint64_t v;
    for (tfp_packed p = tfp_packed_start(w, f, TFP_VARINT); tfp_packed_next(w, &p, &v);) {
        if ((int64_t)v < 0) tfp_profile_warn(r, "negative step numbers, which cannot be asked for", (int64_t)v);
        tfp_build_step(r->b, (int64_t)v, true);
    }
}

tfp_status tfp_profile_read_top(tfp_profile_reader *r, tfp_input *in, const tfp_field *f, tfp_error *err)
{
    tfp_wire w = tfp_input_wire(in, f);
    switch (f->number) {
    case 1: {
        tfp_wire entry = tfp_field_message(&w, f);
        return w.fault ? tfp_wire_end(&w, err) : read_node_entry(r, entry, err);
    }
    case 2:
        if (tfp_field_bool(&w, f)) tfp_build_has(r->b, TFP_HAS_CODE);
        break;
    case 3: read_steps(r, &w, f); break;
    case 4: {
        tfp_wire entry = tfp_field_message(&w, f);
        return w.fault ? tfp_wire_end(&w, err) : read_string(r, entry, err);
    }
    }
    return tfp_wire_end(&w, err);
}
