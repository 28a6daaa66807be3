// SPDX-License-Identifier: Apache-2.0
/* server/api/tables.c: the library's tables (views, columns, options ...), from which the page makes its controls. */
#include "routes.h"
#include "tfprof/watch.h"

#include <limits.h>
#include <stdio.h>
#include <unistd.h>

static void list_table(answer *a, const char *key, tfp_table table)
{
    const char *name;
    json_open(a, key, '[');
    for (size_t i = 0; (name = tfp_list(table, i)); i++) {
        json_open(a, NULL, '{');
        json_text(a, "name", name);
        json_text(a, "help", tfp_help(table, name));
        json_close(a, '}');
    }
    json_close(a, ']');
}

static void list_options(answer *a, tfp_table table)
{
    const char *name;
    tfp_options *o = tfp_options_new();
    for (size_t i = 0; o && (name = tfp_list(table, i)); i++) {
        const char *value = tfp_options_get(o, name);
        a->no_memory |= !value;
        json_open(a, NULL, '{');
        json_text(a, "name", name);
        json_text(a, "kind", tfp_options_kind(name) == 'b' ? "boolean" : "value");
        json_text(a, "value", value);
        json_text(a, "help", tfp_help(table, name));
        json_text(a, "commands", tfp_options_commands(name));
        json_close(a, '}');
    }
    if (!o) a->no_memory = true;
    tfp_options_free(o);
}

/* Whether there are runs to list: a folder of `tfprof watch` alone has none. */
static bool has_runs(const char *index)
{
    char path[PATH_MAX];
    int n = snprintf(path, sizeof path, "%s/runs", index);
    return !tfp_is_watch(index) || (n > 0 && (size_t)n < sizeof path && access(path, F_OK) == 0);
}

static void answer_tables(const question *q, answer *a)
{
    json_open(a, NULL, '{');
    json_text(a, "version", tfp_version());
    if (q->live) json_bool(a, "live", true);
    const char *index =
        q->catalog && !q->only ? catalog_options(q->catalog)->index : NULL; /* a report has no index beside it */
    if (index && has_runs(index)) json_text(a, "index", index);
    if (index && tfp_is_watch(index)) json_bool(a, "watch", true);
    list_table(a, "views", TFP_VIEWS);
    list_table(a, "columns", TFP_COLUMNS);
    json_open(a, "options", '[');
    list_options(a, TFP_OPTIONS);
    list_options(a, TFP_COMMAND_OPTIONS);
    json_close(a, ']');
    list_table(a, "orders", TFP_ORDERS);
    list_table(a, "checkers", TFP_CHECKERS);
    list_table(a, "outputs", TFP_OUTPUTS);
    list_table(a, "formats", TFP_FORMATS);
    json_close(a, '}');
}

const route routes_tables[] = { { "/api/v1/tables", answer_tables, "", ROUTE_QUICK }, { 0 } };
