// SPDX-License-Identifier: Apache-2.0
/* tests/unit/watch/test_watch_store.c: the store of `watch`: what is written comes back, also from a journal that was cut short, and once only. */
#include "../support.h"

#include "watch/store/show.h"
#include "tfprof/fleet.h"
#include "tfprof/watch.h"
#include "watch/store/store.h"

#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static tfp_watch_step step_of(int64_t number)
{
    tfp_watch_step s;
    tfp_watch_clear(TFP_WATCH_STEPS, &s);
    s.run = TFP_STR("5d7c");
    s.job = TFP_STR("train.py");
    s.rank = 1;
    s.step = number;
    s.start = 1795959140302025 + number * 50000;
    s.duration_us = 50000.5;
    s.lines = number % 2 ? TFP_STR("/x/train.py:9:load 1") : TFP_STR("");
    return s;
}

static tfp_watch_finding finding_of(int64_t ended)
{
    tfp_watch_finding f;
    tfp_watch_clear(TFP_WATCH_FINDINGS, &f);
    f.run = TFP_STR("5d7c");
    f.kind = TFP_STR("late");
    f.since = 1795959140302025;
    f.ended = ended;
    return f;
}

static tfp_status keep(void *ctx, tfp_watch_table_id table, const void *row, tfp_error *err)
{
    (void)table, (void)err;
    return watch_rows_add(ctx, row) ? TFP_OK : TFP_NOMEM;
}

static watch_rows read_table(const char *dir, tfp_watch_table_id table)
{
    watch_rows rows;
    tfp_buf notes = { 0 };
    assert_true(watch_rows_start(&rows, table));
    assert_int_equal(watch_store_read(dir, table, keep, &rows, &notes, NULL), TFP_OK);
    assert_int_equal(notes.size, 0);
    return rows;
}

static size_t count_of(const char *dir, tfp_watch_table_id table)
{
    watch_rows rows = read_table(dir, table);
    size_t n = rows.size;
    watch_rows_free(&rows);
    return n;
}

static char *path_in(const char *folder, const char *name, char out[300])
{
    snprintf(out, 300, "%s/%s", folder, name);
    return out;
}

static void rows_are_there_before_and_after_the_end(void **state)
{
    (void)state;
    char *folder = new_folder(), dir[300];
    watch_store s;
    path_in(folder, "store", dir);
    assert_int_equal(watch_store_open(&s, dir, NULL), TFP_OK);
    for (int64_t i = 1; i <= 300; i++) {
        tfp_watch_step row = step_of(i);
        assert_true(watch_store_put(&s, TFP_WATCH_STEPS, &row));
    }
    tfp_watch_finding f = finding_of(TFP_ABSENT), over = finding_of(1795959150302025);
    assert_true(watch_store_put(&s, TFP_WATCH_FINDINGS, &f));
    assert_true(watch_store_put(&s, TFP_WATCH_FINDINGS, &over));
    assert_int_equal(watch_store_tick(&s, NULL), TFP_OK);
    assert_int_equal(count_of(dir, TFP_WATCH_STEPS), 300);
    assert_int_equal(watch_store_close(&s, NULL), TFP_OK);
    watch_rows steps = read_table(dir, TFP_WATCH_STEPS), findings = read_table(dir, TFP_WATCH_FINDINGS);
    assert_int_equal(steps.size, 300);
    const tfp_watch_step *last = (const tfp_watch_step *)(const void *)steps.at + 298;
    assert_int_equal(last->step, 299);
    assert_true(tfp_str_eq(last->lines, TFP_STR("/x/train.py:9:load 1")));
    assert_true(isnan(last->late_us));
    assert_int_equal(last->steps, TFP_ABSENT);
    assert_null(last->host.data);
    assert_true(last->duration_us == 50000.5);
    assert_int_equal(findings.size, 1); /* the last one counts */
    assert_int_equal(((const tfp_watch_finding *)(const void *)findings.at)->ended, 1795959150302025);
    watch_rows_free(&steps);
    watch_rows_free(&findings);
    drop_folder(folder);
}

