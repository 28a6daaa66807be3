// SPDX-License-Identifier: Apache-2.0
/* sql/near.c: what an unknown table or column of a query may have meant: a name with few other letters, one that has the word as a part, or
 * the name of the same in a database of Perfetto or Nsight Systems. */
#include "sql/near.h"
#include "base/base.h"

#include <ctype.h>
#include <stdio.h>
#include <strings.h>

static const struct {
    const char *theirs, *table, *column;
} others[] = { { "slice", "spans", NULL },
               { "events", "spans", NULL },
               { "thread", "lanes", NULL },
               { "CUPTI_ACTIVITY_KIND_KERNEL", "kernel", NULL },
               { "ts", NULL, "start_ns" } };

/* Whether the word is one of the parts of a name that underscores separate, or begins one of them. */
static bool is_part(const char *name, const char *word)
{
    const char *at = strstr(name, word);
    return at && (at == name || at[-1] == '_');
}

/* Whether the query names the table. */
static bool names(const char *query, const char *table)
{
    size_t n = strlen(table);
    for (const char *at = query; *at; at++) {
        bool begins = at == query || !(isalnum((unsigned char)at[-1]) || at[-1] == '_');
        if (begins && strncasecmp(at, table, n) == 0 && !(isalnum((unsigned char)at[n]) || at[n] == '_')) return true;
    }
    return false;
}

static bool is_quoted(const char *query, const char *word)
{
    size_t n = strlen(word);
    for (const char *at = query; (at = strstr(at, word)); at++)
        if (at > query && at[-1] == '"' && at[n] == '"') return true;
    return false;
}

void sql_near(const char *message, const char *query, char hint[SQL_HINT_MAX])
{
    const char *word = NULL, *best = NULL, *table = NULL, *name;
    bool tables = tfp_str_begins(tfp_str_of(message), TFP_STR("no such table: "));
    *hint = 0;
    if (tables || tfp_str_begins(tfp_str_of(message), TFP_STR("no such column: "))) word = strchr(message, ':') + 2;
    if (!word) return;
    const char *dot = strrchr(word, '.');
    if (dot) word = dot + 1; /* s.nam: after the table's alias */
    size_t n = strlen(word), least = n < 2 ? 0 : n < 5 ? 2 : 3;
    for (uint32_t i = 0; name = sql_column_at(i, &table), table; i++) {
        if (!tables && !names(query, table)) continue;
        const char *candidate = tables ? table : name;
        size_t d = tfp_name_distance(word, candidate);
        if (d >= least && (best || n < 3 || !is_part(candidate, word))) continue;
        best = candidate;
        if (d < least) least = d;
    }
    for (size_t i = 0; i < sizeof others / sizeof *others && !best; i++)
        if (strcasecmp(word, others[i].theirs) == 0) best = tables ? others[i].table : others[i].column;
    if (!best && !tables && is_quoted(query, word)) {
        snprintf(hint, SQL_HINT_MAX, "; a text has single quotes: '%.60s'", word);
        return;
    }
    snprintf(hint, SQL_HINT_MAX, "%s%s%s (SELECT * FROM columns lists all)", best ? "; did you mean " : "",
             best ? best : "", best ? "?" : "");
}
