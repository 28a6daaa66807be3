// SPDX-License-Identifier: Apache-2.0
/* live/run/run.c: what is done around a command that tfprof starts. Before it: the hook's files and the environment that makes
 * Python load them. After it: the manifest of what the hook recorded. The caller starts the command. */

#include "live/run/cuda_read.h"
#include "live/jobs/top.h"
#include "wire/jsonscan.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* Folder name of the hook's files, below the run folder. */
static const char *hook_name(const tfp_run *r) { return strrchr(r->hook, '/') + 1; }

/* ---- before ---- */

static tfp_status write_file(const tfp_run *r, const char *name, const char *const *pieces, tfp_error *err)
{
    char path[256];
    tfp_buf text = { 0 };
    for (; *pieces; pieces++) tfp_buf_text(&text, *pieces);
    snprintf(path, sizeof path, "%s/%s", r->hook, name);
    tfp_str bytes = { text.data, text.size };
    tfp_status s = text.failed ? tfp_nomem(err) : tfp_write_below(r->hook_fd, name, path, bytes, err);
    tfp_buf_free(&text);
    return s;
}

static tfp_status make_hook(tfp_run *r, tfp_error *err)
{
    snprintf(r->id, sizeof r->id, "%d-%lld", (int)getpid(), (long long)(r->started % 1000000000));
    snprintf(r->hook, sizeof r->hook, "%s/run-%s", r->run_folder, r->id);
    r->run_fd = tfp_run_folder_open(r->run_folder);
    bool made = r->run_fd >= 0 && mkdirat(r->run_fd, hook_name(r), 0700) == 0;
    r->hook_fd = made ? tfp_folder_below(r->run_fd, hook_name(r)) : -1;
    if (r->hook_fd < 0) {
        tfp_status s = tfp_fail(err, TFP_BADOUTPUT, "%s: %s", r->hook, strerror(errno));
        tfp_run_free(r);
        return s;
    }
    const struct {
        const char *name;
        const char *const *pieces;
    } files[] = { { "common.py", tfp_file_common },
                  { "native.py", tfp_file_native },
                  { "sessions.py", tfp_file_sessions },
                  { "steps.py", tfp_file_steps },
                  { "agent.py", tfp_file_agent },
                  { "hook.py", tfp_file_hook },
                  { "sitecustomize.py", tfp_file_sitecustomize } };
    tfp_status s = TFP_OK;
    for (size_t i = 0; i < sizeof files / sizeof *files && !s; i++)
        s = write_file(r, files[i].name, files[i].pieces, err);
    return s;
}

static tfp_status set_environment(const tfp_run *r, const tfp_live_settings *w, tfp_error *err)
{
    const char *path = getenv("PYTHONPATH");
    tfp_buf settings = { 0 }, python = { 0 };
    struct stat st;
    if (fstat(r->results.folder, &st)) return tfp_fail(err, TFP_BADOUTPUT, "%s: %s", r->results.path, strerror(errno));
    /* the job finds the folder by its path, and checks by these numbers that it is ours */
    tfp_buf_printf(&settings, "run=%s\nout=%s\nout_id=%llu:%llu\nms=%lld\nsteps=%lld\nsignal=%lld\npython=%lld\n",
                   r->id, r->results.path, (unsigned long long)st.st_dev, (unsigned long long)st.st_ino,
                   (long long)w->ms, (long long)(w->steps ? w->steps : 1), (long long)w->signal,
                   (long long)w->python_level);
    if (w->every && !tfp_cuda_has_windows(w)) tfp_buf_printf(&settings, "every=%s\n", w->every);
    if (w->at_step) tfp_buf_printf(&settings, "at=%s\n", w->at_step);
    tfp_buf_char(&settings, 0);
    tfp_buf_printf(&python, "%s%s%s", r->hook, path && *path ? ":" : "", path ? path : "");
    tfp_buf_char(&python, 0);
    bool ok = !settings.failed && !python.failed && setenv("TFPROF_AGENT", settings.data, 1) == 0 &&
              setenv("PYTHONPATH", python.data, 1) == 0 && setenv("TFPROF_RUN_DIR", r->run_folder, 1) == 0 &&
              unsetenv("TFPROF_JOB") == 0;
    tfp_buf_free(&settings);
    tfp_buf_free(&python);
    return ok ? TFP_OK : tfp_nomem(err);
}

