// SPDX-License-Identifier: Apache-2.0
/* live/record/select.c: finds the processes and servers that selectors refer to, and the method to record each. */
#include "live/record/capture.h"
#include "live/python/python.h"

#include <stdio.h>
#include <unistd.h>

/* ---- sessions ---- */

static tfp_session *add(tfp_capture *c, const char *target)
{
    tfp_session *s = calloc(1, sizeof *s);
    if (!s || !tfp_push(&c->sessions, s)) {
        free(s);
        c->nomem = true;
        return NULL;
    }
    s->link.fd = -1;
    s->row = (tfp_capture_row){ .target = tfp_capture_keep(c, target),
                                .pid = TFP_ABSENT,
                                .bytes = TFP_ABSENT,
                                .started_unix_micros = TFP_ABSENT,
                                .window_micros = TFP_ABSENT,
                                .stalled_micros = TFP_ABSENT,
                                .started_us_late = TFP_ABSENT,
                                .start_ticks = TFP_ABSENT };
    return s;
}

static bool is_there(const tfp_capture *c, int64_t pid)
{
    for (size_t i = 0; i < c->sessions.size; i++)
        if (c->sessions.at[i]->row.pid == pid) return true;
    return false;
}

/* ---- facts of a process ---- */

/* The variable RANK of its environment, which launchers set. */
static tfp_str rank_of(tfp_capture *c, int64_t pid)
{
    char rank[12];
    bool is_number = tfp_proc_setting(pid, "RANK", rank, sizeof rank) && strspn(rank, "0123456789") == strlen(rank);
    return is_number ? tfp_capture_keep(c, rank) : (tfp_str){ NULL, 0 };
}

/* Bytes left below the memory limit of its cgroup (version 2); -1: there is no limit, or it is not visible. */
static int64_t memory_left(int64_t pid)
{
    char text[4096], path[4300];
    int64_t numbers[2] = { -1, -1 };
    long n = tfp_proc_read(pid, "cgroup", text, sizeof text);
    const char *group = n > 0 ? strstr(text, "0::/") : NULL;
    if (!group || (group != text && group[-1] != '\n')) return -1;
    for (size_t i = 0; i < 2; i++) {
        char value[32];
        snprintf(path, sizeof path, "/sys/fs/cgroup%.*s/memory.%s", (int)strcspn(group + 3, "\n"), group + 3,
                 i ? "current" : "max");
        FILE *f = fopen(path, "re");
        size_t got = f ? fread(value, 1, sizeof value - 1, f) : 0;
        if (f) fclose(f);
        value[got] = '\0';
        value[strcspn(value, "\n")] = '\0';
        if (!tfp_parse_int64(tfp_str_of(value), &numbers[i])) return -1;
    }
    return numbers[0] > numbers[1] ? numbers[0] - numbers[1] : 0;
}

/* ---- processes ---- */

/* With --via kineto PyTorch does everything itself, so the conditions of an agent or an attach do not matter. */
static void select_kineto(tfp_capture *c, tfp_session *s, const tfp_method *method, unsigned frameworks)
{
    static const char *const hindered[] = { "zombie", "gone", "stopped", "other-user" };
    s->row.via = TFP_STR("kineto");
    for (size_t i = 0; i < sizeof hindered / sizeof *hindered; i++)
        if (strcmp(method->code, hindered[i]) == 0)
            tfp_session_end(c, s, "refused", method->code, "%s", method->message);
    if (!(frameworks & TFP_FRAMEWORK_TORCH))
        tfp_session_end(c, s, "refused", "no-framework", "only PyTorch has the protocol of --via kineto");
}

