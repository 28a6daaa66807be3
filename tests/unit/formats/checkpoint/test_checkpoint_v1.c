// SPDX-License-Identifier: Apache-2.0
/* tests/unit/formats/checkpoint/test_checkpoint_v1.c: invalid checkpoints of version 1. */
#include "checkpoint_tables.h"

#include "wire/orderedcode.h"

/* A SavedSliceMeta of int32 with slices of one dimension. The list alternates start and length; length 0 ends it. */
static void put_meta(tfp_buf *b, const char *name, int64_t dim, const int64_t *slices)
{
    size_t tensor = tfp_put_open(b, 1);
    tfp_put_bytes(b, 1, tfp_str_of(name));
    size_t shape = tfp_put_open(b, 2), size = tfp_put_open(b, 2);
    tfp_put_int(b, 1, dim);
    tfp_put_close(b, size);
    tfp_put_close(b, shape);
    tfp_put_int(b, 3, 3);
    for (; slices[1]; slices += 2) {
        size_t slice = tfp_put_open(b, 4), extent = tfp_put_open(b, 1);
        tfp_put_int(b, 1, slices[0]);
        tfp_put_int(b, 2, slices[1]);
        tfp_put_close(b, extent);
        tfp_put_close(b, slice);
    }
    tfp_put_close(b, tensor);
}

/* Adds the values 1, 2, 3 ... of one slice. */
static void add_values(table *t, const char *name, const char *says, int64_t start, int64_t length, int64_t values)
{
    static const int64_t ones[] = { 1, 2, 3, 4, 5, 6, 7, 8 };
    tfp_buf key = { 0 }, value = { 0 };
    tfp_put_ordered_uint(&key, 0);
    tfp_put_ordered_bytes(&key, tfp_str_of(name));
    tfp_put_ordered_uint(&key, 1);
    tfp_put_ordered_int(&key, start);
    tfp_put_ordered_int(&key, length);
    size_t slice = tfp_put_open(&value, 2);
    tfp_put_bytes(&value, 1, tfp_str_of(says));
    size_t data = tfp_put_open(&value, 3);
    tfp_put_packed_ints(&value, 7, ones, (size_t)values);
    tfp_put_close(&value, data);
    tfp_put_close(&value, slice);
    add(t, (tfp_str){ key.data, key.size }, (tfp_str){ value.data, value.size });
    tfp_buf_free(&key);
    tfp_buf_free(&value);
}

