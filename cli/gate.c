// SPDX-License-Identifier: Apache-2.0
/* cli/gate.c: `tfprof diff --gate` compares many runs of an old version with many of a new one; `tfprof gate calibrate` and `check` compare
 * with limits of equal runs. Each file or folder is a run;
 * a baseline contains the runs that it was made of. Profiles are read one after the other, and only their numbers are kept. */
#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BASELINE_MOST ((size_t)64 << 20)
enum { HEAD = 256 };

static int from_library(cli *c, tfp_status s) { return s ? cli_fault_from(&c->fault, s, c->err) : 0; }

/* ---- runs ---- */

typedef struct text {
    char *data;
    size_t size;
} text;

/* Reads up to `most` bytes. False: it failed, and errno is set. */
static bool read_up_to(int fd, char *to, size_t most, size_t *size)
{
    *size = 0;
    for (ssize_t n = 1; *size < most && n;) {
        n = read(fd, to + *size, most - *size);
        if (n < 0 && errno != EINTR) return false;
        if (n > 0) *size += (size_t)n;
    }
    return true;
}

/* Reads the bytes of a baseline; none if the file is something else, which the readers of profiles will report. */
static int read_baseline(cli *c, const char *path, text *out)
{
    char head[HEAD];
    struct stat st;
    size_t size = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), status = 0;
    bool regular = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
    if (!regular || !read_up_to(fd, head, sizeof head, &size) || !tfp_is_baseline(head, size)) goto out;
    if ((uintmax_t)st.st_size > BASELINE_MOST) {
        status = cli_fault_set(&c->fault, CLI_LIMIT, "%s: a baseline of more than %zu MB", path, BASELINE_MOST >> 20);
        goto out;
    }
    size_t room = (size_t)st.st_size + 1;
    out->data = malloc(room);
    if (!out->data)
        status = cli_fault_set(&c->fault, CLI_LIMIT, "out of memory");
    else if (lseek(fd, 0, SEEK_SET) < 0 || !read_up_to(fd, out->data, room, &out->size))
        status = cli_fault_set(&c->fault, CLI_BAD_INPUT, "%s: cannot read: %s", path, strerror(errno));
out:
    if (fd >= 0) close(fd);
    return status;
}

static int add_profile(cli *c, const cli_call *call, tfp_gate *g, tfp_gate_side side, const char *word)
{
    tfp_profile *p = NULL;
    unsigned keep = tfp_view_keep("lines", NULL) | tfp_view_keep("steps", NULL) | tfp_view_keep("op", NULL);
    keep &= ~(unsigned)(TFP_KEEP_SUMS | TFP_KEEP_ROWS | TFP_KEEP_TOTAL); /* the median needs every step */
    int status = cli_load_side(c, call, word, keep, &p);
    if (!status) status = from_library(c, tfp_gate_add(g, side, word, p, c->err));
    tfp_profile_free(p);
    return status;
}

/* Adds the runs of a baseline, or else of a profile. */
static int add_word(cli *c, const cli_call *call, tfp_gate *g, tfp_gate_side side, const char *word)
{
    text baseline = { 0 };
    int status = read_baseline(c, word, &baseline);
    if (!status)
        status = baseline.data
                     ? from_library(c, tfp_gate_add_baseline(g, side, word, baseline.data, baseline.size, c->err))
                     : add_profile(c, call, g, side, word);
    free(baseline.data);
    return status;
}

static int add_side(cli *c, const cli_call *call, tfp_gate *g, tfp_gate_side side)
{
    cli_list words = call->lists[side == TFP_GATE_BASE ? CLI_BASE : CLI_NEW];
    const char *one = call->flags[side == TFP_GATE_BASE ? CLI_BASE : CLI_NEW];
    bool single = one && *one; /* --base=FILE */
    int status = 0;
    for (size_t i = 0; i < (single ? 1 : words.count) && !status; i++)
        status = add_word(c, call, g, side, single ? one : words.at[i]);
    return status;
}

/* ---- what was asked ---- */

/* Parses "5%" or "0.5%"; the percent sign may be left out. */
static bool parse_limit(const char *word, double *limit)
{
    char *end;
    if ((*word < '0' || *word > '9') && *word != '.') return false;
    double value = strtod(word, &end);
    end += *end == '%';
    *limit = value / 100;
    return end != word && !*end && value >= 0 && value <= 1e6;
}

static int check(cli *c, const cli_call *call, double *limit)
{
    const char *gate = call->flags[CLI_GATE];
    if (call->word_count)
        return cli_fault_set(&c->fault, CLI_BAD_USAGE, "'%s': with --gate runs are named after --base and --new",
                             call->words[0]);
    if (gate && !parse_limit(gate, limit))
        return cli_fault_set(&c->fault, CLI_BAD_USAGE, "--gate '%s': not a share such as 5%%", gate);
    if (!call->flags[CLI_BASE]) return cli_fault_set(&c->fault, CLI_BAD_USAGE, "diff --gate needs --base FILE...");
    if (gate && !call->flags[CLI_NEW])
        return cli_fault_set(&c->fault, CLI_BAD_USAGE, "diff --gate needs --new FILE...");
    return 0;
}

