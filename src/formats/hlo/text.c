// SPDX-License-Identifier: Apache-2.0
/* formats/hlo/text.c: reads the text of an HLO module (a dump of XLA, or as_text() of JAX) into the same tables as its
 * protobuf. An instruction is [ROOT] [%]NAME = SHAPE OPCODE(OPERANDS), KEY=VALUE, ... in one line or several. Brackets
 * nest, but nothing recurses. Grammar: xla/hlo/parser. */
#include "formats/hlo/words.h"
#include "model/tables/read.h"

/* A quoted value without its escapes; any other value as it is. Interned. */
static tfp_strid text_of(reader *r, tfp_str value)
{
    if (value.size < 2 || value.data[0] != '"') return tfp_build_string(r->b, value);
    tfp_buf text = { 0 };
    for (size_t i = 1; i + 1 < value.size; i++) {
        char c = value.data[i];
        if (c == '\\' && i + 2 < value.size) {
            c = value.data[++i];
            if (c == 'n') c = '\n';
        }
        tfp_buf_char(&text, c);
    }
    return tfp_build_composed(r->b, &text);
}

/* ---- shapes ---- */

/* Reads an array: f32[8,16]{1,0}. False: it is none. */
static bool read_array(reader *r)
{
    tfp_hlo_module *m = r->m;
    size_t n = 0;
    while (n < r->line.size &&
           ((r->line.data[n] >= 'a' && r->line.data[n] <= 'z') || (r->line.data[n] >= '0' && r->line.data[n] <= '9')))
        n++;
    tfp_hlo_array a = { .type = tfp_hlo_type_named((tfp_str){ r->line.data, n }), .dim_first = (uint32_t)m->dims.size };
    if (n == 0 || n == r->line.size || r->line.data[n] != '[') return false;
    skip(r, n + 1);
    skip_blanks(r);
    while (r->line.size && r->line.data[0] != ']') {
        bool bounded = take_next(r, "<="), unknown = take_next(r, "?");
        int64_t dim = take_number(r);
        (void)bounded; /* "<=" marks the bound of a dynamic dimension */
        if (tfp_build_keep(r->b, tfp_push(&m->dims, unknown ? -1 : dim))) a.dim_count++;
        if (!take_next(r, ",") && r->line.size && r->line.data[0] != ']') return false;
    }
    if (!take(r, "]")) return false;
    if (r->line.size && r->line.data[0] == '{') { /* its layout */
        skip(r, 1);
        take_until(r, "}");
        take(r, "}");
    }
    return tfp_build_keep(r->b, tfp_push(&m->arrays, a));
}

/* Reads a shape; tuples are flattened. Returns an index in shapes; TFP_NONE: there is none. */
static uint32_t read_shape(reader *r)
{
    tfp_hlo_shape s = { .first = (uint32_t)r->m->arrays.size };
    size_t depth = 0;
    do {
        skip_blanks(r);
        if (take(r, "(")) {
            depth++;
            s.tuple = true;
        } else if (depth && take(r, ")")) {
            depth--;
            skip_blanks(r);
        } else if (depth && take(r, ",")) {
            continue;
        } else if (!read_array(r)) {
            return TFP_NONE;
        }
    } while (depth && r->line.size && !r->b->status);
    s.count = (uint32_t)r->m->arrays.size - s.first;
    return !depth && tfp_build_keep(r->b, tfp_push(&r->m->shapes, s)) ? (uint32_t)r->m->shapes.size - 1 : TFP_NONE;
}

/* ---- attributes ---- */

/* A reader for a part of the line, such as the text in brackets. */
static reader inside(const reader *r, tfp_str part, size_t cut)
{
    reader copy = *r;
    copy.line = part.size >= 2 * cut ? (tfp_str){ part.data + cut, part.size - 2 * cut } : (tfp_str){ part.data, 0 };
    return copy;
}

static void add_id(reader *r, uint32_t *count, int64_t id)
{
    if (tfp_build_keep(r->b, tfp_push(&r->m->ids, id))) (*count)++;
}

/* Reads {%a, %b}, or one name, as computations. */
static void read_calls(reader *r, tfp_hlo_instruction *i, tfp_str value)
{
    bool many = value.size && value.data[0] == '{';
    reader in = inside(r, value, many);
    while (in.line.size) {
        skip_blanks(&in);
        tfp_str name = take_name(&in);
        if (!name.size) break;
        add_id(r, &i->called_count, (int64_t)tfp_build_string(r->b, name));
        skip_blanks(&in);
        if (!take(&in, ",")) break;
    }
}

