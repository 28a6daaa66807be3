// SPDX-License-Identifier: Apache-2.0
/* live/run/cuda_run.c: `run --cuda`: before the command the library and the variables that make CUDA load it, after the command the
 * traces. */
#include "base/place.h"
#include "live/run/cuda_read.h"
#include "wire/json.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NOTES_MOST = 10, WHY_MOST = 1000, NAME_ROOM = 64 };

/* ---- before ---- */

static const char raw[] = ".cuda"; /* the folder below the results to which processes write */

#ifdef TFP_STATIC
tfp_status tfp_cuda_begin(const tfp_run *r, const tfp_live_settings *w, tfp_error *err)
{
    (void)r;
    (void)w;
    return tfp_fail(err, TFP_BADARG,
                    "--cuda: the static program has no library for CUDA to load: use that of the Python package");
}
#else
static const char library[] = "libtfprof_cuda.so";

tfp_status tfp_cuda_begin(const tfp_run *r, const tfp_live_settings *w, tfp_error *err)
{
    char folder[4200], path[4300], most[32], bounds[80];
    const char *other = getenv(TFP_CUDA_INJECTION);
    if (other && *other)
        return tfp_fail(err, TFP_BADARG,
                        "--cuda: " TFP_CUDA_INJECTION " is set already, to '%s': CUDA loads one library", other);
    snprintf(folder, sizeof folder, "%s/%s", r->results.path, raw);
    snprintf(path, sizeof path, "%s/%s", folder, library);
    tfp_str bytes = { (const char *)tfp_cuda_library, tfp_cuda_library_size };
    tfp_status s = tfp_results_write(&r->results, raw, library, bytes, err);
    snprintf(most, sizeof most, "%lld", (long long)w->max_bytes);
    long long every_ms = tfp_cuda_has_windows(w) ? strtoll(w->every, NULL, 10) * 1000 : 0;
    snprintf(bounds, sizeof bounds, "%lld %lld %lld", (long long)w->ms, every_ms, (long long)w->max_rate);
    if (!s && (setenv(TFP_CUDA_INJECTION, path, 1) || setenv(TFP_CUDA_FOLDER, folder, 1) ||
               setenv(TFP_CUDA_MOST, most, 1) || setenv(TFP_CUDA_BOUNDS, bounds, 1)))
        s = tfp_nomem(err);
    return s;
}
#endif

/* ---- after ---- */

typedef struct ending {
    const tfp_run *run;
    int folder; /* descriptor of the folder `raw` */
    tfp_buf *rows, *notes;
    tfp_demangle_fn *demangle;
    size_t traces, told;
} ending;

typedef struct trace {
    char base[NAME_ROOM]; /* PID-N */
    char file[128];       /* the trace, below the results; "" when there is none */
    char why[WHY_MOST];   /* lines that the process wrote about errors, joined; "": none */
    tfp_cuda_facts facts;
    int64_t bytes;
} trace;

static void note(ending *e, const trace *t, const char *text)
{
    if (e->told++ >= NOTES_MOST) return;
    tfp_buf_printf(e->notes, "process %.*s: %s\n", (int)strcspn(t->base, "-"), t->base, text);
}

static void read_why(const ending *e, trace *t)
{
    char name[NAME_ROOM + 8];
    tfp_buf text = { 0 };
    snprintf(name, sizeof name, "%s.why", t->base);
    if (tfp_folder_read(e->folder, name, WHY_MOST * 4, &text) && text.size) {
        tfp_str all = { text.data, text.size };
        while (all.size && all.data[all.size - 1] == '\n') all.size--;
        tfp_text_give(all, t->why, sizeof t->why);
        for (char *c = t->why; *c; c++)
            if (*c == '\n') *c = ';';
    }
    tfp_buf_free(&text);
}

/* The process number of the job's first process; 0: the head has none. */
static int64_t job_of(const tfp_cuda_head *h)
{
    size_t digits = strspn(h->job, "0123456789");
    int64_t pid = 0;
    if (!digits || h->job[digits] != '@' || !h->job[digits + 1] ||
        h->job[digits + 1 + strspn(h->job + digits + 1, "0123456789")] ||
        !tfp_parse_int64((tfp_str){ h->job, digits }, &pid))
        return 0;
    return pid;
}

