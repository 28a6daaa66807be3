// SPDX-License-Identifier: Apache-2.0
/* tests/unit/wire/test_textproto.c: what protobuf's text format allows and refuses, and the positions of errors. The
 * bytes and positions were compared with those of protobuf's own C++ parser. */
#include "support.h"

#include "formats/graph/schema.h"

static const char hex[] = "0123456789abcdef";

/* The text of a GraphDef as wire bytes in hex; for an error, its position as "LINE:COLUMN". Freed by the caller. */
static char *wire_of(const char *text, size_t size, const tfp_message_schema *schema)
{
    tfp_buf wire = { 0 }, out = { 0 };
    tfp_error *err = tfp_error_new();
    tfp_status s = tfp_text_to_wire((tfp_str){ text, size }, schema, &wire, err);
    if (s) {
        assert_int_equal(s, TFP_BADFILE);
        assert_true(strlen(tfp_error_message(err)) > 0);
        assert_int_equal(wire.size, 0);
        tfp_buf_printf(&out, "%d:%d", err->line, err->column);
    }
    for (size_t i = 0; i < wire.size; i++) {
        tfp_buf_char(&out, hex[(unsigned char)wire.data[i] >> 4]);
        tfp_buf_char(&out, hex[(unsigned char)wire.data[i] & 15]);
    }
    tfp_buf_char(&out, '\0');
    tfp_buf_free(&wire);
    tfp_error_free(err);
    return out.data;
}

typedef struct example {
    const char *text, *result;
} example;

static void check_all(const example *e, size_t count, const tfp_message_schema *schema)
{
    for (size_t i = 0; i < count; i++) {
        char *got = wire_of(e[i].text, strlen(e[i].text), schema);
        if (strcmp(got, e[i].result) != 0) fail_msg("%s\n gives %s, not %s", e[i].text, got, e[i].result);
        free(got);
    }
}

#define CHECK(examples) check_all((examples), sizeof(examples) / sizeof *(examples), &tfp_schema_graph_def)

static void messages_take_braces_angles_colons_and_separators(void **state)
{
    (void)state;
    static const example forms[] = {
        { "", "" },
        { "# only a comment", "" },
        { "node { name: \"a\" op: \"b\" }", "0a060a0161120162" },
        { "node < name: 'a'; op: 'b' >", "0a060a0161120162" },
        { "node: { name: \"a\", op: \"b\" },", "0a060a0161120162" },
        { "node{name:\"a\"op:\"b\"}", "0a060a0161120162" },
        { "node # why\n{ name # what\n: \"a\" }", "0a030a0161" },
        { "node [ { name: \"a\" }, < name: \"b\" > ]", "0a030a01610a030a0162" },
        { "node: []; node {}", "0a00" },
        { "versions { producer: 1 min_consumer: 2 bad_consumers: [1, 2] bad_consumers: 3 bad_consumers: [] }",
          "220a08011002180118021803" },
        { "node { attr { key: \"k\" value { type: DT_FLOAT } } }", "0a092a070a016b12023001" },
        { "node { attr { key: \"k\" value { type: 99 } } }", "0a092a070a016b12023063" },
        { "node { attr { value { shape { dim { size: -1 } unknown_rank: true } } } }",
          "0a152a1312113a0f120b08ffffffffffffffffff011801" },
    };
    CHECK(forms);
}

static void numbers_take_every_form(void **state)
{
    (void)state;
    static const example forms[] = {
        { "version: 017", "180f" },
        { "version: 0x7fffffff", "18ffffffff07" },
        { "version: -2147483648", "1880808080f8ffffffff01" },
        { "version: - 5", "18fbffffffffffffffff01" },
        { "node{attr{value{i:-9223372036854775808}}}", "0a0f2a0d120b1880808080808080808001" },
        { "node{attr{value{f:1e5f}}}", "0a092a071205250050c347" },
        { "node{attr{value{f:.5}}}", "0a092a071205250000003f" },
        { "node{attr{value{f:5.}}}", "0a092a071205250000a040" },
        { "node{attr{value{f:0.1}}}", "0a092a07120525cdcccc3d" },
        { "node{attr{value{f:-inf}}}", "0a092a07120525000080ff" },
        { "node{attr{value{f:Infinity}}}", "0a092a071205250000807f" },
        { "node{attr{value{f:nan}}}", "0a092a071205250000c07f" },
        { "node{attr{value{f:1e999}}}", "0a092a071205250000807f" },
        { "node{attr{value{f:99999999999999999999999}}}", "0a092a071205251668a965" },
        { "node{attr{value{b:t}}}", "0a062a0412022801" },
        { "node{attr{value{b:True}}}", "0a062a0412022801" },
        { "node{attr{value{b:0x1}}}", "0a062a0412022801" },
        { "node{attr{value{b:f}}}", "0a062a0412022800" },
        { "node{attr{value{tensor{double_val:0.1}}}}", "0a0f2a0d120b4209319a9999999999b93f" },
        { "node{attr{value{tensor{double_val:4.9e-324}}}}", "0a0f2a0d120b4209310100000000000000" },
        { "node{attr{value{tensor{uint64_val:18446744073709551615}}}}", "0a122a10120e420c8801ffffffffffffffffff01" },
        { "debug_info{frames_by_id{key:5 value{line:0}}}", "2a0f220d09050000000000000012021000" },
    };
    CHECK(forms);
}

