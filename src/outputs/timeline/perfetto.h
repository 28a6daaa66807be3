// SPDX-License-Identifier: Apache-2.0
/* outputs/timeline/perfetto.h: shared by the parts of the Perfetto output: packets into a sink. All packets are of one sequence, so
 * that each text is written once. Layout: google/perfetto, protos/perfetto/trace/. */
#ifndef TFP_OUTPUT_PERFETTO_H
#define TFP_OUTPUT_PERFETTO_H

#include "model/tables/spans.h"
#include "outputs/core/output.h"
#include "views/core/handle.h"
#include "wire/proto.h"

typedef struct tfp_pf_out {
    const tfp_report *r;
    const tfp_profile *p;
    const tfp_span_columns *s;
    tfp_sink *sink;
    tfp_buf packet, event, part, interned; /* what is being written, inner parts first */
    uint8_t *names, *keys, *texts;         /* by string: whether it was written as a name, as a key, as a value */
    uint32_t *process_of;                  /* by lane: the first lane of its device and process */
    uint8_t *used;                         /* by lane: a span in it is shown */
    uint64_t tracks;                       /* the number of track ids that are in use */
    bool first;                            /* no packet so far */
} tfp_pf_out;

/* The number of the track of a lane, and of the process of a lane. */
static inline uint64_t tfp_pf_lane_track(uint32_t lane) { return 2 * (uint64_t)lane + 1; }
static inline uint64_t tfp_pf_process_track(uint32_t lane) { return 2 * (uint64_t)lane + 2; }

static inline bool tfp_pf_shown(const tfp_pf_out *x, uint32_t span)
{
    return tfp_step_takes(tfp_step_of(x->r), x->s->step[span]);
}

static inline tfp_str tfp_pf_bytes(const tfp_buf *b) { return (tfp_str){ b->data ? b->data : "", b->size }; }

/* Ends x->packet: adds what all packets have, and writes it. */
void tfp_pf_put_packet(tfp_pf_out *x);
/* A track below another one that is not a thread. An empty name shows the parent's name in a viewer. */
void tfp_pf_put_track(tfp_pf_out *x, uint64_t uuid, uint64_t parent, tfp_str name, bool counter);

/* All spans that are shown, lane by lane in order of time. */
tfp_status tfp_pf_put_spans(tfp_pf_out *x, tfp_error *err);

#endif
