// SPDX-License-Identifier: Apache-2.0
/* formats/files/folder.c: finds the files of the newest recording in a folder: a profile of TensorFlow's
 * ProfileContext, traces of PyTorch, or the checkpoint that the file `checkpoint` names. XPlane folders:
 * formats/files/xplane_folder.c. */
#include "formats/files/folder.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* A name in a folder, and when the file was last written. */
typedef struct candidate {
    char path[TFP_PATH_ROOM];
    struct timespec written;
} candidate;

static bool look(const char *folder, const char *name, candidate *out)
{
    struct stat st;
    if (!tfp_path_join(out->path, folder, name) || stat(out->path, &st) != 0 || !S_ISREG(st.st_mode)) return false;
    out->written = st.st_mtim;
    return true;
}

static int compare_times(const candidate *a, const candidate *b)
{
    if (a->written.tv_sec != b->written.tv_sec) return a->written.tv_sec < b->written.tv_sec ? -1 : 1;
    return a->written.tv_nsec < b->written.tv_nsec ? -1 : a->written.tv_nsec > b->written.tv_nsec;
}

static tfp_status give(tfp_buf *paths, const char *path, tfp_error *err)
{
    tfp_buf_add(paths, path, strlen(path) + 1);
    return paths->failed ? tfp_nomem(err) : TFP_OK;
}

/* ---- profile_N ---- */

/* N in profile_N and profile_N.gz; -1 for other names. */
static long long step_of(const char *name)
{
    static const char begin[] = "profile_";
    if (strncmp(name, begin, sizeof begin - 1) != 0) return -1;
    const char *digits = name + sizeof begin - 1;
    size_t n = strspn(digits, "0123456789");
    if (!n || n > 18 || (digits[n] && strcmp(digits + n, ".gz") != 0)) return -1;
    return atoll(digits);
}

static bool find_profile(const char *folder, candidate *best, bool *memory)
{
    tfp_names names = { 0 };
    long long best_step = -1;
    *memory = tfp_names_of(folder, &names);
    for (size_t i = 0; i < names.size; i++) {
        candidate c;
        long long step = step_of(names.at[i]);
        if (step < 0 || !look(folder, names.at[i], &c)) continue;
        int order = best_step < 0 ? 1 : compare_times(&c, best);
        if (order < 0 || (order == 0 && step < best_step)) continue;
        *best = c;
        best_step = step;
    }
    tfp_names_free(&names);
    return best_step >= 0;
}

bool tfp_profile_is_folder(const char *path)
{
    candidate best = { .path = "" };
    bool memory;
    return tfp_is_folder(path) && find_profile(path, &best, &memory);
}

tfp_status tfp_profile_list(const char *path, tfp_buf *paths, tfp_error *err)
{
    candidate best = { .path = "" };
    bool memory;
    if (find_profile(path, &best, &memory)) return give(paths, best.path, err);
    return memory ? tfp_fail(err, TFP_BADFILE, "is a folder without profile_N files") : tfp_nomem(err);
}

/* ---- traces of PyTorch ---- */

/* Whether it is the name of a file into which the traces of several ranks were merged, as scripts call it. */
static bool is_merged(const char *name)
{
    static const char *const words[] = { "merged", "combined", "all_ranks", "all-ranks", "allranks" };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcasestr(name, words[i])) return true;
    return false;
}

/* The length of WORKER in WORKER.TIME.pt.trace.json; 0 for other names. */
static size_t worker_size(const char *name)
{
    const char *end = strstr(name, ".pt.trace.json");
    if (!end || (strcmp(end, ".pt.trace.json") != 0 && strcmp(end, ".pt.trace.json.gz") != 0)) return 0;
    const char *at = end;
    while (at > name && at[-1] >= '0' && at[-1] <= '9') at--;
    return at > name + 1 && at < end && at[-1] == '.' ? (size_t)(at - 1 - name) : (size_t)(end - name);
}

/* Lists each worker's last trace. Names are in byte order and times have the same number of digits, so a worker's
 * traces follow each other and its last one comes last. */
