// SPDX-License-Identifier: Apache-2.0
/* What comes from servers and agents, taken apart: header blocks, frames, responses, lines; settings of run and capture. */
#include "live/agentio.h"
#include "live/http2.h"
#include "live/run.h"
#include "support.h"

#include <stdio.h>

static char told[400];

static void tell(void *ctx, tfp_str name, tfp_str value)
{
    (void)ctx;
    size_t n = strlen(told);
    snprintf(told + n, sizeof told - n, "%.*s=%.*s;", (int)name.size, name.data, (int)value.size, value.data);
}

static bool block(const char *bytes, size_t size)
{
    *told = '\0';
    return tfp_hpack_read((tfp_str){ bytes, size }, tell, NULL);
}

static void header_blocks_are_read(void **state)
{
    (void)state;
    assert_true(block("\x88\x00\x0bgrpc-status\x01"
                      "0",
                      16));
    assert_string_equal(told, ":status=200;grpc-status=0;");
    /* RFC 7541, C.4.1: www.example.com in Huffman codes */
    assert_true(block("\x00\x01x\x8c\xf1\xe3\xc2\xe5\xf2\x3a\x6b\xa0\xab\x90\xf4\xff", 16));
    assert_string_equal(told, "x=www.example.com;");
    /* C.6.1: "302" and "private" */
    assert_true(block("\x48\x82\x64\x02\x00\x01y\x85\xae\xc3\x77\x1a\x4b", 13));
    assert_string_equal(told, ":status=302;y=private;");
    assert_true(block("\x3f\xe1\x1f", 3)); /* a table size of 4096 */
    assert_string_equal(told, "");
    assert_false(block("\xbe", 1));              /* the dynamic table */
    assert_false(block("\x00\x7f", 2));          /* cut */
    assert_false(block("\x00\x01x\x81\x00", 5)); /* padding that is no ones */
    assert_false(block("\x80", 1));
}

static void lines_of_an_agent_are_read(void **state)
{
    (void)state;
    size_t used;
    tfp_answer a = tfp_answer_next(TFP_STR("file .xplane.pb 12\nrest"), &used);
    assert_int_equal(a.kind, TFP_ANSWER_FILE);
    assert_int_equal(a.number, 12);
    assert_int_equal(used, 19);
    a = tfp_answer_next(TFP_STR("done xspace 500123 7 jax\n"), &used);
    assert_int_equal(a.kind, TFP_ANSWER_DONE);
    assert_int_equal(a.number, 500123);
    assert_int_equal(a.waited, 7);
    assert_string_equal(a.framework, "jax");
    a = tfp_answer_next(TFP_STR("error busy  another one runs\n"), &used);
    assert_int_equal(a.kind, TFP_ANSWER_ERROR);
    assert_string_equal(a.name, "busy");
    assert_string_equal(a.text, "another one runs");
    assert_int_equal(tfp_answer_next(TFP_STR("started 17"), &used).kind, TFP_ANSWER_MORE);
    assert_int_equal(used, 0);
    static const char *const wrong[] = { "\n",       "file ../x 1\n", "file a/b 1\n", "file . 1\n",  "file x -1\n",
                                         "file x\n", "done xspace\n", "hello\n",      "started x\n", "error\n" };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(tfp_answer_next(tfp_str_of(wrong[i]), &used).kind, TFP_ANSWER_WRONG);
}

static void a_cut_response_keeps_whole_planes(void **state)
{
    (void)state;
    tfp_str xspace;
    bool empty;
    assert_true(tfp_profile_response(TFP_STR("\x38\x00\x42\x04\x0a\x02xy"), &xspace, &empty));
    assert_int_equal(xspace.size, 4);
    assert_false(empty);
    assert_false(tfp_profile_response(TFP_STR("\x38\x01"), &xspace, &empty));
    assert_true(empty);
    assert_int_equal(tfp_xspace_whole(TFP_STR("\x0a\x02xy\x0a\x05xy")), 4);
    assert_int_equal(tfp_xspace_whole(TFP_STR("\x0a\x05xy")), 0);
    assert_int_equal(tfp_xspace_whole(TFP_STR("\x0a\x02xy\x0a\x02zz")), 8);
}

static void settings_have_limits(void **state)
{
    (void)state;
    static const char *const wrong[][2] = { { "ms", "0" },           { "ms", "60001" },   { "steps", "x" },
                                            { "every", "0" },        { "every", "5m" },   { "at_step", "5," },
                                            { "on_signal", "WHAT" }, { "parallel", "0" }, { "max_bytes", "0" },
                                            { "host_level", "4" },   { "wait", "-1" },    { "dir", "" } };
    static const char *const right[][2] = { { "ms", "60000" },     { "every", "10" },          { "every", "60s" },
                                            { "at_step", "5,9" },  { "on_signal", "SIGUSR2" }, { "on_signal", "USR1" },
                                            { "on_signal", "12" }, { "max_bytes", "5MiB" },    { "timeout", "0.5" },
                                            { "align", NULL } };
    tfp_live_wish w;
    tfp_live_wish_start(&w);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(tfp_live_wish_set(&w, wrong[i][0], wrong[i][1], NULL), TFP_BADARG);
    for (size_t i = 0; i < sizeof right / sizeof *right; i++)
        assert_int_equal(tfp_live_wish_set(&w, right[i][0], right[i][1], NULL), TFP_OK);
    assert_int_equal(w.max_bytes, 5 << 20);
    assert_int_equal(w.signal, 12);
    assert_true(w.align);
    assert_int_equal(tfp_live_wish_set(&w, "nothing", "1", NULL), TFP_NOTFOUND);
    tfp_live_wish_free(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(header_blocks_are_read),
        cmocka_unit_test(lines_of_an_agent_are_read),
        cmocka_unit_test(a_cut_response_keeps_whole_planes),
        cmocka_unit_test(settings_have_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
