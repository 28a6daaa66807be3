// SPDX-License-Identifier: Apache-2.0
/* profiles.c: the public functions that fill a profile from files. Those that write one: profiles_write.c. */
#include "profiles.h"

#include "flops/aten/aten.h"
#include "flops/core/parameters.h"
#include "formats/files/folder.h"
#include "formats/files/unread.h"
#include "model/builder.h"
#include "model/tables/details.h"
#include "model/tables/profile.h"
#include "model/tables/runs.h"
#include "model/tables/sources.h"
#include "registry.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

/* The memory that a profile may take: a fixed amount for small inputs, and a multiple of the size of large ones. Memory
 * for unpacked bytes counts first, because a small gzip file must not become a large profile. */
#define MEMORY_FLOOR ((size_t)360 << 20)
#define MEMORY_UNPACKED ((size_t)400 << 20)
#define MEMORY_PER_BYTE 6

static size_t memory_beside(const tfp_input *in)
{
    uint64_t held = in->packed ? in->stored : in->total;
    if (in->fd >= 0) return MEMORY_FLOOR;
    return held + TFP_MEMORY_LEAST < MEMORY_UNPACKED ? MEMORY_UNPACKED - (size_t)held : TFP_MEMORY_LEAST;
}

static void raise_limit(tfp_profile *p, size_t most, uint64_t stored)
{
    p->files->stored += stored;
    most += (size_t)p->files->stored * MEMORY_PER_BYTE;
    if (most > p->arena.limit) {
        p->arena.limit = most;
        p->arena.refused = false;
    }
}

static void fail_unknown(tfp_str head, uint64_t total, const char *path, tfp_error *err)
{
    const char *told = tfp_unread(head, path);
    char names[512];
    size_t n = 0;
    for (size_t i = 0; tfp_formats[i] && n < sizeof names; i++)
        if (tfp_formats[i]->probe || tfp_formats[i]->probe_path) /* other formats are selected only by their flags */
            n += (size_t)snprintf(names + n, sizeof names - n, "%s%s", i ? ", " : "", tfp_formats[i]->name);
    if (total && told)
        tfp_fail(err, TFP_BADFILE, "%s", told);
    else if (head.size && head.data[0] == '{')
        tfp_fail(err, TFP_BADFILE, "no `traceEvents`: not a trace, or cut short");
    else if (total)
        tfp_fail(err, TFP_BADFILE, "not of a known format (%s)", names);
    else
        tfp_fail(err, TFP_BADFILE, "empty file");
}

enum { GUESSED = 50 }; /* surety of a probe that found nothing against its format, but nothing for it either */

static const tfp_format *surest(tfp_str head, uint64_t total, int *sure)
{
    if (head.size > TFP_PROFILES_HEAD) head.size = TFP_PROFILES_HEAD;
    const tfp_format *best = NULL;
    *sure = 0;
    for (size_t i = 0; tfp_formats[i]; i++) {
        int n = tfp_formats[i]->probe ? tfp_formats[i]->probe(head, total) : 0;
        if (n > *sure) {
            *sure = n;
            best = tfp_formats[i];
        }
    }
    return best;
}

/* The format of the surest probe. The error for an unrecognised file lists the formats that it could have. */
const tfp_format *tfp_profiles_recognise(tfp_str head, uint64_t total, const char *path, tfp_error *err)
{
    int sure;
    const tfp_format *best = surest(head, total, &sure);
    if (sure < GUESSED && tfp_unread(head, path)) best = NULL; /* JSON of other programs looks like a long trace */
    if (!best) fail_unknown(head, total, path, err);
    return best;
}

static tfp_status may_add(const tfp_profile *p, const tfp_format *f, tfp_error *err)
{
    if (!p->reopened || f->stands & TFP_FORMAT_IS(BESIDE_WHOLE)) return TFP_OK;
    return tfp_fail(err, TFP_BADARG,
                    "a converted profile stands alone: convert the original files together with this one");
}

static tfp_status read_input(tfp_profile *p, const tfp_format *f, tfp_input *in, tfp_error *err)
{
    tfp_builder b = { .p = p, .file = in->name };
    tfp_str head;
    tfp_status s = tfp_input_peek(in, TFP_PROFILES_HEAD, &head, err);
    if (!s && in->total == 0)
        s = in->cut_at ? tfp_input_check_whole(in, err) : tfp_fail(err, TFP_BADFILE, "empty file");
    if (!s && !f && !(f = tfp_profiles_recognise(head, in->total, in->name, err))) s = TFP_BADFILE;
    if (!s && !f->in_windows) s = tfp_input_check_size(in, err);
    if (!s && !f->takes_cut) s = tfp_input_check_whole(in, err);
    if (!s) s = may_add(p, f, err);
    if (s) return s;
    p->files->formats.at[p->files->formats.size - 1] = f->name;
    in->progress = p->files->progress;
    in->progress_ctx = p->files->progress_ctx;
    raise_limit(p, memory_beside(in), in->stored);
    s = f->read(&b, in, err);
    return s ? s : tfp_builder_status(&b, err);
}

