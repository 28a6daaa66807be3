// SPDX-License-Identifier: Apache-2.0
/* What /proc says, parsed: names with brackets in them, absent lines, libraries by their names, containers, symbols. */
#include "live/attach.h"
#include "live/cpu.h"
#include "live/jobs.h"
#include "live/probe.h"
#include "live/python.h"
#include "live/rundir.h"
#include "support.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static void a_name_may_hold_brackets_and_blanks(void **state)
{
    (void)state;
    tfp_proc_stat s;
    tfp_str text = TFP_STR(
        "42 (a) b (c)) D 7 42 42 0 -1 4194560 1 2 3 4 10 20 30 40 20 0 5 0 12345 67108864 100 18446744073709551615");
    assert_true(tfp_proc_stat_parse(text, &s));
    assert_int_equal(s.pid, 42);
    assert_int_equal(s.state, 'D');
    assert_int_equal(s.parent, 7);
    assert_int_equal(s.cpu_ticks, 30);
    assert_int_equal(s.child_cpu_ticks, 70);
    assert_int_equal(s.threads, 5);
    assert_int_equal(s.start_ticks, 12345);
    assert_int_equal(s.memory_bytes, 67108864);
}

static void a_stat_that_is_cut_is_refused(void **state)
{
    (void)state;
    const char whole[] = "42 (x) R 7 42 42 0 -1 4194560 1 2 3 4 10 20 30 40 20 0 5 0 12345 67108864";
    tfp_proc_stat s;
    for (size_t size = 0; size < 60; size++) assert_false(tfp_proc_stat_parse((tfp_str){ whole, size }, &s));
}

static void a_status_without_memory_says_so(void **state)
{
    (void)state;
    tfp_proc_status s;
    tfp_proc_status_parse(TFP_STR("Name:\tx\nUid:\t1\t2\t3\t4\nGid:\t5\t6\t7\t8\nTracerPid:\t9\n"), &s);
    assert_int_equal(s.uid[0], 1);
    assert_int_equal(s.uid[2], 3);
    assert_int_equal(s.gid[3], 8);
    assert_int_equal(s.tracer, 9);
    assert_int_equal(s.anonymous_bytes, -1);
    tfp_proc_status_parse(TFP_STR("RssAnon:\t  12 kB\nRssFile:\t 3 kB\nRssShmem:\t 0 kB\n"), &s);
    assert_int_equal(s.anonymous_bytes, 12 * 1024);
    assert_int_equal(s.shared_bytes, 0);
    assert_int_equal(s.uid[0], -1);
}

static void a_status_tells_of_filters_and_namespaces(void **state)
{
    (void)state;
    tfp_proc_status s;
    tfp_proc_status_parse(
        TFP_STR("NSpid:\t4711\t23\t5\nSeccomp:\t2\nSeccomp_filters:\t3\nx86_Thread_features:\tshstk \n"), &s);
    assert_int_equal(s.inner_pid, 5);
    assert_int_equal(s.seccomp, 2);
    assert_int_equal(s.seccomp_filters, 3);
    assert_true(s.shadow_stack);
    tfp_proc_status_parse(TFP_STR("Name:\tx\n"), &s);
    assert_int_equal(s.inner_pid, -1);
    assert_int_equal(s.seccomp, 0);
    assert_false(s.shadow_stack);
}

static void a_shadow_stack_is_refused(void **state)
{
    (void)state;
    tfp_proc_status s;
    tfp_way way = { .code = NULL };
    tfp_proc_status_parse(TFP_STR("Name:\tshstk\nx86_Thread_features:\t\nx86_Thread_features_locked:\tshstk wrss\n"),
                          &s);
    assert_false(s.shadow_stack);
    tfp_proc_status_parse(TFP_STR("Name:\tx\nx86_Thread_features:\tshstk wrss\nx86_Thread_features_locked:\t\n"), &s);
    assert_true(s.shadow_stack);
    if (!tfp_cpu_home_code.size) return; /* no attach on this machine at all */
    assert_false(tfp_attach_allowed(getpid(), &s, &way));
    assert_string_equal(way.code, "unsafe");
    assert_non_null(strstr(way.message, "shadow stack"));
    s.shadow_stack = false;
    assert_true(tfp_attach_allowed(getpid(), &s, &way));
}

