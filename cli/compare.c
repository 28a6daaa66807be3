// SPDX-License-Identifier: Apache-2.0
/* cli/compare.c: the commands that compare rows: stats over the steps of one profile, diff of several profiles. A side
 * of diff is one file, or several files of one profile separated by commas, possibly followed by @STEP; the printed text
 * of a scope view is a side too. At the prompt "@STEP", and a missing side, refer to the loaded profile. */
#include "cli.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Whether the notes must go to stderr: the text form of a table begins with the notes, so if it goes to stdout stderr
 * need not repeat them. */
bool cli_says_notes(const tfp_report *r, const tfp_options *o)
{
    bool told = cli_option_begins(o, "format", "text") || cli_option_begins(o, "format", "md");
    return told && tfp_report_is_table(r) && cli_option_begins(o, "output", "stdout");
}

static int put(cli *c, const tfp_report *r, const tfp_options *o, bool remarks)
{
    const char *note;
    size_t before = c->out->size;
    if (c->take) {
        c->take(c->take_ctx, r);
        return 0;
    }
    for (size_t i = 0; !cli_says_notes(r, o) && (note = tfp_report_note(r, i)); i++)
        if (remarks || tfp_report_note_is_remark(r, i))
            cli_tell_remark(c, note);
        else
            cli_tell_note(c, note);
    tfp_status s = tfp_report_put(r, cli_write, c->out, c->err);
    if (s == TFP_OK) return 0;
    if (c->out->size > before) c->out->size = before; /* no report: its first line is taken back */
    return c->out->error || cli_interrupted ? cli_stdout_fault(c) : cli_fault_from(&c->fault, s, c->err);
}

int cli_put(cli *c, tfp_report *r, const tfp_options *o)
{
    int status = put(c, r, o, false);
    tfp_report_free(r);
    return status;
}

int cli_put_live(cli *c, tfp_report *r, const tfp_options *o)
{
    int status = put(c, r, o, true);
    tfp_report_free(r);
    return status;
}

/* What must be kept for the rows that are compared step by step. */
static unsigned keep_of_steps(const tfp_options *o)
{
    return tfp_view_keep(tfp_options_get(o, "view"), o) & ~(unsigned)(TFP_KEEP_TOTAL | TFP_KEEP_ROWS);
}

int cli_stats(cli *c, const cli_call *call, tfp_options *o)
{
    tfp_report *r = NULL;
    int status = cli_load(c, call, keep_of_steps(o));
    if (status) return status;
    tfp_status s = tfp_stats(c->profile, NULL, o, &r, c->err);
    return s ? cli_fault_from(&c->fault, s, c->err) : cli_put(c, r, o);
}

/* ---- diff: its sides ---- */

typedef struct side {
    const char *word;     /* the word as the user gave it */
    const char *name;     /* NULL: none was given */
    char *files;          /* without the step; "" is the session's profile */
    int64_t step;         /* -1: all steps */
    tfp_profile *profile; /* NULL: a text, or the session's profile */
} side;

typedef struct comparison {
    side *sides;
    size_t count;
    tfp_sides *made;
    unsigned keep; /* what to keep of profiles */
} comparison;

/* "A@3" is step 3 of A, unless there is a file with that whole name. */
static int take_apart(cli *c, side *x)
{
    const char *at = strrchr(x->word, '@');
    size_t size = strlen(x->word);
    x->step = -1;
    if (at && at[1] && access(x->word, F_OK) != 0) {
        char *end;
        errno = 0;
        long long step = strtoll(at + 1, &end, 10);
        bool number = isdigit((unsigned char)at[1]) && !*end;
        if (number && errno) return cli_fault_set(&c->fault, CLI_BAD_USAGE, "'%s': no such step", x->word);
        if (number) {
            x->step = step;
            size = (size_t)(at - x->word);
        }
    }
    x->files = strndup(x->word, size);
    if (!x->files) return cli_fault_set(&c->fault, CLI_LIMIT, "out of memory");
    if (size == 0 && !c->profile)
        return cli_fault_set(&c->fault, CLI_BAD_USAGE, "'%s': a side needs a file, and here no profile is loaded",
                             x->word);
    return 0;
}

enum { HEAD = 1 << 20 }; /* the tree of a printed view must begin within this many bytes */

typedef struct text {
    char *data;
    size_t size;
    bool pipe;
} text;

