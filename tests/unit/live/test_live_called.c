// SPDX-License-Identifier: Apache-2.0
/* tests/unit/live/test_live_called.c: what a process is called: by the script of its command, and by what a scheduler has put into its
 * environment. The processes are shells that wait for a script which never comes. */
#include "support.h"

#include "live/proc/proc.h"

#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char *place;
static pid_t shell;      /* the one that runs; 0: none */
static char script[512]; /* a pipe, so that the shell waits when it opens it */

static int begin(void **state)
{
    (void)state;
    place = new_folder();
    snprintf(script, sizeof script, "%s/train.py", place);
    return mkfifo(script, 0600);
}

static int end(void **state)
{
    (void)state;
    if (shell) kill(shell, SIGKILL); /* a check has failed */
    shell = 0;
    drop_folder(place);
    return 0;
}

/* Starts the shell under another name; "SCRIPT" in the words stands for the script. Returns when it has begun. */
/* Waits for the words of a process that has just begun: the kernel closes its files before it tells its new command. */
static void await_command(pid_t child)
{
    char path[64], byte;
    snprintf(path, sizeof path, "/proc/%d/cmdline", (int)child);
    for (int tries = 0; tries < 30000; tries++) {
        FILE *file = fopen(path, "r");
        assert_non_null(file);
        size_t read = fread(&byte, 1, 1, file);
        fclose(file);
        if (read) return;
        nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
    }
    fail_msg("%s stays empty", path);
}

static pid_t start(const char *const *words, const char *const *settings)
{
    char *argv[12] = { NULL }, *env[12] = { NULL };
    int ends[2];
    for (size_t i = 0; words[i]; i++)
        argv[i] = (char *)(uintptr_t)(strcmp(words[i], "SCRIPT") == 0 ? script : words[i]);
    for (size_t i = 0; settings && settings[i]; i++) env[i] = (char *)(uintptr_t)settings[i];
    assert_int_equal(pipe2(ends, 02000000), 0); /* O_CLOEXEC: it is closed when the other program has begun */
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        execve("/bin/sh", argv, env);
        _exit(127);
    }
    char byte;
    close(ends[1]);
    assert_int_equal(read(ends[0], &byte, 1), 0);
    close(ends[0]);
    shell = child;
    await_command(child);
    return child;
}

static void stop(pid_t child)
{
    int status;
    kill(child, SIGKILL);
    shell = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    if (!WIFSIGNALED(status)) fail_msg("the shell ended by itself, with %d", WEXITSTATUS(status));
}

