// SPDX-License-Identifier: Apache-2.0
/* cli/near.c: the name that a mistyped one may have meant, by edit distance. */
#include "cli.h"

#include <string.h>

static size_t least(size_t a, size_t b, size_t c)
{
    size_t ab = a < b ? a : b;
    return ab < c ? ab : c;
}

/* Levenshtein's distance; '-' and '_' are the same letter. Both are at most CLI_NAME_MAX long. */
static size_t distance(const char *a, size_t an, const char *b, size_t bn)
{
    size_t row[CLI_NAME_MAX + 1];
    for (size_t j = 0; j <= bn; j++) row[j] = j;
    for (size_t i = 1; i <= an; i++) {
        size_t corner = row[0];
        row[0] = i;
        for (size_t j = 1; j <= bn; j++) {
            char x = a[i - 1] == '-' ? '_' : a[i - 1], y = b[j - 1] == '-' ? '_' : b[j - 1];
            size_t up = row[j];
            row[j] = least(up + 1, row[j - 1] + 1, corner + (x != y));
            corner = up;
        }
    }
    return row[bn];
}

cli_near cli_near_start(const char *wanted)
{
    size_t n = strlen(wanted);
    /* Two slips in a long word, one in a short one, none worth guessing in less. */
    return (cli_near){ wanted, "", n > CLI_NAME_MAX || n < 2 ? 0 : n < 5 ? 2 : 3 };
}

void cli_near_try(cli_near *n, const char *candidate)
{
    size_t wn = strlen(n->wanted), cn = strlen(candidate);
    if (n->distance == 0 || wn > CLI_NAME_MAX || cn > CLI_NAME_MAX) return;
    size_t d = distance(n->wanted, wn, candidate, cn);
    if (d >= n->distance) return;
    memcpy(n->best, candidate, cn + 1);
    n->distance = d;
}
