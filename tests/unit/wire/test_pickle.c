// SPDX-License-Identifier: Apache-2.0
/* tests/unit/wire/test_pickle.c: reads pickles without Python: plain values as values, and objects as opaque ones with
 * their names. */
#include "support.h"
#include "wire/pickle.h"

static tfp_pickle *machine;
static tfp_error fault;

static tfp_status read_bytes(const char *data, size_t size, tfp_pickle_take take, tfp_pvalue *root)
{
    tfp_input in = { 0 };
    tfp_error_clear(&fault);
    machine = tfp_pickle_new(1 << 20);
    assert_non_null(machine);
    if (take) tfp_pickle_on_item(machine, take, NULL);
    assert_int_equal(tfp_input_memory(&in, "p", data, size, NULL), TFP_OK);
    tfp_status s = tfp_pickle_read(machine, &in, root, &fault);
    tfp_input_close(&in);
    return s;
}
#define READ(text, root) read_bytes(text, sizeof(text) - 1, NULL, root)

static tfp_pvalue member(tfp_pvalue v, const char *key)
{
    return tfp_pickle_member(machine, v, tfp_pickle_word(machine, tfp_str_of(key)));
}

static void a_dict_has_the_values_of_its_keys(void **state)
{
    (void)state;
    tfp_pvalue root;
    int64_t n = 0;
    tfp_str text;
    /* {"a": -2, "b": [True, "xy"], "a": 1 << 40} */
    assert_int_equal(READ("\x80\x04}\x94(\x8c\x01"
                          "a\x94J\xfe\xff\xff\xff\x8c\x01"
                          "b](\x88\x8c\x02xye"
                          "h\x01\x8a\x06\0\0\0\0\0\x01u.",
                          &root),
                     TFP_OK);
    assert_int_equal(tfp_pickle_kind_of(root), TFP_PICKLE_DICT);
    assert_int_equal(tfp_pickle_count(machine, root), 3);
    assert_true(tfp_pickle_int(machine, member(root, "a"), &n));
    assert_true(n == INT64_C(1) << 40); /* the last one counts */
    assert_true(tfp_pickle_int(machine, tfp_pickle_value(machine, root, 0), &n));
    assert_int_equal(n, -2);
    tfp_pvalue list = member(root, "b");
    assert_int_equal(tfp_pickle_kind_of(tfp_pickle_item(machine, list, 0)), TFP_PICKLE_BOOL);
    assert_true(tfp_pickle_text(machine, tfp_pickle_item(machine, list, 1), &text));
    assert_true(tfp_str_eq(text, TFP_STR("xy")));
    assert_int_equal(member(root, "c"), 0);
    tfp_pickle_free(machine);
}

static void a_call_is_not_made_but_remembered(void **state)
{
    (void)state;
    tfp_pvalue root;
    tfp_str text;
    tfp_buf said = { 0 };
    assert_int_equal(READ("\x80\x02"
                          "cos\nsystem\n(X\x02\0\0\0id\x85R.",
                          &root),
                     TFP_BADFILE); /* one mark too many */
    tfp_pickle_free(machine);
    assert_int_equal(READ("\x80\x02"
                          "cos\nsystem\nX\x02\0\0\0id\x85R.",
                          &root),
                     TFP_OK);
    assert_int_equal(tfp_pickle_kind_of(root), TFP_PICKLE_CALL);
    assert_true(tfp_pickle_text(machine, tfp_pickle_item(machine, tfp_pickle_args(machine, root), 0), &text));
    assert_true(tfp_str_eq(text, TFP_STR("id")));
    tfp_pickle_describe(machine, root, &said);
    assert_true(tfp_str_eq((tfp_str){ said.data, said.size }, TFP_STR("an opaque object of os.system")));
    tfp_buf_free(&said);
    tfp_pickle_free(machine);
}

