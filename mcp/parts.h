// SPDX-License-Identifier: Apache-2.0
/* mcp/parts.h: shared by the files of mcp. */
#ifndef TFP_MCP_PARTS_H
#define TFP_MCP_PARTS_H

#include "http/answer.h"
#include "mcp.h"
#include "message.h"

enum {
    MCP_LINE_MOST = 1 << 20, /* most bytes of a client's message */
    MCP_ANSWER_MOST = 64000, /* bytes of a call's answer */
    MCP_ROWS = 200,          /* most rows of a table, unless the call sets another limit */
    MCP_ROWS_MOST = 1000,
    MCP_SECONDS = 20, /* most seconds for a call */
    MCP_WORDS = 80,   /* most words of a command line */
    MCP_WHY = 2000
};

enum { MCP_PARSE_ERROR = -32700, MCP_BAD_REQUEST = -32600, MCP_NO_METHOD = -32601, MCP_BAD_PARAMETERS = -32602 };

/* The command of a call as words, which are freed with it. */
typedef struct mcp_command {
    char *words[MCP_WORDS];
    size_t count;
    int64_t max_rows;
    int code;          /* error code of the protocol: the parameters do not fit the tool; 0: they do */
    char why[MCP_WHY]; /* the error; "": none */
} mcp_command;

/* tools.c */
void mcp_list_tools(answer *a);
void mcp_command_of(const message *m, const value *parameters, int root, mcp_command *out);
void mcp_command_free(mcp_command *c);

/* call.c: writes the result of tools/call, which may be an error of the command. */
void mcp_call(const mcp_command *c, int root, const mcp_program *program, answer *result);

/* result.c: writes the rows of a report as the result of a call. */
void mcp_put_report(const mcp_command *c, const tfp_report *r, const char *said, answer *result);
void mcp_put_fault(const char *why, answer *result);

#endif
