// SPDX-License-Identifier: Apache-2.0
/* server/agent/findings.c: a finding of `tfprof watch` as a log record of OTLP: its sentence is the body, its
 * columns are attributes. */
#include "findings.h"

#include "message.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TEXT_MOST = 2048, WARN = 13, INFO = 9 }; /* SeverityNumber */

bool findings_url(const char *text, http_url *out, const char **why)
{
    static const char metrics[] = "/v1/metrics";
    if (!http_url_of(text, "4318", out, why)) return false;
    size_t size = strlen(out->path), end = sizeof metrics - 1;
    if (size >= end && strcmp(out->path + size - end, metrics) == 0) out->path[size - end] = '\0';
    size = strlen(out->path);
    if (size >= 8 && strcmp(out->path + size - 8, "/v1/logs") == 0) return true;
    if (!*out->path) snprintf(out->path, sizeof out->path, "/");
    return http_url_below(out, "/v1/logs", why);
}

bool finding_alarms(const char *json)
{
    return !strstr(json, "\"kind\":\"change\"") && !strstr(json, "\"kind\":\"ended\"");
}

/* ---- the JSON object: one level, as the library writes it ---- */

typedef struct pair {
    char key[64], text[TEXT_MOST];
    enum { NOTHING, TEXT, NUMBER } is;
} pair;

static unsigned hex_of(const char *at)
{
    unsigned n = 0;
    for (int i = 0; i < 4; i++) {
        char c = at[i];
        n = n * 16 + (unsigned)(c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : 0);
        if (!c) break;
    }
    return n;
}

/* Reads a string after its first quote; returns what follows its last one, or NULL. What does not fit is cut. */
static const char *read_text(const char *at, char *out, size_t room)
{
    size_t n = 0;
    while (*at && *at != '"') {
        char c = *at++;
        if (c == '\\') {
            c = *at++;
            if (!c) return NULL;
            if (c == 'u') {
                unsigned code = hex_of(at);
                for (int i = 0; i < 4 && *at; i++) at++;
                c = code < 0x80 ? (char)code : '?'; /* only control characters are written in this way */
            } else if (c == 'n' || c == 't' || c == 'r' || c == 'b' || c == 'f') {
                c = c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c == 'b' ? '\b' : '\f';
            }
        }
        if (n + 1 < room) out[n++] = c;
    }
    out[n] = '\0';
    return *at ? at + 1 : NULL;
}

/* Reads the next pair; NULL: there is none. */
static const char *next_pair(const char *at, pair *p)
{
    at += strspn(at, "{, ");
    if (*at != '"' || !(at = read_text(at + 1, p->key, sizeof p->key)) || *at != ':') return NULL;
    if (*++at == '"') {
        p->is = TEXT;
        return read_text(at + 1, p->text, sizeof p->text);
    }
    size_t n = strcspn(at, ",}");
    p->is = strncmp(at, "null", 4) == 0 ? NOTHING : NUMBER;
    snprintf(p->text, sizeof p->text, "%.*s", (int)(n < 64 ? n : 64), at);
    return at + n;
}

static bool value_of(const char *json, const char *key, pair *p)
{
    while ((json = next_pair(json, p)))
        if (strcmp(p->key, key) == 0) return p->is != NOTHING;
    *p->text = '\0';
    return false;
}

/* ---- the record ---- */

/* Microseconds of 2026-11-29T16:09:06.187396Z as nanoseconds since 1970; 0: it is no time. */
static int64_t time_of(const char *text)
{
    struct tm t = { 0 };
    int year, month, micros = 0;
    if (sscanf(text, "%d-%d-%dT%d:%d:%d.%d", &year, &month, &t.tm_mday, &t.tm_hour, &t.tm_min, &t.tm_sec, &micros) < 6)
        return 0;
    t.tm_year = year - 1900;
    t.tm_mon = month - 1;
    return (int64_t)timegm(&t) * 1000000000 + (int64_t)micros * 1000;
}

static bool is_private(const char *key)
{
    return strcmp(key, "line") == 0 || strcmp(key, "job") == 0 || strcmp(key, "ring") == 0;
}

static void put_attributes(answer *a, const char *json, bool names)
{
    pair p;
    while ((json = next_pair(json, &p))) {
        char key[80];
        if (p.is == NOTHING || strcmp(p.key, "evidence") == 0 || (!names && is_private(p.key))) continue;
        snprintf(key, sizeof key, "tfprof.%s", p.key);
        if (p.is == TEXT) {
            message_attribute(a, 6, key, p.text);
            continue;
        }
        size_t one = message_open(a, 6), value;
        message_text(a, 1, key);
        value = message_open(a, 2);
        if (strpbrk(p.text, ".eE"))
            message_double(a, 4, strtod(p.text, NULL));
        else
            message_int(a, 3, strtoll(p.text, NULL, 10));
        message_close(a, value);
        message_close(a, one);
    }
}

/* Evidence may name lines; without names the sentence is made of kind, cause and rank. */
static void put_sentence(char *out, size_t room, const char *json, bool names)
{
    pair kind, cause, rank;
    if (names && value_of(json, "evidence", &kind)) {
        snprintf(out, room, "%s", kind.text);
        return;
    }
    value_of(json, "kind", &kind);
    value_of(json, "cause", &cause);
    bool known = value_of(json, "rank", &rank);
    snprintf(out, room, "%s%.20s: %.60s (%.60s)", known ? "rank " : "all ranks", known ? rank.text : "", kind.text,
             cause.text);
}

void findings_otlp(const char *json, bool names, int64_t unix_ns, answer *out)
{
    pair p;
    char text[TEXT_MOST];
    bool over = value_of(json, "ended", &p);
    int64_t found = value_of(json, over ? "ended" : "found", &p) ? time_of(p.text) : 0;
    size_t all = message_open(out, 1), scope, record, body;
    message_origin(out, &scope);
    record = message_open(out, 2);
    message_fixed(out, 1, (uint64_t)(found ? found : unix_ns));
    value_of(json, "kind", &p);
    bool alarm = !over && strcmp(p.text, "change") != 0 && strcmp(p.text, "ended") != 0;
    message_int(out, 2, alarm ? WARN : INFO);
    message_text(out, 3, alarm ? "WARN" : "INFO");
    put_sentence(text, sizeof text, json, names);
    body = message_open(out, 5);
    message_text(out, 1, text);
    message_close(out, body);
    put_attributes(out, json, names);
    message_fixed(out, 11, (uint64_t)unix_ns);
    message_text(out, 12, "tfprof.finding"); /* event_name */
    message_close(out, record);
    message_close(out, scope);
    message_close(out, all);
}
