// SPDX-License-Identifier: Apache-2.0
/* cli/help.c: help and the listing of options, all of it printed from the tables of the library and of this program. */
#include "cli.h"

#include <string.h>
#include <unistd.h>

enum { WIDTH = 100, NAME_WIDTH = 26 };

/* The terminal's width; elsewhere a hundred columns. */
static size_t width_of(const cli *c) { return !c->screen ? WIDTH : c->screen < 50 ? 50 : (size_t)c->screen; }

/* clang-format off */
/* Tables that help can list whole, in the order of the overview. */
static const struct {
    const char *topic;
    tfp_table table;
    const char *title;
} tables[] = {
    { "views",    TFP_VIEWS,    "Views" },
    { "columns",  TFP_COLUMNS,  "Columns (-select)" },
    { "orders",   TFP_ORDERS,   "Orders (-order_by)" },
    { "outputs",  TFP_OUTPUTS,  "Outputs" },
    { "formats",  TFP_FORMATS,  "Input formats" },
    { "checkers", TFP_CHECKERS, "Checkers of advise" },
    { "notes",    TFP_NOTES,    "Codes of notes" },
    { "ops",      TFP_OPS,      "Operations and their float operations: n(x) is the number of elements of x" },
    { "options",  TFP_OPTIONS,  "Options" },
    { "options",  TFP_COMMAND_OPTIONS, "Options of single commands" },
};
/* clang-format on */
enum { TABLE_COUNT = sizeof tables / sizeof *tables, OPTION_TABLE = TABLE_COUNT - 2 };

void cli_heading(cli *c, const char *text)
{
    bool bold = cli_coloured(c->colour, STDOUT_FILENO);
    cli_print(c->out, "\n%s%s%s\n", bold ? "\033[1m" : "", text, bold ? "\033[0m" : "");
}

/* Prints text wrapped at blanks; the cursor is at column `at`, further lines begin at `indent`. */
static void wrapped(cli *c, const char *text, size_t at, size_t indent)
{
    for (bool first = true; *(text += strspn(text, " \n")); first = false) {
        size_t n = strcspn(text, " \n");
        if (!first && at + 1 + n > width_of(c)) {
            cli_print(c->out, "\n%*s", (int)indent, "");
            at = indent;
        } else if (!first) {
            cli_print(c->out, " ");
            at++;
        }
        cli_print(c->out, "%.*s", (int)n, text);
        text += n;
        at += n;
    }
    cli_print(c->out, "\n");
}

void cli_row(cli *c, const char *name, const char *text)
{
    size_t n = strlen(name);
    cli_print(c->out, "  %s", name);
    if (n + 2 >= NAME_WIDTH)
        cli_print(c->out, "\n%*s", NAME_WIDTH, "");
    else
        cli_print(c->out, "%*s", (int)(NAME_WIDTH - 2 - n), "");
    wrapped(c, text ? text : "", NAME_WIDTH, NAME_WIDTH);
}

/* Names only, side by side. */
typedef struct names_row {
    cli *c;
    size_t at; /* column of the cursor; 0 before the first */
} names_row;

static void add_name(void *ctx, const char *word, size_t size)
{
    names_row *row = ctx;
    bool wrap = row->at && row->at + size + 1 > width_of(row->c);
    cli_print(row->c->out, "%s%s%.*s", wrap ? "\n" : "", wrap || !row->at ? "  " : " ", (int)size, word);
    row->at = (wrap || !row->at ? 2 : row->at + 1) + size;
}

static void add_names(names_row *row, tfp_table table, const char *before)
{
    const char *name;
    char shown[CLI_NAME_MAX + 2];
    for (size_t i = 0; (name = tfp_list(table, i)); i++) {
        int n = snprintf(shown, sizeof shown, "%s%s", before, name);
        add_name(row, shown, (size_t)n < sizeof shown ? (size_t)n : sizeof shown - 1);
    }
}

