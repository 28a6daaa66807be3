// SPDX-License-Identifier: Apache-2.0
/* formats/weights/torch.c: files of torch.save and torch.jit.save (.pt, .pth, .bin: a ZIP archive with NAME/data.pkl;
 * before PyTorch 1.6 several pickles in a row) and of torch.export.save (.pt2). Only names, types and shapes are read,
 * no tensor's data; no class is loaded and nothing runs. Source: torch/serialization.py,
 * torch/export/pt2_archive/constants.py. */
#include "formats/weights/torch.h"

#define MACHINE_MOST ((uint64_t)256 << 20)
#define LEGACY                                                                                                         \
    "\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19." /* a pickle of the number 0x1950a86a20f9469cfc6c */
enum {
    LEGACY_SIZE = 15,
    LEGACY_BEFORE = 3 /* number of pickles before the values: the number above, a version, facts about the machine */
};

static bool is_legacy(tfp_str head) { return head.size >= LEGACY_SIZE && !memcmp(head.data, LEGACY, LEGACY_SIZE); }

static tfp_status read_pickle(tfp_builder *b, tfp_input *in, int before, tfp_error *err)
{
    tfp_pickle *m = tfp_pickle_new(MACHINE_MOST);
    tfp_pvalue root = 0;
    tfp_status s = m ? TFP_OK : tfp_nomem(err);
    for (int i = 0; i <= before && !s; i++) s = tfp_pickle_read(m, in, &root, err);
    if (!s) s = tfp_torch_add_values(b, m, root, err);
    tfp_pickle_free(m);
    return s;
}

static tfp_status read_entry(tfp_builder *b, const tfp_zip_entry *e, tfp_input *in, tfp_error *err)
{
    tfp_buf data = { 0 };
    tfp_input inner = { 0 };
    tfp_status s = tfp_zip_read(e, in, &data, err);
    if (!s) s = tfp_input_memory(&inner, in->name, data.data ? data.data : "", data.size, err);
    if (!s) s = tfp_within(err, read_pickle(b, &inner, 0, err), "%s", "data.pkl");
    tfp_input_close(&inner);
    tfp_buf_free(&data);
    return s;
}

static tfp_status read_archive(tfp_builder *b, tfp_input *in, tfp_error *err)
{
    tfp_zip z;
    tfp_status s = tfp_zip_open(&z, in, err);
    const tfp_zip_entry *values = s ? NULL : tfp_zip_find(&z, "/data.pkl");
    if (!s && tfp_torch_is_program(&z))
        s = tfp_torch_add_program(b, &z, in, err);
    else if (!s)
        s = values ? read_entry(b, values, in, err) : tfp_fail(err, TFP_BADFILE, "an archive without data.pkl");
    tfp_zip_free(&z);
    return s;
}

static tfp_status read_torch(tfp_builder *b, tfp_input *in, tfp_error *err)
{
    tfp_str head;
    tfp_status s = tfp_input_peek(in, LEGACY_SIZE, &head, err);
    if (s) return s;
    return is_legacy(head) ? read_pickle(b, in, LEGACY_BEFORE, err) : read_archive(b, in, err);
}

/* A ZIP file's directory is at the end, but its beginning has the names of the first files. */
static int probe(tfp_str head, uint64_t total)
{
    static const char *const parts[] = { "/data.pkl",
                                         "/data/weights/",
                                         "/archive_format",
                                         "/.format_version",
                                         "/code/__torch__",
                                         "/data/0",
                                         "serialized_exported_program.json" };
    (void)total;
    if (is_legacy(head)) return 95;
    if (!tfp_is_zip(head)) return 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (tfp_str_has(head, tfp_str_of(parts[i]))) return 90;
    return 0;
}

const tfp_format tfp_format_torch = {
    .name = "torch",
    .help =
        "weights of PyTorch: torch.save's .pt, .pth and .bin, and programs of torch.export (.pt2) with their operators",
    .probe = probe,
    .read = read_torch,
};
