// SPDX-License-Identifier: Apache-2.0
/* outputs/data/columns.c: a report as binary columns of numbers for the page: a browser uses them in place, without parsing
 * text. docs/http.md describes the layout. */
#include "outputs/core/output.h"
#include "views/core/table.h"
#include "views/core/notes.h"
#include "views/core/report.h"
#include "views/core/rows.h"
#include "wire/json.h"

#define VERSION 1

enum { BLOCKS = 64 };

/* Limit of the different texts of all columns together. While they are written they are in memory twice; no page shows more. */
#define TEXTS_MOST ((size_t)64 << 20)

typedef struct block { /* a part of the data: one value for each row */
    size_t at, size;
} block;

typedef struct writer {
    const tfp_report *r;
    tfp_cells cells;
    tfp_buf header, data, cell;
    size_t rows;
    block blocks[BLOCKS];
    size_t block_count;
    size_t texts;         /* bytes of all texts so far */
    const char *too_long; /* the column at which the texts became too many */
} writer;

static void align(tfp_buf *b) { tfp_buf_fill(b, 0, (8 - b->size % 8) % 8); }

static void put_u32(tfp_buf *b, uint32_t n)
{
    unsigned char bytes[4] = { (unsigned char)n, (unsigned char)(n >> 8), (unsigned char)(n >> 16),
                               (unsigned char)(n >> 24) };
    tfp_buf_add(b, bytes, sizeof bytes);
}

static void put_f64(tfp_buf *b, double x)
{
    unsigned char bytes[8];
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    for (int i = 0; i < 8; i++) bytes[i] = (unsigned char)(bits >> (8 * i));
    tfp_buf_add(b, bytes, sizeof bytes);
}

static void put_string(writer *w, const char *text)
{
    tfp_buf_char(&w->header, '"');
    tfp_json_put_escaped(&w->header, tfp_str_of(text));
    tfp_buf_char(&w->header, '"');
}

static void put_place(writer *w, const char *key, size_t at) { tfp_buf_printf(&w->header, ",\"%s\":%zu", key, at); }

/* The offset of the block written last, which begins at `at`. Equal blocks are stored once: many columns are zero in
 * every row, and a total often equals the value itself. */
static size_t share_block(writer *w, size_t at)
{
    size_t size = w->data.size - at;
    if (w->data.failed || !size) return at; /* without rows there may be no data at all */
    for (size_t i = 0; i < w->block_count; i++) {
        const block *b = &w->blocks[i];
        if (b->size != size || memcmp(w->data.data + b->at, w->data.data + at, size) != 0) continue;
        w->data.size = at;
        return b->at;
    }
    if (w->block_count < BLOCKS) w->blocks[w->block_count++] = (block){ at, size };
    align(&w->data);
    return at;
}

/* Numbers and booleans; `absent` gets a flag for each row. */
static bool put_numbers(writer *w, const tfp_table_column *f, uint8_t *absent)
{
    bool any = false;
    for (uint32_t row = 0; row < w->rows; row++) {
        tfp_cell cell = { 0 };
        bool there = tfp_cell_at(&w->cells, f, row, &cell);
        absent[row] = !there;
        any |= !there;
        if (f->type == TFP_CELL_BOOL)
            tfp_buf_char(&w->data, (char)(there && cell.number));
        else
            put_f64(&w->data, f->type == TFP_CELL_REAL ? cell.real : (double)cell.number);
    }
    return any;
}

/* Long texts that many rows share (the name of a span around thousands) are escaped and looked up once. By where they lie: texts are borrowed, and
 * one text may be a part of another. */
enum { LONG_TEXT = 256 };
typedef struct long_text {
    size_t size;
    tfp_strid id;
} long_text;
typedef struct long_texts {
    TFP_VEC(long_text) at;
    tfp_map64 by_place;
} long_texts;

static const tfp_str *long_text_of(const tfp_table_column *c, uint32_t row)
{
    if (!c->texts || tfp_cell_absent(c, row)) return NULL;
    return c->texts[row].size >= LONG_TEXT ? &c->texts[row] : NULL;
}

