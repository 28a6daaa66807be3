// SPDX-License-Identifier: Apache-2.0
/* What the server finds in a folder: only files below it, in order, down to a depth and up to a number; which of them
 * form one profile; and the source lines that a report includes. */
#include "support.h"

#include "data/folder.h"
#include "data/look.h"
#include "data/source.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char *place; /* the folder of one test */

static void path_in(const char *name, char out[512]) { snprintf(out, 512, "%s/%s", place, name); }

static void make_folder(const char *name)
{
    char path[512];
    path_in(name, path);
    assert_int_equal(mkdir(path, 0700), 0);
}

static void make_file(const char *name, const char *text) { free(file_in(place, name, text, strlen(text))); }

static void make_link(const char *to, const char *name)
{
    char path[512];
    path_in(name, path);
    assert_int_equal(symlink(to, path), 0);
}

static int open_place(const char *name)
{
    char path[512];
    path_in(name, path);
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_true(fd >= 0);
    return fd;
}

static int begin(void **state)
{
    (void)state;
    place = new_folder();
    return 0;
}

static int end(void **state)
{
    (void)state;
    drop_folder(place);
    return 0;
}

/* ---- files below a folder ---- */

static bool opens(int folder, const char *path)
{
    int fd = folder_open(folder, path);
    if (fd >= 0) close(fd);
    return fd >= 0;
}