static void a_program_is_called_as_its_script(void **state)
{
    (void)state;
    static const struct {
        const char *words[8];
        const char *name, *command; /* command: $ stands for the script */
    } rows[] = {
        { { "python3", "SCRIPT", "--lr", "1" }, "train.py", "python3 $ --lr 1" },
        { { "/usr/bin/python3.11", "-u", "SCRIPT" }, "train.py", "/usr/bin/python3.11 -u $" },
        { { "python", "-m", "SCRIPT" }, "train.py", "python -m $" },
        { { "python3", "-c", "read x < \"$0\"", "SCRIPT" }, "python3", "python3 -c read x < \"$0\" $" },
        { { "/opt/bin/trainer", "SCRIPT", "x" }, "trainer", "/opt/bin/trainer $ x" },
        { { "pythonic", "SCRIPT" }, "pythonic", "pythonic $" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char name[256], command[2000], wanted[2000];
        pid_t child = start(rows[i].words, NULL);
        tfp_proc_program(child, name, sizeof name);
        size_t size = tfp_proc_command(child, command, sizeof command);
        bool called = tfp_proc_is_called(child, rows[i].name), other = tfp_proc_is_called(child, "train");
        stop(child);
        if (strcmp(name, rows[i].name) != 0) fail_msg("%zu: %s", i, name);
        assert_true(called && !other && size == strlen(command));
        const char *at = strrchr(rows[i].command, '$');
        snprintf(wanted, sizeof wanted, "%.*s%s%s", (int)(at - rows[i].command), rows[i].command, script, at + 1);
        assert_string_equal(command, wanted);
    }
}

static void a_long_command_is_cut(void **state)
{
    (void)state;
    static char word[5000];
    char name[8], command[64];
    memset(word, 'x', sizeof word - 1);
    const char *const words[] = { "python3", "SCRIPT", word, NULL };
    pid_t child = start(words, NULL);
    size_t size = tfp_proc_command(child, command, sizeof command);
    assert_true(size == strlen(command) && size < sizeof command && strncmp(command, "python3 ", 8) == 0);
    tfp_proc_program(child, name, sizeof name);
    assert_string_equal(name, "train.p"); /* as much as there is room for */
    stop(child);
    tfp_proc_program(child, name, sizeof name);
    assert_string_equal(name, ""); /* it has ended */
    assert_int_equal(tfp_proc_command(child, command, sizeof command), 0);
}

typedef struct selected {
    const char *selector;
    bool is;
} selected;

static void check(const char *const *settings, const selected *rows, size_t count)
{
    const char *const words[] = { "python3", "SCRIPT", NULL };
    pid_t child = start(words, settings);
    for (size_t i = 0; i < count; i++)
        if (tfp_proc_is_called(child, rows[i].selector) != rows[i].is)
            fail_msg("%s is %d", rows[i].selector, !rows[i].is);
    stop(child);
}

#define ROWS(table) (sizeof table / sizeof *table)

static void jobs_of_slurm_by_number(void **state)
{
    (void)state;
    static const char *const one[] = { "SLURM_JOB_ID=4711", "X=SLURM_JOB_ID=9", NULL };
    static const selected of_one[] = { { "slurm@4711", true }, { "slurm@471", false },    { "slurm@47110", false },
                                       { "slurm@", false },    { "slurm@4711_1", false }, { "slurm@9", false },
                                       { "k8s@4711", false },  { "4711", false },         { "train.py", true } };
    check(one, of_one, ROWS(of_one));
    static const char *const array[] = { "SLURM_JOB_ID=4720", "SLURM_ARRAY_JOB_ID=4711", "SLURM_ARRAY_TASK_ID=2",
                                         NULL };
    static const selected of_array[] = { { "slurm@4711", true },   { "slurm@4720", true },    { "slurm@4711_2", true },
                                         { "slurm@4711_", false }, { "slurm@4711_3", false }, { "slurm@_2", false } };
    check(array, of_array, ROWS(of_array));
    static const char *const old[] = { "SLURM_JOBID=4711", NULL };
    static const selected of_old[] = { { "slurm@4711", true } };
    check(old, of_old, ROWS(of_old));
}

static void pods_of_kubernetes_by_name(void **state)
{
    (void)state;
    static const char *const pod[] = { "KUBERNETES_SERVICE_HOST=10.0.0.1", "HOSTNAME=trainer-0", "JOB_NAME=trainer",
                                       NULL };
    static const selected of_pod[] = {
        { "k8s@trainer-0", true }, { "k8s@trainer", true }, { "k8s@train", false }, { "k8s@", false }
    };
    check(pod, of_pod, ROWS(of_pod));
    static const char *const machine[] = { "HOSTNAME=trainer-0", NULL }; /* no pod: a machine of that name */
    static const selected of_machine[] = { { "k8s@trainer-0", false } };
    check(machine, of_machine, ROWS(of_machine));
}

static void frameworks_by_name(void **state)
{
    (void)state;
    char text[TFP_FRAMEWORK_ROOM];
    assert_true(tfp_framework_names(TFP_FRAMEWORK_TORCH | TFP_FRAMEWORK_JAX | TFP_FRAMEWORK_PYTHON, text));
    assert_string_equal(text, "jax|torch");
    assert_false(tfp_framework_names(TFP_FRAMEWORK_PYTHON, text));
    assert_string_equal(text, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_program_is_called_as_its_script, begin, end),
        cmocka_unit_test_setup_teardown(a_long_command_is_cut, begin, end),
        cmocka_unit_test_setup_teardown(jobs_of_slurm_by_number, begin, end),
        cmocka_unit_test_setup_teardown(pods_of_kubernetes_by_name, begin, end),
        cmocka_unit_test(frameworks_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
