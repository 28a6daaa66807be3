// SPDX-License-Identifier: Apache-2.0
/* cli/live/remote_capture.c: capture --agent: jobs of other machines, recorded by their `tfprof agent --listen`, each by a thread of its own.
 * With several machines the recordings begin together: each machine reports that it is ready and its clock's offset; then all of them, or
 * those that were ready in time, are told when to begin. */
#include "http/clock.h"
#include "remote.h"

#include "http/answer.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define LEAD_MICROS 700000 /* time from sending the start time until that time: a connection must be made */
#define GRACE_MS 1500      /* additional time for an answer, beyond the other side's own limits */
#define PATIENCE_MS 10000  /* longest wait for other machines to be ready */
#define CLOCK_MS 2000
#define TABLE_MOST (16 << 20)

/* ---- what is asked for ---- */

static bool add(char *out, size_t room, const char *name, const char *value)
{
    size_t have = strlen(out);
    int n = agent_is_plain(value) ? snprintf(out + have, room - have, "%s%s=%s", have ? "&" : "", name, value) : -1;
    return n > 0 && (size_t)n < room - have;
}

static int parameters(cli *c, const cli_call *call, const char *form, char *out, size_t room)
{
    *out = '\0';
    bool ok = add(out, room, "format", form);
    for (int id = 0; id < CLI_FLAG_COUNT && ok; id++) {
        const tfp_live_setting *s = cli_flags[id].setting;
        if (!s || !call->flags[id]) continue;
        if (!s->remote) return cli_fault_set(&c->fault, CLI_BAD_USAGE, "--%s does not go with --agent", s->name);
        ok = add(out, room, s->name, s->value ? call->flags[id] : "");
    }
    for (size_t i = 0; i < call->word_count && ok; i++) ok = add(out, room, "job", call->words[i]);
    if (!ok || call->word_count > 12)
        return cli_fault_set(&c->fault, CLI_BAD_USAGE,
                             "--agent: at most 12 jobs, named by PID or by a NAME of letters, digits and ._-@+");
    return 0;
}

static int64_t most_bytes(const cli_call *call)
{
    const char *told = call->flags[CLI_MAX_BYTES];
    return told ? tfp_live_bytes(told) : (int64_t)4 << 30; /* of all processes of a machine */
}

/* ---- machines ---- */

typedef struct machines machines;

typedef struct machine {
    remote to;
    machines *all;
    cli_remote_text text;
    pthread_t thread;
    char folder[300]; /* folder below the results; "": the results' own folder */
    char why[400];
    int fd, status;
    int64_t ahead; /* how far its clock is ahead of ours */
    bool runs, arrived, ended;
} machine;

struct machines {
    machine *of;
    size_t count, arrived;
    char settings[4096], token[CLI_TOKEN_ROOM];
    pthread_mutex_t lock;
    pthread_cond_t change;
    int64_t start_micros,
        /* start_micros: the shared start time, 0: not chosen; until_ms: when it is chosen without those that are not
         * ready */
        until_ms;
};

static bool is_stopped(const remote *r)
{
    (void)r;
    return cli_interrupted != 0;
}

/* Notes that a machine is ready. Call with the lock held. The start time is set when all machines are ready, or when the first of them finds that
 * the time to wait is over. */
static void arrive(machines *all, machine *m)
{
    if (!m->arrived) all->arrived++;
    m->arrived = true;
    if (!all->start_micros && (all->arrived == all->count || now_ms() >= all->until_ms))
        all->start_micros = unix_micros() + LEAD_MICROS;
    pthread_cond_broadcast(&all->change);
}

static int64_t start_of(void *ctx)
{
    machine *m = ctx;
    machines *all = m->all;
    pthread_mutex_lock(&all->lock);
    arrive(all, m);
    while (!all->start_micros && !cli_interrupted) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += 50000000;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&all->change, &all->lock, &until);
        if (now_ms() >= all->until_ms) arrive(all, m);
    }
    int64_t at = all->start_micros;
    pthread_mutex_unlock(&all->lock);
    return at ? at + m->ahead : 0;
}

static void *record(void *ctx)
{
    machine *m = ctx;
    int64_t begun = now_ms(), all_ms = m->to.answer_ms;
    if (m->to.start) {
        m->to.answer_ms = CLOCK_MS;
        remote_clock(&m->to, &m->ahead);
    }
    m->to.answer_ms = all_ms - (now_ms() - begun);
    m->status = remote_capture(&m->to, m->all->settings, m->fd, m->why, sizeof m->why);
    pthread_mutex_lock(&m->all->lock);
    arrive(m->all, m);
    m->ended = true;
    pthread_mutex_unlock(&m->all->lock);
    return NULL;
}

static void record_all(machines *all)
{
    for (size_t i = 0; i < all->count; i++) {
        machine *m = &all->of[i];
        m->runs = pthread_create(&m->thread, NULL, record, m) == 0;
        if (m->runs) continue;
        pthread_mutex_lock(&all->lock);
        arrive(all, m);
        pthread_mutex_unlock(&all->lock);
        m->status = CLI_LIMIT;
        snprintf(m->why, sizeof m->why, "no thread can be started for it");
    }
    for (size_t i = 0; i < all->count; i++)
        if (all->of[i].runs) pthread_join(all->of[i].thread, NULL);
}

