// SPDX-License-Identifier: Apache-2.0
/* cli/dumps.c: dumps that ranks wrote when their job hung. Some may be truncated or empty, because their process was killed: they
 * are named in a warning, and the others are compared. */
#include "cli.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct dumps {
    cli *c;
    tfp_profile *p;
    size_t read;
    tfp_status fatal;         /* TFP_NOMEM or TFP_LIMIT: no further file is read */
    char fault[CLI_LINE_MAX]; /* the last fault: a warning, or the error when no file could be read */
} dumps;

static bool add_dump(dumps *d, const char *path)
{
    tfp_status s = tfp_profile_add_file(d->p, NULL, path, d->c->err);
    if (s == TFP_NOMEM || s == TFP_LIMIT) {
        d->fatal = s;
        return false;
    }
    d->read += s == TFP_OK;
    if (!s) return true;
    if (d->fault[0]) cli_tell_note(d->c, d->fault);
    snprintf(d->fault, sizeof d->fault, "%s", tfp_error_message(d->c->err));
    return true;
}

static int is_visible(const struct dirent *e) { return e->d_name[0] != '.'; }

static bool add_folder(dumps *d, const char *path)
{
    struct dirent **names = NULL;
    int count = scandir(path, &names, is_visible, alphasort);
    bool ok = true;
    for (int i = 0; i < count; i++) {
        size_t size = strlen(path) + strlen(names[i]->d_name) + 2;
        char *file = ok ? malloc(size) : NULL;
        struct stat st;
        if (ok && !file) {
            d->fatal = TFP_NOMEM;
            ok = false;
        }
        if (file) snprintf(file, size, "%s/%s", path, names[i]->d_name);
        if (file && stat(file, &st) == 0 && S_ISREG(st.st_mode)) ok = add_dump(d, file);
        free(file);
        free(names[i]);
    }
    free(names);
    return ok;
}

int cli_load_dumps(cli *c, const cli_call *call, unsigned keep)
{
    dumps d = { .c = c };
    const char *warning;
    if (c->profile || !call->word_count) return cli_load(c, call, keep);
    d.p = tfp_profile_new();
    tfp_status s = d.p ? tfp_profile_keep(d.p, keep) : TFP_NOMEM;
    for (size_t i = 0; i < call->word_count && !s; i++) {
        struct stat st;
        bool folder = stat(call->words[i], &st) == 0 && S_ISDIR(st.st_mode);
        bool ok = folder ? add_folder(&d, call->words[i]) : add_dump(&d, call->words[i]);
        if (!ok) s = d.fatal;
    }
    if (!s && !d.read) {
        int status = d.fault[0]
                         ? cli_fault_set(&c->fault, CLI_BAD_INPUT, "%s", d.fault)
                         : cli_fault_set(&c->fault, CLI_BAD_INPUT, "%s: is a folder without dumps", call->words[0]);
        tfp_profile_free(d.p);
        return status;
    }
    if (d.fault[0] && d.read) cli_tell_note(c, d.fault);
    if (!s) s = tfp_profile_finish(d.p, c->err);
    for (size_t i = 0; !s && (warning = tfp_profile_warning(d.p, i)); i++) cli_tell_note(c, warning);
    if (!s) {
        c->profile = d.p;
        return 0;
    }
    tfp_profile_free(d.p);
    return s == TFP_NOMEM ? cli_fault_set(&c->fault, CLI_LIMIT, "out of memory") : cli_fault_from(&c->fault, s, c->err);
}
