// SPDX-License-Identifier: Apache-2.0
/* tests/unit/live/test_live_run_folder.c: the folder in which agents announce themselves: which ones are refused because others could put
 * agents there, and which entries are an agent of a process. */
#include "support.h"

#include "live/files/run_folder.h"
#include "live/files/run.h"

#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static char *place; /* the folder of one test */

static int begin(void **state)
{
    (void)state;
    place = new_folder();
    return 0;
}

static int end(void **state)
{
    (void)state;
    unsetenv("TFPROF_RUN_DIR");
    unsetenv("XDG_RUNTIME_DIR");
    drop_folder(place);
    return 0;
}

static const char *in_place(const char *name)
{
    static char path[512];
    snprintf(path, sizeof path, "%s/%s", place, name);
    return path;
}

/* ---- the folder ---- */

static void refused(const char *part)
{
    char out[TFP_RUN_PATH_MAX];
    tfp_error err = { 0 };
    assert_fails(tfp_run_folder(out, false, &err), &err, TFP_BADFILE, part);
    assert_fails(tfp_run_folder(out, true, &err), &err, TFP_BADFILE, part);
}

static void a_folder_that_others_can_write_to_is_refused(void **state)
{
    (void)state;
    char out[TFP_RUN_PATH_MAX];
    tfp_error err = { 0 };
    setenv("TFPROF_RUN_DIR", in_place("run"), 1);
    assert_int_equal(tfp_run_folder(out, false, &err), TFP_OK); /* it may be missing */
    assert_int_not_equal(access(in_place("run"), F_OK), 0);
    assert_int_equal(tfp_run_folder(out, true, &err), TFP_OK);
    struct stat st;
    assert_int_equal(stat(out, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0700);
    static const mode_t modes[] = { 0701, 0710, 0720, 0770, 0755, 0777, 01777 };
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        assert_int_equal(chmod(in_place("run"), modes[i]), 0);
        refused("open to others");
        assert_int_equal(tfp_run_folder_open(in_place("run")), -1);
    }
    assert_int_equal(chmod(in_place("run"), 0700), 0);
    int fd = tfp_run_folder_open(in_place("run"));
    assert_true(fd >= 0);
    close(fd);
}

static void links_and_files_are_refused(void **state)
{
    (void)state;
    char real[512];
    snprintf(real, sizeof real, "%s", in_place("real"));
    assert_int_equal(mkdir(real, 0700), 0);
    assert_int_equal(symlink(real, in_place("link")), 0);
    setenv("TFPROF_RUN_DIR", in_place("link"), 1);
    refused("is a link");
    setenv("TFPROF_RUN_DIR", in_place("link/"), 1); /* with a slash the system would follow it */
    refused("is a link");
    setenv("TFPROF_RUN_DIR", in_place("link///"), 1);
    refused("is a link");
    assert_int_equal(tfp_run_folder_open(in_place("link")), -1);
    free(file_in(place, "file", "", 0));
    setenv("TFPROF_RUN_DIR", in_place("file"), 1);
    refused("is no folder");
    if (geteuid() == 0) {
        assert_int_equal(chown(real, 12345, 12345), 0);
        setenv("TFPROF_RUN_DIR", real, 1);
        refused("belongs to user 12345");
        assert_int_equal(tfp_run_folder_open(real), -1);
    }
}

static void its_name_comes_from_the_environment(void **state)
{
    (void)state;
    char out[TFP_RUN_PATH_MAX], wanted[512], text[400];
    tfp_error err = { 0 };
    setenv("XDG_RUNTIME_DIR", place, 1);
    assert_int_equal(tfp_run_folder(out, false, &err), TFP_OK);
    snprintf(wanted, sizeof wanted, "%s/tfprof", place);
    assert_string_equal(out, wanted);
    setenv("TFPROF_RUN_DIR", "", 1); /* an empty name is none */
    assert_int_equal(tfp_run_folder(out, false, &err), TFP_OK);
    assert_string_equal(out, wanted);
    setenv("TFPROF_RUN_DIR", in_place("mine"), 1);
    assert_int_equal(tfp_run_folder(out, false, &err), TFP_OK);
    assert_string_equal(out, in_place("mine"));
    unsetenv("TFPROF_RUN_DIR");
    setenv("XDG_RUNTIME_DIR", "relative", 1); /* the standard wants it absolute */
    snprintf(wanted, sizeof wanted, "/tmp/tfprof-%u", (unsigned)geteuid());
    (void)tfp_run_folder(out, false, &err);
    assert_string_equal(out, wanted);
    memset(text, 'x', sizeof text - 1);
    text[0] = '/';
    text[sizeof text - 1] = '\0';
    setenv("TFPROF_RUN_DIR", text, 1); /* a socket's name would not fit */
    assert_fails(tfp_run_folder(out, false, &err), &err, TFP_BADFILE, "longer than");
}

