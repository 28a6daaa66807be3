// SPDX-License-Identifier: Apache-2.0
/* cli/args.c: parses words into a cli_call, for the command line and for the prompt. In: argv, or a line split at blanks. Out: verb, flags,
 * options and plain words. The file system is used only to decide whether a word that could be a verb or a file is a file. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

char **cli_split(char *line, size_t *count)
{
    static const char blanks[] = " \t\r\n\v\f";
    char **words = malloc((strlen(line) / 2 + 1) * sizeof *words);
    *count = 0;
    if (!words) return NULL;
    for (char *at = line + strspn(line, blanks); *at; at += strspn(at, blanks)) {
        words[(*count)++] = at;
        at += strcspn(at, blanks);
        if (*at) *at++ = '\0';
    }
    return words;
}

char *cli_unquote(char *value)
{
    value += strspn(value, "\"'");
    size_t n = strlen(value);
    while (n && strchr("\"'", value[n - 1])) n--;
    value[n] = '\0';
    return value;
}

static bool is_boolean(const char *word)
{
    static const char *const words[] = { "true", "t", "yes", "y", "1", "false", "f", "no", "n", "0" };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcasecmp(word, words[i]) == 0) return true;
    return false;
}

bool cli_has_word(const char *words, const char *word)
{
    for (size_t n = strlen(word); *words; words += strcspn(words, " "), words += strspn(words, " "))
        if (strcspn(words, " ") == n && memcmp(words, word, n) == 0) return true;
    return false;
}

const char *cli_path_format(const char *name, size_t size, size_t *row)
{
    static const char end[] = "_path";
    size_t end_size = sizeof end - 1;
    if (size <= end_size || memcmp(name + size - end_size, end, end_size) != 0) return NULL;
    size -= end_size;
    const char *format;
    for (*row = 0; *row < CLI_FORMAT_MAX && (format = tfp_list(TFP_FORMATS, *row)); ++*row)
        if (strlen(format) == size && memcmp(format, name, size) == 0) return format;
    return NULL;
}

/* The parts of a word that begins with a dash. */
typedef struct option_word {
    char name[CLI_NAME_MAX + 1]; /* without leading dashes, '-' as '_'; "": it cannot be one of our names */
    size_t shown;                /* length of the word up to '=', for messages */
    char *value;                 /* after '=', or NULL */
} option_word;

static option_word take_apart(char *word)
{
    option_word w = { .shown = strcspn(word, "=") };
    if (word[w.shown]) w.value = word + w.shown + 1;
    size_t dashes = word[1] == '-' ? 2 : 1, size = w.shown - (dashes < w.shown ? dashes : w.shown);
    if (size > CLI_NAME_MAX || word[dashes] == '-') return w;
    for (size_t i = 0; i < size; i++) w.name[i] = word[dashes + i] == '-' ? '_' : word[dashes + i];
    return w;
}

static int unknown_option(const option_word *w, const char *word, const cli_call *call, cli_where where, cli_fault *f)
{
    char hint[CLI_HINT_MAX];
    int size = (int)(w->shown < CLI_LINE_MAX ? w->shown : CLI_LINE_MAX);
    cli_near_option(w->name, call->word_count ? call->words[0] : NULL, where, hint);
    return cli_fault_set(f, CLI_BAD_USAGE, "unknown option '%.*s'%s", size, word, hint);
}

/* The words that are being parsed, and the position. */
typedef struct words {
    char **at;
    size_t count, next;
    cli_where where;
} words;

/* Takes the value of an option: the text after '=', otherwise the next word. */
static int need_value(words *in, const option_word *w, const char **value, cli_fault *f)
{
    char *v = w->value;
    if (!v && in->next < in->count) v = in->at[in->next++];
    if (!v) return cli_fault_set(f, CLI_BAD_USAGE, "option -%s needs a value", w->name);
    *value = in->where == CLI_AT_PROMPT ? cli_unquote(v) : v;
    return 0;
}

/* Takes every word up to the next option. */
static int need_list(words *in, const option_word *w, cli_list *list, cli_fault *f)
{
    size_t first = in->next;
    while (in->next < in->count && (in->at[in->next][0] != '-' || !in->at[in->next][1])) {
        char *word = in->at[in->next];
        if (in->where == CLI_AT_PROMPT) in->at[in->next] = cli_unquote(word);
        in->next++;
    }
    if (in->next == first) return cli_fault_set(f, CLI_BAD_USAGE, "option -%s needs a value", w->name);
    *list = (cli_list){ in->at + first, in->next - first };
    return 0;
}

/* Options that the public diff script gives as several words; names of nodes and sides contain no comma. */
static bool takes_words(const char *name)
{
    static const char *const names[] = { "hide_nodes", "names", "node_names" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0) return true;
    return false;
}

