// SPDX-License-Identifier: Apache-2.0
/* outputs/timeline/perfetto_packets.c: packets into the sink, and those of tracks. */
#include "outputs/timeline/perfetto.h"

enum { CLEARED = 1, NEEDS_STATE = 2 }; /* sequence_flags */

void tfp_pf_put_packet(tfp_pf_out *x)
{
    tfp_put_int_always(&x->packet, 10, 1); /* trusted_packet_sequence_id */
    tfp_put_int_always(&x->packet, 13, x->first ? CLEARED : NEEDS_STATE);
    tfp_put_bytes_always(&x->sink->buf, 1, tfp_pf_bytes(&x->packet));
    x->sink->buf.failed |= x->packet.failed || x->event.failed || x->part.failed || x->interned.failed;
    x->packet.size = x->event.size = x->part.size = x->interned.size = 0;
    x->first = false;
    tfp_sink_flush_if_full(x->sink);
}

void tfp_pf_put_track(tfp_pf_out *x, uint64_t uuid, uint64_t parent, tfp_str name, bool counter)
{
    tfp_put_int_always(&x->event, 1, (int64_t)uuid);
    if (name.size) tfp_put_string(&x->event, 2, name);
    tfp_put_int_always(&x->event, 5, (int64_t)parent);
    if (counter) tfp_put_bytes_always(&x->event, 8, TFP_STR(""));
    tfp_put_bytes_always(&x->packet, 60, tfp_pf_bytes(&x->event));
    tfp_pf_put_packet(x);
}
