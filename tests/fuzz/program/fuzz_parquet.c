// SPDX-License-Identifier: Apache-2.0
/* tests/fuzz/program/fuzz_parquet.c: rows made from the input are written as Parquet and read back: they must be the
 * same. Then the input selects bytes of the file to be changed, and it is read again. An input that begins like Parquet
 * is read directly. */
#include "outputs/data/parquet.h"
#include "outputs/data/parquet_read.h"

#include <stdlib.h>

static const tfp_table_column columns[] = {
    { "i", TFP_CELL_INT, TFP_LABEL, 0, NULL, 0 },  { "b", TFP_CELL_BOOL, TFP_LABEL, 0, NULL, 0 },
    { "r", TFP_CELL_REAL, TFP_LABEL, 0, NULL, 0 }, { "s", TFP_CELL_TEXT, TFP_LABEL, 0, NULL, 0 },
    { "d", TFP_CELL_DATE, TFP_LABEL, 0, NULL, 0 }, { "t", TFP_CELL_TIME, TFP_LABEL, 0, NULL, 0 },
};
enum { COLUMNS = sizeof columns / sizeof *columns };

static int to_buffer(void *ctx, const void *data, size_t size)
{
    tfp_buf_add(ctx, data, size);
    return ((tfp_buf *)ctx)->failed;
}

static bool start(tfp_batch *b, tfp_texts *texts)
{
    *b = (tfp_batch){ 0 };
    return tfp_texts_start(texts) && tfp_batch_start(b, columns, COLUMNS, texts);
}

static void end(tfp_batch *b, tfp_texts *texts)
{
    tfp_batch_free(b);
    tfp_texts_free(texts);
}

/* Makes a cell from each byte: most are small numbers that repeat, or absent. */
static void fill(tfp_batch *b, const uint8_t *data, size_t size)
{
    for (size_t i = 0; i < size || b->at; i++) {
        uint8_t x = i < size ? data[i] : 7;
        const tfp_table_column *c = &b->columns[b->at];
        if (x % 8 == 7)
            tfp_batch_none(b);
        else if (c->type == TFP_CELL_TEXT)
            tfp_batch_text(b, (tfp_str){ "abcdefghijklmnopqrstuvwxyz0123456789", x % 37 });
        else if (c->type == TFP_CELL_REAL)
            tfp_batch_real(b, (x - 100) * 0.25);
        else
            tfp_batch_int(b, c->type == TFP_CELL_BOOL ? x % 2 : (int64_t)x - 100);
    }
}

static void compare(const tfp_batch *a, const tfp_batch *b)
{
    if (a->row_count != b->row_count) abort();
    for (size_t c = 0; c < COLUMNS; c++)
        for (size_t i = 0; i < a->row_count; i++) {
            const tfp_table_column *x = &a->columns[c], *y = &b->columns[c];
            if (x->absent[i] != y->absent[i]) abort();
            if (x->absent[i]) continue;
            if (x->type == TFP_CELL_TEXT ? !tfp_str_eq(tfp_cell_text(a, x->cells[i]), tfp_cell_text(b, y->cells[i]))
                                         : x->cells[i] != y->cells[i])
                abort();
        }
}

/* Returns whether it could be read; `same`: the rows that it must have. */
static bool read_back(tfp_str bytes, const tfp_batch *same)
{
    tfp_parquet_file f;
    tfp_batch b;
    tfp_texts texts;
    bool ok = tfp_parquet_open_bytes(&f, bytes, columns, COLUMNS, NULL) == TFP_OK;
    if (!ok) return false;
    if (start(&b, &texts)) {
        for (size_t g = 0; g < f.group_count && ok; g++) ok = tfp_parquet_read_group(&f, g, &b, NULL) == TFP_OK;
        if (ok && same) compare(&b, same);
    }
    end(&b, &texts);
    tfp_parquet_close(&f);
    return ok;
}

static void write_and_read(const uint8_t *data, size_t size)
{
    tfp_buf file = { 0 };
    tfp_parquet w = { 0 };
    tfp_texts texts;
    tfp_batch b;
    size_t changes = data[0] % 8, rest = size - 1 < changes * 3 ? 0 : size - 1 - changes * 3;
    bool ok = start(&b, &texts);
    if (ok) fill(&b, data + 1, rest);
    ok = ok && tfp_parquet_start(&w, to_buffer, &file, NULL) == TFP_OK && tfp_parquet_group(&w, &b, NULL) == TFP_OK &&
         tfp_parquet_end(&w, &b, NULL) == TFP_OK && !file.failed;
    if (ok && !read_back((tfp_str){ file.data, file.size }, &b)) abort();
    for (size_t i = 0; ok && rest && i < changes; i++) {
        const uint8_t *at = data + 1 + rest + i * 3;
        file.data[(at[0] | (size_t)at[1] << 8) % file.size] = (char)at[2];
        read_back((tfp_str){ file.data, file.size }, NULL);
    }
    tfp_parquet_free(&w);
    end(&b, &texts);
    tfp_buf_free(&file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size) return 0;
    if (size > 4 && memcmp(data, "PAR1", 4) == 0)
        read_back((tfp_str){ (const char *)data, size }, NULL);
    else
        write_and_read(data, size);
    return 0;
}