enum {
    FIRST_MS = 3000,
    LATER_MS = 20000
}; /* the longest wait for bytes of a pipe: for the first byte, and for later ones */
#define PIPE_MOST ((size_t)256 << 20)

/* Waits for a pipe's next bytes or its end; a FIFO that no process opens for writing never has either. False: the wait was
 * too long. */
static bool wait_for_pipe(int fd, bool first)
{
    struct timespec nap = { 0, 20 * 1000 * 1000 }, start, now;
    clock_gettime(CLOCK_MONOTONIC, &start);
    for (;;) {
        struct pollfd p = { .fd = fd, .events = POLLIN };
        if (poll(&p, 1, 0) > 0 && (p.revents & (POLLIN | POLLHUP | POLLERR))) return true;
        clock_gettime(CLOCK_MONOTONIC, &now);
        int64_t ms = (int64_t)(now.tv_sec - start.tv_sec) * 1000 + (now.tv_nsec - start.tv_nsec) / 1000000;
        if (cli_interrupted || ms >= (first ? FIRST_MS : LATER_MS)) return cli_interrupted;
        nanosleep(&nap, NULL);
    }
}

/* Reads the beginning of a file, or all of a pipe, which can be read only once. */
static int read_text(cli *c, const char *path, text *t)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), error = 0;
    size_t room = 0;
    if (fd < 0 || fstat(fd, &st) != 0) {
        cli_fault_set(&c->fault, CLI_BAD_INPUT, "%s: cannot open: %s", path, strerror(errno));
        if (fd >= 0) close(fd);
        return c->fault.status;
    }
    t->pipe = !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
    while (!S_ISDIR(st.st_mode) && !cli_interrupted) {
        if (t->pipe && t->size > PIPE_MOST) {
            close(fd);
            return cli_fault_set(&c->fault, CLI_LIMIT, "%s: more than %zu MB from a pipe", path, PIPE_MOST >> 20);
        }
        if (t->pipe && !wait_for_pipe(fd, t->size == 0)) {
            close(fd);
            return cli_fault_set(&c->fault, CLI_BAD_INPUT, "%s: no data within %d seconds", path,
                                 (t->size ? LATER_MS : FIRST_MS) / 1000);
        }
        if (t->size == room) {
            if (!t->pipe && (t->size >= HEAD || tfp_is_scope_text(t->data, t->size))) break;
            room = room ? room * 2 : HEAD / 16;
            char *more = room <= (size_t)512 << 20 ? realloc(t->data, room) : NULL;
            if (!more) {
                close(fd);
                return cli_fault_set(&c->fault, CLI_LIMIT, "%s: too big to be compared", path);
            }
            t->data = more;
        }
        ssize_t n = read(fd, t->data + t->size, room - t->size);
        if (n < 0 && (errno == EINTR || errno == EAGAIN)) continue;
        if (n < 0) error = errno;
        if (n <= 0) break;
        t->size += (size_t)n;
    }
    close(fd);
    if (error) return cli_fault_set(&c->fault, CLI_BAD_INPUT, "%s: cannot read: %s", path, strerror(error));
    return cli_interrupted ? cli_fault_set(&c->fault, CLI_STOPPED, "interrupted") : 0;
}

static int from_library(cli *c, tfp_status s) { return s ? cli_fault_from(&c->fault, s, c->err) : 0; }

/* Loads a profile that came through a pipe. */
static int load_piped(cli *c, side *x, const char *path, const text *t, unsigned keep)
{
    tfp_profile *p = tfp_profile_new();
    if (!p) return cli_fault_set(&c->fault, CLI_LIMIT, "out of memory");
    tfp_status s = tfp_profile_keep(p, keep);
    if (!s) s = tfp_profile_add_bytes(p, NULL, path, t->data ? t->data : "", t->size, c->err);
    if (!s) s = tfp_profile_finish(p, c->err);
    if (s) {
        tfp_profile_free(p);
        return from_library(c, s);
    }
    x->profile = p;
    return 0;
}

/* Whether a format belongs to every side, and only adds information to its traces: captures of graphs, and Inductor's
 * kernels. */
static bool is_of_all_sides(size_t format)
{
    const char *name = tfp_list(TFP_FORMATS, format);
    return name && (strcmp(name, "capture") == 0 || strcmp(name, "eager") == 0 || strcmp(name, "inductor") == 0);
}

