// SPDX-License-Identifier: Apache-2.0
/* formats/tensorflow/profileproto_reader.c: what the readers of a ProfileProto share: faults, warnings, nodes by
 * key. */
#include "formats/tensorflow/profileproto_parts.h"
#include "model/tables/profile.h"

#include <stdio.h>

void tfp_profile_reader_free(tfp_profile_reader *r)
{
    tfp_arena_free(&r->arena);
    tfp_vec_free(&r->nodes);
    tfp_vec_free(&r->edges);
    tfp_vec_free(&r->attrs);
    tfp_vec_free(&r->one.sources);
    tfp_vec_free(&r->traces.list);
    tfp_vec_free(&r->runs.execs);
    tfp_vec_free(&r->one.outputs);
    tfp_vec_free(&r->runs.buffers);
    tfp_vec_free(&r->one.shape);
    tfp_vec_free(&r->one.dims);
    tfp_vec_free(&r->traces.frames);
    tfp_map64_free(&r->keys.large);
    tfp_vec_free(&r->keys.small);
    tfp_map64_free(&r->traces.by_hash);
    tfp_map64_free(&r->traces.string_by_id);
    tfp_map64_free(&r->runs.lane_by_name);
    tfp_buf_free(&r->one.attrs);
    tfp_buf_free(&r->one.shapes);
}

void tfp_profile_keep_fault(tfp_profile_reader *r, tfp_wire w, const char *place)
{
    if (!w.fault || r->fault.fault) return;
    r->fault = w;
    r->fault.fault_at += r->window_at + (uint64_t)((const char *)w.start - r->window);
    r->fault.place = place;
}

void tfp_profile_warn(tfp_profile_reader *r, const char *what, int64_t number)
{
    char text[24];
    int size = snprintf(text, sizeof text, "%lld", (long long)number);
    tfp_build_warn(r->b, what, (tfp_str){ text, (size_t)size });
}

uint32_t tfp_profile_find_key(const tfp_profile_reader *r, int64_t key)
{
    if ((uint64_t)key >= r->keys.small_most) return tfp_map64_get(&r->keys.large, (uint64_t)key);
    return (uint64_t)key < r->keys.small.size ? r->keys.small.at[key] : TFP_NONE;
}

bool tfp_profile_put_key(tfp_profile_reader *r, int64_t key, uint32_t node)
{
    if ((uint64_t)key >= r->keys.small_most) return tfp_map64_put(&r->keys.large, (uint64_t)key, node);
    size_t size = r->keys.small.size;
    if ((size_t)key >= size) {
        if (!tfp_reserve(&r->keys.small, (size_t)key + 1)) return false;
        memset(r->keys.small.at + size, 0xff, ((size_t)key + 1 - size) * sizeof(uint32_t)); /* TFP_NONE */
        r->keys.small.size = (size_t)key + 1;
    }
    r->keys.small.at[key] = node;
    return true;
}

tfp_strid tfp_profile_text(tfp_profile_reader *r, memo *m, tfp_str text)
{
    if (!m->text.data || !tfp_str_eq(m->text, text)) {
        m->id = tfp_build_string(r->b, text);
        m->text = tfp_text(r->p, m->id);
    }
    return m->id;
}

tfp_profile_int_pair tfp_profile_pair(tfp_profile_reader *r, tfp_str bytes, const char *place)
{
    tfp_profile_int_pair pair = { 0, 0 };
    tfp_wire w = tfp_wire_start(bytes);
    for (tfp_field f; tfp_wire_next(&w, &f);) {
        if (f.number == 1)
            pair.key = tfp_field_int(&w, &f);
        else if (f.number == 2)
            pair.value = tfp_field_int(&w, &f);
    }
    TFP_PROFILE_END(r, w, place);
    return pair;
}
