// SPDX-License-Identifier: Apache-2.0
/* views/limits/peaks.c: what the trace's device can do: the options, then the data sheet of its name
 * (flops/core/devices.h). */
#include "model/tables/devices.h"
#include "model/tables/read.h"
#include "options/options.h"
#include "options/units.h"
#include "views/core/handle.h"
#include "views/limits/limits.h"

#define FLOOR_US 2.0

static tfp_status read_floor(const char *text, double *us, tfp_error *err)
{
    tfp_amount amount;
    *us = FLOOR_US;
    if (!text || !*text) return TFP_OK;
    bool time = tfp_amount_parse(tfp_str_of(text), &amount) && !amount.percent &&
                (amount.unit == TFP_MICROS || amount.unit == TFP_LABEL) && amount.value >= 0;
    if (!time) return tfp_fail(err, TFP_BADARG, "-floor is a time such as 2us, not '%s'", text);
    *us = amount.value;
    return TFP_OK;
}

tfp_status tfp_limit_peaks_of(const tfp_report *r, tfp_limit_peaks *out, tfp_error *err)
{
    const tfp_options *o = tfp_options_of(r);
    *out = (tfp_limit_peaks){ 0 };
    const tfp_device_info *device = tfp_named_device(tfp_profile_of(r), &out->others);
    if (device) out->device = tfp_text(tfp_profile_of(r), device->name);
    const tfp_device_peaks *known = NULL;
    if (device) {
        tfp_device_marks marks = { out->device, device->sm_count, device->memory_bytes, device->clock_khz };
        known = tfp_device_of_marks(&marks);
        out->device = tfp_device_label(&marks);
    }
    double given = 0;
    if (o->flops.peak_flops) tfp_rate_parse(tfp_str_of(o->flops.peak_flops), tfp_flops_units, &given);
    for (int i = 0; i < TFP_FLOAT_TYPES; i++) out->flops[i] = given > 0 ? given : known ? known->tera[i] * 1e12 : 0;
    out->bandwidth = known ? known->bandwidth * 1e9 : 0;
    if (o->flops.peak_bandwidth)
        tfp_rate_parse(tfp_str_of(o->flops.peak_bandwidth), tfp_bandwidth_units, &out->bandwidth);
    out->known = out->bandwidth > 0;
    return read_floor(o->verb.floor, &out->floor_us, err);
}