static bool take_all(void *ctx, tfp_pickle *m, tfp_pvalue to, tfp_pvalue item)
{
    (void)ctx, (void)to;
    return tfp_pickle_kind_of(tfp_pickle_member(m, item, tfp_pickle_word(m, TFP_STR("a")))) == TFP_PICKLE_INT;
}

static void what_is_taken_is_not_there_again(void **state)
{
    (void)state;
    tfp_pvalue root;
    /* [{"a": 1}, {"b": 2}] and the memo's first dict */
    assert_int_equal(read_bytes("\x80\x04](}\x94\x8c\x01"
                                "aK\x01s}\x8c\x01"
                                "bK\x02se"
                                "h\x00\x86.",
                                28, take_all, &root),
                     TFP_OK);
    assert_int_equal(tfp_pickle_count(machine, tfp_pickle_item(machine, root, 0)), 1);
    assert_int_equal(tfp_pickle_kind_of(tfp_pickle_item(machine, root, 1)), TFP_PICKLE_OTHER);
    tfp_pickle_free(machine);
}

static int offered;

/* Takes dicts that have "a", and folds the list in it. */
static bool take_folded(void *ctx, tfp_pickle *m, tfp_pvalue to, tfp_pvalue item)
{
    (void)ctx, (void)to;
    tfp_pvalue list = tfp_pickle_member(m, item, tfp_pickle_word(m, TFP_STR("a")));
    offered++;
    if (list) tfp_pickle_fold(m, list, 7);
    return list != 0;
}

/* Like the entries of a memory snapshot: each has a stack of the same few frames. */
static void entries_that_are_taken_leave_no_memory_behind(void **state)
{
    (void)state;
    enum { ENTRIES = 20000, FRAMES = 30 };
    tfp_pvalue root;
    tfp_buf all = { 0 };
    tfp_buf_printf(&all, "\x80\x04}\x94K\x01K\x02s0](");
    for (int i = 0; i < ENTRIES; i++) {
        tfp_buf_printf(&all, "}\x8c\x01"
                             "a](");
        for (int k = 0; k < FRAMES; k++) tfp_buf_str(&all, (tfp_str){ "j\0\0\0\0", 5 });
        tfp_buf_printf(&all, "es");
        if (i % 100 == 99) tfp_buf_printf(&all, "e(");
    }
    tfp_buf_printf(&all, "e.");
    offered = 0;
    assert_int_equal(read_bytes(all.data, all.size, take_folded, &root), TFP_OK);
    assert_int_equal(tfp_pickle_count(machine, root), 0);
    assert_int_equal(offered, ENTRIES + 1); /* each entry, and the frame once */
    tfp_buf_free(&all);
    tfp_pickle_free(machine);
}

static void sizes_are_held_against_the_file(void **state)
{
    (void)state;
    tfp_pvalue root;
    static const char *const bad[] = {
        "X\xff\xff\xff\x7fxx.", "r\xff\xff\xff\xff.", "h\x05.", "(((", "K\x01u.", "]K\x01s.", "\xff."
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(read_bytes(bad[i], strlen(bad[i]), NULL, &root), TFP_BADFILE);
        assert_true(fault.size > 0);
        tfp_pickle_free(machine);
    }
}

static void a_pickle_that_needs_too_much_memory_is_refused(void **state)
{
    (void)state;
    tfp_pvalue root;
    tfp_buf all = { 0 };
    tfp_buf_fill(&all, ']', 200000);
    assert_false(all.failed);
    assert_int_equal(read_bytes(all.data, all.size, NULL, &root), TFP_LIMIT);
    tfp_buf_free(&all);
    tfp_pickle_free(machine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_dict_has_the_values_of_its_keys),
        cmocka_unit_test(a_call_is_not_made_but_remembered),
        cmocka_unit_test(what_is_taken_is_not_there_again),
        cmocka_unit_test(entries_that_are_taken_leave_no_memory_behind),
        cmocka_unit_test(sizes_are_held_against_the_file),
        cmocka_unit_test(a_pickle_that_needs_too_much_memory_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