static void nothing_above_is_opened(void **state)
{
    (void)state;
    make_folder("in");
    make_folder("in/sub");
    make_file("secret", "x");
    make_file("in/file", "x");
    make_file("in/..file", "x");
    make_file("in/sub/file", "x");
    make_link("../secret", "in/up");
    make_link("/etc/hostname", "in/absolute");
    make_link("..", "in/parent");
    make_link("file", "in/inside");
    int in = open_place("in");
    char fifo[512];
    path_in("in/fifo", fifo);
    assert_int_equal(mkfifo(fifo, 0600), 0);
    static const char *const good[] = { "file", "..file", "sub/file", "./file", "inside" };
    static const char *const bad[] = {
        "up", "absolute", "parent/secret", "../secret", "sub/../../secret", "/etc/hostname", "sub", "fifo", "absent", ""
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        if (!opens(in, good[i])) fail_msg("%s does not open", good[i]);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (opens(in, bad[i])) fail_msg("%s opens", bad[i]);
    assert_true(folder_has(in, "sub")); /* a folder exists, but it cannot be opened as a file */
    assert_false(folder_has(in, "up"));
    assert_true(folder_holds_all(in, "sub/"));
    assert_true(folder_holds_all(in, "fil"));
    assert_false(folder_holds_all(in, "u")); /* one of these links leads outside */
    assert_false(folder_holds_all(in, "absent/x"));
    close(in);
}

static void a_changed_file_is_known(void **state)
{
    (void)state;
    make_file("file", "one");
    int folder = open_place(""), fd = folder_open(folder, "file");
    file_state before, after;
    assert_true(file_state_of(fd, &before));
    assert_int_equal(before.bytes, 3);
    assert_true(file_state_of(fd, &after) && file_state_same(&before, &after));
    make_file("other", "two"); /* of the same length, but another file */
    char from[512], to[512];
    path_in("other", from);
    path_in("file", to);
    assert_int_equal(rename(from, to), 0);
    int again = folder_open(folder, "file");
    assert_true(file_state_of(again, &after));
    assert_false(file_state_same(&before, &after));
    assert_false(file_state_of(-1, &after));
    close(again);
    close(fd);
    close(folder);
}

typedef struct walked {
    char text[400];
    size_t left; /* files after which each() returns false */
} walked;

static bool take(void *ctx, const char *path, const file_state *f)
{
    walked *w = ctx;
    (void)f;
    size_t n = strlen(w->text);
    snprintf(w->text + n, sizeof w->text - n, "%s ", path);
    return --w->left != 0;
}

static void a_walk_is_in_order_and_has_an_end(void **state)
{
    (void)state;
    char path[200] = "d";
    make_file("b", "");
    make_file("B", "");
    make_file(".hidden", "");
    make_folder("a");
    make_file("a/z", "");
    make_file("a.c", "");
    make_folder(".git");
    make_file(".git/x", "");
    for (int i = 0; i <= FOLDER_DEPTH; i++) {
        make_folder(path);
        strcat(path, "/d");
    }
    strcpy(path, "");
    for (int i = 0; i < FOLDER_DEPTH; i++) strcat(path, "d/");
    strcat(path, "last");
    make_file(path, "");
    strcpy(path + strlen(path) - 4, "d/too_deep");
    make_file(path, "");
    make_link("..", "loop");
    int folder = open_place("");
    walked w = { .left = 100 };
    assert_int_equal(folder_walk(folder, 100, take, &w), WALK_WHOLE);
    assert_string_equal(w.text, "B a.c a/z b d/d/d/d/d/d/last ");
    w = (walked){ .left = 100 };
    assert_int_equal(folder_walk(folder, 2, take, &w), WALK_CUT);
    w = (walked){ .left = 2 };
    assert_int_equal(folder_walk(folder, 100, take, &w), WALK_FAILED);
    close(folder);
}

/* ---- which files are one profile ---- */

#define TRACE "{\"schemaVersion\": 1, \"distributedInfo\": {\"rank\": 0}, \"traceEvents\": []}"

static char *names_of(look *l, char out[600])
{
    *out = '\0';
    for (size_t i = 0; i < l->found_count; i++) {
        char *name = look_name(l, &l->found[i]);
        assert_non_null(name);
        size_t n = strlen(out);
        snprintf(out + n, 600 - n, "%s:%zu ", name, l->found[i].count);
        free(name);
    }
    return out;
}

static void ranks_of_a_job_are_one_profile(void **state)
{
    (void)state;
    char names[600], why[300];
    static const char *const files[] = { "rank-0.json",   "rank-2.json", "rank-10.json",
                                         "rank-1_x.json", "alone.json",  "RANK_7.json" };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) make_file(files[i], TRACE);
    make_file("notes.txt", "not a trace");
    look l;
    serve_options o = { .inputs = &(serve_input){ .path = place }, .input_count = 1 };
    assert_true(look_open(&l, &o, why, sizeof why));
    assert_string_equal(names_of(&l, names), "RANK_7.json:1 alone.json:1 rank-0.json:3 rank-1_x.json:1 ");
    const found_profile *job = &l.found[2];
    assert_string_equal(job->parts[1].path, "rank-2.json"); /* sorted by number, not by letters */
    assert_string_equal(job->parts[2].path, "rank-10.json");
    char *file = look_file(&l, &job->parts[1]), wanted[512];
    path_in("rank-2.json", wanted);
    assert_string_equal(file, wanted);
    free(file);
    make_file("rank-1_x.json", "no trace any more");
    make_file("new.json", TRACE);
    assert_true(look_again(&l));
    assert_string_equal(names_of(&l, names), "RANK_7.json:1 alone.json:1 new.json:1 rank-0.json:3 ");
    found_profile one;
    assert_true(look_for(&l, 0, "rank-2.json", &one)); /* one of the ranks alone */
    assert_int_equal(one.count, 1);
    parts_free(one.parts, one.count);
    assert_false(look_for(&l, 0, "notes.txt", &one));
    assert_false(look_for(&l, 0, "../x", &one));
    look_close(&l);
}

/* TensorFlow's profiler and JAX write HOST.trace.json.gz beside HOST.xplane.pb, with less in it. */
static void the_second_form_of_an_xplane_trace_is_hidden(void **state)
{
    (void)state;
    char names[600], why[300];
    static const char plane[] = "\012\013\022\011/host:CPU";
    make_folder("run");
    make_file("run/vm.xplane.pb", plane);
    make_file("run/vm.trace.json", TRACE);
    make_file("run/other.trace.json", TRACE);
    make_file("vm.trace.json", TRACE); /* in another folder */
    make_file("vm.xplane.pb.trace.json", TRACE);
    look l;
    serve_options o = { .inputs = &(serve_input){ .path = place }, .input_count = 1 };
    assert_true(look_open(&l, &o, why, sizeof why));
    assert_string_equal(names_of(&l, names),
                        "vm.trace.json:1 vm.xplane.pb.trace.json:1 run/other.trace.json:1 run/vm.xplane.pb:1 ");
    look_close(&l);
}

