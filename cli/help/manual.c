// SPDX-License-Identifier: Apache-2.0
/* cli/help/manual.c: the manual page tfprof(1) as roff, written from the same tables as help: tfprof help --man. */
#include "cli.h"

#include <string.h>

/* Writes text so that roff interprets none of its characters. */
static void plain(cli *c, const char *text)
{
    if (*text == '.' || *text == '\'') cli_print(c->out, "\\&");
    for (; *text; text++) {
        if (*text == '\\')
            cli_print(c->out, "\\e");
        else if (*text == '-')
            cli_print(c->out, "\\-");
        else
            cli_write(c->out, text, 1);
    }
}

static void section(cli *c, const char *title) { cli_print(c->out, ".SH %s\n", title); }

static void paragraph(cli *c, const char *text)
{
    cli_print(c->out, ".PP\n");
    plain(c, text);
    cli_print(c->out, "\n");
}

static void entry(cli *c, const char *before, const char *name, const char *value, const char *help)
{
    cli_print(c->out, ".TP\n\\fB");
    plain(c, before);
    plain(c, name);
    cli_print(c->out, "\\fR");
    if (value && *value) {
        cli_print(c->out, " \\fI");
        plain(c, value);
        cli_print(c->out, "\\fR");
    }
    cli_print(c->out, "\n");
    plain(c, help && *help ? help : " ");
    cli_print(c->out, "\n");
}

static void table(cli *c, const char *title, tfp_table t)
{
    const char *name;
    section(c, title);
    for (size_t i = 0; (name = tfp_list(t, i)); i++) entry(c, "", name, NULL, tfp_help(t, name));
}

static void commands(cli *c)
{
    const char *name, *same;
    section(c, "COMMANDS");
    for (size_t i = 0; (name = tfp_list(TFP_VIEWS, i)); i++)
        entry(c, "", name, cli_command_find(name, &same)->usage, tfp_help(TFP_VIEWS, name));
    for (const cli_command *k = cli_commands; k->name; k++)
        if (!(k->where & CLI_HIDDEN)) entry(c, "", k->name, k->usage, k->help);
}

/* The help text, preceded by the commands that take the option. */
static const char *of_commands(const char *commands, const char *help, char text[1024])
{
    size_t n = 0;
    if (!commands || !*commands) return help;
    text[n++] = '(';
    for (const char *at = commands; *at && n < 512; at++) {
        if (*at == ' ') text[n++] = ',';
        text[n++] = *at;
    }
    snprintf(text + n, 1024 - n, ") %s", help);
    return text;
}

static void flags(cli *c)
{
    char name[CLI_NAME_MAX + 8];
    const char *format;
    section(c, "INPUT");
    paragraph(c, "Plain FILE words are known by their content; - is standard input. These flags name the format:");
    for (size_t i = 0; i < CLI_FORMAT_MAX && (format = tfp_list(TFP_FORMATS, i)); i++) {
        snprintf(name, sizeof name, "%s_path", format);
        entry(c, "--", name, tfp_format_is(format, TFP_FORMAT_SEVERAL) ? "FILE,FILE..." : "FILE",
              tfp_help(TFP_FORMATS, format));
    }
    section(c, "PROGRAM OPTIONS");
    for (int i = 0; i < CLI_FLAG_COUNT; i++) {
        char text[1024];
        const cli_flag *flag = &cli_flags[i];
        entry(c, strlen(flag->name) == 1 ? "-" : "--", flag->name, flag->value,
              of_commands(flag->verb, flag->help, text));
    }
}

static void option_entries(cli *c, const tfp_options *o, tfp_table table)
{
    char text[2048], own[1024];
    const char *name;
    for (size_t i = 0; (name = tfp_list(table, i)); i++) {
        const char *help = tfp_help(table, name), *value = tfp_options_get(o, name);
        help = of_commands(table == TFP_COMMAND_OPTIONS ? tfp_options_commands(name) : NULL, help ? help : "", own);
        snprintf(text, sizeof text, "%s%s%s%s", help, value && *value ? " Default: " : "", value ? value : "",
                 value && *value ? "." : "");
        entry(c, "-", name, tfp_options_kind(name) == 'b' ? "[true|false]" : "VALUE", text);
    }
}