static tfp_status convert(ending *e, trace *t, tfp_input *in, const char *to, tfp_error *err)
{
    char path[4400];
    tfp_outfile file;
    tfp_sink sink;
    snprintf(path, sizeof path, "%s/%s/%s", e->run->results.path, raw, to);
    tfp_status s = tfp_outfile_below(&file, e->folder, to, path, err);
    if (s) return s;
    tfp_sink_start(&sink, tfp_outfile_write, &file);
    s = tfp_cuda_convert(in, e->demangle, &sink, &t->facts, err);
    tfp_status ended = tfp_sink_end(&sink, s ? NULL : err);
    if (!s) s = ended;
    if (s || !(t->facts.activities + t->facts.calls)) {
        tfp_outfile_abandon(&file);
        return s;
    }
    struct stat st;
    if (fstat(file.fd, &st) == 0) t->bytes = st.st_size;
    return tfp_outfile_finish(&file, err);
}

/* Writes the trace beside the raw file, then moves it to the job's folder, which the head names. */
static tfp_status make_trace(ending *e, trace *t, tfp_error *err)
{
    char from[NAME_ROOM + 8], to[NAME_ROOM + 8], job_name[24];
    tfp_input in = { 0 };
    snprintf(from, sizeof from, "%s.cuda", t->base);
    snprintf(to, sizeof to, "%s.json", t->base);
    int fd = openat(e->folder, from, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) return errno == ENOENT ? TFP_OK : tfp_fail(err, TFP_BADFILE, "%s: %s", from, strerror(errno));
    tfp_status s = tfp_input_descriptor(&in, from, fd, err);
    if (!s) s = convert(e, t, &in, to, err);
    tfp_input_close(&in);
    if (s || !(t->facts.activities + t->facts.calls)) return s;
    int64_t job = job_of(&t->facts.head);
    if (!job) return tfp_fail(err, TFP_BADFILE, "the recording does not say which job it is of");
    const char *number = strchr(t->base, '-');
    int pid = (int)strcspn(t->base, "-");
    snprintf(t->file, sizeof t->file, "%lld/%.*s%s.cuda.json", (long long)job, pid, t->base,
             number && strcmp(number, "-0") != 0 ? number : "");
    snprintf(job_name, sizeof job_name, "%lld", (long long)job);
    int folder = tfp_folder_below(e->run->results.folder, job_name);
    if (folder < 0 || renameat(e->folder, to, folder, strchr(t->file, '/') + 1)) {
        s = tfp_fail(err, TFP_BADOUTPUT, "%s/%s: %s", e->run->results.path, t->file, strerror(errno));
        *t->file = '\0';
    }
    if (folder >= 0) close(folder);
    return s;
}

static void put_text(tfp_json *j, const char *key, const char *value)
{
    tfp_json_key(j, key);
    if (value && *value)
        tfp_json_str(j, tfp_str_of(value));
    else
        tfp_json_null(j);
}

static void put_int(tfp_json *j, const char *key, bool known, int64_t n)
{
    tfp_json_key(j, key);
    if (known)
        tfp_json_int(j, n);
    else
        tfp_json_null(j);
}

static void put_row(ending *e, const trace *t)
{
    const tfp_cuda_facts *f = &t->facts;
    char pid[NAME_ROOM];
    bool made = *t->file;
    snprintf(pid, sizeof pid, "%.*s", (int)strcspn(t->base, "-"), t->base);
    if (e->rows->size) tfp_buf_char(e->rows, ',');
    tfp_json j = tfp_json_start(e->rows);
    tfp_json_open(&j, '{');
    put_text(&j, "target", pid);
    put_text(&j, "job", f->head.job);
    put_int(&j, "pid", true, strtoll(pid, NULL, 10));
    put_text(&j, "framework", "cuda");
    put_text(&j, "via", "cupti");
    put_text(&j, "status", !made ? "failed" : *t->why || f->cut || f->lost ? "partial" : "ok");
    put_text(&j, "code", strstr(t->why, "--max-") ? "too-big" : *t->why || f->cut || f->lost ? "cupti" : NULL);
    put_text(&j, "message", t->why);
    put_text(&j, "kind", made ? "kineto" : NULL);
    put_text(&j, "file", t->file);
    put_int(&j, "bytes", made, t->bytes);
    put_int(&j, "started_unix_micros", made, f->first_ns / 1000);
    put_int(&j, "window_micros", made, (f->last_ns - f->first_ns) / 1000);
    put_int(&j, "stopped_micros", true, 0);
    put_int(&j, "waited_micros", true, 0);
    put_int(&j, "stalled_micros", false, 0);
    if (f->head.start_ticks) put_int(&j, "start_ticks", true, (int64_t)f->head.start_ticks);
    if (made && f->head.rank >= 0) put_int(&j, "rank", true, f->head.rank);
    tfp_json_close(&j, '}');
}

