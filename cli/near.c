// SPDX-License-Identifier: Apache-2.0
/* cli/near.c: the name that a mistyped one may have meant, by edit distance. */
#include "cli.h"

#include <string.h>

cli_near cli_near_start(const char *wanted)
{
    size_t n = strlen(wanted);
    /* a long word may have two errors, a short one one; very short words are not guessed */
    return (cli_near){ wanted, "", n > CLI_NAME_MAX || n < 2 ? 0 : n < 5 ? 2 : 3 };
}

void cli_near_try(cli_near *n, const char *candidate)
{
    size_t cn = strlen(candidate);
    size_t d = tfp_name_distance(n->wanted, candidate);
    if (cn > CLI_NAME_MAX || d >= n->distance) return;
    memcpy(n->best, candidate, cn + 1);
    n->distance = d;
}

const char *cli_did_you_mean(const cli_near *near, const char *before, char hint[CLI_HINT_MAX])
{
    if (!*near->best) return "";
    snprintf(hint, CLI_HINT_MAX, "; did you mean %s%s?", before, near->best);
    return hint;
}

/* ---- options ---- */

/* Whether the word is one of the parts of a name that underscores separate: "depth" is one of "max_depth". */
static bool has_part(const char *name, const char *word)
{
    size_t n = strlen(word);
    for (const char *at = name; n > 2 && (at = strstr(at, word)); at++)
        if ((at == name || at[-1] == '_') && (!at[n] || at[n] == '_')) return true;
    return false;
}

typedef struct option_guess {
    cli_near near;
    const char *part;   /* the first option that has the word as a part */
    const char *dashes; /* how the best name is written */
} option_guess;

static void try_option(option_guess *g, const char *name, const char *dashes)
{
    size_t before = g->near.distance;
    cli_near_try(&g->near, name);
    if (g->near.distance < before) g->dashes = dashes;
    if (!g->part && has_part(name, g->near.wanted)) g->part = name;
}

void cli_near_option(const char *word, const char *command, cli_where where, char hint[CLI_HINT_MAX])
{
    option_guess g = { cli_near_start(word), NULL, "-" };
    const char *name, *other = cli_other_option(word), *full;
    char path[CLI_NAME_MAX + 8];
    if (!command || !cli_command_find(command, &full) || strcmp(full, "help") == 0) command = NULL;
    for (size_t i = 0; (name = tfp_list(TFP_OPTIONS, i)); i++)
        if (!command || tfp_option_changes(name, command)) try_option(&g, name, "-");
    for (size_t i = 0; (name = tfp_list(TFP_COMMAND_OPTIONS, i)); i++)
        if (!command || tfp_option_changes(name, command)) try_option(&g, name, "-");
    for (size_t i = 0; i < CLI_FLAG_COUNT && where == CLI_AT_SHELL; i++)
        if (!command || !cli_flags[i].verb || cli_has_word(cli_flags[i].verb, command))
            try_option(&g, cli_flags[i].name, "--");
    for (size_t i = 0; where == CLI_AT_SHELL && (name = tfp_list(TFP_FORMATS, i)); i++) {
        snprintf(path, sizeof path, "%s_path", name);
        cli_near_try(&g.near, path);
    }
    if (other)
        snprintf(hint, CLI_HINT_MAX, "; here it is %s", other);
    else if (*g.near.best)
        cli_did_you_mean(&g.near, g.dashes, hint);
    else if (g.part)
        snprintf(hint, CLI_HINT_MAX, "; did you mean -%s?", g.part);
    else if (command && where == CLI_AT_SHELL)
        snprintf(hint, CLI_HINT_MAX, "; `tfprof %s --help` lists its options", full);
    else
        snprintf(hint, CLI_HINT_MAX, "; `%shelp options` lists them", where == CLI_AT_SHELL ? "tfprof " : "");
}