tfp_status tfp_live_run_begin(tfp_live *l, tfp_error *err)
{
    tfp_error_clear(err);
    if (!l) return tfp_fail(err, TFP_BADARG, "nothing to prepare");
    tfp_run *r = &l->run;
    tfp_run_free(r);
    *r = TFP_RUN_NONE;
    r->started = tfp_unix_micros();
    tfp_status s = tfp_run_folder(r->run_folder, true, err);
    if (!s) s = tfp_results_open(&l->settings, "run", &r->results, err);
    if (!s && l->settings.cuda) s = tfp_cuda_begin(r, &l->settings, err);
    if (!s) s = make_hook(r, err);
    if (!s) s = set_environment(r, &l->settings, err);
    if (s) tfp_run_free(r);
    return s;
}

/* ---- meanwhile ---- */

enum { ENTRY_MOST = 16384 }; /* most bytes of PID.json */

/* Whether an entry of the run folder belongs to an agent of this run; gives the address of the agent's socket. text: the
 * entry, ended by NUL. */
static bool is_agent_of(const tfp_run *r, const char *entry, tfp_buf *text, struct sockaddr_un *to)
{
    char mark[64];
    size_t size = strlen(entry);
    text->size = 0;
    if (size < 6 || size > 30 || strcmp(entry + size - 5, ".json") != 0 || strspn(entry, "0123456789") != size - 5 ||
        !tfp_folder_read(r->run_fd, entry, ENTRY_MOST, text))
        return false;
    tfp_buf_char(text, '\0');
    snprintf(mark, sizeof mark, "\"run\": \"%s\"", r->id);
    if (text->failed || !strstr(text->data, mark)) return false;
    *to = (struct sockaddr_un){ .sun_family = AF_UNIX };
    snprintf(to->sun_path, sizeof to->sun_path, "%s/%.*s.sock", r->run_folder, (int)(size - 5), entry);
    return true;
}

static size_t ask_agents(const tfp_live *l)
{
    size_t told = 0;
    struct sockaddr_un to;
    tfp_buf text = { 0 };
    DIR *d = l && *l->run.hook ? tfp_folder_list(l->run.run_fd) : NULL;
    for (struct dirent *e; d && (e = readdir(d));) {
        if (!is_agent_of(&l->run, e->d_name, &text, &to)) continue;
        int s = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        if (s < 0) continue;
        if (connect(s, (struct sockaddr *)&to, sizeof to) == 0) told += send(s, "snap\n", 5, MSG_NOSIGNAL) == 5;
        close(s);
    }
    if (d) closedir(d);
    tfp_buf_free(&text);
    return told;
}

void tfp_live_run_record(const tfp_live *l) { ask_agents(l); }

size_t tfp_live_run_ask(tfp_live *l)
{
    size_t told = ask_agents(l);
    if (l) l->run.unheard = !told;
    return told;
}

/* ---- after ---- */

typedef struct collected {
    tfp_buf rows;
    size_t seen, frameworks, signals, files, refused;
    bool oversized;
} collected;

/* Takes the lines that the hook wrote. Lines that are no complete JSON object are dropped. */
static void take_rows(int folder, const char *name, collected *c)
{
    tfp_buf text = { 0 };
    if (!tfp_folder_read(folder, name, (size_t)64 << 20, &text)) c->oversized = true;
    for (tfp_str rest = { text.data, text.size }; rest.size;) {
        tfp_str line = tfp_str_cut_line(&rest);
        tfp_jscan j = tfp_jscan_start(line);
        bool object = line.size && *line.data == '{';
        tfp_jscan_skip(&j);
        if (!object || j.fault || j.at != j.end) continue;
        if (c->rows.size) tfp_buf_char(&c->rows, ',');
        tfp_buf_str(&c->rows, line);
        if (tfp_str_has(line, TFP_STR("\"code\": \"no-steps\"")))
            c->refused++;
        else
            c->files++;
    }
    tfp_buf_free(&text);
}

/* Reads what the hook left, and removes its folder. */
static void collect(const tfp_run *r, collected *c)
{
    DIR *d = tfp_folder_list(r->hook_fd);
    for (struct dirent *e; d && (e = readdir(d));) {
        tfp_str name = tfp_str_of(e->d_name);
        if (tfp_str_ends(name, TFP_STR(".seen"))) c->seen++;
        if (tfp_str_ends(name, TFP_STR(".framework"))) c->frameworks++;
        if (tfp_str_ends(name, TFP_STR(".signal"))) c->signals++;
        if (tfp_str_ends(name, TFP_STR(".rows"))) take_rows(r->hook_fd, e->d_name, c);
    }
    if (d) closedir(d);
    tfp_folder_clear(r->hook_fd);
    unlinkat(r->run_fd, hook_name(r), AT_REMOVEDIR);
}

