// SPDX-License-Identifier: Apache-2.0
/* sql/expand.c: the size of a statement after expansion. SQLite expands a common table expression wherever it is named,
 * before any of its limits applies: forty expressions that each name the previous one twice become 2^40. So the words
 * of the text are counted first, those of an expression as often as it is named. Older versions of SQLite cannot be
 * interrupted during the expansion. */
#include "sql/guard.h"

enum { DEFINED_MOST = 64, WORDS_MOST = 50000, NO_ONE = DEFINED_MOST };

typedef struct word {
    tfp_str s;  /* a name without its quotes, or one other character */
    bool name;  /* may name an expression */
    bool plain; /* not quoted: may be a keyword */
} word;

typedef struct defined {
    tfp_str name;
    int around;       /* the definition that contains it */
    size_t depth;     /* nesting of its brackets */
    uint64_t words;   /* its own words, later all of them */
    uint32_t *counts; /* how often it names each of the others */
} defined;

typedef struct text {
    const char *at;
    char *room; /* storage for names; as long as the text */
} text;

typedef struct statement {
    word *words;
    size_t count;
    defined all[DEFINED_MOST + 1]; /* the statement itself is the last */
    int defined_count;
} statement;

/* ---- words ---- */

static bool in_name(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' ||
           (unsigned char)c >= 0x80;
}

/* Skips blanks and comments. */
static void skip(text *t)
{
    for (;;) {
        t->at += strspn(t->at, " \t\r\n\f\v");
        if (t->at[0] == '-' && t->at[1] == '-') {
            t->at += strcspn(t->at, "\n");
        } else if (t->at[0] == '/' && t->at[1] == '*') {
            const char *end = strstr(t->at + 2, "*/");
            t->at = end ? end + 2 : t->at + strlen(t->at);
        } else {
            return;
        }
    }
}

/* A text or a name between quotes; a doubled quote is one. */
static tfp_str quoted(text *t, char end)
{
    tfp_str s = { t->room, 0 };
    for (t->at++; *t->at; t->at++) {
        if (*t->at == end && (end == ']' || t->at[1] != end)) {
            t->at++;
            break;
        }
        if (*t->at == end) t->at++;
        t->room[s.size++] = *t->at;
    }
    t->room += s.size;
    return s;
}

static bool next_word(text *t, word *w)
{
    skip(t);
    *w = (word){ { t->at, 1 }, false, false };
    char c = *t->at;
    if (!c) return false;
    if (c == '\'' || c == '"' || c == '`' || c == '[') {
        w->s = quoted(t, c == '[' ? ']' : c);
        w->name = true; /* SQLite accepts even '...' as a name where only a name is possible */
    } else if (in_name(c)) {
        while (in_name(*t->at)) t->at++;
        w->s.size = (size_t)(t->at - w->s.data);
        w->name = w->plain = true;
    } else {
        t->at++;
    }
    return true;
}

static bool same(tfp_str a, tfp_str b) { return a.size == b.size && strncasecmp(a.data, b.data, a.size) == 0; }
static bool is_mark(const word *w, char c) { return !w->name && *w->s.data == c; }
static bool is_keyword(const word *w, const char *keyword) { return w->plain && same(w->s, tfp_str_of(keyword)); }

/* ---- definitions ---- */

/* NAME [(...)] AS [NOT] [MATERIALIZED] ( : returns the index of the last bracket, 0 if it is not a definition. */
static size_t definition(const statement *x, size_t at)
{
    size_t i = at + 1;
    if (!x->words[at].name) return 0;
    if (i < x->count && is_mark(&x->words[i], '(')) {
        while (i < x->count && !is_mark(&x->words[i], ')')) i++;
        i++;
    }
    if (i >= x->count || !is_keyword(&x->words[i], "as")) return 0;
    i++;
    if (i < x->count && is_keyword(&x->words[i], "not")) i++;
    if (i < x->count && is_keyword(&x->words[i], "materialized")) i++;
    return i < x->count && is_mark(&x->words[i], '(') ? i : 0;
}

