// SPDX-License-Identifier: Apache-2.0
/* cli/query.c: the command query: SQL over the profiles that a command line names, or over the session's. */
#include "cli.h"
#include "tfprof/fleet.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <strings.h>
#include <sys/stat.h>

/* ---- which word is the SQL ---- */

static const char *const starts[] = { "select", "with", "values", "explain" };

static bool begins_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static bool starts_statement(const char *text)
{
    text += strspn(text, " \t\r\n");
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        size_t n = strlen(starts[i]);
        if (strncasecmp(text, starts[i], n) == 0 && !begins_name(text[n])) return true;
    }
    return false;
}

char *cli_query_start(char *line)
{
    static const char blanks[] = " \t\r\n\v\f";
    for (char *at = line;; at += strcspn(at, blanks)) {
        at += strspn(at, blanks);
        if (!*at) return NULL;
        if (starts_statement(at + strspn(at, "\"'"))) return at;
    }
}

/* ---- the profiles: each file that is one is by itself; of all others each run is one, and without traces they are one ---- */

enum { PROFILE_MOST = 1000 };

typedef struct profiles {
    tfp_profile **at;
    const char **names;
    size_t count;
} profiles;

/* A pipe can be read once only, so it is not looked into. */
static const char *format_of(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode) ? tfp_recognise_file(path, NULL) : NULL;
}

static bool has_paths(const cli_call *call)
{
    for (size_t i = 0; i < CLI_FORMAT_MAX; i++)
        if (call->paths[i]) return true;
    return false;
}

static bool is_there(const char *const *names, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (names[i] && strcmp(names[i], name) == 0) return true;
    return false;
}

/* Loads the files that a call names and takes over the profile. */
static int load_one(cli *c, const cli_call *call, unsigned keep, const char *name, profiles *out)
{
    int status = cli_load(c, call, keep);
    if (status) return status;
    out->at[out->count] = c->profile;
    out->names[out->count++] = name;
    c->profile = NULL;
    return 0;
}

/* Takes the profile that was read as the only one of the call. */
static void take_read(cli *c, const cli_call *call, profiles *out)
{
    cli_notes(c, call);
    out->at[out->count] = c->profile;
    out->names[out->count++] = NULL;
    c->profile = NULL;
}

/* For each word, and each flag's file, the run that it belongs to. */
typedef struct shares {
    size_t *words, flags[CLI_FORMAT_MAX], runs;
} shares;

static void count_run(shares *x, size_t run)
{
    if (run >= x->runs) x->runs = run + 1;
}

/* Files named by flags belong to all runs, except a trace. */
static bool is_trace_of_flag(const cli_call *call, size_t format)
{
    return call->paths[format] && tfp_format_is(tfp_list(TFP_FORMATS, format), TFP_FORMAT_RANKS);
}

static tfp_status find_shares(const tfp_profile *p, const cli_call *call, shares *x, tfp_error *err)
{
    tfp_status s = tfp_profile_runs(p, call->word_count, (const char *const *)call->words, x->words, err);
    x->runs = 1;
    for (size_t i = 0; i < call->word_count && !s; i++) count_run(x, x->words[i]);
    for (size_t i = 0; i < CLI_FORMAT_MAX && !s; i++) {
        if (!is_trace_of_flag(call, i)) continue;
        s = tfp_profile_runs(p, 1, &call->paths[i], &x->flags[i], err);
        count_run(x, x->flags[i]);
    }
    return s;
}

/* The words and flags of one run; `words` has room for all. */
static cli_call call_of_run(const cli_call *all, const shares *x, size_t run, char **words)
{
    cli_call one = *all;
    one.words = words;
    one.word_count = 0;
    for (size_t i = 0; i < all->word_count; i++)
        if (x->words[i] == run) words[one.word_count++] = all->words[i];
    for (size_t i = 0; i < CLI_FORMAT_MAX; i++)
        if (is_trace_of_flag(all, i) && x->flags[i] != run) one.paths[i] = NULL;
    return one;
}

/* Loads traces and what belongs to them: first all together, to find out which are ranks of one job. If there are several runs, each
 * is read again separately. */
static int load_runs(cli *c, const cli_call *rest, unsigned keep, profiles *out)
{
    shares x = { .words = calloc(rest->word_count + 1, sizeof *x.words) };
    char **words = calloc(rest->word_count + 1, sizeof *words);
    int status = x.words && words ? cli_read(c, rest, keep) : cli_fault_set(&c->fault, CLI_LIMIT, "out of memory");
    tfp_status s = status ? TFP_OK : find_shares(c->profile, rest, &x, c->err);
    if (s) status = cli_fault_from(&c->fault, s, c->err);
    if (!status && x.runs == 1) take_read(c, rest, out);
    if (!status && x.runs > 1) {
        tfp_profile_free(c->profile);
        c->profile = NULL;
    }
    for (size_t run = 0; run < x.runs && x.runs > 1 && !status; run++) {
        cli_call one = call_of_run(rest, &x, run, words);
        status = load_one(c, &one, keep, NULL, out);
    }
    free(words);
    free(x.words);
    return status;
}

