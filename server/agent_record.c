// SPDX-License-Identifier: Apache-2.0
/* server/agent_record.c: what `tfprof agent --listen` answers to another machine's tfprof: the table of jobs, and recordings. A
 * recording is made by a child, one at a time, in a private folder that is removed after it; its files go out as the child sends
 * them. The child ends when nobody reads, and then the recordings in the jobs end, too. */
#include "agent.h"

#include "live.h"

#include <errno.h>
#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define SETTINGS_MOST 24
#define CAPTURE_SECONDS 300 /* on top of the window, for all */

/* ---- parameters ---- */

typedef struct setting {
    const char *name, *value;
} setting;

typedef struct question {
    char text[GATE_LINE + 1];
    setting all[SETTINGS_MOST];
    size_t count;
} question;

static const char *const formats[] = { "text", "json", "jsonl", "csv", "md", NULL };
/* Settings of tfp_live_set that a recording takes from another machine. */
static const char *const allowed[] = { "ms",   "steps",   "attach",    "align",      "all",          "parallel",
                                       "wait", "timeout", "max_bytes", "host_level", "python_level", NULL };

static bool is_among(const char *const *list, const char *text)
{
    for (; *list; list++)
        if (strcmp(*list, text) == 0) return true;
    return false;
}

bool agent_is_plain(const char *text)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-@+";
    return strlen(text) < 256 && !text[strspn(text, letters)];
}

/* NAME=VALUE&...: nothing is written with percent signs. A setting comes once, a selector often. */
static bool parse(const char *head, size_t skip, question *q)
{
    size_t size = strcspn(head + skip, " ");
    if (size >= sizeof q->text) return false;
    memcpy(q->text, head + skip, size);
    q->text[size] = '\0';
    q->count = 0;
    char *at = strchr(q->text, '?');
    if (!at) return true;
    *at++ = '\0';
    for (char *next; at; at = next) {
        next = strchr(at, '&');
        if (next) *next++ = '\0';
        char *value = strchr(at, '=');
        if (!value || q->count == SETTINGS_MOST) return false;
        *value++ = '\0';
        if (!agent_is_plain(at) || !agent_is_plain(value)) return false;
        for (size_t i = 0; i < q->count && strcmp(at, "job") != 0; i++)
            if (strcmp(q->all[i].name, at) == 0) return false;
        q->all[q->count++] = (setting){ at, value };
    }
    return true;
}

static const char *value_of(const question *q, const char *name, const char *without)
{
    for (size_t i = 0; i < q->count; i++)
        if (strcmp(q->all[i].name, name) == 0) return q->all[i].value;
    return without;
}

/* ---- the child ---- */

static bool send_text(int fd, const char *kind, int status, const char *data, size_t size)
{
    char line[64];
    snprintf(line, sizeof line, "%s %d %zu\n", kind, status, size);
    return live_write_all(fd, line, strlen(line)) && live_write_all(fd, data, size);
}

/* name: below the folder, as the other end will call it. */
static bool send_file(int out, const char *folder, const char *name)
{
    char path[5000], line[ARCHIVE_NAME + 64], bytes[1 << 16];
    archive_entry entry;
    struct stat st;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode)) {
        if (fd >= 0) close(fd);
        return true;
    }
    int n = snprintf(line, sizeof line, "file %s %lld", name, (long long)st.st_size);
    bool ok = n > 0 && (size_t)n < sizeof line - 1 && archive_line(line, &entry);
    if (ok) line[n] = '\n';
    ok = !ok || live_write_all(out, line, (size_t)n + 1);
    for (int64_t left = ok && line[n] == '\n' ? st.st_size : 0; left && ok;) {
        ssize_t got = read(fd, bytes, left < (int64_t)sizeof bytes ? (size_t)left : sizeof bytes);
        ok = got > 0 && live_write_all(out, bytes, (size_t)got);
        left -= got > 0 ? got : 0;
    }
    close(fd);
    return ok;
}

/* The files of each job, then the manifest. */
static bool send_folder(int out, const char *folder)
{
    char path[5000], name[600];
    DIR *jobs = opendir(folder);
    bool ok = jobs != NULL;
    for (struct dirent *j; ok && (j = readdir(jobs));) {
        if (*j->d_name == '.' || strcmp(j->d_name, "manifest.json") == 0) continue;
        snprintf(path, sizeof path, "%s/%s", folder, j->d_name);
        DIR *files = opendir(path);
        for (struct dirent *f; ok && files && (f = readdir(files));) {
            if (*f->d_name == '.') continue;
            snprintf(name, sizeof name, "%s/%s", j->d_name, f->d_name);
            ok = send_file(out, folder, name);
        }
        if (files) closedir(files);
    }
    if (jobs) closedir(jobs);
    return ok && send_file(out, folder, "manifest.json") && live_write_all(out, "end\n", 4);
}

/* Whether nobody reads any more. */
static int is_unread(void *ctx, const tfp_report *columns, const char *text, const char *json)
{
    struct pollfd p = { *(const int *)ctx, 0, 0 };
    (void)columns, (void)text, (void)json;
    return poll(&p, 1, 0) > 0 && (p.revents & POLLERR);
}

