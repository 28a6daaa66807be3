// SPDX-License-Identifier: Apache-2.0
/* tests/unit/support.c: helpers of the unit tests. */
#include "model/tables/details.h"
#include "model/tables/profile.h"

#include "formats/graph/tfdevice.h"
#include "model/tables/graph.h"
#include "model/tables/runs.h"
#include "support.h"

#include <ftw.h>
#include <errno.h>
#include <fcntl.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

/* tfp_report_value is deprecated, and stays. */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

/* ---- profiles and reports from text ---- */

static tfp_str next_word(const char **at, char end)
{
    while (**at == ' ') (*at)++;
    const char *start = *at;
    while (**at && **at != ' ' && **at != end) (*at)++;
    return (tfp_str){ start, (size_t)(*at - start) };
}

typedef struct made_node {
    uint32_t row;
    int64_t step;
    uint32_t exec;
} made_node;

static uint32_t made_exec(tfp_builder *b, made_node *n)
{
    if (n->exec == TFP_NONE) n->exec = tfp_build_exec(b, n->row, tfp_build_step(b, n->step, true));
    return n->exec;
}

uint32_t lane_named(tfp_builder *b, const char *name)
{
    return tfp_tf_lane(b, tfp_str_of(name), tfp_tf_device_of(tfp_str_of(name)).kind);
}

void runs_on(tfp_builder *b, uint32_t node, const char *device)
{
    tfp_strid id = tfp_build_string(b, tfp_str_of(device));
    tfp_build_node_device(b, node, id, tfp_tf_device_of(tfp_str_of(device)).on);
}

static void made_run(tfp_builder *b, made_node *n, int64_t us)
{
    static const char device[] = "/job:localhost/replica:0/task:0/device:cpu:0";
    uint32_t exec = made_exec(b, n);
    tfp_build_span(b, exec, lane_named(b, device), 1000000, us * 1000);
    runs_on(b, n->row, device);
    tfp_build_type(b, n->row, tfp_build_string(b, TFP_STR(device)));
    b->p->runs->execs.at[exec].run_count++;
}

static void made_shape(tfp_builder *b, made_node *n, const char *word)
{
    int64_t dims[8];
    size_t count = 0;
    for (char *end; count < 8; word = end + 1) {
        dims[count++] = strtoll(word, &end, 10);
        if (*end != 'x') break;
    }
    tfp_build_row(b, n->row)->shape = tfp_build_shape(b, dims, count, false);
}

static void made_word(tfp_builder *b, made_node *n, tfp_str word)
{
    char text[256];
    assert_true(word.size < sizeof text);
    memcpy(text, word.data, word.size);
    text[word.size] = '\0';
    char *unit;
    int64_t number = strtoll(text, &unit, 10);
    if (text[0] == '<') {
        tfp_str source = { word.data + 1, word.size - 1 };
        tfp_build_input(b, n->row, 0, tfp_build_string(b, source), 0);
    } else if (text[0] == '+') {
        tfp_build_type(b, n->row, tfp_build_string(b, (tfp_str){ word.data + 1, word.size - 1 }));
    } else if (text[0] == '@') {
        n->step = strtoll(text + 1, NULL, 10);
        n->exec = TFP_NONE;
    } else if (strcmp(unit, "us") == 0) {
        made_run(b, n, number);
    } else if (strcmp(unit, "B") == 0) {
        tfp_memory m = { .requested_bytes = number };
        tfp_build_memory(b, made_exec(b, n), &m);
    } else if (strcmp(unit, "f") == 0) {
        tfp_build_row(b, n->row)->float_ops = number;
    } else {
        made_shape(b, n, text);
    }
}

tfp_profile *profile_of(const char *lines)
{
    tfp_profile *p = tfp_profile_new();
    assert_non_null(p);
    tfp_error *err = tfp_error_new();
    /* An empty graph comes first, so that the profile has an input. */
    assert_int_equal(tfp_profile_add_bytes(p, "graph", "test", "\x22\x00", 2, err), TFP_OK);
    tfp_builder b = { .p = p, .file = "test" };
    for (const char *at = lines; *at; at += *at == '\n') {
        tfp_str name = next_word(&at, '\n'), op = next_word(&at, '\n');
        if (name.size == 0) continue;
        made_node n = { .row = tfp_build_node(&b, name, op, true), .exec = TFP_NONE };
        for (tfp_str word; (word = next_word(&at, '\n')).size;) made_word(&b, &n, word);
    }
    assert_int_equal(tfp_builder_status(&b, err), TFP_OK);
    assert_int_equal(tfp_profile_finish(p, err), TFP_OK);
    tfp_error_free(err);
    return p;
}

static tfp_options *options_of(const char *words, tfp_error *err)
{
    tfp_options *o = tfp_options_new();
    assert_non_null(o);
    for (const char *at = words ? words : ""; *at;) {
        tfp_str name = next_word(&at, '\n'), value = next_word(&at, '\n');
        char n[64], v[256];
        snprintf(n, sizeof n, "%.*s", (int)name.size, name.data);
        snprintf(v, sizeof v, "%.*s", (int)value.size, value.data);
        if (name.size && tfp_options_set(o, n, v, err)) fail_msg("option: %s", tfp_error_message(err));
    }
    return o;
}

tfp_report *report_of(const char *view, const char *lines, const char *options)
{
    tfp_error *err = tfp_error_new();
    tfp_options *o = options_of(options, err);
    tfp_report *r = NULL;
    if (tfp_report_build(profile_of(lines), view, o, &r, err)) fail_msg("report: %s", tfp_error_message(err));
    tfp_options_free(o);
    tfp_error_free(err);
    return r;
}

