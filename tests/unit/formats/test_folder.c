// SPDX-License-Identifier: Apache-2.0
/* tests/unit/formats/test_folder.c: which files of a folder form its newest recording. */
#include "support.h"

#include "formats/files/folder.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

/* An empty file whose modification time is that many seconds after 1970. */
static void touch(const char *folder, const char *name, time_t written)
{
    char *path = file_in(folder, name, "", 0);
    struct timespec times[2] = { { .tv_sec = written }, { .tv_sec = written } };
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
    free(path);
}

static void write_text(const char *folder, const char *name, const char *text)
{
    free(file_in(folder, name, text, strlen(text)));
}

/* The names of the files that `list` returns, each after a blank; freed by the caller. */
static char *listed(tfp_status (*list)(const char *, tfp_buf *, tfp_error *), const char *folder)
{
    tfp_buf paths = { 0 }, names = { 0 };
    tfp_error err = { 0 };
    if (list(folder, &paths, &err)) fail_msg("%s", err.text);
    for (size_t at = 0; at < paths.size; at += strlen(paths.data + at) + 1) {
        const char *path = paths.data + at;
        assert_memory_equal(path, folder, strlen(folder));
        tfp_buf_printf(&names, "%s%s", at ? " " : "", path + strlen(folder) + 1);
    }
    tfp_buf_char(&names, '\0');
    tfp_buf_free(&paths);
    return names.data;
}

#define assert_lists(list, folder, wanted)                                                                             \
    do {                                                                                                               \
        char *got_ = listed((list), (folder));                                                                         \
        assert_string_equal(got_, (wanted));                                                                           \
        free(got_);                                                                                                    \
    } while (0)

static void names_are_in_byte_order_and_none_is_hidden(void **state)
{
    (void)state;
    char *folder = new_folder();
    tfp_names names = { 0 };
    touch(folder, "b", 1);
    touch(folder, "B", 1);
    touch(folder, ".hidden", 1);
    touch(folder, "a", 1);
    assert_true(tfp_names_of(folder, &names));
    assert_int_equal(names.size, 3);
    assert_string_equal(names.at[0], "B");
    assert_string_equal(names.at[1], "a");
    assert_string_equal(names.at[2], "b");
    tfp_names_free(&names);
    assert_true(tfp_names_of("/nonexistent/folder", &names));
    assert_int_equal(names.size, 0);
    drop_folder(folder);
}

static void paths_join_with_one_slash_and_are_never_cut(void **state)
{
    (void)state;
    char out[TFP_PATH_ROOM], longest[TFP_PATH_ROOM];
    assert_true(tfp_path_join(out, "a", "b"));
    assert_string_equal(out, "a/b");
    assert_true(tfp_path_join(out, "a/", "b"));
    assert_string_equal(out, "a/b");
    memset(longest, 'x', sizeof longest);
    longest[TFP_PATH_ROOM - 3] = '\0';
    assert_true(tfp_path_join(out, longest, "b"));
    longest[TFP_PATH_ROOM - 3] = 'x';
    longest[TFP_PATH_ROOM - 2] = '\0';
    assert_false(tfp_path_join(out, longest, "b"));
    assert_true(tfp_name_ends("a.json", ".json"));
    assert_false(tfp_name_ends(".json", ".json"));
}

static void the_profile_written_last_counts_and_of_equally_old_ones_the_highest_step(void **state)
{
    (void)state;
    char *folder = new_folder();
    assert_false(tfp_profile_is_folder(folder));
    touch(folder, "profile_9", 100);
    touch(folder, "profile_10", 100);
    assert_true(tfp_profile_is_folder(folder));
    assert_lists(tfp_profile_list, folder, "profile_10");
    touch(folder, "profile_2.gz", 101);
    assert_lists(tfp_profile_list, folder, "profile_2.gz");
    drop_folder(folder);
}

static void other_names_are_no_profiles(void **state)
{
    (void)state;
    static const char *const names[] = { "profile_",     "profile_x",  "profile_3.bak",
                                         "my_profile_3", "profile_-1", "profile_1234567890123456789" };
    char *folder = new_folder();
    tfp_buf paths = { 0 };
    tfp_error err = { 0 };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) touch(folder, names[i], 100);
    assert_false(tfp_profile_is_folder(folder));
    assert_fails(tfp_profile_list(folder, &paths, &err), &err, TFP_BADFILE, "without profile_N");
    drop_folder(folder);
}

