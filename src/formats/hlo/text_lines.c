// SPDX-License-Identifier: Apache-2.0
/* formats/hlo/text_lines.c: where an instruction of HLO text ends: it may take several lines, as brackets, commas and
 * comments tell. Lines are parts of the file's bytes, so several lines are one longer part. */
#include "formats/hlo/words.h"

tfp_str tfp_hlo_trimmed(tfp_str s)
{
    while (s.size && is_blank(s.data[s.size - 1])) s.size--;
    return s;
}

/* What the end of a line leaves open. */
typedef struct open_text {
    size_t depth; /* of brackets */
    bool quoted, comment, equals, operands;
    char last; /* the last character that is no blank */
} open_text;

static void scan_line(open_text *o, tfp_str line)
{
    for (size_t i = 0; i < line.size; i++) {
        char c = line.data[i], next = i + 1 < line.size ? line.data[i + 1] : '\0';
        if (o->comment) {
            if (c == '*' && next == '/') o->comment = false, i++;
            continue;
        }
        if (o->quoted) {
            i += c == '\\';
            o->quoted = c != '"';
            continue;
        }
        if (c == '/' && next == '/') return;
        if (c == '/' && next == '*') {
            o->comment = true;
            i++;
            continue;
        }
        o->quoted = c == '"';
        o->equals |= c == '=';
        o->operands |= c == '(';
        if (c == '(' || c == '[' || c == '{') o->depth++;
        if (o->depth && (c == ')' || c == ']' || c == '}')) o->depth--;
        if (!is_blank(c)) o->last = c;
    }
}

/* Whether a line begins an instruction for certain: brackets that are still open were never closed. */
static bool begins_instruction(tfp_str line)
{
    reader r = { .line = line };
    skip_blanks(&r);
    if (take(&r, "ROOT ")) return true;
    return r.line.size && r.line.data[0] == '%' && take_name(&r).size && take(&r, " = ");
}

int tfp_hlo_take_open_lines(reader *r, tfp_str *text)
{
    open_text o = { 0 };
    int lines = 0;
    tfp_str line = tfp_hlo_trimmed(r->line);
    bool header = !r->in_computation;
    /* the bracket that a computation is in */
    if (header && line.size && line.data[line.size - 1] == '{') line.size--;
    scan_line(&o, line);
    while (text->size && lines < INT32_MAX / 2) {
        tfp_str rest = *text, next = tfp_str_cut_line(&rest);
        reader word = { .line = next };
        skip_blanks(&word);
        bool goes_on = o.comment || o.depth || o.last == ',' || (word.line.size && word.line.data[0] == ',') ||
                       (!header && o.last != '}' && (o.last == '=' || (o.equals && !o.operands)));
        if (!goes_on || (!o.comment && begins_instruction(next))) break;
        *text = rest;
        r->line.size = (size_t)(next.data + next.size - r->line.data);
        next = tfp_hlo_trimmed(next);
        if (header && next.size && next.data[next.size - 1] == '{') next.size--;
        scan_line(&o, next);
        lines++;
    }
    return lines;
}

/* Whether "main {" or "%f (x: f32[4]) -> f32[4] {" begins a computation. */
static bool begins_computation(tfp_str line)
{
    reader r = { .line = tfp_hlo_trimmed(line) };
    if (!r.line.size || r.line.data[r.line.size - 1] != '{') return false;
    take(&r, "ENTRY ");
    skip_blanks(&r);
    if (!take_name(&r).size) return false;
    if (take_next(&r, "(") && tfp_str_find(r.line, TFP_STR("->")) == SIZE_MAX) return false;
    return true;
}

/* Whether a line is NAME = TYPE[... or NAME = (TYPE[...: an instruction. */
static bool is_instruction(tfp_str line)
{
    reader r = { .line = line };
    skip_blanks(&r);
    take(&r, "ROOT ");
    if (!take_name(&r).size || !take_next(&r, "=")) return false;
    while (take_next(&r, "(")) continue;
    tfp_str type = take_name(&r);
    return type.size && take(&r, "[");
}

bool tfp_hlo_is_text(tfp_str head)
{
    bool computation = false;
    while (head.size) {
        reader r = { .line = tfp_str_cut_line(&head), .in_computation = computation };
        tfp_hlo_take_open_lines(&r, &head);
        skip_blanks(&r);
        if (!r.line.size || r.line.data[0] == '#') continue;
        if (computation) return is_instruction(r.line);
        if (tfp_str_begins(r.line, TFP_STR("HloModule "))) return r.line.size > 10;
        if (!(computation = begins_computation(r.line))) return false;
    }
    return false;
}
