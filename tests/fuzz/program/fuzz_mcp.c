// SPDX-License-Identifier: Apache-2.0
/* tests/fuzz/program/fuzz_mcp.c: a client's message to `mcp` is parsed and converted into the words of a command. */
#include "parts.h"

#include <stdlib.h>
#include <string.h>

/* Checks that every value ends after its beginning and within the message. */
static void check_values(const message *m)
{
    for (size_t i = 0; i < m->count; i++)
        if (m->values[i].after <= i || m->values[i].after > m->count) abort();
}

/* Checks that no word is taken as an option that the tool does not have. */
static void check_words(const mcp_command *c)
{
    if (c->code && !*c->why) abort();
    for (size_t i = 0; i < c->count && !*c->why; i++)
        if (c->words[i][0] == '-' && !strchr(c->words[i], '=')) abort();
    if (!*c->why && (!c->count || c->max_rows < 1 || c->max_rows > MCP_ROWS_MOST)) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    message m;
    mcp_command c;
    char *line = malloc(size + 1);
    if (!line) return 0;
    if (size) memcpy(line, data, size);
    line[size] = '\0';
    if (message_read(&m, line, size)) {
        check_values(&m);
        const value *parameters = message_member(&m, m.values, "params");
        mcp_command_of(&m, parameters ? parameters : m.values, -1, &c);
        check_words(&c);
        mcp_command_free(&c);
    } else if (!m.wrong) {
        abort();
    }
    message_free(&m);
    free(line);
    return 0;
}
