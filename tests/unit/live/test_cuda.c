// SPDX-License-Identifier: Apache-2.0
/* A recording of CUDA calls in a process becomes a trace: complete, cut at every byte, and with invalid records. */
#include "live/run/cuda_read.h"
#include "live/net/kineto_daemon.h"
#include "support.h"

#include <stdio.h>

static bool is_whole(tfp_str text)
{
    tfp_json_end j = { .depth = 0 };
    tfp_json_end_feed(&j, text);
    return j.ended && !j.wrong;
}

static int keep(void *ctx, const void *data, size_t size)
{
    tfp_buf_add(ctx, data, size);
    return 0;
}

/* An uppercase copy: a stand-in for the demangler of C++ names. */
static char *shout(const char *name, char *buffer, size_t *size, int *status)
{
    char *copy = strdup(name);
    (void)buffer, (void)size, (void)status;
    for (char *c = copy; c && *c; c++)
        if (*c >= 'a' && *c <= 'z') *c = (char)(*c - 32);
    return copy;
}

static tfp_status convert(tfp_str bytes, tfp_buf *out, tfp_cuda_facts *facts, tfp_error *err)
{
    tfp_input in = { 0 };
    tfp_sink sink;
    tfp_sink_start(&sink, keep, out);
    tfp_status s = tfp_input_memory(&in, "x", bytes.data, bytes.size, err);
    if (!s) s = tfp_cuda_convert(&in, shout, &sink, facts, err);
    tfp_input_close(&in);
    tfp_status ended = tfp_sink_end(&sink, NULL);
    return s ? s : ended;
}

static void add_name(tfp_buf *b, uint32_t id, const char *text)
{
    char bytes[64] = { 0 };
    tfp_cuda_name n = { TFP_CUDA_NAME, 0, id, (uint32_t)strlen(text) };
    n.size = (uint32_t)(sizeof n + (n.length + 7) / 8 * 8);
    memcpy(bytes, &n, sizeof n);
    memcpy(bytes + sizeof n, text, n.length);
    tfp_buf_add(b, bytes, n.size);
}

static void recorded(tfp_buf *b)
{
    tfp_cuda_head h = { TFP_CUDA_MAGIC, TFP_CUDA_VERSION, 130001, 7, 2, 1000000, 1700000000000000000, 55, "7@55" };
    tfp_cuda_kernel k = { .kind = TFP_CUDA_KERNEL,
                          .size = sizeof k,
                          .start = 1001500,
                          .end = 1003750,
                          .device = 1,
                          .context = 2,
                          .stream = 3,
                          .correlation = 4,
                          .name = 1,
                          .grid = { 5, 6, 7 },
                          .block = { 8, 9, 10 },
                          .registers = 11,
                          .static_bytes = 12,
                          .dynamic_bytes = 13 };
    tfp_cuda_copy c = { TFP_CUDA_COPY, sizeof c, 1004000, 1005000, 4096, 1, 2, 3, 5, 8, 3, 99, 0 };
    tfp_cuda_call l = { TFP_CUDA_RUNTIME, sizeof l, 1000100, 1000200, 7, 70, 4, 2 };
    tfp_cuda_lost lost = { TFP_CUDA_LOST, sizeof lost, 3 };
    uint32_t unknown[4] = { 77, sizeof unknown, 1, 2 };
    tfp_buf_add(b, &h, sizeof h);
    add_name(b, 1, "_Zgemm");
    add_name(b, 2, "cudaLaunchKernel_v7000");
    tfp_buf_add(b, &k, sizeof k);
    tfp_buf_add(b, unknown, sizeof unknown);
    tfp_buf_add(b, &c, sizeof c);
    tfp_buf_add(b, &l, sizeof l);
    k.start = 0;
    tfp_buf_add(b, &k, sizeof k); /* CUPTI recorded no time for it */
    tfp_buf_add(b, &lost, sizeof lost);
}