/* Reads metadata={op_name="..." source_file="..." source_line=7 stack_frame_id=3}. */
static void read_metadata(reader *r, tfp_hlo_instruction *i, tfp_str value)
{
    reader in = inside(r, value, 1);
    while (in.line.size) {
        skip_blanks(&in);
        tfp_str key = take_name(&in);
        if (!key.size || !take(&in, "=")) break;
        tfp_str word = take_until(&in, " ");
        reader number = inside(r, word, 0);
        if (tfp_str_eq(key, TFP_STR("op_name"))) i->op_name = text_of(r, word);
        if (tfp_str_eq(key, TFP_STR("op_type"))) i->op_type = text_of(r, word);
        if (tfp_str_eq(key, TFP_STR("source_file"))) i->file = text_of(r, word);
        if (tfp_str_eq(key, TFP_STR("source_line"))) i->line = (int32_t)take_number(&number);
        if (tfp_str_eq(key, TFP_STR("stack_frame_id"))) i->frame = (uint32_t)take_number(&number);
    }
}

/* Reads window={size=3x3 stride=2x2}: the product of the sizes. */
static void read_window(reader *r, tfp_hlo_instruction *i, tfp_str value)
{
    size_t at = tfp_str_find(value, TFP_STR("size="));
    if (at == SIZE_MAX) return;
    reader in = inside(r, (tfp_str){ value.data + at + 5, value.size - at - 5 }, 0);
    do i->work.window = tfp_mul(i->work.window, take_number(&in), NULL);
    while (take(&in, "x"));
}

/* Reads dim_labels=b01f_01io->b01f: the kernel's dimension of input features. */
static void read_labels(tfp_hlo_instruction *i, tfp_str value)
{
    size_t at = tfp_str_find(value, TFP_STR("_")), end = tfp_str_find(value, TFP_STR("->"));
    if (at == SIZE_MAX || end == SIZE_MAX) return;
    for (size_t k = at + 1; k < end; k++)
        if (value.data[k] == 'i') i->work.kernel_input = (int32_t)(k - at - 1);
}

static void read_lengths(reader *r, tfp_hlo_instruction *i, tfp_str value)
{
    reader in = inside(r, value, 1);
    i->work.fft_points = 1;
    do i->work.fft_points = tfp_mul(i->work.fft_points, take_number(&in), NULL);
    while (take(&in, ","));
}

static void read_contracted(reader *r, tfp_hlo_instruction *i, tfp_str value)
{
    reader in = inside(r, value, 1);
    i->work.contract_first = (uint32_t)r->m->numbers.size;
    while (in.line.size) {
        if (tfp_build_keep(r->b, tfp_push(&r->m->numbers, take_number(&in)))) i->work.contract_count++;
        if (!take(&in, ",")) break;
    }
}

static void read_index(const reader *r, tfp_hlo_instruction *i, tfp_str value)
{
    reader in = inside(r, value, 0);
    int64_t n = take_number(&in);
    if (n >= 0 && n < INT32_MAX) i->index = (int32_t)n;
}

static void read_attribute(reader *r, tfp_hlo_instruction *i, tfp_str key, tfp_str value)
{
    static const char *const calls[] = { "calls",
                                         "to_apply",
                                         "condition",
                                         "body",
                                         "select",
                                         "scatter",
                                         "comparator",
                                         "branch_computations",
                                         "called_computations",
                                         "true_computation",
                                         "false_computation" };
    for (size_t k = 0; k < sizeof calls / sizeof *calls; k++)
        if (tfp_str_eq(key, tfp_str_of(calls[k]))) read_calls(r, i, value);
    if (tfp_str_eq(key, TFP_STR("metadata"))) read_metadata(r, i, value);
    if (tfp_str_eq(key, TFP_STR("window"))) read_window(r, i, value);
    if (tfp_str_eq(key, TFP_STR("dim_labels"))) read_labels(i, value);
    if (tfp_str_eq(key, TFP_STR("fft_length"))) read_lengths(r, i, value);
    if (tfp_str_eq(key, TFP_STR("lhs_contracting_dims"))) read_contracted(r, i, value);
    if (tfp_str_eq(key, TFP_STR("custom_call_target"))) i->target = text_of(r, value);
    if (tfp_str_eq(key, TFP_STR("index"))) read_index(r, i, value);
    if (tfp_str_eq(key, TFP_STR("direction")))
        i->direction = tfp_str_eq(value, TFP_STR("LT"))   ? TFP_HLO_LT
                       : tfp_str_eq(value, TFP_STR("LE")) ? TFP_HLO_LE
                                                          : 0;
    if (tfp_str_eq(key, TFP_STR("backend_config"))) i->trips = tfp_hlo_trips(i->config = value);
}