/* Finds the definitions, and assigns each word to the innermost one around it: whose[i]. False: too many. */
static bool find_definitions(statement *x, uint8_t *whose)
{
    int inside = NO_ONE;
    size_t depth = 0, opens = 0;
    for (size_t i = 0; i < x->count; i++) {
        size_t bracket = i >= opens ? definition(x, i) : 0;
        if (bracket) {
            if (x->defined_count == DEFINED_MOST) return false;
            x->all[x->defined_count++] = (defined){ .name = x->words[i].s, .around = inside, .depth = SIZE_MAX };
            opens = bracket;
        }
        if (is_mark(&x->words[i], '(')) depth++;
        if (opens && i == opens) {
            inside = x->defined_count - 1;
            x->all[inside].depth = depth;
            opens = 0;
        }
        whose[i] = (uint8_t)inside;
        x->all[inside].words++;
        if (is_mark(&x->words[i], ')')) {
            if (inside != NO_ONE && x->all[inside].depth == depth) inside = x->all[inside].around;
            if (depth) depth--;
        }
    }
    return true;
}

static void count_names(statement *x, const uint8_t *whose)
{
    for (size_t i = 0; i < x->count; i++) {
        if (!x->words[i].name) continue;
        for (int d = 0; d < x->defined_count; d++)
            if (d != whose[i] && same(x->all[d].name, x->words[i].s)) x->all[whose[i]].counts[d]++;
    }
}

/* All words of the statement, those of a definition as often as it is named, up to WORDS_MOST + 1. Definitions may name
 * later ones; if they name each other in a cycle, which SQLite refuses, they count as WORDS_MOST + 1. */
static uint64_t grown(statement *x)
{
    uint64_t own[DEFINED_MOST + 1];
    for (int d = 0; d <= DEFINED_MOST; d++) own[d] = x->all[d].words;
    for (int round = 0; round <= x->defined_count + 1; round++) {
        for (int d = 0; d <= DEFINED_MOST; d++) {
            uint64_t sum = own[d];
            for (int e = 0; e < x->defined_count; e++) {
                sum += (uint64_t)x->all[d].counts[e] * x->all[e].words;
                if (sum > WORDS_MOST) sum = WORDS_MOST + 1;
            }
            x->all[d].words = sum;
        }
    }
    return x->all[NO_ONE].words;
}

static bool read_words(statement *x, text t)
{
    word w;
    for (x->count = 0; x->count <= WORDS_MOST && next_word(&t, &w);) x->words[x->count++] = w;
    return x->count <= WORDS_MOST;
}

tfp_status sql_guard_size(const char *sql, tfp_error *err)
{
    size_t size = strlen(sql);
    if (size > SQL_LENGTH_MOST) return tfp_fail(err, TFP_LIMIT, "query: longer than %d bytes", SQL_LENGTH_MOST);
    tfp_arena arena = { 0 };
    statement *x = TFP_NEW(&arena, statement, 1);
    char *room = tfp_arena_alloc(&arena, size + 1);
    uint8_t *whose = tfp_arena_alloc(&arena, size + 1);
    uint32_t *counts = TFP_NEW(&arena, uint32_t, (DEFINED_MOST + 1) * DEFINED_MOST);
    if (x) x->words = TFP_NEW(&arena, word, size + 2);
    bool ok = x && x->words && room && whose && counts, small = false;
    if (ok && read_words(x, (text){ sql, room }) && find_definitions(x, whose)) {
        for (int d = 0; d <= DEFINED_MOST; d++) x->all[d].counts = counts + (size_t)d * DEFINED_MOST;
        count_names(x, whose);
        small = grown(x) <= WORDS_MOST;
    }
    tfp_arena_free(&arena);
    if (!ok) return tfp_nomem(err);
    return small ? TFP_OK : tfp_fail(err, TFP_LIMIT, "query: too long once its WITH tables are written out");
}
