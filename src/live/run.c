// SPDX-License-Identifier: Apache-2.0
/* live/run.c: what is around a command that tfprof starts: the hook's files and the environment that leads to them before, the
 * manifest of what the hook recorded after. The command itself is started by the caller. */
#include "live/run.h"

#include "base/io.h"
#include "live/cuda_read.h"
#include "live/top.h"
#include "wire/jsonscan.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

/* ---- before ---- */

static tfp_status write_file(const char *folder, const char *name, const char *const *pieces, tfp_error *err)
{
    char path[256];
    tfp_buf text = { 0 };
    for (; *pieces; pieces++) tfp_buf_text(&text, *pieces);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    tfp_status s = text.failed ? tfp_nomem(err) : tfp_write_private(path, (tfp_str){ text.data, text.size }, err);
    tfp_buf_free(&text);
    return s;
}

static tfp_status make_hook(tfp_run *r, tfp_error *err)
{
    snprintf(r->id, sizeof r->id, "%d-%lld", (int)getpid(), (long long)(r->started % 1000000000));
    snprintf(r->hook, sizeof r->hook, "%s/run-%s", r->run_folder, r->id);
    if (mkdir(r->hook, 0700)) return tfp_fail(err, TFP_BADOUTPUT, "%s: %s", r->hook, strerror(errno));
    const struct {
        const char *name;
        const char *const *pieces;
    } files[] = { { "common.py", tfp_file_common },
                  { "sessions.py", tfp_file_sessions },
                  { "steps.py", tfp_file_steps },
                  { "agent.py", tfp_file_agent },
                  { "sitecustomize.py", tfp_file_sitecustomize } };
    tfp_status s = TFP_OK;
    for (size_t i = 0; i < sizeof files / sizeof *files && !s; i++)
        s = write_file(r->hook, files[i].name, files[i].pieces, err);
    return s;
}

static tfp_status set_environment(const tfp_run *r, const tfp_live_wish *w, tfp_error *err)
{
    const char *path = getenv("PYTHONPATH");
    tfp_buf wish = { 0 }, python = { 0 };
    tfp_buf_printf(&wish, "run=%s\nout=%s\nms=%lld\nsteps=%lld\nsignal=%lld\n", r->id, r->results, (long long)w->ms,
                   (long long)(w->steps ? w->steps : 1), (long long)w->signal);
    if (w->every) tfp_buf_printf(&wish, "every=%s\n", w->every);
    if (w->at_step) tfp_buf_printf(&wish, "at=%s\n", w->at_step);
    tfp_buf_char(&wish, 0);
    tfp_buf_printf(&python, "%s%s%s", r->hook, path && *path ? ":" : "", path ? path : "");
    tfp_buf_char(&python, 0);
    bool ok = !wish.failed && !python.failed && setenv("TFPROF_AGENT", wish.data, 1) == 0 &&
              setenv("PYTHONPATH", python.data, 1) == 0 && setenv("TFPROF_RUN_DIR", r->run_folder, 1) == 0 &&
              unsetenv("TFPROF_JOB") == 0;
    tfp_buf_free(&wish);
    tfp_buf_free(&python);
    return ok ? TFP_OK : tfp_nomem(err);
}

tfp_status tfp_live_run_begin(tfp_live *l, tfp_error *err)
{
    tfp_error_clear(err);
    if (!l) return tfp_fail(err, TFP_BADARG, "nothing to prepare");
    tfp_run *r = &l->run;
    *r = (tfp_run){ .started = tfp_unix_micros() };
    tfp_status s = tfp_run_folder(r->run_folder, true, err);
    if (!s) s = tfp_make_results(&l->wish, "run", r->results, sizeof r->results, err);
    if (!s && l->wish.cuda) s = tfp_cuda_begin(r, l->wish.max_bytes, err);
    if (!s) s = make_hook(r, err);
    return s ? s : set_environment(r, &l->wish, err);
}

/* ---- meanwhile ---- */

/* Whether an entry of the run folder is an agent of this run, with its socket's address. */
static bool is_agent_of(const tfp_run *r, const char *entry, struct sockaddr_un *to)
{
    char path[256], text[16384], mark[64];
    size_t size = strlen(entry);
    if (size < 6 || strcmp(entry + size - 5, ".json") != 0 || strspn(entry, "0123456789") != size - 5) return false;
    snprintf(path, sizeof path, "%s/%.30s", r->run_folder, entry);
    FILE *f = fopen(path, "re");
    size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
    if (f) fclose(f);
    text[n] = '\0';
    snprintf(mark, sizeof mark, "\"run\": \"%s\"", r->id);
    if (!strstr(text, mark)) return false;
    *to = (struct sockaddr_un){ .sun_family = AF_UNIX };
    snprintf(to->sun_path, sizeof to->sun_path, "%s/%.*s.sock", r->run_folder, (int)(size - 5), entry);
    return true;
}

