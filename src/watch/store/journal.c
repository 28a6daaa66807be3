// SPDX-License-Identifier: Apache-2.0
/* watch/store/journal.c: appends rows to a file and reads them back. A record is its size (4 bytes), a CRC-32C of its bytes (4), and these: a kind,
 * which is 255 for a text, 254 when texts are numbered anew, else the table of a row; a row has a bit for each column that is known, and its values, eight bytes each, texts by
 * their number. Numbers are little-endian. */
#include "watch/store/journal.h"
#include "base/crc32c.h"
#include "fleet/index/stream.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAGIC "tfpwatch"
#define HEAD 16
#define TEXT_KIND 255
#define RESET_KIND 254 /* texts are numbered anew */
#define RECORD_MOST (64u << 10)
#define WINDOW ((size_t)256 << 10) /* bytes read at once: a journal has up to 64 MB, and watch may not grow by it */
#define TEXTS_MOST (1u << 20)

static void put_number(tfp_buf *b, uint64_t n, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) tfp_buf_char(b, (char)(n >> (8 * i)));
}

static uint64_t number_at(const char *data, size_t bytes)
{
    uint64_t n = 0;
    for (size_t i = 0; i < bytes; i++) n |= (uint64_t)(unsigned char)data[i] << (8 * i);
    return n;
}

/* ---- writing ---- */