/* ---- entries ---- */

enum { PID = 4711, TICKS = 77 };

static void put_entry(const char *json) { free(file_in(place, "4711.json", json, strlen(json))); }

static void put_socket(void)
{
    struct sockaddr_un at = { .sun_family = AF_UNIX };
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    snprintf(at.sun_path, sizeof at.sun_path, "%.90s/4711.sock", place);
    assert_int_equal(bind(fd, (struct sockaddr *)&at, sizeof at), 0);
    close(fd);
}

static void put_counts(int64_t steps, int64_t step_ns, size_t size)
{
    int64_t counts[] = { steps, step_ns };
    free(file_in(place, "4711.steps", counts, size));
}

static bool find(tfp_agent *out) { return tfp_agent_find(place, PID, TICKS, -1, out); }

#define ENTRY "{\"pid\": 4711, \"start_ticks\": 77, \"steps_are\": \"optimizer steps\"}"

static void an_agent_is_its_entry_and_its_socket(void **state)
{
    (void)state;
    tfp_agent a;
    assert_false(find(&a));
    put_entry(ENTRY);
    assert_false(find(&a)); /* nobody answers for it */
    put_socket();
    assert_true(find(&a));
    assert_false(a.counts);
    assert_non_null(strstr(a.socket, "/4711.sock"));
    put_counts(12, 345, 16);
    assert_true(find(&a));
    assert_true(a.counts && a.steps == 12 && a.step_ns == 345);
    assert_string_equal(a.what, "optimizer steps");
    put_counts(12, 345, 8); /* it is being written */
    assert_true(find(&a));
    assert_false(a.counts);
}

static void the_entry_of_another_process_is_none(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "{\"pid\": 4711, \"start_ticks\": 78}", /* the process number was reused */
        "{\"pid\": 4712, \"start_ticks\": 77}",
        "{\"pid\": 4711}",
        "{\"start_ticks\": 77}",
        "{\"pid\": 4711.5, \"start_ticks\": 77}",
        "{\"pid\": 4711, \"start_ticks\": 77",
        "[4711, 77]",
        "",
        "\0\0\0",
    };
    tfp_agent a;
    put_socket();
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        put_entry(wrong[i]);
        if (find(&a)) fail_msg("%s", wrong[i]);
    }
    put_entry("{\"more\": [{\"pid\": 1}], \"start_ticks\": 77, \"pid\": 4711, \"steps_are\": 5}");
    assert_true(find(&a));
    assert_string_equal(a.what, ""); /* steps without a name are not counted */
}

static void entries_are_plain_files_of_ours(void **state)
{
    (void)state;
    tfp_agent a;
    char other[512];
    put_socket();
    snprintf(other, sizeof other, "%s", in_place("other.json"));
    free(file_in(place, "other.json", ENTRY, strlen(ENTRY)));
    assert_int_equal(symlink(other, in_place("4711.json")), 0);
    assert_false(find(&a));
    assert_int_equal(unlink(in_place("4711.json")), 0);
    assert_int_equal(mkfifo(in_place("4711.json"), 0600), 0);
    assert_false(find(&a)); /* and opening the pipe does not wait for a writer */
    assert_int_equal(unlink(in_place("4711.json")), 0);
    put_entry(ENTRY);
    assert_true(find(&a));
    if (geteuid() == 0) {
        assert_int_equal(chown(in_place("4711.json"), 12345, 12345), 0);
        assert_false(find(&a));
        assert_int_equal(chown(in_place("4711.json"), 0, 0), 0);
    }
    assert_int_equal(unlink(in_place("4711.sock")), 0);
    free(file_in(place, "4711.sock", "", 0));
    assert_false(find(&a)); /* a file is no socket */
}