static tfp_status list_workers(const char *folder, const tfp_names *names, tfp_buf *paths, tfp_error *err)
{
    tfp_status s = TFP_OK;
    for (size_t i = 0; i < names->size && !s; i++) {
        candidate c;
        size_t size = worker_size(names->at[i]);
        if (!size || is_merged(names->at[i]) || !look(folder, names->at[i], &c)) continue;
        const char *next = i + 1 < names->size ? names->at[i + 1] : "";
        bool last = worker_size(next) != size || memcmp(next, names->at[i], size) != 0;
        if (last) s = give(paths, c.path, err);
    }
    return s;
}

static bool is_json(const char *name) { return tfp_name_ends(name, ".json") || tfp_name_ends(name, ".json.gz"); }

static tfp_status list_ranks(const char *folder, const tfp_names *names, tfp_buf *paths, tfp_error *err)
{
    tfp_status s = TFP_OK;
    for (size_t i = 0; i < names->size && !s; i++) {
        candidate c;
        if (is_json(names->at[i]) && strstr(names->at[i], "rank") && !is_merged(names->at[i]) &&
            look(folder, names->at[i], &c))
            s = give(paths, c.path, err);
    }
    return s;
}

/* Whether it is "trace.json", or ends in this. */
static bool is_trace(const char *name)
{
    static const char *const names[] = { "trace.json", "trace.json.gz" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0 || tfp_name_ends(name, names[i])) return true;
    return false;
}

static tfp_status list_newest(const char *folder, const tfp_names *names, tfp_buf *paths, tfp_error *err)
{
    candidate best = { .path = "" }, c;
    bool found = false;
    for (size_t i = 0; i < names->size; i++) {
        if (!is_trace(names->at[i]) || !look(folder, names->at[i], &c) || (found && compare_times(&c, &best) < 0))
            continue;
        best = c;
        found = true;
    }
    return found ? give(paths, best.path, err) : TFP_OK;
}

/* ---- one file for each place in a job ---- */

/* The number after "TP", "DP", "PP", "EP" or "CP" at a position, as in SGLang's TIME-TP-0-DP-0-PP-0-EP-0.trace.json: its
 * length, and where it begins. 0: there is none. */
static size_t place_at(const char *name, size_t at, size_t *digits)
{
    if (!strchr("TDPEC", name[at]) || name[at + 1] != 'P' || (at && strchr("_-.", name[at - 1]) == NULL)) return 0;
    *digits = at + 2 + (name[at + 2] == '-' || name[at + 2] == '_');
    return strspn(name + *digits, "0123456789");
}

/* The name without these numbers: equal for the files of one recording. False: it has none, or is too long. */
static bool name_of_job(const char *name, char out[256])
{
    size_t used = 0, digits = 0, count = 0;
    for (size_t at = 0; name[at]; at++) {
        size_t size = place_at(name, at, &digits);
        if (used + 4 >= 256) return false;
        if (size) {
            out[used++] = name[at];
            at = digits + size - 1;
            count++;
        } else {
            out[used++] = name[at];
        }
    }
    out[used] = '\0';
    return count > 0;
}

/* Lists the files of the newest recording that has a file for each place in the job, or that also has a merged file. */
static tfp_status list_parts(const char *folder, const tfp_names *names, tfp_buf *paths, tfp_error *err)
{
    candidate best = { .path = "" }, c;
    char job[256] = "", other[256];
    bool merged = false;
    size_t found = 0;
    tfp_status s = TFP_OK;
    for (size_t i = 0; i < names->size; i++) {
        bool trace = is_trace(names->at[i]) && look(folder, names->at[i], &c);
        merged |= trace && is_merged(names->at[i]);
        if (!trace || is_merged(names->at[i]) || (found++ && compare_times(&c, &best) < 0)) continue;
        best = c;
        if (!name_of_job(names->at[i], job)) job[0] = '\0';
    }
    for (size_t i = 0; i < names->size && !s && (*job || (merged && found)); i++) {
        if (!is_trace(names->at[i]) || is_merged(names->at[i]) || !look(folder, names->at[i], &c)) continue;
        if (!*job || (name_of_job(names->at[i], other) && strcmp(job, other) == 0)) s = give(paths, c.path, err);
    }
    return s;
}