void drop_report(tfp_report *r)
{
    /* report_of made this profile for this report alone, so it is freed here. */
    tfp_profile *p = (tfp_profile *)(uintptr_t)r->profile;
    tfp_report_free(r);
    tfp_profile_free(p);
}

static size_t find_row(const tfp_report *r, const char *name)
{
    for (size_t i = 0; i < tfp_report_row_count(r); i++) {
        if (strcmp(tfp_report_row_name(r, i), name) == 0) return i;
    }
    return SIZE_MAX;
}

static int64_t value(const tfp_report *r, const char *row, const char *column, int all)
{
    size_t i = find_row(r, row);
    if (i == SIZE_MAX) fail_msg("no row %s", row);
    return tfp_report_value(r, i, column, all);
}

int64_t own(const tfp_report *r, const char *row, const char *column) { return value(r, row, column, 0); }
int64_t total(const tfp_report *r, const char *row, const char *column) { return value(r, row, column, 1); }
bool has_row(const tfp_report *r, const char *row) { return find_row(r, row) != SIZE_MAX; }

char *rows_of(const tfp_report *r)
{
    tfp_buf b = { 0 };
    for (size_t i = 0; i < tfp_report_row_count(r); i++) {
        if (i) tfp_buf_char(&b, ' ');
        tfp_buf_text(&b, tfp_report_row_name(r, i));
    }
    tfp_buf_char(&b, '\0');
    return b.data;
}

int collect(void *ctx, const void *data, size_t size)
{
    tfp_buf *b = ctx;
    tfp_buf_add(b, data, size);
    return b->failed;
}

char *written(const tfp_report *r, const char *output)
{
    tfp_buf b = { 0 };
    tfp_error *err = tfp_error_new();
    if (tfp_report_write(r, output, collect, &b, err)) fail_msg("write: %s", tfp_error_message(err));
    tfp_error_free(err);
    tfp_buf_char(&b, '\0');
    return b.data;
}

/* ---- files ---- */

char *new_folder(void)
{
    char *folder = strdup("/tmp/tfprof_unit_XXXXXX");
    assert_non_null(mkdtemp(folder));
    return folder;
}

static int drop_one(const char *path, const struct stat *st, int kind, struct FTW *where)
{
    (void)st, (void)kind, (void)where;
    return remove(path);
}

void drop_folder(char *folder)
{
    assert_int_equal(nftw(folder, drop_one, 16, FTW_DEPTH | FTW_PHYS), 0);
    free(folder);
}

char *file_in(const char *folder, const char *name, const void *data, size_t size)
{
    char *path = NULL;
    assert_true(asprintf(&path, "%s/%s", folder, name) > 0);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, data, size), size);
    close(fd);
    return path;
}

/* ---- time ---- */

static double seconds_of(void (*work)(void *ctx, size_t size), void *ctx, size_t size)
{
    struct timespec before, after;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
    work(ctx, size);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after);
    return (double)(after.tv_sec - before.tv_sec) + (double)(after.tv_nsec - before.tv_nsec) / 1e9;
}

/* Compares the least times of several attempts: on a busy machine a single one may take three times as long, because other
 * programs share caches and the kernel's work on new pages counts as ours. The larger size does not fit into caches that hold the
 * smaller one, which alone makes it up to 33 times slower; work that grows with the square takes 100 times as long. */
void assert_linear(void (*work)(void *ctx, size_t size), void *ctx, size_t size)
{
    enum { ATTEMPTS = 8, TIMES = 10, MOST = 50 };
    double small = 0, big = 0;
    for (int i = 0; i < ATTEMPTS; i++) {
        double a = seconds_of(work, ctx, size), b = seconds_of(work, ctx, size * TIMES);
        if (!i || a < small) small = a;
        if (!i || b < big) big = b;
        if (big <= small * MOST) return;
    }
    fail_msg("%d times the size takes %.1f times as long", TIMES, big / small);
}

tfp_buf gzip_of(const void *data, size_t size)
{
    tfp_buf out = { 0 };
    z_stream z = { 0 };
    assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    size_t room = deflateBound(&z, size) + 64;
    tfp_buf_fill(&out, 0, room);
    z.next_in = (Bytef *)(uintptr_t)data;
    z.avail_in = (uInt)size;
    z.next_out = (Bytef *)out.data;
    z.avail_out = (uInt)room;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    out.size = z.total_out;
    deflateEnd(&z);
    return out;
}

tfp_buf sample_file(const char *file)
{
    char path[4096], piece[4096];
    tfp_buf b = { 0 };
    snprintf(path, sizeof path, "%s/sample/%s", TEST_DATA, file);
    FILE *f = fopen(path, "rb");
    if (!f) fail_msg("cannot read %s", path);
    for (size_t n; (n = fread(piece, 1, sizeof piece, f)) > 0;) tfp_buf_add(&b, piece, n);
    fclose(f);
    assert_false(b.failed);
    return b;
}

tfp_profile *profile_in_file(const char *path)
{
    tfp_profile *p = tfp_profile_new();
    tfp_error *err = tfp_error_new();
    if (tfp_profile_add_file(p, NULL, path, err) || tfp_profile_finish(p, err)) fail_msg("%s", tfp_error_message(err));
    tfp_error_free(err);
    return p;
}
