// SPDX-License-Identifier: Apache-2.0
/* Processes that are sampled repeatedly: which of their files are read, and how often. */
#include "live/jobs/jobs.h"
#include "model/tables/profile.h"
#include "support.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static void spin(int number)
{
    (void)number;
    for (volatile unsigned turns = 0;;) turns = turns + 1;
}

/* Samples a process until it has the expected number of running threads. */
static void expect_runnable(tfp_jobs *j, int64_t pid, int64_t expected)
{
    int64_t runnable = -1;
    for (size_t i = 0; i < 2000 && runnable != expected; i++) {
        assert_int_equal(tfp_jobs_sample(j, 1, NULL), TFP_OK);
        runnable = j->processes.at[tfp_map64_get(&j->by_pid, (uint64_t)pid)].threads.runnable;
        usleep(5000);
    }
    assert_int_equal(runnable, expected);
}

/* A process that sleeps. It ends with the test even if that fails, because whoever reads our output waits until every
 * process that has it open ends. */
static pid_t sleeper(void)
{
    pid_t parent = getpid(), child = fork();
    assert_true(child >= 0);
    if (child) return child;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    while (getppid() == parent) pause();
    _exit(0);
}

/* Waits until the process sleeps, that is, until its CPU clock no longer advances. */
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
    assert_int_equal(tfp_proc_cpu_ns(child), -1); /* the process has ended */
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
    assert_true(p->files.stat >= 0 && p->files.status >= 0 && p->files.io >= 0);
    assert_int_equal(tfp_jobs_sample(&j, SIZE_MAX, NULL), TFP_OK);
    assert_true(j.processes.at[tfp_map64_get(&j.by_pid, (uint64_t)child)].fresh);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    assert_int_equal(tfp_jobs_sample(&j, 1, NULL), TFP_OK);
    assert_true(tfp_map64_get(&j.by_pid, (uint64_t)child) == TFP_NONE);
    assert_int_equal(open_descriptors(), before + j.kept); /* other jobs on this machine keep theirs open */
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

/* The words of a command, as /proc has them: each ends with a byte 0. */
static void a_program_is_called_as_its_script(void **state)
{
    (void)state;
    static const struct {
        const char *command, *program;
    } rows[] = {
        { "python train.py --lr 1", "train.py" },
        { "/usr/bin/python3 /home/a/train.py", "train.py" },
        { "python -u train.py", "train.py" },
        { "python3 -X faulthandler -W ignore -uB /x/train.py -m y", "train.py" },
        { "python -m package.train --x", "package.train" },
        { "python -u -m package.train", "package.train" },
        { "python -c import torch", "python" },
        { "/opt/bin/python3 -u", "python3" },
        { "/opt/tool", "tool" },
        { "torchrun --nproc_per_node 8 train.py", "torchrun" },
        { "python folder/", "folder/" },
        { "", "" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char words[128], name[64];
        size_t size = (size_t)snprintf(words, sizeof words, "%s", rows[i].command);
        for (char *at = words; *at; at++)
            if (*at == ' ') *at = '\0';
        tfp_proc_program_of((tfp_str){ words, size ? size + 1 : 0 }, name, sizeof name);
        if (strcmp(name, rows[i].program) != 0) fail_msg("%s gives %s", rows[i].command, name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_program_is_called_as_its_script),
        cmocka_unit_test(a_thread_that_sleeps_is_seen_when_it_runs),
        cmocka_unit_test(a_process_that_sleeps_is_read_every_fifth_time),
        cmocka_unit_test(processes_are_listed_every_two_seconds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