/* A store as a killed watch leaves it. */
static void leave_journal(const char *dir, int64_t rows)
{
    pid_t pid = fork();
    if (!pid) {
        watch_store s;
        bool ok = watch_store_open(&s, dir, NULL) == TFP_OK;
        for (int64_t i = 1; i <= rows && ok; i++) {
            tfp_watch_step row = step_of(i);
            ok = watch_store_put(&s, TFP_WATCH_STEPS, &row);
        }
        _exit(ok && watch_store_tick(&s, NULL) == TFP_OK ? 0 : 1);
    }
    int status = 1;
    assert_true(waitpid(pid, &status, 0) == pid && status == 0);
}

static void the_next_watch_takes_over_the_journal(void **state)
{
    (void)state;
    char *folder = new_folder(), dir[300], journal[400];
    watch_store s;
    path_in(folder, "store", dir);
    leave_journal(dir, 40);
    assert_int_equal(count_of(dir, TFP_WATCH_STEPS), 40);
    path_in(dir, "_journal", journal);
    tfp_buf bytes = { 0 };
    assert_int_equal(tfp_read_file(journal, 1 << 20, &bytes, NULL), TFP_OK);
    assert_int_equal(truncate(journal, (off_t)bytes.size - 5), 0); /* the last record is not whole */
    assert_int_equal(count_of(dir, TFP_WATCH_STEPS), 39);
    assert_int_equal(watch_store_open(&s, dir, NULL), TFP_OK);
    assert_int_equal(watch_store_close(&s, NULL), TFP_OK);
    assert_int_equal(count_of(dir, TFP_WATCH_STEPS), 39);
    /* killed after the part and before the removal of the journal: no row counts twice */
    free(file_in(dir, "_journal", bytes.data, bytes.size));
    assert_int_equal(count_of(dir, TFP_WATCH_STEPS), 39);
    assert_int_equal(watch_store_open(&s, dir, NULL), TFP_OK);
    assert_int_equal(watch_store_close(&s, NULL), TFP_OK);
    assert_int_equal(count_of(dir, TFP_WATCH_STEPS), 39);
    tfp_buf_free(&bytes);
    drop_folder(folder);
}

static void a_damaged_journal_keeps_what_came_before(void **state)
{
    (void)state;
    char *folder = new_folder(), dir[300], journal[400];
    path_in(folder, "store", dir);
    leave_journal(dir, 40);
    path_in(dir, "_journal", journal);
    int fd = open(journal, O_WRONLY);
    assert_true(fd >= 0 && pwrite(fd, "\xff\xff", 2, 2000) == 2);
    close(fd);
    size_t n = count_of(dir, TFP_WATCH_STEPS);
    assert_in_range(n, 1, 39);
    drop_folder(folder);
}

static void other_folders_and_a_second_watch_are_refused(void **state)
{
    (void)state;
    char *folder = new_folder(), dir[300];
    watch_store s, other;
    tfp_error err = { 0 };
    free(file_in(folder, "x", "", 0));
    assert_int_equal(watch_store_open(&other, folder, &err), TFP_BADFILE);
    assert_non_null(strstr(tfp_error_message(&err), "not a store of tfprof watch"));
    watch_store_close(&other, NULL);
    path_in(folder, "store", dir);
    assert_int_equal(watch_store_open(&s, dir, NULL), TFP_OK);
    pid_t pid = fork();
    if (!pid) _exit(watch_store_open(&other, dir, NULL) == TFP_BADFILE ? 0 : 1);
    int status = 1;
    assert_true(waitpid(pid, &status, 0) == pid && status == 0);
    assert_int_equal(watch_store_close(&s, NULL), TFP_OK);
    drop_folder(folder);
}