static void names(cli *c, tfp_table table, const char *before)
{
    names_row row = { c, 0 };
    add_names(&row, table, before);
    cli_print(c->out, "\n");
}

enum { OP_TEXT = 1024 };

/* The formula of an operation and its source; the meaning of a column, and its meaning in a trace. */
static const char *help_of(tfp_table table, const char *name, char *room, size_t size)
{
    const char *help = tfp_help(table, name), *trace = tfp_help(TFP_TRACE_COLUMNS, name);
    if (help && table == TFP_OPS)
        snprintf(room, size, "%s -- %s", help, tfp_help(TFP_OP_SOURCES, name));
    else if (help && table == TFP_COLUMNS && strcmp(help, trace) != 0)
        snprintf(room, size, "%s In a trace of events: %s", help, trace);
    else
        return help;
    return room;
}

/* Operations with one formula share a paragraph: most move data, and a few cannot be counted. */
static void list_ops_of(cli *c, const char *formula, const char *title)
{
    const char *name;
    names_row line = { c, 0 };
    cli_print(c->out, "\n  %s:\n", title);
    for (size_t i = 0; (name = tfp_list(TFP_OPS, i)); i++)
        if (strcmp(tfp_help(TFP_OPS, name), formula) == 0) add_name(&line, name, strlen(name));
    cli_print(c->out, "\n");
}

static void list_ops(cli *c)
{
    static const char moves[] = "0", none[] = "no formula";
    const char *name, *formula;
    char text[OP_TEXT];
    for (size_t i = 0; (name = tfp_list(TFP_OPS, i)); i++) {
        formula = tfp_help(TFP_OPS, name);
        if (strcmp(formula, moves) != 0 && strcmp(formula, none) != 0)
            cli_row(c, name, help_of(TFP_OPS, name, text, sizeof text));
    }
    list_ops_of(c, moves, "Move, name or make data, and count 0");
    list_ops_of(c, none, "Have no formula");
}

static void list_table(cli *c, size_t t)
{
    const char *name;
    char shown[CLI_NAME_MAX + 2];
    cli_heading(c, tables[t].title);
    if (tables[t].table == TFP_OPS) {
        list_ops(c);
        return;
    }
    for (size_t i = 0; (name = tfp_list(tables[t].table, i)); i++) {
        snprintf(shown, sizeof shown, "%s%s", strcmp(tables[t].topic, "options") == 0 ? "-" : "", name);
        cli_row(c, shown, tfp_help(tables[t].table, name));
    }
}

static void list_commands(cli *c)
{
    const char *name;
    cli_heading(c, "Views");
    for (size_t i = 0; (name = tfp_list(TFP_VIEWS, i)); i++) cli_row(c, name, tfp_help(TFP_VIEWS, name));
    cli_heading(c, "Commands");
    for (const cli_command *k = cli_commands; k->name; k++)
        if (!(k->where & CLI_HIDDEN) && (!c->session || (k->where & CLI_IN_PROMPT))) cli_row(c, k->name, k->help);
}

/* The flag as users type it: "--fail-on CHECKER,...". */
static void flag_name(const cli_flag *flag, char *room, size_t size)
{
    snprintf(room, size, "%s%s%s%s", strlen(flag->name) == 1 ? "-" : "--", flag->name, flag->value ? " " : "",
             flag->value ? flag->value : "");
    for (char *at = room; *at && *at != ' '; at++)
        if (*at == '_') *at = '-';
}

static void list_flags(cli *c)
{
    char shown[2 * CLI_NAME_MAX];
    const char *format;
    cli_heading(c, "Input (plain FILE words are known by their content)");
    for (size_t i = 0; i < CLI_FORMAT_MAX && (format = tfp_list(TFP_FORMATS, i)); i++) {
        snprintf(shown, sizeof shown, "--%s_path F%s", format,
                 tfp_format_is(format, TFP_FORMAT_SEVERAL) ? ",F..." : "");
        cli_row(c, shown, tfp_help(TFP_FORMATS, format));
    }
    cli_heading(c, "Program");
    for (int i = 0; i < CLI_FLAG_COUNT; i++) {
        if (cli_flags[i].verb) continue;
        flag_name(&cli_flags[i], shown, sizeof shown);
        cli_row(c, shown, cli_flags[i].help);
    }
}

