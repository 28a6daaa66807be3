// SPDX-License-Identifier: Apache-2.0
/* tests/faults/scenario_run.c: runs one scenario from beginning to end, and records everything that can be observed. */
#include "scenarios.h"

#include "outputs/data/arrow.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int take(void *ctx, const void *data, size_t size)
{
    bytes *b = ctx;
    faults_end(); /* the test's own allocations never fail */
    if (b->capacity - b->size < size) {
        b->capacity = b->capacity * 2 + size;
        b->data = realloc(b->data, b->capacity);
        if (!b->data) exit(2);
    }
    if (size) memcpy(b->data + b->size, data, size);
    b->size += size;
    faults_begin();
    return 0;
}

static void take_text(bytes *b, const char *text)
{
    take(b, text, strlen(text));
    take(b, "\n", 1);
}

static void empty_folder(const char *folder)
{
    DIR *d = opendir(folder);
    for (struct dirent *e; d && (e = readdir(d));) {
        if (e->d_name[0] != '.' || strlen(e->d_name) > 2) unlinkat(dirfd(d), e->d_name, 0);
    }
    if (d) closedir(d);
}

static void read_into(bytes *b, const char *path)
{
    FILE *f = fopen(path, "rb");
    char piece[4096];
    for (size_t n; f && (n = fread(piece, 1, sizeof piece, f)) > 0;) {
        take(b, piece, n);
        faults_end();
    }
    if (f) fclose(f);
}

static void read_folder(const char *folder, outcome *out)
{
    struct dirent **names;
    int count = scandir(folder, &names, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        const char *name = names[i]->d_name;
        if (strcmp(name, ".") != 0 && strcmp(name, "..") != 0 && out->file_count < FILE_MOST) {
            char path[4096];
            written_file *f = &out->files[out->file_count++];
            snprintf(f->name, sizeof f->name, "%.60s", name);
            snprintf(path, sizeof path, "%s/%s", folder, name);
            read_into(&f->content, path);
        }
        free(names[i]);
    }
    if (count >= 0) free(names);
}

static tfp_status set_items(tfp_options *o, const char *name, const char *joined, tfp_error *err)
{
    char copy[256];
    const char *items[8];
    size_t count = 0;
    snprintf(copy, sizeof copy, "%s", joined);
    for (char *item = copy, *bar; item && count < 8; item = bar) {
        bar = strchr(item, '|');
        if (bar) *bar++ = '\0';
        items[count++] = item;
    }
    return tfp_options_set_list(o, name, items, count, err);
}

static tfp_status set_options(tfp_options *o, const scenario *s, const char *folder, tfp_error *err)
{
    tfp_status st = TFP_OK;
    for (const char *const *at = s->options; at && at[0] && !st; at += 2) {
        char value[4096];
        const char *mark = strchr(at[1], '@');
        if (mark)
            snprintf(value, sizeof value, "%.*s%s%s", (int)(mark - at[1]), at[1], folder, mark + 1);
        else
            snprintf(value, sizeof value, "%s", at[1]);
        st = tfp_options_set(o, at[0], value, err);
    }
    for (const char *const *at = s->lists; at && at[0] && !st; at += 2) st = set_items(o, at[0], at[1], err);
    if (!st && s->sql && strchr(s->sql, '?')) st = tfp_options_bind_text(o, "1", "a%", 2, err);
    if (st || !s->message) return st;
    st = tfp_options_read_proto(o, s->view, s->message, s->message_size, err);
    if (st == TFP_BADFILE) exit(2);        /* the message itself is wrong */
    return st == TFP_BADARG ? TFP_OK : st; /* the other options are in effect, otherwise the report shows it */
}

/* Functions that create an object have no error to fill. */
static tfp_status no_object(outcome *out)
{
    strcpy(out->message, "no object");
    return TFP_NOMEM;
}

static void take_column(bytes *b, const struct ArrowSchema *type, const struct ArrowArray *a)
{
    size_t rows = (size_t)a->length;
    take_text(b, type->name);
    if (a->buffers[0]) take(b, a->buffers[0], (rows + 7) / 8);
    if (*type->format == 'u') {
        take(b, a->buffers[1], (rows + 1) * sizeof(int32_t));
        take(b, a->buffers[2], (size_t)((const int32_t *)a->buffers[1])[rows]);
    } else {
        take(b, a->buffers[1], *type->format != 'b' ? rows * sizeof(int64_t) : (rows + 7) / 8);
    }
}