static int options(cli *c)
{
    tfp_options *o = tfp_options_new();
    if (!o) return cli_fault_set(&c->fault, CLI_LIMIT, "out of memory");
    section(c, "REPORT OPTIONS");
    paragraph(
        c,
        "-opt value, --opt value, -opt=value and --opt=value are the same, and so are - and _ inside a name. A boolean "
        "option takes the next word only if that is true, t, yes, y, 1, false, f, no, n or 0. If an option is given "
        "twice, the last value counts.");
    option_entries(c, o, TFP_OPTIONS);
    section(c, "OPTIONS OF SINGLE COMMANDS");
    paragraph(c,
              "Each text begins with the commands that take the option. These commands take the report options, too.");
    option_entries(c, o, TFP_COMMAND_OPTIONS);
    tfp_options_free(o);
    return 0;
}

static void prompt(cli *c)
{
    section(c, "THE PROMPT");
    paragraph(c,
              "Without a command tfprof asks for commands with the prompt tfprof>, or reads them from standard input "
              "when that "
              "is no terminal. The options of the command line, and those that set keeps, hold for every command; the "
              "options of another command hold for it alone. Words split at blanks; quotes are taken off the ends of a "
              "value. An empty line lists the options in force. Tab completes commands, options, columns and names of "
              "nodes. A line that is wrong is reported in one line on standard error, and the session goes on; Ctrl-C "
              "clears the line, Ctrl-D ends the session.");
}

static void ends(cli *c)
{
    char number[16];
    section(c, "EXIT STATUS");
    for (const cli_status_text *s = cli_statuses; s->help; s++) {
        snprintf(number, sizeof number, "%d", s->status);
        entry(c, "", number, NULL, s->help);
    }
    section(c, "ENVIRONMENT");
    entry(c, "", "NO_COLOR", NULL, "when set and not empty: no colour");
    entry(c, "", "XDG_CACHE_HOME", NULL, "the folder of tfprof, where --cache keeps what it read; ~/.cache when unset");
    entry(c, "", "XDG_STATE_HOME", NULL,
          "the folder of tfprof/history, which keeps the lines of the prompt; ~/.local/state when unset");
    section(c, "EXAMPLES");
    for (const cli_example *e = cli_examples; e->command; e++) entry(c, "", e->command, NULL, e->help);
}

int cli_manual(cli *c)
{
    cli_print(c->out, ".TH TFPROF 1 \"\" \"tfprof %s\" \"User Commands\"\n", tfp_version());
    section(c, "NAME");
    cli_print(c->out, "tfprof \\- where a model's parameters, float operations, memory and time go\n");
    section(c, "SYNOPSIS");
    cli_print(c->out, ".B tfprof\n.I COMMAND\n[\\fIFILE\\fR...] [\\fB\\-option\\fR \\fIvalue\\fR ...]\n.br\n"
                      ".B tfprof\n[\\fIFILE\\fR...] [\\fB\\-option\\fR \\fIvalue\\fR ...]\n");
    section(c, "DESCRIPTION");
    paragraph(
        c, "tfprof reads what a deep-learning framework wrote about a model and its runs, and shows parameters, float "
           "operations, memory and time by name scope, by graph, by operation type or by line of code. Reports go to "
           "standard output; progress, coverage, warnings and errors go to standard error.");
    commands(c);
    flags(c);
    int status = options(c);
    if (status) return status;
    table(c, "COLUMNS", TFP_COLUMNS);
    table(c, "OUTPUTS", TFP_OUTPUTS);
    table(c, "CHECKERS", TFP_CHECKERS);
    prompt(c);
    ends(c);
    return 0;
}
