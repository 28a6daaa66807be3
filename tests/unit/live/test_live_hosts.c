// SPDX-License-Identifier: Apache-2.0
/* tests/unit/live/test_live_hosts.c: tables of several machines as one: agents may send anything, and what is no table is left out with a
 * reason; and which ranks of a job the others wait for. */
#include "support.h"

#include "tfprof/live.h"

#include <string.h>

typedef struct fleet {
    tfp_live_host hosts[4];
    tfp_report *table;
} fleet;

/* Joins the answers of machines that are called m0, m1 ... */
static fleet join(const char *table, const char *const *csv, size_t count)
{
    static const char *const names[] = { "m0", "m1", "m2", "m3" };
    fleet f = { .table = NULL };
    tfp_error err = { 0 };
    for (size_t i = 0; i < count; i++)
        f.hosts[i] = (tfp_live_host){ .host = names[i], .csv = csv[i], .size = csv[i] ? strlen(csv[i]) : 0 };
    if (tfp_live_hosts(table, f.hosts, count, NULL, &f.table, &err) != TFP_OK) fail_msg("%s", tfp_error_message(&err));
    return f;
}

static void expect_text(const fleet *f, size_t row, const char *column, const char *wanted)
{
    char text[1000] = "";
    tfp_report_string(f->table, row, column, text, sizeof text);
    if (strcmp(text, wanted) != 0) fail_msg("row %zu, %s: '%s', not '%s'", row, column, text, wanted);
}

static int64_t number(const fleet *f, size_t row, const char *column)
{
    int64_t n = -1;
    tfp_report_int(f->table, row, column, &n);
    return n;
}

/* ---- tables that are right ---- */

static void machines_stand_side_by_side(void **state)
{
    (void)state;
    static const char *const csv[] = { "job,pid,user,cpu\r\n7,7,ann,1.5\r\n", "pid,cpu,job\n9,0.25,8\n10,,\n", NULL };
    fleet f = join("top", csv, 3);
    assert_int_equal(tfp_report_row_count(f.table), 3);
    for (size_t i = 0; i < 3; i++) {
        double cpu = -1;
        int64_t pid = number(&f, i, "pid");
        bool there = tfp_report_real(f.table, i, "cpu", &cpu) && !tfp_report_absent(f.table, i, "cpu");
        expect_text(&f, i, "host", pid == 7 ? "m0" : "m1");
        expect_text(&f, i, "user", pid == 7 ? "ann" : ""); /* the second one does not tell */
        if (pid == 7) assert_true(there && cpu == 1.5);
        if (pid == 9) assert_true(there && cpu == 0.25);
        if (pid == 10) assert_false(there); /* an empty cell is no zero */
    }
    assert_true(f.hosts[0].rows == 1 && f.hosts[1].rows == 2 && f.hosts[2].rows == 0);
    assert_false(f.hosts[0].bad || f.hosts[1].bad || f.hosts[2].bad);
    tfp_report_free(f.table);
}

static void cells_are_unquoted(void **state)
{
    (void)state;
    static const char *const csv[] = {
        "pid,command\n1,\"a, \"\"b\"\"\nc\"\n2,'=1+1\n3,'plain\n4,\"\"\n5,\"=x\"\n6,\"never ends\n"
    };
    static const char *const wanted[] = { "", "a, \"b\"\\x0ac", "=1+1", "'plain", "", "=x", "never ends\\x0a" };
    fleet f = join("top", csv, 1);
    assert_int_equal(tfp_report_row_count(f.table), 6);
    for (size_t i = 0; i < 6; i++) {
        char text[100] = "";
        tfp_report_string(f.table, i, "command", text, sizeof text);
        if (strcmp(text, wanted[number(&f, i, "pid")]) != 0) fail_msg("pid %d: '%s'", (int)number(&f, i, "pid"), text);
    }
    tfp_report_free(f.table);
}

static void numbers_that_are_none_are_absent(void **state)
{
    (void)state;
    static const char *const csv[] = { "pid,cpu,threads\n1,much,many\n2,1e400,99999999999999999999\n3,0x10,-\n" };
    fleet f = join("top", csv, 1);
    assert_int_equal(tfp_report_row_count(f.table), 3);
    for (size_t i = 0; i < 3; i++) assert_true(tfp_report_absent(f.table, i, "threads"));
    tfp_report_free(f.table);
}

