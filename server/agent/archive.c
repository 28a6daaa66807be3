// SPDX-License-Identifier: Apache-2.0
/* server/agent/archive.c: sends recordings as one stream between an agent and tfprof on another machine: each entry is a line,
 * followed by the stated number of bytes. Both sides use this file to decide which lines are valid: a name may only lead into a
 * job's folder. */
#include "agent.h"

#include <stdlib.h>
#include <string.h>

/* Whether a name is valid: letters, digits and ._-, not beginning with a dot; one or two components. */
static bool is_name(const char *name)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
    size_t first = strspn(name, letters);
    const char *second = name[first] == '/' ? name + first + 1 : NULL;
    if (!first || *name == '.' || strlen(name) >= ARCHIVE_NAME) return false;
    if (!second) return !name[first];
    return *second && *second != '.' && !second[strspn(second, letters)];
}

static bool take_number(const char **at, int64_t *out)
{
    size_t digits = strspn(*at, "0123456789");
    if (!digits || digits > 15) return false;
    *out = strtoll(*at, NULL, 10);
    *at += digits;
    return true;
}

bool archive_line(const char *line, archive_entry *out)
{
    *out = (archive_entry){ .kind = ARCHIVE_END };
    if (strcmp(line, "end") == 0) return true;
    if (strcmp(line, "waits") == 0 || strcmp(line, "ready") == 0) {
        out->kind = *line == 'w' ? ARCHIVE_WAITS : ARCHIVE_READY;
        return true;
    }
    if (strncmp(line, "file ", 5) == 0) {
        const char *blank = strchr(line + 5, ' ');
        size_t size = blank ? (size_t)(blank - line) - 5 : 0;
        if (!size || size >= sizeof out->name) return false;
        out->kind = ARCHIVE_FILE;
        memcpy(out->name, line + 5, size);
        line = blank + 1;
        return is_name(out->name) && take_number(&line, &out->size) && !*line;
    }
    out->kind = strncmp(line, "report ", 7) == 0 ? ARCHIVE_REPORT : ARCHIVE_FAILED;
    if (out->kind == ARCHIVE_FAILED && strncmp(line, "failed ", 7) != 0) return false;
    line += 7;
    if (!take_number(&line, &out->status) || *line++ != ' ') return false;
    return take_number(&line, &out->size) && !*line && out->status <= 255 && out->size <= ARCHIVE_TEXT_MOST;
}