/* TFP_NONE: it was not met before. */
static tfp_strid known_text(const long_texts *l, const tfp_str *text)
{
    uint32_t at = text ? tfp_map64_get(&l->by_place, (uintptr_t)text->data) : TFP_NONE;
    return at != TFP_NONE && l->at.at[at].size == text->size ? l->at.at[at].id : TFP_NONE;
}

static bool keep_text(long_texts *l, const tfp_str *text, tfp_strid id)
{
    if (!text || tfp_map64_get(&l->by_place, (uintptr_t)text->data) != TFP_NONE) return true;
    long_text one = { text->size, id };
    return tfp_map64_put(&l->by_place, (uintptr_t)text->data, (uint32_t)l->at.size) && tfp_push(&l->at, one);
}

/* The id of a row's text among those of the column; TFP_NONE without memory. */
static tfp_strid intern_text(writer *w, const tfp_table_column *f, uint32_t row, tfp_strtab *texts, uint8_t *absent)
{
    w->cell.size = 0;
    *absent = !tfp_cell_at(&w->cells, f, row, &(tfp_cell){ .text = &w->cell });
    size_t count = texts->count;
    tfp_strid id = w->cell.failed ? TFP_NONE : tfp_intern(texts, (tfp_str){ w->cell.data, w->cell.size });
    if (texts->count > count) w->texts += w->cell.size;
    if (w->texts > TEXTS_MOST) w->too_long = f->name;
    return id;
}

/* Texts: indexes into a dictionary, which follows them. */
static bool put_texts(writer *w, const tfp_table_column *f, uint8_t *absent, bool *nomem)
{
    tfp_arena arena = { 0 };
    tfp_strtab texts = { 0 };
    long_texts met = { 0 };
    bool any = false, ok = tfp_strtab_init(&texts, &arena) == TFP_OK;
    for (uint32_t row = 0; ok && row < w->rows && !w->too_long; row++) {
        const tfp_str *text = long_text_of(f, row);
        tfp_strid id = known_text(&met, text);
        absent[row] = 0;
        if (id == TFP_NONE) {
            id = intern_text(w, f, row, &texts, &absent[row]);
            ok = id != TFP_NONE && (absent[row] || keep_text(&met, text, id));
        }
        any |= absent[row] != 0;
        put_u32(&w->data, id);
    }
    tfp_map64_free(&met.by_place);
    tfp_vec_free(&met.at);
    if (w->too_long) ok = false;
    align(&w->data);
    tfp_buf_printf(&w->header, ",\"texts\":%zu", ok ? texts.count : 0);
    put_place(w, "text_at", w->data.size);
    uint32_t at = 0;
    for (size_t i = 0; ok && i < texts.count; i++) {
        put_u32(&w->data, at);
        at += (uint32_t)texts.strings[i].size;
    }
    put_u32(&w->data, at);
    align(&w->data);
    put_place(w, "bytes_at", w->data.size);
    for (size_t i = 0; ok && i < texts.count; i++) tfp_buf_str(&w->data, texts.strings[i]);
    align(&w->data);
    tfp_strtab_free(&texts);
    tfp_arena_free(&arena);
    *nomem |= !ok;
    return any;
}

/* What people see for the names of kernels, row by row: of a table's column, or of a tree's rows. */
static void put_shorts(writer *w, const tfp_str *of_column)
{
    tfp_buf_text(&w->header, ",\"short\":[");
    for (size_t row = 0; row < w->rows; row++) {
        w->cell.size = 0;
        tfp_escape(&w->cell, of_column ? of_column[row] : tfp_shown_name(w->r, (uint32_t)row));
        tfp_buf_text(&w->header, row ? ",\"" : "\"");
        tfp_json_put_escaped(&w->header, (tfp_str){ w->cell.data, w->cell.size });
        tfp_buf_char(&w->header, '"');
    }
    tfp_buf_char(&w->header, ']');
}

