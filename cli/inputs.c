// SPDX-License-Identifier: Apache-2.0
/* cli/inputs.c: reads the files on a command line as one profile. In: --FORMAT_path flags and plain words. Out: a
 * finished profile; on stderr a progress bar, the coverage of each run_meta and one line per warning. */
#include "cli.h"
#include "http/clock.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct input {
    const char *format; /* NULL: a pipe, whose format is known only while it is read */
    size_t row;         /* row of TFP_FORMATS; formats are added in that order */
    const char *path;
    bool by_flag;
} input;

typedef struct inputs {
    input *at;
    size_t count;
    char *lists; /* a copy of comma-separated lists, cut into words */
} inputs;

static size_t row_of(const char *format)
{
    const char *name;
    for (size_t i = 0; (name = tfp_list(TFP_FORMATS, i)); i++)
        if (strcmp(name, format) == 0) return i;
    return 0;
}

static void add(inputs *in, const char *format, size_t row, const char *path, bool by_flag)
{
    in->at[in->count++] = (input){ format, row, path, by_flag };
}

static void add_flag(inputs *in, const char *format, size_t row, const char *value, char **room)
{
    if (!tfp_format_is(format, TFP_FORMAT_SEVERAL)) {
        add(in, format, row, value, true);
        return;
    }
    char *list = strcpy(*room, value);
    *room += strlen(value) + 1;
    for (char *path = list; path;) {
        char *end = strchr(path, ',');
        if (end) *end++ = '\0';
        if (*path) add(in, format, row, path, true);
        path = end;
    }
}

/* Whether a file's beginning may be read to find its format. A pipe can be read only once, so it is not, and it stays
 * after the file named before it. */
static bool can_look(const char *path)
{
    struct stat st;
    return stat(path, &st) != 0 || S_ISREG(st.st_mode) || S_ISDIR(st.st_mode);
}

static bool named_before(const inputs *in, const char *path, const char *format)
{
    for (size_t i = 0; i < in->count; i++)
        if (in->at[i].format && strcmp(in->at[i].path, path) == 0 && strcmp(in->at[i].format, format) == 0) return true;
    return false;
}

static int add_word(cli *c, inputs *in, const char *word, bool alone)
{
    const char *path = strcmp(word, "-") == 0 ? "/dev/stdin" : word;
    size_t row = in->count ? in->at[in->count - 1].row : 0;
    if (alone || !can_look(path)) {
        add(in, NULL, row, path, false);
        return 0;
    }
    const char *format = tfp_recognise_file(path, c->err);
    if (!format) {
        cli_fault_set(&c->fault, CLI_BAD_INPUT, "%s", tfp_error_message(c->err));
        return c->fault.status;
    }
    /* the same complete profile twice adds nothing; the same run metadata twice is two steps */
    if (tfp_format_is(format, TFP_FORMAT_WHOLE) && named_before(in, path, format)) return 0;
    add(in, format, row_of(format), path, false);
    return 0;
}

/* Sorts by format; within one format files stay in the given order (insertion sort, as there are few). */
static void sort_inputs(inputs *in)
{
    for (size_t i = 1; i < in->count; i++) {
        input moved = in->at[i];
        size_t to = i;
        while (to && in->at[to - 1].row > moved.row) {
            in->at[to] = in->at[to - 1];
            to--;
        }
        in->at[to] = moved;
    }
}

static const char *named(const input *i, char *room, size_t size)
{
    if (!i->by_flag) return i->path;
    snprintf(room, size, "--%s_path", i->format);
    return room;
}

/* A complete profile contains everything that others would add, except a checkpoint. */
static int check_alone(cli *c, const inputs *in)
{
    const input *profile = NULL;
    char a[CLI_NAME_MAX + 8], b[CLI_NAME_MAX + 8];
    for (size_t i = 0; i < in->count && !profile; i++)
        if (tfp_format_is(in->at[i].format, TFP_FORMAT_WHOLE)) profile = &in->at[i];
    for (size_t i = 0; i < in->count && profile; i++) {
        const input *other = &in->at[i];
        if (other == profile || tfp_format_is(other->format, TFP_FORMAT_BESIDE_WHOLE)) continue;
        return cli_fault_set(&c->fault, CLI_BAD_USAGE,
                             "%s and %s exclude each other: a profile holds the graph and its runs",
                             named(profile, a, sizeof a), named(other, b, sizeof b));
    }
    return 0;
}

static int no_input(cli *c, const char *command)
{
    if (tfp_view_takes_sound(command))
        return cli_fault_set(&c->fault, CLI_BAD_USAGE,
                             "no input: name dumps or their folder, running processes (PID), or --agent");
    return cli_fault_set(&c->fault, CLI_BAD_USAGE,
                         "no input: name files or a folder (- is stdin), such as trace.json.gz; tfprof help formats "
                         "lists what is read");
}