static void tell(ending *e, const trace *t, bool failed)
{
    char text[200];
    const tfp_cuda_facts *f = &t->facts;
    if (*t->why) note(e, t, t->why);
    if (f->lost) {
        snprintf(text, sizeof text, "CUPTI had no room for %lld activities or calls: they are missing",
                 (long long)f->lost);
        note(e, t, text);
    }
    if (f->untimed) {
        snprintf(text, sizeof text, "%lld activities or calls had no time and are left out", (long long)f->untimed);
        note(e, t, text);
    }
    if (f->cut) note(e, t, "the recording ends within a record: what is before it counts");
    if (!*t->file && !*t->why && !failed)
        note(e, t, "it loaded CUDA, and nothing of it was recorded: nothing ran, or it was killed within a second");
}

/* Converts the recording of one process. A recording that cannot be read becomes a note; only a full disk or memory is
 * an error. */
static tfp_status end_one(ending *e, const char *base, tfp_error *err)
{
    trace t = { .base = "" };
    snprintf(t.base, sizeof t.base, "%s", base);
    read_why(e, &t);
    tfp_status s = make_trace(e, &t, err);
    if (s == TFP_BADFILE) {
        note(e, &t, tfp_error_message(err));
        tfp_error_clear(err);
    }
    tell(e, &t, s != TFP_OK);
    if (*t.file) e->traces++;
    if (*t.file || *t.why) put_row(e, &t);
    return s == TFP_BADFILE ? TFP_OK : s;
}

/* Parses the file name PID-N of this folder, with this ending. */
static bool is_base(const char *name, const char *end, char out[NAME_ROOM])
{
    size_t pid = strspn(name, "0123456789");
    size_t n = pid && name[pid] == '-' ? strspn(name + pid + 1, "0123456789") : 0;
    if (!n || pid + 1 + n >= NAME_ROOM || strcmp(name + pid + 1 + n, end) != 0) return false;
    snprintf(out, NAME_ROOM, "%.*s", (int)(pid + 1 + n), name);
    return true;
}

typedef struct base_name {
    char text[NAME_ROOM];
} base_name;
typedef TFP_VEC(base_name) base_names;

static int by_number(const void *a, const void *b)
{
    return strverscmp(((const base_name *)a)->text, ((const base_name *)b)->text);
}

/* Lists each process once, by its recording or by the file that says why there is none. */
static bool list_all(const ending *e, base_names *all)
{
    char name[NAME_ROOM + 8];
    base_name base = { .text = "" };
    DIR *d = tfp_folder_list(e->folder);
    bool ok = true;
    for (struct dirent *x; ok && d && (x = readdir(d));) {
        bool recorded = is_base(x->d_name, ".cuda", base.text);
        if (!recorded && !is_base(x->d_name, ".why", base.text)) continue;
        snprintf(name, sizeof name, "%s.cuda", base.text);
        if (recorded || faccessat(e->folder, name, F_OK, 0)) ok = tfp_push(all, base);
    }
    if (d) closedir(d);
    if (all->size) qsort(all->at, all->size, sizeof *all->at, by_number);
    return ok;
}

static tfp_status end_all(ending *e, tfp_error *err)
{
    base_names all = { 0 };
    tfp_status s = list_all(e, &all) ? TFP_OK : tfp_nomem(err);
    for (size_t i = 0; i < all.size && !s; i++) s = end_one(e, all.at[i].text, err);
    tfp_vec_free(&all);
    tfp_folder_clear(e->folder);
    unlinkat(e->run->results.folder, raw, AT_REMOVEDIR);
    return s;
}

tfp_status tfp_cuda_end(const tfp_run *r, tfp_buf *rows, tfp_buf *notes, tfp_error *err)
{
    ending e = { .run = r, .rows = rows, .notes = notes };
    void *cxx = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL), *at = cxx ? dlsym(cxx, "__cxa_demangle") : NULL;
    memcpy(&e.demangle, &at, sizeof at);
    e.folder = tfp_folder_below(r->results.folder, raw);
    tfp_status s = e.folder >= 0 ? end_all(&e, err)
                                 : tfp_fail(err, TFP_BADOUTPUT, "%s/%s: %s", r->results.path, raw, strerror(errno));
    if (e.folder >= 0) close(e.folder);
    if (cxx) dlclose(cxx);
    if (e.told > NOTES_MOST) tfp_buf_printf(notes, "%zu more notes of processes: manifest.json\n", e.told - NOTES_MOST);
    if (e.traces)
        tfp_buf_printf(notes, "CUDA of %zu process%s in %s; to look at it: tfprof kernel %s/JOB\n", e.traces,
                       e.traces == 1 ? "" : "es", r->results.path, r->results.path);
    else if (!e.told)
        tfp_buf_text(notes, "no process used CUDA: nothing loaded the library that CUDA_INJECTION64_PATH names\n");
    return s ? s : notes->failed || rows->failed ? tfp_nomem(err) : TFP_OK;
}