const tfp_format *tfp_profiles_recognise_path(const char *path)
{
    for (size_t i = 0; tfp_formats[i]; i++)
        if (tfp_formats[i]->probe_path && tfp_formats[i]->probe_path(path)) return tfp_formats[i];
    return NULL;
}

static tfp_status check_add(tfp_profile *p, const char *format, const char *name, const tfp_format **f, tfp_error *err)
{
    tfp_error_clear(err);
    if (!p || !name) return tfp_fail(err, TFP_BADARG, "no profile, or no file's name");
    *f = tfp_format_find(format);
    if (format && !*f) return tfp_fail(err, TFP_BADARG, "no format '%s'", format);
    p->finished = false;
    char *copy = tfp_arena_copy(&p->arena, tfp_str_of(name));
    return copy && tfp_push(&p->files->sources, copy) && tfp_push(&p->files->formats, NULL) ? TFP_OK : tfp_nomem(err);
}

/* Adds a capture: each file is recognised by its content, and files of several kinds belong to one job. */
static tfp_status add_capture(tfp_profile *p, const char *path, tfp_error *err)
{
    tfp_buf paths = { 0 };
    tfp_status s = tfp_within_file(err, tfp_capture_list(path, &paths, err), path);
    for (size_t at = 0; at < paths.size && !s; at += strlen(paths.data + at) + 1)
        s = tfp_profile_add_file(p, NULL, paths.data + at, err);
    tfp_buf_free(&paths);
    return s;
}

/* Adds files that accompany traces: captures of graphs, in a folder of their own, and Inductor's kernel files. */
static tfp_status add_beside(tfp_profile *p, const char *path, tfp_error *err)
{
    char captures[TFP_PATH_ROOM], kernels[TFP_PATH_ROOM];
    tfp_status s = TFP_OK;
    if (tfp_path_join(captures, path, "capture_traces") && tfp_is_folder(captures))
        s = tfp_profile_add_file(p, tfp_format_capture.name, captures, err);
    if (!s && tfp_path_join(kernels, path, "kernel_information.json") && tfp_exists(kernels))
        s = tfp_profile_add_file(p, tfp_format_inductor.name, kernels, err);
    return s;
}

/* Adds the files of a folder one by one. Warnings and errors name the files, not the folder. */
static tfp_status add_folder(tfp_profile *p, const tfp_format *f, const char *path, tfp_error *err)
{
    tfp_buf paths = { 0 };
    tfp_builder b = { .p = p, .file = path };
    tfp_status s = tfp_within_file(err, f->list(path, &paths, err), path);
    for (size_t at = 0; at < paths.size && !s; at += strlen(paths.data + at) + 1)
        s = tfp_profile_add_file(p, f->name, paths.data + at, err);
    bool traces = !s && f == &tfp_format_kineto;
    size_t merged = 0, older = traces ? tfp_kineto_older(path, &paths, &merged) : 0;
    if (older)
        tfp_build_warn_many(&b, "older traces in the folder, not read (give their files, or see `tfprof help index`)",
                            TFP_STR(""), older);
    if (merged)
        tfp_build_warn_many(&b, "merged traces in the folder, not read: the files of their ranks are", TFP_STR(""),
                            merged);
    tfp_buf_free(&paths);
    return traces ? add_beside(p, path, err) : s;
}

enum { MOST = 64, MANY = 100 }; /* MOST files of a folder are examined; with more files it has many profiles, not one */

/* The files of a folder whose content is recognised: the path of the first, and names for people. */
typedef struct known_files {
    size_t count;
    char first[TFP_PATH_ROOM];
    char names[160];
    bool more;    /* there are more than `names` has room for */
    bool folders; /* the folder also has subfolders */
} known_files;

/* Whether the format is certain: a JSON object that may be a trace is not enough. */
static bool is_known(const char *path)
{
    enum { SURE = 50 };
    tfp_input in;
    tfp_str head;
    int sure = 0;
    if (!tfp_input_open(&in, path, NULL) && !tfp_input_peek(&in, TFP_PROFILES_HEAD, &head, NULL))
        surest(head, in.total, &sure);
    tfp_input_close(&in);
    return sure >= SURE;
}