static int take_flag(words *in, const option_word *w, cli_flag_id id, cli_call *call, cli_fault *f)
{
    if (cli_flags[id].list && !w->value) {
        call->flags[id] = "";
        return need_list(in, w, &call->lists[id], f);
    }
    const char *only = cli_flags[id].valued;
    if (only ? call->word_count && strcmp(call->words[0], only) == 0 : cli_flags[id].value != NULL) {
        int s = need_value(in, w, &call->flags[id], f);
        if (!s && cli_flags[id].repeats)
            call->repeats[call->repeat_count++] = (cli_pair){ cli_flags[id].name, call->flags[id], { NULL, 0 } };
        return s;
    }
    if (w->value) return cli_fault_set(f, CLI_BAD_USAGE, "option -%s takes no value: '%s'", w->name, w->value);
    call->flags[id] = "";
    return 0;
}

static int take_option(words *in, char *word, option_word *w, char kind, cli_call *call, cli_fault *f)
{
    cli_pair pair = { NULL, NULL, { NULL, 0 } };
    if (kind == 'v' && !w->value && takes_words(w->name)) {
        int s = need_list(in, w, &pair.values, f);
        if (s) return s;
        /* a single word is a comma-separated list, as everywhere, unless its commas belong to a regex */
        if (pair.values.count == 1 && !strchr(pair.values.at[0], '{')) pair.value = pair.values.at[0];
    } else if (kind == 'v') {
        int s = need_value(in, w, &pair.value, f);
        if (s) return s;
    } else if (w->value) {
        pair.value = in->where == CLI_AT_PROMPT ? cli_unquote(w->value) : w->value;
    } else if (in->next < in->count) {
        char *next = in->at[in->next];
        char *plain = in->where == CLI_AT_PROMPT && *next != '-' ? cli_unquote(next) : next;
        if (is_boolean(plain)) {
            pair.value = plain;
            in->next++;
        }
    }
    /* The name stays in the word itself, without the leading dashes, and ends at '='. */
    word[w->shown] = '\0';
    pair.name = word + (word[1] == '-' ? 2 : 1);
    call->options[call->option_count++] = pair;
    return 0;
}

static int find_flag(const char *name)
{
    for (int id = 0; id < CLI_FLAG_COUNT; id++)
        if (strcmp(name, cli_flags[id].name) == 0) return id;
    return strcmp(name, "h") == 0 ? CLI_HELP : -1;
}

static int take_compat(words *in, option_word *w, cli_call *call, cli_fault *f)
{
    cli_pair pair = { "compat", NULL, { NULL, 0 } };
    int s = need_value(in, w, &pair.value, f);
    if (!s) call->options[call->option_count++] = pair;
    return s;
}

static int take_dashed(words *in, char *word, cli_call *call, cli_fault *f)
{
    option_word w = take_apart(word);
    size_t row = 0;
    char kind = *w.name ? tfp_options_kind(w.name) : 0;
    bool is_path = cli_path_format(w.name, strlen(w.name), &row) != NULL;
    int flag = find_flag(w.name);
    bool topic = kind || is_path || (flag >= 0 && cli_flags[flag].value && cli_flags[flag].verb);
    bool about = call->word_count && (strcmp(call->words[0], "help") == 0 || strcmp(call->words[0], "unset") == 0);
    if (topic && about) {
        call->words[call->word_count++] = word; /* `help -max_depth` asks about the option */
        /* `help -compat 1.0` also lists the options with the values of that mode */
        bool compat = strcmp(w.name, "compat") == 0 && (w.value || in->next < in->count);
        return compat ? take_compat(in, &w, call, f) : 0;
    }
    if (kind) return take_option(in, word, &w, kind, call, f);
    if (is_path) {
        if (in->where == CLI_AT_PROMPT)
            return cli_fault_set(f, CLI_BAD_USAGE, "option -%s belongs on the command line", w.name);
        return need_value(in, &w, &call->paths[row], f);
    }
    if (flag >= 0) return take_flag(in, &w, (cli_flag_id)flag, call, f);
    return unknown_option(&w, word, call, in->where, f);
}

/* -compat changes which other values are valid, so it is set first, wherever it is on the line. */
static void compat_first(cli_call *call)
{
    size_t to = 0;
    for (size_t i = 0; i < call->option_count; i++) {
        cli_pair pair = call->options[i];
        if (strcmp(pair.name, "compat") != 0) continue;
        memmove(call->options + to + 1, call->options + to, (i - to) * sizeof pair);
        call->options[to++] = pair;
    }
}

static int unknown_command(const char *word, cli_where where, cli_fault *f)
{
    char hint[CLI_HINT_MAX];
    const char *name;
    unsigned here = where == CLI_AT_SHELL ? CLI_IN_SHELL : CLI_IN_PROMPT;
    cli_near near = cli_near_start(word);
    for (size_t i = 0; (name = tfp_list(TFP_VIEWS, i)); i++) cli_near_try(&near, name);
    for (const cli_command *c = cli_commands; c->name; c++)
        if ((c->where & here) && !(c->where & CLI_HIDDEN)) cli_near_try(&near, c->name);
    if ((name = cli_near_other(word))) snprintf(near.best, sizeof near.best, "%s", name);
    return cli_fault_set(f, CLI_BAD_USAGE,
                         where == CLI_AT_SHELL ? "unknown command '%s', and no such file%s" : "unknown command '%s'%s",
                         word, cli_did_you_mean(&near, "", hint));
}

