// SPDX-License-Identifier: Apache-2.0
/* cli/help/command.c: the help of one command: what it is, examples, the options that change its answer. */
#include "help/rows.h"

#include <string.h>

static void list_flags(cli *c, const char *command)
{
    char shown[2 * CLI_NAME_MAX];
    for (int i = 0; i < CLI_FLAG_COUNT; i++) {
        if (!cli_flags[i].verb || !cli_has_word(cli_flags[i].verb, command)) continue;
        help_flag_name(&cli_flags[i], shown, sizeof shown);
        cli_row(c, shown, cli_flags[i].help);
    }
}

static void list_option(cli *c, tfp_table table, const char *name)
{
    char shown[CLI_NAME_MAX + 2];
    snprintf(shown, sizeof shown, "-%s", name);
    cli_row(c, shown, tfp_help(table, name));
}

/* The options that belong to single commands, this one among them. */
static void list_own(cli *c, const char *command)
{
    const char *name;
    for (size_t i = 0; (name = tfp_list(TFP_COMMAND_OPTIONS, i)); i++)
        if (cli_has_word(tfp_options_commands(name), command)) list_option(c, TFP_COMMAND_OPTIONS, name);
}

bool help_shows_rows(const char *command)
{
    return tfp_help(TFP_VIEWS, command) || strcmp(command, "diff") == 0 || strcmp(command, "stats") == 0;
}

/* The minimums, of which there is one for each column, as one row. */
static void list_minimums(cli *c)
{
    char text[1024] = "Show rows with at least this much (of times and bytes with a unit, such as 10ms or 1MB):";
    const char *name;
    for (size_t i = 0; (name = tfp_list(TFP_OPTIONS, i)); i++) {
        size_t n = strlen(text);
        if (strncmp(name, "min_", 4) == 0) snprintf(text + n, sizeof text - n, " %s", name + 4);
    }
    cli_row(c, "-min_COLUMN", text);
}

/* The options of all views; unless `all`, those that change the answer of this command. */
static void list_general(cli *c, const char *command, bool all)
{
    const char *name;
    bool minimums = false;
    for (size_t i = 0; help_shows_rows(command) && (name = tfp_list(TFP_OPTIONS, i)); i++) {
        if (!all && !tfp_option_changes(name, command)) continue;
        if (all || strncmp(name, "min_", 4) != 0) {
            list_option(c, TFP_OPTIONS, name);
        } else if (!minimums) {
            list_minimums(c);
            minimums = true;
        }
    }
}

bool help_command(cli *c, const char *topic, bool all)
{
    const char *name;
    char text[256];
    const cli_command *command = cli_command_find(topic, &name);
    if (!command) return false;
    const char *program = command->where & CLI_IN_SHELL ? "tfprof " : "", *help = command->help;
    cli_print(c->out, "%s%s%s%s\n  ", program, name, *command->usage ? " " : "", command->usage);
    if (!help) help = tfp_help(TFP_VIEWS, name);
    help_wrapped(c, help ? help : "", 2, 2);
    cli_list_own_examples(c, name);
    size_t before = c->out->size;
    cli_heading(c, "Options");
    size_t begun = c->out->size;
    list_flags(c, name);
    list_own(c, name);
    list_general(c, name, all);
    if (c->out->size == begun) c->out->size = before; /* there are none */
    if (all || c->session || !help_shows_rows(name)) return true;
    snprintf(text, sizeof text, "`tfprof %s --help all` lists the options of other views, too, which it takes.", name);
    cli_print(c->out, "\n");
    help_wrapped(c, text, 0, 0);
    return true;
}
