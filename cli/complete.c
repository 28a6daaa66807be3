// SPDX-License-Identifier: Apache-2.0
/* cli/complete.c: completions of a half-typed line: commands, options, values, node names.
 * In: the line up to the cursor. Out: whole words, one by one. Knows no terminal. */
#include "cli.h"

#include <string.h>

/* Options whose values come from a table. */
static const struct {
    const char *option;
    tfp_table table;
} values[] = {
    { "select", TFP_COLUMNS }, { "order_by", TFP_ORDERS }, { "checkers", TFP_CHECKERS },
    { "format", TFP_OUTPUTS }, { "view", TFP_VIEWS },
};
static const char *const by_values[] = {
    "op", "scope", "line", "node", "category", "tensor", "time", "collective", NULL
};
static const char *const source_values[] = { "files", "tensorflow", "own", NULL };

static const char *const output_values[] = { "stdout",
                                             "file:outfile=",
                                             "timeline:outfile=",
                                             "pprof:outfile=",
                                             "folded:outfile=",
                                             "speedscope:outfile=",
                                             "perfetto:outfile=",
                                             "none",
                                             NULL };
static const char *const boolean_values[] = { "true", "false", NULL };

static void tell_list(const char *const *list, cli_tell_fn tell, void *ctx)
{
    for (; *list; list++) tell(ctx, *list, strlen(*list));
}

void cli_values(const char *option, cli_tell_fn tell, void *ctx)
{
    const char *name;
    if (strcmp(option, "float_ops_source") == 0) tell_list(source_values, tell, ctx);
    if (strcmp(option, "by") == 0) tell_list(by_values, tell, ctx);
    if (strcmp(option, "output") == 0) tell_list(output_values, tell, ctx);
    if (tfp_options_kind(option) == 'b') tell_list(boolean_values, tell, ctx);
    tfp_options *o = tfp_options_new();
    for (size_t v = 0; o && v < sizeof values / sizeof *values; v++) {
        if (strcmp(values[v].option, option) != 0) continue;
        /* the table may have more entries than the option takes */
        for (size_t i = 0; (name = tfp_list(values[v].table, i)); i++)
            if (tfp_options_set(o, option, name, NULL) == TFP_OK) tell(ctx, name, strlen(name));
    }
    tfp_options_free(o);
}

/* The word being typed, and the receiver of the words that fit. */
typedef struct search {
    const char *typed;
    size_t size;
    size_t limit, found;
    const char *before; /* prefix of each word: "-" for options */
    cli_tell_fn tell;
    void *ctx;
} search;

/* '-' and '_' are the same in names of options. */
static bool fits(const char *word, const char *typed, size_t size, bool option)
{
    for (size_t i = 0; i < size; i++)
        if (word[i] != typed[i] && !(option && word[i] == '_' && typed[i] == '-')) return false;
    return true;
}

static void offer(search *s, const char *word)
{
    bool option = *s->before != '\0';
    if (s->found >= s->limit || !fits(word, s->typed, s->size, option)) return;
    char whole[CLI_NAME_MAX + 3];
    s->found++;
    if (!option) {
        s->tell(s->ctx, word, strlen(word));
        return;
    }
    int n = snprintf(whole, sizeof whole, "%s%s", s->before, word);
    s->tell(s->ctx, whole, (size_t)n < sizeof whole ? (size_t)n : sizeof whole - 1);
}

static void offer_value(void *ctx, const char *word, size_t size)
{
    (void)size; /* values end with NUL, so size is not needed */
    offer(ctx, word);
}

static void offer_table(search *s, tfp_table table)
{
    const char *name;
    for (size_t i = 0; (name = tfp_list(table, i)); i++) offer(s, name);
}

/* Names of nodes up to the next '/' after the typed part, each once; past SEEN_MAX names some may come twice. */
static void offer_nodes(search *s, const tfp_profile *p)
{
    enum { SEEN_MAX = 128 };
    struct {
        const char *name;
        size_t size;
    } seen[SEEN_MAX];
    size_t seen_count = 0, k;
    const char *name;
    for (size_t i = 0; p && s->found < s->limit && (name = tfp_profile_node_name(p, i)); i++) {
        if (strncmp(name, s->typed, s->size) != 0) continue;
        size_t size = s->size + strcspn(name + s->size, "/");
        size += name[size] == '/';
        for (k = 0; k < seen_count; k++)
            if (seen[k].size == size && memcmp(seen[k].name, name, size) == 0) break;
        if (k < seen_count) continue;
        if (seen_count < SEEN_MAX) {
            seen[seen_count].name = name;
            seen[seen_count++].size = size;
        }
        s->found++;
        s->tell(s->ctx, name, size);
    }
}

