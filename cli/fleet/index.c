// SPDX-License-Identifier: Apache-2.0
/* cli/fleet/index.c: the command index: tables of many traces. */
#include "cli.h"
#include "tfprof/fleet.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

/* What a terminal shows while traces are read. */
typedef struct bar {
    const tfp_index *index;
    bool shows, drawn;
    double start_s, drawn_s;
} bar;

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int on_progress(void *ctx, uint64_t done, uint64_t total)
{
    bar *b = ctx;
    char text[160];
    (void)total;
    if (cli_interrupted) return 1;
    double now = now_s();
    if (!b->shows || now - b->start_s < 0.5 || now - b->drawn_s < 0.1) return 0;
    double megabytes = (double)tfp_index_count(b->index, "bytes") / 1e6;
    int n = snprintf(text, sizeof text, "\r%llu files, %.1f MB, %.0f files a second, %lld failed\033[K",
                     (unsigned long long)done, megabytes, (double)done / (now - b->start_s),
                     (long long)tfp_index_count(b->index, "failed"));
    cli_stderr(text, (size_t)n);
    b->drawn = true;
    b->drawn_s = now;
    return 0;
}

static tfp_status set_all(tfp_index *x, const cli_call *call, const tfp_options *o, tfp_error *err)
{
    static const struct {
        cli_flag_id flag;
        const char *name;
    } settings[] = {
        { CLI_JOBS, "jobs" },       { CLI_MEMORY, "memory" },
        { CLI_NAME, "name" },       { CLI_PART_BYTES, "part-bytes" },
        { CLI_RETRY, "retry" },     { CLI_SHARD, "shard" },
        { CLI_SIDECAR, "sidecar" }, { CLI_TABLES, "tables" },
        { CLI_TIMEOUT, "timeout" },
    };
    const char *over = tfp_options_get(o, "fail_over");
    tfp_status s = over && *over ? tfp_index_set(x, "fail-over", over, err) : TFP_OK;
    for (size_t i = 0; i < call->repeat_count && !s; i++)
        s = tfp_index_set(x, call->repeats[i].name, call->repeats[i].value, err);
    for (size_t i = 0; i < sizeof settings / sizeof *settings && !s; i++)
        if (call->flags[settings[i].flag]) s = tfp_index_set(x, settings[i].name, call->flags[settings[i].flag], err);
    return s;
}

static void tell(cli *c, const tfp_index *x)
{
    char text[200];
    int64_t failed = tfp_index_count(x, "failed"), not_taken = tfp_index_count(x, "not_taken"),
            closed = tfp_index_count(x, "closed");
    if (closed) {
        snprintf(text, sizeof text, "folders that may not be read were left out: %lld", (long long)closed);
        cli_tell_remark(c, text);
    }
    if (not_taken) {
        snprintf(text, sizeof text, "malformed dates and ranks in paths and sidecars were not taken: %lld",
                 (long long)not_taken);
        cli_tell_remark(c, text);
    }
    if (!failed) return;
    snprintf(text, sizeof text, "%lld file%s gave no run; tfprof query \"SELECT * FROM failures\" tells why",
             (long long)failed, failed == 1 ? "" : "s");
    cli_tell_remark(c, text);
}

static int run(cli *c, const cli_call *call, tfp_options *o, tfp_index *x)
{
    bar b = { .index = x, .shows = isatty(STDERR_FILENO), .start_s = now_s() };
    tfp_report *r = NULL;
    tfp_status s = set_all(x, call, o, c->err);
    tfp_index_on_progress(x, on_progress, &b);
    if (!s) s = tfp_index_run(x, (const char *const *)call->words, call->word_count, call->flags[CLI_O], c->err);
    if (b.drawn) cli_stderr("\r\033[K", 4);
    if (!s) s = tfp_index_report(x, o, &r, c->err);
    if (s) return cli_fault_from(&c->fault, s, c->err);
    int status = cli_put(c, r, o);
    if (status) return status;
    tell(c, x);
    return tfp_index_is_over(x) ? cli_fault_set(&c->fault, CLI_FOUND, "more files failed than --fail-over %s",
                                                tfp_options_get(o, "fail_over"))
                                : 0;
}

int cli_index(cli *c, const cli_call *call, tfp_options *o)
{
    if (!call->word_count) return cli_fault_set(&c->fault, CLI_BAD_USAGE, "index needs files or folders");
    if (!call->flags[CLI_O] || !*call->flags[CLI_O])
        return cli_fault_set(&c->fault, CLI_BAD_USAGE, "index needs the folder for its tables: -o DIR");
    tfp_index *x = tfp_index_new();
    int status = x ? run(c, call, o, x) : cli_fault_set(&c->fault, CLI_LIMIT, "out of memory");
    tfp_index_free(x);
    return status;
}
