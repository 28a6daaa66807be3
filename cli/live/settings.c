// SPDX-License-Identifier: Apache-2.0
/* cli/live/settings.c: flags that are settings of running jobs: their value, help and verbs come from the library's
 * rows. */
#include "cli.h"

#include <string.h>

enum { SETTING_TEXT = 512 };

/* A setting's help with its default, which follows the first clause, and its limits. */
static void describe(const tfp_live_setting *s, const char *more, char out[SETTING_TEXT])
{
    bool words = s->value && strchr(s->value, '|'); /* the help says what each of them means */
    bool ranged = !words && s->least < s->most && !strstr(s->value, "..");
    int first = (int)strcspn(s->help, ";"), n = snprintf(out, SETTING_TEXT, "%.*s", first, s->help);
    if (s->initial && !words) n += snprintf(out + n, SETTING_TEXT - (size_t)n, ", %s by default", s->initial);
    n += snprintf(out + n, SETTING_TEXT - (size_t)n, "%s", s->help + first);
    if (ranged) n += snprintf(out + n, SETTING_TEXT - (size_t)n, "; %.15g to %.15g", s->least, s->most);
    if (more) snprintf(out + n, SETTING_TEXT - (size_t)n, "; %s", more);
}

void cli_flags_start(void)
{
    static char helps[CLI_FLAG_COUNT][SETTING_TEXT], verbs[CLI_FLAG_COUNT][48];
    const tfp_live_setting *s;
    for (size_t i = 0; (s = tfp_live_setting_at(i)); i++) {
        for (int id = 0; id < CLI_FLAG_COUNT; id++) {
            cli_flag *f = &cli_flags[id];
            if (f->setting || strcmp(f->name, s->name) != 0) continue;
            snprintf(verbs[id], sizeof verbs[id], "%s%s%s", s->commands, f->verb ? " " : "", f->verb ? f->verb : "");
            describe(s, f->help, helps[id]);
            f->verb = verbs[id];
            f->help = helps[id];
            f->value = s->value;
            f->setting = s;
        }
    }
}

tfp_status cli_live_set(tfp_live *l, const cli_call *call, tfp_error *err)
{
    tfp_status status = TFP_OK;
    for (int id = 0; id < CLI_FLAG_COUNT && !status; id++) {
        const tfp_live_setting *s = cli_flags[id].setting;
        if (s && call->flags[id] && cli_has_word(s->commands, call->name))
            status = tfp_live_set(l, s->name, call->flags[id], err);
    }
    return status;
}