/* `help COMMAND` explains them. Those of commands that the prompt lacks stand in the shell's overview only. */
static void list_single_options(cli *c)
{
    char shown[2 * CLI_NAME_MAX];
    names_row row = { c, 0 };
    cli_heading(c, c->session ? "Options of single commands (help COMMAND)"
                              : "Options of single commands (tfprof help COMMAND)");
    add_names(&row, TFP_COMMAND_OPTIONS, "-");
    for (int i = 0; i < CLI_FLAG_COUNT && !c->session; i++) {
        if (!cli_flags[i].verb) continue;
        flag_name(&cli_flags[i], shown, sizeof shown);
        add_name(&row, shown, strcspn(shown, " "));
    }
    cli_print(c->out, "\n");
}

/* A form of the command line with its explanation beside or below it. */
static void synopsis(cli *c, const char *form, const char *text)
{
    enum { BEHIND = 45, BELOW = 6 };
    size_t n = 2 + strlen(form), at = n < BEHIND && BEHIND + strlen(text) <= width_of(c) ? BEHIND : BELOW;
    cli_print(c->out, "  %s", form);
    if (*text) cli_print(c->out, at == BEHIND ? "%*s" : "\n%*s", (int)(at == BEHIND ? at - n : at), "");
    wrapped(c, text, at, at);
}

static void overview(cli *c)
{
    const char *program = c->session ? "" : "tfprof ";
    char text[640];
    snprintf(text, sizeof text, "tfprof %s: where a model's parameters, float operations, memory and time go",
             tfp_version());
    wrapped(c, text, 0, 0);
    cli_print(c->out, "\n");
    if (c->session) {
        synopsis(c, "VERB [-option value ...]", "an empty line lists the options in force");
    } else {
        synopsis(c, "tfprof VERB [FILE...] [-option value ...]", "");
        synopsis(c, "tfprof [FILE...] [-option value ...]", "the prompt, or commands from stdin");
    }
    list_commands(c);
    if (!c->session) list_flags(c);
    cli_heading(c, "Options (-opt value, --opt value, -opt=value, --opt=value)");
    names(c, TFP_OPTIONS, "-");
    list_single_options(c);
    cli_heading(c, "Columns (-select)");
    names(c, TFP_COLUMNS, "");
    cli_print(c->out, "\n");
    snprintf(
        text, sizeof text,
        "`%shelp NAME` explains any of these; `%shelp options`, `columns`, `orders`, `outputs`, `formats`, "
        "`checkers`, `ops`, `status` and `examples` explain all of a kind; `%shelp licences` "
        "prints the licences, `%shelp agents` a skill file for assistants, `%shelp schema [NAME]` the JSON Schema of "
        "what programs read.",
        program, program, program, program, program);
    wrapped(c, text, 0, 0);
}

/* ---- one topic ---- */
static bool whole_table(cli *c, const char *topic)
{
    bool found = false;
    for (size_t t = 0; t < TABLE_COUNT; t++) {
        if (strcmp(tables[t].topic, topic) != 0) continue;
        list_table(c, t);
        found = true;
    }
    if (found) return true;
    bool commands = strcmp(topic, "commands") == 0, examples = strcmp(topic, "examples") == 0,
         status = strcmp(topic, "status") == 0, licences = strcmp(topic, "licences") == 0,
         agents = strcmp(topic, "agents") == 0;
    if (commands) list_commands(c);
    if (examples) cli_list_examples(c);
    if (status) cli_list_statuses(c);
    if (licences) cli_list_licences(c);
    if (agents) cli_list_agents(c);
    return commands || examples || status || licences || agents;
}

