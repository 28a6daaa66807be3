// SPDX-License-Identifier: Apache-2.0
/* tests/fuzz/program/fuzz_live.c: what other processes and machines send about running jobs. The first byte selects the
 * meaning of the rest: frames of HTTP/2, lines of an agent, an agent's entry, /proc, a line table, datagrams and files
 * of PyTorch, samples of native stacks, CUDA records of a process, the memory of an interpreter, answers of RAS. */
#include "live/files/run_folder.h"
#include "live/jobs/probe.h"
#include "live/net/agent_lines.h"
#include "live/net/http2.h"
#include "live/net/kineto_daemon.h"
#include "live/net/ras.h"
#include "live/python/python.h"
#include "live/run/cuda_read.h"
#include "live/stacks/perf.h"
#include "model/tables/profile.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void hpack_told(void *ctx, tfp_str name, tfp_str value) { *(size_t *)ctx += name.size + value.size; }

/* The answer must not depend on how the bytes are split. */
static void answers_of_servers(tfp_str in)
{
    tfp_call calls[2];
    tfp_str messages[2];
    tfp_fields fields[2] = { { .at = 0 }, { .at = 0 } };
    bool there[2];
    size_t told = 0;
    tfp_hpack_read(in, hpack_told, &told);
    for (int i = 0; i < 2; i++) {
        tfp_call_start(&calls[i], "localhost:1", TFP_PROFILE_METHOD, TFP_STR("x"), 4096);
        for (size_t at = 0; at < in.size; at += i ? 1 : in.size)
            tfp_call_feed(&calls[i], in.data + at, i ? 1 : in.size);
        there[i] = tfp_call_message(&calls[i], &messages[i]);
        if (calls[i].body.size > 4096 || strlen(calls[i].grpc_message) > 300) abort();
    }
    if (calls[0].grpc_status != calls[1].grpc_status || there[0] != there[1] || calls[0].done != calls[1].done) abort();
    if (there[0] && !tfp_str_eq(messages[0], messages[1])) abort();
    tfp_fields_feed(&fields[0], in, NULL, NULL);
    for (size_t i = 0; i < in.size; i++) tfp_fields_feed(&fields[1], (tfp_str){ in.data + i, 1 }, NULL, NULL);
    if (fields[0].wrong != fields[1].wrong || fields[0].whole != fields[1].whole || fields[0].whole > in.size) abort();
    tfp_call_free(&calls[0]);
    tfp_call_free(&calls[1]);
}

static void lines_of_agents(tfp_str in)
{
    size_t used = 0;
    for (size_t at = 0; at < in.size; at += used) {
        tfp_answer a = tfp_answer_next((tfp_str){ in.data + at, in.size - at }, &used);
        if (a.kind == TFP_ANSWER_FILE && (strchr(a.name, '/') || strstr(a.name, "..") || a.number < 0)) abort();
        if (a.kind == TFP_ANSWER_MORE || a.kind == TFP_ANSWER_WRONG || !used) break;
    }
}

static void proc(tfp_str in)
{
    tfp_proc_stat stat;
    tfp_proc_status status;
    tfp_proc_maps maps = { 0 };
    char id[16];
    tfp_proc_stat_parse(in, &stat);
    tfp_proc_status_parse(in, &status);
    tfp_proc_maps_line(in, &maps);
    tfp_proc_container(in, id);
    tfp_python_minor(in);
    char line[1024];
    tfp_mapped_file file;
    tfp_text_give(in, line, sizeof line);
    if (tfp_mapped_file_parse(line, &file) && *file.path != '/') abort();
}

static void line_tables(tfp_str in)
{
    for (int minor = 8; minor <= 14; minor++)
        for (int64_t at = -2; at < 300; at += 7) tfp_python_table_line(minor, in, 10, at);
}

/* The copy of a stack that is reported must lie within the record. */
static void native(tfp_str in)
{
    tfp_native_state s;
    char line[256];
    if (tfp_perf_parse(in.data, in.size, &s) && s.stack_size &&
        (s.stack < in.data || s.stack_size > (size_t)(in.data + in.size - s.stack)))
        abort();
    tfp_text_give(in, line, sizeof line);
    tfp_native_blocked_parse(line, &s);
}

static bool is_whole(tfp_str text)
{
    tfp_json_end j = { .depth = 0 };
    tfp_json_end_feed(&j, text);
    return j.ended && !j.wrong;
}

/* A complete text is not complete without its last bracket. */
static void kineto(tfp_str in)
{
    bool activities;
    if (tfp_kineto_datagram(in, &activities) != TFP_KINETO_POLL && activities) abort();
    while (in.size && strchr(" \t\r\n", in.data[in.size - 1]) && in.data[in.size - 1]) in.size--;
    if (is_whole(in) && is_whole((tfp_str){ in.data, in.size - 1 })) abort();
}

