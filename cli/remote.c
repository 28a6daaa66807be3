// SPDX-License-Identifier: Apache-2.0
/* cli/remote.c: capture --agent: jobs of another machine, recorded by its `tfprof agent --listen`; and what top --agent shares with it. */
#include "remote.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define TEXT_MOST ((size_t)64 << 20)

int cli_remote_keep(void *ctx, const void *data, size_t size)
{
    cli_remote_text *t = ctx;
    char *more = t->size + size <= TEXT_MOST ? realloc(t->data, t->size + size + 1) : NULL;
    if (!more) return 1;
    memcpy(more + t->size, data, size);
    t->data = more;
    t->size += size;
    more[t->size] = '\0';
    return 0;
}

int cli_remote_show(cli *c, cli_remote_text *t)
{
    char *line = t->data, *end;
    for (; line && (end = strchr(line, '\n')); line = end + 1) {
        *end = '\0';
        cli_print_safe(c->out, line);
        cli_print(c->out, "\n");
    }
    if (line && *line) cli_print_safe(c->out, line);
    return cli_flush(c->out) ? cli_stdout_fault(c) : 0;
}

/* The table's form; NULL: one that tables of other machines do not have. */
static const char *form_of(const tfp_options *o)
{
    static const char *const all[] = { "text", "json", "jsonl", "csv", "md" };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(tfp_options_get(o, "format"), all[i]) == 0) return all[i];
    return NULL;
}

int cli_remote_begin(cli *c, const cli_call *call, const tfp_options *o, char token[CLI_TOKEN_ROOM], const char **form)
{
    int status = cli_find_token(c, call, token);
    if (status) return status;
    if (!*token)
        return cli_fault_set(&c->fault, CLI_BAD_USAGE, "--agent needs its token: --token-file, or TFPROF_TOKEN");
    *form = form_of(o);
    return *form ? 0 : cli_fault_set(&c->fault, CLI_BAD_USAGE, "-format: text, json, jsonl, csv or md with --agent");
}

/* ---- capture ---- */

static bool add(char *out, size_t room, const char *name, const char *value)
{
    size_t have = strlen(out);
    int n = agent_is_plain(value) ? snprintf(out + have, room - have, "%s%s=%s", have ? "&" : "", name, value) : -1;
    return n > 0 && (size_t)n < room - have;
}

static int parameters(cli *c, const cli_call *call, const char *form, char *out, size_t room)
{
    static const cli_flag_id all[] = { CLI_MS,        CLI_STEPS,      CLI_ATTACH,      CLI_ALIGN,
                                       CLI_ALL,       CLI_PARALLEL,   CLI_WAIT,        CLI_TIMEOUT,
                                       CLI_MAX_BYTES, CLI_HOST_LEVEL, CLI_PYTHON_LEVEL };
    static const cli_flag_id none[] = { CLI_KEEP_AGENT, CLI_SNAPSHOT, CLI_RECORDER, CLI_VIA, CLI_USER };
    *out = '\0';
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        if (call->flags[none[i]])
            return cli_fault_set(&c->fault, CLI_BAD_USAGE, "--%s does not go with --agent", cli_flags[none[i]].name);
    bool ok = add(out, room, "format", form);
    for (size_t i = 0; i < sizeof all / sizeof *all && ok; i++)
        if (call->flags[all[i]])
            ok = add(out, room, cli_flags[all[i]].name, cli_flags[all[i]].value ? call->flags[all[i]] : "");
    for (size_t i = 0; i < call->word_count && ok; i++) ok = add(out, room, "job", call->words[i]);
    if (!ok || call->word_count > 12)
        return cli_fault_set(&c->fault, CLI_BAD_USAGE,
                             "--agent: at most 12 jobs, named by PID or by a NAME of letters, digits and ._-@+");
    return 0;
}

/* A folder that is new or empty; -1: the fault is set. */
static int open_folder(cli *c, const char *name)
{
    int fd = -1, why = mkdir(name, 0700) && errno != EEXIST ? errno : 0, count = 0;
    if (!why && (fd = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0) why = errno;
    DIR *d = fd >= 0 ? opendir(name) : NULL;
    for (struct dirent *e; d && (e = readdir(d));) count += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
    if (d) closedir(d);
    if (fd >= 0 && (count || fchmod(fd, 0700))) {
        close(fd);
        fd = -1;
    }
    if (fd < 0)
        cli_fault_set(&c->fault, CLI_BAD_OUTPUT, "%.400s: %s", name,
                      why ? strerror(why) : "the folder is not empty, or not ours");
    return fd;
}

/* 1000, 512MiB, 1GB; 0: no number */
static int64_t bytes_of(const char *value)
{
    static const struct {
        const char *unit;
        int64_t bytes;
    } units[] = { { "", 1 },         { "KiB", 1 << 10 },   { "MiB", 1 << 20 }, { "GiB", 1 << 30 }, { "KB", 1000 },
                  { "MB", 1000000 }, { "GB", 1000000000 }, { "K", 1 << 10 },   { "M", 1 << 20 },   { "G", 1 << 30 } };
    char *end;
    long long n = value ? strtoll(value, &end, 10) : 512;
    if (!value) return (int64_t)n << 20;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(end, units[i].unit) == 0 && n > 0 && n < INT64_MAX / units[i].bytes) return n * units[i].bytes;
    return 0;
}

static bool is_interrupted(void) { return cli_interrupted != 0; }

int cli_remote_capture(cli *c, const cli_call *call, const tfp_options *o)
{
    char token[CLI_TOKEN_ROOM], wish[4096], why[400], name[64];
    const char *form, *folder = call->flags[CLI_O];
    cli_remote_text t = { NULL, 0 };
    time_t now = time(NULL);
    struct tm tm;
    int status = cli_remote_begin(c, call, o, token, &form);
    if (!status) status = parameters(c, call, form, wish, sizeof wish);
    if (status) return status;
    if (!localtime_r(&now, &tm) || !strftime(name, sizeof name, "tfprof-capture-%Y%m%d-%H%M%S", &tm)) return CLI_LIMIT;
    if (!folder) folder = name;
    int fd = open_folder(c, folder);
    if (fd < 0) return CLI_BAD_OUTPUT;
    remote r = { .address = call->flags[CLI_AGENT],
                 .token = token,
                 .write = cli_remote_keep,
                 .ctx = &t,
                 .file_most = bytes_of(call->flags[CLI_MAX_BYTES]) };
    status = remote_capture(&r, wish, fd, is_interrupted, why, sizeof why);
    close(fd);
    if (t.size && cli_remote_show(c, &t)) status = status ? status : CLI_BAD_OUTPUT;
    if (status == CLI_STOPPED)
        cli_fault_set(&c->fault, status, "interrupted");
    else if (*why)
        cli_fault_set(&c->fault, status, "--agent %.200s: %s", r.address, why);
    free(t.data);
    if (!*why && strcmp(form, "text") == 0) cli_print(c->out, "in %s\n", folder);
    if (*why) rmdir(folder); /* where nothing came */
    return status;
}
