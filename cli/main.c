// SPDX-License-Identifier: Apache-2.0
/* cli/main.c: from argv to an exit status. One command, or a session when no command is named. */
#include "cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int take_colour(cli *c, const cli_call *call)
{
    static const char *const words[] = { "auto", "always", "never" };
    const char *wanted = call->flags[CLI_COLOR];
    if (!wanted) return 0;
    for (int i = 0; i < 3; i++) {
        if (strcmp(wanted, words[i]) != 0) continue;
        c->colour = (cli_colour)i;
        return 0;
    }
    return cli_fault_set(&c->fault, CLI_BAD_USAGE, "option --color must be auto, always or never, not '%s'", wanted);
}

static bool at_terminal(void) { return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO); }

static bool names_files(const cli_call *call)
{
    bool files = call->word_count > 0;
    for (size_t i = 0; i < CLI_FORMAT_MAX; i++) files |= call->paths[i] != NULL;
    return files;
}

/* Shows the contents of the files before the first prompt. */
static void say_contents(cli *c)
{
    tfp_options *o = tfp_options_new();
    if (o) tfp_options_screen(o, cli_screen(c), cli_coloured(c->colour, STDOUT_FILENO));
    tfp_status s = o ? tfp_show(c->profile, "info", o, cli_write, c->out, NULL, c->err) : TFP_NOMEM;
    if (s) c->out->size = 0;
    cli_flush(c->out);
    tfp_options_free(o);
}

/* Options without a command apply to all commands of the session. */
static int session(cli *c, const cli_call *call)
{
    cli_fault shown_anyway;
    int status = cli_apply(c, call, c->options, &shown_anyway);
    if (!status) status = cli_load(c, call, TFP_KEEP_MEMORY | TFP_KEEP_PROGRAM);
    if (!status && names_files(call) && at_terminal()) say_contents(c);
    if (!status) return cli_session(c);
    if (!call->option_count && !names_files(call)) {
        help_show_subjects(c); /* somebody typed the program's name alone */
        if (at_terminal()) return 0;
    }
    cli_complain(c->colour, c->fault.text);
    return status;
}

static int run(cli *c, int argc, char **argv)
{
    cli_call call = { 0 };
    int status = cli_parse(argv + 1, argc > 0 ? (size_t)argc - 1 : 0, CLI_AT_SHELL, &call, &c->fault);
    if (!status) status = take_colour(c, &call);
    if (status) {
        cli_complain(c->colour, c->fault.text);
    } else if (call.flags[CLI_VERSION]) {
        cli_print_version(c);
    } else if (call.command || call.flags[CLI_HELP]) {
        status = cli_run(c, &call);
    } else {
        status = session(c, &call);
    }
    cli_call_free(&call);
    return status;
}

/* Writes the remaining output. The system may report a failed write only when the file is closed. */
static int close_stdout(cli *c)
{
    bool told = c->out->error != 0;
    cli_flush(c->out);
    if (!c->out->error && close(STDOUT_FILENO) != 0 && errno != EBADF && errno != EINTR) c->out->error = errno;
    if (!c->out->error || c->out->gone) return 0;
    if (told) return CLI_BAD_OUTPUT;
    cli_fault_set(&c->fault, CLI_BAD_OUTPUT, "stdout: %s", strerror(c->out->error));
    cli_complain(c->colour, c->fault.text);
    return CLI_BAD_OUTPUT;
}

int main(int argc, char **argv)
{
    cli_open_standard();
    cli_catch_signals();
    cli_flags_start();
    cli_out *out = calloc(1, sizeof *out);
    cli *c = calloc(1, sizeof *c);
    if (out && c) {
        c->out = out;
        c->err = tfp_error_new();
        c->options = tfp_options_new();
    }
    int status = CLI_LIMIT;
    if (!out || !c || !c->err || !c->options) {
        cli_complain(CLI_COLOUR_NEVER, "out of memory");
    } else {
        status = run(c, argc, argv);
        int closed = close_stdout(c);
        if (out->gone && status == CLI_BAD_OUTPUT)
            status = 0; /* the reader has read enough */
        else if (!status)
            status = closed;
    }
    if (c) {
        tfp_profile_free(c->profile);
        tfp_options_free(c->options);
        tfp_error_free(c->err);
    }
    free(c);
    free(out);
    return status;
}
