// SPDX-License-Identifier: Apache-2.0
/* formats/json/inductor.c: the sources of kernels that TorchInductor generated, written with INDUCTOR_PROVENANCE=1.
 * kernel_information.json is an object with one member per kernel. The member is an array of stacks, as Python prints
 * them, or an object with this array in `stack_traces`. In newer files a member is a call of a kernel, NAME:NUMBER; in
 * some files the calls of each compiled region are in an object of their own. Without AOTInductor the same text is an
 * artifact in the log of TORCH_TRACE. The call stacks of captured nodes that PyTorch's dump_kernel_py_stacks writes are
 * read as well. Layout: torch/_inductor/debug.py, compile_fx.py; torch/_logging/_internal.py;
 * torch/cuda/_graph_annotations.py. */
#include "formats/files/folder.h"
#include "formats/files/format.h"
#include "model/graphs/parts.h"
#include "model/tables/profile.h"
#include "wire/jsonscan.h"

typedef struct reader {
    tfp_builder *b;
    tfp_buf name, text;
    bool wrong; /* the file has something that such files never have */
} reader;

static tfp_str plain(tfp_buf *room, const tfp_jscan_text *t)
{
    if (!t->escaped) return t->raw;
    room->size = 0;
    tfp_jscan_decode(t->raw, room);
    return (tfp_str){ room->data ? room->data : "", room->size };
}

/* The source line in the first of the stacks. */
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

/* Adds a kernel: "triton_poi_fused_add_0:3" is a call of the kernel before the colon. */
static void add_kernel(reader *r, tfp_str key, tfp_kernel_line line)
{
    const char *colon = key.size ? memchr(key.data, ':', key.size) : NULL;
    tfp_str name = { key.data, colon ? (size_t)(colon - key.data) : key.size };
    if (!tfp_str_begins(name, TFP_STR("extern_kernels."))) tfp_build_kernel_line(r->b, name, line);
}

/* Reads an array of stacks that is not inside an object; false: it is something else. */
static bool read_stacks(reader *r, tfp_jscan *j, tfp_str key)
{
    const char *from = j->at;
    bool array = tfp_jscan_peek(j) == '[';
    tfp_kernel_line line = line_of(r, j);
    bool told = array && tfp_str_has((tfp_str){ from, (size_t)(j->at - from) }, TFP_STR("File \\\""));
    if (told) add_kernel(r, key, line);
    return told || (array && j->at - from <= 4); /* a kernel whose stack is not known has [] */
}

/* Reads a call stack of PyTorch's dump_kernel_py_stacks: the key is the number of a graph's node, the text has a line
 * FILE:LINE:FUNCTION for each frame, the innermost first. */
static void read_node(reader *r, tfp_str key, tfp_str frames)
{
    int64_t node;
    tfp_buf stack = { 0 };
    if (!tfp_parse_int64(key, &node) || node <= 0) {
        r->wrong = true;
        return;
    }
    while (frames.size) {
        size_t from = frames.size, colon, line;
        while (from && frames.data[from - 1] != '\n') from--;
        tfp_str one = { frames.data + from, frames.size - from };
        frames.size = from ? from - 1 : 0;
        for (colon = one.size; colon && one.data[colon - 1] != ':';) colon--;
        for (line = colon ? colon - 1 : 0; line && one.data[line - 1] != ':';) line--;
        if (!line) continue;
        tfp_buf_text(&stack, "  File \"");
        tfp_buf_str(&stack, (tfp_str){ one.data, line - 1 });
        tfp_buf_text(&stack, "\", line ");
        tfp_buf_str(&stack, (tfp_str){ one.data + line, colon - 1 - line });
        tfp_buf_text(&stack, ", in ");
        tfp_buf_str(&stack, (tfp_str){ one.data + colon, one.size - colon });
        tfp_buf_char(&stack, '\n');
    }
    r->text.failed |= stack.failed;
    if (!stack.failed && stack.size)
        tfp_build_node_line(r->b, (uint64_t)node, tfp_line_of_traceback(r->b, (tfp_str){ stack.data, stack.size }));
    tfp_buf_free(&stack);
}

/* Reads an object: that of a kernel, or that of a region, whose members are kernels. */
static void read_object(reader *r, tfp_jscan *j, tfp_str key, bool region)
{
    tfp_jscan_text member;
    tfp_kernel_line line = { 0, TFP_NONE };
    bool stacks = false, any = false;
    if (tfp_jscan_peek(j) != '{') {
        r->wrong |= !read_stacks(r, j, key);
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
        } else if (region && tfp_jscan_peek(j) == '[') {
            tfp_buf name = { 0 };
            read_stacks(r, j, plain(&name, &member));
            tfp_buf_free(&name);
        } else {
            r->wrong |= region && !stacks && tfp_jscan_peek(j) != '[';
            tfp_jscan_skip(j);
        }
    }
    if (stacks || (!region && any)) add_kernel(r, key, line);
}