/* ---- instructions ---- */

/* The id of a name; names are unique within one computation. */
static int64_t instruction_id(const reader *r, tfp_strid name)
{
    return (int64_t)((uint64_t)r->m->computations.size << 32 | name);
}

/* The last word of "f32[8]{0} %name", "%name" or "name". */
static tfp_str operand_name(tfp_str s)
{
    s = tfp_hlo_trimmed(s);
    size_t at = s.size;
    while (at > 0 && in_name(s.data[at - 1])) at--;
    return (tfp_str){ s.data + at, s.size - at };
}

static void read_operands(reader *r, tfp_hlo_instruction *i)
{
    tfp_str opcode = tfp_text(r->b->p, i->opcode);
    bool parameter = tfp_str_eq(opcode, TFP_STR("parameter"));
    bool names = !parameter && !tfp_str_eq(opcode, TFP_STR("constant"));
    skip_blanks(r);
    while (r->line.size && r->line.data[0] != ')') {
        tfp_str part = take_until(r, ",)"), name = operand_name(part);
        reader number = inside(r, part, 0);
        if (names && name.size)
            add_id(r, &i->operand_count, instruction_id(r, tfp_build_string(r->b, name)));
        else if (parameter)
            i->parameter = (int32_t)take_number(&number);
        else if (part.size && (i->constant.has_value = tfp_parse_int64(part, &i->constant.value)))
            break; /* an integer constant */
        if (!take(r, ",")) break;
    }
}

static tfp_status read_instruction(reader *r, tfp_error *err)
{
    tfp_hlo_instruction i = { .work.window = 1, .work.kernel_input = -1, .trips = -1, .parameter = -1, .index = -1 };
    skip_blanks(r);
    bool root = take(r, "ROOT ");
    tfp_str name = take_name(r);
    skip_blanks(r);
    if (!name.size || !take(r, "=")) return fail(r, err, "no instruction: NAME = SHAPE OPCODE(...)");
    i.name = tfp_build_string(r->b, name);
    i.id = instruction_id(r, i.name);
    i.computation = (uint32_t)r->m->computations.size;
    if (root) r->computation.root_id = i.id;
    skip_blanks(r);
    tfp_str rest = r->line;
    i.shape = read_shape(r);
    if (i.shape == TFP_NONE && memchr(rest.data, '\n', (size_t)(r->line.data - rest.data))) r->line = rest;
    if (i.shape == TFP_NONE) return fail(r, err, "no shape");
    skip_blanks(r);
    tfp_str opcode = take_name(r);
    if (!opcode.size || !take_next(r, "(")) return fail(r, err, "no operation after the shape");
    i.opcode = tfp_build_string(r->b, opcode);
    i.operand_first = (uint32_t)r->m->ids.size;
    read_operands(r, &i);
    if (!take(r, ")")) return fail(r, err, "operands without an end");
    i.called_first = (uint32_t)r->m->ids.size;
    while (take_next(r, ",")) {
        skip_blanks(r);
        tfp_str key = take_name(r);
        if (!take_next(r, "=")) break;
        skip_blanks(r);
        read_attribute(r, &i, key, tfp_hlo_trimmed(take_until(r, ",")));
    }
    tfp_build_keep(r->b, r->m->instructions.size < TFP_NONE / 2 && tfp_push(&r->m->instructions, i));
    return tfp_builder_status(r->b, err);
}

/* ---- computations ---- */

static tfp_status begin_computation(reader *r, tfp_error *err)
{
    bool entry = take(r, "ENTRY ");
    skip_blanks(r);
    tfp_str name = take_name(r);
    if (!name.size) return fail(r, err, "a computation without a name");
    r->computation = (tfp_hlo_computation){ .name = tfp_build_string(r->b, name),
                                            .first = (uint32_t)r->m->instructions.size,
                                            .root = TFP_NONE,
                                            .root_id = -1 };
    r->computation.id = r->computation.name;
    if (entry) r->m->entry_id = r->computation.id;
    r->in_computation = true;
    return tfp_builder_status(r->b, err);
}

