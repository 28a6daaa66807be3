// SPDX-License-Identifier: Apache-2.0
/* cli/help/rows.c: the layout of help: headings, rows of a name and its text, lists of names. */
#include "help/rows.h"

#include <string.h>
#include <unistd.h>

enum { WIDTH = 100, NAME_WIDTH = 26 };

/* The terminal's width; elsewhere a hundred columns. */
size_t help_width(const cli *c) { return !c->screen ? WIDTH : c->screen < 50 ? 50 : (size_t)c->screen; }

void cli_title(cli *c, const char *text)
{
    bool bold = cli_coloured(c->colour, STDOUT_FILENO);
    cli_print(c->out, "%s%s%s\n", bold ? "\033[1m" : "", text, bold ? "\033[0m" : "");
}

void cli_heading(cli *c, const char *text)
{
    cli_print(c->out, "\n");
    cli_title(c, text);
}

/* Prints text wrapped at blanks; the cursor is at column `at`, further lines begin at `indent`. */
void help_wrapped(cli *c, const char *text, size_t at, size_t indent)
{
    for (bool first = true; *(text += strspn(text, " \n")); first = false) {
        size_t n = strcspn(text, " \n");
        if (!first && at + 1 + n > help_width(c)) {
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
    help_wrapped(c, text ? text : "", NAME_WIDTH, NAME_WIDTH);
}

void help_add_name(void *ctx, const char *word, size_t size)
{
    help_names *row = ctx;
    bool wrap = row->at && row->at + size + 1 > help_width(row->c);
    cli_print(row->c->out, "%s%s%.*s", wrap ? "\n" : "", wrap || !row->at ? "  " : " ", (int)size, word);
    row->at = (wrap || !row->at ? 2 : row->at + 1) + size;
}

void help_add_names(help_names *row, tfp_table table, const char *before)
{
    const char *name;
    char shown[CLI_NAME_MAX + 2];
    for (size_t i = 0; (name = tfp_list(table, i)); i++) {
        int n = snprintf(shown, sizeof shown, "%s%s", before, name);
        help_add_name(row, shown, (size_t)n < sizeof shown ? (size_t)n : sizeof shown - 1);
    }
}

void help_list_names(cli *c, tfp_table table, const char *before)
{
    help_names row = { c, 0 };
    help_add_names(&row, table, before);
    cli_print(c->out, "\n");
}

/* The flag as users type it: "--fail-on CHECKER,...". */
void help_flag_name(const cli_flag *flag, char *room, size_t size)
{
    snprintf(room, size, "%s%s%s%s", strlen(flag->name) == 1 ? "-" : "--", flag->name, flag->value ? " " : "",
             flag->value ? flag->value : "");
    for (char *at = room; *at && *at != ' '; at++)
        if (*at == '_') *at = '-';
}