static int load_all(cli *c, const cli_call *call, unsigned keep, profiles *out)
{
    cli_call rest = *call, one = { .command = call->command, .name = call->name };
    bool alone = call->word_count == 1 && !has_paths(call); /* a single file is one run, whatever it is */
    int status = 0;
    rest.words = calloc(call->word_count + 1, sizeof *rest.words);
    rest.word_count = 0;
    out->at = calloc(call->word_count + CLI_FORMAT_MAX + 1, sizeof(tfp_profile *));
    out->names = calloc(call->word_count + CLI_FORMAT_MAX + 1, sizeof *out->names);
    if (!rest.words || !out->at || !out->names)
        status = cli_fault_set(&c->fault, CLI_LIMIT, "out of memory");
    else if (call->word_count > PROFILE_MOST)
        status = cli_fault_set(&c->fault, CLI_LIMIT, "query: more than %d files", PROFILE_MOST);
    memcpy(one.flags, call->flags, sizeof one.flags);
    for (size_t i = 0; i < call->word_count && !status; i++) {
        char *word = call->words[i];
        const char *format = alone ? NULL : format_of(word);
        bool whole = alone || tfp_format_is(format, TFP_FORMAT_WHOLE), trace = tfp_format_is(format, TFP_FORMAT_RANKS);
        if (!whole && !(trace && is_there((const char *const *)rest.words, rest.word_count, word))) {
            rest.words[rest.word_count++] = word;
        } else if (whole && !is_there(out->names, out->count, word)) {
            one.words = &call->words[i];
            one.word_count = 1;
            status = load_one(c, &one, keep, word, out);
        }
    }
    if (!status && (rest.word_count || has_paths(call) || !out->count)) status = load_runs(c, &rest, keep, out);
    free(rest.words);
    return status;
}

static void free_all(profiles *p)
{
    for (size_t i = 0; i < p->count; i++) tfp_profile_free(p->at[i]);
    free(p->at);
    free(p->names);
}

/* ---- the command ---- */

/* What must be kept because the SQL uses it: rows of tables, and the program, which shows where `parameters` differ from the
 * model's. A table must be named literally, because SQL has no other way to refer to it. */
static unsigned keep_for(const char *sql)
{
    static const char *const details[] = { "spans",        "span_args", "memory", "buffers", "allocations",
                                           "step_devices", "transfer",  "wait",   "check",   "kernel" };
    unsigned keep = strcasestr(sql, "parameters") || strchr(sql, '*') ? TFP_KEEP_GRAPHS : 0;
    if (strcasestr(sql, "limits") || strcasestr(sql, "findings") || strcasestr(sql, "whatif")) keep |= TFP_KEEP_STRIDES;
    for (size_t i = 0; i < sizeof details / sizeof *details; i++)
        if (strcasestr(sql, details[i])) return keep | TFP_KEEP_MEMORY;
    return keep;
}

/* The SQL is the word that looks like it, wherever it is; otherwise the first word that is not a file, so that a typing error
 * in it is reported as SQL. It is removed from the words; NULL when there is none. */
static const char *take_sql(cli_call *call)
{
    size_t at = 0, count = call->word_count;
    while (at < count && !starts_statement(call->words[at])) at++;
    if (at == count)
        for (at = 0; at < count && access(call->words[at], F_OK) == 0;) at++;
    if (at == count) return NULL;
    const char *sql = call->words[at];
    memmove(call->words + at, call->words + at + 1, (call->word_count - at - 1) * sizeof *call->words);
    call->word_count--;
    return sql;
}

static int query_index(cli *c, const char *index, const char *sql, tfp_options *o)
{
    tfp_report *r = NULL;
    tfp_options_on_query(o, cli_stop_when_interrupted, NULL);
    tfp_status s = tfp_index_query(index, sql, o, &r, c->err);
    return s ? cli_fault_from(&c->fault, s, c->err) : cli_put(c, r, o);
}

int cli_query(cli *c, const cli_call *given, tfp_options *o)
{
    cli_call call = *given;
    profiles p = { 0 };
    tfp_report *r = NULL;
    const char *sql = take_sql(&call);
    if (!sql) return cli_fault_set(&c->fault, CLI_BAD_USAGE, "query needs SQL, such as \"SELECT name, op FROM nodes\"");
    if (strpbrk(sql, "./") && !sql[strcspn(sql, " \t\n;(*")])
        return cli_fault_set(&c->fault, CLI_BAD_USAGE,
                             "query: '%s' is no SQL, such as \"SELECT name, op FROM nodes\", and no such file", sql);
    const tfp_profile *own = c->profile;
    if (!own && call.word_count == 1 && tfp_is_index(call.words[0])) return query_index(c, call.words[0], sql, o);
    int status = own ? 0 : load_all(c, &call, keep_for(sql), &p);
    if (status) goto out;
    tfp_options_on_query(o, cli_stop_when_interrupted, NULL);
    tfp_status s = own ? tfp_query(&own, NULL, 1, sql, o, &r, c->err)
                       : tfp_query((const tfp_profile *const *)p.at, p.names, p.count, sql, o, &r, c->err);
    status = s ? cli_fault_from(&c->fault, s, c->err) : cli_put(c, r, o);
out:
    free_all(&p);
    return status;
}
