// SPDX-License-Identifier: Apache-2.0
/* formats/json/kineto_facts.c: the members of a Chrome trace beside its events: the rank, the devices, and facts about
 * the recording. */
#include "formats/json/kineto.h"
#include "formats/json/text.h"
#include "model/event_builder.h"
#include "model/tables/profile.h"

static void read_rank(tfp_kineto_facts *f, tfp_str object)
{
    tfp_jscan j = tfp_jscan_start(object);
    tfp_jscan_text key;
    j.at++;
    for (bool first = true; tfp_jscan_member(&j, first, &key); first = false) {
        if (tfp_str_eq(key.raw, TFP_STR("rank")))
            tfp_jscan_integer(&j, &f->rank);
        else if (tfp_str_eq(key.raw, TFP_STR("world_size")))
            tfp_jscan_integer(&j, &f->rank_count);
        else
            tfp_jscan_skip(&j);
    }
}

/* Keeps CUDA's compute capability, such as "7.0". */
static void keep_capability(tfp_kineto_facts *f, int64_t major, int64_t minor)
{
    tfp_buf text = { 0 };
    tfp_buf_printf(&text, "%lld.%lld", (long long)major, (long long)minor);
    tfp_stat fact = { .key = tfp_build_string(f->b, TFP_STR("compute_capability")), .type = TFP_STAT_TEXT };
    fact.value.text = tfp_build_composed(f->b, &text);
    tfp_build_about(f->b, &fact);
}

static void read_device(tfp_kineto_facts *f, tfp_jscan *j)
{
    tfp_jscan_text key, name = { { "", 0 }, false };
    tfp_device_info d = { .process = f->process };
    tfp_buf device = { 0 };
    int64_t id = 0, major = 0, minor = 0, warp = 0;
    j->at++;
    for (bool first = true; tfp_jscan_member(j, first, &key); first = false) {
        if (tfp_str_eq(key.raw, TFP_STR("id")))
            tfp_jscan_integer(j, &id);
        else if (tfp_str_eq(key.raw, TFP_STR("totalGlobalMem")))
            tfp_jscan_integer(j, &d.memory_bytes);
        else if (tfp_str_eq(key.raw, TFP_STR("numSms")))
            tfp_jscan_integer(j, &d.sm_count);
        else if (tfp_str_eq(key.raw, TFP_STR("warpSize")))
            tfp_jscan_integer(j, &warp);
        else if (tfp_str_eq(key.raw, TFP_STR("computeMajor")))
            tfp_jscan_integer(j, &major);
        else if (tfp_str_eq(key.raw, TFP_STR("computeMinor")))
            tfp_jscan_integer(j, &minor);
        else if (tfp_str_eq(key.raw, TFP_STR("name")) && tfp_jscan_peek(j) == '"')
            tfp_jscan_string(j, &name);
        else
            tfp_jscan_skip(j);
    }
    tfp_buf_text(&device, "gpu:");
    tfp_buf_int(&device, id);
    d.device = tfp_build_composed(f->b, &device);
    /* Some ROCm systems give devices no name. Only AMD has wavefronts of 64; flops/core/devices.c knows the rest. */
    d.name = !name.raw.size && warp == 64 ? tfp_build_string(f->b, TFP_STR("AMD")) : tfp_json_string(f->b, &name);
    if (j->fault) return;
    tfp_build_device(f->b, &d);
    if (major > 0 && !f->has_capability) keep_capability(f, major, minor);
    f->has_capability |= major > 0;
}

static void read_devices(tfp_kineto_facts *f, tfp_str array)
{
    tfp_jscan j = tfp_jscan_start(array);
    j.at++;
    for (bool first = true; tfp_jscan_item(&j, first); first = false) {
        if (tfp_jscan_peek(&j) == '{')
            read_device(f, &j);
        else
            tfp_jscan_skip(&j);
    }
}

/* Facts about the recording are kept as they are. */
static void keep_fact(tfp_kineto_facts *f, const tfp_jscan_text *key, const tfp_jscan_value *v)
{
    tfp_stat fact = { .type = TFP_STAT_INT, .value.number = v->number };
    fact.key = tfp_json_string(f->b, key);
    if (v->kind == TFP_JSCAN_REAL) {
        fact.type = TFP_STAT_REAL;
        fact.value.real = v->real;
    } else if (v->kind >= TFP_JSCAN_STRING) {
        fact.type = TFP_STAT_TEXT;
        fact.value.text =
            v->kind == TFP_JSCAN_STRING ? tfp_json_string(f->b, &v->text) : tfp_build_string(f->b, v->text.raw);
    }
    if (v->kind != TFP_JSCAN_NULL) tfp_build_about(f->b, &fact);
}

void tfp_kineto_keep(tfp_kineto_facts *f, const tfp_jscan_text *key, const tfp_jscan_value *v)
{
    if (tfp_str_eq(key->raw, TFP_STR("distributedInfo")) && v->kind == TFP_JSCAN_OBJECT) read_rank(f, v->text.raw);
    if (tfp_str_eq(key->raw, TFP_STR("deviceProperties")) && v->kind == TFP_JSCAN_ARRAY) {
        read_devices(f, v->text.raw);
        return;
    }
    if (tfp_str_eq(key->raw, TFP_STR("baseTimeNanoseconds")) && v->kind == TFP_JSCAN_INT)
        f->b->p->about.origin_unix_ns = v->number;
    keep_fact(f, key, v);
}
