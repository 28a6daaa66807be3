// SPDX-License-Identifier: Apache-2.0
/* live/files/run_folder.c: finds the run folder and the agents in it. Other processes wrote these files: sizes are bounded, links are
 * not followed, and an entry counts only while the process that wrote it lives. */
#include "live/files/run_folder.h"

#include "base/place.h"
#include "live/proc/namespace.h"
#include "wire/jsonscan.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define ENTRY_MOST 16384 /* most bytes of a PID.json */
#define WHY_ROOM 200

/* ---- the folder ---- */

#define REMEDY "name another one in TFPROF_RUN_DIR or XDG_RUNTIME_DIR"

/* Whether a folder belongs to this user alone. False: `why` has the reason; an empty `why` means that there is no folder. */
static bool is_safe(const char *path, uid_t owner, char *why, size_t room)
{
    struct stat st;
    char user[64];
    *why = '\0';
    if (lstat(path, &st)) {
        if (errno != ENOENT) snprintf(why, room, "%s", strerror(errno));
        return false;
    }
    tfp_user_name(st.st_uid, user, sizeof user);
    if (S_ISLNK(st.st_mode))
        snprintf(why, room, "the run folder is a link of user %s: " REMEDY, user);
    else if (!S_ISDIR(st.st_mode))
        snprintf(why, room, "the run folder is no folder: " REMEDY);
    else if (st.st_uid != owner)
        snprintf(why, room, "the run folder belongs to user %s: " REMEDY, user);
    else if (st.st_mode & 077)
        snprintf(why, room, "the run folder is open to others: its mode must be 0700");
    return !*why;
}

/* Makes the name absolute: processes with other current folders use it too. */
static tfp_status make_absolute(char folder[TFP_RUN_PATH_MAX], tfp_error *err)
{
    char *whole = realpath(folder, NULL);
    bool fits = whole && strlen(whole) < TFP_RUN_PATH_MAX;
    if (fits) strcpy(folder, whole);
    free(whole);
    return fits ? TFP_OK
                : tfp_fail(err, TFP_BADFILE, "the run folder's path is longer than %d bytes", TFP_RUN_PATH_MAX - 1);
}

tfp_status tfp_run_folder(char out[TFP_RUN_PATH_MAX], bool make, tfp_error *err)
{
    const char *told = getenv("TFPROF_RUN_DIR"), *runtime = getenv("XDG_RUNTIME_DIR");
    char why[WHY_ROOM];
    int size;
    if (told && *told)
        size = snprintf(out, TFP_RUN_PATH_MAX, "%s", told);
    else if (runtime && *runtime == '/')
        size = snprintf(out, TFP_RUN_PATH_MAX, "%s/tfprof", runtime);
    else
        size = snprintf(out, TFP_RUN_PATH_MAX, "/tmp/tfprof-%u", (unsigned)geteuid());
    if (size < 0 || size >= TFP_RUN_PATH_MAX)
        return tfp_fail(err, TFP_BADFILE, "the run folder's path is longer than %d bytes", TFP_RUN_PATH_MAX - 1);
    /* without the slash, as lstat would follow a link that ends in one */
    while (size > 1 && out[size - 1] == '/') out[--size] = '\0';
    if (make && mkdir(out, 0700) && errno != EEXIST)
        return tfp_fail(err, TFP_BADFILE, "%s: the run folder cannot be made: %s", out, strerror(errno));
    if (!is_safe(out, geteuid(), why, sizeof why) && *why) return tfp_fail(err, TFP_BADFILE, "%s: %s", out, why);
    return make ? make_absolute(out, err) : TFP_OK;
}

int tfp_run_folder_open(const char *path)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 || (fstat(fd, &st) == 0 && st.st_uid == geteuid() && !(st.st_mode & 077))) return fd;
    close(fd);
    errno = EPERM;
    return -1;
}

/* ---- entries ---- */

static bool is(tfp_jscan_text key, const char *name) { return !key.escaped && tfp_str_eq(key.raw, tfp_str_of(name)); }

/* Takes a number. A text is skipped: the agent writes none for a number. */
static void take_number(tfp_jscan *j, int64_t *out)
{
    if (tfp_jscan_peek(j) == '"')
        tfp_jscan_skip(j);
    else
        tfp_jscan_integer(j, out);
}

