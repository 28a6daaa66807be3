// SPDX-License-Identifier: Apache-2.0
/* tests/fuzz/models/fuzz_graph_text.c: text protos. A comment is put before the input, so that it is always read as
 * text. */
#include "drive.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char head[] = "# text\nnode { name: 'n0' op: 'X' }\n";
    char *text = malloc(sizeof head - 1 + size);
    if (!text) return 0;
    memcpy(text, head, sizeof head - 1);
    if (size) memcpy(text + sizeof head - 1, data, size);
    const drive_part part = { "graph", text, sizeof head - 1 + size };
    drive_bytes(&part, 1);
    free(text);
    return 0;
}
