// SPDX-License-Identifier: Apache-2.0
/* cli/help/help.c: help and the listing of options, all of it printed from the tables of the library and of this program. */
#include "help/rows.h"

#include <string.h>
#include <unistd.h>

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
enum { TABLE_COUNT = sizeof tables / sizeof *tables };

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
    help_names line = { c, 0 };
    cli_print(c->out, "\n  %s:\n", title);
    for (size_t i = 0; (name = tfp_list(TFP_OPS, i)); i++)
        if (strcmp(tfp_help(TFP_OPS, name), formula) == 0) help_add_name(&line, name, strlen(name));
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
    bool all = strcmp(topic, "all") == 0, commands = strcmp(topic, "commands") == 0,
         examples = strcmp(topic, "examples") == 0, status = strcmp(topic, "status") == 0,
         licences = strcmp(topic, "licences") == 0, agents = strcmp(topic, "agents") == 0;
    if (all) help_overview(c);
    if (commands) help_explain_commands(c);
    if (examples) cli_list_examples(c);
    if (status) cli_list_statuses(c);
    if (licences) cli_list_licences(c);
    if (agents) cli_list_agents(c);
    return all || commands || examples || status || licences || agents;
}

static bool about_option(cli *c, const char *name, const tfp_options *o)
{
    size_t r;
    char shown[2 * CLI_NAME_MAX];
    const char *format = cli_path_format(name, strlen(name), &r);
    if (format) {
        cli_print(c->out, "--%s\n  ", name);
        const char *help = tfp_help(TFP_FORMATS, format);
        help_wrapped(c, help ? help : "", 2, 2);
        return true;
    }
    for (int i = 0; i < CLI_FLAG_COUNT; i++) {
        if (strcmp(cli_flags[i].name, name) != 0) continue;
        help_flag_name(&cli_flags[i], shown, sizeof shown);
        cli_print(c->out, "%s\n  ", shown);
        help_wrapped(c, cli_flags[i].help, 2, 2);
        return true;
    }
    if (!tfp_options_kind(name)) return false;
    const char *help = tfp_help(TFP_OPTIONS, name), *value = tfp_options_get(o, name);
    cli_print(c->out, "option -%s%s\n  ", name, tfp_options_kind(name) == 'b' ? " [true|false]" : " VALUE");
    help_wrapped(c, help ? help : "", 2, 2);
    cli_print(c->out, "  in force: ");
    cli_print_safe(c->out, value && *value ? value : "(nothing)");
    cli_print(c->out, "\n");
    help_names words = { c, 0 };
    if (tfp_options_kind(name) == 'v') cli_values(name, help_add_name, &words);
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
            help_wrapped(c, help ? help : "", 2, 2);
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
        if (!found && !option) found = help_command(c, topic, false);
        found |= about_option(c, name, o);
        if (!option) found |= about_row(c, name);
    }
    if (!found && cli_help_other(c, name)) found = help_command(c, cli_near_other(name), false);
    return found ? 0 : unknown_topic(c, topic, name);
}

int cli_help(cli *c, const cli_call *call, tfp_options *o)
{
    if (call->flags[CLI_MAN]) return cli_manual(c);
    /* `tfprof VERB --help` asks about the verb; its other words are files. */
    if (call->command && call->command->run != cli_help) {
        help_command(c, call->name, call->word_count == 1 && strcmp(call->words[0], "all") == 0);
        return 0;
    }
    if (!call->command || call->word_count == 0) {
        if (c->session)
            help_overview(c);
        else
            help_show_subjects(c);
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