/* ---- answers ---- */

static int collect(void *ctx, const void *data, size_t size)
{
    text *t = ctx;
    char *more = realloc(t->data, t->size + size + 1);
    if (!more) return 1;
    memcpy(more + t->size, data, size);
    t->data = more;
    t->size += size;
    return 0;
}

static int save(cli *c, const tfp_gate *g, const char *path)
{
    text t = { 0 };
    int status = from_library(c, tfp_gate_save(g, TFP_GATE_BASE, collect, &t, c->err));
    if (!status && strcmp(path, "-") == 0)
        status = cli_write(c->out, t.data, t.size) ? cli_stdout_fault(c) : 0;
    else if (!status)
        status = from_library(c, tfp_write_file(path, t.data, t.size, c->err));
    free(t.data);
    return status;
}

/* Writes the table to stdout, and the verdict as one line to stderr. */
static int tell(cli *c, const tfp_report *r, const tfp_options *o)
{
    const char *note = tfp_report_note(r, 0);
    cli_fault line;
    for (size_t i = 1; !cli_says_notes(r, o) && tfp_report_note(r, i); i++) cli_tell_remark(c, tfp_report_note(r, i));
    tfp_status s = tfp_report_put(r, cli_write, c->out, c->err);
    if (s) return c->out->error || cli_interrupted ? cli_stdout_fault(c) : cli_fault_from(&c->fault, s, c->err);
    cli_fault_set(&line, 0, "%s", note ? note : "gate: unknown");
    cli_stderr(line.text, strlen(line.text));
    cli_stderr("\n", 1);
    return 0;
}

int cli_gate(cli *c, const cli_call *call, tfp_options *o)
{
    double limit = 0;
    tfp_report *r = NULL;
    tfp_gate_verdict verdict = TFP_GATE_IS_UNKNOWN;
    int status = check(c, call, &limit);
    if (status) return status;
    tfp_gate *g = tfp_gate_new();
    if (!g) status = cli_fault_set(&c->fault, CLI_LIMIT, "out of memory");
    if (!status) status = add_side(c, call, g, TFP_GATE_BASE);
    if (!status && call->flags[CLI_SAVE_BASE]) status = save(c, g, call->flags[CLI_SAVE_BASE]);
    if (!status && call->flags[CLI_GATE]) {
        status = add_side(c, call, g, TFP_GATE_NEW);
        bool pairs = call->flags[CLI_PAIRS] != NULL;
        if (!status) status = from_library(c, tfp_gate_judge(g, limit, pairs, o, &r, &verdict, c->err));
        if (!status) status = tell(c, r, o);
        if (!status && verdict == TFP_GATE_IS_FAILED) status = CLI_FOUND;
    }
    tfp_report_free(r);
    tfp_gate_free(g);
    return status;
}

/* ---- tfprof gate ---- */

static int judge_limits(cli *c, const cli_call *call, tfp_options *o, tfp_gate *g, bool checks)
{
    double rate = 0;
    const char *share = call->flags[CLI_FALSE_ALARMS];
    tfp_report *r = NULL;
    tfp_gate_verdict verdict = TFP_GATE_IS_UNKNOWN;
    if (share && (!parse_limit(share, &rate) || !(rate > 0) || rate > 0.5))
        return cli_fault_set(&c->fault, CLI_BAD_USAGE, "--false-alarms '%.100s': not a share up to 50%%, such as 1%%",
                             share);
    int status = 0;
    for (size_t i = 1; i < call->word_count && !status; i++)
        status = add_word(c, call, g, checks && i > 1 ? TFP_GATE_NEW : TFP_GATE_BASE, call->words[i]);
    if (!status) status = from_library(c, tfp_gate_calibrate(g, rate, o, &r, &verdict, c->err));
    if (!status && call->flags[CLI_O]) status = save(c, g, call->flags[CLI_O]);
    if (!status) status = tell(c, r, o);
    tfp_report_free(r);
    return status ? status : verdict == TFP_GATE_IS_FAILED ? CLI_FOUND : 0;
}

int cli_gate_limits(cli *c, const cli_call *call, tfp_options *o)
{
    const char *what = call->word_count ? call->words[0] : "";
    bool checks = strcmp(what, "check") == 0;
    if (!checks && strcmp(what, "calibrate") != 0)
        return cli_fault_set(&c->fault, CLI_BAD_USAGE, "gate needs calibrate RUNS... or check LIMITS RUN...");
    if (call->word_count < (checks ? 3 : 2))
        return cli_fault_set(&c->fault, CLI_BAD_USAGE,
                             checks ? "gate check needs the file of gate calibrate, and a run"
                                    : "gate calibrate needs runs of one version: files, folders or a baseline");
    if (checks && call->flags[CLI_O]) return cli_fault_set(&c->fault, CLI_BAD_USAGE, "-o belongs to gate calibrate");
    tfp_gate *g = tfp_gate_new();
    int status = g ? judge_limits(c, call, o, g, checks) : cli_fault_set(&c->fault, CLI_LIMIT, "out of memory");
    tfp_gate_free(g);
    return status;
}