static void bad_slices_are_refused(void **state)
{
    (void)state;
    static const struct {
        int64_t dim, slices[8]; /* the slices that the list names */
        const char *says_name;
        int64_t values;   /* values in each slice */
        const char *says; /* the expected message; NULL: the checkpoint is valid */
    } cases[] = {
        { 4, { 0, 2, 2, 2 }, "v", 2, NULL },
        { 4, { 0, 2, 0, 2 }, "v", 2, "slices overlap" },
        { 4, { 0, 2, 2, 3 }, "v", 2, "slice 1: 3 elements from 2 on in a dimension of 4" },
        { 4, { 0, 2, -1, 2 }, "v", 2, "from -1 on" },
        { 4, { 0, 2, 2, -2 }, "v", 2, "-2 elements" },
        { 4, { 0, 2 }, "v", 2, "do not make up all of it" },
        { 4, { 0 }, "v", 2, "do not make up all of it" },
        { 4, { 0, 2, 2, 2, 0, 2 }, "v", 2, "slices overlap" },
        { 4, { 0, 1, 1, 3 }, "v", 2, "values are missing" },
        { 4, { 0, 2, 2, 2 }, "w", 2, "another variable" },
        { 4, { 0, 2, 2, 2 }, "v", 3, "3 values for 2 elements of int32" },
        { 4, { 0, 2, 2, 2 }, "v", 1, "1 values for 2 elements of int32" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        table t = { 0 };
        tfp_buf meta = { 0 };
        size_t at = tfp_put_open(&meta, 1);
        put_meta(&meta, "v", cases[i].dim, cases[i].slices);
        tfp_put_close(&meta, at);
        add(&t, TFP_STR(""), (tfp_str){ meta.data, meta.size });
        add_values(&t, "v", cases[i].says_name, 0, 2, cases[i].values);
        add_values(&t, "v", cases[i].says_name, 2, 2, cases[i].values);
        end_block(&t);
        end_table(&t);
        if (cases[i].says)
            assert_table_fails(&t, TFP_BADFILE, cases[i].says);
        else
            assert_table_fails(&t, TFP_OK, "");
        tfp_buf_free(&meta);
        drop_table(&t);
    }
}

static void variables_may_not_be_listed_twice(void **state)
{
    (void)state;
    static const int64_t slices[] = { 0, 2, 0, 0 };
    for (int64_t dim = 2; dim < 4; dim++) {
        table t = { 0 };
        tfp_buf meta = { 0 };
        size_t at = tfp_put_open(&meta, 1);
        put_meta(&meta, "v", 2, slices);
        put_meta(&meta, "v", dim, slices);
        tfp_put_close(&meta, at);
        add(&t, TFP_STR(""), (tfp_str){ meta.data, meta.size });
        end_block(&t);
        end_table(&t);
        assert_table_fails(&t, TFP_BADFILE, dim == 2 ? "v is listed twice" : "different types or shapes");
        tfp_buf_free(&meta);
        drop_table(&t);
    }
}

static void a_small_file_can_not_claim_to_be_much(void **state)
{
    (void)state;
    static const int64_t slices[] = { 0, 1 << 24, 0, 0 };
    table t = { 0 };
    tfp_buf meta = { 0 };
    size_t at = tfp_put_open(&meta, 1);
    put_meta(&meta, "v", 1 << 24, slices);
    tfp_put_close(&meta, at);
    add(&t, TFP_STR(""), (tfp_str){ meta.data, meta.size });
    end_block(&t);
    end_table(&t);
    assert_table_fails(&t, TFP_LIMIT, "unpack to 128 MB");
    tfp_buf_free(&meta);
    drop_table(&t);
}

/* A V1 list of variables with one variable that has this shape message. */
static void assert_shape_fails(tfp_str shape_message, const char *part)
{
    table t = { 0 };
    tfp_buf meta = { 0 };
    size_t at = tfp_put_open(&meta, 1), tensor = tfp_put_open(&meta, 1);
    tfp_put_bytes(&meta, 1, TFP_STR("v"));
    tfp_put_bytes(&meta, 2, shape_message);
    tfp_put_int(&meta, 3, 1);
    tfp_put_close(&meta, tensor);
    tfp_put_close(&meta, at);
    add(&t, TFP_STR(""), (tfp_str){ meta.data, meta.size });
    end_block(&t);
    end_table(&t);
    assert_table_fails(&t, TFP_BADFILE, part);
    tfp_buf_free(&meta);
    drop_table(&t);
}

static void shapes_are_known_and_of_few_dimensions(void **state)
{
    (void)state;
    char many[255 * 4];
    for (size_t i = 0; i < sizeof many; i += 4) memcpy(many + i, "\x12\x02\x08\x01", 4);
    assert_shape_fails(TFP_STR("\x18\x01"), "unknown rank");
    assert_shape_fails((tfp_str){ many, sizeof many }, "more than 254 dimensions");
    assert_shape_fails(TFP_STR("\x12\x05"), "shape: ");
}

static void values_may_stand_in_any_field_of_their_type(void **state)
{
    (void)state;
    double doubles[3];
    int64_t ints[2];
    tfp_error *err = tfp_error_new();
    assert_int_equal(tfp_widen_proto(1, TFP_STR("\x22\x08\0\0\x80\x3f\0\0\0\xc0"), 2, doubles, err), TFP_OK);
    assert_true(doubles[0] == 1 && doubles[1] == -2); /* tensor_content */
    assert_int_equal(tfp_widen_proto(25, TFP_STR("\x92\x01\x03\x38\xb8\x7e"), 3, doubles, err), TFP_OK);
    assert_true(doubles[0] == 1 && doubles[1] == -1 && doubles[2] == 448); /* float8_val */
    assert_int_equal(tfp_widen_proto(9, TFP_STR("\x50\x05\x50\x07"), 2, ints, err), TFP_OK);
    assert_true(ints[0] == 5 && ints[1] == 7); /* int64_val, not packed */
    assert_fails(tfp_widen_proto(1, TFP_STR("\x22\x05\0\0\x80\x3f\0"), 1, doubles, err), err, TFP_BADFILE,
                 "5 bytes for 1");
    assert_fails(tfp_widen_proto(1, TFP_STR("\x2a\x05\0\0\x80\x3f\0"), 1, doubles, err), err, TFP_BADFILE, "");
    tfp_error_free(err);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_slices_are_refused),
        cmocka_unit_test(variables_may_not_be_listed_twice),
        cmocka_unit_test(a_small_file_can_not_claim_to_be_much),
        cmocka_unit_test(shapes_are_known_and_of_few_dimensions),
        cmocka_unit_test(values_may_stand_in_any_field_of_their_type),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