static void what_was_named_is_there(void **state)
{
    (void)state;
    char why[600], path[512];
    make_file("a.json", TRACE);
    make_file("empty.json", "");
    look l;
    path_in("a.json", path);
    serve_options o = { .inputs = &(serve_input){ .path = path }, .input_count = 1 };
    assert_true(look_open(&l, &o, why, sizeof why));
    assert_int_equal(l.found_count, 1);
    look_close(&l);
    static const char *const wrong[] = { "empty.json", "absent.json" };
    for (size_t i = 0; i < 2; i++) {
        path_in(wrong[i], path);
        assert_false(look_open(&l, &o, why, sizeof why));
        assert_non_null(strstr(why, wrong[i]));
        look_close(&l);
    }
}

/* ---- lines of source text ---- */

static void a_report_takes_lines_around_costs(void **state)
{
    (void)state;
    char text[400] = "", wanted[400] = "";
    for (int i = 1; i <= 30; i++) {
        bool near = (i >= 5 && i <= 18) || i >= 25;
        sprintf(text + strlen(text), "line %d%s", i, i < 30 ? "\n" : "");
        sprintf(wanted + strlen(wanted), near ? "line %d%s" : "%.0d%s", near ? i : 0, i < 30 ? "\n" : "");
    }
    source_line lines[] = { { "a.py", 1 },  { "b.py", 0 },  { "b.py", 10 }, { "b.py", 13 },
                            { "b.py", 13 }, { "b.py", 30 }, { "b.py", 31 }, { "c.py", 2 } };
    source_index x = { lines, sizeof lines / sizeof *lines, 0 };
    answer a = { .status = ANSWER_OK };
    assert_true(source_add_near(&x, "b.py", text, strlen(text), &a));
    assert_int_equal(a.size, strlen(wanted));
    assert_memory_equal(a.data, wanted, a.size); /* lines keep their numbers */
    answer_free(&a);
    answer none = { .status = ANSWER_OK };
    assert_true(source_add_near(&x, "other.py", "one\ntwo\n", 8, &none));
    assert_int_equal(none.size, 2);
    assert_memory_equal(none.data, "\n\n", 2);
    answer_free(&none);
    assert_int_equal(source_index_next(&x, 1), 7);
    assert_int_equal(source_index_next(&x, 7), 8);
}

static void source_is_text(void **state)
{
    (void)state;
    make_file("a.py", "import os\n");
    char path[512];
    free(file_in(place, "b.py", "a\0b", 3));
    path_in("long.py", path);
    make_file("long.py", "x");
    assert_int_equal(truncate(path, (off_t)SOURCE_MOST + 1), 0);
    static const struct {
        const char *name;
        bool ok;
    } rows[] = { { "a.py", true }, { "b.py", false }, { "long.py", false } };
    int folder = open_place("");
    for (size_t i = 0; i < 3; i++) {
        answer a = { .status = ANSWER_OK };
        int fd = folder_open(folder, rows[i].name);
        assert_true(fd >= 0);
        if (source_read(fd, &a) != rows[i].ok) fail_msg("%s", rows[i].name);
        close(fd);
        answer_free(&a);
    }
    close(folder);
}

#define IN_A_FOLDER(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_A_FOLDER(nothing_above_is_opened),
        IN_A_FOLDER(a_changed_file_is_known),
        IN_A_FOLDER(a_walk_is_in_order_and_has_an_end),
        IN_A_FOLDER(ranks_of_a_job_are_one_profile),
        IN_A_FOLDER(the_second_form_of_an_xplane_trace_is_hidden),
        IN_A_FOLDER(what_was_named_is_there),
        cmocka_unit_test(a_report_takes_lines_around_costs),
        IN_A_FOLDER(source_is_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
