// SPDX-License-Identifier: Apache-2.0
/* Parses what servers and agents send: header blocks, frames, responses, lines; and settings of run and capture. */
#include "live/net/agent_lines.h"
#include "live/net/http2.h"
#include "live/jobs/top.h"
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
    assert_true(block("\x3f\xe1\x1f", 3)); /* a table size of 4096, the largest that is allowed */
    assert_string_equal(told, "");
    assert_false(block("\xbe", 1));              /* an index into the dynamic table, which is empty */
    assert_false(block("\x00\x7f", 2));          /* truncated */
    assert_false(block("\x00\x01x\x81\x00", 5)); /* the padding is not all ones */
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

static void join(void *ctx, uint64_t field, tfp_str bytes, uint64_t number)
{
    (void)ctx;
    size_t n = strlen(told);
    if (bytes.data)
        snprintf(told + n, sizeof told - n, "%d:%.*s;", (int)field, (int)bytes.size, bytes.data);
    else
        snprintf(told + n, sizeof told - n, "%d=%d;", (int)field, (int)number);
}

static tfp_fields fields_of(tfp_str text, size_t piece)
{
    tfp_fields f = { .at = 0 };
    *told = '\0';
    for (size_t at = 0; at < text.size; at += piece)
        tfp_fields_feed(&f, (tfp_str){ text.data + at, text.size - at < piece ? text.size - at : piece }, join, NULL);
    return f;
}

static void a_message_is_read_in_pieces(void **state)
{
    (void)state;
    tfp_str text = TFP_STR("\x38\x05\x42\x04wxyz\x42\x00");
    tfp_fields f = fields_of(text, text.size);
    assert_true(tfp_fields_are_whole(&f));
    assert_string_equal(told, "7=5;8:wxyz;8:;");
    f = fields_of(text, 1);
    assert_true(tfp_fields_are_whole(&f));
    assert_string_equal(told, "7=5;8:w;8:x;8:y;8:z;8:;");
    f = fields_of(TFP_STR("\x0a\x02xy\x0a\x05xy"), 3);
    assert_true(!f.wrong && !tfp_fields_are_whole(&f));
    assert_int_equal(f.whole, 4);
    f = fields_of(TFP_STR("\x0d"
                          "1234\x09"
                          "12345678"),
                  2);
    assert_true(tfp_fields_are_whole(&f));
    static const char *const wrong[] = { "\x03", "\x04", "\x07",
                                         "\x02", "\x0b", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff" };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) assert_true(fields_of(tfp_str_of(wrong[i]), 9).wrong);
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
    tfp_live *l = tfp_live_new();
    assert_non_null(l);
    assert_true(l->settings.ms == 500 && l->settings.parallel == 8 && l->settings.host_level == 2 &&
                l->settings.max_bytes == 512 << 20 && l->settings.wait == 10 && l->settings.timeout == 30 &&
                l->stacks.seconds == 1 && l->stacks.rate == 100);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(tfp_live_set(l, wrong[i][0], wrong[i][1], NULL), TFP_BADARG);
    assert_true(l->settings.ms == 500 && !l->settings.steps && l->settings.wait == 10);
    for (size_t i = 0; i < sizeof right / sizeof *right; i++)
        assert_int_equal(tfp_live_set(l, right[i][0], right[i][1], NULL), TFP_OK);
    assert_int_equal(l->settings.max_bytes, 5 << 20);
    assert_int_equal(l->settings.signal, 12);
    assert_true(l->settings.align);
    assert_int_equal(tfp_live_set(l, "recorder", "stop", NULL), TFP_OK);
    assert_int_equal(l->settings.recorder, TFP_RECORDER_STOPS);
    assert_int_equal(tfp_live_set(l, "via", "kineto", NULL), TFP_OK);
    assert_int_equal(l->settings.via, TFP_VIA_KINETO);
    assert_int_equal(tfp_live_set(l, "nothing", "1", NULL), TFP_BADARG);
    tfp_live_free(l);
}

/* Every row's own default and limits are values that tfp_live_set takes; a number beyond them is refused. */
static void rows_of_settings_agree_with_their_checks(void **state)
{
    const tfp_live_setting *s;
    size_t i, limited = 0;
    (void)state;
    tfp_live *l = tfp_live_new();
    assert_non_null(l);
    for (i = 0; (s = tfp_live_setting_at(i)); i++) {
        char at[3][32];
        if (!*s->help) fail_msg("%s has no help", s->name);
        if (s->initial && tfp_live_set(l, s->name, s->initial, NULL)) fail_msg("%s refuses its default", s->name);
        if (!s->value && tfp_live_set(l, s->name, NULL, NULL)) fail_msg("%s wants a value", s->name);
        if (s->value && tfp_live_set(l, s->name, NULL, NULL) != TFP_BADARG) fail_msg("%s wants no value", s->name);
        for (size_t k = i; (tfp_live_setting_at(++k));) assert_string_not_equal(tfp_live_setting_at(k)->name, s->name);
        if (s->least >= s->most) continue;
        snprintf(at[0], sizeof at[0], "%.15g", s->least);
        snprintf(at[1], sizeof at[1], "%.15g", s->most);
        snprintf(at[2], sizeof at[2], "%.15g", s->most + 1);
        if (tfp_live_set(l, s->name, at[0], NULL) || tfp_live_set(l, s->name, at[1], NULL))
            fail_msg("%s refuses its limits", s->name);
        if (tfp_live_set(l, s->name, at[2], NULL) != TFP_BADARG) fail_msg("%s takes %s", s->name, at[2]);
        limited++;
    }
    assert_true(i > 30 && limited == 10);
    tfp_live_free(l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(header_blocks_are_read),
        cmocka_unit_test(lines_of_an_agent_are_read),
        cmocka_unit_test(a_message_is_read_in_pieces),
        cmocka_unit_test(settings_have_limits),
        cmocka_unit_test(rows_of_settings_agree_with_their_checks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
