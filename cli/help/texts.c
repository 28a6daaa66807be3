// SPDX-License-Identifier: Apache-2.0
/* cli/help/texts.c: `help licences`, `help agents` and `help schema`: files that are compressed in the program. A static program is a
 * single file, and the licences of the linked libraries require their texts to be included. */
#include "help/texts.h"
#include "cli.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* Unpacks a file's text, ended by NUL; the caller frees it. NULL: out of memory. */
static char *unpacked(const unsigned char *data, size_t size, size_t plain_size)
{
    uLongf room = plain_size;
    char *text = malloc(plain_size + 1);
    if (!text || uncompress((Bytef *)text, &room, data, size) != Z_OK) {
        free(text);
        return NULL;
    }
    text[room] = '\0';
    return text;
}

static void list(cli *c, char *text)
{
    if (text)
        cli_write(c->out, text, strlen(text));
    else
        cli_print(c->out, "out of memory\n");
    free(text);
}

void cli_list_licences(cli *c) { list(c, unpacked(cli_notice, cli_notice_size, cli_notice_plain_size)); }

void cli_list_agents(cli *c) { list(c, unpacked(cli_agents, cli_agents_size, cli_agents_plain_size)); }

/* ---- schemas ---- */

typedef struct shape {
    const char *name, *schema; /* of $defs */
} shape;

/* Views whose JSON is not a table, and commands that have JSON but are no views. All other views give tables; other commands have
 * no JSON. */
static const shape shapes[] = {
    { "scope", "report" },  { "graph", "report" }, { "op", "report" },     { "code", "report" }, { "calls", "report" },
    { "advise", "advise" }, { "diff", "table" },   { "gate", "table" },    { "stats", "table" }, { "query", "table" },
    { "top", "table" },     { "stacks", "table" }, { "capture", "table" }, { "index", "table" }, { "trend", "table" },
    { "serve", "http" },    { "watch", "table" },
};

static const char *schema_of(const char *name)
{
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        if (strcmp(shapes[i].name, name) == 0) return shapes[i].schema;
    return tfp_help(TFP_VIEWS, name) ? "table" : NULL;
}

/* Whether $defs contains the name: each definition begins a line. */
static bool is_defined(const char *parts, const char *name)
{
    char line[64];
    return (size_t)snprintf(line, sizeof line, "\n  \"%s\": {", name) < sizeof line && strstr(parts, line);
}

int cli_list_schema(cli *c, const char *name)
{
    char *text = unpacked(cli_schema, cli_schema_size, cli_schema_plain_size);
    const char *schema = name ? schema_of(name) : NULL, *parts = text ? strstr(text, "\"$defs\"") : NULL;
    if (!name || !parts) {
        list(c, text);
        return 0;
    }
    if (!schema && is_defined(parts, name)) schema = name;
    if (!schema) {
        free(text);
        return cli_fault_set(&c->fault, CLI_BAD_USAGE,
                             "help schema: '%s' is no view, command or output that has one: see tfprof help schema",
                             name);
    }
    cli_print(c->out, "{\n \"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n");
    cli_print(c->out, " \"title\": \"tfprof: %s\",\n", name);
    cli_print(c->out, " \"$ref\": \"#/$defs/%s\",\n", schema);
    if (tfp_help(TFP_VIEWS, name)) cli_print(c->out, " \"properties\": {\"view\": {\"const\": \"%s\"}},\n", name);
    cli_print(c->out, " ");
    cli_write(c->out, parts, strlen(parts));
    free(text);
    return 0;
}