/* The options of this command that other commands do not take. */
static void list_own_options(cli *c, const char *command)
{
    const char *name;
    char shown[CLI_NAME_MAX + 2];
    for (size_t i = 0; (name = tfp_list(TFP_COMMAND_OPTIONS, i)); i++) {
        if (!cli_has_word(tfp_options_commands(name), command)) continue;
        snprintf(shown, sizeof shown, "-%s", name);
        cli_row(c, shown, tfp_help(TFP_COMMAND_OPTIONS, name));
    }
}

static void hint_at_options(cli *c, const char *view)
{
    char text[256];
    snprintf(text, sizeof text, "-step N, -top N, -order_by COLUMN, -format csv and other options: `%s%s%s`",
             c->session ? "help options" : "tfprof ", c->session ? "" : view, c->session ? "" : " --help");
    cli_print(c->out, "\n  ");
    wrapped(c, text, 2, 2);
}

static bool about_command(cli *c, const char *topic)
{
    const char *name;
    const cli_command *command = cli_command_find(topic, &name);
    if (!command) return false;
    bool shell = command->where & CLI_IN_SHELL;
    cli_print(c->out, "%s%s%s%s\n  ", shell ? "tfprof " : "", name, *command->usage ? " " : "", command->usage);
    const char *help = command->help ? command->help : tfp_help(TFP_VIEWS, name);
    wrapped(c, help ? help : "", 2, 2);
    for (int i = 0; i < CLI_FLAG_COUNT; i++) {
        char shown[2 * CLI_NAME_MAX];
        if (!cli_flags[i].verb || !cli_has_word(cli_flags[i].verb, name)) continue;
        flag_name(&cli_flags[i], shown, sizeof shown);
        cli_row(c, shown, cli_flags[i].help);
    }
    list_own_options(c, name);
    cli_list_own_examples(c, name);
    return true;
}

static bool about_option(cli *c, const char *name, const tfp_options *o)
{
    size_t r;
    char shown[2 * CLI_NAME_MAX];
    const char *format = cli_path_format(name, strlen(name), &r);
    if (format) {
        cli_print(c->out, "--%s\n  ", name);
        const char *help = tfp_help(TFP_FORMATS, format);
        wrapped(c, help ? help : "", 2, 2);
        return true;
    }
    for (int i = 0; i < CLI_FLAG_COUNT; i++) {
        if (strcmp(cli_flags[i].name, name) != 0) continue;
        flag_name(&cli_flags[i], shown, sizeof shown);
        cli_print(c->out, "%s\n  ", shown);
        wrapped(c, cli_flags[i].help, 2, 2);
        return true;
    }
    if (!tfp_options_kind(name)) return false;
    const char *help = tfp_help(TFP_OPTIONS, name), *value = tfp_options_get(o, name);
    cli_print(c->out, "option -%s%s\n  ", name, tfp_options_kind(name) == 'b' ? " [true|false]" : " VALUE");
    wrapped(c, help ? help : "", 2, 2);
    cli_print(c->out, "  in force: ");
    cli_print_safe(c->out, value && *value ? value : "(nothing)");
    cli_print(c->out, "\n");
    names_row words = { c, 0 };
    if (tfp_options_kind(name) == 'v') cli_values(name, add_name, &words);
    if (words.at) cli_print(c->out, "\n");
    return true;
}

static bool about_row(cli *c, const char *name)
{
    bool found = false;
    for (size_t t = 1; strcmp(tables[t].topic, "options") != 0; t++) {
        const char *listed;
        for (size_t i = 0; (listed = tfp_list(tables[t].table, i)); i++) {
            if (strcmp(listed, name) != 0) continue;
            char text[OP_TEXT];
            const char *help = help_of(tables[t].table, name, text, sizeof text);
            cli_print(c->out, "%.*s %s\n  ", (int)strlen(tables[t].topic) - 1, tables[t].topic, name);
            wrapped(c, help ? help : "", 2, 2);
            found = true;
        }
    }
    return found;
}