/* A consumer of the stream, with batches of a few rows. */
static tfp_status take_stream(const tfp_report *r, outcome *out, tfp_error *err)
{
    struct ArrowArrayStream stream;
    struct ArrowSchema schema;
    tfp_status st = tfp_arrow_export(r, 5, 200, &stream, err);
    if (st) return st;
    if (stream.get_schema(&stream, &schema)) {
        snprintf(out->message, sizeof out->message, "%s", stream.get_last_error(&stream));
        tfp_arrow_release(&stream);
        return TFP_NOMEM;
    }
    for (struct ArrowArray batch; !stream.get_next(&stream, &batch) && batch.release; batch.release(&batch))
        for (int64_t i = 0; i < batch.n_children; i++) take_column(&out->out, schema.children[i], batch.children[i]);
    schema.release(&schema);
    tfp_arrow_release(&stream);
    return TFP_OK;
}

static tfp_status take_cells(const tfp_report *r, outcome *out)
{
    size_t rows = tfp_report_row_count(r) + tfp_report_finding_count(r, NULL);
    for (size_t row = 0; row < rows; row++) {
        const char *column;
        for (size_t i = 0; (column = tfp_report_column(r, i)); i++) {
            char text[100];
            int64_t n;
            double x;
            if (tfp_report_int(r, row, column, &n)) take(&out->out, &n, sizeof n);
            if (tfp_report_real(r, row, column, &x)) take(&out->out, &x, sizeof x);
            if (tfp_report_string(r, row, column, text, sizeof text) == SIZE_MAX) return no_object(out);
            take_text(&out->out, text);
        }
    }
    return TFP_OK;
}

static tfp_status put_stats(const scenario *s, const tfp_profile *p, const tfp_options *o, tfp_report **r, outcome *out,
                            tfp_error *err)
{
    tfp_status st = tfp_stats(p, NULL, o, r, err);
    return st || s->output || s->table ? st : tfp_report_put(*r, take, &out->out, err);
}

static tfp_status put_sides(const scenario *s, const tfp_profile *p, tfp_sides *sides, tfp_error *err)
{
    static const char a[] = "node name | requested bytes | # parameters\n_TFProfRoot (--/5MB, --/3 params)\n"
                            "  a/b (1MB/5MB, 2x3, 3/3 params)\n",
                      b[] = "node name | requested bytes | # parameters\n_TFProfRoot (--/7MB, --/3 params)\n";
    if (s->texts) {
        tfp_status st = tfp_sides_add_text_bytes(sides, "a", "A", a, sizeof a - 1, err);
        return st ? st : tfp_sides_add_text_bytes(sides, NULL, "B", b, sizeof b - 1, err);
    }
    tfp_status st = tfp_sides_add(sides, NULL, NULL, p, 0, err);
    if (!st) st = tfp_sides_add(sides, NULL, "label", p, -1, err);
    return st ? st : tfp_sides_add(sides, NULL, NULL, p, -1, err);
}

static tfp_status compare(const scenario *s, const tfp_profile *p, const tfp_options *o, tfp_report **r, outcome *out,
                          tfp_error *err)
{
    tfp_sides *sides = tfp_sides_new();
    tfp_status st = sides ? put_sides(s, p, sides, err) : no_object(out);
    if (!st) st = tfp_diff(sides, NULL, o, r, err);
    tfp_sides_free(sides);
    for (size_t i = 0; !st && tfp_report_over(*r, i); i++) take_text(&out->out, tfp_report_over(*r, i));
    return st;
}

static tfp_status ask(const scenario *s, const tfp_profile *p, const tfp_options *o, tfp_report **r, tfp_error *err)
{
    const tfp_profile *both[] = { p, p };
    static const char *const names[] = { NULL, "again" };
    return tfp_query(both, names, 2, s->sql, o, r, err);
}

