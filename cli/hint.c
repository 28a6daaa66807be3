// SPDX-License-Identifier: Apache-2.0
/* cli/hint.c: what a failed command may have meant, appended to its message: the value of an option, the name of a file, or where names
 * are listed. */
#include "cli.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>

enum { FILES_MOST = 4096 }; /* names of a folder that are compared */

static void append(cli_fault *f, const char *hint)
{
    char text[CLI_LINE_MAX + 1];
    strcpy(text, f->text);
    cli_fault_set(f, f->status, "%s%s", text, hint);
}

/* ---- values of options ---- */

/* The items of a value that the option does not accept, and a suggestion for the first one. */
typedef struct guess {
    const char *item;
    size_t size;
    bool known;
    cli_near near;
} guess;

static void try_word(void *ctx, const char *word, size_t size)
{
    guess *g = ctx;
    g->known |= size == g->size && memcmp(word, g->item, size) == 0;
    cli_near_try(&g->near, word);
}

void cli_hint_value(cli *c, const char *option, const char *value)
{
    char name[CLI_NAME_MAX + 1] = "", item[CLI_NAME_MAX + 1], hint[CLI_HINT_MAX];
    for (size_t i = 0; i < CLI_NAME_MAX && option[i]; i++) name[i] = option[i] == '-' ? '_' : option[i];
    for (const char *at = value; *at; at += strcspn(at, ","), at += *at == ',') {
        guess g = { at, strcspn(at, ","), false, { 0 } };
        if (!g.size || g.size > CLI_NAME_MAX) continue;
        memcpy(item, at, g.size);
        item[g.size] = '\0';
        g.near = cli_near_start(item);
        cli_values(name, try_word, &g);
        if (g.known) continue;
        append(&c->fault, cli_did_you_mean(&g.near, "", hint));
        return;
    }
}

/* A value that only the view refused: a checker, an order. */
static void hint_late_value(cli *c, const cli_call *call)
{
    static const char begin[] = "option -";
    const char *name = c->fault.text + sizeof begin - 1;
    if (strncmp(c->fault.text, begin, sizeof begin - 1) != 0) return;
    for (size_t i = 0; i < call->option_count; i++) {
        const cli_pair *p = &call->options[i];
        size_t n = strlen(p->name);
        if (!p->value || strncmp(name, p->name, n) != 0 || name[n] != ':') continue;
        cli_hint_value(c, p->name, p->value);
        return;
    }
}

/* ---- files and processes ---- */

static void hint_file(cli *c, const char *path)
{
    char folder[CLI_LINE_MAX + 1], hint[CLI_HINT_MAX];
    const char *base = strrchr(path, '/');
    if (strstr(path, "://")) {
        append(&c->fault, "; files are read, not addresses");
        return;
    }
    snprintf(folder, sizeof folder, "%.*s", base ? (int)(base - path + 1) : 1, base ? path : ".");
    cli_near near = cli_near_start(base ? base + 1 : path);
    DIR *d = opendir(folder);
    const struct dirent *e;
    for (size_t i = 0; d && i < FILES_MOST && (e = readdir(d)); i++)
        if (*e->d_name != '.') cli_near_try(&near, e->d_name);
    if (d) closedir(d);
    append(&c->fault, cli_did_you_mean(&near, "", hint));
}

void cli_hint(cli *c, const cli_call *call)
{
    char end[128], path[CLI_LINE_MAX + 1];
    if (strstr(c->fault.text, "did you mean")) return;
    if (c->fault.status == CLI_BAD_USAGE) hint_late_value(c, call);
    int n = snprintf(end, sizeof end, ": cannot open: %s", strerror(ENOENT));
    if (cli_ends_with(c->fault.text, end)) {
        snprintf(path, sizeof path, "%.*s", (int)(strlen(c->fault.text) - (size_t)n), c->fault.text);
        hint_file(c, path);
    } else if (cli_ends_with(c->fault.text, ": no such process") ||
               cli_ends_with(c->fault.text, ": no such process or file")) {
        append(&c->fault, "; tfprof top lists the jobs");
    }
}
