// SPDX-License-Identifier: Apache-2.0
/* outputs/data/pprof_stacks.c: sampled stacks of a running process as a gzipped pprof profile: https://github.com/google/pprof,
 * profile.proto. One location for each function, at the line of its def. */
#include "live/stacks/stacks.h"
#include "outputs/data/pprof.h"
#include "wire/proto.h"

#include <zlib.h>

typedef struct writer {
    tfp_arena arena;
    tfp_strtab strings;
    tfp_buf plain, text;
    bool nomem;
} writer;

static int64_t intern(writer *w, tfp_str s)
{
    w->text.size = 0;
    tfp_escape(&w->text, s);
    tfp_strid id = w->text.failed ? TFP_NONE : tfp_intern(&w->strings, (tfp_str){ w->text.data, w->text.size });
    if (id == TFP_NONE) w->nomem = true;
    return id == TFP_NONE ? 0 : id;
}

static void put_type(writer *w, uint32_t field, const char *type, const char *unit)
{
    size_t at = tfp_put_open(&w->plain, field);
    tfp_put_int(&w->plain, 1, intern(w, tfp_str_of(type)));
    tfp_put_int(&w->plain, 2, intern(w, tfp_str_of(unit)));
    tfp_put_close(&w->plain, at);
}

static void put_sample(writer *w, const tfp_stack *x, int64_t period_ns)
{
    int64_t values[] = { x->count, tfp_mul(x->count, period_ns, NULL) };
    size_t at = tfp_put_open(&w->plain, 2), ids = tfp_put_open(&w->plain, 1);
    for (size_t i = 0; i < x->depth; i++) tfp_put_varint(&w->plain, (uint64_t)x->functions[i] + 1);
    tfp_put_close(&w->plain, ids);
    tfp_put_packed_ints(&w->plain, 2, values, 2);
    size_t label = tfp_put_open(&w->plain, 3);
    tfp_put_int(&w->plain, 1, intern(w, TFP_STR("thread")));
    tfp_put_int(&w->plain, 2, intern(w, x->thread));
    tfp_put_close(&w->plain, label);
    tfp_put_close(&w->plain, at);
}

static void put_function(writer *w, const tfp_stack_function *f, int64_t id)
{
    size_t at = tfp_put_open(&w->plain, 4), line;
    tfp_put_int(&w->plain, 1, id);
    line = tfp_put_open(&w->plain, 4);
    tfp_put_int(&w->plain, 1, id);
    tfp_put_int(&w->plain, 2, f->line);
    tfp_put_close(&w->plain, line);
    tfp_put_close(&w->plain, at);
    at = tfp_put_open(&w->plain, 5);
    tfp_put_int(&w->plain, 1, id);
    tfp_put_int(&w->plain, 2, intern(w, f->function));
    tfp_put_int(&w->plain, 4, intern(w, f->file));
    tfp_put_int(&w->plain, 5, f->line);
    tfp_put_close(&w->plain, at);
}

static void put_profile(writer *w, const tfp_stacks *all)
{
    put_type(w, 1, "samples", "count");
    put_type(w, 1, "time", "nanoseconds");
    for (size_t i = 0; i < all->stack_count; i++) put_sample(w, &all->stacks[i], all->period_ns);
    for (size_t i = 0; i < all->function_count; i++) put_function(w, &all->functions[i], (int64_t)i + 1);
    tfp_put_int(&w->plain, 9, all->start_unix_ns);
    tfp_put_int(&w->plain, 10, all->duration_ns);
    put_type(w, 11, "time", "nanoseconds");
    tfp_put_int(&w->plain, 12, all->period_ns);
    for (size_t i = 0; i < w->strings.count; i++)
        tfp_put_bytes_always(&w->plain, 6, tfp_strtab_get(&w->strings, (tfp_strid)i));
}

static bool gzip(writer *w, tfp_sink *s)
{
    unsigned char out[16 << 10];
    z_stream z = { .next_in = (unsigned char *)w->plain.data, .avail_in = (uInt)w->plain.size };
    if (w->plain.size > UINT32_MAX / 2 || deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        return false;
    do {
        z.next_out = out;
        z.avail_out = sizeof out;
        deflate(&z, Z_FINISH);
        tfp_buf_add(&s->buf, out, sizeof out - z.avail_out);
        tfp_sink_flush_if_full(s);
    } while (z.avail_out == 0);
    deflateEnd(&z);
    return true;
}

tfp_status tfp_pprof_stacks(const tfp_stacks *all, tfp_sink *s, tfp_error *err)
{
    writer w = { .nomem = false };
    bool ok = tfp_strtab_init(&w.strings, &w.arena) == TFP_OK;
    if (ok) put_profile(&w, all);
    ok = ok && !w.nomem && !w.plain.failed && gzip(&w, s);
    tfp_strtab_free(&w.strings);
    tfp_arena_free(&w.arena);
    tfp_buf_free(&w.plain);
    tfp_buf_free(&w.text);
    return ok ? TFP_OK : tfp_nomem(err);
}
