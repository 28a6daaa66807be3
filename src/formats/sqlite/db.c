// SPDX-License-Identifier: Apache-2.0
/* formats/sqlite/db.c: opens SQLite files and reads the rows of their tables. */
#include "formats/sqlite/db.h"

#include <ctype.h>
#include <stdio.h>
#include <strings.h>

#define IS_VIEW 0 /* in place of a table's first page */

#define NAME_MOST 200 /* most bytes of a table's name */
#define ROW_BYTES 4   /* least bytes of a row: a pointer, and two numbers in its cell */
#define WORK 8        /* how many times a file's bytes may be read: several tables refer to the same names */
#define MEMORY_MOST ((uint64_t)256 << 20) /* limit for files that are not read from a disk */

static tfp_status failed(const tfp_db *d, int rc, tfp_error *err)
{
    if (rc == SQLITE_NOMEM) return tfp_nomem(err);
    return tfp_fail(err, TFP_BADFILE, "a damaged SQLite file: %s", d->db ? d->api->errmsg(d->db) : "it does not open");
}

/* Opens the file that the input has open: its name may be a link, or may be gone. */
static int open_file(tfp_db *d, const tfp_input *in)
{
    char uri[80];
    snprintf(uri, sizeof uri, "file:/proc/self/fd/%d?immutable=1&mode=ro", in->fd);
    return d->api->open_v2(uri, &d->db, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, NULL);
}

static tfp_status open_memory(tfp_db *d, tfp_input *in, tfp_error *err)
{
    tfp_str all;
    if (in->total > MEMORY_MOST)
        return tfp_fail(err, TFP_LIMIT, "a SQLite file of more than 256 MB must be a plain file");
    tfp_status s = tfp_input_all(in, &all, err);
    if (s) return s;
    d->bytes = malloc(all.size + 1);
    if (!d->bytes) return tfp_nomem(err);
    memcpy(d->bytes, all.data, all.size);
    if (all.size > 19) d->bytes[18] = d->bytes[19] = 1; /* clears write-ahead mode, which would need a second file */
    int rc =
        d->api->open_v2(":memory:", &d->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY | SQLITE_OPEN_NOMUTEX, NULL);
    if (!rc)
        rc = d->api->deserialize(d->db, "main", (unsigned char *)d->bytes, (sqlite3_int64)all.size,
                                 (sqlite3_int64)all.size, SQLITE_DESERIALIZE_READONLY);
    return rc ? failed(d, rc, err) : TFP_OK;
}

/* Lists tables and views. Virtual tables run code, so they are left out. */
static tfp_status note_tables(tfp_db *d, tfp_error *err)
{
    sqlite3_stmt *st = NULL;
    bool ok = true;
    int rc = d->api->prepare_v2(d->db,
                                "SELECT name, iif(type = 'view', 0, rootpage) FROM sqlite_master WHERE (type = 'table' "
                                "AND rootpage > 0) OR type = 'view'",
                                -1, &st, NULL);
    while (!rc && ok && d->api->step(st) == SQLITE_ROW) {
        const void *name = d->api->column_text(st, 0);
        if (!name) continue;
        uint64_t key = tfp_hash(name, (size_t)d->api->column_bytes(st, 0));
        ok = tfp_map64_put(&d->tables, key, (uint32_t)d->api->column_int64(st, 1));
    }
    int end = d->api->finalize(st);
    if (!rc) rc = end;
    if (!ok) return tfp_nomem(err);
    return rc ? failed(d, rc, err) : TFP_OK;
}

tfp_status tfp_db_open(tfp_db *d, tfp_input *in, tfp_error *err)
{
    *d = (tfp_db){ 0 };
    tfp_status s = sql_api_load(&d->api, err);
    if (s) return s;
    if (in->fd >= 0 && !in->packed && in->stored == in->total) {
        int rc = open_file(d, in);
        if (rc) s = failed(d, rc, err);
    } else {
        s = open_memory(d, in, err);
    }
    if (s) return s;
    int was;
    d->api->db_config(d->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, &was);
    d->api->db_config(d->db, SQLITE_DBCONFIG_DEFENSIVE, 1, &was);
    d->api->limit(d->db, SQLITE_LIMIT_LENGTH, 64 << 20);
    d->left = in->total * WORK;
    d->has_pages = tfp_pages_open(&d->pages, in->fd, (tfp_str){ d->bytes, in->total }, in->total, &d->left);
    return note_tables(d, err);
}

void tfp_db_close(tfp_db *d)
{
    if (d->db) d->api->close(d->db);
    tfp_pages_close(&d->pages);
    free(d->bytes);
    tfp_map64_free(&d->tables);
    *d = (tfp_db){ 0 };
}