/* Skips pipes, because reading them may block, and examines only the first files of a large folder. */
static void find_known(const char *path, const tfp_names *names, known_files *out)
{
    size_t used = 0, looked = 0;
    *out = (known_files){ 0 };
    for (size_t i = 0; i < names->size && looked < MOST; i++) {
        struct stat st;
        char file[TFP_PATH_ROOM];
        if (!tfp_path_join(file, path, names->at[i]) || stat(file, &st) != 0) continue;
        out->folders |= S_ISDIR(st.st_mode);
        if (!S_ISREG(st.st_mode)) continue;
        looked++;
        if (!is_known(file)) continue;
        if (out->count++ == 0) memcpy(out->first, file, sizeof file);
        size_t size = strlen(names->at[i]) + 2;
        out->more |= used + size >= sizeof out->names;
        if (out->more) continue;
        used += (size_t)snprintf(out->names + used, sizeof out->names - used, "%s%s", used ? ", " : "", names->at[i]);
    }
}

/* Refuses a folder that is not one profile; if it may contain many, the error names commands for such folders. */
static tfp_status refuse_folder(const char *path, const known_files *known, bool many, tfp_error *err)
{
    char all[2 * TFP_PATH_ROOM + 80] = "";
    if (many || (!known->count && known->folders))
        snprintf(all, sizeof all, "; for all traces below it: tfprof index %s -o OUT, tfprof serve %s", path, path);
    if (!known->count)
        return tfp_fail(err, TFP_BADFILE, "is a folder without a profile, trace, SavedModel or checkpoint%s", all);
    return tfp_fail(err, TFP_BADFILE,
                    "is a folder with several files that can be read: give one, or those that belong together (%s%s)%s",
                    known->names, known->more ? " ..." : "", all);
}

/* Adds the only readable file of a folder that no format knows as a whole, or reports why there is none. */
static tfp_status add_from_folder(tfp_profile *p, const char *path, tfp_error *err)
{
    tfp_names names = { 0 };
    known_files known;
    tfp_status s = TFP_OK;
    DIR *folder = opendir(path);
    if (!folder) return tfp_within_file(err, tfp_fail(err, TFP_BADFILE, "cannot open: %s", strerror(errno)), path);
    closedir(folder);
    if (!tfp_names_of(path, &names)) s = tfp_nomem(err);
    for (size_t i = names.size; i-- > 0 && !s;)
        if (tfp_name_ends(names.at[i], ".index"))
            s = tfp_fail(err, TFP_BADFILE,
                         "is a folder without the file `checkpoint`, which names the one to take: "
                         "give a checkpoint's prefix, such as %s/%.*s",
                         path, (int)(strlen(names.at[i]) - strlen(".index")), names.at[i]);
    if (!s) find_known(path, &names, &known);
    if (!s && known.count != 1) s = refuse_folder(path, &known, names.size > MANY, err);
    tfp_names_free(&names);
    return s ? tfp_within_file(err, s, path) : tfp_profile_add_file(p, NULL, known.first, err);
}

tfp_status tfp_profile_add_file(tfp_profile *p, const char *format, const char *path, tfp_error *err)
{
    const tfp_format *f = NULL;
    tfp_status s = check_add(p, format, path, &f, err);
    if (s) return s;
    if (!f && tfp_capture_is_folder(path)) return add_capture(p, path, err);
    if (!f) f = tfp_profiles_recognise_path(path);
    if (f && f->list && tfp_is_folder(path)) return add_folder(p, f, path, err);
    if (f && f->read_path && (!f->read || (f->probe_path && f->probe_path(path)))) {
        tfp_builder b = { .p = p, .file = path };
        p->files->formats.at[p->files->formats.size - 1] = f->name;
        if (p->arena.limit < MEMORY_FLOOR) p->arena.limit = MEMORY_FLOOR;
        s = may_add(p, f, err);
        if (!s) s = f->read_path(&b, path, err);
        return tfp_within_file(err, s ? s : tfp_builder_status(&b, err), path);
    }
    if (!f && tfp_is_folder(path)) return add_from_folder(p, path, err);
    tfp_input in;
    s = tfp_input_open(&in, path, err);
    if (!s) s = read_input(p, f, &in, err);
    tfp_input_close(&in);
    return tfp_within_file(err, s, path);
}

/* Like tfp_profile_add_file for a file in windows. */
tfp_status tfp_profiles_add_decoded(tfp_profile *p, const tfp_format *f, const tfp_input *in, void *decoded,
                                    tfp_error *err)
{
    const tfp_format *same;
    tfp_builder b = { .p = p, .file = in->name };
    tfp_status s = check_add(p, f->name, in->name, &same, err);
    if (s) return s;
    s = may_add(p, f, err);
    if (!s) {
        p->files->formats.at[p->files->formats.size - 1] = f->name;
        raise_limit(p, MEMORY_FLOOR, in->stored);
        s = f->ahead->add(&b, decoded, err);
    }
    return tfp_within_file(err, s ? s : tfp_builder_status(&b, err), in->name);
}