static int collect(cli *c, const cli_call *call, inputs *in)
{
    size_t room = call->word_count, text = 1;
    const char *format;
    for (size_t i = 0; i < CLI_FORMAT_MAX; i++) {
        if (!call->paths[i]) continue;
        room += strlen(call->paths[i]) / 2 + 2;
        text += strlen(call->paths[i]) + 1;
    }
    in->at = calloc(room + 1, sizeof *in->at);
    in->lists = malloc(text);
    if (!in->at || !in->lists) return cli_fault_set(&c->fault, CLI_LIMIT, "out of memory");
    char *list = in->lists;
    for (size_t i = 0; i < CLI_FORMAT_MAX && (format = tfp_list(TFP_FORMATS, i)); i++)
        if (call->paths[i] && *call->paths[i]) add_flag(in, format, i, call->paths[i], &list);
    bool alone = in->count == 0 && call->word_count == 1;
    for (size_t i = 0; i < call->word_count; i++) {
        int s = add_word(c, in, call->words[i], alone);
        if (s) return s;
    }
    sort_inputs(in);
    return in->count ? check_alone(c, in) : no_input(c, call->name);
}

/* Finds the step in FILE@3, unless there is a file with that whole name. */
static char *step_of(char *word)
{
    struct stat st;
    char *at = strrchr(word, '@');
    if (!at || at == word || !at[1] || at[1 + strspn(at + 1, "0123456789")] || stat(word, &st) == 0) return NULL;
    return at;
}

int cli_take_steps(cli *c, const cli_call *call, tfp_options *o)
{
    const char *taken = NULL;
    for (size_t i = 0; i < call->word_count; i++) {
        char *at = step_of(call->words[i]);
        if (!at) continue;
        *at++ = '\0';
        if (taken && strcmp(taken, at) != 0)
            return cli_fault_set(&c->fault, CLI_BAD_USAGE, "'%s@%s': two steps are asked for, %s and %s",
                                 call->words[i], at, taken, at);
        taken = at;
        tfp_status s = tfp_options_set(o, "step", at, c->err);
        if (s) return cli_fault_from(&c->fault, s, c->err);
    }
    return 0;
}

/* ---- progress: a bar on a terminal, once a load has taken half a second ---- */
typedef struct progress {
    bool shows, drawn;
    int64_t start_ms, drawn_ms;
    const tfp_profile *profile;
    const inputs *in;
} progress;

enum { BAR = 30, PATH_ROOM = 160, PATH_SHOWN = 30 };

static void draw(progress *p, uint64_t done, uint64_t total)
{
    char bar[BAR + 1], name[PATH_ROOM], text[PATH_ROOM + BAR + 64];
    size_t file = tfp_profile_adding(p->profile);
    const char *path = p->in->at[file].path, *slash = strrchr(path, '/');
    const char *base = slash && slash[1] ? slash + 1 : path;
    tfp_text_escape(base, strlen(base), name, sizeof name);
    double share = total ? (double)(done < total ? done : total) / (double)total : 0;
    for (int i = 0; i < BAR; i++) bar[i] = i < (int)(share * BAR) ? '#' : '.';
    bar[BAR] = '\0';
    /* \033[K clears the rest of a longer line; a percentage only when the size is known. */
    int n = snprintf(text, sizeof text, total ? "\r%zu/%zu %.*s [%s] %3.0f%%\033[K" : "\r%zu/%zu %.*s [%s]\033[K",
                     file + 1, p->in->count, PATH_SHOWN, name, bar, share * 100);
    cli_stderr(text, (size_t)n < sizeof text ? (size_t)n : sizeof text - 1);
    p->drawn = true;
}

static int on_progress(void *ctx, uint64_t done, uint64_t total)
{
    progress *p = ctx;
    if (cli_interrupted) return 1;
    if (!p->shows) return 0;
    int64_t now = now_ms();
    if (now - p->start_ms < 500 || (p->drawn && now - p->drawn_ms < 100)) return 0;
    p->drawn_ms = now;
    draw(p, done, total);
    return 0;
}

static void end_progress(progress *p)
{
    static const char clear[] = "\r\033[K";
    if (p->drawn) cli_stderr(clear, sizeof clear - 1);
    p->drawn = false;
}

/* ---- loading ---- */
/* Lists formats, followed by the paths. NULL: out of memory. */
static const char **listed(const inputs *in)
{
    const char **words = calloc(in->count * 2 + 1, sizeof *words);
    for (size_t i = 0; words && i < in->count; i++) {
        words[i] = in->at[i].format;
        words[in->count + i] = in->at[i].path;
    }
    return words;
}

static tfp_status add_all(cli *c, tfp_profile *p, const inputs *in, unsigned keep)
{
    progress bar = { .shows = isatty(STDERR_FILENO), .start_ms = now_ms(), .profile = p, .in = in };
    const char **words = listed(in);
    tfp_status s = words ? tfp_profile_keep(p, keep) : TFP_NOMEM;
    if (!s && c->one_report) s = tfp_profile_keep_step(p, c->one_report);
    if (!s) s = tfp_profile_on_progress(p, on_progress, &bar);
    if (!s) s = tfp_profile_add_files(p, in->count, words, words + in->count, NULL, c->err);
    free(words);
    if (!s && cli_interrupted) s = TFP_CANCELLED;
    if (!s) s = tfp_profile_finish(p, c->err);
    tfp_profile_on_progress(p, NULL, NULL);
    end_progress(&bar);
    return s;
}