static uint64_t key_of(const char *name) { return tfp_hash(name, strlen(name)); }

bool tfp_db_has(const tfp_db *d, const char *table)
{
    uint32_t root = tfp_map64_get(&d->tables, key_of(table));
    return root != TFP_NONE && root != IS_VIEW;
}

bool tfp_db_has_view(const tfp_db *d, const char *view) { return tfp_map64_get(&d->tables, key_of(view)) == IS_VIEW; }

void tfp_db_latest(const tfp_db *d, const char *table, char *name, size_t size)
{
    for (int version = 9; version > 1; version--) {
        snprintf(name, size, "%s_V%d", table, version);
        if (tfp_db_has(d, name)) return;
    }
    snprintf(name, size, "%s", table);
}

static bool is_plain(const char *s)
{
    while (*s && (isalnum((unsigned char)*s) || *s == '_')) s++;
    return !*s;
}

tfp_status tfp_db_endings(const tfp_db *d, const char *prefix, tfp_buf *out, tfp_error *err)
{
    sqlite3_stmt *st = NULL;
    size_t size = strlen(prefix);
    int rc = d->api->prepare_v2(d->db, "SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage > 0", -1, &st,
                                NULL);
    while (!rc && d->api->step(st) == SQLITE_ROW) {
        const char *name = (const char *)d->api->column_text(st, 0);
        if (!name || strncmp(name, prefix, size) != 0 || !is_plain(name) || strlen(name) > NAME_MOST) continue;
        tfp_buf_add(out, name + size, strlen(name) - size + 1);
    }
    int end = d->api->finalize(st);
    if (!rc) rc = end;
    if (rc) return failed(d, rc, err);
    return out->failed ? tfp_nomem(err) : TFP_OK;
}

static bool has_column(const tfp_db *d, const char *table, const char *column)
{
    char sql[256];
    sqlite3_stmt *st = NULL;
    /* not in double quotes: SQLite would take an unknown name in them as a string */
    snprintf(sql, sizeof sql, "SELECT [%s] FROM [%s]", column, table);
    bool found = !d->api->prepare_v2(d->db, sql, -1, &st, NULL);
    d->api->finalize(st);
    return found;
}

/* ---- rows ---- */

enum { NAME = 1, TYPE, DEFAULT = 4, PRIMARY, HIDDEN }; /* columns of the pragma table_xinfo */

/* Whether SQLite makes another number of a stored one. */
static bool is_real(const char *type)
{
    tfp_str s = tfp_str_of(type);
    return tfp_str_has_caseless(s, TFP_STR("REAL")) || tfp_str_has_caseless(s, TFP_STR("FLOA")) ||
           tfp_str_has_caseless(s, TFP_STR("DOUB"));
}

/* Notes the position of a column among the wanted ones; false: its values are not what is stored. */
static bool place_column(tfp_db_rows *r, const char *names, sqlite3_stmt *info, int position, bool *key)
{
    const sql_api *api = r->db->api;
    tfp_leaves *l = &r->leaves;
    const char *name = (const char *)api->column_text(info, NAME), *type = (const char *)api->column_text(info, TYPE);
    int wanted = 0;
    bool plain = api->column_type(info, DEFAULT) == SQLITE_NULL && type && !is_real(type);
    if (!name || api->column_int64(info, HIDDEN)) return false;
    for (; *names && wanted < r->count; names += strcspn(names, " "), names += *names == ' ', wanted++) {
        if (strlen(name) != strcspn(names, " ") || strncasecmp(name, names, strlen(name)) != 0) continue;
        if (!plain || position >= TFP_LEAF_POSITIONS) return false;
        if (!l->slot[position]) l->slot[position] = (uint8_t)(wanted + 1);
        r->value[wanted] = (uint8_t)(l->slot[position] - 1);
        r->placed |= 1u << wanted;
        l->positions = position + 1;
        if (api->column_int64(info, PRIMARY) && strcasecmp(type, "INTEGER") == 0) l->rowid = r->value[wanted];
    }
    if (api->column_int64(info, PRIMARY)) l->rowid = *key ? -1 : l->rowid, *key = true;
    return true;
}

/* Prepares to read the table's rows from its pages; false: SQLite must read them. */
static bool start_direct(tfp_db_rows *r, const char *table, const char *names)
{
    char sql[256];
    sqlite3_stmt *info = NULL;
    const sql_api *api = r->db->api;
    bool plain = r->db->has_pages, key = false;
    snprintf(sql, sizeof sql, "PRAGMA table_xinfo([%s])", table);
    plain = plain && !api->prepare_v2(r->db->db, sql, -1, &info, NULL);
    r->leaves.rowid = -1;
    for (int i = 0; plain && api->step(info) == SQLITE_ROW; i++) plain = place_column(r, names, info, i, &key);
    api->finalize(info);
    plain = plain && r->placed == r->have &&
            tfp_leaves_start(&r->leaves, &r->db->pages, tfp_map64_get(&r->db->tables, key_of(table)));
    r->db->has_pages &= !plain; /* one table at a time */
    return plain;
}

