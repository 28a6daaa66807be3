// SPDX-License-Identifier: Apache-2.0
/* tests/unit/base/test_place.c: where written files are placed: whose symbolic links are followed, and which paths are
 * allowed. */
#include "support.h"

#include "base/io.h"

#include <sys/stat.h>
#include <unistd.h>

/* Runs as root: links that uid 65534 puts into a folder. */
static void links_of_others_are_not_followed_where_they_may_write(void **state)
{
    (void)state;
    if (geteuid() != 0) return;
    static const struct {
        mode_t mode;
        uid_t folder, link;
        bool followed;
    } cases[] = { { 0755, 0, 65534, true },      { 01777, 0, 65534, false }, { 0775, 0, 65534, false },
                  { 0755, 65534, 65534, false }, { 0755, 65534, 0, true },   { 01777, 0, 0, true } };
    tfp_error *err = tfp_error_new();
    tfp_outfile f;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *folder = new_folder(), *target = file_in(folder, "target", "old", 3), link[300];
        snprintf(link, sizeof link, "%s/link", folder);
        assert_int_equal(symlink(target, link), 0);
        assert_int_equal(lchown(link, cases[i].link, 0), 0);
        assert_int_equal(chown(folder, cases[i].folder, 0), 0);
        assert_int_equal(chmod(folder, cases[i].mode), 0);
        tfp_status s = tfp_outfile_open(&f, link, err);
        if (cases[i].followed)
            assert_int_equal(s, TFP_OK);
        else
            assert_fails(s, err, TFP_BADOUTPUT, "'link' is a link of user");
        tfp_outfile_abandon(&f);
        free(target);
        drop_folder(folder);
    }
    tfp_error_free(err);
}

/* The folder stays open: if another folder gets its name in the meantime, the file does not go there. */
static void a_file_goes_to_the_folder_that_was_found(void **state)
{
    (void)state;
    char *folder = new_folder(), moved[300], path[300];
    tfp_outfile f;
    struct stat st;
    snprintf(moved, sizeof moved, "%s.moved", folder);
    snprintf(path, sizeof path, "%s/out", folder);
    assert_int_equal(tfp_outfile_open(&f, path, NULL), TFP_OK);
    assert_int_equal(rename(folder, moved), 0);
    assert_int_equal(mkdir(folder, 0700), 0);
    assert_int_equal(tfp_outfile_finish(&f, NULL), TFP_OK);
    assert_int_equal(rmdir(folder), 0);
    assert_int_equal(rename(moved, folder), 0);
    assert_int_equal(stat(path, &st), 0);
    drop_folder(folder);
}

/* Long chains of links end with an error, and so do paths through something that is no folder. */
static void odd_paths_are_refused(void **state)
{
    (void)state;
    tfp_error *err = tfp_error_new();
    tfp_outfile f;
    char *folder = new_folder(), *file = file_in(folder, "file", "old", 3), path[300 + 300];
    snprintf(path, sizeof path, "%s/loop", folder);
    assert_int_equal(symlink("loop", path), 0);
    assert_fails(tfp_outfile_open(&f, path, err), err, TFP_BADOUTPUT, "Too many levels of symbolic links");
    snprintf(path, sizeof path, "%s/file/x", folder);
    assert_fails(tfp_outfile_open(&f, path, err), err, TFP_BADOUTPUT, "Not a directory");
    snprintf(path, sizeof path, "%s/file/", folder);
    assert_fails(tfp_outfile_open(&f, path, err), err, TFP_BADOUTPUT, "Not a directory");
    snprintf(path, sizeof path, "%s/%0260d", folder, 0);
    assert_fails(tfp_outfile_open(&f, path, err), err, TFP_BADOUTPUT, "File name too long");
    assert_fails(tfp_outfile_open(&f, "", err), err, TFP_BADOUTPUT, "No such file");
    assert_fails(tfp_outfile_open(&f, "/", err), err, TFP_BADOUTPUT, "Is a directory");
    snprintf(path, sizeof path, "%s/.././%s/new", folder, strrchr(folder, '/') + 1);
    assert_int_equal(tfp_outfile_open(&f, path, err), TFP_OK);
    assert_int_equal(tfp_outfile_finish(&f, err), TFP_OK);
    snprintf(path, sizeof path, "%s/%0250d", folder, 0); /* the temporary file's name is shorter */
    assert_int_equal(tfp_outfile_open(&f, path, err), TFP_OK);
    assert_int_equal(tfp_outfile_finish(&f, err), TFP_OK);
    free(file);
    drop_folder(folder);
    tfp_error_free(err);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(links_of_others_are_not_followed_where_they_may_write),
        cmocka_unit_test(a_file_goes_to_the_folder_that_was_found),
        cmocka_unit_test(odd_paths_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
