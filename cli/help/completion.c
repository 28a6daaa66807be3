// SPDX-License-Identifier: Apache-2.0
/* cli/help/completion.c: scripts that complete tfprof's words in a shell, written from the tables. */
#include "help/rows.h"

#include <string.h>

/* Writes script text as it is: % has no meaning in it. */
static void text(cli *c, const char *script) { cli_write(c->out, script, strlen(script)); }

static void words(cli *c, tfp_table table, const char *before)
{
    const char *name;
    for (size_t i = 0; (name = tfp_list(table, i)); i++) cli_print(c->out, " %s%s", before, name);
}

static void verbs(cli *c)
{
    words(c, TFP_VIEWS, "");
    for (const cli_command *k = cli_commands; k->name; k++)
        if ((k->where & CLI_IN_SHELL) && !(k->where & CLI_HIDDEN)) cli_print(c->out, " %s", k->name);
}

static void dashed(cli *c)
{
    const char *format;
    words(c, TFP_OPTIONS, "-");
    words(c, TFP_COMMAND_OPTIONS, "-");
    for (size_t i = 0; i < CLI_FORMAT_MAX && (format = tfp_list(TFP_FORMATS, i)); i++)
        cli_print(c->out, " --%s_path", format);
    for (int i = 0; i < CLI_FLAG_COUNT; i++)
        cli_print(c->out, " %s%s", strlen(cli_flags[i].name) == 1 ? "-" : "--", cli_flags[i].name);
}

/* The values of one option, as a row of `case` in the scripts. */
typedef struct value_row {
    cli *c;
    const char *option;
    bool begun;
} value_row;

static void value(void *ctx, const char *word, size_t size)
{
    value_row *row = ctx;
    if (!row->begun) cli_print(row->c->out, "        %s) values='", row->option);
    row->begun = true;
    cli_print(row->c->out, " %.*s", (int)size, word);
}

static void value_cases(cli *c)
{
    static const tfp_table tables[] = { TFP_OPTIONS, TFP_COMMAND_OPTIONS };
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++) {
        const char *name;
        for (size_t i = 0; (name = tfp_list(tables[t], i)); i++) {
            value_row row = { c, name, false };
            /* A boolean's value may be left out, so any word may follow it. */
            if (tfp_options_kind(name) == 'v') cli_values(name, value, &row);
            if (row.begun) cli_print(c->out, "' ;;\n");
        }
    }
    cli_print(c->out, "        fail_on) values='");
    words(c, TFP_CHECKERS, "");
    cli_print(c->out, "' ;;\n        color) values='auto always never' ;;\n"
                      "        compat) values='1.0 tensorflow' ;;\n");
}

/* ---- the options of each command ---- */

typedef void (*option_fn)(cli *c, const char *verb, const char *before, const char *name, const char *help, bool value);

/* The options that change a command's answer. */
static void options_of(cli *c, const char *verb, option_fn tell)
{
    const char *name;
    char path[CLI_NAME_MAX + 8];
    for (size_t i = 0; help_shows_rows(verb) && (name = tfp_list(TFP_OPTIONS, i)); i++)
        if (tfp_option_changes(name, verb))
            tell(c, verb, "-", name, tfp_help(TFP_OPTIONS, name), tfp_options_kind(name) == 'v');
    for (size_t i = 0; (name = tfp_list(TFP_COMMAND_OPTIONS, i)); i++)
        if (cli_has_word(tfp_options_commands(name), verb))
            tell(c, verb, "-", name, tfp_help(TFP_COMMAND_OPTIONS, name), tfp_options_kind(name) == 'v');
    for (size_t i = 0; i < CLI_FORMAT_MAX && (name = tfp_list(TFP_FORMATS, i)); i++) {
        snprintf(path, sizeof path, "%s_path", name);
        tell(c, verb, "--", path, tfp_help(TFP_FORMATS, name), true);
    }
    for (int i = 0; i < CLI_FLAG_COUNT; i++) {
        const cli_flag *f = &cli_flags[i];
        if (f->verb && !cli_has_word(f->verb, verb)) continue;
        tell(c, verb, strlen(f->name) == 1 ? "-" : "--", f->name, f->help, f->value != NULL);
    }
}

static void option_word(cli *c, const char *verb, const char *before, const char *name, const char *help, bool value)
{
    (void)verb, (void)help, (void)value;
    cli_print(c->out, " %s%s", before, name);
}

static void each_verb(cli *c, void (*tell)(cli *c, const char *verb, const char *help))
{
    const char *name;
    for (size_t i = 0; (name = tfp_list(TFP_VIEWS, i)); i++) tell(c, name, tfp_help(TFP_VIEWS, name));
    for (const cli_command *k = cli_commands; k->name; k++)
        if ((k->where & CLI_IN_SHELL) && !(k->where & CLI_HIDDEN)) tell(c, k->name, k->help);
}

static void verb_case(cli *c, const char *verb, const char *help)
{
    (void)help;
    cli_print(c->out, "        %s) words='", verb);
    options_of(c, verb, option_word);
    cli_print(c->out, "' ;;\n");
}