static void a_mapped_file_is_known_by_its_first_line(void **state)
{
    (void)state;
    tfp_mapped_file f;
    assert_true(tfp_mapped_file_parse("7f00-7f01 r--p 00000000 08:01 1    /usr/lib/libc.so.6\n", &f));
    assert_string_equal(f.name, "libc.so.6");
    assert_int_equal(f.low, 0x7f00);
    assert_false(f.deleted);
    assert_true(tfp_mapped_file_parse("7f00-7f01 r--p 00000000 08:01 1    /usr/lib/libc.so.6 (deleted)\n", &f));
    assert_string_equal(f.path, "/usr/lib/libc.so.6");
    assert_true(f.deleted);
    assert_false(tfp_mapped_file_parse("7f00-7f01 r--p 00001000 08:01 1    /usr/lib/libc.so.6\n", &f));
    assert_false(tfp_mapped_file_parse("7f00-7f01 rw-p 00000000 00:00 0    [stack]\n", &f));
    assert_false(tfp_mapped_file_parse("7f00-7f01 rw-p 00000000 00:00 0\n", &f));
}

static void code_is_found_by_its_bytes(void **state)
{
    (void)state;
    bool moves;
    uint64_t value;
    const char *const names[] = { "main" };
    assert_true(tfp_elf_symbols("/proc/self/exe", names, &value, 1, &moves));
    if (!value) return; /* stripped */
    char code[16];
    FILE *f = fopen("/proc/self/exe", "re");
    assert_non_null(f);
    uint64_t offset = tfp_elf_function("/proc/self/exe", "main");
    assert_int_equal(fseek(f, (long)offset, SEEK_SET), 0);
    assert_int_equal(fread(code, 1, sizeof code, f), sizeof code);
    fclose(f);
    uint64_t at = tfp_elf_code("/proc/self/exe", (tfp_str){ code, sizeof code }, &moves);
    assert_true(at && at <= value);
    assert_int_equal(tfp_elf_code("/proc/self/exe", TFP_STR("no such code \xff\xfe\xfd anywhere"), &moves), 0);
    assert_int_equal(tfp_elf_code("/proc/self/maps", TFP_STR("x"), &moves), 0);
}

/* What a text does in a job is tested in tests/live/attach.py. */
static void an_attach_text_is_two_lines_of_ascii(void **state)
{
    (void)state;
    tfp_buf b = { 0 };
    tfp_attach_wish w = { "/tmp/o'hara \xc3\xb6\n", 1, 2, 3, true };
    tfp_attach_text(&w, &b);
    assert_false(b.failed);
    size_t lines = 0;
    for (size_t i = 0; i < b.size; i++) {
        lines += b.data[i] == '\n';
        assert_true(b.data[i] == '\n' || (b.data[i] >= 32 && b.data[i] < 127));
    }
    assert_int_equal(lines, 2);
    assert_true(tfp_str_has((tfp_str){ b.data, b.size }, TFP_STR("'/tmp/o\\'hara \\xc3\\xb6\\n'")));
    tfp_buf_free(&b);
}

static unsigned frameworks_of(const char *path)
{
    tfp_proc_maps maps = { 0 };
    char line[256];
    int size = snprintf(line, sizeof line, "7f00-7f01 r-xp 00000000 08:01 1    %s", path);
    tfp_proc_maps_line((tfp_str){ line, (size_t)size }, &maps);
    return maps.frameworks;
}

