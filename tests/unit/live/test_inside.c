// SPDX-License-Identifier: Apache-2.0
/* Folders and settings of other processes, as /proc shows them. */
#include "live/proc/namespace.h"
#include "support.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void folders_of_a_process_are_opened_without_links(void **state)
{
    (void)state;
    char folder[] = "/tmp/tfprof_inside_XXXXXX", name[64], link_name[64];
    assert_non_null(mkdtemp(folder));
    snprintf(name, sizeof name, "%s/real", folder);
    snprintf(link_name, sizeof link_name, "%s/link", folder);
    assert_int_equal(mkdir(name, 0700), 0);
    assert_int_equal(symlink(name, link_name), 0);
    int fd = tfp_inside_open(getpid(), name);
    assert_true(fd >= 0);
    close(fd);
    assert_int_equal(tfp_inside_open(getpid(), link_name), -1);
    snprintf(name, sizeof name, "%s/../tmp", folder);
    assert_int_equal(tfp_inside_open(getpid(), name), -1);
    assert_int_equal(tfp_inside_open(getpid(), "tmp"), -1);
    assert_int_equal(tfp_inside_open(getpid(), "/nowhere"), -1);
    snprintf(name, sizeof name, "%s/real", folder);
    rmdir(name);
    unlink(link_name);
    rmdir(folder);
}

/* Links are resolved below the root of the process; pipes and devices are not opened. */
static void only_plain_files_of_a_process_are_opened(void **state)
{
    (void)state;
    char folder[] = "/tmp/tfprof_inside_XXXXXX", name[64], link_name[64];
    assert_non_null(mkdtemp(folder));
    snprintf(name, sizeof name, "%s/file", folder);
    snprintf(link_name, sizeof link_name, "%s/link", folder);
    fclose(fopen(name, "we"));
    assert_int_equal(symlink(name, link_name), 0);
    for (size_t i = 0; i < 2; i++) {
        int fd = tfp_inside_file(getpid(), i ? link_name : name);
        assert_true(fd >= 0);
        close(fd);
    }
    unlink(name);
    assert_int_equal(mkfifo(name, 0600), 0);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(tfp_inside_file(getpid(), i ? link_name : name), -1);
        assert_int_equal(errno, EINVAL);
    }
    assert_int_equal(tfp_inside_file(getpid(), "/dev/null"), -1);
    assert_int_equal(errno, EINVAL);
    assert_int_equal(tfp_inside_file(getpid(), "/proc/self/exe"), -1);
    assert_int_equal(tfp_inside_file(getpid(), "/nowhere"), -1);
    assert_int_equal(errno, ENOENT);
    unlink(name);
    unlink(link_name);
    rmdir(folder);
}

static void a_setting_is_read_whole_or_not_at_all(void **state)
{
    (void)state;
    char out[8];
    pid_t child = fork();
    if (!child) {
        execle("/bin/sleep", "sleep", "30", (char *)NULL,
               (char *const[]){ "LOCAL_RANK=5", "RANK=12", "EMPTY=", "LONG=12345678", NULL });
        _exit(1);
    }
    for (int i = 0; i < 500 && !tfp_proc_setting(child, "RANK", out, sizeof out); i++) usleep(10000);
    assert_string_equal(out, "12");
    assert_false(tfp_proc_setting(child, "EMPTY", out, sizeof out));
    assert_false(tfp_proc_setting(child, "LONG", out, sizeof out));
    assert_string_equal(out, "");
    assert_false(tfp_proc_setting(child, "ANK", out, sizeof out));
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(folders_of_a_process_are_opened_without_links),
        cmocka_unit_test(only_plain_files_of_a_process_are_opened),
        cmocka_unit_test(a_setting_is_read_whole_or_not_at_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