static void strings_join_and_know_every_escape(void **state)
{
    (void)state;
    static const example forms[] = {
        { "node { name: \"a\" 'b'\n\"c\" }", "0a050a03616263" },
        { "node{name:\"\\a\\b\\f\\n\\r\\t\\v\\\\\\?\\'\\\"\"}", "0a0d0a0b07080c0a0d090b5c3f2722" },
        { "node{name:\"\\1\\12\\101\\1011\"}", "0a070a05010a414131" },
        { "node{name:\"\\x4\\x41\\x411\"}", "0a060a0404414131" },
        { "node{name:\"\\u00e9\"}", "0a040a02c3a9" },
        { "node{name:\"\\U0001F600\"}", "0a060a04f09f9880" },
        { "node{name:\"\\ud83d\\ude00\"}", "0a060a04f09f9880" },
        { "node{name:\"\\400\"}", "0a030a0100" },
        { "node{name:'\"#{'}", "0a050a0322237b" },
        { "node{name:\"\xc3\xa9\t\"}", "0a050a03c3a909" },
    };
    CHECK(forms);
}

static void faults_stand_where_protobuf_puts_them(void **state)
{
    (void)state;
    static const example faults[] = {
        { "foo: 1", "1:4" },
        { "node {\n\tbogus: 1 }", "2:14" },
        { "NODE {}", "1:6" },
        { "node", "1:5" },
        { "node {", "1:7" },
        { "node { >", "1:8" },
        { "}", "1:1" },
        { "node 1", "1:6" },
        { "node: \"a\"", "1:7" },
        { "node { name: \"a\" name: \"b\" }", "1:22" },
        { "node { attr { key: \"k\" value { i: 1 f: 2 } } }", "1:38" },
        { "versions {} versions {}", "1:22" },
        { "version 1", "1:9" },
        { "version: 1;;", "1:12" },
        { ",version: 1", "1:1" },
        { "1: 5", "1:1" },
        { "[a.b]: 1", "1:6" },
        { "version: 99999999999", "1:10" },
        { "version: 08", "1:11" },
        { "version: 1.5", "1:10" },
        { "version: +5", "1:10" },
        { "version: 1min: 2", "1:11" },
        { "version: 1e", "1:12" },
        { "version: 0x", "1:12" },
        { "version: 1.2.3", "1:13" },
        { "version.5: 1", "1:8" },
        { "node { name: a }", "1:14" },
        { "node { name: \"a", "1:16" },
        { "node { name: \"a\nb\" }", "1:16" },
        { "node { name: \"\\q\" }", "1:16" },
        { "node { name: \"\\xg\" }", "1:17" },
        { "node { name: \"\\u12\" }", "1:19" },
        { "node { name: \"\\U00200000\" }", "1:19" },
        { "node{attr{value{i:18446744073709551615}}}", "1:19" },
        { "node{attr{value{type:DT_X}}}", "1:26" },
        { "node{attr{value{b:2}}}", "1:19" },
        { "node{attr{value{b:TRUE}}}", "1:23" },
        { "node{attr{value{f:0x10}}}", "1:19" },
        { "versions { bad_consumers: [1,] }", "1:30" },
        { "versions { bad_consumers: [1 2] }", "1:30" },
        { "\x01 version: 1", "1:1" },
        { "\xc3\xa9: 1", "1:1" },
        { "// no comment\nversion: 1", "1:1" },
    };
    CHECK(faults);
    char *nul = wire_of("version: 1\0 ", 12, &tfp_schema_graph_def);
    assert_string_equal(nul, "1:11");
    free(nul);
    nul = wire_of("# c\0", 4, &tfp_schema_graph_def);
    assert_string_equal(nul, "1:4");
    free(nul);
    nul = wire_of("node{name:\"\0\"}", 14, &tfp_schema_graph_def);
    assert_string_equal(nul, "1:12");
    free(nul);
}

