// SPDX-License-Identifier: Apache-2.0
/* live/record/session_attach.c: what an attach adds to a recording: the agent is started in the process before it, and leaves after it.
 * In between it is a recording by an agent like any other. */
#include "live/record/capture.h"
#include "live/proc/namespace.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#define LOCK_RETRY_NS ((int64_t)50 * 1000000)
/* the pause before the main thread is woken for the first time; each pause after it is twice as long */
#define WAKE_NS ((int64_t)50 * 1000000)
#define LEAVE_NS                                                                                                       \
    ((int64_t)3 * 1000000000) /* an agent leaves within a second, later when the job holds the interpreter's lock */

static void queue_text(tfp_capture *c, tfp_session *s)
{
    char theirs[TFP_RUN_PATH_MAX], ours[TFP_RUN_PATH_MAX];
    tfp_method refusal = { .code = NULL };
    tfp_proc_stat own;
    tfp_buf text = { 0 };
    tfp_attach_folders(s->attaching.attach, c->run_folder, theirs, ours);
    snprintf(s->agent.socket, sizeof s->agent.socket, "%.79s/%lld.sock", ours,
             (long long)s->attaching.attach->inner_pid);
    bool told = tfp_same_namespace(s->row.pid, "pid") && tfp_proc_stat_read(getpid(), &own);
    tfp_attach_settings w = { .folder = theirs,
                              .watch_pid = told ? own.pid : 0,
                              .watch_ticks = told ? own.start_ticks : 0,
                              .until_unix_seconds = tfp_unix_micros() / 1000000 + (int64_t)c->settings->timeout + 60,
                              .keep = c->settings->keep_agent };
    tfp_attach_text(&w, &text);
    tfp_attach_namesakes(s->row.pid, &s->attaching.namesakes);
    if (text.failed) {
        c->nomem = true;
        tfp_session_end(c, s, "failed", "low-memory", "tfprof has no memory for the attach");
    } else if (tfp_attach_queue(s->attaching.attach, (tfp_str){ text.data, text.size }, &refusal)) {
        s->state = TFP_SESSION_ATTACHES;
        s->attaching.wake_pause_ns = WAKE_NS;
        s->attaching.wake_ns = tfp_now_ns() + WAKE_NS;
    } else {
        bool touched = s->attaching.attach->stopped_ns > 0 && strcmp(refusal.code, "gone") == 0;
        tfp_session_end(c, s, touched ? "failed" : "refused", refusal.code, "%s", refusal.message);
    }
    tfp_buf_free(&text);
}

/* Takes the lock. If another tfprof is attached, this session waits for it as for any other session. */
static bool take_lock(tfp_capture *c, tfp_session *s)
{
    int64_t now = tfp_now_ns();
    if (tfp_attach_lock(s->attaching.attach)) {
        if (s->times.waits_since_ns) {
            s->times.waited_ns = now - s->times.waits_since_ns;
            s->row.waited_micros = s->times.waited_ns / 1000;
        }
        s->times.waits_since_ns = 0;
        return true;
    }
    if (!s->times.waits_since_ns) s->times.waits_since_ns = now;
    if ((double)(now - s->times.waits_since_ns) / 1e9 >= c->settings->wait)
        tfp_session_end(c, s, "refused", "busy", "another tfprof is attached to it");
    else
        s->times.retry_ns = now + LOCK_RETRY_NS;
    return false;
}

void tfp_session_start_attach(tfp_capture *c, tfp_session *s)
{
    tfp_method refusal;
    s->state = TFP_SESSION_ATTACHES;
    if (!s->attaching.attach) {
        s->attaching.attach = malloc(sizeof *s->attaching.attach);
        if (!s->attaching.attach) {
            c->nomem = true;
            return;
        }
        if (!tfp_attach_find(s->row.pid, s->row.start_ticks, s->attaching.attach, &refusal)) {
            tfp_session_end(c, s, "refused", refusal.code, "%s", refusal.message);
            return;
        }
    }
    if (take_lock(c, s)) queue_text(c, s);
}

/* ---- the end ---- */

void tfp_session_wake(tfp_session *s)
{
    int64_t now = tfp_now_ns();
    if (now < s->attaching.wake_ns) return;
    s->attaching.wake_pause_ns *= 2;
    s->attaching.wake_ns = now + s->attaching.wake_pause_ns;
    tfp_attach_wake(s->attaching.attach);
}

void tfp_session_agent_is_there(tfp_session *s)
{
    int64_t thread = tfp_attach_thread(s->row.pid, &s->attaching.namesakes);
    if (thread) tfp_attach_unmap(s->attaching.attach, thread);
}

bool tfp_session_must_leave(const tfp_session *s)
{
    return s->attaching.attach && s->attaching.attach->queued && s->state != TFP_SESSION_LEAVES;
}

void tfp_session_leave(tfp_session *s)
{
    s->attaching.leave_by_ns = tfp_now_ns() + LEAVE_NS;
    if (s->state == TFP_SESSION_ATTACHES) tfp_attach_empty(s->attaching.attach);
    s->attaching.ran = s->state != TFP_SESSION_ATTACHES;
    s->state = TFP_SESSION_LEAVES;
}

/* Whether it is PID.json, PID.sock, PID.steps, PID.tmp.json, or PID.json.N.N.part that was being written. */
static bool is_agent_file(const char *name, const char *number)
{
    static const char *const ends[] = { ".json", ".sock", ".steps", ".part" };
    size_t size = strlen(number), whole = strlen(name);
    if (strncmp(name, number, size) != 0 || name[size] != '.') return false;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (whole > strlen(ends[i]) && strcmp(name + whole - strlen(ends[i]), ends[i]) == 0) return true;
    return false;
}

/* Removes the files of the agent of a process that has ended. The folder may be in a container, so it must not be a
 * link. */
static void remove_files(const tfp_session *s)
{
    char path[sizeof s->agent.socket], number[24];
    memcpy(path, s->agent.socket, sizeof path);
    *strrchr(path, '/') = '\0';
    snprintf(number, sizeof number, "%lld", (long long)s->attaching.attach->inner_pid);
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *folder = fd >= 0 ? tfp_folder_list(fd) : NULL;
    for (struct dirent *e; folder && (e = readdir(folder));)
        if (is_agent_file(e->d_name, number)) unlinkat(fd, e->d_name, 0);
    if (folder) closedir(folder);
    if (fd >= 0) close(fd);
}

bool tfp_session_has_left(const tfp_capture *c, tfp_session *s)
{
    tfp_proc_stat stat;
    bool ended = !tfp_proc_stat_read(s->row.pid, &stat) || stat.start_ticks != s->row.start_ticks || stat.state == 'Z';
    bool there = !ended && tfp_attach_thread(s->row.pid, &s->attaching.namesakes) > 0;
    if (there && s->attaching.ran && !c->settings->keep_agent && tfp_now_ns() < s->attaching.leave_by_ns) return false;
    if (!there) remove_files(s); /* the process ended or runs another program: the agent could not remove them */
    tfp_session_note_stop(s);
    return true;
}

void tfp_session_note_stop(tfp_session *s)
{
    if (!s->attaching.attach) return;
    s->row.stopped_micros = s->attaching.attach->stopped_ns / 1000;
    if (s->row.stalled_micros == TFP_ABSENT || s->row.stalled_micros < s->row.stopped_micros)
        s->row.stalled_micros = s->row.stopped_micros;
}

void tfp_session_free_attach(tfp_session *s)
{
    if (s->attaching.attach) tfp_attach_free(s->attaching.attach);
    free(s->attaching.attach);
    s->attaching.attach = NULL;
}