static void an_entry_without_end_is_refused(void **state)
{
    (void)state;
    tfp_agent a;
    tfp_buf text = { 0 };
    tfp_buf_printf(&text, "{\"x\": \"");
    for (int i = 0; i < 20000; i++) tfp_buf_char(&text, 'x');
    tfp_buf_printf(&text, "\", " ENTRY);
    put_socket();
    free(file_in(place, "4711.json", text.data, text.size));
    assert_false(find(&a));
    text.size = 0;
    for (int i = 0; i < 16000; i++) tfp_buf_char(&text, '[');
    free(file_in(place, "4711.json", text.data, text.size)); /* deep nesting does not overflow the stack */
    assert_false(find(&a));
    tfp_buf_free(&text);
}

/* ---- the folder of results ---- */

static void results_are_ours_alone(void **state)
{
    (void)state;
    char shown[4096];
    int fd;
    struct stat st;
    tfp_error err = { 0 };
    assert_int_equal(mkdir(in_place("open"), 0755), 0);
    assert_int_equal(chmod(in_place("open"), 0777), 0);
    assert_int_equal(tfp_live_folder(in_place("open"), "run", &fd, shown, sizeof shown, &err), TFP_OK);
    assert_int_equal(fstat(fd, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0700);
    tfp_results r = { .folder = fd };
    snprintf(r.path, sizeof r.path, "%s", shown);
    assert_int_equal(tfp_results_write(&r, "7", "a.pb", TFP_STR("abc"), &err), TFP_OK);
    assert_int_equal(stat(in_place("open/7/a.pb"), &st), 0);
    assert_true((st.st_mode & 0777) == 0600 && st.st_size == 3);
    assert_int_equal(symlink("/tmp", in_place("open/8")), 0);
    assert_int_not_equal(tfp_results_write(&r, "8", "tfprof-unit", TFP_STR("abc"), &err), TFP_OK);
    assert_int_not_equal(access("/tmp/tfprof-unit", F_OK), 0);
    tfp_results_close(&r);
    assert_int_equal(r.folder, -1);
    assert_fails(tfp_live_folder(in_place("open"), "run", &fd, shown, sizeof shown, &err), &err, TFP_BADOUTPUT,
                 "not empty");
    assert_int_equal(fd, -1);
    assert_int_equal(stat(in_place("open"), &st), 0);
    free(file_in(place, "file", "", 0));
    assert_int_not_equal(tfp_live_folder(in_place("file"), "run", &fd, shown, sizeof shown, &err), TFP_OK);
    assert_fails(tfp_live_folder(NULL, NULL, &fd, shown, sizeof shown, &err), &err, TFP_BADARG, "no name");
}

static void results_without_a_name_are_called_by_the_time(void **state)
{
    (void)state;
    char shown[3][4096], here[4096];
    int fd;
    tfp_error err = { 0 };
    assert_non_null(getcwd(here, sizeof here));
    assert_int_equal(chdir(place), 0);
    for (int i = 0; i < 3; i++) { /* in the same second, too, each has a name of its own */
        assert_int_equal(tfp_live_folder(NULL, "capture", &fd, shown[i], sizeof shown[i], &err), TFP_OK);
        close(fd);
        assert_non_null(strstr(shown[i], "/tfprof-capture-2"));
        for (int k = 0; k < i; k++) assert_string_not_equal(shown[i], shown[k]);
    }
    assert_int_equal(chdir(here), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_folder_that_others_can_write_to_is_refused, begin, end),
        cmocka_unit_test_setup_teardown(links_and_files_are_refused, begin, end),
        cmocka_unit_test_setup_teardown(its_name_comes_from_the_environment, begin, end),
        cmocka_unit_test_setup_teardown(an_agent_is_its_entry_and_its_socket, begin, end),
        cmocka_unit_test_setup_teardown(the_entry_of_another_process_is_none, begin, end),
        cmocka_unit_test_setup_teardown(entries_are_plain_files_of_ours, begin, end),
        cmocka_unit_test_setup_teardown(an_entry_without_end_is_refused, begin, end),
        cmocka_unit_test_setup_teardown(results_are_ours_alone, begin, end),
        cmocka_unit_test_setup_teardown(results_without_a_name_are_called_by_the_time, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
