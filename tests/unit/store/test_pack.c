// SPDX-License-Identifier: Apache-2.0
/* tests/unit/store/test_pack.c: packs and unpacks numbers with every method and width; rejects bytes that are not a
 * block. */
#include "store/pack.h"
#include "support.h"

typedef struct pair {
    tfp_packer packer;
    tfp_unpacker unpacker;
} pair;

static int start(void **state)
{
    pair *p = calloc(1, sizeof *p);
    *state = p;
    return p && tfp_packer_start(&p->packer) && tfp_unpacker_start(&p->unpacker) ? 0 : -1;
}

static int end(void **state)
{
    pair *p = *state;
    tfp_packer_free(&p->packer);
    tfp_unpacker_free(&p->unpacker);
    free(p);
    return 0;
}

static uint64_t drawn(uint64_t *seed)
{
    return *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
}

enum shape { ALIKE, RISING, NONES, WILD, SHAPES };

static uint64_t number(enum shape shape, size_t i, uint64_t *seed)
{
    switch (shape) {
    case ALIKE: return 0x0102030405060708;
    case RISING: return UINT64_C(1790000000000000000) + i * 1003;
    case NONES: return i % 3 ? UINT64_MAX : i;
    default: return drawn(seed);
    }
}

static void fill(char *to, enum shape shape, size_t count, size_t width)
{
    uint64_t seed = count + width;
    for (size_t i = 0; i < count; i++) {
        uint64_t n = number(shape, i, &seed);
        memcpy(to + i * width, &n, width); /* the machine is little-endian */
    }
}

static char numbers[TFP_PACK_BYTES], got[TFP_PACK_BYTES];
static int64_t others[TFP_PACK_ROWS];

static size_t there_and_back(pair *p, const tfp_pack_numbers *n, tfp_pack_method method)
{
    tfp_str block = tfp_pack_block(&p->packer, n, &method);
    assert_true(block.size <= TFP_PACK_MOST);
    memset(got, 0x55, sizeof got);
    assert_true(tfp_unpack_block(&p->unpacker, block, n, got));
    assert_memory_equal(got, numbers, n->count * n->width);
    return block.size;
}

static void numbers_come_back_in_every_way(void **state)
{
    static const size_t widths[] = { 1, 4, 8 }, counts[] = { 1, 2, 255, 1024, TFP_PACK_ROWS };
    for (size_t w = 0; w < 3; w++)
        for (size_t c = 0; c < 5; c++)
            for (int shape = 0; shape < SHAPES; shape++) {
                fill(numbers, (enum shape)shape, counts[c], widths[w]);
                fill((char *)others, RISING, counts[c], 8);
                tfp_pack_numbers n = { numbers, widths[w] == 8 ? others : NULL, counts[c], widths[w] };
                tfp_pack_method last = widths[w] == 8   ? TFP_PACK_BESIDE
                                       : widths[w] == 4 ? TFP_PACK_DELTA
                                                        : TFP_PACK_PLAIN;
                size_t least = SIZE_MAX;
                for (tfp_pack_method method = TFP_PACK_PLAIN; method <= last; method++) {
                    size_t size = there_and_back(*state, &n, method);
                    if (size < least) least = size;
                }
                assert_int_equal(there_and_back(*state, &n, TFP_PACK_METHODS), least);
            }
}

static void sorted_and_equal_numbers_are_small(void **state)
{
    fill(numbers, RISING, TFP_PACK_ROWS, 8);
    fill((char *)others, RISING, TFP_PACK_ROWS, 8);
    tfp_pack_numbers n = { numbers, NULL, TFP_PACK_ROWS, 8 };
    assert_true(there_and_back(*state, &n, TFP_PACK_METHODS) < 200);
    n.beside = others;
    assert_int_equal(there_and_back(*state, &n, TFP_PACK_METHODS), TFP_PACK_HEAD + 8);
    fill(numbers, ALIKE, TFP_PACK_ROWS, 4);
    assert_int_equal(there_and_back(*state, &(tfp_pack_numbers){ numbers, NULL, TFP_PACK_ROWS, 4 }, TFP_PACK_PLAIN),
                     TFP_PACK_HEAD + 4);
}

static void a_plain_block_has_every_byte(void **state)
{
    pair *p = *state;
    fill(numbers, ALIKE, 100, 4);
    tfp_pack_numbers n = { numbers, NULL, 100, 4 };
    tfp_str block = tfp_pack_plain(&p->packer, &n);
    assert_int_equal(block.size, TFP_PACK_HEAD + 400);
    assert_true(tfp_unpack_block(&p->unpacker, block, &n, got));
    assert_memory_equal(got, numbers, 400);
}

static void bytes_that_are_no_block_are_refused(void **state)
{
    pair *p = *state;
    fill(numbers, RISING, 1000, 8);
    tfp_pack_method method = TFP_PACK_DELTA;
    tfp_pack_numbers n = { numbers, NULL, 1000, 8 };
    tfp_str block = tfp_pack_block(&p->packer, &n, &method);
    char copy[TFP_PACK_MOST];
    memcpy(copy, block.data, block.size);
    for (size_t size = 0; size < block.size; size++)
        assert_false(tfp_unpack_block(&p->unpacker, (tfp_str){ copy, size }, &n, got));
    tfp_pack_numbers more = { NULL, NULL, 1001, 8 };
    assert_false(tfp_unpack_block(&p->unpacker, (tfp_str){ copy, block.size }, &more, got));
    copy[0] = TFP_PACK_BESIDE; /* this method needs another column, and there is none */
    assert_false(tfp_unpack_block(&p->unpacker, (tfp_str){ copy, block.size }, &n, got));
    copy[0] = TFP_PACK_METHODS;
    assert_false(tfp_unpack_block(&p->unpacker, (tfp_str){ copy, block.size }, &n, got));
    assert_int_equal(tfp_pack_size((const unsigned char *)"\0\x10", 10, 4), 0); /* the fifth byte of a number of four */
    assert_int_equal(tfp_pack_size((const unsigned char *)"\2\1", 10, 1), 0);   /* differences of single bytes */
    assert_int_equal(tfp_pack_size((const unsigned char *)"\0\1", TFP_PACK_ROWS + 1, 1), 0);
}

static void pieces_come_back(void **state)
{
    pair *p = *state;
    memset(numbers, 'a', sizeof numbers);
    tfp_str piece = tfp_pack_piece(&p->packer, (tfp_str){ numbers, sizeof numbers });
    assert_true(piece.size < 200);
    assert_true(tfp_unpack_piece(&p->unpacker, piece, got, sizeof got));
    assert_memory_equal(got, numbers, sizeof got);
    assert_false(tfp_unpack_piece(&p->unpacker, piece, got, sizeof got - 1));
    piece = tfp_pack_piece(&p->packer, TFP_STR("xy"));
    assert_true(tfp_str_eq(piece, TFP_STR("xy")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_come_back_in_every_way),
        cmocka_unit_test(sorted_and_equal_numbers_are_small),
        cmocka_unit_test(a_plain_block_has_every_byte),
        cmocka_unit_test(bytes_that_are_no_block_are_refused),
        cmocka_unit_test(pieces_come_back),
    };
    return cmocka_run_group_tests(tests, start, end);
}