tfp_status tfp_kineto_list(const char *path, tfp_buf *paths, tfp_error *err)
{
    tfp_names names = { 0 };
    tfp_status s = tfp_names_of(path, &names) ? TFP_OK : tfp_nomem(err);
    if (!s) s = list_workers(path, &names, paths, err);
    if (!s && !paths->size) s = list_ranks(path, &names, paths, err);
    if (!s && !paths->size) s = list_parts(path, &names, paths, err);
    if (!s && !paths->size) s = list_newest(path, &names, paths, err);
    if (!s && !paths->size) s = tfp_fail(err, TFP_BADFILE, "is a folder without traces of PyTorch (*.pt.trace.json)");
    tfp_names_free(&names);
    return s;
}

size_t tfp_kineto_older(const char *path, const tfp_buf *paths, size_t *merged)
{
    tfp_names names = { 0 };
    size_t count = 0, at = 0; /* names and paths have the same order */
    *merged = 0;
    bool listed = tfp_names_of(path, &names);
    for (size_t i = 0; i < names.size && listed; i++) {
        candidate c;
        if (!tfp_path_join(c.path, path, names.at[i])) continue;
        bool taken = at < paths->size && strcmp(paths->data + at, c.path) == 0;
        if (taken) at += strlen(c.path) + 1;
        bool left = !taken && is_json(names.at[i]) && look(path, names.at[i], &c);
        *merged += left && is_merged(names.at[i]);
        count += left && is_trace(names.at[i]) && !is_merged(names.at[i]);
    }
    tfp_names_free(&names);
    return count;
}

bool tfp_kineto_is_folder(const char *path)
{
    tfp_buf paths = { 0 };
    /* a folder of XPlane files also has its recording as a trace.json, which contains less */
    bool is = tfp_is_folder(path) && !tfp_xplane_is_folder(path) && tfp_kineto_list(path, &paths, NULL) == TFP_OK;
    tfp_buf_free(&paths);
    return is;
}

/* ---- the file `checkpoint` ---- */

/* Reads the value of the line `model_checkpoint_path: "PREFIX"`, with the escapes that paths may have. */
static bool read_prefix(const char *folder, char out[TFP_PATH_ROOM])
{
    static const char key[] = "model_checkpoint_path:";
    char path[TFP_PATH_ROOM], line[TFP_PATH_ROOM];
    FILE *f = tfp_path_join(path, folder, "checkpoint") ? fopen(path, "re") : NULL;
    size_t size = 0;
    while (f && !size && fgets(line, sizeof line, f)) {
        if (strncmp(line, key, sizeof key - 1) != 0) continue;
        const char *at = strchr(line, '"');
        for (at = at ? at + 1 : ""; *at && *at != '"' && *at != '\n' && size + 1 < TFP_PATH_ROOM; at++) {
            if (*at == '\\' && at[1]) at++;
            out[size++] = *at;
        }
    }
    if (f) fclose(f);
    out[size] = '\0';
    return size > 0;
}

/* Finds the prefix. After a move of the folder the file still has the old path, so only the name is used. */
static bool find_prefix(const char *folder, char out[TFP_PATH_ROOM])
{
    char prefix[TFP_PATH_ROOM], index[TFP_PATH_ROOM];
    if (!read_prefix(folder, prefix)) return false;
    const char *slash = strrchr(prefix, '/');
    if (*prefix == '/' && snprintf(index, sizeof index, "%.4000s.index", prefix) > 0 && tfp_exists(index)) {
        strcpy(out, prefix);
        return true;
    }
    return tfp_path_join(out, folder, *prefix == '/' && slash ? slash + 1 : prefix);
}

bool tfp_checkpoint_is_folder(const char *path)
{
    char prefix[TFP_PATH_ROOM];
    return tfp_is_folder(path) && find_prefix(path, prefix) && !tfp_xplane_is_folder(path) &&
           !tfp_kineto_is_folder(path);
}

tfp_status tfp_checkpoint_list(const char *path, tfp_buf *paths, tfp_error *err)
{
    char prefix[TFP_PATH_ROOM];
    if (!find_prefix(path, prefix)) return tfp_fail(err, TFP_BADFILE, "is a folder, not a checkpoint's prefix");
    return give(paths, prefix, err);
}
