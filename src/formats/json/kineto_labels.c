// SPDX-License-Identifier: Apache-2.0
/* formats/json/kineto_labels.c: labels of ranks in the pids and process names of a merged file, as scripts write them. */
#include "formats/json/kineto_ranks.h"
#include "model/builder.h"
#include "model/tables/read.h"

#include <strings.h>

static bool is_break(char c) { return memchr(" /:_-|#.,()[]", c, 13) != NULL; }

static size_t digits_at(tfp_str s, size_t at)
{
    size_t n = 0;
    while (at + n < s.size && tfp_is_digit(s.data[at + n])) n++;
    return n;
}

static bool has_digits(tfp_str s)
{
    for (size_t i = 0; i < s.size; i++)
        if (tfp_is_digit(s.data[i])) return true;
    return false;
}

static tfp_str part(tfp_str s, size_t from, size_t to) { return (tfp_str){ s.data + from, to - from }; }

/* "rank 3", "Rank_3", "rank:3": the word with its number. Empty: there is none. */
static tfp_str rank_word(tfp_str s)
{
    for (size_t i = 0; i + 5 <= s.size; i++) {
        if (strncasecmp(s.data + i, "rank", 4) != 0) continue;
        size_t at = i + 4;
        while (at < s.size && at < i + 7 && memchr(" _-:=#[", s.data[at], 7)) at++;
        size_t n = digits_at(s, at);
        if (n) return part(s, i, at + n);
    }
    return TFP_STR("");
}

/* "TP01-DP00" of "[TP01-DP00] 83": what stands in brackets, with a number. */
static tfp_str in_brackets(tfp_str s)
{
    if (!s.size) return TFP_STR("");
    const char *open = memchr(s.data, '[', s.size);
    if (!open) open = memchr(s.data, '(', s.size);
    size_t from = open ? (size_t)(open - s.data) + 1 : s.size, to = from;
    while (to < s.size && s.data[to] != ']' && s.data[to] != ')') to++;
    tfp_str inside = part(s, from, to);
    return to < s.size && has_digits(inside) ? inside : TFP_STR("");
}

/* What stands before the last break, if it has a number; `rest` is what follows the break. */
static tfp_str before_break(tfp_str s, tfp_str *rest)
{
    size_t at = s.size;
    while (at > 0 && !is_break(s.data[at - 1])) at--;
    *rest = part(s, at, s.size);
    while (at > 0 && is_break(s.data[at - 1])) at--;
    tfp_str before = part(s, 0, at);
    return at && rest->size && has_digits(before) ? before : TFP_STR("");
}

static tfp_str after_break(tfp_str s)
{
    size_t at = digits_at(s, 0), from = at;
    while (from < s.size && is_break(s.data[from])) from++;
    return at && from > at && from < s.size ? part(s, from, s.size) : TFP_STR("");
}

bool tfp_kineto_tells_rank(tfp_str name) { return rank_word(name).size || in_brackets(name).size; }

static tfp_str of_name(const tfp_kineto_ranks *f, const tfp_kineto_process *p)
{
    uint32_t id = tfp_map64_get(&f->name_of, p->pid);
    tfp_str name = id == TFP_NONE ? TFP_STR("") : tfp_text(f->r->b->p, id), label = rank_word(name);
    return label.size ? label : in_brackets(name);
}

static tfp_str of_part(const tfp_kineto_ranks *f, const tfp_kineto_process *p)
{
    tfp_buf text = { 0 };
    if (!f->r->lanes.part) return TFP_STR("");
    uint32_t name = tfp_map64_get(&f->name_in, tfp_kineto_place_of(p->part));
    tfp_str label = name == TFP_NONE ? TFP_STR("") : rank_word(tfp_text(f->r->b->p, name));
    if (label.size) return label;
    tfp_buf_printf(&text, "part %u", tfp_kineto_place_of(p->part));
    return tfp_text(f->r->b->p, tfp_build_composed(f->r->b, &text));
}