/* ---- results ---- */

/* The worst status, first of 130, 4, 3, 1, 5, as for one machine. */
static int worst(const machines *all)
{
    static const int order[] = { 130, 4, 3, 2, 1, 5 };
    for (size_t k = 0; k < sizeof order / sizeof *order; k++)
        for (size_t i = 0; i < all->count; i++)
            if (all->of[i].status == order[k]) return order[k];
    return 0;
}

/* Writes one manifest for the results of all machines, whose files are in the machines' folders. */
static void put_manifest(const machines *all, const tfp_report *r, const cli_call *call, answer *a)
{
    char cell[8192];
    int64_t n;
    json_open(a, NULL, '{');
    json_text(a, "schema", "tfprof.capture");
    json_int(a, "version", 1);
    json_text(a, "tfprof", tfp_version());
    json_int(a, "started_unix_micros", all->start_micros ? all->start_micros : unix_micros());
    if (call->flags[CLI_STEPS])
        json_raw(a, "ms", "null");
    else
        json_int(a, "ms", call->flags[CLI_MS] ? atoi(call->flags[CLI_MS]) : 500);
    json_open(a, "notes", '[');
    for (size_t i = 0; i < all->count; i++) {
        if (!*all->of[i].why) continue;
        snprintf(cell, sizeof cell, "%s: %s", all->of[i].to.address, all->of[i].why);
        json_text(a, NULL, cell);
    }
    json_close(a, ']');
    json_open(a, "captures", '[');
    for (size_t row = 0; row < tfp_report_row_count(r); row++) {
        const char *name;
        json_open(a, NULL, '{');
        for (size_t i = 0; (name = tfp_report_column(r, i)); i++) {
            if (tfp_report_absent(r, row, name)) {
                json_raw(a, name, "null");
            } else if (tfp_report_int(r, row, name, &n)) {
                json_int(a, name, n);
            } else {
                tfp_report_string(r, row, name, cell, sizeof cell);
                json_text(a, name, cell);
            }
        }
        json_close(a, '}');
    }
    json_close(a, ']');
    json_close(a, '}');
    answer_text(a, "\n");
}

