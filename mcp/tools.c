// SPDX-License-Identifier: Apache-2.0
/* mcp/tools.c: the tools, and the conversion of a call's arguments to words of a command. */
#include "parts.h"

#include "data/folder.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum parameter_kind {
    PARAMETER_TEXT,
    PARAMETER_PATH,
    PARAMETER_PATHS,
    PARAMETER_OPTIONS,
    PARAMETER_ROWS
} parameter_kind;

typedef struct parameter {
    const char *name;
    parameter_kind kind;
    bool needed;
    const char *help;
} parameter;

enum { PARAMETER_MOST = 4 };
typedef struct tool {
    const char *name, *help;
    parameter parameters[PARAMETER_MOST + 1];
} tool;

#define PATH_HELP "A profile, relative to the served folder: a trace, RunMetadata, a ProfileProto, or a folder of them."
#define ROWS                                                                                                           \
    {                                                                                                                  \
        "max_rows", PARAMETER_ROWS, false,                                                                             \
            "Rows of the answer at most (200 without it); total_rows says how many there are."                         \
    }

/* clang-format off */
static const tool tools[] = {
    { "info", "What a profile holds: how it was recorded, steps, devices, and the views that answer questions about it. Ask this first.",
      { { "path", PARAMETER_PATH, true, PATH_HELP } } },
    { "view", "Rows of one view: summary (where a step goes), op, kernel, scope, lines, steps, memory, transfer, wait, advise (what to change) ... Times are microseconds, sizes bytes.",
      { { "path", PARAMETER_PATH, true, PATH_HELP }, { "view", PARAMETER_TEXT, true, "The view's name; info lists those that a profile has." },
        { "options", PARAMETER_OPTIONS, false, "Options of the view by name, such as {\"top\": 20, \"order_by\": \"micros\", \"step\": 3}." }, ROWS } },
    { "query", "Answers one SELECT (SQLite) over the tables of profiles: nodes, executions, spans, steps, kernels ...; \"SELECT * FROM columns\" lists all tables and columns.",
      { { "paths", PARAMETER_PATHS, true, "Profiles, relative to the served folder." }, { "sql", PARAMETER_TEXT, true, "One SELECT." }, ROWS } },
    { "diff", "What differs between two profiles: how much longer a step takes and why, then the rows that changed most.",
      { { "left", PARAMETER_PATH, true, "The profile before; FILE@3: step 3 of it." }, { "right", PARAMETER_PATH, true, "The profile after." },
        { "view", PARAMETER_TEXT, false, "The view whose rows are compared: op, scope, kernel, lines or steps." }, ROWS } },
    { "check", "What is missing or odd in a profile, so that its numbers need care.", { { "path", PARAMETER_PATH, true, PATH_HELP }, ROWS } },
};
/* clang-format on */
enum { TOOL_COUNT = sizeof tools / sizeof *tools };

/* ---- the list ---- */

static void put_type(answer *a, const parameter *p)
{
    static const char *const types[] = { [PARAMETER_TEXT] = "string",
                                         [PARAMETER_PATH] = "string",
                                         [PARAMETER_PATHS] = "array",
                                         [PARAMETER_OPTIONS] = "object",
                                         [PARAMETER_ROWS] = "integer" };
    json_open(a, p->name, '{');
    json_text(a, "type", types[p->kind]);
    json_text(a, "description", p->help);
    if (p->kind == PARAMETER_PATHS) json_raw(a, "items", "{\"type\":\"string\"}");
    if (p->kind == PARAMETER_PATHS) json_int(a, "minItems", 1);
    if (p->kind == PARAMETER_OPTIONS)
        json_raw(
            a, "additionalProperties",
            "{\"type\":[\"string\",\"number\",\"boolean\",\"array\"],\"items\":{\"type\":[\"string\",\"number\"]}}");
    if (p->kind == PARAMETER_ROWS) json_int(a, "minimum", 1);
    if (p->kind == PARAMETER_ROWS) json_int(a, "maximum", MCP_ROWS_MOST);
    json_close(a, '}');
}

static void put_tool(answer *a, const tool *t)
{
    json_open(a, NULL, '{');
    json_text(a, "name", t->name);
    json_text(a, "description", t->help);
    json_open(a, "inputSchema", '{');
    json_text(a, "type", "object");
    json_open(a, "properties", '{');
    for (const parameter *p = t->parameters; p->name; p++) put_type(a, p);
    json_close(a, '}');
    json_open(a, "required", '[');
    for (const parameter *p = t->parameters; p->name; p++)
        if (p->needed) json_text(a, NULL, p->name);
    json_close(a, ']');
    json_bool(a, "additionalProperties", false);
    json_close(a, '}');
    json_open(a, "annotations", '{');
    json_bool(a, "readOnlyHint", true);
    json_bool(a, "openWorldHint", false);
    json_close(a, '}');
    json_close(a, '}');
}

