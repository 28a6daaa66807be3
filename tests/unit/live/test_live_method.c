// SPDX-License-Identifier: Apache-2.0
/* tests/unit/live/test_live_method.c: how a process would be recorded, or why it cannot be: of several reasons the one that users can
 * remedy first; and versions: of its framework, from the names of the folders beside its library, of CPython from file names. */
#include "support.h"

#include "live/files/method.h"
#include "live/jobs/names.h"
#include "live/python/python.h"

#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static char *place;
static pid_t child; /* waits for a signal; 0: none */

static int begin(void **state)
{
    (void)state;
    place = new_folder();
    child = fork();
    if (child == 0)
        for (;;) pause();
    return child < 0;
}

static int end(void **state)
{
    (void)state;
    if (child > 0) {
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
    }
    child = 0;
    drop_folder(place);
    return 0;
}

static tfp_method method_of(unsigned frameworks)
{
    tfp_proc_stat stat;
    tfp_proc_status status;
    tfp_method w;
    assert_true(tfp_proc_stat_read(child, &stat));
    bool there = tfp_proc_status_read(child, &status);
    tfp_method_of(place, &stat, there ? &status : NULL, frameworks, &w);
    return w;
}

static void expect(unsigned frameworks, const char *code, const char *part)
{
    tfp_method w = method_of(frameworks);
    if (strcmp(w.code, code) != 0 || !strstr(w.message, part)) fail_msg("%s: %s", w.code, w.message);
}

enum { TORCH = TFP_FRAMEWORK_TORCH, PYTHON = TFP_FRAMEWORK_PYTHON };

static void what_is_mapped_decides_first(void **state)
{
    (void)state;
    char text[64];
    expect(0, "not-python", "it is no Python process");
    snprintf(text, sizeof text, "tfprof stacks %d shows", (int)child);
    expect(PYTHON, "no-framework", text);
    expect(TORCH, "not-python", "no CPython is mapped");
    tfp_method w = method_of(TORCH | PYTHON); /* a message explains why attaching is not permitted; without one it is */
    assert_true(strcmp(w.code, "attach") == 0 ? !*w.message : *w.message != '\0');
    assert_string_not_equal(w.code, "not-python");
    assert_string_not_equal(w.code, "no-framework");
}

static void a_stopped_process_tells_how_it_goes_on(void **state)
{
    (void)state;
    char text[64];
    int status;
    kill(child, SIGSTOP);
    assert_int_equal(waitpid(child, &status, WUNTRACED), child);
    snprintf(text, sizeof text, "kill -CONT %d", (int)child);
    expect(TORCH | PYTHON, "stopped", text);
    expect(0, "stopped", text);
    kill(child, SIGCONT);
    assert_int_equal(waitpid(child, &status, WCONTINUED), child);
    expect(0, "not-python", "");
}

static void an_ended_process_is_no_process(void **state)
{
    (void)state;
    siginfo_t info;
    kill(child, SIGKILL);
    assert_int_equal(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT), 0); /* it stays as a zombie */
    expect(TORCH | PYTHON, "zombie", "it has ended");
    tfp_proc_stat stat;
    tfp_method w;
    assert_true(tfp_proc_stat_read(child, &stat));
    stat.state = 'S';
    tfp_method_of(place, &stat, NULL, TORCH | PYTHON, &w); /* it ended between two reads */
    assert_string_equal(w.code, "gone");
}

static void a_traced_process_is_left_to_its_debugger(void **state)
{
    (void)state;
    char text[64];
    int status;
    if (ptrace(PTRACE_SEIZE, child, NULL, NULL)) return; /* containers may forbid it */
    snprintf(text, sizeof text, "process %d traces it", (int)getpid());
    expect(TORCH | PYTHON, "traced", text);
    assert_int_equal(ptrace(PTRACE_INTERRUPT, child, NULL, NULL), 0);
    assert_int_equal(waitpid(child, &status, __WALL), child);
    expect(TORCH | PYTHON, "traced", text); /* the reason is not "stopped": a signal would not help */
    assert_int_equal(ptrace(PTRACE_DETACH, child, NULL, NULL), 0);
}

static void put_agent(int64_t start_ticks)
{
    char name[64], text[200];
    struct sockaddr_un at = { .sun_family = AF_UNIX };
    snprintf(name, sizeof name, "%d.json", (int)child);
    snprintf(text, sizeof text, "{\"pid\": %d, \"start_ticks\": %lld}", (int)child, (long long)start_ticks);
    free(file_in(place, name, text, strlen(text)));
    snprintf(at.sun_path, sizeof at.sun_path, "%.80s/%d.sock", place, (int)child);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    (void)!bind(fd, (struct sockaddr *)&at, sizeof at); /* the second time it is there */
    close(fd);
}

static void an_agent_needs_no_attach(void **state)
{
    (void)state;
    tfp_proc_stat stat;
    int status;
    assert_true(tfp_proc_stat_read(child, &stat));
    put_agent(stat.start_ticks + 1); /* of a process that had this number before */
    expect(TORCH, "not-python", "");
    put_agent(stat.start_ticks);
    expect(TORCH, "agent", "");
    expect(0, "agent", ""); /* its framework may be loaded later */
    kill(child, SIGSTOP);
    assert_int_equal(waitpid(child, &status, WUNTRACED), child);
    expect(TORCH, "stopped", "nothing can run in it"); /* its agent cannot answer while it is stopped */
    kill(child, SIGCONT);
}