static void libraries_are_known_by_their_file_names(void **state)
{
    (void)state;
    assert_int_equal(frameworks_of("/a/site-packages/torch/lib/libtorch_cpu.so"), TFP_FRAMEWORK_TORCH);
    assert_int_equal(frameworks_of("/a/libtensorflow_framework.so.2"), TFP_FRAMEWORK_TENSORFLOW);
    assert_int_equal(frameworks_of("/a/jaxlib/libjax_common.so (deleted)"), TFP_FRAMEWORK_JAX);
    assert_int_equal(frameworks_of("/a/jaxlib/xla_extension.so"), TFP_FRAMEWORK_JAX);
    assert_int_equal(frameworks_of("/a/xla_extension.cpython-311-x86_64-linux-gnu.so (deleted)"), TFP_FRAMEWORK_JAX);
    assert_int_equal(frameworks_of("/a/xla_extension.so.txt"), 0);
    assert_int_equal(frameworks_of("/a/_pywrap_tensorflow_internal.so"), TFP_FRAMEWORK_TENSORFLOW);
    assert_int_equal(frameworks_of("/a/_pywrap_tensorflow_internal.so.bak"), 0);
    assert_int_equal(frameworks_of("/a/libtorch_cpu.so.2"), TFP_FRAMEWORK_TORCH);
    assert_int_equal(frameworks_of("/usr/lib/libcuda.so.1"), TFP_FRAMEWORK_CUDA);
    assert_int_equal(frameworks_of("/usr/bin/python3.11"), TFP_FRAMEWORK_PYTHON);
    assert_int_equal(frameworks_of("/usr/bin/pythonista"), 0);
    assert_int_equal(frameworks_of("/a/mylibtorch_cpu.so"), 0);
}

static void a_container_is_its_short_id(void **state)
{
    (void)state;
    char id[16];
    tfp_proc_container(TFP_STR("0::/docker/0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\n"), id);
    assert_string_equal(id, "0123456789ab");
    tfp_proc_container(TFP_STR("0::/user.slice/user-1000.slice/session-1.scope\n"), id);
    assert_string_equal(id, "");
}

static void a_function_is_found_in_our_own_program(void **state)
{
    (void)state;
    assert_true(tfp_elf_function("/proc/self/exe", "main") != 0);
    assert_int_equal(tfp_elf_function("/proc/self/exe", "no_function_is_called_so"), 0);
    assert_int_equal(tfp_elf_function("/proc/self/maps", "main"), 0);
}

static bool entry(const char *text)
{
    int64_t pid, ticks;
    char what[32];
    bool ok = tfp_agent_parse(tfp_str_of(text), &pid, &ticks, what, sizeof what);
    if (ok) assert_int_equal(pid, 12);
    if (ok) assert_int_equal(ticks, 34);
    return ok;
}

static void an_entry_of_an_agent_names_its_process(void **state)
{
    (void)state;
    assert_true(entry("{\"argv\": [\"x\", {}], \"pid\": 12, \"start_ticks\": 34, \"steps_are\": \"session runs\"}"));
    assert_true(entry("{\"pid\": 12, \"start_ticks\": 34, \"steps_are\": null}"));
    assert_false(entry("{\"pid\": 12}"));
    assert_false(entry("{\"pid\": -12, \"start_ticks\": 34}"));
    assert_false(entry("{\"pid\": 12, \"start_ticks\": 34"));
    assert_false(entry("[12, 34]"));
    assert_false(entry(""));
}

static void builds_of_python_by_their_first_words(void **state)
{
    (void)state;
    uint64_t told[3] = { 0, 0x030e0af0, 0 };
    memcpy(&told[0], "xdebugpy", 8);
    assert_true(tfp_python_is_final(14, told) && !tfp_python_is_final(13, told));
    told[2] = 1; /* free-threaded */
    assert_false(tfp_python_is_final(14, told));
    told[2] = 0, told[1] = 0x030e00b2; /* beta */
    assert_false(tfp_python_is_final(14, told));
    told[1] = 0x030e00f0, told[0]++;
    assert_false(tfp_python_is_final(14, told));
    assert_true(tfp_python_is_final(12, told)); /* told nothing yet */
}

static int64_t line(int minor, const char *table, size_t size, int64_t at)
{
    return tfp_python_table_line(minor, (tfp_str){ table, size }, 10, at);
}