static void a_recording_becomes_a_trace(void **state)
{
    (void)state;
    tfp_buf raw = { 0 }, out = { 0 };
    tfp_cuda_facts f;
    recorded(&raw);
    assert_int_equal(convert((tfp_str){ raw.data, raw.size }, &out, &f, NULL), TFP_OK);
    tfp_buf_char(&out, 0);
    assert_string_equal(
        out.data,
        "{\"cupti_version\":130001,\"distributedInfo\":{\"rank\":2},\"traceEvents\":[\n"
        "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"_ZGEMM\",\"pid\":1,\"tid\":3,\"ts\":1700000000000001.5,\"dur\":2."
        "25,"
        "\"args\":{\"device\":1,\"context\":2,\"stream\":3,\"correlation\":4,\"registers per thread\":11,\"shared "
        "memory\":25,"
        "\"grid\":[5,6,7],\"block\":[8,9,10]}}\n"
        ",{\"ph\":\"X\",\"cat\":\"gpu_memcpy\",\"name\":\"Memcpy DtoD (Device -> Unknown)\",\"pid\":1,\"tid\":3,"
        "\"ts\":1700000000000004,\"dur\":1,\"args\":{\"device\":1,\"context\":2,\"stream\":3,\"correlation\":5,"
        "\"bytes\":4096}}\n"
        ",{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":7,\"tid\":70,\"ts\":"
        "1700000000000000.1,"
        "\"dur\":0.1,\"args\":{\"correlation\":4}}]}\n");
    assert_int_equal(f.activities, 2);
    assert_int_equal(f.calls, 1);
    assert_int_equal(f.untimed, 1);
    assert_int_equal(f.lost, 3);
    assert_false(f.cut);
    assert_true(f.first_ns == 1700000000000000100 && f.last_ns == 1700000000000005000);
    assert_string_equal(f.head.job, "7@55");
    tfp_buf_free(&raw);
    tfp_buf_free(&out);
}

/* Complete records count, and the trace is valid JSON. */
static void a_cut_recording_keeps_what_is_whole(void **state)
{
    (void)state;
    tfp_buf raw = { 0 };
    tfp_cuda_facts f;
    int64_t before = 0;
    recorded(&raw);
    for (size_t size = 0; size < raw.size; size++) {
        tfp_buf out = { 0 };
        tfp_error *err = tfp_error_new();
        tfp_status s = convert((tfp_str){ raw.data, size }, &out, &f, err);
        assert_int_equal(s, size < sizeof(tfp_cuda_head) ? TFP_BADFILE : TFP_OK);
        if (s) {
            assert_non_null(strstr(tfp_error_message(err), "the header of the CUDA recording"));
        } else {
            assert_true(is_whole((tfp_str){ out.data, out.size }));
            assert_true(f.activities >= before);
            if (size % 8) assert_true(f.cut);
            before = f.activities;
        }
        tfp_error_free(err);
        tfp_buf_free(&out);
    }
    assert_int_equal(before, 2);
    tfp_buf_free(&raw);
}

static void wrong_files_are_refused(void **state)
{
    (void)state;
    tfp_buf raw = { 0 }, out = { 0 };
    tfp_cuda_facts f;
    tfp_error *err = tfp_error_new();
    recorded(&raw);
    uint32_t number = 9;
    memcpy(raw.data + offsetof(tfp_cuda_head, version), &number, sizeof number);
    assert_int_equal(convert((tfp_str){ raw.data, raw.size }, &out, &f, err), TFP_BADFILE);
    assert_non_null(strstr(tfp_error_message(err), "version 9"));
    raw.data[0] = 'T';
    assert_int_equal(convert((tfp_str){ raw.data, raw.size }, &out, &f, err), TFP_BADFILE);
    assert_non_null(strstr(tfp_error_message(err), "not a CUDA recording"));
    /* sizes that no valid record has */
    static const uint32_t sizes[] = { 0, 7, 8, 12, 1 << 20, UINT32_MAX };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        raw.size = 0;
        recorded(&raw);
        memcpy(raw.data + sizeof(tfp_cuda_head) + 4, &sizes[i], 4);
        assert_int_equal(convert((tfp_str){ raw.data, raw.size }, &out, &f, NULL), TFP_OK);
        assert_true(f.cut && !f.activities);
    }
    tfp_error_free(err);
    tfp_buf_free(&raw);
    tfp_buf_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_recording_becomes_a_trace),
        cmocka_unit_test(a_cut_recording_keeps_what_is_whole),
        cmocka_unit_test(wrong_files_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
