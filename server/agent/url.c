// SPDX-License-Identifier: Apache-2.0
/* server/agent/url.c: parses a collector's URL, the first line of an HTTP answer, and headers of a request. */
#include "agent.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define STATUS_LINE_MOST 1024

static bool refuse(const char **why, const char *text)
{
    *why = text;
    return false;
}

static bool take_port(const char *text, size_t size, http_url *out)
{
    if (!size || size > 5 || strspn(text, "0123456789") < size) return false;
    snprintf(out->port, sizeof out->port, "%.*s", (int)size, text);
    return true;
}

bool http_url_of(const char *text, const char *port, http_url *out, const char **why)
{
    static const char scheme[] = "http://";
    *out = (http_url){ 0 };
    snprintf(out->port, sizeof out->port, "%s", port);
    if (strncasecmp(text, "https://", 8) == 0)
        return refuse(why, "https (TLS) is not supported: name a collector of this machine or network by http://");
    if (strncasecmp(text, scheme, sizeof scheme - 1) != 0) return refuse(why, "it does not begin with http://");
    text += sizeof scheme - 1;
    for (const char *at = text; *at; at++)
        if (*at <= ' ' || *at >= 0x7f || strchr("\"<>\\^`{|}#@", *at))
            return refuse(why, "it contains a character that is not allowed");
    size_t all = strcspn(text, "/?"), bracket = *text == '[' ? strcspn(text, "]") : 0;
    size_t host = bracket && bracket < all ? bracket + 1 : strcspn(text, ":/?");
    size_t cut = bracket && bracket < all ? 1 : 0;
    if (host <= 2 * cut || host - 2 * cut >= sizeof out->host) return refuse(why, "no host is named");
    snprintf(out->host, sizeof out->host, "%.*s", (int)(host - 2 * cut), text + cut);
    if (strpbrk(out->host, "[]")) return refuse(why, "no host is named");
    if (host < all && (text[host] != ':' || !take_port(text + host + 1, all - host - 1, out)))
        return refuse(why, "its port is no number");
    if (text[all] == '?') return refuse(why, "its path does not begin with /");
    if (strlen(text + all) >= sizeof out->path) return refuse(why, "its path is too long");
    snprintf(out->path, sizeof out->path, "%s", text[all] ? text + all : "/");
    snprintf(out->authority, sizeof out->authority, "%.*s:%s", (int)host, text, out->port);
    return true;
}

bool http_url_below(http_url *u, const char *path, const char **why)
{
    size_t size = strlen(u->path);
    if (u->path[size - 1] == '/') size--;
    if (strchr(u->path, '?')) return refuse(why, "it has a query");
    if (size + strlen(path) >= sizeof u->path) return refuse(why, "its path is too long");
    strcpy(u->path + size, path);
    return true;
}

int http_status_of(const char *head, size_t size)
{
    static const char start[] = "HTTP/1.";
    size_t n = sizeof start - 1, known = size < n ? size : n;
    if (memcmp(head, start, known) != 0) return -1;
    if (!memchr(head, '\n', size)) return size < STATUS_LINE_MOST ? 0 : -1;
    const char *at = head + n; /* a line end follows, so there are bytes up to it */
    if ((*at != '0' && *at != '1') || at[1] != ' ') return -1;
    int status = 0;
    for (at += 2; isdigit((unsigned char)*at) && status < 1000; at++) status = 10 * status + *at - '0';
    return status >= 100 && status < 600 && (*at == ' ' || *at == '\r' || *at == '\n') ? status : -1;
}

const char *http_header_value(const char *head, const char *name, size_t *size)
{
    const char *found = NULL;
    size_t n = strlen(name), count = 0;
    *size = 0;
    for (const char *line = strstr(head, "\r\n"); line && strncmp(line, "\r\n\r\n", 4) != 0;
         line = strstr(line + 2, "\r\n")) {
        if (strncasecmp(line + 2, name, n) != 0 || line[2 + n] != ':') continue;
        found = line + 3 + n;
        found += strspn(found, " \t");
        count++;
    }
    if (count != 1) return NULL;
    *size = strcspn(found, "\r");
    while (*size && (found[*size - 1] == ' ' || found[*size - 1] == '\t')) --*size;
    return found;
}