/* A disk that is full from the second second on: the watch goes on, and says at its end that rows are missing. */
static int fill_up(const char *dir)
{
    watch_store s;
    struct rlimit small = { 9000, RLIM_INFINITY }, none = { RLIM_INFINITY, RLIM_INFINITY };
    tfp_error err = { 0 };
    signal(SIGXFSZ, SIG_IGN);
    if (watch_store_open(&s, dir, NULL)) return 1;
    for (int64_t i = 1; i <= 400; i++) {
        tfp_watch_step row = step_of(i);
        if (!watch_store_put(&s, TFP_WATCH_STEPS, &row)) return 2;
        if (i % 20 == 0 && watch_store_tick(&s, &err)) return 3;
        if (i == 20 && setrlimit(RLIMIT_FSIZE, &small)) return 4;
    }
    for (int64_t i = 401; i <= 60000; i++) { /* too many to wait for room */
        tfp_watch_step row = step_of(i);
        if (!watch_store_put(&s, TFP_WATCH_STEPS, &row)) return 6;
    }
    watch_journal_flush(&s.journal);
    if (setrlimit(RLIMIT_FSIZE, &none)) return 7;
    tfp_watch_step last = step_of(99999); /* there is room again: its texts are numbered anew */
    last.lines = TFP_STR("/x/other.py:1:f 1");
    if (!watch_store_put(&s, TFP_WATCH_STEPS, &last)) return 8;
    return watch_store_close(&s, &err) == TFP_BADOUTPUT && strstr(tfp_error_message(&err), " rows are missing") &&
                   !strstr(tfp_error_message(&err), "(0 rows")
               ? 0
               : 5;
}

static void a_full_disk_loses_rows_and_nothing_else(void **state)
{
    (void)state;
    char *folder = new_folder(), dir[300];
    path_in(folder, "store", dir);
    pid_t pid = fork();
    if (!pid) _exit(fill_up(dir));
    int status = 1;
    assert_true(waitpid(pid, &status, 0) == pid);
    assert_int_equal(status, 0);
    watch_rows rows = read_table(dir, TFP_WATCH_STEPS);
    const tfp_watch_step *last = (const tfp_watch_step *)(const void *)rows.at + rows.size - 1;
    assert_in_range(rows.size, 21, 399);
    assert_int_equal(last->step, 99999);
    assert_true(tfp_str_eq(last->lines, TFP_STR("/x/other.py:1:f 1")) && tfp_str_eq(last->job, TFP_STR("train.py")));
    watch_rows_free(&rows);
    drop_folder(folder);
}

/* A line of /proc/self/status in KB. */
static long memory_kb(const char *key)
{
    char text[4096];
    int fd = open("/proc/self/status", O_RDONLY);
    ssize_t n = read(fd, text, sizeof text - 1);
    close(fd);
    text[n > 0 ? n : 0] = '\0';
    const char *at = strstr(text, key);
    return at ? strtol(at + strlen(key), NULL, 10) : -1;
}

/* Two small parts and then four of 60,000 rows, whose journals have 10 MB: the process does not grow by a journal, not even for a moment. */
static int write_for_hours(const char *dir)
{
    watch_store s;
    long before = 0;
    if (watch_store_open(&s, dir, NULL)) return 1;
    for (int part = 0; part < 6; part++) {
        for (int64_t i = 0; i < (part < 2 ? 6000 : 60000); i++) {
            tfp_watch_step row = step_of(i);
            if (!watch_store_put(&s, TFP_WATCH_STEPS, &row)) return 2;
            if (i % 80 == 0 && watch_store_tick(&s, NULL)) return 3;
        }
        s.begun_ns = 0; /* ten minutes are over */
        if (watch_store_tick(&s, NULL)) return 4;
        if (part == 1) before = memory_kb("VmRSS:");
    }
    if (memory_kb("VmRSS:") > before + 2048) return 5;
    if (memory_kb("VmHWM:") > before + 4096) return 6;
    return watch_store_close(&s, NULL) == TFP_OK ? 0 : 7;
}

static void memory_does_not_grow_with_the_hours(void **state)
{
    (void)state;
#ifdef __SANITIZE_ADDRESS__
    skip(); /* it keeps freed memory */
#endif
    char *folder = new_folder(), dir[300];
    path_in(folder, "store", dir);
    pid_t pid = fork();
    if (!pid) _exit(write_for_hours(dir));
    int status = 1;
    assert_true(waitpid(pid, &status, 0) == pid);
    assert_int_equal(status, 0);
    assert_int_equal(count_of(dir, TFP_WATCH_STEPS), 252000);
    drop_folder(folder);
}