/* --sort COLUMN of a view, as other tools have it. */
static void sort_is_order(cli_call *call)
{
    bool own = !call->name || cli_has_word(cli_flags[CLI_SORT].verb, call->name);
    if (own || !call->flags[CLI_SORT]) return;
    call->options[call->option_count++] = (cli_pair){ "order_by", call->flags[CLI_SORT], { NULL, 0 } };
    call->flags[CLI_SORT] = NULL;
}

/* At a shell the verb is the first plain word, or a later one if the words before it are files. */
static int find_verb(cli_call *call, cli_where where, cli_fault *f)
{
    for (size_t i = 0; i < call->word_count; i++) {
        char *word = call->words[i];
        call->command = cli_command_find(word, &call->name);
        if (call->command) {
            memmove(call->words + i, call->words + i + 1, (call->word_count - i - 1) * sizeof word);
            call->word_count--;
            return 0;
        }
        if (where == CLI_AT_PROMPT) return unknown_command(word, where, f);
        /* If no such file exists, a path is reported as a missing file, and a bare word as an unknown verb. */
        if (i == 0 && strcmp(word, "-") != 0 && !strchr(word, '/') && access(word, F_OK) != 0)
            return unknown_command(word, where, f);
    }
    return 0;
}

/* `commands` are separated by one blank. */
static int belongs_to(const char *option, const char *commands, cli_fault *f)
{
    char list[CLI_LINE_MAX / 4] = "";
    const char *last = strrchr(commands, ' ');
    for (const char *at = commands; *at; at += strspn(at, " ")) {
        size_t n = strcspn(at, " "), used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%.*s",
                 at == commands ? ""
                 : at > last    ? " and "
                                : ", ",
                 (int)n, at);
        at += n;
    }
    return cli_fault_set(f, CLI_BAD_USAGE, "option -%s belongs to the command%s %s", option, last ? "s" : "", list);
}

/* Refuses options that belong to other commands only. The session's own options may contain all: each command uses
 * those that it takes. */
static int check_options(const cli_call *call, cli_fault *f)
{
    for (size_t i = 0; call->command && i < call->option_count; i++) {
        const char *name = call->options[i].name, *commands = tfp_options_commands(name);
        if (!commands || strcmp(call->name, "set") == 0 || cli_has_word(commands, call->name)) continue;
        return belongs_to(name, commands, f);
    }
    return 0;
}

static int check_call(const cli_call *call, cli_where where, cli_fault *f)
{
    const char *name = call->name;
    int wrong_option = check_options(call, f);
    if (wrong_option) return wrong_option;
    for (int id = 0; id < CLI_FLAG_COUNT; id++) {
        const cli_flag *flag = &cli_flags[id];
        if (!call->flags[id]) continue;
        if (flag->verb && (!name || !cli_has_word(flag->verb, name))) return belongs_to(flag->name, flag->verb, f);
        if (where == CLI_AT_PROMPT && !flag->prompt)
            return cli_fault_set(f, CLI_BAD_USAGE, "option -%s belongs on the command line", flag->name);
    }
    if (!call->command) return 0;
    unsigned here = where == CLI_AT_SHELL ? CLI_IN_SHELL : CLI_IN_PROMPT;
    if (!(call->command->where & here)) {
        return cli_fault_set(f, CLI_BAD_USAGE,
                             where == CLI_AT_SHELL ? "the command %s works at the prompt only"
                                                   : "the command %s works on the command line only",
                             name);
    }
    if (where == CLI_AT_PROMPT && call->word_count && !(call->command->where & CLI_TAKES_WORDS))
        return cli_fault_set(f, CLI_BAD_USAGE, "unexpected word '%s' after %s", call->words[0], name);
    return 0;
}

int cli_parse(char **all, size_t count, cli_where where, cli_call *call, cli_fault *f)
{
    *call = (cli_call){ 0 };
    call->options = calloc(count + 1, sizeof *call->options);
    call->words = calloc(count + 1, sizeof *call->words);
    call->repeats = calloc(count + 1, sizeof *call->repeats);
    if (!call->options || !call->words || !call->repeats) return cli_fault_set(f, CLI_LIMIT, "out of memory");
    words in = { all, count, 0, where };
    bool plain = false; /* after "--" */
    while (in.next < in.count) {
        char *word = in.at[in.next++];
        if (!plain && strcmp(word, "--") == 0) {
            plain = true;
        } else if (plain || word[0] != '-' || !word[1]) {
            call->words[call->word_count++] = word;
        } else {
            int s = take_dashed(&in, word, call, f);
            if (s) return s;
        }
    }
    compat_first(call);
    int s = find_verb(call, where, f);
    sort_is_order(call);
    return s ? s : check_call(call, where, f);
}

void cli_call_free(cli_call *call)
{
    free(call->options);
    free(call->repeats);
    free(call->words);
    *call = (cli_call){ 0 };
}