/* Removes the entries of processes of this run that were killed. */
static void remove_stale(const tfp_run *r)
{
    static const char *const ends[] = { ".json", ".sock", ".steps" };
    char name[64], what[32];
    int64_t pid, ticks;
    struct sockaddr_un unused;
    tfp_proc_stat stat;
    tfp_buf text = { 0 };
    DIR *d = tfp_folder_list(r->run_fd);
    for (struct dirent *e; d && (e = readdir(d));) {
        if (!is_agent_of(r, e->d_name, &text, &unused)) continue;
        if (!tfp_agent_parse((tfp_str){ text.data, text.size - 1 }, &pid, &ticks, what, sizeof what)) continue;
        if (tfp_proc_stat_read(pid, &stat) && stat.start_ticks == ticks && stat.state != 'Z') continue;
        for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
            snprintf(name, sizeof name, "%lld%s", (long long)pid, ends[i]);
            unlinkat(r->run_fd, name, 0);
        }
    }
    if (d) closedir(d);
    tfp_buf_free(&text);
}

/* A line that says what was recorded of Python. */
static void note_of(const tfp_live *l, const collected *c, tfp_buf *notes)
{
    bool windows = l->settings.every && !tfp_cuda_has_windows(&l->settings);
    bool by_step = windows || l->settings.at_step, asked = by_step || l->settings.signal;
    if (l->settings.cuda && !asked && !c->files) return;
    if (!c->seen)
        tfp_buf_text(notes, "no Python process was reached: the command starts none, or with -S, -I or -E");
    else if (!c->frameworks)
        tfp_buf_printf(notes, "%zu Python process%s loaded no JAX, TensorFlow or torch", c->seen,
                       c->seen == 1 ? "" : "es");
    else if (c->files)
        tfp_buf_printf(notes, "%zu profiles in %s; to look at them: tfprof scope %s/JOB", c->files, l->run.results.path,
                       l->run.results.path);
    else if (c->refused)
        tfp_buf_text(notes,
                     "no profile: the framework has no step of its own; --every Ns takes a window every N seconds");
    else if (l->settings.signal && !by_step && c->signals)
        tfp_buf_printf(notes, "no profile, although %zu processes got the signal: their messages say why", c->signals);
    else if (l->settings.signal && !by_step)
        tfp_buf_text(notes, l->run.unheard
                                ? "no profile: the job ended before a process that got the signal could record"
                                : "no profile: no signal came");
    else
        tfp_buf_text(notes, asked ? "no profile: the job ended before the first was due"
                                  : "no profile was requested: use --every, --at-step or --on-signal");
    tfp_buf_char(notes, '\n');
}

/* Writes the manifest; each line becomes a note of its own. */
static tfp_status write_manifest(const tfp_live *l, tfp_str rows, const char *notes, tfp_error *err)
{
    TFP_VEC(char *) lines = { 0 };
    char *text = strdup(notes), *rest = text;
    bool fine = text != NULL;
    for (char *line; fine && (line = strsep(&rest, "\n")) && *line;) fine = tfp_push(&lines, line);
    tfp_manifest m = { &l->run.results, l->run.started, l->settings.ms, l->settings.steps ? l->settings.steps : 1, rows,
                       lines.at,        lines.size };
    tfp_status s = fine ? tfp_manifest_write(&m, err) : tfp_nomem(err);
    tfp_vec_free(&lines);
    free(text);
    return s;
}

tfp_status tfp_live_run_end(tfp_live *l, char **note, tfp_error *err)
{
    collected c = { .seen = 0 };
    tfp_buf notes = { 0 };
    tfp_error_clear(err);
    if (!l || !note || !*l->run.hook) return tfp_fail(err, TFP_BADARG, "no run was begun");
    collect(&l->run, &c);
    remove_stale(&l->run);
    note_of(l, &c, &notes);
    tfp_status s = l->settings.cuda ? tfp_cuda_end(&l->run, &c.rows, &notes, err) : TFP_OK;
    if (notes.size && notes.data[notes.size - 1] == '\n') notes.data[notes.size - 1] = '\0';
    tfp_buf_char(&notes, '\0');
    if (c.rows.failed || notes.failed)
        s = tfp_nomem(err);
    else if (!s)
        s = write_manifest(l, (tfp_str){ c.rows.data, c.rows.size }, notes.data, err);
    else
        write_manifest(l, (tfp_str){ c.rows.data, c.rows.size }, notes.data, NULL);
    tfp_buf_free(&c.rows);
    *note = notes.failed ? NULL : notes.data;
    if (notes.failed) tfp_buf_free(&notes);
    tfp_run_free(&l->run);
    return s;
}