/* Two ranks over twenty days. Windows without steps, which are ten seconds long, count nowhere. */
static void steps_of_days_are_a_trend(void **state)
{
    (void)state;
    char *folder = new_folder(), dir[300];
    watch_store s;
    tfp_report *r = NULL;
    size_t regressed = 0;
    path_in(folder, "store", dir);
    assert_int_equal(watch_store_open(&s, dir, NULL), TFP_OK);
    for (int64_t day = 0; day < 20; day++)
        for (int64_t i = 0; i < 60; i++) {
            tfp_watch_step row = step_of(i);
            char run[8] = { (char)('a' + day), (char)('0' + i % 2), '\0' };
            row.run = tfp_str_of(run);
            row.rank = i % 2;
            row.date = 20780 + day;
            row.steps = i % 3 ? 1 : TFP_ABSENT;
            row.duration_us = i % 3 ? (day < 10 ? 50000 : 60000) + (double)(i * 7 % 5) * 100 : 10000000;
            assert_true(watch_store_put(&s, TFP_WATCH_STEPS, &row));
        }
    assert_int_equal(watch_store_close(&s, NULL), TFP_OK);
    assert_int_equal(tfp_index_trend(dir, NULL, NULL, &r, &regressed, NULL), TFP_OK);
    assert_int_equal(regressed, 1);
    char *csv = written(r, "csv");
    assert_non_null(strstr(csv, "\ntrain.py,,2026-12-03,"));
    assert_non_null(strstr(csv, ",20,20,"));
    free(csv);
    tfp_report_free(r);
    drop_folder(folder);
}

/* Two ranks with steps of 50 ms for 1,000 s. */
static void bands_have_few_parts_of_time(void **state)
{
    (void)state;
    char *folder = new_folder(), dir[300];
    watch_store s;
    tfp_report *r = NULL;
    tfp_error *err = tfp_error_new();
    path_in(folder, "store", dir);
    assert_int_equal(watch_store_open(&s, dir, NULL), TFP_OK);
    for (int64_t i = 0; i < 20000; i++)
        for (int64_t rank = 0; rank < 2; rank++) {
            tfp_watch_step row = step_of(i);
            row.run = rank ? TFP_STR("b") : TFP_STR("a");
            row.rank = rank;
            row.steps = 1;
            row.wait_us = rank ? 0 : 20000;
            row.late_us = rank ? 300 : NAN;
            assert_true(watch_store_put(&s, TFP_WATCH_STEPS, &row));
        }
    assert_int_equal(watch_store_close(&s, NULL), TFP_OK);
    assert_int_equal(tfp_is_watch(dir), 1);
    assert_int_equal(tfp_is_watch(folder), 0);
    const char *settings[] = { "count", "100", "job", "train.py", "from", NULL, NULL };
    assert_int_equal(tfp_watch_bands(dir, settings, NULL, &r, NULL), TFP_OK);
    char *csv = written(r, "csv");
    size_t lines = 0;
    for (const char *at = csv; *at; at++) lines += *at == '\n';
    assert_true(lines > 2 * 50 && lines <= 2 * 101 + 1); /* parts of 16 s */
    assert_non_null(strstr(csv, "\na,train.py,,0,,2026-11-29T13:32:32Z,16000000,320,,50001,20000,"));
    assert_non_null(strstr(csv, "\nb,train.py,,1,,2026-11-29T13:32:32Z,16000000,320,300,50001,0,"));
    free(csv);
    tfp_report_free(r);
    settings[3] = "other.py";
    assert_int_equal(tfp_watch_bands(dir, settings, NULL, &r, NULL), TFP_OK);
    csv = written(r, "csv");
    assert_null(strstr(csv, "train.py"));
    free(csv);
    tfp_report_free(r);
    settings[1] = "5";
    assert_fails(tfp_watch_bands(dir, settings, NULL, &r, err), err, TFP_BADARG, "from 10 to 2000");
    tfp_error_free(err);
    drop_folder(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_there_before_and_after_the_end),
        cmocka_unit_test(the_next_watch_takes_over_the_journal),
        cmocka_unit_test(a_damaged_journal_keeps_what_came_before),
        cmocka_unit_test(other_folders_and_a_second_watch_are_refused),
        cmocka_unit_test(a_full_disk_loses_rows_and_nothing_else),
        cmocka_unit_test(memory_does_not_grow_with_the_hours),
        cmocka_unit_test(steps_of_days_are_a_trend),
        cmocka_unit_test(bands_have_few_parts_of_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