/* Loads the files of a side as `tfprof FILE...` would. */
int cli_load_side(cli *c, const cli_call *call, const char *names, unsigned keep, tfp_profile **out)
{
    tfp_profile *session = c->profile;
    cli_call files = { 0 };
    size_t most = 1;
    for (const char *at = names; *at; at++) most += *at == ',';
    char *list = strdup(names);
    files.words = calloc(most, sizeof *files.words);
    int status = list && files.words ? 0 : cli_fault_set(&c->fault, CLI_LIMIT, "out of memory");
    bool one = access(names, F_OK) == 0; /* a file may have commas in its name */
    for (char *at = list, *next; at && !status; at = next) {
        next = one ? NULL : strchr(at, ',');
        if (next) *next++ = '\0';
        if (*at) files.words[files.word_count++] = at;
    }
    files.flags[CLI_FUNCTIONS] = call->flags[CLI_FUNCTIONS];
    files.flags[CLI_CACHE] = call->flags[CLI_CACHE];
    for (size_t i = 0; i < CLI_FORMAT_MAX; i++)
        if (is_of_all_sides(i)) files.paths[i] = call->paths[i];
    c->profile = NULL;
    if (!status) status = cli_load(c, &files, keep);
    *out = c->profile;
    c->profile = session;
    free(files.words);
    free(list);
    return status;
}

/* Adds a file. One that is no profile is taken for a text, and its errors name the line; bytes that are no text are
 * refused as no profile. */
static int add_file(cli *c, const cli_call *call, comparison *all, side *x, const char *path)
{
    text t = { 0 };
    int status = read_text(c, path, &t);
    bool packed = t.size > 1 && memcmp(t.data, "\x1f\x8b", 2) == 0;
    bool words = packed || !memchr(t.data ? t.data : "", 0, t.size), made = false;
    if (status) goto out;
    if (t.pipe) {
        made = tfp_is_scope_text(t.data, t.size);
        status = made ? from_library(c, tfp_sides_add_text_bytes(all->made, x->name, x->word, t.data, t.size, c->err))
                      : load_piped(c, x, path, &t, all->keep);
    } else {
        made = tfp_is_scope_text(t.data, t.size) || (words && t.size && !tfp_recognise_file(path, c->err));
        status = made ? from_library(c, tfp_sides_add_text(all->made, x->name, path, c->err))
                      : cli_load_side(c, call, x->files, all->keep, &x->profile);
    }
    if (!status && made && x->step >= 0)
        status = cli_fault_set(&c->fault, CLI_BAD_USAGE, "%s: the text of a view has no steps", x->word);
out:
    free(t.data);
    if (status || made) return status;
    return from_library(c, tfp_sides_add(all->made, x->name, x->word, x->profile, x->step, c->err));
}

/* The profile of an earlier side that names the same files; NULL: there is none. */
static const tfp_profile *loaded_before(const comparison *all, const side *x)
{
    for (const side *y = all->sides; y < x; y++)
        if (y->profile && strcmp(y->files, x->files) == 0) return y->profile;
    return NULL;
}

static int add_side(cli *c, const cli_call *call, comparison *all, side *x)
{
    int status = take_apart(c, x);
    if (status) return status;
    const tfp_profile *p = *x->files ? loaded_before(all, x) : c->profile;
    if (p) return from_library(c, tfp_sides_add(all->made, x->name, x->word, p, x->step, c->err));
    bool several = strchr(x->files, ',') && access(x->files, F_OK) != 0;
    if (!several) return add_file(c, call, all, x, strcmp(x->files, "-") == 0 ? "/dev/stdin" : x->files);
    status = cli_load_side(c, call, x->files, all->keep, &x->profile);
    return status ? status : from_library(c, tfp_sides_add(all->made, x->name, x->word, x->profile, x->step, c->err));
}

/* ---- the sides of diff ---- */

static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

/* Names of more than two unnamed sides: the file names, when they differ. */
static void name_by_files(comparison *all)
{
    for (size_t i = 0; i < all->count; i++)
        for (size_t k = 0; k < all->count; k++)
            if (all->sides[i].name || (k != i && strcmp(base_of(all->sides[i].word), base_of(all->sides[k].word)) == 0))
                return;
    for (size_t i = 0; i < all->count; i++) all->sides[i].name = base_of(all->sides[i].word);
}

static int check_extra(cli *c, const cli_call *call, size_t files, size_t names, bool script)
{
    if (names > files || (names < files && (names || script)))
        return cli_fault_set(&c->fault, CLI_BAD_USAGE, "%zu --extra-files, but %zu --extra-names", files, names);
    for (size_t i = 0; i < CLI_FORMAT_MAX; i++)
        if (call->paths[i] && !is_of_all_sides(i))
            return cli_fault_set(&c->fault, CLI_BAD_USAGE,
                                 "diff takes its sides as words: A B, each one file or graph.pb,run_meta,...");
    return 0;
}

