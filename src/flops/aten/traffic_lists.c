// SPDX-License-Identifier: Apache-2.0
/* flops/aten/traffic_lists.c: what operators on lists of tensors read and write: cat, indexing, and the steps of optimizers. A trace has the
 * shapes of a list and not its types: the size of an element is told by a kernel's name, or by an allocation. */
#include "flops/aten/traffic_rules.h"

enum { LISTED = 256 }; /* the bytes of a longer list of tensors are unknown */

static tfp_sized of_list(const tfp_traffic_work *w, int64_t elements)
{
    return (tfp_sized){ elements, tfp_times(elements, w->list_size), w->list_size, TFP_SCALAR_TYPES, 0 };
}

void tfp_traffic_cat(tfp_traffic_work *w, int how)
{
    (void)how;
    tfp_aten_input all[LISTED];
    const tfp_aten_input *list = arg(w->c, 0);
    int count = tfp_aten_listed(list, all, LISTED);
    int64_t elements = 0, along = 0, at;
    w->t->bytes = count && count <= LISTED && w->list_size ? 0 : UNKNOWN;
    for (int i = 0; i < count && i < LISTED; i++) {
        tfp_sized s = of_list(w, tfp_traffic_own(&all[i]));
        if (w->t->in_count < TFP_TRAFFIC_INPUTS) w->t->in[w->t->in_count++] = s;
        w->t->bytes = tfp_plus(w->t->bytes, s.bytes);
        elements = tfp_plus(elements, all[i].elements);
    }
    w->t->out = of_list(w, elements);
    w->t->bytes = tfp_plus(w->t->bytes, w->t->out.bytes);
    if (!count || !tfp_parse_int64(arg(w->c, 1)->value, &at)) return;
    if (at < 0) at += all[0].rank;
    if (at < 0 || at >= all[0].rank) return;
    for (int i = 0; i < count && i < LISTED; i++) along = tfp_plus(along, all[i].rank > at ? all[i].dims[at] : 0);
    w->t->rank = all[0].rank;
    memcpy(w->t->dims, all[0].dims, sizeof w->t->dims);
    w->t->dims[at] = along;
}

/* The steps of an optimizer: each list is read, and written unless it is one of gradients (argument 1). Of others the first is written, in
 * place or as a new list; a copy or a zero does not read it. */
void tfp_traffic_each(tfp_traffic_work *w, int how)
{
    const tfp_aten_input *first = arg(w->c, 0);
    w->t->bytes = first->list && first->elements > 0 && w->list_size ? 0 : UNKNOWN;
    for (int i = 0; i < w->c->count; i++) {
        const tfp_aten_input *in = &w->c->in[i];
        if (!in->list || in->elements <= 0) continue;
        tfp_sized s = of_list(w, in->elements);
        bool reads = i || !(how & FIRST_WRITTEN), writes = how & OPTIMIZER ? i != 1 : i == 0 && !(how & READS_ONLY);
        if (reads) w->t->bytes = tfp_plus(w->t->bytes, s.bytes);
        if (writes) w->t->bytes = tfp_plus(w->t->bytes, s.bytes);
    }
    w->t->out = of_list(w, first->list ? first->elements : 0);
}

/* The shape of what indexes choose: theirs, broadcast, then the dimensions without one. An entry without dimensions takes all of its own. */
static bool indexed(const tfp_traffic_work *w, int *rank, int64_t *dims, int64_t *read)
{
    tfp_aten_input all[TFP_ATEN_RANK];
    const tfp_aten_input *x = arg(w->c, 0);
    int count = tfp_aten_listed(arg(w->c, 1), all, TFP_ATEN_RANK), most = 0, n = 0;
    if (!x->tensor || count < 1 || count > x->rank || count > TFP_ATEN_RANK) return false;
    for (int i = 0; i < count; i++)
        if (all[i].rank > most) most = all[i].rank;
    for (int d = 0; d < most; d++) {
        dims[d] = 1;
        for (int i = 0; i < count; i++) {
            int at = d - (most - all[i].rank);
            if (at >= 0 && all[i].dims[at] != 1) dims[d] = all[i].dims[at];
        }
    }
    for (int i = 0; i < count; i++)
        if (all[i].rank) *read = tfp_plus(*read, tfp_times(all[i].elements, 8));
    n = most;
    for (int i = 0; i < x->rank; i++) {
        if (i < count && all[i].rank) continue;
        if (n == TFP_ATEN_RANK) return false;
        dims[n++] = x->dims[i];
    }
    *rank = n;
    return most > 0;
}

/* Indexes of 8 bytes, and the chosen elements twice: read and written. */
void tfp_traffic_index(tfp_traffic_work *w, int how)
{
    int64_t dims[TFP_ATEN_RANK], read = 0;
    int rank;
    (void)how;
    if (!indexed(w, &rank, dims, &read)) {
        w->t->bytes = UNKNOWN;
        return;
    }
    w->t->bytes = read;
    tfp_traffic_writes(w, rank, dims, arg(w->c, 0)->scalar_type);
    if (w->t->in_count < TFP_TRAFFIC_INPUTS) w->t->in[w->t->in_count++] = w->t->out;
    w->t->bytes = tfp_plus(w->t->bytes, w->t->out.bytes);
}