/* The rank that the args of a process's events tell; of a process without any the only one of those with the same pid. */
static tfp_str of_args(const tfp_kineto_ranks *f, const tfp_kineto_process *p)
{
    uint32_t rank = tfp_kineto_rank_in(p->part), only = tfp_map64_get(&f->rank_of, p->own_pid);
    tfp_buf text = { 0 };
    if (!rank && only != TFP_NONE) rank = only;
    if (!rank) return TFP_STR("");
    tfp_buf_printf(&text, "rank %u", rank - 1);
    return tfp_text(f->r->b->p, tfp_build_composed(f->r->b, &text));
}

tfp_str tfp_kineto_label_of(const tfp_kineto_ranks *f, const tfp_kineto_process *p, tfp_kineto_labelling labelling)
{
    if (labelling == TFP_KINETO_LABEL_OF_ARGS) return of_args(f, p);
    if (labelling == TFP_KINETO_LABEL_OF_PART) return of_part(f, p);
    tfp_str rest, label = labelling == TFP_KINETO_LABEL_OF_NAME ? of_name(f, p) : rank_word(p->text);
    if (label.size || labelling == TFP_KINETO_LABEL_OF_NAME) return label;
    label = in_brackets(p->text);
    if (label.size) return label;
    return labelling == TFP_KINETO_LABEL_FIRST ? before_break(p->text, &rest) : after_break(p->text);
}

uint32_t tfp_kineto_rank_of(tfp_kineto_ranks *f, tfp_str label)
{
    for (uint32_t i = 0; i < f->ranks.size; i++)
        if (tfp_str_eq(f->ranks.at[i].label, label)) return i;
    tfp_kineto_rank rank = { .label = label, .first = SIZE_MAX };
    bool ok = f->ranks.size < TFP_KINETO_MOST_RANKS && tfp_push(&f->ranks, rank);
    return ok ? (uint32_t)f->ranks.size - 1 : TFP_NONE;
}

tfp_str tfp_kineto_own_of(tfp_str pid)
{
    tfp_str rest, word = rank_word(pid), label = word.size ? word : in_brackets(pid);
    size_t from = label.size ? (size_t)(label.data - pid.data) : 0;
    for (size_t i = 0; label.size && i < pid.size; i++) { /* the number outside of the label */
        if (i == from) i += label.size;
        size_t n = digits_at(pid, i);
        if (n) return part(pid, i, i + n);
    }
    return before_break(pid, &rest).size ? rest : TFP_STR("");
}

/* The number at a position among the numbers of a label; -1: there is none. */
static int64_t number_at(tfp_str label, size_t position)
{
    for (size_t i = 0; i < label.size;) {
        size_t n = digits_at(label, i);
        int64_t number;
        if (n && position-- == 0) return n < 10 && tfp_parse_int64(part(label, i, i + n), &number) ? number : -1;
        i += n ? n : 1;
    }
    return -1;
}

/* Whether the numbers at a position of the labels differ from each other. */
static bool all_differ(const tfp_kineto_ranks *f, size_t position)
{
    tfp_map64 seen = { 0 };
    bool differ = true;
    for (size_t i = 0; i < f->ranks.size && differ; i++) {
        int64_t n = number_at(f->ranks.at[i].label, position);
        differ = n >= 0 && n < INT32_MAX && tfp_map64_get(&seen, (uint64_t)n) == TFP_NONE &&
                 tfp_map64_put(&seen, (uint64_t)n, 1);
    }
    tfp_map64_free(&seen);
    return differ;
}

/* A rank's number is the first number in its label that no other rank has; otherwise its place in the order of labels. */
void tfp_kineto_number_ranks(tfp_kineto_ranks *f)
{
    size_t position = 0;
    while (position < 4 && !all_differ(f, position)) position++;
    for (size_t i = 0; i < f->ranks.size && position < 4; i++) {
        f->ranks.at[i].number = (int32_t)number_at(f->ranks.at[i].label, position);
        f->ranks.at[i].numbered = true;
    }
}
