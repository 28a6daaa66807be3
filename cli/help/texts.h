// SPDX-License-Identifier: Apache-2.0
/* cli/help/texts.h: whole files that the program holds, compressed: made by tools/bytes.py. */
#ifndef TFP_CLI_TEXTS_H
#define TFP_CLI_TEXTS_H

#include <stddef.h>

extern const unsigned char cli_notice[];
extern const size_t cli_notice_size, cli_notice_plain_size;
extern const unsigned char cli_agents[]; /* docs/agents.md */
extern const size_t cli_agents_size, cli_agents_plain_size;
extern const unsigned char cli_schema[]; /* docs/schema.json */
extern const size_t cli_schema_size, cli_schema_plain_size;

#endif