static void a_line_is_found_in_each_version_s_table(void **state)
{
    (void)state;
    static const char lnotab[] = { 4, 1, 6, -2 };        /* bytes 4: line 11; 10: line 9 */
    static const char pairs[] = { 4, 1, 2, -128, 2, 3 }; /* to 4: 11; to 6: none; to 8: 14 */
    static const char places[] = { (char)0x83, 0x10, (char)0xd8,
                                   0x21,                   /* short: 4 units of line 10; one-line + 1: 1 unit */
                                   (char)0xe9, 0x42, 0x01, /* no columns: + 33: 2 units */
                                   (char)0xf8 };           /* none */
    assert_int_equal(line(9, lnotab, sizeof lnotab, 0), 10);
    assert_int_equal(line(9, lnotab, sizeof lnotab, 4), 11);
    assert_int_equal(line(9, lnotab, sizeof lnotab, 200), 9);
    assert_int_equal(line(10, pairs, sizeof pairs, 3), 11);
    assert_int_equal(line(10, pairs, sizeof pairs, 5), -1);
    assert_int_equal(line(10, pairs, sizeof pairs, 7), 14);
    assert_int_equal(line(10, pairs, sizeof pairs, 8), -1);
    assert_int_equal(line(11, places, sizeof places, 6), 10);
    assert_int_equal(line(11, places, sizeof places, 8), 11);
    assert_int_equal(line(11, places, sizeof places, 10), 11 + 33);
    assert_int_equal(line(11, places, sizeof places, 14), -1);
    assert_int_equal(line(11, places, sizeof places, -2), 10);
    for (size_t size = 0; size < sizeof places; size++)
        line(13, places, size, 13); /* cut anywhere: no read past its end */
}

static void an_interpreter_is_known_by_its_file_name(void **state)
{
    (void)state;
    assert_int_equal(tfp_python_minor(TFP_STR("libpython3.11.so.1.0")), 11);
    assert_int_equal(tfp_python_minor(TFP_STR("python3.8")), 8);
    assert_int_equal(tfp_python_minor(TFP_STR("python3.11d")), -1);
    assert_int_equal(tfp_python_minor(TFP_STR("libpython3.13t.so.1.0")), -1);
    assert_int_equal(tfp_python_minor(TFP_STR("python3.11-config")), 0);
    assert_int_equal(tfp_python_minor(TFP_STR("python3")), 0);
    assert_int_equal(tfp_python_minor(TFP_STR("libpython3.so")), 0);
    assert_true(tfp_python_layout_of(14) && !tfp_python_layout_of(15));
}

static void spin(int number)
{
    (void)number;
    for (volatile unsigned turns = 0;;) turns = turns + 1;
}

/* Samples a process until it has as many running threads as are expected. */
static void expect_runnable(tfp_jobs *j, int64_t pid, int64_t expected)
{
    int64_t runnable = -1;
    for (size_t i = 0; i < 2000 && runnable != expected; i++) {
        assert_int_equal(tfp_jobs_sample(j, 1, NULL), TFP_OK);
        runnable = j->processes.at[tfp_map64_get(&j->by_pid, (uint64_t)pid)].runnable;
        usleep(5000);
    }
    assert_int_equal(runnable, expected);
}

/* A process that sleeps; it ends with the test, also where that fails, since whoever reads our output waits for all who hold
 * it. */
static pid_t sleeper(void)
{
    pid_t parent = getpid(), child = fork();
    assert_true(child >= 0);
    if (child) return child;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    while (getppid() == parent) pause();
    _exit(0);
}

/* Waits until it has come to its sleep: its CPU clock stands for a while. */
static void expect_sleep(pid_t pid)
{
    int64_t clock = -1;
    for (size_t i = 0, stood = 0; i < 4000 && stood < 20; i++) {
        int64_t now = tfp_proc_cpu_ns(pid);
        stood = now == clock ? stood + 1 : 0;
        clock = now;
        usleep(5000);
    }
}

static void a_thread_that_sleeps_is_seen_when_it_runs(void **state)
{
    (void)state;
    tfp_jobs j = { .select.user = -1 };
    signal(SIGUSR1, spin);
    pid_t child = sleeper();
    signal(SIGUSR1, SIG_DFL);
    assert_true(tfp_push(&j.select.pids, child));
    expect_sleep(child);
    expect_runnable(&j, child, 0);
    for (size_t i = 0; i < 3; i++) assert_int_equal(tfp_jobs_sample(&j, 1, NULL), TFP_OK);
    kill(child, SIGUSR1);
    expect_runnable(&j, child, 1);
    kill(child, SIGSTOP);
    expect_runnable(&j, child, 0);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    tfp_jobs_free(&j);
    assert_int_equal(tfp_proc_cpu_ns(child), -1); /* it has ended */
}

