// SPDX-License-Identifier: Apache-2.0
/* formats/weights/safetensors.c: files of weights in safetensors: one file, an index of several beside it, or their
 * folder. Only the header is read: names, types, shapes and offsets of the tensors. Layout:
 * github.com/huggingface/safetensors (README). */
#include "formats/files/folder.h"
#include "formats/weights/weights.h"
#include "model/builder.h"
#include "model/tables/profile.h"
#include "wire/pickle.h"

#include <stdio.h>

#define HEADER_MOST ((uint64_t)100 << 20) /* the limit of the format's own library */
enum { DIMS_MOST = 64 };

typedef struct reader {
    tfp_builder *b;
    tfp_pickle *m;
    uint64_t data_bytes; /* bytes after the header */
    tfp_map64 *wanted;   /* hashes of the names that an index lists; NULL: there is no index, so all tensors count */
} reader;

static tfp_status fail(tfp_error *err, tfp_str name, const char *what)
{
    return tfp_fail(err, TFP_BADFILE, "tensor %.*s: %s", (int)(name.size < 200 ? name.size : 200), name.data, what);
}

/* Bits of a type: "F8_E4M3" has 8, "I64" 64, "BOOL" 8; 0: unknown. */
static unsigned bits_of(tfp_str type)
{
    unsigned n = 0;
    if (tfp_str_eq(type, TFP_STR("BOOL"))) return 8;
    for (size_t i = 0; i < type.size && type.data[i] != '_' && n < 1000; i++)
        if (type.data[i] >= '0' && type.data[i] <= '9') n = n * 10 + (unsigned)(type.data[i] - '0');
    return n;
}

static tfp_status read_tensor(reader *r, tfp_str name, tfp_pvalue v, tfp_error *err)
{
    int64_t dims[DIMS_MOST], from = 0, to = 0, elements;
    tfp_pvalue shape = tfp_pickle_named(r->m, v, "shape"), place = tfp_pickle_named(r->m, v, "data_offsets");
    tfp_weight_row row = { .name = name, .dims = dims, .dim_count = tfp_pickle_count(r->m, shape) };
    if (tfp_pickle_kind_of(shape) != TFP_PICKLE_LIST || row.dim_count > DIMS_MOST) return fail(err, name, "no shape");
    for (size_t i = 0; i < row.dim_count; i++)
        if (!tfp_pickle_int(r->m, tfp_pickle_item(r->m, shape, i), &dims[i])) return fail(err, name, "no shape");
    if (!tfp_pickle_text(r->m, tfp_pickle_named(r->m, v, "dtype"), &row.type)) return fail(err, name, "no dtype");
    if (!tfp_pickle_int(r->m, tfp_pickle_item(r->m, place, 0), &from) ||
        !tfp_pickle_int(r->m, tfp_pickle_item(r->m, place, 1), &to) || from < 0 || to < from)
        return fail(err, name, "no data_offsets");
    if ((uint64_t)to > r->data_bytes) return fail(err, name, "its bytes are past the end of the file: it is cut short");
    row.bytes = to - from;
    unsigned bits = bits_of(row.type);
    if (!tfp_weight_elements(dims, row.dim_count, &elements) || (bits && tfp_mul(elements, bits, NULL) / 8 > row.bytes))
        return fail(err, name, "its shape needs more bytes than it has");
    return tfp_weight_add(r->b, &row, err);
}

static tfp_status read_header(reader *r, tfp_input *in, tfp_error *err)
{
    tfp_str head;
    tfp_pvalue root = 0;
    tfp_status s = tfp_input_peek(in, 8, &head, err);
    uint64_t size = 0;
    for (size_t i = 8; !s && i-- > 0 && head.size >= 8;) size = size << 8 | (unsigned char)head.data[i];
    if (!s && (head.size < 8 || size > tfp_input_left(in) - 8 || size > HEADER_MOST))
        s = tfp_fail(err, TFP_BADFILE, "cut short: its header is longer than the file");
    if (!s) s = tfp_input_skip(in, 8, err);
    if (!s) s = tfp_input_peek(in, (size_t)size, &head, err);
    if (!s && head.size < size) s = tfp_fail(err, TFP_BADFILE, "cut short in its header");
    if (!s) s = tfp_pickle_read_json(r->m, (tfp_str){ head.data, (size_t)size }, &root, err);
    r->data_bytes = s ? 0 : tfp_input_left(in) - size;
    for (size_t i = 0; !s && i < tfp_pickle_pairs(r->m, root); i++) {
        tfp_str name;
        tfp_pvalue key = tfp_pickle_key(r->m, root, i);
        if (!tfp_pickle_text(r->m, key, &name) || tfp_str_eq(name, TFP_STR("__metadata__"))) continue;
        if (!r->wanted || tfp_map64_get(r->wanted, tfp_hash(name.data, name.size)) != TFP_NONE)
            s = read_tensor(r, name, tfp_pickle_value(r->m, root, i), err);
    }
    return s;
}

static tfp_status read_one(tfp_builder *b, tfp_input *in, tfp_map64 *wanted, tfp_error *err)
{
    reader r = { .b = b, .m = tfp_pickle_new(0), .wanted = wanted };
    tfp_status s = r.m ? read_header(&r, in, err) : tfp_nomem(err);
    tfp_pickle_free(r.m);
    return s;
}

/* ---- an index: {"weight_map": {TENSOR: FILE}} ---- */

static bool is_safe(tfp_str name)
{
    return name.size && name.size < 256 && !memchr(name.data, '/', name.size) && !memchr(name.data, 0, name.size) &&
           !tfp_str_has(name, TFP_STR(".."));
}