static tfp_status show(const scenario *s, tfp_profile *p, const char *folder, outcome *out, tfp_error *err)
{
    tfp_report *r = NULL;
    tfp_options *o = tfp_options_new();
    tfp_status st = o ? set_options(o, s, folder, err) : no_object(out);
    if (!st && strcmp(s->view, "stats") == 0)
        st = put_stats(s, p, o, &r, out, err);
    else if (!st && strcmp(s->view, "diff") == 0)
        st = compare(s, p, o, &r, out, err);
    else if (!st && s->sql)
        st = ask(s, p, o, &r, err);
    else if (!st && (s->output || s->table))
        st = tfp_report_build(p, s->view, o, &r, err);
    if (!st && s->output) st = tfp_report_write(r, s->output, take, &out->out, err);
    if (!st && s->table) st = take_stream(r, out, err);
    if (!st && s->table) st = take_cells(r, out);
    if (!st && !r) st = tfp_show(p, s->view, o, take, &out->out, &r, err);
    for (size_t i = 0; !st && tfp_report_note(r, i); i++) take_text(&out->out, tfp_report_note(r, i));
    tfp_report_free(r);
    tfp_options_free(o);
    return st;
}

static tfp_status live(const scenario *s, const char *sample, const char *folder, outcome *out, tfp_error *err)
{
    char path[4096];
    unsigned keep = s->threads ? 0 : s->write_profile ? TFP_KEEP_ALL : TFP_KEEP_MEMORY | TFP_KEEP_PROGRAM;
    tfp_profile *p = tfp_profile_new();
    tfp_status st = p ? tfp_profile_keep(p, keep) : no_object(out);
    for (size_t i = 0; !st && s->files[i]; i++) {
        snprintf(path, sizeof path, "%s/%s", sample, s->files[i]);
        st = tfp_profile_add_file(p, s->formats[i], path, err);
        if (!st && s->grow) st = tfp_profile_finish(p, err);
        if (!st && s->grow) st = show(s, p, folder, out, err);
    }
    if (!st) st = tfp_profile_finish(p, err);
    for (size_t i = 0; !st && tfp_profile_warning(p, i); i++) take_text(&out->out, tfp_profile_warning(p, i));
    if (!st && s->view) st = show(s, p, folder, out, err);
    if (!st && s->write_profile) {
        snprintf(path, sizeof path, "%s/old", folder);
        st = tfp_profile_write_file(p, path, err);
    }
    tfp_profile_free(p);
    return st;
}

void scenario_run(const scenario *s, const char *sample, const char *folder, outcome *out)
{
    memset(out, 0, sizeof *out);
    char path[4096];
    empty_folder(folder);
    setenv("TFPROF_THREADS", s->threads ? s->threads : "1", 1);
    snprintf(path, sizeof path, "%s/old", folder);
    FILE *f = fopen(path, "w");
    if (!f || fputs("old", f) < 0 || fclose(f) != 0) exit(2);
    faults_begin();
    tfp_error *err = tfp_error_new();
    out->status = live(s, sample, folder, out, err);
    if (!*out->message) snprintf(out->message, sizeof out->message, "%s", tfp_error_message(err));
    tfp_error_free(err);
    faults_end();
    read_folder(folder, out);
    faults_end();
}

static bool same_bytes(const bytes *a, const bytes *b)
{
    return a->size == b->size && (a->size == 0 || memcmp(a->data, b->data, a->size) == 0);
}

bool outcome_same(const outcome *a, const outcome *b)
{
    if (a->status != b->status || !same_bytes(&a->out, &b->out) || a->file_count != b->file_count) return false;
    for (size_t i = 0; i < a->file_count; i++) {
        if (strcmp(a->files[i].name, b->files[i].name) != 0) return false;
        if (!same_bytes(&a->files[i].content, &b->files[i].content)) return false;
    }
    return true;
}

void outcome_free(outcome *o)
{
    free(o->out.data);
    for (size_t i = 0; i < o->file_count; i++) free(o->files[i].content.data);
}

bool session_begin(int argc, char **argv, session *out)
{
    *out = (session){ .every = 1, .folder = "/tmp/tfprof_faults_XXXXXX" };
    for (int option; (option = getopt(argc, argv, "ve:")) != -1;) {
        out->verbose |= option == 'v';
        if (option == 'e') out->every = strtoul(optarg, NULL, 10);
        if (option == '?' || out->every == 0) return false;
    }
    out->word = optind < argc ? argv[optind] : "";
    return mkdtemp(out->folder) != NULL;
}

bool session_end(const session *s)
{
    char command[sizeof s->folder + 8];
    snprintf(command, sizeof command, "rm -rf %s", s->folder);
    return system(command) == 0;
}