static void put_column(writer *w, const tfp_table_column *f, uint8_t *absent, bool *nomem)
{
    const char *unit = f->unit == TFP_LABEL ? NULL : tfp_unit_name(f->unit);
    tfp_buf_text(&w->header, "{\"name\":");
    put_string(w, f->name);
    tfp_buf_printf(&w->header, ",\"unit\":%s%s%s,\"type\":\"%s\"", unit ? "\"" : "", unit ? unit : "null",
                   unit ? "\"" : "",
                   f->type == TFP_CELL_TEXT   ? "text"
                   : f->type == TFP_CELL_BOOL ? "bool"
                                              : "number");
    size_t at = w->data.size;
    bool any = f->type == TFP_CELL_TEXT ? put_texts(w, f, absent, nomem) : put_numbers(w, f, absent);
    put_place(w, "at", f->type == TFP_CELL_TEXT ? at : share_block(w, at));
    at = w->data.size;
    if (any) {
        tfp_buf_add(&w->data, absent, w->rows);
        put_place(w, "nulls", share_block(w, at));
    } else {
        tfp_buf_text(&w->header, ",\"nulls\":null");
    }
    bool names = w->r->tree->short_at.count && f->read && strcmp(f->name, "name") == 0;
    if (names || f->shorts) put_shorts(w, f->shorts);
    tfp_buf_char(&w->header, '}');
}

static void put_header(writer *w, const tfp_column_vec *columns, uint8_t *absent, bool *nomem)
{
    const tfp_report *r = w->r;
    bool tree = (tfp_kind_of(r)->numbers && !tfp_kind_of(r)->list) || r->grid->tree;
    tfp_buf_printf(&w->header, "{\"row_count\":%zu,\"tree\":%s,\"view\":", w->rows, tree ? "true" : "false");
    put_string(w, r->view);
    tfp_buf_text(&w->header, ",\"notes\":[");
    for (size_t i = 0; i < r->notes.size; i++) {
        if (i) tfp_buf_char(&w->header, ',');
        put_string(w, r->notes.at[i].text);
    }
    tfp_buf_text(&w->header, "],\"note_codes\":[");
    for (size_t i = 0; i < r->notes.size; i++)
        tfp_buf_printf(&w->header, "%s\"%s\"", i ? "," : "", tfp_note_kinds[r->notes.at[i].code].name);
    tfp_buf_text(&w->header, "],\"columns\":[");
    for (size_t i = 0; i < columns->size && !w->too_long; i++) {
        if (i) tfp_buf_char(&w->header, ',');
        put_column(w, &columns->at[i], absent, nomem);
    }
    tfp_buf_text(&w->header, "]}");
    tfp_buf_fill(&w->header, ' ', (8 - (w->header.size + 12) % 8) % 8);
}

static tfp_status write_columns(const tfp_report *r, tfp_sink *s, tfp_error *err)
{
    tfp_column_vec columns = { 0 };
    writer w = { .r = r, .cells = tfp_cells_of(r), .rows = tfp_table_of(r)->row_count };
    uint8_t *absent = calloc(w.rows + 1, 1);
    bool nomem = !absent || !tfp_table_columns(r, true, &columns);
    size_t kept = 0;
    for (size_t i = 0; i < columns.size; i++) /* the page is for people */
        if (!columns.at[i].programs) columns.at[kept++] = columns.at[i];
    columns.size = kept;
    if (!nomem) put_header(&w, &columns, absent, &nomem);
    nomem |= w.header.failed || w.data.failed || w.cell.failed;
    if (!nomem) {
        tfp_buf_text(&s->buf, "TFPC");
        put_u32(&s->buf, VERSION);
        put_u32(&s->buf, (uint32_t)w.header.size);
        tfp_buf_add(&s->buf, w.header.data, w.header.size);
        for (size_t at = 0; at < w.data.size && !s->status;) {
            size_t n = w.data.size - at < 65536 ? w.data.size - at : 65536;
            tfp_buf_add(&s->buf, w.data.data + at, n);
            tfp_sink_flush_if_full(s);
            at += n;
        }
    }
    free(absent);
    tfp_vec_free(&columns);
    tfp_buf_free(&w.header);
    tfp_buf_free(&w.data);
    tfp_buf_free(&w.cell);
    tfp_cells_free(&w.cells);
    if (w.too_long)
        return tfp_fail(err, TFP_LIMIT,
                        "the texts up to column %s are longer than %zu MB: ask for fewer rows or columns", w.too_long,
                        TEXTS_MOST >> 20);
    return nomem ? tfp_nomem(err) : TFP_OK;
}

const tfp_output_format tfp_output_columns = {
    .name = "columns",
    .help = "A binary table for programs: a JSON header, then columns of float64, bytes and dictionary texts.",
    .write = write_columns,
};