/* A field set to zero counts as not given, except in a oneof. */
static void zero_values_may_be_given_again(void **state)
{
    (void)state;
    static const example forms[] = {
        { "version: 0 version: 5", "18001805" },
        { "version: 0 version: 5 version: 0", "1:30" },
        { "node{attr{value{i:0 i:1}}}", "1:22" },
        { "node{attr{value{f:0 i:1}}}", "1:22" },
    };
    CHECK(forms);
}

static void an_any_may_be_written_out(void **state)
{
    (void)state;
    static const example forms[] = {
        { "meta_info_def{any_info{[type.googleapis.com/tensorflow.NodeDef]{name:\"a\"}}}",
          "0a2f1a2d0a26747970652e676f6f676c65617069732e636f6d2f74656e736f72666c6f772e4e6f646544656612030a0161" },
        { "meta_info_def{any_info{type_url:\"x\" value:\"y\"}}", "0a081a060a0178120179" },
        { "meta_info_def{any_info{[type.googleapis.com/a.B]{}}}", "1:49" },
        { "meta_info_def{any_info{[a/tensorflow.NodeDef]{}}}", "1:46" },
        { "meta_info_def{any_info{type_url:\"x\"[type.googleapis.com/tensorflow.NodeDef]{}}}", "1:78" },
    };
    check_all(forms, sizeof forms / sizeof *forms, &tfp_schema_meta_graph);
}

static void repeat(tfp_buf *b, const char *s, size_t times)
{
    for (size_t i = 0; i < times; i++) tfp_buf_text(b, s);
}

static void deep_messages_cost_no_stack_and_have_a_limit(void **state)
{
    (void)state;
    for (size_t depth = 300; depth <= 300000; depth *= 1000) {
        tfp_buf text = { 0 }, wire = { 0 };
        tfp_error *err = tfp_error_new();
        tfp_buf_text(&text, "node{experimental_type{");
        repeat(&text, "args{", depth);
        repeat(&text, "}", depth + 2);
        tfp_status s = tfp_text_to_wire((tfp_str){ text.data, text.size }, &tfp_schema_graph_def, &wire, err);
        assert_int_equal(s, depth == 300 ? TFP_OK : TFP_LIMIT);
        if (s)
            assert_non_null(strstr(tfp_error_message(err), "1000"));
        else
            assert_int_equal(wire.size, 300 * 2 + (300 - 64) + 2 * 3);
        tfp_buf_free(&text);
        tfp_buf_free(&wire);
        tfp_error_free(err);
    }
}

static void old_op_logs_have_their_strings_in_place(void **state)
{
    (void)state;
    static const example form[] = {
        { "log_entries{name:\"a\" code_def{traces{file:\"f\" lineno:1 function:\"g\" line:\"l\"}}}",
          "0a120a0161220d0a0b0a016610011a016722016c" },
    };
    check_all(form, 1, &tfp_schema_op_log);
}

static void text_is_told_from_wire_bytes(void **state)
{
    (void)state;
    assert_true(tfp_looks_like_text(TFP_STR("node {\n  name: \"a\"\n}")));
    assert_true(tfp_looks_like_text(TFP_STR("# c\n\n  versions: <")));
    assert_true(tfp_looks_like_text(TFP_STR("node { name: \"\x01\" }")));
    assert_true(tfp_looks_like_text(TFP_STR("}")));
    assert_false(tfp_looks_like_text(TFP_STR("")));
    assert_false(tfp_looks_like_text(TFP_STR("\x0a\x06\x0a\x01"
                                             "a\x12\x01"
                                             "b")));
    assert_false(tfp_looks_like_text(TFP_STR("\n \n\tvariable1\x12\x05"
                                             "VarOp")));
    assert_true(tfp_text_begins_as(TFP_STR("# x\nmeta_info_def {"), &tfp_schema_meta_graph));
    assert_false(tfp_text_begins_as(TFP_STR("# x\nmeta_info_def {"), &tfp_schema_graph_def));
    assert_false(tfp_text_begins_as(TFP_STR("{"), &tfp_schema_graph_def));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_take_braces_angles_colons_and_separators),
        cmocka_unit_test(numbers_take_every_form),
        cmocka_unit_test(strings_join_and_know_every_escape),
        cmocka_unit_test(faults_stand_where_protobuf_puts_them),
        cmocka_unit_test(zero_values_may_be_given_again),
        cmocka_unit_test(an_any_may_be_written_out),
        cmocka_unit_test(deep_messages_cost_no_stack_and_have_a_limit),
        cmocka_unit_test(old_op_logs_have_their_strings_in_place),
        cmocka_unit_test(text_is_told_from_wire_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
