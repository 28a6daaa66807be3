// SPDX-License-Identifier: Apache-2.0
/* cli/live/capture.c: the command capture: records many running jobs at once, and prints a line for each when it
 * ends. */
#include "cli.h"

#include <string.h>

typedef struct shown {
    cli *c;
    bool text, lines; /* text: for people, a line for each row when it comes; lines: the same as JSON */
    bool failed;
} shown;

static int show_row(void *ctx, const tfp_report *columns, const char *text, const char *json)
{
    shown *s = ctx;
    if (columns && s->lines) s->failed |= tfp_report_write(columns, "jsonl", cli_write, s->c->out, s->c->err) != TFP_OK;
    if (text && s->text) cli_print(s->c->out, "%s\n", text);
    if (json && s->lines) cli_print(s->c->out, "%s\n", json);
    if ((text || columns) && (s->text || s->lines) && cli_flush(s->c->out)) s->failed = true;
    return cli_interrupted || s->failed;
}

/* Shows the command that opens each recorded job. */
static void show_commands(cli *c, const tfp_live *l, const tfp_report *r)
{
    char file[512], last[512] = "";
    for (size_t row = 0; row < tfp_report_row_count(r); row++) {
        tfp_report_string(r, row, "file", file, sizeof file);
        file[strcspn(file, "/")] = '\0';
        if (!*file || strcmp(file, last) == 0) continue;
        if (!*last) cli_print(c->out, "\nto look at it:\n");
        strcpy(last, file);
        cli_print(c->out, "  tfprof summary %s/%s\n", tfp_live_results(l), file);
    }
}

static int put_rest(cli *c, const tfp_live *l, tfp_report *r, const tfp_options *o, const shown *s)
{
    const char *note;
    if (!s->text && !s->lines) return cli_put_live(c, r, o);
    for (size_t i = 0; (note = tfp_report_note(r, i)); i++) cli_tell_remark(c, note);
    if (s->text) show_commands(c, l, r);
    tfp_report_free(r);
    return cli_flush(c->out) ? cli_stdout_fault(c) : 0;
}

int cli_capture(cli *c, const cli_call *call, tfp_options *o)
{
    tfp_report *r = NULL;
    int status, end = TFP_CAPTURE_ALL;
    if (!call->word_count && !call->flags[CLI_ALL])
        return cli_fault_set(&c->fault, CLI_BAD_USAGE, "capture needs PID, NAME, HOST:PORT, http://HOST:PORT or --all");
    for (size_t i = 0; i < call->word_count; i++)
        if (cli_is_url(call->words[i])) return cli_engine_capture(c, call);
    static const cli_flag_id for_urls[] = { CLI_ENGINE, CLI_SECONDS, CLI_SERVER_DIR };
    for (size_t i = 0; i < sizeof for_urls / sizeof *for_urls; i++)
        if (call->flags[for_urls[i]])
            return cli_fault_set(&c->fault, CLI_BAD_USAGE, "--%s goes with http://HOST:PORT only",
                                 cli_flags[for_urls[i]].name);
    if (call->flags[CLI_MS] && call->flags[CLI_STEPS])
        return cli_fault_set(&c->fault, CLI_BAD_USAGE, "--ms and --steps exclude each other");
    bool window = call->flags[CLI_MS] || call->flags[CLI_STEPS] || call->flags[CLI_ATTACH] || call->flags[CLI_ALIGN];
    if ((call->flags[CLI_SNAPSHOT] && (window || call->flags[CLI_RECORDER])) || (call->flags[CLI_RECORDER] && window))
        return cli_fault_set(&c->fault, CLI_BAD_USAGE,
                             "--snapshot and --recorder exclude each other, and --ms, --steps, --attach and --align");
    if (call->flags[CLI_VIA] &&
        (call->flags[CLI_SNAPSHOT] || call->flags[CLI_RECORDER] || call->flags[CLI_ATTACH] || call->flags[CLI_ALIGN]))
        return cli_fault_set(
            &c->fault, CLI_BAD_USAGE,
            "--via kineto goes with --ms or --steps, not with --attach, --align, --snapshot or --recorder");
    if (call->flags[CLI_AGENT]) return cli_remote_capture(c, call, o);
    tfp_live *l = tfp_live_new();
    if (!l) return cli_fault_set(&c->fault, CLI_LIMIT, "out of memory");
    tfp_status s = call->flags[CLI_O] ? tfp_live_set(l, "dir", call->flags[CLI_O], c->err) : TFP_OK;
    if (!s) s = cli_live_set(l, call, c->err);
    shown how = { c, cli_option_begins(o, "format", "text"), cli_option_begins(o, "format", "jsonl"), false };
    if (!s)
        s = tfp_live_capture(l, (const char *const *)call->words, call->word_count, o, show_row, &how, &end, &r,
                             c->err);
    if (s) {
        status = cli_fault_from(&c->fault, s, c->err);
    } else {
        int put = put_rest(c, l, r, o, &how);
        status = cli_exit_of_capture(end);
        if (put && status != CLI_STOPPED) status = put;
    }
    if (status == CLI_STOPPED) cli_fault_set(&c->fault, status, "interrupted");
    tfp_live_free(l);
    return status;
}
