// SPDX-License-Identifier: Apache-2.0
/* formats/json/inductor.c: what TorchInductor tells of the kernels that it made (kernel_information.json, with INDUCTOR_PROVENANCE=1): an
 * object of kernels, each with `stack_traces`, stacks as Python prints them. Newer files have a member for each call, NAME:NUMBER,
 * perhaps inside an object for each compiled region. Layout: torch/_inductor/debug.py. */
#include "formats/files/folder.h"
#include "formats/files/format.h"
#include "model/graphs/parts.h"
#include "wire/jsonscan.h"

typedef struct reader {
    tfp_builder *b;
    tfp_buf name, text;
    bool wrong; /* something that no such file has */
} reader;

static tfp_str plain(tfp_buf *room, const tfp_jscan_text *t)
{
    if (!t->escaped) return t->raw;
    room->size = 0;
    tfp_jscan_decode(t->raw, room);
    return (tfp_str){ room->data ? room->data : "", room->size };
}

/* The first of the stacks. */
static tfp_kernel_line line_of(reader *r, tfp_jscan *j)
{
    tfp_kernel_line line = { 0, TFP_NONE };
    tfp_jscan_value v;
    if (tfp_jscan_peek(j) != '[') {
        tfp_jscan_skip(j);
        return line;
    }
    j->at++;
    for (bool first = true; tfp_jscan_item(j, first); first = false) {
        tfp_jscan_value_of(j, &v);
        if (j->fault || !first || v.kind != TFP_JSCAN_STRING) continue;
        line = tfp_line_of_traceback(r->b, plain(&r->text, &v.text));
    }
    return line;
}

/* "triton_poi_fused_add_0:3" is a call of the kernel before the colon. */
static void add_kernel(reader *r, tfp_str key, tfp_kernel_line line)
{
    const char *colon = key.size ? memchr(key.data, ':', key.size) : NULL;
    tfp_str name = { key.data, colon ? (size_t)(colon - key.data) : key.size };
    if (!tfp_str_begins(name, TFP_STR("extern_kernels."))) tfp_build_kernel_line(r->b, name, line);
}

/* A kernel's object, or that of a region: its members are kernels. */
static void read_object(reader *r, tfp_jscan *j, tfp_str key, bool region)
{
    tfp_jscan_text member;
    tfp_kernel_line line = { 0, TFP_NONE };
    bool stacks = false, any = false;
    if (tfp_jscan_peek(j) != '{') {
        r->wrong = true;
        tfp_jscan_skip(j);
        return;
    }
    j->at++;
    for (bool first = true; tfp_jscan_member(j, first, &member) && !r->b->status; first = false) {
        any = true;
        if (tfp_str_eq(member.raw, TFP_STR("stack_traces"))) {
            stacks = true;
            line = line_of(r, j);
        } else if (region && tfp_jscan_peek(j) == '{') {
            tfp_buf name = { 0 };
            read_object(r, j, plain(&name, &member), false);
            tfp_buf_free(&name);
        } else {
            r->wrong |= region && !stacks && tfp_jscan_peek(j) != '[';
            tfp_jscan_skip(j);
        }
    }
    if (stacks || (!region && any)) add_kernel(r, key, line);
}

static tfp_status read_kernels(tfp_builder *b, tfp_input *in, tfp_error *err)
{
    reader r = { .b = b };
    tfp_str all;
    tfp_jscan_text key;
    tfp_status s = tfp_input_peek(in, in->total, &all, err);
    if (s) return s;
    tfp_jscan j = tfp_jscan_start(all);
    r.wrong = tfp_jscan_peek(&j) != '{';
    if (!r.wrong) j.at++;
    for (bool first = true; !r.wrong && !b->status && tfp_jscan_member(&j, first, &key); first = false)
        read_object(&r, &j, plain(&r.name, &key), true);
    bool failed = r.name.failed || r.text.failed;
    tfp_buf_free(&r.name);
    tfp_buf_free(&r.text);
    if (failed) return tfp_nomem(err);
    if (r.wrong || j.fault)
        return tfp_fail(err, TFP_BADFILE, "not what Inductor tells of its kernels (kernel_information.json)");
    b->p->events->joined_events = SIZE_MAX; /* so that events that were joined without these kernels are joined again */
    return tfp_builder_status(b, err);
}

static tfp_status list_kernels(const char *path, tfp_buf *paths, tfp_error *err)
{
    char file[TFP_PATH_ROOM];
    if (!tfp_path_join(file, path, "kernel_information.json") || !tfp_exists(file))
        return tfp_fail(err, TFP_BADFILE, "is a folder without kernel_information.json");
    tfp_buf_add(paths, file, strlen(file) + 1);
    return paths->failed ? tfp_nomem(err) : TFP_OK;
}

const tfp_format tfp_format_inductor = {
    .name = "inductor",
    .help = "kernel_information.json of TorchInductor, or a folder with one: the lines of the kernels that it made",
    .read = read_kernels,
    .stands = TFP_FORMAT_IS(SEVERAL) | TFP_FORMAT_IS(PART),
    .list = list_kernels,
};