tfp_status watch_journal_new(watch_journal *j, int folder, const char *name, uint64_t number, tfp_error *err)
{
    *j = (watch_journal){ .number = number };
    j->fd = openat(folder, name, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (j->fd < 0) return tfp_fail(err, TFP_BADOUTPUT, "%s: cannot write: %s", name, strerror(errno));
    if (!tfp_texts_start(&j->texts)) return tfp_nomem(err);
    tfp_buf_text(&j->buf, MAGIC);
    put_number(&j->buf, number, 8);
    watch_journal_flush(j);
    return j->error ? tfp_fail(err, TFP_BADOUTPUT, "%s: cannot write: %s", name, strerror(j->error)) : TFP_OK;
}

/* Begins a record; its size and checksum are filled in by end_record. */
static size_t begin_record(tfp_buf *b, uint8_t kind)
{
    size_t at = b->size;
    put_number(b, 0, 8);
    tfp_buf_char(b, (char)kind);
    return at;
}

static void end_record(tfp_buf *b, size_t at)
{
    if (b->failed) return;
    size_t size = b->size - at - 8;
    uint32_t crc = tfp_crc32c(0, b->data + at + 8, size);
    for (size_t i = 0; i < 4; i++) {
        b->data[at + i] = (char)(size >> (8 * i));
        b->data[at + 4 + i] = (char)(crc >> (8 * i));
    }
}

/* The number of a text, which is written when it is new. */
static bool text_number(watch_journal *j, tfp_str text, uint64_t *out)
{
    if (text.size > RECORD_MOST - 64) text.size = RECORD_MOST - 64;
    size_t before = j->texts.table.count;
    tfp_strid id = tfp_intern(&j->texts.table, text);
    if (id == TFP_NONE) return false;
    *out = id;
    if (j->texts.table.count == before) return true;
    size_t at = begin_record(&j->buf, TEXT_KIND);
    tfp_buf_str(&j->buf, text);
    end_record(&j->buf, at);
    return true;
}

bool watch_journal_put(watch_journal *j, tfp_watch_table_id table, const void *row)
{
    const tfp_watch_schema *t = &tfp_watch_tables[table];
    uint64_t cells[64], known = 0;
    size_t n = 0;
    for (size_t i = 0; i < t->count; i++) {
        const tfp_table_column *c = &t->columns[i];
        const char *field = (const char *)row + c->offset;
        tfp_str text;
        double real;
        if (c->type == TFP_CELL_TEXT) {
            memcpy(&text, field, sizeof text);
            if (!text.data) continue;
            if (!text_number(j, text, &cells[n])) return false;
        } else {
            memcpy(&cells[n], field, sizeof *cells);
            memcpy(&real, field, sizeof real);
            if (c->type == TFP_CELL_REAL ? real != real : cells[n] == (uint64_t)TFP_ABSENT) continue;
        }
        known |= (uint64_t)1 << i;
        n++;
    }
    size_t at = begin_record(&j->buf, (uint8_t)table);
    put_number(&j->buf, known, 8);
    for (size_t i = 0; i < n; i++) put_number(&j->buf, cells[i], 8);
    end_record(&j->buf, at);
    return !j->buf.failed;
}

void watch_journal_drop(watch_journal *j)
{
    for (size_t at = 0; at + 9 <= j->buf.size; at += 8 + number_at(j->buf.data + at, 4))
        j->lost += (uint8_t)j->buf.data[at + 8] < TFP_WATCH_TABLES;
    j->buf.size = 0;
    if (!tfp_texts_clear(&j->texts)) j->buf.failed = true;
    end_record(&j->buf, begin_record(&j->buf, RESET_KIND));
}

/* Rows whose texts may be missing cannot be read, so after a failed write everything since the last one is given up. */
void watch_journal_flush(watch_journal *j)
{
    if (j->fd < 0 || !j->buf.size) return;
    if (pwrite(j->fd, j->buf.data, j->buf.size, (off_t)j->bytes) == (ssize_t)j->buf.size) {
        j->bytes += j->buf.size;
        j->buf.size = 0;
        return;
    }
    if (!j->error) j->error = errno ? errno : ENOSPC;
    if (j->buf.size > (4u << 20)) watch_journal_drop(j); /* the disk is full for long */
    if (ftruncate(j->fd, (off_t)j->bytes) != 0) return;
}

void watch_journal_close(watch_journal *j)
{
    if (j->fd >= 0) close(j->fd);
    j->fd = -1;
    tfp_texts_free(&j->texts);
    tfp_buf_free(&j->buf);
}

/* ---- reading ---- */

typedef struct reading {
    tfp_arena arena;
    TFP_VEC(tfp_str) texts;
    watch_journal_fn *fn;
    void *ctx;
} reading;

/* Fills a row. False: the record is damaged. */
static bool fill_row(const reading *r, const tfp_watch_schema *t, tfp_str record, void *row)
{
    if (record.size < 9) return false;
    uint64_t known = number_at(record.data + 1, 8);
    size_t at = 9;
    for (size_t i = 0; i < t->count; i++) {
        const tfp_table_column *c = &t->columns[i];
        if (!(known >> i & 1)) continue;
        if (record.size - at < 8) return false;
        uint64_t cell = number_at(record.data + at, 8);
        at += 8;
        if (c->type != TFP_CELL_TEXT) {
            memcpy((char *)row + c->offset, &cell, sizeof cell);
            continue;
        }
        if (cell >= r->texts.size) return false;
        memcpy((char *)row + c->offset, &r->texts.at[cell], sizeof(tfp_str));
    }
    return at == record.size;
}

static tfp_status take_record(reading *r, tfp_str record, bool *bad, tfp_error *err)
{
    union {
        tfp_watch_step step;
        tfp_watch_finding finding;
        tfp_watch_job job;
    } row;
    uint8_t kind = (uint8_t)*record.data;
    if (kind == TEXT_KIND) {
        tfp_str text = { record.data + 1, record.size - 1 };
        *bad = r->texts.size >= TEXTS_MOST;
        if (*bad) return TFP_OK;
        text.data = tfp_arena_copy(&r->arena, text);
        return text.data && tfp_push(&r->texts, text) ? TFP_OK : tfp_nomem(err);
    }
    if (kind == RESET_KIND) {
        r->texts.size = 1;
        tfp_arena_free(&r->arena);
        return TFP_OK;
    }
    *bad = kind >= TFP_WATCH_TABLES;
    if (*bad) return TFP_OK;
    tfp_watch_clear((tfp_watch_table_id)kind, &row);
    *bad = !fill_row(r, &tfp_watch_tables[kind], record, &row);
    return *bad ? TFP_OK : r->fn(r->ctx, (tfp_watch_table_id)kind, &row, err);
}

/* The next record, until the next call; no data: there is none, and *cut tells whether bytes are left. */
static tfp_status next_record(tfp_input *in, tfp_str *out, bool *cut, tfp_error *err)
{
    tfp_str head;
    *out = (tfp_str){ NULL, 0 };
    tfp_status s = tfp_input_peek(in, 8, &head, err);
    *cut = !s && head.size;
    if (s || head.size < 8) return s;
    size_t size = number_at(head.data, 4);
    uint32_t crc = (uint32_t)number_at(head.data + 4, 4);
    if (!size || size > RECORD_MOST) return TFP_OK;
    s = tfp_input_peek(in, 8 + size, &head, err);
    if (s || head.size < 8 + size || !tfp_checksum_fits(tfp_crc32c(0, head.data + 8, size), crc)) return s;
    *out = (tfp_str){ head.data + 8, size };
    return TFP_OK;
}

tfp_status watch_journal_open(int folder, const char *path, tfp_input *in, uint64_t *number, tfp_error *err)
{
    struct stat st;
    char head[HEAD];
    *in = (tfp_input){ .name = path, .fd = -1 };
    *number = 0;
    int fd = openat(folder, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0 && errno == ENOENT) return TFP_OK;
    if (fd < 0) return tfp_fail(err, TFP_BADFILE, "%s: cannot open: %s", path, strerror(errno));
    bool whole = !fstat(fd, &st) && S_ISREG(st.st_mode) && pread(fd, head, HEAD, 0) == HEAD;
    if (whole && !memcmp(head, MAGIC, 8)) {
        *number = number_at(head + 8, 8);
        return tfp_input_descriptor(in, path, fd, err);
    }
    close(fd);
    return TFP_OK;
}

tfp_status watch_journal_read(tfp_input *in, bool *cut, watch_journal_fn *fn, void *ctx, tfp_error *err)
{
    reading r = { .fn = fn, .ctx = ctx };
    tfp_str record;
    in->window = WINDOW;
    *cut = false;
    tfp_status s = tfp_input_peek(in, HEAD, &record, err);
    if (s) return s;
    if (record.size < HEAD || memcmp(record.data, MAGIC, 8) != 0)
        return tfp_fail(err, TFP_BADFILE, "not a journal of tfprof watch");
    s = tfp_input_skip(in, HEAD, err);
    if (!s && !tfp_push(&r.texts, TFP_STR(""))) s = tfp_nomem(err); /* the text with number 0 */
    while (!s && !(s = next_record(in, &record, cut, err)) && record.data) {
        bool bad = false;
        s = take_record(&r, record, &bad, err);
        if (bad) break;
        if (!s) s = tfp_input_skip(in, 8 + record.size, err);
    }
    tfp_vec_free(&r.texts);
    tfp_arena_free(&r.arena);
    return s;
}