void mcp_list_tools(answer *a)
{
    json_open(a, "tools", '[');
    for (size_t i = 0; i < TOOL_COUNT; i++) put_tool(a, &tools[i]);
    json_close(a, ']');
}

/* ---- words ---- */

static bool wrong(mcp_command *c, int code, const char *format, const char *name)
{
    if (*c->why) return false;
    c->code = code;
    snprintf(c->why, sizeof c->why, format, name);
    return false;
}

/* Adds BEFORE and TEXT as one word. */
static bool add_word(mcp_command *c, const char *before, const char *text)
{
    size_t size = strlen(before) + strlen(text) + 1;
    char *word = c->count < MCP_WORDS ? malloc(size) : NULL;
    if (!word) return wrong(c, 0, "too many %s", "words");
    snprintf(word, size, "%s%s", before, text);
    c->words[c->count++] = word;
    return true;
}

static bool leads_out(const char *path)
{
    for (const char *at = path; at; at = strchr(at, '/')) {
        at += *at == '/';
        if (strncmp(at, "..", 2) == 0 && (!at[2] || at[2] == '/')) return true;
    }
    return *path == '/';
}

/* Whether a path is below the folder. FILE@STEP is step STEP of FILE, unless there is a file with that whole name. */
static bool is_below(int root, const char *path)
{
    char file[4096];
    const char *at = strrchr(path, '@');
    if (folder_has(root, path)) return true;
    if (at && at[1] && strspn(at + 1, "0123456789") == strlen(at + 1) && (size_t)(at - path) < sizeof file) {
        snprintf(file, sizeof file, "%.*s", (int)(at - path), path);
        return folder_has(root, file);
    }
    return false;
}

/* A word that begins with a dash would be taken for an option. */
static bool add_path(mcp_command *c, const value *v, int root)
{
    if (v->kind != VALUE_TEXT) return wrong(c, MCP_BAD_PARAMETERS, "a path is not a %s", "string");
    if (!*v->text) return wrong(c, 0, "an empty %s", "path");
    if (leads_out(v->text))
        return wrong(c, 0, "%s: only files below the served folder are read, by relative paths", v->text);
    if (!is_below(root, v->text)) return wrong(c, 0, "%s: no such file below the served folder", v->text);
    return add_word(c, *v->text == '-' ? "./" : "", v->text);
}

static bool add_paths(mcp_command *c, const message *m, const value *v, int root)
{
    if (v->kind != VALUE_LIST || !v->count) return wrong(c, MCP_BAD_PARAMETERS, "%s: not a list of paths", "paths");
    const value *item = message_first(m, v);
    for (size_t i = 0; i < v->count; i++, item = message_next(m, item))
        if (!add_path(c, item, root)) return false;
    return true;
}

static bool is_view(const char *name)
{
    const char *known;
    for (size_t i = 0; (known = tfp_list(TFP_VIEWS, i)); i++)
        if (strcmp(name, known) == 0) return true;
    return false;
}

/* Whether a call may set an option: it must be an option of views, and not one that chooses where output goes. */
static bool is_free(const char *name)
{
    static const char *const ours[] = { "output", "format", "dump_to_file", "proto_out", "time_limit" };
    char plain[64];
    size_t size = strlen(name);
    if (size >= sizeof plain || !size || !tfp_options_kind(name)) return false;
    for (size_t i = 0; i <= size; i++) plain[i] = name[i] == '-' ? '_' : name[i];
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        if (strcmp(plain, ours[i]) == 0) return false;
    return isalpha((unsigned char)*plain) != 0;
}

/* Writes a text, number or boolean as the value after "-name=", at most `room` - 1 bytes. */
static bool put_scalar(const value *v, char *out, size_t room)
{
    if (v->kind == VALUE_NULL || v->kind > VALUE_TEXT || v->size >= room) return false;
    memcpy(out, v->text, v->size);
    out[v->size] = '\0';
    return true;
}

/* A list is written as its items separated by commas. */
static bool add_option(mcp_command *c, const message *m, const char *name, const value *v)
{
    char word[MCP_WHY];
    size_t size = (size_t)snprintf(word, sizeof word, "-%s=", name);
    const value *item = v->kind == VALUE_LIST ? message_first(m, v) : v;
    for (size_t i = 0; i < (v->kind == VALUE_LIST ? v->count : 1); i++, item = message_next(m, item)) {
        if (i && size + 1 < sizeof word) word[size++] = ',';
        if (!put_scalar(item, word + size, sizeof word - size))
            return wrong(c, MCP_BAD_PARAMETERS, "option %s: not a string, number, boolean or list of them", name);
        size += strlen(word + size);
    }
    return add_word(c, "", word);
}

