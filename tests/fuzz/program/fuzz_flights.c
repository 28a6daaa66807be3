// SPDX-License-Identifier: Apache-2.0
/* tests/fuzz/program/fuzz_flights.c: the input as the answer of torch's WorkerServer, with and without its head. Texts lie inside of it. */
#include "watch/record/flights.h"

#include <stdlib.h>

typedef struct bounds {
    tfp_str all;
    size_t count;
} bounds;

static bool take(void *ctx, const watch_flight *f)
{
    bounds *b = ctx;
    b->count++;
    if (f->record < 0 || f->sequence < 0 || !f->name.size || f->name.size > b->all.size || f->group.size > b->all.size)
        abort();
    if (f->name.data < b->all.data || f->name.data + f->name.size > b->all.data + b->all.size) abort();
    return b->count < 1000;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *why;
    bounds b = { { (const char *)data, size }, 0 };
    tfp_str body = watch_flights_body(b.all, &why);
    if (!body.data && !why) abort();
    if (watch_flights_read(body.data ? body : b.all, take, &b, &why) != b.count) abort();
    return 0;
}
