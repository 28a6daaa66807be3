// SPDX-License-Identifier: Apache-2.0
/* server/http/gate_check.c: checks the head of a request, more strictly than HTTP requires: browsers and other honest clients send
 * nothing else. */
#include "gate.h"
#include "http.h"
#include "request.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

typedef struct head {
    size_t headers, hosts, lengths, encodings;
    bool length_bad, body, expect;
} head;

static bool is_token(const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (!isalnum((unsigned char)text[i]) && !memchr("!#$%&'*+-.^_`|~", text[i], 15)) return false;
    return size != 0;
}

static bool is_hex(char c) { return isxdigit((unsigned char)c) != 0; }

/* A path from / on, and perhaps a query; percent signs are followed by two digits, and never mean NUL. */
static bool is_target(const char *text, size_t size)
{
    size_t parameters = 1;
    if (!size || *text != '/') return false;
    for (size_t i = 0; i < size; i++) parameters += text[i] == '&';
    if (parameters > REQUEST_PARAMETERS) return false;
    for (size_t i = 0; i < size; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c <= ' ' || c >= 0x7f || strchr("\"<>\\^`{|}#", c)) return false;
        if (c != '%') continue;
        if (size - i < 3 || !is_hex(text[i + 1]) || !is_hex(text[i + 2])) return false;
        if (text[i + 1] == '0' && text[i + 2] == '0') return false;
    }
    return true;
}

static bool is_named(const char *name, size_t size, const char *wanted)
{
    return strlen(wanted) == size && strncasecmp(name, wanted, size) == 0;
}

static void take_length(head *h, const char *value, size_t size)
{
    h->lengths++;
    for (size_t i = 0; i < size; i++)
        if (!isdigit((unsigned char)value[i]))
            h->length_bad = true;
        else if (value[i] != '0')
            h->body = true;
    if (!size) h->length_bad = true;
}

/* NAME: VALUE, nothing else; false when it is malformed. */
static bool take_header(head *h, const char *line, size_t size)
{
    const char *colon = memchr(line, ':', size);
    size_t name = colon ? (size_t)(colon - line) : 0;
    if (!colon || !is_token(line, name)) return false;
    const char *value = colon + 1, *end = line + size;
    for (const char *at = value; at < end; at++)
        if (((unsigned char)*at < ' ' && *at != '\t') || *at == 0x7f) return false;
    while (value < end && (*value == ' ' || *value == '\t')) value++;
    while (end > value && (end[-1] == ' ' || end[-1] == '\t')) end--;
    h->headers++;
    if (is_named(line, name, "Content-Length")) take_length(h, value, (size_t)(end - value));
    if (is_named(line, name, "Host")) h->hosts++;
    if (is_named(line, name, "Transfer-Encoding")) h->encodings++;
    if (is_named(line, name, "Expect")) h->expect = true;
    return true;
}

static int refuse(int status, const char *text, const char **why)
{
    *why = text;
    return status;
}

static int check_line(const char *line, size_t size, bool posts, bool *known, const char **why)
{
    const char *first = memchr(line, ' ', size), *last = memrchr(line, ' ', size);
    static const char bad[] = "the request line is malformed";
    if (size > GATE_LINE) return refuse(414, "the request line is too long", why);
    if (!first || first == last || !is_token(line, (size_t)(first - line))) return refuse(400, bad, why);
    size_t version = size - (size_t)(last + 1 - line);
    if (version != 8 || (memcmp(last + 1, "HTTP/1.1", 8) != 0 && memcmp(last + 1, "HTTP/1.0", 8) != 0))
        return refuse(400, "this server speaks HTTP/1.1 and 1.0", why);
    if (!is_target(first + 1, (size_t)(last - first) - 1)) return refuse(400, bad, why);
    size_t method = (size_t)(first - line);
    *known = (method == 3 && memcmp(line, "GET", 3) == 0) || (method == 4 && memcmp(line, "HEAD", 4) == 0) ||
             (posts && method == 4 && memcmp(line, "POST", 4) == 0);
    return 0;
}

int gate_check(const char *text, size_t size, bool posts, const char **why)
{
    head h = { 0 };
    bool known = false;
    *why = "";
    for (size_t at = 0, line = 0; at < size; line++) {
        const char *end = memchr(text + at, '\n', size - at);
        size_t n = end ? (size_t)(end - text) - at : 0;
        if (!end || !n || end[-1] != '\r') return refuse(400, "a line does not end with CR LF", why);
        n--;
        int status = line == 0 ? check_line(text, n, posts, &known, why) : 0;
        if (status) return status;
        if (line && n && !take_header(&h, text + at, n)) return refuse(400, "a header is malformed", why);
        if (line && !n) break;
        at += n + 2;
    }
    if (h.headers > GATE_HEADERS) return refuse(431, "too many headers", why);
    if (h.length_bad || h.lengths > 1 || h.encodings > 1 || (h.lengths && h.encodings))
        return refuse(400, "the length of the body is ambiguous", why);
    if (h.hosts != 1) return refuse(400, "the Host header must name this server once, with its port", why);
    if (!known) return refuse(405, "only GET and HEAD are answered", why);
    if (h.body || h.encodings) return refuse(413, "a request must have no body", why);
    if (h.expect) return refuse(417, "the header Expect is not supported", why);
    return 0;
}

bool gate_same_token(const char *given, size_t size, const char *token)
{
    unsigned differs = strlen(token) != size;
    for (size_t i = 0; token[i]; i++) differs |= (unsigned)(token[i] ^ (i < size ? given[i] : 0));
    return !differs;
}