static void a_merged_trace_is_not_read_beside_those_of_its_ranks(void **state)
{
    (void)state;
    char *folder = new_folder();
    touch(folder, "merged-17.trace.json.gz", 9);
    assert_lists(tfp_kineto_list, folder, "merged-17.trace.json.gz");
    touch(folder, "16-TP-0-DP-0.trace.json.gz", 1);
    touch(folder, "17-TP-0-DP-0.trace.json.gz", 7);
    touch(folder, "17-TP-1-DP-0.trace.json.gz", 6);
    assert_lists(tfp_kineto_list, folder, "17-TP-0-DP-0.trace.json.gz 17-TP-1-DP-0.trace.json.gz");
    tfp_buf paths = { 0 };
    tfp_error err = { 0 };
    size_t merged = 0;
    assert_int_equal(tfp_kineto_list(folder, &paths, &err), TFP_OK);
    assert_int_equal(tfp_kineto_older(folder, &paths, &merged), 1); /* of the earlier recording */
    assert_int_equal(merged, 1);
    tfp_buf_free(&paths);
    drop_folder(folder);

    folder = new_folder();
    touch(folder, "rank0.json", 1);
    touch(folder, "rank1.json", 1);
    touch(folder, "all_ranks.json", 2);
    assert_lists(tfp_kineto_list, folder, "rank0.json rank1.json");
    drop_folder(folder);
}

static void each_worker_of_pytorch_gives_its_last_trace(void **state)
{
    (void)state;
    char *folder = new_folder();
    touch(folder, "host_1.1700000000001.pt.trace.json", 5);
    touch(folder, "host_1.1700000000009.pt.trace.json.gz", 1);
    touch(folder, "host_2.1700000000003.pt.trace.json", 1);
    touch(folder, "rank0.json", 9); /* the order: workers, ranks, other traces */
    touch(folder, "trace.json", 9);
    assert_true(tfp_kineto_is_folder(folder));
    assert_lists(tfp_kineto_list, folder, "host_1.1700000000009.pt.trace.json.gz host_2.1700000000003.pt.trace.json");
    drop_folder(folder);
}

static void ranks_are_all_taken_and_of_other_traces_the_newest(void **state)
{
    (void)state;
    char *folder = new_folder();
    tfp_buf paths = { 0 };
    tfp_error err = { 0 };
    touch(folder, "notes.json", 9);
    assert_fails(tfp_kineto_list(folder, &paths, &err), &err, TFP_BADFILE, "without traces");
    touch(folder, "my_trace.json", 5);
    touch(folder, "old_trace.json.gz", 4);
    assert_lists(tfp_kineto_list, folder, "my_trace.json");
    touch(folder, "trace.json", 7); /* a file name without a rank too */
    assert_lists(tfp_kineto_list, folder, "trace.json");
    touch(folder, "rank1.json", 1);
    touch(folder, "rank0.json", 2);
    assert_lists(tfp_kineto_list, folder, "rank0.json rank1.json");
    drop_folder(folder);
}

static void the_file_checkpoint_names_a_prefix(void **state)
{
    (void)state;
    char *folder = new_folder();
    assert_false(tfp_checkpoint_is_folder(folder));
    write_text(folder, "checkpoint",
               "all_model_checkpoint_paths: \"other\"\n"
               "model_checkpoint_path: \"model\\\"s-7\"\n");
    assert_true(tfp_checkpoint_is_folder(folder));
    assert_lists(tfp_checkpoint_list, folder, "model\"s-7");
    write_text(folder, "checkpoint", "model_checkpoint_path: \"\"\n");
    assert_false(tfp_checkpoint_is_folder(folder));
    drop_folder(folder);
}

static void a_checkpoint_that_moved_is_found_by_its_name(void **state)
{
    (void)state;
    char *folder = new_folder(), *elsewhere = new_folder(), text[256];
    tfp_buf paths = { 0 };
    snprintf(text, sizeof text, "model_checkpoint_path: \"%s/model-7\"\n", elsewhere);
    write_text(folder, "checkpoint", text);
    assert_lists(tfp_checkpoint_list, folder, "model-7");
    touch(elsewhere, "model-7.index", 1); /* now it is at the path that the file names */
    assert_int_equal(tfp_checkpoint_list(folder, &paths, NULL), TFP_OK);
    assert_memory_equal(paths.data, elsewhere, strlen(elsewhere));
    tfp_buf_free(&paths);
    drop_folder(folder);
    drop_folder(elsewhere);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_in_byte_order_and_none_is_hidden),
        cmocka_unit_test(paths_join_with_one_slash_and_are_never_cut),
        cmocka_unit_test(the_profile_written_last_counts_and_of_equally_old_ones_the_highest_step),
        cmocka_unit_test(other_names_are_no_profiles),
        cmocka_unit_test(a_merged_trace_is_not_read_beside_those_of_its_ranks),
        cmocka_unit_test(each_worker_of_pytorch_gives_its_last_trace),
        cmocka_unit_test(ranks_are_all_taken_and_of_other_traces_the_newest),
        cmocka_unit_test(the_file_checkpoint_names_a_prefix),
        cmocka_unit_test(a_checkpoint_that_moved_is_found_by_its_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
