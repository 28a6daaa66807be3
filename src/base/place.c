// SPDX-License-Identifier: Apache-2.0
/* base/place.c: walks a path with openat and O_NOFOLLOW, and decides about each link on the way. openat2 has no rule
 * about the owners of links, so it cannot be used. */
#include "base/place.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <unistd.h>

enum { LINKS_MOST = 40 }; /* as the kernel's limit */

void tfp_user_name(int64_t uid, char *out, size_t room)
{
    char space[1024];
    struct passwd entry, *found = NULL;
    if (getpwuid_r((uid_t)uid, &entry, space, sizeof space, &found) == 0 && found)
        snprintf(out, room, "%s", entry.pw_name);
    else
        snprintf(out, room, "%lld", (long long)uid);
}

/* Whether files of this user may be trusted: root may write everywhere anyway. In a user namespace the machine's root
 * has another number, which is that of the owner of "/". */
static bool is_trusted(uid_t uid)
{
    struct stat top;
    return uid == geteuid() || uid == 0 || (stat("/", &top) == 0 && uid == top.st_uid);
}

bool tfp_is_planted(const struct stat *folder, const struct stat *thing)
{
    return !is_trusted(thing->st_uid) && (!is_trusted(folder->st_uid) || folder->st_mode & (S_IWGRP | S_IWOTH));
}

/* ---- the walk ---- */

typedef struct walk {
    const char *path; /* for messages */
    char *rest;       /* the rest of the path; owned */
    int links;
    tfp_place *at;
    tfp_error *err;
} walk;

static tfp_status fail(const walk *w, int error)
{
    return tfp_with_errno(w->err, tfp_fail(w->err, TFP_BADOUTPUT, "%s: cannot write: %s", w->path, strerror(error)),
                          error);
}

static tfp_status refuse_link(const walk *w, uid_t owner)
{
    char user[64];
    tfp_user_name(owner, user, sizeof user);
    return tfp_with_errno(w->err,
                          tfp_fail(w->err, TFP_BADOUTPUT,
                                   "%s: cannot write: '%s' is a link of user %s in a folder that others can write to; "
                                   "such links are not followed: name the place itself",
                                   w->path, w->at->name, user),
                          EACCES);
}

static void enter(walk *w, int folder)
{
    if (w->at->folder >= 0) close(w->at->folder);
    w->at->folder = folder;
}

/* Takes the next part of the path; false at its end. *last: it is the last one. */
static bool next_part(walk *w, bool *last, bool *fits)
{
    char *at = w->rest + strspn(w->rest, "/");
    size_t n = strcspn(at, "/"), slashes = strspn(at + n, "/");
    *fits = n <= NAME_MAX;
    if (!n || !*fits) return n > 0;
    memcpy(w->at->name, at, n);
    w->at->name[n] = '\0';
    *last = !at[n + slashes];
    memmove(w->rest, at + n, strlen(at + n) + 1);
    return true;
}

/* Puts the target of a link before the rest of the path. */
static tfp_status take_target(walk *w, const char *target)
{
    size_t size = strlen(target) + strlen(w->rest) + 2;
    char *rest = malloc(size);
    if (!rest) return tfp_nomem(w->err);
    snprintf(rest, size, "%s%s", target, w->rest);
    free(w->rest);
    w->rest = rest;
    if (*target != '/') return TFP_OK;
    int top = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (top < 0) return fail(w, errno);
    enter(w, top);
    return TFP_OK;
}

/* Links of /proc such as fd/1 and cwd lead to an object, not to a name. A folder is entered; a file is opened by its
 * name, if it still has that name, so that it can be replaced as a whole. True: the link was handled. */
static bool is_entered(walk *w, const char *target, bool last)
{
    struct stat thing, named;
    if (!tfp_is_proc(w->at->folder) || fstatat(w->at->folder, w->at->name, &thing, 0) != 0) return false;
    if (S_ISDIR(thing.st_mode)) {
        int folder = openat(w->at->folder, w->at->name, O_PATH | O_DIRECTORY | O_CLOEXEC);
        if (folder < 0) return false;
        enter(w, folder);
        strcpy(w->at->name, ".");
        w->at->there = true;
        w->at->st = thing;
        return true;
    }
    if (!last || (*target == '/' && S_ISREG(thing.st_mode) && lstat(target, &named) == 0 &&
                  named.st_dev == thing.st_dev && named.st_ino == thing.st_ino))
        return false;
    w->at->st = thing;
    w->at->there = w->at->through = true;
    return true;
}

static tfp_status follow(walk *w, int link, const struct stat *st, bool last)
{
    char target[PATH_MAX];
    struct stat folder;
    if (++w->links > LINKS_MOST) return fail(w, ELOOP);
    if (fstat(w->at->folder, &folder)) return fail(w, errno);
    if (tfp_is_planted(&folder, st)) return refuse_link(w, st->st_uid);
    ssize_t n = readlinkat(link, "", target, sizeof target - 1);
    if (n <= 0) return fail(w, n < 0 ? errno : ENOENT);
    target[n] = '\0';
    return is_entered(w, target, last) ? TFP_OK : take_target(w, target);
}

/* Handles one existing part of the path. The walk may keep `found`. */
static tfp_status step(walk *w, int found, bool last)
{
    struct stat st;
    if (fstat(found, &st)) return fail(w, errno);
    if (S_ISLNK(st.st_mode)) return follow(w, found, &st, last);
    if (!last || S_ISDIR(st.st_mode)) {
        if (!S_ISDIR(st.st_mode)) return fail(w, ENOTDIR);
        if (last) {
            w->at->there = true;
            w->at->st = st;
            return TFP_OK;
        }
        enter(w, found);
        return TFP_OK;
    }
    if (*w->rest) return fail(w, ENOTDIR); /* "file/" */
    w->at->there = true;
    w->at->st = st;
    return TFP_OK;
}

static tfp_status walk_path(walk *w)
{
    bool last = false, fits;
    w->at->folder = open(*w->path == '/' ? "/" : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (w->at->folder < 0) return fail(w, errno);
    strcpy(w->at->name, ".");
    w->at->there = fstat(w->at->folder, &w->at->st) == 0;
    while (next_part(w, &last, &fits)) {
        if (!fits) return fail(w, ENAMETOOLONG);
        w->at->there = w->at->through = false;
        int found = openat(w->at->folder, w->at->name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
        if (found < 0) return last && errno == ENOENT ? TFP_OK : fail(w, errno);
        tfp_status s = step(w, found, last);
        if (w->at->folder != found) close(found);
        if (s) return s;
    }
    return TFP_OK;
}

tfp_status tfp_place_find(const char *path, tfp_place *out, tfp_error *err)
{
    *out = (tfp_place){ .folder = -1 };
    walk w = { .path = path, .rest = strdup(path), .at = out, .err = err };
    if (!w.rest) return tfp_nomem(err);
    tfp_status s = *path ? walk_path(&w) : fail(&w, ENOENT);
    free(w.rest);
    if (s) tfp_place_free(out);
    return s;
}

void tfp_place_free(tfp_place *p)
{
    if (p->folder >= 0) close(p->folder);
    p->folder = -1;
}