/* ---- tables that are wrong ---- */

static void what_is_no_table_is_left_out(void **state)
{
    (void)state;
    static const struct {
        const char *csv, *why;
    } rows[] = {
        { "", "no table of jobs" },
        { "<html>", "no table of jobs" },
        { "user,cpu\nann,1\n", "no table of jobs" }, /* without pid */
        { "pid,cpu\n1\n", "different lengths" },
        { "pid,cpu\n1,2,3\n", "different lengths" },
        { "pid,cpu\n1,2\n\n", "different lengths" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *const csv[] = { "pid\n1\n", rows[i].csv, "pid\n2\n" };
        fleet f = join("top", csv, 3);
        if (!f.hosts[1].bad || !strstr(f.hosts[1].why, rows[i].why)) fail_msg("%s: %s", rows[i].csv, f.hosts[1].why);
        assert_int_equal(f.hosts[1].rows, 0);
        assert_int_equal(tfp_report_row_count(f.table), 2); /* the others are shown */
        tfp_report_free(f.table);
    }
}

static void a_nul_is_refused(void **state)
{
    (void)state;
    tfp_live_host h = { .host = "m", .csv = "pid,user\n1,a\0b\n", .size = 15 };
    tfp_report *r = NULL;
    tfp_error err = { 0 };
    assert_int_equal(tfp_live_hosts("top", &h, 1, NULL, &r, &err), TFP_OK);
    assert_true(h.bad && tfp_report_row_count(r) == 0);
    tfp_report_free(r);
    assert_int_equal(tfp_live_hosts("ranks", &h, 1, NULL, &r, &err), TFP_BADARG);
    assert_null(r);
    assert_int_equal(tfp_live_hosts("top", NULL, 1, NULL, &r, &err), TFP_BADARG);
}

static void rows_are_limited(void **state)
{
    (void)state;
    tfp_buf text = { 0 };
    tfp_buf_printf(&text, "pid\n");
    for (int i = 0; i < 10000; i++) tfp_buf_printf(&text, "%d\n", i + 1);
    tfp_buf_add(&text, "", 1);
    const char *const fits[] = { text.data };
    fleet f = join("top", fits, 1);
    assert_true(!f.hosts[0].bad && f.hosts[0].rows == 10000);
    tfp_report_free(f.table);
    text.size--;
    tfp_buf_add(&text, "1\n", 3);
    const char *const more[] = { text.data };
    f = join("top", more, 1);
    assert_true(f.hosts[0].bad && f.hosts[0].rows == 0 && strstr(f.hosts[0].why, "more than 10000 rows"));
    tfp_report_free(f.table);
    tfp_buf_free(&text);
}

static void columns_without_end_do_no_harm(void **state)
{
    (void)state;
    tfp_buf text = { 0 };
    for (int row = 0; row < 2; row++) {
        for (int i = 0; i < 5000; i++) tfp_buf_printf(&text, "%s,", row ? "1" : "x");
        tfp_buf_printf(&text, "%s\n", row ? "1" : "pid"); /* beyond the cells that are kept */
    }
    tfp_buf_add(&text, "", 1);
    const char *const csv[] = { text.data };
    fleet f = join("top", csv, 1);
    assert_true(f.hosts[0].bad);
    tfp_report_free(f.table);
    tfp_buf_free(&text);
}

/* ---- recordings ---- */

static void files_get_the_folder_of_their_machine(void **state)
{
    (void)state;
    tfp_live_host h[] = { { .host = "a", .folder = "a_1", .csv = "pid,file\n1,7/x.pb\n2,\n", .size = 20 },
                          { .host = "b", .csv = "pid,file\n3,8/y.pb\n", .size = 18 } };
    fleet f = { .table = NULL };
    tfp_error err = { 0 };
    assert_int_equal(tfp_live_hosts("capture", h, 2, NULL, &f.table, &err), TFP_OK);
    assert_int_equal(tfp_report_row_count(f.table), 3);
    static const char *const wanted[] = { "", "a_1/7/x.pb", "", "8/y.pb" };
    for (size_t i = 0; i < 3; i++) expect_text(&f, i, "file", wanted[number(&f, i, "pid")]);
    tfp_report_free(f.table);
}

/* ---- ranks ---- */

#define RANKS "rank,world,pid,collective,line,why\n"

static void the_rank_that_keeps_others_waiting(void **state)
{
    (void)state;
    static const struct {
        const char *rows, *verdict;
        const char *findings[4]; /* by rank */
    } cases[] = {
        { "0,3,1,all_reduce,a.py:1,\n1,3,2,all_reduce,a.py:1,\n2,3,3,,data.py:9,\n",
          "rank 2 is at data.py:9, and rank 0|1 waits in all_reduce",
          { "waits", "waits", "missing" } },
        { "0,2,1,all_reduce,a.py:1,\n1,2,2,broadcast,b.py:2,\n",
          "no rank alone: rank 0 is at a.py:1 in all_reduce, rank 1 is at b.py:2 in broadcast",
          { "order", "order" } },
        { "0,3,1,all_reduce,a.py:1,\n1,3,2,all_reduce,a.py:2,\n2,3,3,all_reduce,a.py:1,\n", /* another line */
          "rank 1 is at a.py:2, in all_reduce, and rank 0|2 waits in all_reduce",
          { "waits", "order", "waits" } },
        { "0,2,1,all_reduce,a.py:1,\n1,2,2,all_reduce,a.py:1,\n",
          "all 2 ranks wait in all_reduce, at a.py:1",
          { "waits", "waits" } },
        { "0,2,1,all_reduce,a.py:1,\n1,2,2,,,denied\n",
          "unknown: 1 of 2 ranks were not read, and rank 0 waits in all_reduce, at a.py:1",
          { "waits", "unread" } },
        { "0,3,1,,a.py:1,\n1,3,2,,a.py:1,\n2,3,3,,b.py:2,\n",
          "rank 2 is at b.py:2, where most are at a.py:1",
          { "", "", "elsewhere" } },
        { "0,2,1,,a.py:1,\n1,2,2,,b.py:2,\n", "no rank is in a collective", { "", "" } }, /* there is no majority */
        { "0,1,1,,a.py:1,\n", "nothing to compare", { "" } },
        { "0,1,1,,,denied\n", "nothing to compare", { "unread" } },
        { "0,4,1,all_reduce,a.py:1,\n3,4,2,all_reduce,a.py:1,\n",
          "unknown: 2 of 4 ranks are not among these processes, and rank 0|3 waits in all_reduce",
          { "waits", "", "", "waits" } },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char csv[600], verdict[600] = "";
        snprintf(csv, sizeof csv, RANKS "%s", cases[i].rows);
        const char *const one[] = { csv };
        fleet f = join("hang", one, 1);
        if (f.hosts[0].bad) fail_msg("%s", f.hosts[0].why);
        for (size_t k = 0; k < tfp_report_row_count(f.table); k++)
            expect_text(&f, k, "finding", cases[i].findings[number(&f, k, "rank")]);
        char *text = written(f.table, "text");
        snprintf(verdict, sizeof verdict, "%s", cases[i].verdict);
        if (!strstr(text, verdict)) fail_msg("%s: %s", cases[i].rows, text);
        free(text);
        tfp_report_free(f.table);
    }
}

static void a_rank_of_another_machine_is_found(void **state)
{
    (void)state;
    static const char *const csv[] = { RANKS "0,3,1,all_reduce,a.py:1,\n1,3,2,all_reduce,a.py:1,\n",
                                       RANKS ",,77,,\033[2Jdata.py:9,\n" };
    fleet f = join("hang", csv, 2);
    char *text = written(f.table, "text");
    assert_non_null(strstr(text, "rank of process 77 is at "));
    assert_null(strchr(text, '\033')); /* a terminal must not get what an agent sends */
    free(text);
    tfp_report_free(f.table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(machines_stand_side_by_side),
        cmocka_unit_test(cells_are_unquoted),
        cmocka_unit_test(numbers_that_are_none_are_absent),
        cmocka_unit_test(what_is_no_table_is_left_out),
        cmocka_unit_test(a_nul_is_refused),
        cmocka_unit_test(rows_are_limited),
        cmocka_unit_test(columns_without_end_do_no_harm),
        cmocka_unit_test(files_get_the_folder_of_their_machine),
        cmocka_unit_test(the_rank_that_keeps_others_waiting),
        cmocka_unit_test(a_rank_of_another_machine_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
