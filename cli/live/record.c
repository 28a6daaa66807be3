// SPDX-License-Identifier: Apache-2.0
/* cli/live/record.c: starts a recording from the table of `tfprof top`, after the user confirmed it. */
#include "cli.h"

#include <string.h>

/* The reason why a recording would be refused, a word of the column `capture`; NULL: it would not be. */
static const char *refusal(const char *method)
{
    return strcmp(method, "agent") != 0 && strcmp(method, "attach") != 0 ? method : NULL;
}

bool cli_record_question(const char *pid, const char *method, char *out, size_t room)
{
    const char *code = refusal(method);
    if (code)
        snprintf(out, room, "process %s would be refused: %s (docs/live.md)", pid, *code ? code : "not known yet");
    else
        snprintf(out, room, "record process %s for 0.5 s by %s? %sit runs slower meanwhile.   y: yes, other keys: no",
                 pid, strcmp(method, "attach") == 0 ? "attach" : "its agent",
                 strcmp(method, "attach") == 0 ? "Its main thread is held for about a millisecond, and " : "");
    return !code;
}

static int stop_when_interrupted(void *ctx, const tfp_report *columns, const char *text, const char *json)
{
    (void)ctx, (void)columns, (void)text, (void)json;
    return cli_interrupted;
}

/* Shows the first row with a file, otherwise the first row. */
static void tell_result(const tfp_live *l, const tfp_report *r, const char *pid, char *out, size_t room)
{
    char text[512], code[64];
    size_t count = tfp_report_row_count(r), files = 0;
    for (size_t row = 0; row < count; row++) {
        tfp_report_string(r, row, "file", text, sizeof text);
        files += *text != '\0';
    }
    if (files) {
        snprintf(out, room, "process %s is recorded: tfprof op %s/%s", pid, tfp_live_results(l), pid);
        return;
    }
    *text = *code = '\0';
    if (count) tfp_report_string(r, 0, "code", code, sizeof code);
    if (count) tfp_report_string(r, 0, "message", text, sizeof text);
    snprintf(out, room, "process %s is not recorded: %s: %s", pid, code, text);
}

void cli_record(cli *c, const char *pid, const char *method, char *result, size_t room)
{
    tfp_live *l = tfp_live_new();
    tfp_report *r = NULL;
    int end = TFP_CAPTURE_ALL;
    tfp_status s = l ? TFP_OK : TFP_NOMEM;
    if (!s && strcmp(method, "attach") == 0) s = tfp_live_set(l, "attach", NULL, c->err);
    if (!s) s = tfp_live_capture(l, &pid, 1, NULL, stop_when_interrupted, NULL, &end, &r, c->err);
    if (s)
        snprintf(result, room, "process %s is not recorded: %s", pid, l ? tfp_error_message(c->err) : "out of memory");
    else
        tell_result(l, r, pid, result, room);
    tfp_report_free(r);
    tfp_live_free(l);
    cli_interrupted = 0; /* this ended the recording only, and the table continues */
}