static size_t open_descriptors(void)
{
    size_t count = 0;
    for (int fd = 0; fd < 1024; fd++) count += fcntl(fd, F_GETFD) >= 0;
    return count;
}

static void a_process_that_sleeps_is_read_every_fifth_time(void **state)
{
    (void)state;
    size_t before = open_descriptors(), fresh = 0;
    tfp_jobs j = { .select.user = -1 };
    tfp_live_process *p = NULL;
    pid_t child = sleeper();
    assert_true(tfp_push(&j.select.pids, child));
    expect_sleep(child);
    for (size_t i = 0; i < 7; i++) assert_int_equal(tfp_jobs_sample(&j, 1, NULL), TFP_OK);
    for (size_t i = 0; i < 20; i++) {
        assert_int_equal(tfp_jobs_sample(&j, 1, NULL), TFP_OK);
        p = &j.processes.at[tfp_map64_get(&j.by_pid, (uint64_t)child)];
        fresh += p->fresh;
        assert_true(p->status_told && p->status.uid[0] == (int64_t)getuid() && p->stat.state == 'S');
    }
    assert_int_equal(fresh, 4);
    assert_true(p->stat_file >= 0 && p->status_file >= 0 && p->io_file >= 0);
    assert_int_equal(tfp_jobs_sample(&j, SIZE_MAX, NULL), TFP_OK);
    assert_true(j.processes.at[tfp_map64_get(&j.by_pid, (uint64_t)child)].fresh);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    assert_int_equal(tfp_jobs_sample(&j, 1, NULL), TFP_OK);
    assert_true(tfp_map64_get(&j.by_pid, (uint64_t)child) == TFP_NONE);
    assert_int_equal(open_descriptors(), before + j.kept); /* other jobs of this machine have theirs */
    tfp_jobs_free(&j);
    assert_int_equal(open_descriptors(), before);
}

static void processes_are_listed_every_two_seconds(void **state)
{
    (void)state;
    tfp_jobs j = { .select.user = -1 };
    assert_int_equal(tfp_jobs_sample(&j, 1, NULL), TFP_OK);
    pid_t child = sleeper();
    int64_t listed = j.listed_ns;
    assert_int_equal(tfp_jobs_sample(&j, 1, NULL), TFP_OK);
    assert_true((j.listed_ns == listed) == (tfp_map64_get(&j.by_pid, (uint64_t)child) == TFP_NONE));
    assert_int_equal(tfp_jobs_sample(&j, SIZE_MAX, NULL), TFP_OK);
    assert_true(j.listed_ns > listed && tfp_map64_get(&j.by_pid, (uint64_t)child) != TFP_NONE);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    tfp_jobs_free(&j);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_name_may_hold_brackets_and_blanks),
        cmocka_unit_test(a_stat_that_is_cut_is_refused),
        cmocka_unit_test(a_status_without_memory_says_so),
        cmocka_unit_test(a_status_tells_of_filters_and_namespaces),
        cmocka_unit_test(a_shadow_stack_is_refused),
        cmocka_unit_test(a_mapped_file_is_known_by_its_first_line),
        cmocka_unit_test(code_is_found_by_its_bytes),
        cmocka_unit_test(an_attach_text_is_two_lines_of_ascii),
        cmocka_unit_test(libraries_are_known_by_their_file_names),
        cmocka_unit_test(a_container_is_its_short_id),
        cmocka_unit_test(an_entry_of_an_agent_names_its_process),
        cmocka_unit_test(a_line_is_found_in_each_version_s_table),
        cmocka_unit_test(an_interpreter_is_known_by_its_file_name),
        cmocka_unit_test(builds_of_python_by_their_first_words),
        cmocka_unit_test(a_function_is_found_in_our_own_program),
        cmocka_unit_test(a_thread_that_sleeps_is_seen_when_it_runs),
        cmocka_unit_test(a_process_that_sleeps_is_read_every_fifth_time),
        cmocka_unit_test(processes_are_listed_every_two_seconds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