/* Nodes of functions have no rows in views; flops counts them where they are called. */
static bool is_beside(const cli_call *call, const char *warning)
{
    return call->name && (tfp_view_keep(call->name, NULL) & TFP_KEEP_PROGRAM) &&
           strstr(warning, ": nodes in functions");
}

void cli_notes(cli *c, const cli_call *call)
{
    const tfp_profile *p = c->profile;
    const char *warning;
    for (size_t i = 0;; i++) {
        char text[64];
        double coverage = tfp_profile_coverage(p, i);
        if (coverage < 0) break;
        int n = snprintf(text, sizeof text, "run graph coverage: %.2f\n", coverage);
        cli_stderr(text, (size_t)n);
    }
    for (size_t i = 0; (warning = tfp_profile_warning(p, i)); i++)
        if (!is_beside(call, warning)) cli_tell_note(c, warning);
}

/* ---- the cache of --cache ---- */

enum { CACHE_PATH = 4096 };

/* The cache's file for a profile of these inputs; "": none. */
static void cache_path(cli *c, const inputs *in, unsigned keep, char *path)
{
    const char **words = listed(in);
    bool kept = words != NULL;
    *path = '\0';
    for (size_t i = 0; kept && i < in->count; i++)
        kept = !words[i] || !tfp_format_is(words[i], TFP_FORMAT_PREFIX); /* values of a checkpoint are not kept */
    if (kept && tfp_cache_path(words, words + in->count, in->count, keep, path, CACHE_PATH, c->err)) *path = '\0';
    free(words);
}

/* Opens the cached profile; NULL after a failure, which is reported if the file exists. The profile is then read
 * again. */
static tfp_profile *open_cached(cli *c, const char *path, unsigned keep)
{
    char text[CLI_LINE_MAX];
    if (access(path, R_OK) != 0) return NULL;
    tfp_profile *p = tfp_profile_new();
    tfp_status s = p ? tfp_profile_keep(p, keep) : TFP_NOMEM;
    if (!s) s = tfp_profile_add_file(p, "tfprof", path, c->err);
    if (!s) s = tfp_profile_finish(p, c->err);
    if (!s) {
        tfp_cache_used(path);
        return p;
    }
    snprintf(text, sizeof text, "the cached file was made again: %s", p ? tfp_error_message(c->err) : "out of memory");
    cli_warn(text);
    tfp_profile_free(p);
    return NULL;
}

/* Saves in the cache a profile that was read with all its parts, and returns the one read back from there with the
 * requested parts. The inputs must be unchanged since before they were read. */
static tfp_profile *through_cache(cli *c, const inputs *in, tfp_profile *p, const char *path, unsigned keep)
{
    char now[CACHE_PATH], text[CLI_LINE_MAX];
    if (tfp_profile_has(p, TFP_HAS_TENSORS)) return p;
    cache_path(c, in, keep, now);
    if (strcmp(now, path) != 0) return p;
    if (tfp_cache_save(p, path, c->err)) {
        snprintf(text, sizeof text, "the cache: %s", tfp_error_message(c->err));
        cli_warn(text);
        return p;
    }
    tfp_profile *cached = open_cached(c, path, keep);
    if (!cached) return p;
    tfp_profile_free(p);
    return cached;
}

static tfp_status read_all(cli *c, const inputs *in, unsigned keep, bool cache, tfp_profile **out)
{
    char path[CACHE_PATH] = "";
    if (cache) cache_path(c, in, keep, path);
    if (*path && (*out = open_cached(c, path, keep))) return TFP_OK;
    if (!(*out = tfp_profile_new())) return TFP_NOMEM;
    tfp_status s = add_all(c, *out, in, *path ? keep | TFP_KEEP_ALL | TFP_KEEP_PROGRAM : keep);
    if (!s && *path) *out = through_cache(c, in, *out, path, keep);
    return s;
}

int cli_read(cli *c, const cli_call *call, unsigned keep)
{
    if (c->profile) return 0;
    inputs in = { NULL, 0, NULL };
    tfp_profile *p = NULL;
    int status = collect(c, call, &in);
    if (status) goto out;
    if (call->flags[CLI_FUNCTIONS]) keep |= TFP_KEEP_FUNCTIONS;
    tfp_status s = read_all(c, &in, keep, call->flags[CLI_CACHE] != NULL, &p);
    if (!p) {
        status = cli_fault_set(&c->fault, CLI_LIMIT, "out of memory");
        goto out;
    }
    if (s) {
        status = s == TFP_CANCELLED ? cli_fault_set(&c->fault, CLI_STOPPED, "interrupted")
                                    : cli_fault_from(&c->fault, s, c->err);
        goto out;
    }
    c->profile = p;
    p = NULL;
out:
    tfp_profile_free(p);
    free(in.at);
    free(in.lists);
    return status;
}

int cli_load(cli *c, const cli_call *call, unsigned keep)
{
    bool there = c->profile != NULL;
    int status = cli_read(c, call, keep);
    if (!status && !there) cli_notes(c, call);
    return status;
}
