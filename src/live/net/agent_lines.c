// SPDX-License-Identifier: Apache-2.0
/* live/net/agent_lines.c: lines of an agent. */
#include "live/net/agent_lines.h"

#define LINE_MOST 4096

/* The next word of a line; false at its end. */
static bool next_word(tfp_str *line, tfp_str *word)
{
    while (line->size && *line->data == ' ') line->data++, line->size--;
    const char *end = line->size ? memchr(line->data, ' ', line->size) : NULL;
    size_t size = end ? (size_t)(end - line->data) : line->size;
    *word = (tfp_str){ line->data, size };
    *line = (tfp_str){ line->data + size, line->size - size };
    return size > 0;
}

static bool next_number(tfp_str *line, int64_t *out)
{
    tfp_str word;
    return next_word(line, &word) && tfp_parse_int64(word, out) && *out >= 0;
}

static bool next_name(tfp_str *line, char *out, size_t room)
{
    tfp_str word;
    if (!next_word(line, &word) || word.size >= room) return false;
    memcpy(out, word.data, word.size);
    out[word.size] = '\0';
    return true;
}

/* Whether it is a plain file name, or an ending that begins with a dot: no name that leads to another folder. */
static bool is_file_name(const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
    return *name && name[strspn(name, letters)] == '\0' && !strstr(name, "..") && strcmp(name, ".") != 0;
}

tfp_answer tfp_answer_next(tfp_str in, size_t *used)
{
    tfp_answer a = { .kind = TFP_ANSWER_MORE };
    const char *end = in.size ? memchr(in.data, '\n', in.size < LINE_MOST ? in.size : LINE_MOST) : NULL;
    *used = 0;
    if (!end) {
        if (in.size >= LINE_MOST) a.kind = TFP_ANSWER_WRONG;
        return a;
    }
    tfp_str line = { in.data, (size_t)(end - in.data) }, word;
    *used = line.size + 1;
    a.kind = TFP_ANSWER_WRONG;
    if (!next_word(&line, &word)) return a;
    if (tfp_str_eq(word, TFP_STR("started"))) {
        if (next_number(&line, &a.number)) a.kind = TFP_ANSWER_STARTED;
    } else if (tfp_str_eq(word, TFP_STR("waits"))) {
        a.kind = TFP_ANSWER_WAITS;
    } else if (tfp_str_eq(word, TFP_STR("ready"))) {
        a.kind = TFP_ANSWER_READY;
    } else if (tfp_str_eq(word, TFP_STR("file"))) {
        if (next_name(&line, a.name, sizeof a.name) && is_file_name(a.name) && next_number(&line, &a.number))
            a.kind = TFP_ANSWER_FILE;
    } else if (tfp_str_eq(word, TFP_STR("done"))) {
        if (next_name(&line, a.name, sizeof a.name) && next_number(&line, &a.number) && next_number(&line, &a.waited) &&
            next_name(&line, a.framework, sizeof a.framework)) {
            a.kind = TFP_ANSWER_DONE;
            if (!next_number(&line, &a.stalled)) a.stalled = -1;
        }
    } else if (tfp_str_eq(word, TFP_STR("error"))) {
        if (next_name(&line, a.name, sizeof a.name)) {
            while (line.size && *line.data == ' ') line.data++, line.size--;
            tfp_text_give(line, a.text, sizeof a.text);
            a.kind = TFP_ANSWER_ERROR;
        }
    }
    return a;
}