tfp_status tfp_profile_add_descriptor(tfp_profile *p, const char *format, const char *name, int fd, tfp_error *err)
{
    const tfp_format *f = NULL;
    tfp_status s = check_add(p, format, name, &f, err);
    if (s) return s;
    if (f && !f->read) return tfp_fail(err, TFP_BADARG, "%s: a %s is read by its path only", name, format);
    int own = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    if (own < 0) return tfp_fail(err, TFP_BADFILE, "%s: not an open descriptor", name);
    tfp_input in;
    s = tfp_input_descriptor(&in, name, own, err);
    if (!s) s = read_input(p, f, &in, err);
    tfp_input_close(&in);
    return tfp_within_file(err, s, name);
}

tfp_status tfp_profile_add_bytes(tfp_profile *p, const char *format, const char *name, const void *data, size_t size,
                                 tfp_error *err)
{
    const tfp_format *f = NULL;
    tfp_status s = check_add(p, format, name, &f, err);
    if (s) return s;
    if (size && !data) return tfp_fail(err, TFP_BADARG, "no data");
    if (f && !f->read) return tfp_fail(err, TFP_BADARG, "%s: a %s is read from files only", name, format);
    tfp_input in;
    s = tfp_input_memory(&in, name, data, size, err);
    if (!s) s = read_input(p, f, &in, err);
    tfp_input_close(&in);
    return tfp_within_file(err, s, name);
}

static const char *recognise_input(tfp_input *in, tfp_status s, const char *name, tfp_error *err)
{
    const tfp_format *f = NULL;
    tfp_str head = { "", 0 };
    if (!s) s = tfp_input_peek(in, TFP_PROFILES_HEAD, &head, err);
    if (!s) f = tfp_profiles_recognise(head, in->total, in->name, err);
    tfp_input_close(in);
    if (!f) tfp_within_file(err, s ? s : TFP_BADFILE, name);
    return f ? f->name : NULL;
}

const char *tfp_recognise_file(const char *path, tfp_error *err)
{
    tfp_error_clear(err);
    if (!path) return tfp_fail(err, TFP_BADARG, "no file's name"), NULL;
    const tfp_format *f = tfp_profiles_recognise_path(path);
    if (f) return f->name;
    tfp_input in;
    tfp_status s = tfp_input_open(&in, path, err);
    return recognise_input(&in, s, path, err);
}

const char *tfp_recognise_bytes(const char *name, const void *data, size_t size, tfp_error *err)
{
    tfp_error_clear(err);
    if (!name || (size && !data)) return tfp_fail(err, TFP_BADARG, "no name, or no data"), NULL;
    tfp_input in;
    tfp_status s = tfp_input_memory(&in, name, data, size, err);
    return recognise_input(&in, s, name, err);
}

const char *tfp_recognise_start(const char *name, const void *data, size_t size, uint64_t total, tfp_error *err)
{
    tfp_error_clear(err);
    if (!name || !data || size > total)
        return tfp_fail(err, TFP_BADARG, "no name, no data, or more than all of it"), NULL;
    tfp_input in;
    tfp_str head;
    const tfp_format *f = NULL;
    tfp_status s = tfp_input_start(&in, name, (tfp_str){ data, size }, TFP_PROFILES_HEAD, total, err);
    if (!s) {
        head = (tfp_str){ in.buffer, in.filled };
        f = tfp_profiles_recognise(head, in.total, name, err);
    }
    tfp_input_close(&in);
    if (!f) tfp_within_file(err, s ? s : TFP_BADFILE, name);
    return f ? f->name : NULL;
}

/* Problems that are found only after all files were added are reported for the first of them: the graph or the whole
 * profile. */
tfp_status tfp_profile_finish(tfp_profile *p, tfp_error *err)
{
    tfp_error_clear(err);
    if (!p) return tfp_fail(err, TFP_BADARG, "no profile");
    tfp_builder b = { .p = p, .file = tfp_first_source(p) };
    tfp_checkpoint_finish(&b);
    for (size_t i = 0; i < p->files->formats.size; i++) {
        const tfp_format *f = tfp_format_find(p->files->formats.at[i]);
        p->files->from |= f ? f->from : 0;
    }
    tfp_status s = tfp_build_finish(&b, err);
    if (!s) s = tfp_parameters_mark(&b, err);
    bool counted = s || p->reopened || (tfp_aten_count_execs(p) && tfp_aten_count_recorded(p));
    if (!counted) s = tfp_nomem(err);
    if (s) p->finished = false;
    return s == TFP_LIMIT && b.file ? tfp_within_file(err, s, b.file) : s;
}
