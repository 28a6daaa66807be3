// SPDX-License-Identifier: Apache-2.0
/* flops/aten/traffic_tensors.c: adds what a call reads and writes, tensor by tensor. */
#include "flops/aten/traffic_rules.h"

int64_t tfp_traffic_own(const tfp_aten_input *in)
{
    int64_t n = 1;
    for (int i = 0; i < in->rank; i++)
        if (!in->strided || in->strides[i] || !in->dims[i]) n = tfp_times(n, in->dims[i]);
    return n;
}

static bool is_sized(const tfp_aten_input *in) { return in->tensor && in->rank > 0; }

static tfp_sized sized(int64_t elements, unsigned scalar)
{
    int size = tfp_scalar_bytes(scalar);
    return (tfp_sized){ elements, size ? tfp_times(elements, size) : UNKNOWN, size, (uint8_t)scalar, 0 };
}

void tfp_traffic_reads(tfp_traffic_work *w, const tfp_aten_input *in)
{
    if (!is_sized(in)) return;
    tfp_sized s = sized(tfp_traffic_own(in), in->scalar_type);
    s.argument = (uint8_t)(in - w->c->in);
    if (w->t->in_count < TFP_TRAFFIC_INPUTS) w->t->in[w->t->in_count++] = s;
    w->t->bytes = tfp_plus(w->t->bytes, s.bytes);
}

void tfp_traffic_reads_all(tfp_traffic_work *w)
{
    for (int i = 0; i < w->c->count; i++) {
        tfp_traffic_reads(w, &w->c->in[i]);
        if (w->c->in[i].list) w->t->bytes = UNKNOWN; /* no trace has the types of a list */
    }
}

void tfp_traffic_writes(tfp_traffic_work *w, int rank, const int64_t *dims, unsigned scalar)
{
    int64_t n = 1;
    for (int i = 0; i < rank; i++) n = tfp_times(n, w->t->dims[i] = dims[i]);
    w->t->rank = rank;
    w->t->out = sized(n, scalar);
    w->t->bytes = tfp_plus(w->t->bytes, w->t->out.bytes);
}

void tfp_traffic_writes_as(tfp_traffic_work *w, const tfp_aten_input *in)
{
    if (!in->tensor)
        w->t->bytes = UNKNOWN;
    else
        tfp_traffic_writes(w, in->rank, in->dims, in->scalar_type);
}

unsigned tfp_traffic_type(const tfp_aten_call *c, int argument, unsigned otherwise)
{
    int64_t code;
    if (argument >= c->count || !tfp_parse_int64(c->in[argument].value, &code)) return otherwise;
    return code >= 0 && tfp_scalar_bytes((unsigned)code) ? (unsigned)code : otherwise;
}