void tfp_live_run_record(const tfp_live *l)
{
    struct sockaddr_un to;
    DIR *d = l ? opendir(l->run.run_folder) : NULL;
    for (struct dirent *e; d && (e = readdir(d));) {
        if (!is_agent_of(&l->run, e->d_name, &to)) continue;
        int s = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        if (s < 0) continue;
        if (connect(s, (struct sockaddr *)&to, sizeof to) == 0) (void)!send(s, "snap\n", 5, MSG_NOSIGNAL);
        close(s);
    }
    if (d) closedir(d);
}

/* ---- after ---- */

typedef struct collected {
    tfp_buf rows;
    size_t seen, frameworks, files, refused;
    bool oversized;
} collected;

/* Lines that the hook wrote: whole JSON objects, or they are left out. */
static void take_rows(const char *path, collected *c)
{
    tfp_buf text = { 0 };
    if (tfp_read_file(path, (uint64_t)64 << 20, &text, NULL)) c->oversized = true;
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

/* Takes in what the hook left and removes its folder. */
static void collect(const tfp_run *r, collected *c)
{
    static const char cache[] = "__pycache__";
    char path[512];
    for (int turn = 0; turn < 2; turn++) {
        const char *below = turn ? "" : cache;
        char folder[256];
        snprintf(folder, sizeof folder, "%s/%s", r->hook, below);
        DIR *d = opendir(folder);
        for (struct dirent *e; d && (e = readdir(d));) {
            if (*e->d_name == '.') continue;
            snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
            if (tfp_str_ends(tfp_str_of(e->d_name), TFP_STR(".seen"))) c->seen++;
            if (tfp_str_ends(tfp_str_of(e->d_name), TFP_STR(".framework"))) c->frameworks++;
            if (tfp_str_ends(tfp_str_of(e->d_name), TFP_STR(".rows"))) take_rows(path, c);
            unlink(path);
        }
        if (d) closedir(d);
        rmdir(folder);
    }
    rmdir(r->hook);
}

/* Processes of this run that were killed left their entries. */
static void remove_stale(const tfp_run *r)
{
    static const char *const ends[] = { ".json", ".sock", ".steps" };
    char path[256], text[16384], what[32];
    int64_t pid, ticks;
    struct sockaddr_un unused;
    tfp_proc_stat stat;
    DIR *d = opendir(r->run_folder);
    for (struct dirent *e; d && (e = readdir(d));) {
        if (!is_agent_of(r, e->d_name, &unused)) continue;
        snprintf(path, sizeof path, "%s/%.30s", r->run_folder, e->d_name);
        FILE *f = fopen(path, "re");
        size_t n = f ? fread(text, 1, sizeof text, f) : 0;
        if (f) fclose(f);
        if (!tfp_agent_parse((tfp_str){ text, n }, &pid, &ticks, what, sizeof what)) continue;
        if (tfp_proc_stat_read(pid, &stat) && stat.start_ticks == ticks && stat.state != 'Z') continue;
        for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
            snprintf(path, sizeof path, "%s/%lld%s", r->run_folder, (long long)pid, ends[i]);
            unlink(path);
        }
    }
    if (d) closedir(d);
}

/* What there is to say of Python, as a line. */
static void note_of(const tfp_live *l, const collected *c, tfp_buf *notes)
{
    bool asked = l->wish.every || l->wish.at_step || l->wish.signal;
    if (l->wish.cuda && !asked && !c->files) return;
    if (!c->seen)
        tfp_buf_text(notes, "no Python process was reached: the command starts none, or with -S, -I or -E");
    else if (!c->frameworks)
        tfp_buf_printf(notes, "%zu Python processes, none of which loaded JAX, TensorFlow or torch", c->seen);
    else if (c->files)
        tfp_buf_printf(notes, "%zu profiles in %s; to look at them: tfprof scope %s/JOB", c->files, l->run.results,
                       l->run.results);
    else if (c->refused)
        tfp_buf_text(notes,
                     "no profile: the framework has no step of its own; --every Ns takes a window every N seconds");
    else
        tfp_buf_text(notes, asked ? "no profile: the job ended before the first was due"
                                  : "no profile was asked for: --every, --at-step or --on-signal do");
    tfp_buf_char(notes, '\n');
}

/* The manifest with each line as a note of its own. */
static tfp_status write_manifest(const tfp_live *l, tfp_str rows, const char *notes, tfp_error *err)
{
    TFP_VEC(char *) lines = { 0 };
    char *text = strdup(notes), *rest = text;
    bool fine = text != NULL;
    for (char *line; fine && (line = strsep(&rest, "\n")) && *line;) fine = tfp_push(&lines, line);
    tfp_manifest m = { l->run.results, l->run.started, l->wish.ms, l->wish.steps ? l->wish.steps : 1,
                       rows,           lines.at,       lines.size };
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
    tfp_status s = l->wish.cuda ? tfp_cuda_end(&l->run, &c.rows, &notes, err) : TFP_OK;
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
    *l->run.hook = '\0';
    return s;
}