/* A list of words, or the single word after '='. */
static cli_list list_of(const cli_call *call, cli_flag_id id, char *const *room)
{
    bool one = call->flags[id] && *call->flags[id];
    return one ? (cli_list){ room, 1 } : call->lists[id];
}

static int collect(cli *c, const cli_call *call, bool script, comparison *all)
{
    char *one_file = (char *)(uintptr_t)call->flags[CLI_EXTRA_FILES],
         *one_name = (char *)(uintptr_t)call->flags[CLI_EXTRA_NAMES];
    cli_list files = list_of(call, CLI_EXTRA_FILES, &one_file), names = list_of(call, CLI_EXTRA_NAMES, &one_name);
    size_t words = script && call->word_count > 2 ? 2 : call->word_count;
    int status = check_extra(c, call, files.count, names.count, script);
    if (status) return status;
    if (script && call->word_count > 4)
        return cli_fault_set(&c->fault, CLI_BAD_USAGE,
                             "-format script takes two files and two names; more files come by --extra-files");
    if (!(all->sides = calloc(words + files.count + 1, sizeof *all->sides)))
        return cli_fault_set(&c->fault, CLI_LIMIT, "out of memory");
    if (c->profile && words + files.count == 1) all->sides[all->count++].word = "";
    for (size_t i = 0; i < words; i++) all->sides[all->count++].word = call->words[i];
    for (size_t i = 0; script && i + words < call->word_count; i++) all->sides[i].name = call->words[i + words];
    for (size_t i = 0; i < files.count; i++)
        all->sides[all->count++] = (side){ .word = files.at[i], .name = i < names.count ? names.at[i] : NULL };
    if (all->count < 2)
        return cli_fault_set(&c->fault, CLI_BAD_USAGE, "diff needs two sides: files, steps of one (A@3 A@7), or texts");
    static const char *const two[] = { "left", "right" };
    for (size_t i = 0; i < 2 && script; i++)
        if (!all->sides[i].name) all->sides[i].name = two[i];
    if (all->count > 2 && !script) name_by_files(all);
    return 0;
}

/* ---- diff: the gate ---- */

enum { TOLD = 20 }; /* most lines about rows that broke the limit */

/* Returns status 5 when something grew by more than -fail_over. */
static int grown(cli *c, const tfp_report *r, const tfp_options *o)
{
    const char *line;
    size_t n = 0;
    cli_fault f = { 0 };
    for (; (line = tfp_report_over(r, n)); n++) {
        if (n >= TOLD) continue;
        cli_fault_set(&f, CLI_FOUND, "--fail-over %s: %s", tfp_options_get(o, "fail_over"), line);
        cli_tell(c, f.text);
    }
    if (n > TOLD) {
        cli_fault_set(&f, CLI_FOUND, "--fail-over: and %zu more", n - TOLD);
        cli_tell(c, f.text);
    }
    return f.status;
}

int cli_diff(cli *c, const cli_call *call, tfp_options *o)
{
    if (call->flags[CLI_GATE] || call->flags[CLI_SAVE_BASE]) return cli_gate(c, call, o);
    comparison all = { NULL, 0, tfp_sides_new(), keep_of_steps(o) };
    tfp_report *r = NULL;
    const char *format = tfp_options_get(o, "format");
    bool script = format && strcmp(format, "script") == 0;
    int status = all.made ? 0 : cli_fault_set(&c->fault, CLI_LIMIT, "out of memory");
    all.keep &= ~(unsigned)TFP_KEEP_SUMS; /* the parts of a step are computed from spans */
    if (!status) status = collect(c, call, script, &all);
    for (size_t i = 0; i < all.count && !status; i++) status = add_side(c, call, &all, &all.sides[i]);
    if (!status) status = from_library(c, tfp_diff(all.made, NULL, o, &r, c->err));
    if (!status) status = put(c, r, o, false);
    if (!status) status = grown(c, r, o);
    tfp_report_free(r);
    tfp_sides_free(all.made);
    for (size_t i = 0; i < all.count; i++) {
        tfp_profile_free(all.sides[i].profile);
        free(all.sides[i].files);
    }
    free(all.sides);
    return status;
}