/* A topic in the form of a name: leading dashes dropped, other '-' as '_'. False when it cannot be a name. */
static bool plain_name(const char *topic, char *name)
{
    topic += strspn(topic, "-");
    size_t n = strlen(topic);
    if (n > CLI_NAME_MAX) return false;
    for (size_t i = 0; i <= n; i++) name[i] = topic[i] == '-' ? '_' : topic[i];
    return n > 0;
}

static int unknown_topic(cli *c, const char *topic, const char *name)
{
    cli_near near = cli_near_start(name);
    const char *listed;
    for (size_t t = 0; t < TABLE_COUNT; t++)
        for (size_t i = 0; (listed = tfp_list(tables[t].table, i)); i++) cli_near_try(&near, listed);
    for (const cli_command *k = cli_commands; k->name; k++) cli_near_try(&near, k->name);
    if ((listed = cli_near_other(name))) snprintf(near.best, sizeof near.best, "%s", listed);
    return cli_fault_set(&c->fault, CLI_BAD_USAGE, "no help on '%s'%s%s%s", topic,
                         *near.best ? "; did you mean " : "; tfprof help lists what there is", near.best,
                         *near.best ? "?" : "");
}

static int about(cli *c, const char *topic, const tfp_options *o)
{
    char name[CLI_NAME_MAX + 1] = "";
    bool option = topic[0] == '-', found = false;
    if (plain_name(topic, name)) {
        if (!option) found = whole_table(c, name);
        if (!found && !option && (found = about_command(c, topic)) && tfp_help(TFP_VIEWS, name))
            hint_at_options(c, name);
        found |= about_option(c, name, o);
        if (!option) found |= about_row(c, name);
    }
    if (!found && cli_help_other(c, name)) found = about_command(c, cli_near_other(name));
    return found ? 0 : unknown_topic(c, topic, name);
}

int cli_help(cli *c, const cli_call *call, tfp_options *o)
{
    if (call->flags[CLI_MAN]) return cli_manual(c);
    /* `tfprof VERB --help` asks about the verb; its other words are files. */
    if (call->command && call->command->run != cli_help) {
        about_command(c, call->name);
        if (tfp_help(TFP_VIEWS, call->name)) list_table(c, OPTION_TABLE);
        return 0;
    }
    if (!call->command || call->word_count == 0) {
        overview(c);
        return 0;
    }
    if (strcmp(call->words[0], "schema") == 0 && call->word_count < 3)
        return cli_list_schema(c, call->word_count == 2 ? call->words[1] : NULL);
    for (size_t i = 0; i < call->word_count; i++) {
        int status = about(c, call->words[i], o);
        if (status) return status;
    }
    if (call->option_count) { /* -compat: the rules in force with it */
        cli_print(c->out, "\n");
        cli_list_options(c, o, false);
    }
    return 0;
}

/* ---- the options and their values ---- */
static void list_option(cli *c, const tfp_options *o, const char *name)
{
    const char *value = tfp_options_get(o, name);
    cli_print(c->out, "-%-27s", name);
    cli_print_safe(c->out, value ? value : "");
    cli_print(c->out, "\n");
}

/* Lists options as TensorFlow's tool does, for scripts; with `all` the others follow. */
void cli_list_options(cli *c, const tfp_options *o, bool all)
{
    const char *name;
    for (size_t i = 0; (name = tfp_list(TFP_OPTIONS, i)); i++)
        if (tfp_options_listed(o, name)) list_option(c, o, name);
    for (size_t i = 0; all && (name = tfp_list(TFP_OPTIONS, i)); i++)
        if (!tfp_options_listed(o, name)) list_option(c, o, name);
    for (size_t i = 0; all && (name = tfp_list(TFP_COMMAND_OPTIONS, i)); i++) list_option(c, o, name);
}