static tfp_status read_shard(tfp_builder *b, const char *index, tfp_str file, tfp_map64 *wanted, tfp_error *err)
{
    char path[TFP_PATH_ROOM], name[256];
    const char *slash = strrchr(index, '/');
    tfp_input in = { 0 };
    snprintf(name, sizeof name, "%.*s", (int)file.size, file.data);
    int size = snprintf(path, sizeof path, "%.*s%s", slash ? (int)(slash + 1 - index) : 0, index, name);
    if (size < 0 || (size_t)size >= sizeof path) return tfp_fail(err, TFP_BADFILE, "a path that is too long");
    tfp_status s = tfp_input_open(&in, path, err);
    if (!s) s = tfp_input_check_size(&in, err);
    if (!s) s = read_one(b, &in, wanted, err);
    tfp_input_close(&in);
    return tfp_within(err, s, "%s", name);
}

static tfp_status read_map(tfp_builder *b, tfp_pickle *m, tfp_pvalue map, const char *path, tfp_error *err)
{
    tfp_map64 wanted = { 0 }, seen = { 0 };
    tfp_status s = TFP_OK;
    for (size_t i = 0; !s && i < tfp_pickle_pairs(m, map); i++) {
        tfp_str name, file;
        if (!tfp_pickle_text(m, tfp_pickle_key(m, map, i), &name) ||
            !tfp_pickle_text(m, tfp_pickle_value(m, map, i), &file))
            s = tfp_fail(err, TFP_BADFILE, "its `weight_map` has a name that is no text");
        else if (!is_safe(file))
            s = tfp_fail(err, TFP_BADFILE, "it names a file that is not beside it");
        else if (!tfp_map64_put(&wanted, tfp_hash(name.data, name.size), 1))
            s = tfp_nomem(err);
    }
    for (size_t i = 0; !s && i < tfp_pickle_pairs(m, map); i++) {
        tfp_str file;
        tfp_pvalue v = tfp_pickle_value(m, map, i);
        if (tfp_map64_get(&seen, v) != TFP_NONE || !tfp_pickle_text(m, v, &file)) continue;
        s = tfp_map64_put(&seen, v, 1) ? read_shard(b, path, file, &wanted, err) : tfp_nomem(err);
    }
    if (!s && b->p->weights->size < tfp_pickle_pairs(m, map))
        s = tfp_fail(err, TFP_BADFILE, "it names tensors that its files do not have");
    tfp_map64_free(&wanted);
    tfp_map64_free(&seen);
    return s;
}

static tfp_status read_index(tfp_builder *b, tfp_input *in, tfp_error *err)
{
    tfp_pickle *m = tfp_pickle_new(0);
    tfp_str text;
    tfp_pvalue root = 0;
    tfp_status s = m ? tfp_input_all(in, &text, err) : tfp_nomem(err);
    if (!s) s = tfp_pickle_read_json(m, text, &root, err);
    tfp_pvalue map = s ? 0 : tfp_pickle_named(m, root, "weight_map");
    if (!s && tfp_pickle_kind_of(map) != TFP_PICKLE_DICT)
        s = tfp_fail(err, TFP_BADFILE, "an index without `weight_map`");
    if (!s) s = read_map(b, m, map, in->name, err);
    tfp_pickle_free(m);
    return s;
}

static tfp_status read_safetensors(tfp_builder *b, tfp_input *in, tfp_error *err)
{
    tfp_str head;
    tfp_status s = tfp_input_peek(in, 16, &head, err);
    if (s) return s;
    return head.size && head.data[0] == '{' ? read_index(b, in, err) : read_one(b, in, NULL, err);
}

static int probe(tfp_str head, uint64_t total)
{
    uint64_t size = 0;
    if (head.size && head.data[0] == '{' && tfp_str_has(head, TFP_STR("\"weight_map\""))) return 90;
    if (head.size < 10 || head.data[8] != '{') return 0;
    for (size_t i = 8; i-- > 0;) size = size << 8 | (unsigned char)head.data[i];
    bool told = tfp_str_has(head, TFP_STR("\"data_offsets\"")) || tfp_str_has(head, TFP_STR("\"__metadata__\""));
    return told && (size < HEADER_MOST || size > total) ? 90 : 0;
}

/* ---- a folder ---- */

static bool pick(const char *path, const char *ending, bool all, tfp_buf *paths)
{
    tfp_names names = { 0 };
    char file[TFP_PATH_ROOM];
    bool found = false;
    bool ok = tfp_names_of(path, &names);
    for (size_t i = 0; ok && i < names.size && (all || !found); i++) {
        if (!tfp_name_ends(names.at[i], ending) || !tfp_path_join(file, path, names.at[i])) continue;
        found = true;
        if (paths) tfp_buf_add(paths, file, strlen(file) + 1);
    }
    tfp_names_free(&names);
    return found;
}

static tfp_status list_folder(const char *path, tfp_buf *paths, tfp_error *err)
{
    if (!pick(path, ".safetensors.index.json", false, paths) && !pick(path, ".safetensors", true, paths))
        return tfp_fail(err, TFP_BADFILE, "is a folder without files of weights");
    return paths->failed ? tfp_nomem(err) : TFP_OK;
}

static bool is_folder(const char *path) { return tfp_is_folder(path) && pick(path, ".safetensors", false, NULL); }

const tfp_format tfp_format_safetensors = {
    .name = "safetensors",
    .help = "weights in safetensors: a file, the index of several (NAME.safetensors.index.json), or their folder",
    .probe = probe,
    .read = read_safetensors,
    .probe_path = is_folder,
    .list = list_folder,
};