static void only_a_user_s_own_processes_are_ours(void **state)
{
    (void)state;
    tfp_proc_status s;
    assert_true(tfp_proc_status_read(getpid(), &s));
    assert_true(tfp_method_is_ours(&s));
    for (int i = 0; i < 3; i++) {
        tfp_proc_status other = s;
        other.uid[i] = 12345; /* real, effective or saved */
        assert_int_equal(tfp_method_is_ours(&other), geteuid() == 0);
        other = s;
        other.gid[i] = 12345;
        assert_int_equal(tfp_method_is_ours(&other), geteuid() == 0);
    }
}

/* ---- versions ---- */

static void make(const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", place, name);
    for (char *at = path + strlen(place) + 1; (at = strchr(at, '/')); at++) {
        *at = '\0';
        (void)!mkdir(path, 0700);
        *at = '/';
    }
    assert_int_equal(mkdir(path, 0700), 0);
}

static void expect_version(const char *library, const char *wanted)
{
    char path[600], version[64] = "x";
    snprintf(path, sizeof path, "%s/%s", place, library);
    bool found = tfp_live_version(getpid(), path, version, sizeof version);
    if (strcmp(version, wanted) != 0 || found != (*wanted != '\0'))
        fail_msg("%s: '%s', not '%s'", library, version, wanted);
}

static void a_version_is_that_of_the_package(void **state)
{
    (void)state;
    make("a/site-packages/torch-2.13.0+cu126.dist-info");
    make("a/site-packages/torchvision-0.28.dist-info");
    make("a/site-packages/torch-later.dist-info");
    make("a/site-packages/torch-.dist-info");
    make("a/site-packages/torch-9.9.egg-info");
    expect_version("a/site-packages/torch/lib/libtorch_cpu.so", "2.13.0+cu126");
    expect_version("a/site-packages/torch/libtorch_cpu.so", "2.13.0+cu126");
    expect_version("a/site-packages/vision/lib.so", "");
    expect_version("a/site-packages/libtorch_cpu.so", "");
    make("b/dist-packages/tensorflow_cpu-2.21.0.dist-info");
    make("b/dist-packages/tensorflow_probability-0.25.dist-info");
    make("c/site-packages/tensorflow_cpu-2.21.0.dist-info");
    make("c/site-packages/tensorflow-2.22.0.dist-info");
    expect_version("c/site-packages/tensorflow/libtensorflow_cc.so.2",
                   "2.22.0");      /* the package's own before a relative's */
    make("d/torch-2.1.dist-info"); /* pip install --target */
    expect_version("d/torch/lib/libtorch_cpu.so", "2.1");
    expect_version("e/torch/lib/libtorch_cpu.so", "");
    expect_version("torch", "");
}

static void a_version_that_does_not_fit_is_none(void **state)
{
    (void)state;
    char name[300] = "a/site-packages/torch-1", path[600], version[8];
    memset(name + strlen(name), '1', 100);
    strcat(name, ".dist-info");
    make(name);
    snprintf(path, sizeof path, "%s/a/site-packages/torch/lib/x.so", place);
    assert_false(tfp_live_version(getpid(), path, version, sizeof version));
    assert_string_equal(version, "");
    make("b/site-packages/torch-1.2.3456.dist-info"); /* one character too many */
    snprintf(path, sizeof path, "%s/b/site-packages/torch/lib/x.so", place);
    assert_false(tfp_live_version(getpid(), path, version, sizeof version));
    make("b/site-packages/torch-1.2.345.dist-info");
    assert_true(tfp_live_version(getpid(), path, version, sizeof version));
    assert_string_equal(version, "1.2.345");
    assert_false(tfp_live_version(INT32_MAX, path, version, sizeof version)); /* there is no such process */
}

static void an_interpreter_is_known_by_its_file_name(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int minor, of_extension;
    } rows[] = { { "libpython3.11.so.1.0", 11, 0 }, { "python3.8", 8, 0 },
                 { "python3.11d", -1, 0 },          { "libpython3.13t.so.1.0", -1, 0 },
                 { "python3.11-config", 0, 0 },     { "python3", 0, 0 },
                 { "libpython3.so", 0, 0 },         { "m.cpython-311-x86_64-linux-gnu.so", 0, 11 },
                 { "m.cpython-38.so", 0, 8 },       { "m.cpython-313t-x86_64-linux-gnu.so", 0, -1 },
                 { "m.cpython-3.so", 0, 0 },        { "m.cpython-311.so.part", 0, 0 } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(tfp_python_minor(tfp_str_of(rows[i].name)), rows[i].minor);
        assert_int_equal(tfp_python_extension_minor(tfp_str_of(rows[i].name)), rows[i].of_extension);
    }
    assert_true(tfp_python_layout_of(14) && !tfp_python_layout_of(15));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_interpreter_is_known_by_its_file_name),
        cmocka_unit_test_setup_teardown(what_is_mapped_decides_first, begin, end),
        cmocka_unit_test_setup_teardown(a_stopped_process_tells_how_it_goes_on, begin, end),
        cmocka_unit_test_setup_teardown(an_ended_process_is_no_process, begin, end),
        cmocka_unit_test_setup_teardown(a_traced_process_is_left_to_its_debugger, begin, end),
        cmocka_unit_test_setup_teardown(an_agent_needs_no_attach, begin, end),
        cmocka_unit_test(only_a_user_s_own_processes_are_ours),
        cmocka_unit_test_setup_teardown(a_version_is_that_of_the_package, begin, end),
        cmocka_unit_test_setup_teardown(a_version_that_does_not_fit_is_none, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