static int write_manifest(cli *c, const machines *all, const tfp_report *r, const cli_call *call, int folder)
{
    answer a = { .status = ANSWER_OK };
    put_manifest(all, r, call, &a);
    int fd = openat(folder, "manifest.json.part", O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    bool ok = !answer_failed(&a) && fd >= 0 && write(fd, a.data, a.size) == (ssize_t)a.size;
    if (fd >= 0) ok = close(fd) == 0 && ok;
    ok = ok && renameat(folder, "manifest.json.part", folder, "manifest.json") == 0;
    answer_free(&a);
    return ok ? 0 : cli_fault_set(&c->fault, CLI_BAD_OUTPUT, "manifest.json cannot be written");
}

/* Writes the table of all machines, and with several of them the manifest. */
static int put_results(cli *c, machines *all, const cli_call *call, const tfp_options *o, int folder)
{
    tfp_live_host *hosts = calloc(all->count, sizeof *hosts);
    tfp_report *r = NULL;
    if (!hosts) return cli_fault_set(&c->fault, CLI_LIMIT, "out of memory");
    for (size_t i = 0; i < all->count; i++) {
        const machine *m = &all->of[i];
        hosts[i] = (tfp_live_host){ m->to.address, *m->folder ? m->folder : NULL, m->text.data, m->text.size };
    }
    tfp_status s = tfp_live_hosts("capture", hosts, all->count, o, &r, c->err);
    int status = s ? cli_fault_from(&c->fault, s, c->err) : 0;
    for (size_t i = 0; i < all->count && !s; i++) {
        if (hosts[i].bad && !*all->of[i].why)
            snprintf(all->of[i].why, sizeof all->of[i].why, "%s", hosts[i].why), all->of[i].status = 1;
        if (!*all->of[i].folder) continue;
        /* removes the folders that stayed empty */
        if (*all->of[i].why) unlinkat(folder, all->of[i].folder, AT_REMOVEDIR);
    }
    if (!status && all->count > 1) status = write_manifest(c, all, r, call, folder);
    bool any = !s && (tfp_report_row_count(r) || worst(all) == 0);
    free(hosts);
    if (status || !any) {
        tfp_report_free(r);
        return status;
    }
    return cli_put_live(c, r, o);
}

/* ---- the command ---- */

static int open_machine(cli *c, machine *m, int folder, bool several)
{
    m->fd = several ? -1 : dup(folder);
    if (several) {
        snprintf(m->folder, sizeof m->folder, "%.250s", m->to.address);
        for (char *at = m->folder; *at; at++)
            if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-", *at)) *at = '_';
        if (*m->folder == '.') *m->folder = '_';
        if (mkdirat(folder, m->folder, 0700) == 0)
            m->fd = openat(folder, m->folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    }
    if (m->fd >= 0) return 0;
    return cli_fault_set(&c->fault, errno == EEXIST ? CLI_BAD_USAGE : CLI_BAD_OUTPUT, "--agent %.200s: %s",
                         m->to.address, errno == EEXIST ? "it is named twice" : strerror(errno));
}

static int make_machines(cli *c, const cli_call *call, const cli_agents *names, machines *all)
{
    double timeout, wait;
    int status = cli_remote_seconds(c, call, CLI_TIMEOUT, 30, &timeout);
    if (!status) status = cli_remote_seconds(c, call, CLI_WAIT, 10, &wait);
    if (status) return status;
    double window = call->flags[CLI_STEPS] ? 0 : call->flags[CLI_MS] ? strtod(call->flags[CLI_MS], NULL) : 500;
    bool several = names->count > 1;
    int64_t bytes = most_bytes(call);
    all->of = calloc(names->count, sizeof *all->of);
    if (!all->of) return cli_fault_set(&c->fault, CLI_LIMIT, "out of memory");
    if (several && strlen(all->settings) + 32 < sizeof all->settings)
        strcat(all->settings, call->flags[CLI_ALIGN] ? "&shared=" : "&align=&shared=");
    double patience = timeout * 1e3 / 3;
    all->until_ms = now_ms() + (int64_t)(patience < PATIENCE_MS ? patience : PATIENCE_MS);
    for (size_t i = 0; i < names->count; i++) {
        machine *m = &all->of[all->count++];
        *m = (machine){ .all = all, .fd = -1 };
        m->to = (remote){ .address = names->list[i],
                          .token = all->token,
                          .write = cli_remote_keep,
                          .ctx = &m->text,
                          .bytes_most = bytes,
                          .table_most = several ? TABLE_MOST / (int64_t)names->count + 65536 : TABLE_MOST,
                          .answer_ms = (int64_t)(timeout * 1e3 + window) + GRACE_MS,
                          .wait_ms = (int64_t)(wait * 1e3),
                          .stopped = is_stopped,
                          .start = several ? start_of : NULL,
                          .start_ctx = m };
    }
    return 0;
}

static void free_machines(machines *all)
{
    for (size_t i = 0; i < all->count; i++) {
        if (all->of[i].fd >= 0) close(all->of[i].fd);
        free(all->of[i].text.data);
    }
    free(all->of);
    pthread_mutex_destroy(&all->lock);
    pthread_cond_destroy(&all->change);
    free(all);
}

/* Reports failures, one line each; the last one is the command's own error. */
static int tell_failed(cli *c, const machines *all, int status)
{
    char line[700];
    bool told = false;
    if (status == CLI_STOPPED) return cli_fault_set(&c->fault, status, "interrupted");
    for (size_t i = all->count; i-- > 0;) {
        if (!*all->of[i].why) continue;
        snprintf(line, sizeof line, "--agent %.200s: %s", all->of[i].to.address, all->of[i].why);
        if (told)
            cli_tell_remark(c, line);
        else
            cli_fault_set(&c->fault, status, "%s", line);
        told = true;
    }
    return status;
}

static int record_into(cli *c, const cli_call *call, const tfp_options *o, machines *all, int folder)
{
    int status = 0;
    for (size_t i = 0; i < all->count && !status; i++) status = open_machine(c, &all->of[i], folder, all->count > 1);
    if (status) return status;
    record_all(all);
    int put = put_results(c, all, call, o, folder);
    status = tell_failed(c, all, worst(all));
    return put && status != CLI_STOPPED ? put : status;
}

int cli_remote_capture(cli *c, const cli_call *call, const tfp_options *o)
{
    char folder[4096];
    const char *form;
    cli_agents names = { NULL, NULL, 0 };
    machines *all = calloc(1, sizeof *all);
    if (!all) return cli_fault_set(&c->fault, CLI_LIMIT, "out of memory");
    pthread_mutex_init(&all->lock, NULL);
    pthread_cond_init(&all->change, NULL);
    int status = cli_remote_begin(c, call, o, all->token, &form), fd = -1;
    if (!status) status = parameters(c, call, "csv", all->settings, sizeof all->settings);
    if (!status && !most_bytes(call))
        status = cli_fault_set(&c->fault, CLI_BAD_USAGE, "--max-bytes '%.100s': no size such as 100MiB",
                               call->flags[CLI_MAX_BYTES]);
    if (!status) status = cli_remote_agents(c, call->flags[CLI_AGENT], &names);
    if (!status) status = make_machines(c, call, &names, all);
    if (!status && tfp_live_folder(call->flags[CLI_O], "capture", &fd, folder, sizeof folder, c->err))
        status = cli_fault_set(&c->fault, CLI_BAD_OUTPUT, "%s", tfp_error_message(c->err));
    if (!status) {
        status = record_into(c, call, o, all, fd);
        rmdir(folder); /* removes the folder if it stayed empty */
        bool any = false;
        for (size_t i = 0; i < all->count; i++) any = any || !*all->of[i].why;
        if (any && strcmp(form, "text") == 0) cli_print(c->out, "in %s\n", folder);
    }
    if (fd >= 0) close(fd);
    free_machines(all);
    cli_remote_agents_free(&names);
    return status;
}