tfp_status tfp_db_start(tfp_db_rows *r, tfp_db *d, const char *table, const char *columns, tfp_error *err)
{
    char names[256], sql[1024] = "SELECT ", *rest = NULL;
    size_t at = strlen(sql);
    *r = (tfp_db_rows){ .db = d };
    if (!tfp_db_has(d, table)) return TFP_OK;
    snprintf(names, sizeof names, "%s", columns);
    for (char *name = strtok_r(names, " ", &rest); name && r->count < TFP_DB_COLUMNS;
         name = strtok_r(NULL, " ", &rest)) {
        bool have = has_column(d, table, name);
        r->have |= (unsigned)have << r->count;
        at += (size_t)snprintf(sql + at, sizeof sql - at, have ? "%s[%s]" : "%sNULL", r->count ? ", " : "", name);
        r->count++;
    }
    snprintf(sql + at, sizeof sql - at, " FROM [%s]", table);
    int rc = d->api->prepare_v2(d->db, sql, -1, &r->statement, NULL);
    if (rc) return tfp_within(err, failed(d, rc, err), "table %s", table);
    r->direct = start_direct(r, table, columns);
    return TFP_OK;
}

/* Counts bytes that were read. False when there were more than the file can have. */
static bool spend(tfp_db *d, uint64_t bytes)
{
    if (d->left < bytes) return d->left = 0, false;
    d->left -= bytes;
    return true;
}

bool tfp_db_next(tfp_db_rows *r)
{
    if (!r->statement || !spend(r->db, ROW_BYTES)) return false;
    return r->direct ? tfp_leaves_next(&r->leaves) : r->db->api->step(r->statement) == SQLITE_ROW;
}

tfp_status tfp_db_end(tfp_db_rows *r, tfp_status s, tfp_error *err)
{
    if (!r->statement) return s;
    int rc = r->db->api->finalize(r->statement);
    tfp_leaf_state state = r->direct ? r->leaves.state : TFP_LEAF_END;
    r->statement = NULL;
    r->db->has_pages |= r->direct;
    tfp_leaves_free(&r->leaves);
    if (!s && !rc && !r->db->left)
        return tfp_fail(err, TFP_BADFILE, "a damaged SQLite file: pages are in it many times");
    if (!s && state == TFP_LEAF_NOMEM) return tfp_nomem(err);
    if (!s && state == TFP_LEAF_BAD)
        return tfp_fail(err, TFP_BADFILE, "a damaged SQLite file: database disk image is malformed");
    return s || !rc ? s : failed(r->db, rc, err);
}

/* The value of a column; NULL: SQLite has it. */
static const tfp_leaf_value *value_of(const tfp_db_rows *r, int i)
{
    static const tfp_leaf_value missing = { 0 };
    if (!r->direct) return NULL;
    return r->have >> i & 1 ? &r->leaves.values[r->value[i]] : &missing;
}

bool tfp_db_int(const tfp_db_rows *r, int i, int64_t *out)
{
    tfp_str text;
    const tfp_leaf_value *v = value_of(r, i);
    bool is_int = v ? tfp_leaf_is_int(v) : r->db->api->column_type(r->statement, i) == SQLITE_INTEGER;
    *out = 0;
    if (is_int) *out = v ? tfp_leaf_int(v) : r->db->api->column_int64(r->statement, i);
    if (is_int) return true;
    return tfp_db_text(r, i, &text) && tfp_parse_int64(text, out);
}

int64_t tfp_db_number(const tfp_db_rows *r, int i)
{
    int64_t n;
    tfp_db_int(r, i, &n);
    return n;
}

bool tfp_db_text(const tfp_db_rows *r, int i, tfp_str *out)
{
    const tfp_leaf_value *v = value_of(r, i);
    *out = TFP_STR("");
    if (v && !tfp_leaf_is_text(v)) return false;
    if (v && !spend(r->db, tfp_leaf_size(v))) return false;
    if (v) return *out = (tfp_str){ (const char *)v->at, tfp_leaf_size(v) }, true;
    if (r->db->api->column_type(r->statement, i) != SQLITE_TEXT) return false;
    if (!spend(r->db, (uint64_t)r->db->api->column_bytes(r->statement, i))) return false;
    const void *text = r->db->api->column_text(r->statement, i);
    if (text) *out = (tfp_str){ text, (size_t)r->db->api->column_bytes(r->statement, i) };
    return text != NULL;
}
