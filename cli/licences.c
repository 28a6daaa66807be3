// SPDX-License-Identifier: Apache-2.0
/* cli/licences.c: `help licences`: the file NOTICE, which stands compressed in the program. A static program is one file, and the
 * licences of what is linked into it ask that their texts come along. */
#include "cli.h"
#include "licences.h"

#include <stdlib.h>
#include <zlib.h>

void cli_list_licences(cli *c)
{
    uLongf size = cli_notice_plain_size;
    Bytef *text = malloc(size + 1);
    if (text && uncompress(text, &size, cli_notice, cli_notice_size) == Z_OK)
        cli_print(c->out, "%.*s", (int)size, (const char *)text);
    else
        cli_print(c->out, "out of memory\n");
    free(text);
}
