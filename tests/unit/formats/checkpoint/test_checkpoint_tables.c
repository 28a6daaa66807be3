// SPDX-License-Identifier: Apache-2.0
/* tests/unit/formats/checkpoint/test_checkpoint_tables.c: invalid tables of checkpoints, and searches in valid ones. */
#include "checkpoint_read.h"

#include "checkpoint_tables.h"
#include "wire/sstable.h"

#define DATA TEST_DATA "/checkpoints/"

static const tfp_str v1_meta = { "\x0a\x02\x12\x00", 4 }; /* no variables */

static void bad_blocks_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *block;
        size_t size;
        char compression;
        const char *says;
    } cases[] = {
        { "\0\0\0\0", 4, 0, "no list of variables" },
        { "\0\0\0", 3, 0, "restart points" },
        { "\xff\xff\xff\xff", 4, 0, "restart points" },
        { "\2\0\0\0", 4, 0, "restart points" },
        { "\0\0\5"
          "abc\0\0\0\0",
          10, 0, "cut short" },
        { "\0\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\0\0\0\0", 16, 0, "cut short" },
        { "\1\1\0a\0\0\0\0", 8, 0, "shares more" },
        { "\0\0\0\0\0\0\0\0\0\0", 10, 0, "ascend" },
        { "\0\0\0\0", 4, 2, "compression 2" },
        { "\xff\xff\xff\xff\xff\xff", 6, 1, "snappy" },
        { "\xff\xff\xff\xff\x0f\0", 6, 1, "grows to 4294967295" },
        { "\x10\x00"
          "a\xfe\x00\x00",
          6, 1, "snappy" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        table t = { 0 };
        tfp_buf handle = { 0 };
        put_block(&t, (tfp_str){ cases[i].block, cases[i].size }, cases[i].compression, &handle);
        put_entry(&t.index, 0, TFP_STR("zz"), (tfp_str){ handle.data, handle.size });
        end_table(&t);
        assert_table_fails(&t, TFP_BADFILE, cases[i].says);
        tfp_buf_free(&handle);
        drop_table(&t);
    }
}

static void bad_indexes_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *keys[2], *handles[2];
        const char *says;
    } cases[] = {
        { { "b", "a" }, { "\x00\x05", "\x20\x05" }, "ascend" },
        { { "a", "a" }, { "\x00\x05", "\x20\x05" }, "ascend" },
        { { "a", "b" }, { "\x20\x05", "\x01\x05" }, "overlap" },
        { { "a", "b" }, { "\x01\x05", "\x01\x05" }, "overlap" },
        { { "a", "b" }, { "\x01\x05", "\xff\x05" }, "outside" },
        { { "a", "b" }, { "\x01\x05", "\x05" }, "outside" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        table t = { 0 };
        add(&t, TFP_STR(""), v1_meta);
        tfp_buf_fill(&t.file, 'x', 100);
        for (int k = 0; k < 2; k++) {
            size_t size = cases[i].handles[k][0] ? strlen(cases[i].handles[k]) : 2;
            put_entry(&t.index, 0, tfp_str_of(cases[i].keys[k]), (tfp_str){ cases[i].handles[k], size });
        }
        end_table(&t);
        assert_table_fails(&t, TFP_BADFILE, cases[i].says);
        drop_table(&t);
    }
}

static void blocks_must_keep_to_their_index_keys(void **state)
{
    (void)state;
    table t = { 0 };
    add(&t, TFP_STR(""), v1_meta);
    add(&t, TFP_STR("c"), TFP_STR(""));
    t.index_key = TFP_STR("b");
    end_block(&t);
    end_table(&t);
    tfp_sstable s;
    tfp_source source = tfp_source_memory((tfp_str){ t.file.data, t.file.size });
    tfp_error *err = tfp_error_new();
    assert_int_equal(tfp_sstable_read(&s, &source, err), TFP_OK);
    tfp_walk w = tfp_walk_start(&s, &source);
    assert_true(tfp_walk_next(&w, err));
    assert_true(tfp_walk_next(&w, err));
    assert_false(tfp_walk_next(&w, err));
    assert_int_equal(w.status, TFP_BADFILE);
    assert_non_null(strstr(tfp_error_message(err), "beyond its index key"));
    tfp_walk_free(&w);
    tfp_sstable_free(&s);
    tfp_error_free(err);
    drop_table(&t);
}

static void blocks_must_follow_each_other(void **state)
{
    (void)state;
    table t = { 0 };
    add(&t, TFP_STR(""), v1_meta);
    t.index_key = TFP_STR("b");
    end_block(&t);
    add(&t, TFP_STR("a"), TFP_STR(""));
    t.index_key = TFP_STR("c");
    end_block(&t);
    end_table(&t);
    tfp_sstable s;
    tfp_source source = tfp_source_memory((tfp_str){ t.file.data, t.file.size });
    tfp_error *err = tfp_error_new();
    assert_int_equal(tfp_sstable_read(&s, &source, err), TFP_OK);
    tfp_walk w = tfp_walk_start(&s, &source);
    assert_true(tfp_walk_next(&w, err));
    assert_false(tfp_walk_next(&w, err));
    assert_non_null(strstr(tfp_error_message(err), "first key is not beyond"));
    tfp_walk_free(&w);
    tfp_sstable_free(&s);
    tfp_error_free(err);
    drop_table(&t);
}

static void searches_find_every_key_and_no_other(void **state)
{
    (void)state;
    tfp_error *err = tfp_error_new();
    tfp_buf file = content_of(DATA "types_v1");
    tfp_source source = tfp_source_memory((tfp_str){ file.data, file.size });
    tfp_sstable s;
    assert_int_equal(tfp_sstable_read(&s, &source, err), TFP_OK);
    tfp_walk all = tfp_walk_start(&s, &source), one = tfp_walk_start(&s, &source);
    size_t count = 0;
    char longer[200];
    while (tfp_walk_next(&all, err)) {
        assert_int_equal(tfp_walk_find(&one, &source, all.key, err), TFP_OK);
        assert_int_equal(one.value.size, all.value.size);
        assert_memory_equal(one.value.data, all.value.data, all.value.size);
        assert_true(all.key.size < sizeof longer);
        memcpy(longer, all.key.data, all.key.size);
        longer[all.key.size] = 0;
        assert_int_equal(tfp_walk_find(&one, &source, (tfp_str){ longer, all.key.size + 1 }, err), TFP_NOTFOUND);
        count++;
    }
    assert_int_equal(all.status, TFP_OK);
    assert_true(count > 15);
    assert_int_equal(tfp_walk_find(&one, &source, TFP_STR("\xff\xff"), err), TFP_NOTFOUND);
    tfp_walk_free(&all);
    tfp_walk_free(&one);
    tfp_sstable_free(&s);
    tfp_buf_free(&file);
    tfp_error_free(err);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_blocks_are_refused),
        cmocka_unit_test(bad_indexes_are_refused),
        cmocka_unit_test(blocks_must_keep_to_their_index_keys),
        cmocka_unit_test(blocks_must_follow_each_other),
        cmocka_unit_test(searches_find_every_key_and_no_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
