// SPDX-License-Identifier: Apache-2.0
/* cli/fail_on.c: --fail-on: the checkers whose findings end a command with status 5, and the number of findings that it
 * takes; for check the severity of such findings. */
#include "cli.h"

#include <stdio.h>
#include <string.h>

/* Severities of check, the worst first; info is none that fails a command. */
static const char *const severities[] = { "error", "warning", NULL };

/* The place of a severity among them; past the last one: it is none of them. */
static size_t rank_of(const char *severity)
{
    size_t i = 0;
    while (severities[i] && strcmp(severities[i], severity) != 0) i++;
    return i;
}

/* Whether a comma-separated list has that item, with or without a value after "=". */
static bool list_has(const char *list, const char *item, size_t size)
{
    for (;;) {
        size_t n = strcspn(list, ",=");
        if (n == size && memcmp(list, item, n) == 0) return true;
        list += strcspn(list, ",");
        if (!*list++) return false;
    }
}

/* A limit in --fail-on is set as one of -rule_limits. */
static int set_limits(cli *c, const char *names, tfp_options *o)
{
    char list[CLI_LINE_MAX];
    const char *before = tfp_options_get(o, "rule_limits");
    int size = snprintf(list, sizeof list, "%s", before ? before : "");
    for (const char *at = names; *at && size >= 0 && (size_t)size < sizeof list;) {
        int n = (int)strcspn(at, ",");
        if (memchr(at, '=', (size_t)n))
            size += snprintf(list + size, sizeof list - (size_t)size, "%s%.*s", size ? "," : "", n, at);
        at += n + (at[n] == ',');
    }
    if (size < 0 || (size_t)size >= sizeof list) return cli_fault_set(&c->fault, CLI_BAD_USAGE, "--fail-on: too long");
    tfp_status s = tfp_options_set(o, "rule_limits", list, c->err);
    return s ? cli_fault_from(&c->fault, s, c->err) : 0;
}

/* Checks --fail-on before anything is read: its names exist, and -checkers does not leave them out. */
int cli_check_fail_on(cli *c, const char *view, const char *names, tfp_options *o)
{
    if (!(tfp_view_traits(view) & TFP_VIEW_FINDINGS)) /* its rows have severities */
        return severities[rank_of(names)]
                   ? 0
                   : cli_fault_set(&c->fault, CLI_BAD_USAGE, "--fail-on: %s takes error or warning, not '%s'", view,
                                   names);
    const char *chosen = tfp_options_get(o, "checkers");
    for (const char *at = names;; at += strcspn(at, ",") + 1) {
        size_t n = strcspn(at, ",="), i = 0;
        const char *name;
        while ((name = tfp_list(TFP_CHECKERS, i)) && (strlen(name) != n || memcmp(name, at, n) != 0)) i++;
        if (!name) {
            cli_near near = cli_near_start(at);
            for (i = 0; (name = tfp_list(TFP_CHECKERS, i)); i++) cli_near_try(&near, name);
            return cli_fault_set(&c->fault, CLI_BAD_USAGE, "--fail-on: no checker '%.*s'%s%s%s",
                                 (int)(n < CLI_LINE_MAX ? n : CLI_LINE_MAX), at, *near.best ? "; did you mean " : "",
                                 near.best, *near.best ? "?" : "");
        }
        if (chosen && *chosen && !list_has(chosen, at, n))
            return cli_fault_set(&c->fault, CLI_BAD_USAGE, "--fail-on: '%s' is not among -checkers '%s'", name, chosen);
        if (!at[strcspn(at, ",")]) return set_limits(c, names, o);
    }
}

/* Status 5 when a row of check is at least as severe as --fail-on says. */
static int severe_rows(cli *c, const char *least, const tfp_report *r)
{
    char severity[16], what[CLI_LINE_MAX / 2];
    for (size_t i = 0; i < tfp_report_table_rows(r); i++) {
        if (!tfp_report_string(r, i, "severity", severity, sizeof severity) || rank_of(severity) > rank_of(least))
            continue;
        tfp_report_string(r, i, "what", what, sizeof what);
        cli_fault f;
        cli_fault_set(&f, CLI_FOUND, "--fail-on: %s: %s", severity, what);
        cli_tell(c, f.text);
        return CLI_FOUND; /* the worst comes first */
    }
    return 0;
}

/* Status 5 when a checker that --fail-on names has findings. */
int cli_findings(cli *c, const char *names, const tfp_report *r)
{
    int status = 0;
    const char *name;
    if (severities[rank_of(names)]) return severe_rows(c, names, r);
    for (size_t i = 0; (name = tfp_list(TFP_CHECKERS, i)); i++) {
        size_t count = list_has(names, name, strlen(name)) ? tfp_report_finding_count(r, name) : 0;
        if (!count) continue;
        cli_fault f;
        cli_fault_set(&f, CLI_FOUND, "--fail-on: %s has %zu finding%s", name, count, count == 1 ? "" : "s");
        cli_tell(c, f.text);
        status = CLI_FOUND;
    }
    return status;
}
