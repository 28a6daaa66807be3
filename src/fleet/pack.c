// SPDX-License-Identifier: Apache-2.0
/* fleet/pack.c: packs rows as bytes for a pipe: the distinct texts, then for each table its number of rows and its columns. Numbers
 * are in the machine's byte order, because both ends are the same program. What arrives is checked, because the sending process has
 * read hostile files. */
#include "fleet/read.h"

static void put_u32(tfp_buf *b, size_t n)
{
    uint32_t x = (uint32_t)n;
    tfp_buf_add(b, &x, sizeof x);
}

void tfp_fleet_pack(const tfp_fleet_rows *r, tfp_buf *out)
{
    put_u32(out, r->texts.table.count);
    for (size_t i = 0; i < r->texts.table.count; i++) {
        put_u32(out, r->texts.table.strings[i].size);
        tfp_buf_str(out, r->texts.table.strings[i]);
    }
    for (int t = 0; t < TFP_FLEET_TABLES; t++) {
        const tfp_batch *b = &r->tables[t];
        put_u32(out, b->row_count);
        for (size_t c = 0; c < b->column_count && b->row_count; c++) {
            tfp_buf_add(out, b->columns[c].cells, b->row_count * sizeof(uint64_t));
            tfp_buf_add(out, b->columns[c].absent, b->row_count);
        }
    }
}

typedef struct unpacking {
    tfp_str in;
    tfp_str *texts;
    uint32_t *ids; /* for each text: its number in the table that is being filled, TFP_NONE: not in it yet */
    size_t text_count;
} unpacking;

static bool take(unpacking *u, size_t size, tfp_str *out)
{
    if (size > u->in.size) return false;
    *out = (tfp_str){ u->in.data, size };
    u->in.data += size;
    u->in.size -= size;
    return true;
}

static bool take_u32(unpacking *u, uint32_t *out)
{
    tfp_str s;
    if (!take(u, sizeof *out, &s)) return false;
    memcpy(out, s.data, sizeof *out);
    return true;
}

static tfp_status damaged(tfp_error *err) { return tfp_fail(err, TFP_BADFILE, "damaged rows"); }

static tfp_status take_texts(unpacking *u, tfp_error *err)
{
    uint32_t count, size;
    if (!take_u32(u, &count) || count > u->in.size / sizeof size) return damaged(err);
    u->texts = calloc((size_t)count + 1, sizeof *u->texts);
    u->ids = calloc((size_t)count + 1, sizeof *u->ids);
    if (!u->texts || !u->ids) return tfp_nomem(err);
    for (; u->text_count < count; u->text_count++)
        if (!take_u32(u, &size) || !take(u, size, &u->texts[u->text_count])) return damaged(err);
    return TFP_OK;
}

static tfp_status to_text(unpacking *u, tfp_batch *b, uint64_t *cell, tfp_error *err)
{
    if (*cell >= u->text_count) return damaged(err);
    uint32_t *id = &u->ids[*cell];
    if (*id == TFP_NONE) *id = tfp_intern(&b->texts->table, u->texts[*cell]);
    if (*id == TFP_NONE) return tfp_nomem(err);
    *cell = *id;
    return TFP_OK;
}

static tfp_status take_table(unpacking *u, tfp_batch *b, tfp_error *err)
{
    uint32_t rows;
    tfp_status s = TFP_OK;
    if (!take_u32(u, &rows) || rows > u->in.size) return damaged(err);
    if (!rows) return TFP_OK;
    if (!tfp_batch_room(b, rows)) return tfp_nomem(err);
    memset(u->ids, 0xff, u->text_count * sizeof *u->ids);
    for (size_t c = 0; c < b->column_count && !s; c++) {
        tfp_table_column *x = &b->columns[c];
        tfp_str cells, absent;
        if (!take(u, rows * sizeof(uint64_t), &cells) || !take(u, rows, &absent)) return damaged(err);
        memcpy(x->cells + b->row_count, cells.data, cells.size);
        memcpy(x->absent + b->row_count, absent.data, absent.size);
        for (size_t i = 0; i < rows && !s; i++) {
            x->absent[b->row_count + i] = x->absent[b->row_count + i] != 0;
            if (x->type == TFP_CELL_TEXT && !x->absent[b->row_count + i])
                s = to_text(u, b, &x->cells[b->row_count + i], err);
        }
    }
    if (!s) b->row_count += rows;
    return s;
}

tfp_status tfp_fleet_unpack(tfp_str packed, tfp_batch tables[TFP_FLEET_TABLES], tfp_error *err)
{
    unpacking u = { .in = packed };
    size_t before[TFP_FLEET_TABLES];
    tfp_status s = take_texts(&u, err);
    for (int t = 0; t < TFP_FLEET_TABLES; t++) before[t] = tables[t].row_count;
    for (int t = 0; t < TFP_FLEET_TABLES && !s; t++) s = take_table(&u, &tables[t], err);
    for (int t = 0; t < TFP_FLEET_TABLES && s; t++) tables[t].row_count = before[t];
    free(u.texts);
    free(u.ids);
    return s;
}