static bool add_options(mcp_command *c, const message *m, const value *v)
{
    if (v->kind != VALUE_OBJECT) return wrong(c, MCP_BAD_PARAMETERS, "%s: not an object", "options");
    const value *key = message_first(m, v);
    for (size_t i = 0; i < v->count; i++) {
        const value *x = message_next(m, key);
        if (!is_free(key->text)) return wrong(c, 0, "no option '%.60s' of a view", key->text);
        if (!add_option(c, m, key->text, x)) return false;
        if (i + 1 < v->count) key = message_next(m, x);
    }
    return true;
}

static bool take_rows(mcp_command *c, const value *v)
{
    bool whole = v->kind == VALUE_NUMBER && v->number >= 1 && v->number <= MCP_ROWS_MOST &&
                 v->number == (double)(int64_t)v->number;
    if (!whole) return wrong(c, MCP_BAD_PARAMETERS, "%s: not a whole number from 1 to 1000", "max_rows");
    c->max_rows = (int64_t)v->number;
    return true;
}

/* Handles a verb that is an argument of the tool, and words whose order differs from that of the parameters. */
static bool add_text(mcp_command *c, const tool *t, const parameter *p, const value *v)
{
    if (v->kind != VALUE_TEXT) return wrong(c, MCP_BAD_PARAMETERS, "%s: not a string", p->name);
    if (strcmp(p->name, "sql") == 0) return add_word(c, "", v->text);
    if (!is_view(v->text)) return wrong(c, 0, "no view '%.60s'; info lists the views of a profile", v->text);
    if (strcmp(t->name, "diff") == 0) return add_word(c, "-view=", v->text);
    free(c->words[0]);
    c->words[0] = strdup(v->text);
    return c->words[0] != NULL;
}

static bool add_argument(mcp_command *c, const message *m, const tool *t, const parameter *p, const value *v, int root)
{
    switch (p->kind) {
    case PARAMETER_PATH: return add_path(c, v, root);
    case PARAMETER_PATHS: return add_paths(c, m, v, root);
    case PARAMETER_OPTIONS: return add_options(c, m, v);
    case PARAMETER_ROWS: return take_rows(c, v);
    default: return add_text(c, t, p, v);
    }
}

static const tool *find_tool(const char *name)
{
    for (size_t i = 0; i < TOOL_COUNT; i++)
        if (strcmp(tools[i].name, name) == 0) return &tools[i];
    return NULL;
}

static bool knows(const tool *t, const char *name)
{
    for (const parameter *p = t->parameters; p->name; p++)
        if (strcmp(p->name, name) == 0) return true;
    return false;
}

static bool check_names(mcp_command *c, const message *m, const tool *t, const value *arguments)
{
    const value *key = message_first(m, arguments);
    for (size_t i = 0; key && i < arguments->count; i++) {
        if (!knows(t, key->text)) return wrong(c, MCP_BAD_PARAMETERS, "no argument '%.60s'", key->text);
        if (i + 1 < arguments->count) key = message_next(m, message_next(m, key));
    }
    return true;
}

void mcp_command_of(const message *m, const value *parameters, int root, mcp_command *c)
{
    *c = (mcp_command){ .max_rows = MCP_ROWS };
    const value *name = message_member(m, parameters, "name"), *arguments = message_member(m, parameters, "arguments");
    const tool *t = value_is_text(name) ? find_tool(name->text) : NULL;
    if (!t) {
        wrong(c, MCP_BAD_PARAMETERS, "no tool '%.60s'", value_is_text(name) ? name->text : "");
        return;
    }
    if (arguments && arguments->kind != VALUE_OBJECT) wrong(c, MCP_BAD_PARAMETERS, "%s: not an object", "arguments");
    bool fine = !*c->why && check_names(c, m, t, arguments) && add_word(c, "", t->name);
    for (const parameter *p = t->parameters; p->name && fine; p++) {
        const value *v = message_member(m, arguments, p->name);
        if (v)
            fine = add_argument(c, m, t, p, v, root);
        else if (p->needed)
            fine = wrong(c, MCP_BAD_PARAMETERS, "argument '%s' is missing", p->name);
    }
    if (fine) add_word(c, "", "-format=csv");
}

void mcp_command_free(mcp_command *c)
{
    for (size_t i = 0; i < c->count; i++) free(c->words[i]);
    c->count = 0;
}