static void end_computation(reader *r)
{
    r->computation.count = (uint32_t)r->m->instructions.size - r->computation.first;
    tfp_build_keep(r->b, tfp_push(&r->m->computations, r->computation));
    r->in_computation = false;
}

/* ---- tables of call stacks ---- */

/* In {file_name_id=1 function_name_id=2 line=10}: the number after a key; 0: none. */
static int64_t number_of(const reader *r, const char *key)
{
    size_t at = tfp_str_find(r->line, tfp_str_of(key));
    if (at == SIZE_MAX) return 0;
    at += strlen(key);
    reader in = inside(r, (tfp_str){ r->line.data + at, r->line.size - at }, 0);
    return take_number(&in);
}

static void read_row(reader *r)
{
    tfp_hlo_module *m = r->m;
    take_number(r);
    skip_blanks(r);
    if (r->section == 'N') tfp_build_keep(r->b, tfp_push(&m->files, text_of(r, r->line)));
    if (r->section == 'F') tfp_build_keep(r->b, tfp_push(&m->functions, text_of(r, r->line)));
    if (r->section == 'L') {
        tfp_hlo_place p = { (uint32_t)number_of(r, "file_name_id="), (uint32_t)number_of(r, "function_name_id="),
                            (int32_t)number_of(r, " line=") };
        tfp_build_keep(r->b, tfp_push(&m->places, p));
    }
    if (r->section == 'S') { /* in the text parents count from 1, where 1 means none */
        int64_t parent = number_of(r, "parent_frame_id=");
        tfp_hlo_frame f = { (uint32_t)number_of(r, "file_location_id="), parent > 0 ? (uint32_t)parent - 1 : 0 };
        tfp_build_keep(r->b, tfp_push(&m->frames, f));
    }
}

static char section_of(tfp_str line)
{
    static const char *const names[] = { "FileNames", "FunctionNames", "FileLocations", "StackFrames" };
    for (size_t i = 0; i < 4; i++)
        if (tfp_str_eq(line, tfp_str_of(names[i]))) return "NFLS"[i];
    return '\0';
}

/* ---- lines ---- */

static tfp_status read_line(reader *r, tfp_error *err)
{
    r->line = tfp_hlo_trimmed(r->line);
    skip_blanks(r);
    if (!r->line.size || r->line.data[0] == '#') return TFP_OK;
    if (r->in_computation) {
        if (r->line.data[0] != '}') return read_instruction(r, err);
        end_computation(r);
        return TFP_OK;
    }
    if (take(r, "HloModule ")) {
        if (r->m->name) return fail(r, err, "a second module");
        tfp_str name = take_name(r);
        if (!name.size) return fail(r, err, "a module without a name");
        r->m->name = tfp_build_string(r->b, name);
        return tfp_builder_status(r->b, err);
    }
    char section = section_of(r->line);
    if (section) {
        r->section = section;
        return TFP_OK;
    }
    if (r->line.data[r->line.size - 1] == '{') return begin_computation(r, err);
    if (r->section && r->line.data[0] >= '0' && r->line.data[0] <= '9') {
        read_row(r);
        return tfp_builder_status(r->b, err);
    }
    return fail(r, err, "neither a computation nor a table");
}

/* A text that is only computations gets the name of the one that runs. */
static void name_after_entry(reader *r)
{
    tfp_strid name = 0;
    for (size_t i = 0; i < r->m->computations.size; i++)
        if (r->m->entry_id < 0 || r->m->computations.at[i].id == r->m->entry_id) name = r->m->computations.at[i].name;
    r->m->name = name ? name : tfp_build_string(r->b, TFP_STR("module"));
}

tfp_status tfp_hlo_read_text(tfp_builder *b, tfp_str text, tfp_hlo_module *m, tfp_error *err)
{
    reader r = { .b = b, .m = m };
    tfp_status s = TFP_OK;
    *m = (tfp_hlo_module){ .entry = TFP_NONE, .entry_id = -1 };
    while (text.size && !s) {
        r.line_start = text.data;
        r.line = tfp_str_cut_line(&text);
        if (r.line_number < INT32_MAX / 2) r.line_number++;
        int more = tfp_hlo_take_open_lines(&r, &text);
        s = read_line(&r, err);
        if (r.line_number < INT32_MAX / 2) r.line_number += more;
    }
    if (!s && r.in_computation) s = fail(&r, err, "the text is cut short: a computation without an end");
    if (!s && !m->name) name_after_entry(&r);
    if (!s) s = tfp_hlo_complete(b, m, err);
    if (s) tfp_hlo_free(m);
    return s;
}