bool tfp_agent_parse(tfp_str json, int64_t *pid, int64_t *start_ticks, char *what, size_t room)
{
    tfp_jscan j = tfp_jscan_start(json);
    tfp_jscan_text key, text;
    *pid = *start_ticks = -1;
    *what = '\0';
    if (!tfp_jscan_take(&j, '{', "an object")) return false;
    for (bool first = true; tfp_jscan_member(&j, first, &key); first = false) {
        if (is(key, "pid")) {
            take_number(&j, pid);
        } else if (is(key, "start_ticks")) {
            take_number(&j, start_ticks);
        } else if (is(key, "steps_are") && tfp_jscan_peek(&j) == '"') {
            if (tfp_jscan_string(&j, &text)) tfp_text_give(text.raw, what, room);
        } else {
            tfp_jscan_skip(&j);
        }
    }
    return !j.fault && *pid > 0 && *start_ticks >= 0;
}

static long read_entry(const char *path, uid_t owner, char *buf, size_t room)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    if (fd < 0) return -1;
    ssize_t n = -1;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == owner) n = read(fd, buf, room);
    close(fd);
    return n;
}

static bool find_in(const char *folder, uid_t owner, int64_t pid, int64_t start_ticks, tfp_agent *out)
{
    char path[TFP_RUN_PATH_MAX + 32], text[ENTRY_MOST];
    int64_t told_pid, told_ticks;
    struct stat st;
    *out = (tfp_agent){ .counts = false };
    snprintf(path, sizeof path, "%.79s/%lld.json", folder, (long long)pid);
    long n = read_entry(path, owner, text, sizeof text);
    if (n <= 0 || !tfp_agent_parse((tfp_str){ text, (size_t)n }, &told_pid, &told_ticks, out->what, sizeof out->what) ||
        told_pid != pid || told_ticks != start_ticks)
        return false;
    snprintf(out->socket, sizeof out->socket, "%.79s/%lld.sock", folder, (long long)pid);
    if (lstat(out->socket, &st) || !S_ISSOCK(st.st_mode) || st.st_uid != owner) return false;
    snprintf(path, sizeof path, "%.79s/%lld.steps", folder, (long long)pid);
    int64_t count[2]; /* the number of steps, and when the last one ended */
    out->counts = *out->what && read_entry(path, owner, (char *)count, sizeof count) == sizeof count;
    if (!out->counts) return true;
    out->steps = count[0];
    out->step_ns = count[1];
    return true;
}

/* Finds the agent of a process in another namespace: `tfprof run` left the name of its run folder in the environment. */
static bool find_inside(int64_t pid, int64_t start_ticks, int64_t uid, tfp_agent *out)
{
    char folder[TFP_RUN_PATH_MAX], path[TFP_RUN_PATH_MAX];
    tfp_proc_status status;
    struct stat st;
    if (!tfp_is_inside(pid) || !tfp_proc_setting(pid, "TFPROF_RUN_DIR", folder, sizeof folder)) return false;
    int fd = tfp_inside_open(pid, folder);
    if (fd < 0) return false;
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    bool safe = fstat(fd, &st) == 0 && (int64_t)st.st_uid == uid && !(st.st_mode & 077);
    bool found = safe && tfp_proc_status_read(pid, &status) && status.inner_pid > 0 &&
                 find_in(path, (uid_t)uid, status.inner_pid, start_ticks, out);
    close(fd);
    /* the name need not be trusted: whoever connects checks the process number of the peer */
    int size = snprintf(out->socket, sizeof out->socket, "/proc/%lld/root%s/%lld.sock", (long long)pid, folder,
                        (long long)(found ? status.inner_pid : 0));
    return found && (size_t)size < sizeof out->socket;
}

bool tfp_agent_find(const char *folder, int64_t pid, int64_t start_ticks, int64_t uid, tfp_agent *out)
{
    char path[64], why[WHY_ROOM];
    if (*folder && find_in(folder, geteuid(), pid, start_ticks, out)) return true;
    for (size_t i = 0; i < 2 && geteuid() == 0 && uid > 0; i++) {
        if (i == 0)
            snprintf(path, sizeof path, "/run/user/%lld/tfprof", (long long)uid);
        else
            snprintf(path, sizeof path, "/tmp/tfprof-%lld", (long long)uid);
        if (is_safe(path, (uid_t)uid, why, sizeof why) && find_in(path, (uid_t)uid, pid, start_ticks, out)) return true;
    }
    return uid >= 0 && find_inside(pid, start_ticks, uid, out);
}