static void add_process(tfp_capture *c, const char *target, const tfp_live_process *p, const tfp_live_process *root)
{
    enum { LEAST_MEMORY = 256 << 20 };
    char text[4200];
    tfp_method method;
    tfp_proc_status status;
    if (is_there(c, p->stat.pid)) return;
    tfp_session *s = add(c, target);
    if (!s) return;
    s->row.pid = p->stat.pid;
    s->row.start_ticks = p->stat.start_ticks;
    snprintf(text, sizeof text, "%lld@%lld", (long long)root->stat.pid, (long long)root->stat.start_ticks);
    s->row.job = tfp_capture_keep(c, text);
    s->row.framework = tfp_capture_keep(c, tfp_framework_names(p->maps.frameworks, text) ? text : NULL);
    if (*p->maps.library && tfp_live_version(p->stat.pid, p->maps.library, text, sizeof text))
        s->row.version = tfp_capture_keep(c, text);
    bool told = tfp_proc_status_read(p->stat.pid, &status);
    if (told) {
        tfp_user_name(status.uid[0], text, sizeof text);
        s->row.user = tfp_capture_keep(c, text);
    }
    if (tfp_proc_command(p->stat.pid, text, sizeof text)) s->row.command = tfp_capture_keep(c, text);
    s->row.rank = rank_of(c, p->stat.pid);
    s->first = p == root;
    s->attaching.stack_start = p->stat.stack_start;
    snprintf(s->folder, sizeof s->folder, "%lld", (long long)root->stat.pid);
    snprintf(s->base, sizeof s->base, "%lld", (long long)p->stat.pid);
    tfp_method_of(c->run_folder, &p->stat, told ? &status : NULL, p->maps.frameworks, &method);
    bool attach = strcmp(method.code, "attach") == 0, agent = strcmp(method.code, "agent") == 0;
    int64_t left = agent || (attach && c->settings->attach) ? memory_left(p->stat.pid) : -1;
    if (c->settings->via)
        select_kineto(c, s, &method, p->maps.frameworks);
    else if (attach && !c->settings->attach)
        tfp_session_end(c, s, "refused", "unprepared",
                        "no agent answers in it: tfprof capture --attach %lld starts one; or start such jobs as tfprof "
                        "run -- COMMAND",
                        (long long)p->stat.pid);
    else if (!agent && !attach)
        tfp_session_end(c, s, "refused", method.code, "%s", method.message);
    else if (left >= 0 && left < LEAST_MEMORY)
        tfp_session_end(c, s, "refused", "low-memory", "it is %lld MiB below its cgroup's limit: 256 are needed",
                        (long long)(left >> 20));
    else
        s->agent = method.agent;
    s->attaching.needed = attach && !c->settings->via;
    if (s->state == TFP_SESSION_WAITS && !c->settings->via) s->row.via = attach ? TFP_STR("attach") : TFP_STR("agent");
}

/* A job: all of its processes that have loaded a framework. */
static void add_job(tfp_capture *c, const char *target, const tfp_jobs *j, uint32_t root)
{
    const unsigned wanted = TFP_FRAMEWORK_JAX | TFP_FRAMEWORK_TENSORFLOW | TFP_FRAMEWORK_TORCH | TFP_FRAMEWORK_CUDA;
    for (int turn = 0; turn < 2; turn++)
        for (uint32_t i = 0; i < j->processes.size; i++)
            if (j->processes.at[i].root == root && (i == root) == (turn == 0) &&
                (i == root || (j->processes.at[i].maps.frameworks & wanted)))
                add_process(c, target, &j->processes.at[i], &j->processes.at[root]);
}

static void add_number(tfp_capture *c, const char *target, const tfp_jobs *j)
{
    int64_t pid;
    uint32_t at = tfp_parse_int64(tfp_str_of(target), &pid) ? tfp_map64_get(&j->by_pid, (uint64_t)pid) : TFP_NONE;
    if (at == TFP_NONE) {
        tfp_session *s = add(c, target);
        if (s) tfp_session_end(c, s, "refused", "gone", "no such process");
    } else if (j->processes.at[at].root == at) {
        add_job(c, target, j, at);
    } else {
        uint32_t root = j->processes.at[at].root;
        add_process(c, target, &j->processes.at[at], &j->processes.at[root == TFP_NONE ? at : root]);
    }
}

/* Adds the jobs of that script or program. If there are none, adds its processes, so that the refusal says why. */
static void add_named(tfp_capture *c, const char *target, const tfp_jobs *j)
{
    size_t before = c->sessions.size;
    for (int turn = 0; turn < 2 && c->sessions.size == before; turn++) {
        for (uint32_t i = 0; i < j->processes.size; i++) {
            const tfp_live_process *p = &j->processes.at[i];
            if (turn == 0 ? p->root == TFP_NONE : tfp_jobs_is_own(j, p->stat.pid)) continue;
            if (!tfp_proc_is_called(p->stat.pid, target) || tfp_jobs_is_own(j, p->stat.pid)) continue;
            if (turn == 0 && p->root == i)
                add_job(c, target, j, i);
            else
                add_process(c, target, p, p->root == TFP_NONE ? p : &j->processes.at[p->root]);
        }
    }
    if (c->sessions.size > before) return;
    tfp_session *s = add(c, target);
    if (s) tfp_session_end(c, s, "refused", "gone", "no such process");
}