static tfp_status capture(const question *q, const char *folder, bool commands, int out, answer *report, int *status,
                          tfp_error *err)
{
    const char *selectors[SETTINGS_MOST];
    size_t count = 0;
    tfp_report *r = NULL;
    tfp_live *l = tfp_live_new();
    tfp_status s = l ? tfp_live_set(l, "dir", folder, err) : TFP_NOMEM;
    if (!s && !commands) s = tfp_live_set(l, "no_commands", NULL, err);
    for (size_t i = 0; i < q->count && !s; i++) {
        const setting *x = &q->all[i];
        if (strcmp(x->name, "job") == 0)
            selectors[count++] = x->value;
        else if (is_among(allowed, x->name))
            s = tfp_live_set(l, x->name, *x->value ? x->value : NULL, err);
    }
    if (!s) s = tfp_live_capture(l, selectors, count, NULL, is_unread, &out, status, &r, err);
    if (!s) s = tfp_report_write(r, value_of(q, "format", "text"), answer_write, report, err);
    tfp_report_free(r);
    tfp_live_free(l);
    return s;
}

static void work(const question *q, const char *folder, bool commands, int out)
{
    answer report = { .status = ANSWER_OK };
    char results[4200];
    int status = 0;
    tfp_error *err = tfp_error_new();
    snprintf(results, sizeof results, "%s/results", folder);
    alarm((unsigned)atoi(value_of(q, "ms", "500")) / 1000 + CAPTURE_SECONDS);
    tfp_status s = capture(q, results, commands, out, &report, &status, err);
    const char *why = tfp_error_message(err);
    if (s || answer_failed(&report) || report.size > ARCHIVE_TEXT_MOST)
        _exit(send_text(out, "failed", s == TFP_BADARG ? 2 : 1, why, strlen(why)) && live_write_all(out, "end\n", 4)
                  ? 0
                  : 1);
    _exit(send_text(out, "report", status, report.data, report.size) && send_folder(out, results) ? 0 : 1);
}

/* ---- the agent's side ---- */

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *at)
{
    (void)st, (void)kind, (void)at;
    return remove(path);
}

void recorder_reap(recorder *r, bool now)
{
    if (!r->child) return;
    if (now) kill(r->child, SIGTERM);
    pid_t got;
    while ((got = waitpid(r->child, NULL, now ? 0 : WNOHANG)) < 0 && errno == EINTR) {}
    if (got == 0) return;
    nftw(r->folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    r->child = 0;
}

static bool make_folder(recorder *r)
{
    const char *base = getenv("TMPDIR");
    snprintf(r->folder, sizeof r->folder, "%.3000s/tfprof-agent-XXXXXX", base && *base == '/' ? base : "/tmp");
    return mkdtemp(r->folder) != NULL; /* 0700 */
}

/* Begins a recording; its stream, or -1: why not. */
static int begin(recorder *r, const question *q, const char **why)
{
    int ends[2];
    recorder_reap(r, false);
    *why = "another recording runs";
    if (r->child) return -1;
    *why = "no folder can be made for the recording";
    if (!make_folder(r)) return -1;
    *why = "no process can be started";
    if (pipe2(ends, O_CLOEXEC)) {
        rmdir(r->folder);
        return -1;
    }
    pid_t child = fork();
    if (child == 0) {
        signal(SIGTERM, SIG_DFL);
        signal(SIGINT, SIG_DFL);
        /* connections of others must end when the agent closes them */
        if (ends[1] > 3) syscall(SYS_close_range, 3, ends[1] - 1, 0);
        syscall(SYS_close_range, ends[1] + 1, ~0u, 0);
        work(q, r->folder, r->commands, ends[1]);
    }
    close(ends[1]);
    if (child < 0) {
        close(ends[0]);
        rmdir(r->folder);
        return -1;
    }
    r->child = child;
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    return ends[0];
}

static int ask_capture(recorder *r, const question *q, int *stream, const char **why)
{
    bool all = value_of(q, "all", NULL) != NULL, any = value_of(q, "job", NULL) != NULL;
    *why = "a parameter that a recording does not have";
    for (size_t i = 0; i < q->count; i++)
        if (!is_among(allowed, q->all[i].name) && strcmp(q->all[i].name, "job") != 0 &&
            strcmp(q->all[i].name, "format") != 0)
            return 400;
    *why = "which jobs? job=PID, job=NAME or all=";
    if (all == any) return 400;
    *stream = begin(r, q, why);
    return *stream >= 0 ? 200 : 503;
}

static int ask_top(recorder *r, const question *q, answer *body, const char **why)
{
    tfp_report *top = NULL;
    tfp_error *err = tfp_error_new();
    *why = "a parameter that the list does not have";
    int status = q->count > 1 || (q->count && strcmp(q->all[0].name, "format") != 0) ? 400 : 200;
    tfp_status s = status == 200 ? r->look(r->ctx, &top) : TFP_OK;
    if (!s && status == 200) s = tfp_report_write(top, value_of(q, "format", "text"), answer_write, body, err);
    tfp_report_free(top);
    tfp_error_free(err);
    *why = s ? "the jobs cannot be looked at" : *why;
    return s ? 503 : status;
}

int recorder_ask(void *ctx, const char *head, answer *body, int *stream, const char **why)
{
    recorder *r = ctx;
    question *q = malloc(sizeof *q);
    bool get = strncmp(head, "GET ", 4) == 0, post = strncmp(head, "POST ", 5) == 0;
    int status = 404;
    *why = "no memory for it";
    if (!q) return 503;
    *why = "the parameters are malformed";
    if (!parse(head, strcspn(head, " ") + 1, q) || !is_among(formats, value_of(q, "format", "text"))) {
        free(q);
        return 400;
    }
    *why = "there are only GET " AGENT_TOP " and POST " AGENT_CAPTURE;
    if (get && strcmp(q->text, AGENT_TOP) == 0) status = ask_top(r, q, body, why);
    if (post && strcmp(q->text, AGENT_CAPTURE) == 0) status = ask_capture(r, q, stream, why);
    free(q);
    return status;
}