static void read_json(reader *r, tfp_str text)
{
    tfp_jscan_text key;
    tfp_jscan j = tfp_jscan_start(text);
    r->wrong |= tfp_jscan_peek(&j) != '{';
    if (!r->wrong) j.at++;
    for (bool first = true; !r->wrong && !r->b->status && tfp_jscan_member(&j, first, &key); first = false) {
        tfp_jscan_text frames;
        tfp_str name = plain(&r->name, &key);
        if (tfp_jscan_peek(&j) != '"')
            read_object(r, &j, name, true);
        else if (tfp_jscan_string(&j, &frames))
            read_node(r, name, plain(&r->text, &frames));
    }
    r->wrong |= j.fault != 0;
}

/* ---- the log of TORCH_TRACE ---- */

/* Whether it is a log: "V1124 13:51:49.320000 PID FILE:LINE] {...}" begins with a letter and the date. */
static bool is_log(tfp_str all)
{
    bool head = all.size > 6 && memchr("VDIWE", all.data[0], 5) && all.data[5] == ' ';
    for (size_t i = 1; head && i < 5; i++) head = all.data[i] >= '0' && all.data[i] <= '9';
    return head;
}

/* Takes the payload of an artifact: the lines after it that begin with a tab. */
static tfp_str payload_of(tfp_str *rest)
{
    tfp_str payload = { rest->data, 0 };
    while (rest->size && *rest->data == '\t') {
        tfp_str_cut_line(rest);
        payload.size = (size_t)(rest->data - payload.data);
    }
    return payload;
}

static void read_log(reader *r, tfp_str all)
{
    bool any = false;
    while (all.size && !r->b->status && !r->wrong) {
        tfp_str line = tfp_str_cut_line(&all);
        if (!tfp_str_has(line, TFP_STR("\"inductor_provenance_tracking_kernel_stack_traces\""))) continue;
        tfp_str payload = payload_of(&all);
        if (payload.size) read_json(r, payload);
        any = true;
    }
    if (!any)
        tfp_build_warn(r->b, "no stacks of kernels in the log of TORCH_TRACE: was INDUCTOR_PROVENANCE=1 set?",
                       TFP_STR(""));
}

static tfp_status read_kernels(tfp_builder *b, tfp_input *in, tfp_error *err)
{
    reader r = { .b = b };
    tfp_str all;
    tfp_status s = tfp_input_peek(in, in->total, &all, err);
    if (s) return s;
    if (is_log(all))
        read_log(&r, all);
    else
        read_json(&r, all);
    bool failed = r.name.failed || r.text.failed;
    tfp_buf_free(&r.name);
    tfp_buf_free(&r.text);
    if (failed) return tfp_nomem(err);
    if (r.wrong)
        return tfp_fail(err, TFP_BADFILE,
                        "not Inductor's description of its kernels (kernel_information.json, or a log of TORCH_TRACE)");
    b->p->events->joined_events =
        SIZE_MAX; /* events that were already joined without these kernels must be joined again */
    return tfp_builder_status(b, err);
}

static bool is_listed(const char *name)
{
    tfp_str text = tfp_str_of(name);
    if (tfp_name_ends(name, ".log")) return tfp_str_has(text, TFP_STR("torch_trace"));
    /* the artifact as tlparse extracts it from the log */
    return tfp_name_ends(name, ".json") && tfp_str_has(text, TFP_STR("kernel_stack_traces"));
}

/* Lists kernel_information.json, or else the logs of TORCH_TRACE in the folder. */
static tfp_status list_kernels(const char *path, tfp_buf *paths, tfp_error *err)
{
    char file[TFP_PATH_ROOM];
    tfp_names names = { 0 };
    if (tfp_path_join(file, path, "kernel_information.json") && tfp_exists(file)) {
        tfp_buf_add(paths, file, strlen(file) + 1);
        return paths->failed ? tfp_nomem(err) : TFP_OK;
    }
    if (!tfp_names_of(path, &names)) return tfp_nomem(err);
    for (size_t i = 0; i < names.size; i++)
        if (is_listed(names.at[i]) && tfp_path_join(file, path, names.at[i]))
            tfp_buf_add(paths, file, strlen(file) + 1);
    tfp_names_free(&names);
    if (paths->failed) return tfp_nomem(err);
    return paths->size
               ? TFP_OK
               : tfp_fail(err, TFP_BADFILE,
                          "is a folder without kernel_information.json or a log of TORCH_TRACE (*torch_trace*.log)");
}

const tfp_format tfp_format_inductor = {
    .name = "inductor",
    .help = "kernel_information.json of TorchInductor, a log of TORCH_TRACE, or a folder with one: the lines of the "
            "kernels that it made",
    .read = read_kernels,
    .stands = TFP_FORMAT_IS(SEVERAL) | TFP_FORMAT_IS(PART),
    .list = list_kernels,
};