static void bash(cli *c)
{
    text(
        c,
        "# bash completion for tfprof; made by: tfprof completion bash\n"
        "_tfprof() {\n"
        "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} values= name list= verb= words i\n"
        "    COMPREPLY=()\n"
        "    # bash takes '=' as a word of its own\n"
        "    [[ $word == = ]] && word=\n"
        "    [[ $before == = ]] && before=${COMP_WORDS[COMP_CWORD-2]}\n"
        "    name=${before##-}; name=${name##-}; name=${name//-/_}\n"
        "    [[ $before == -* ]] && case $name in\n");
    value_cases(c);
    text(c, "    esac\n"
            "    words='");
    dashed(c);
    text(c, "'\n"
            "    for ((i = 1; i < COMP_CWORD; i++)); do case ${COMP_WORDS[i]} in\n");
    each_verb(c, verb_case);
    text(c, "        *) continue ;;\n"
            "    esac; verb=${COMP_WORDS[i]}; break; done\n"
            "    if [[ -n $values ]]; then\n"
            "        [[ $word == *,* ]] && list=${word%,*},\n"
            "        COMPREPLY=($(compgen -P \"$list\" -W \"$values\" -- \"${word##*,}\"))\n"
            "    elif [[ $word == -* ]]; then\n"
            "        # every option takes one dash or two\n"
            "        words=${words// --/ -}; [[ $word == --* ]] && words=${words// -/ --}\n"
            "        COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
            "    else\n"
            "        compopt -o filenames 2>/dev/null\n"
            "        COMPREPLY=($(compgen -f -- \"$word\"))\n"
            "        [[ -z $verb ]] && COMPREPLY+=($(compgen -W '");
    verbs(c);
    text(c, "' -- \"$word\"))\n"
            "    fi\n"
            "}\n"
            "complete -F _tfprof tfprof\n");
}

static void zsh(cli *c)
{
    text(c, "#compdef tfprof\n"
            "# zsh completion for tfprof; made by: tfprof completion zsh\n"
            "_tfprof() {\n"
            "    local values= name=${words[CURRENT-1]##-}\n"
            "    name=${${name##-}//-/_}\n"
            "    [[ ${words[CURRENT-1]} == -* ]] && case $name in\n");
    value_cases(c);
    text(c, "    esac\n"
            "    if [[ -n $values ]]; then\n"
            "        compset -P '*,'\n"
            "        compadd -q -S '' -- ${=values}\n"
            "    elif [[ ${words[CURRENT]} == -* ]]; then\n"
            "        compadd --");
    dashed(c);
    text(c, "\n    else\n"
            "        (( CURRENT == 2 )) && compadd --");
    verbs(c);
    text(c, "\n        _files\n"
            "    fi\n"
            "}\n"
            "_tfprof \"$@\"\n");
}

/* Writes the first sentence of a description in single quotes, as fish reads them. */
static void fish_text(cli *c, const char *help)
{
    for (const char *at = help ? help : ""; *at; at++) {
        if (*at == '.' && (at[1] == ' ' || !at[1])) break;
        if (*at == '\'' || *at == '\\') cli_write(c->out, "\\", 1);
        cli_write(c->out, at, 1);
    }
}

static void fish_value(void *ctx, const char *word, size_t size)
{
    value_row *row = ctx;
    cli_print(row->c->out, "%s%.*s", row->begun ? " " : " -x -a '", (int)size, word);
    row->begun = true;
}

static void fish_option(cli *c, const char *verb, const char *before, const char *name, const char *help, bool value)
{
    value_row row = { c, name, false };
    cli_print(c->out, "complete -c tfprof -n '__fish_seen_subcommand_from %s' -%s %s", verb,
              strlen(name) == 1          ? "s"
              : strcmp(before, "-") == 0 ? "o"
                                         : "l",
              name);
    if (value) cli_print(c->out, " -r");
    if (value && tfp_options_kind(name) == 'v') cli_values(name, fish_value, &row);
    if (row.begun) cli_print(c->out, "'");
    cli_print(c->out, " -d '");
    fish_text(c, help);
    cli_print(c->out, "'\n");
}

static void fish_verb_lines(cli *c, const char *verb, const char *help)
{
    cli_print(c->out, "complete -c tfprof -n __fish_use_subcommand -a %s -d '", verb);
    fish_text(c, help);
    cli_print(c->out, "'\n");
    options_of(c, verb, fish_option);
}

static void fish(cli *c)
{
    text(c, "# fish completion for tfprof; made by: tfprof completion fish\n");
    each_verb(c, fish_verb_lines);
}

int cli_completion(cli *c, const cli_call *call, tfp_options *o)
{
    static const struct {
        const char *shell;
        void (*write)(cli *c);
    } shells[] = { { "bash", bash }, { "zsh", zsh }, { "fish", fish } };
    (void)o;
    for (size_t i = 0; call->word_count == 1 && i < sizeof shells / sizeof *shells; i++) {
        if (strcmp(call->words[0], shells[i].shell) != 0) continue;
        shells[i].write(c);
        return 0;
    }
    return cli_fault_set(&c->fault, CLI_BAD_USAGE, "completion needs the word bash, zsh or fish");
}