static int keep(void *ctx, const void *bytes, size_t size)
{
    tfp_buf_add(ctx, bytes, size);
    return 0;
}

/* The trace must be complete JSON for any records. */
static void cuda(tfp_str in)
{
    tfp_cuda_facts facts;
    tfp_input input = { 0 };
    tfp_sink sink;
    tfp_buf out = { 0 };
    tfp_sink_start(&sink, keep, &out);
    bool made = tfp_input_memory(&input, "x", in.data, in.size, NULL) == TFP_OK &&
                tfp_cuda_convert(&input, NULL, &sink, &facts, NULL) == TFP_OK;
    tfp_input_close(&input);
    if (tfp_sink_end(&sink, NULL) == TFP_OK && made && !out.failed && !is_whole((tfp_str){ out.data, out.size }))
        abort();
    tfp_buf_free(&out);
}

/* Words that begin with 0xa5 become addresses within the same bytes, so that threads, frames, code objects and values
 * refer to each other. */
static uint64_t *memory_of(tfp_str in, size_t *count)
{
    *count = in.size / 8 + 1;
    uint64_t *words = calloc(*count, sizeof *words);
    if (!words) return NULL;
    if (in.size) memcpy(words, in.data, in.size);
    for (size_t i = 0; i < *count; i++)
        if (words[i] >> 56 == 0xa5) words[i] = (uint64_t)(uintptr_t)words + 8 * ((words[i] & 0xffffff) % *count);
    return words;
}

/* These bytes are the memory of an interpreter of one of seven versions. What is read from it must stay within limits,
 * and one code object must always give the same result. */
static void memory_of_python(tfp_str in)
{
    enum { DEPTH = 64, THREADS = 16, LOCALS_MOST = 16 << 10 };
    size_t count;
    tfp_live_frame frames[DEPTH];
    tfp_python_thread threads[THREADS];
    tfp_code_copy code = { .address = 0 };
    const tfp_code_copy *copies[] = { &code };
    tfp_buf text = { 0 };
    uint64_t *words = in.size > 1 ? memory_of((tfp_str){ in.data + 1, in.size - 1 }, &count) : NULL;
    if (!words) return;
    uint64_t base = (uint64_t)(uintptr_t)words;
    tfp_python *p = calloc(1, sizeof *p);
    if (p) {
        *p = (tfp_python){ .pid = getpid(), .layout = tfp_python_layout_of(8 + (unsigned char)in.data[0] % 7) };
        p->runtime = base;
        p->code_type = words[0];
        p->text_type = count > 1 ? words[1] : base;
        if (tfp_python_threads(p, threads, THREADS) > THREADS) abort();
        long depth = tfp_python_stack(p, base, frames, DEPTH);
        if (depth > DEPTH) abort();
        for (size_t i = 0; i < count && i < 64; i++) {
            tfp_live_frame frame = { .address = base + 8 * i, .code = words[i] };
            bool same = false, is_code = tfp_python_copy_code(p, base + 8 * i, &code);
            tfp_python_same_codes(p, copies, &same, 1);
            if (is_code != same) abort();
            if (is_code) tfp_python_copied_text(&code, TFP_CODE_FILE, &text);
            tfp_python_locals(p, &frame, &text);
            if (text.size > LOCALS_MOST) abort();
            tfp_python_line(p, base + 8 * i, 6);
        }
    }
    tfp_vec_free(&code.bytes);
    tfp_buf_free(&text);
    free(p);
    free(words);
}

static void answer_of_ras(tfp_str in)
{
    tfp_ras ras;
    if (tfp_ras_parse(&ras, in, NULL) == TFP_OK)
        for (size_t i = 0; i < ras.ranks.size; i++)
            if (!ras.ranks.at[i].lost && ras.ranks.at[i].count >= ras.ranks.at[i].ahead) abort();
    tfp_ras_free(&ras);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int64_t pid, ticks;
    char what[32];
    if (!size) return 0;
    tfp_str in = { (const char *)data + 1, size - 1 };
    switch (data[0] % 10) {
    case 0: answers_of_servers(in); break;
    case 1: lines_of_agents(in); break;
    case 2: tfp_agent_parse(in, &pid, &ticks, what, sizeof what); break;
    case 3: proc(in); break;
    case 4: line_tables(in); break;
    case 6: native(in); break;
    case 7: cuda(in); break;
    case 8: memory_of_python(in); break;
    case 9: answer_of_ras(in); break;
    default: kineto(in);
    }
    return 0;
}
