// SPDX-License-Identifier: Apache-2.0
/* cli/near.c: the name that a mistyped one may have meant, by edit distance. */
#include "cli.h"

#include <string.h>

static size_t least(size_t a, size_t b, size_t c)
{
    size_t ab = a < b ? a : b;
    return ab < c ? ab : c;
}

static bool same(char a, char b) { return (a == '-' ? '_' : a) == (b == '-' ? '_' : b); }

/* Letters to insert, delete, replace or swap with the next one; '-' and '_' are the same letter. Both words are at most
 * CLI_NAME_MAX long. */
static size_t distance(const char *a, size_t an, const char *b, size_t bn)
{
    size_t rows[3][CLI_NAME_MAX + 1], *two_up = rows[0], *up = rows[1], *row = rows[2];
    for (size_t j = 0; j <= bn; j++) up[j] = two_up[j] = j;
    for (size_t i = 1; i <= an; i++) {
        row[0] = i;
        for (size_t j = 1; j <= bn; j++) {
            row[j] = least(up[j] + 1, row[j - 1] + 1, up[j - 1] + !same(a[i - 1], b[j - 1]));
            if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]) && two_up[j - 2] + 1 < row[j])
                row[j] = two_up[j - 2] + 1;
        }
        size_t *oldest = two_up;
        two_up = up;
        up = row;
        row = oldest;
    }
    return up[bn];
}

cli_near cli_near_start(const char *wanted)
{
    size_t n = strlen(wanted);
    /* a long word may have two errors, a short one one; very short words are not guessed */
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