static void offer_commands(search *s)
{
    offer_table(s, TFP_VIEWS);
    for (const cli_command *c = cli_commands; c->name; c++)
        if ((c->where & CLI_IN_PROMPT) && !(c->where & CLI_HIDDEN)) offer(s, c->name);
}

/* Options of the views, and those of the command at `line`; `set` takes all. */
static void offer_options(search *s, const char *line)
{
    const char *name;
    char command[CLI_NAME_MAX + 1];
    snprintf(command, sizeof command, "%.*s", (int)strcspn(line, " \t"), line);
    bool set = strcmp(command, "set") == 0;
    offer_table(s, TFP_OPTIONS);
    for (size_t i = 0; (name = tfp_list(TFP_COMMAND_OPTIONS, i)); i++)
        if (set || cli_has_word(tfp_options_commands(name), command)) offer(s, name);
}

static void offer_topics(search *s)
{
    const char *name;
    offer_commands(s);
    for (int t = TFP_COLUMNS; t <= TFP_CHECKERS; t++)
        for (size_t i = 0; (name = tfp_list((tfp_table)t, i)); i++)
            if (!tfp_help(TFP_VIEWS, name)) offer(s, name); /* `params` is a column and a view */
}

/* The value of the option whose name is `name`; lists are completed after the last comma. */
static void offer_values(search *s, const tfp_profile *p, const char *name)
{
    s->before = "";
    if (cli_ends_with(name, "name_regexes"))
        offer_nodes(s, p);
    else
        cli_values(name, offer_value, s);
}

static bool is_blank(char c) { return c == ' ' || c == '\t'; }

/* Name of an option word without dashes, '-' as '_', up to '='; false when the word is no option. */
static bool option_name(const char *word, size_t size, char *name)
{
    if (size < 2 || word[0] != '-') return false;
    size_t at = word[1] == '-' ? 2 : 1, n = 0;
    while (at < size && word[at] != '=' && n < CLI_NAME_MAX) {
        name[n++] = word[at] == '-' ? '_' : word[at];
        at++;
    }
    name[n] = '\0';
    return n > 0;
}

static void skip_past(search *s, char mark)
{
    const char *end = s->typed + s->size;
    for (const char *at = end; at > s->typed; at--) {
        if (at[-1] != mark) continue;
        s->size = (size_t)(end - at);
        s->typed = at;
        return;
    }
}

size_t cli_complete(const tfp_profile *p, const char *line, size_t size, size_t limit, cli_tell_fn tell, void *ctx)
{
    size_t start = size, first = 0, last_end, last;
    while (start && !is_blank(line[start - 1])) start--;
    while (first < start && is_blank(line[first])) first++;
    for (last_end = start; last_end && is_blank(line[last_end - 1]);) last_end--;
    for (last = last_end; last && !is_blank(line[last - 1]);) last--;
    search s = { line + start, size - start, limit, 0, "", tell, ctx };
    char name[CLI_NAME_MAX + 1];
    const char *equals = memchr(s.typed, '=', s.size);
    if (first == start) {
        offer_commands(&s);
    } else if (s.size && *s.typed == '-' && equals && option_name(s.typed, s.size, name)) {
        s.size -= (size_t)(equals + 1 - s.typed);
        s.typed = equals + 1;
        if (strcmp(name, "output") != 0) skip_past(&s, ',');
        offer_values(&s, p, name);
    } else if (last > first && option_name(line + last, last_end - last, name) &&
               !memchr(line + last, '=', last_end - last) && tfp_options_kind(name) == 'v') {
        skip_past(&s, ',');
        offer_values(&s, p, name);
    } else if (start - first > 4 && memcmp(line + first, "help", 4) == 0 && is_blank(line[first + 4]) &&
               !(s.size && *s.typed == '-')) {
        offer_topics(&s);
    } else {
        s.before = s.size > 1 && s.typed[1] == '-' ? "--" : "-";
        size_t dashes = s.size && *s.typed == '-' ? strlen(s.before) : 0;
        s.typed += dashes;
        s.size -= dashes;
        if (dashes || s.size == 0) offer_options(&s, line + first);
    }
    return s.found;
}