static bool is_mine(const tfp_live_selection *select, const tfp_live_process *p)
{
    tfp_proc_status status;
    int64_t wanted = select->user >= 0 ? select->user : geteuid() == 0 ? -1 : (int64_t)geteuid();
    return wanted < 0 || (tfp_proc_status_read(p->stat.pid, &status) && status.uid[1] == wanted);
}

/* ---- servers ---- */

/* host:port or [v6]:port */
static bool parse_server(const char *text, char *host, size_t room, char port[8])
{
    const char *colon = strrchr(text, ':');
    int64_t n;
    size_t size = colon ? (size_t)(colon - text) : 0;
    if (!size || !colon[1] || strspn(colon + 1, "0123456789") != strlen(colon + 1)) return false;
    if (!tfp_parse_int64(tfp_str_of(colon + 1), &n) || n < 1 || n > 65535) return false;
    bool bracket = *text == '[' && text[size - 1] == ']' && size > 2;
    if (bracket) text++, size -= 2;
    if (size >= room || (!bracket && memchr(text, ':', size)) || memchr(text, '/', size)) return false;
    memcpy(host, text, size);
    host[size] = '\0';
    snprintf(port, 8, "%d", (int)n);
    return true;
}

static bool is_server(const char *target)
{
    char host[256], port[8];
    return parse_server(target, host, sizeof host, port);
}

/* Whether it looks like HOST:NUMBER but is no valid address: it is then not taken for the name of a program. */
static bool is_wrong_server(const char *target)
{
    const char *colon = strrchr(target, ':');
    return colon && colon != target && colon[1] && strspn(colon + 1, "0123456789") == strlen(colon + 1) &&
           !is_server(target);
}

static void add_server(tfp_capture *c, const char *target)
{
    tfp_session *s = add(c, target);
    if (!s) return;
    parse_server(target, s->server.host, sizeof s->server.host, s->server.port);
    snprintf(s->folder, sizeof s->folder, "%.60s_%s", s->server.host, s->server.port);
    for (char *at = s->folder; *at; at++)
        if (*at == ':' || *at == '%' || (unsigned char)*at < 33 || (unsigned char)*at > 126) *at = '-';
    if (*s->folder == '.') *s->folder = '-';
    memcpy(s->base, s->folder, sizeof s->base);
    s->row.via = TFP_STR("grpc");
    s->first = true;
    if (c->settings->via)
        tfp_session_end(c, s, "refused", "no-framework", "--via kineto is for processes of this machine");
    if (c->settings->steps) tfp_session_end(c, s, "refused", "no-steps", "a server counts no steps: use --ms");
}

tfp_status tfp_capture_select(tfp_capture *c, const char *const *selectors, size_t count, tfp_error *err)
{
    tfp_jobs j = { .select = { .user = -1 } };
    bool local = c->settings->all;
    for (size_t i = 0; i < count; i++) {
        if (is_wrong_server(selectors[i]))
            return tfp_fail(err, TFP_BADARG,
                            "%s: no HOST:PORT: ports are 1 to 65535, and an IPv6 address stands in [ ]", selectors[i]);
        local |= !is_server(selectors[i]);
    }
    tfp_status status = local ? tfp_jobs_sample(&j, 0, err) : TFP_OK;
    for (size_t i = 0; i < count && !status; i++) {
        if (is_server(selectors[i]))
            add_server(c, selectors[i]);
        else if (strspn(selectors[i], "0123456789") == strlen(selectors[i]))
            add_number(c, selectors[i], &j);
        else
            add_named(c, selectors[i], &j);
    }
    for (size_t i = 0; i < j.roots.size && c->settings->all && !status; i++)
        if (is_mine(&c->live->jobs.select, &j.processes.at[j.roots.at[i]])) add_job(c, "--all", &j, j.roots.at[i]);
    tfp_jobs_free(&j);
    if (!status && c->nomem) status = tfp_nomem(err);
    return status;
}
