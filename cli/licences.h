// SPDX-License-Identifier: Apache-2.0
/* cli/licences.h: NOTICE as zlib's bytes; tools/bytes.py makes the file that defines them. */
#ifndef TFP_CLI_LICENCES_H
#define TFP_CLI_LICENCES_H

#include <stddef.h>

extern const unsigned char cli_notice[];
extern const size_t cli_notice_size, cli_notice_plain_size;

#endif
