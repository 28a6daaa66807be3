// SPDX-License-Identifier: Apache-2.0
/* cli/help/rows.h: the layout of help, for the files of this folder. */
#ifndef TFP_CLI_HELP_ROWS_H
#define TFP_CLI_HELP_ROWS_H

#include "cli.h"

size_t help_width(const cli *c);          /* of the terminal; elsewhere a hundred columns */
void cli_title(cli *c, const char *text); /* a heading without an empty line before it */

/* Prints text wrapped at blanks; the cursor is at column `at`, further lines begin at `indent`. */
void help_wrapped(cli *c, const char *text, size_t at, size_t indent);

/* Names only, side by side. */
typedef struct help_names {
    cli *c;
    size_t at; /* column of the cursor; 0 before the first */
} help_names;
void help_add_name(void *names, const char *word, size_t size);
void help_add_names(help_names *names, tfp_table table, const char *before);
void help_list_names(cli *c, tfp_table table, const char *before);

/* The flag as users type it: "--fail-on CHECKER,...". */
void help_flag_name(const cli_flag *flag, char *room, size_t size);

/* overview.c: every command, by subject. */
void help_explain_commands(cli *c);
void help_overview(cli *c); /* `tfprof help all` */

/* command.c */
bool help_shows_rows(const char *command); /* whether it takes the options of views */
/* Explains a command, false: there is none of that name. With `all` every option that it takes is listed, else those that
 * change its answer. */
bool help_command(cli *c, const char *topic, bool all);

#endif
