// SPDX-License-Identifier: Apache-2.0
/* tests/unit/server/test_server_remote.c: what tfprof does with the answers of another machine's agent: it takes complete tables and
 * recordings, and refuses with a reason what is cut, too long, out of order, or would be written elsewhere. */
#include "peer.h"

#include "agent/agent.h"
#include "http/clock.h"

#include <fcntl.h>
#include <sys/stat.h>

#define HEAD "HTTP/1.1 200 OK\r\n"
#define STREAM HEAD "Content-Type: application/octet-stream\r\n\r\n"
#define MANIFEST "file manifest.json 2\n{}"
#define REPORT "report 0 5\ntable"

typedef struct taken {
    tfp_buf got;
    char why[300];
    int status;
    peer other;
} taken;

static bool never(const remote *r)
{
    (void)r;
    return false;
}

static bool at_once(const remote *r)
{
    (void)r;
    return true;
}

static remote to_peer(taken *t, bool (*stopped)(const remote *r))
{
    return (remote){ .address = t->other.address,
                     .token = "secret",
                     .write = collect,
                     .ctx = &t->got,
                     .bytes_most = 1000,
                     .table_most = 100,
                     .answer_ms = 5000,
                     .stopped = stopped };
}

static void drop(taken *t)
{
    peer_drop(&t->other);
    tfp_buf_free(&t->got);
}

/* ---- tables ---- */

static bool table(taken *t, peer_answer a, int64_t answer_ms)
{
    *t = (taken){ .status = 0 };
    peer_begin(&t->other, &a, 1);
    remote r = to_peer(t, never);
    r.answer_ms = answer_ms;
    bool ok = remote_table(&r, "top", "json", t->why, sizeof t->why);
    peer_end(&t->other);
    return ok;
}

static void a_table_is_asked_for_with_the_token(void **state)
{
    (void)state;
    taken t;
    assert_true(table(&t, (peer_answer){ HEAD "Content-Length: 5\r\n\r\nhello and more", 0, false, false }, 5000));
    assert_int_equal(t.got.size, 5); /* what follows the length is not the table */
    assert_memory_equal(t.got.data, "hello", 5);
    const char *asked = peer_asked(&t.other, 0);
    assert_memory_equal(asked, "GET ", 4);
    assert_non_null(strstr(asked, "top?format=json HTTP/1.1\r\n"));
    assert_non_null(strstr(asked, "\r\nAuthorization: Bearer secret\r\n"));
    assert_non_null(strstr(asked, t.other.address)); /* in Host */
    drop(&t);
}

static void a_table_in_single_bytes_is_whole(void **state)
{
    (void)state;
    taken t;
    assert_true(table(&t, (peer_answer){ HEAD "Content-Length: 5\r\n\r\nhello", 0, false, true }, 5000));
    assert_int_equal(t.got.size, 5);
    drop(&t);
}

static void wrong_tables_are_refused_with_a_reason(void **state)
{
    (void)state;
    static const struct {
        const char *answer, *why;
    } rows[] = {
        { HEAD "Content-Length: 50\r\n\r\nhello", "ended too early" },
        { HEAD "Content-Length: 101\r\n\r\n", "is too long" },
        { HEAD "\r\nhello", "no length" },
        { HEAD "Content-Length: -5\r\n\r\nhello", "no length" },
        { HEAD "Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello", "no length" },
        { HEAD "Content-Length: 99999999999999999999\r\n\r\nhello", "no length" },
        { "HTTP/1.1 401 Unauthorized\r\n\r\nthe token is wrong\nmore\n", "401: the token is wrong" },
        { "HTTP/1.1 503 x\r\n\r\n\033[2Jclear\n", "503: ?[2Jclear" }, /* a terminal must not get control characters */
        { "SSH-2.0-OpenSSH\r\n\r\n", "" },
        { "HTTP/1.1 200 OK\r\nX: never ends", "ended without an HTTP answer" },
        { "", "ended without an HTTP answer" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        taken t;
        assert_false(table(&t, (peer_answer){ rows[i].answer, 0, false, false }, 5000));
        if (!*t.why || !strstr(t.why, rows[i].why)) fail_msg("%s: %s", rows[i].answer, t.why);
        drop(&t);
    }
}

static void a_silent_machine_is_left_in_time(void **state)
{
    (void)state;
    static const char *const starts[] = { "", "HTTP/1.1 200", HEAD "Content-Length: 50\r\n\r\nhello" };
    for (size_t i = 0; i < 3; i++) {
        taken t;
        int64_t before = now_ms();
        assert_false(table(&t, (peer_answer){ starts[i], 0, true, false }, 300));
        assert_true(now_ms() - before >= 300 && now_ms() - before < 4000);
        assert_non_null(strstr(t.why, "did not answer in time"));
        drop(&t);
    }
}

static void addresses_without_a_path(void **state)
{
    (void)state;
    static const char *const wrong[] = { "127.0.0.1:1/x", "user@127.0.0.1:1", "127.0.0.1:port", "", "a b:1" };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        taken t = { .status = 0 };
        remote r = to_peer(&t, never);
        r.address = wrong[i];
        assert_false(remote_table(&r, "top", "json", t.why, sizeof t.why));
        assert_true(*t.why);
    }
}

static void the_other_clock_is_compared(void **state)
{
    (void)state;
    char text[200], number[40];
    taken t = { .status = 0 };
    int64_t ahead = 0;
    snprintf(number, sizeof number, "%lld", (long long)unix_micros() + 3600 * INT64_C(1000000));
    snprintf(text, sizeof text, HEAD "Content-Length: %zu\r\n\r\n%s", strlen(number), number);
    peer_answer answers[] = { { text, 0, false, false }, { HEAD "Content-Length: 4\r\n\r\nnoon", 0, false, false } };
    peer_begin(&t.other, answers, 2);
    remote r = to_peer(&t, never);
    assert_true(remote_clock(&r, &ahead));
    assert_true(ahead > 3590 * INT64_C(1000000) && ahead <= 3600 * INT64_C(1000000));
    assert_false(remote_clock(&r, &ahead));
    peer_end(&t.other);
    drop(&t);
}

/* ---- recordings ---- */

static char *folder; /* in which a test's files arrive */

static int begin(void **state)
{
    (void)state;
    folder = new_folder();
    return 0;
}

static int end(void **state)
{
    (void)state;
    drop_folder(folder);
    return 0;
}

static void capture(taken *t, peer_answer a, bool (*stopped)(const remote *r))
{
    *t = (taken){ .status = 0 };
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_true(fd >= 0);
    peer_begin(&t->other, &a, 1);
    remote r = to_peer(t, stopped);
    t->status = remote_capture(&r, "job=7&ms=100", fd, t->why, sizeof t->why);
    peer_end(&t->other);
    close(fd);
}

static bool holds(const char *name, const char *text)
{
    char path[512], bytes[100];
    struct stat st;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return false;
    ssize_t n = read(fd, bytes, sizeof bytes);
    assert_int_equal(fstat(fd, &st), 0);
    close(fd);
    return (st.st_mode & 0777) == 0600 && n == (ssize_t)strlen(text) && memcmp(bytes, text, strlen(text)) == 0;
}

static void a_recording_becomes_files(void **state)
{
    (void)state;
    taken t;
    capture(&t,
            (peer_answer){ STREAM "waits\nfile 7/1.pb 3\nabcfile 7/2.pb 0\n" REPORT MANIFEST "end\n", 0, false, true },
            never);
    if (t.status) fail_msg("%d: %s", t.status, t.why);
    assert_true(holds("7/1.pb", "abc") && holds("7/2.pb", "") && holds("manifest.json", "{}"));
    assert_int_equal(t.got.size, 5);
    assert_memory_equal(t.got.data, "table", 5);
    assert_memory_equal(peer_asked(&t.other, 0), "POST ", 5); /* not GET: a capture changes something on that machine */
    assert_non_null(strstr(peer_asked(&t.other, 0), "?job=7&ms=100 HTTP/1.1"));
    drop(&t);
}

static void the_status_of_a_recording_is_passed_on(void **state)
{
    (void)state;
    taken t;
    capture(&t, (peer_answer){ STREAM "report 3 5\ntable" MANIFEST "end\n", 0, false, false }, never);
    assert_int_equal(t.status, 3);
    drop(&t);
    capture(&t, (peer_answer){ STREAM "failed 2 9\nno job 7\n", 0, false, false }, never);
    assert_int_equal(t.status, 2);
    assert_non_null(strstr(t.why, "no job 7"));
    drop(&t);
    capture(&t, (peer_answer){ STREAM "failed 77 9\nno job 7\n", 0, false, false }, never);
    assert_int_equal(t.status, 1); /* no other status has a meaning here */
    drop(&t);
    capture(&t, (peer_answer){ STREAM, 0, true, false }, at_once);
    assert_int_equal(t.status, 130);
    drop(&t);
}

static void wrong_recordings_are_refused_with_a_reason(void **state)
{
    (void)state;
    static const struct {
        const char *entries, *why;
    } rows[] = {
        { REPORT "end\n", "no manifest" },
        { MANIFEST "end\n", "no manifest" }, /* and no table */
        { REPORT MANIFEST, "ended too early" },
        { "file 7/1.pb 3\nab", "a file ended too early" },
        { REPORT MANIFEST "file 7/1.pb 1\naend\n", "does not come from tfprof" }, /* the manifest is the last file */
        { "file 7/1.pb 1\na"
          "file 7/1.pb 1\nb",
          "exists" },
        { "file ../1.pb 1\na", "does not come from tfprof" },
        { "hello\n", "does not come from tfprof" },
        { "file 7/1.pb 1001\n", "--max-bytes 1000" },
        { "file 7/1.pb 600\n", "ended too early" },
        { REPORT REPORT, "table" },
        { "report 0 101\n", "too long" },
        { "report 0 50\ntable", "ended too early" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[400];
        taken t;
        snprintf(text, sizeof text, STREAM "%s", rows[i].entries);
        capture(&t, (peer_answer){ text, 0, false, false }, never);
        if (t.status != 1 || !strstr(t.why, rows[i].why)) fail_msg("%s: %d, %s", rows[i].entries, t.status, t.why);
        drop(&t);
        drop_folder(folder);
        folder = new_folder();
    }
}

/* Nothing that is there already may be overwritten, and no link may lead a file elsewhere. */
static void files_arrive_below_the_folder_only(void **state)
{
    (void)state;
    char path[512], elsewhere[512];
    taken t;
    snprintf(elsewhere, sizeof elsewhere, "%s/elsewhere", folder);
    snprintf(path, sizeof path, "%s/1.pb.part", folder);
    assert_int_equal(symlink(elsewhere, path), 0);
    capture(&t, (peer_answer){ STREAM "file 1.pb 1\na" REPORT MANIFEST "end\n", 0, false, false }, never);
    assert_int_equal(t.status, 1);
    assert_int_not_equal(access(elsewhere, F_OK), 0);
    drop(&t);
    free(file_in(folder, "kept.pb", "old", 3));
    capture(&t, (peer_answer){ STREAM "file kept.pb 1\na" REPORT MANIFEST "end\n", 0, false, false }, never);
    assert_int_equal(t.status, 1);
    snprintf(path, sizeof path, "%s/kept.pb.part", folder);
    assert_int_not_equal(access(path, F_OK), 0); /* the part that arrived is removed */
    tfp_buf old = { 0 };
    snprintf(path, sizeof path, "%s/kept.pb", folder);
    assert_int_equal(tfp_read_file(path, 100, &old, NULL), TFP_OK);
    assert_int_equal(old.size, 3);
    tfp_buf_free(&old);
    drop(&t);
}

/* An agent that invents processes cannot send more than one that does not. */
static void the_limit_is_for_all_processes(void **state)
{
    (void)state;
    tfp_buf text = { 0 };
    taken t;
    char bytes[600];
    memset(bytes, 'x', sizeof bytes);
    tfp_buf_add(&text, STREAM, strlen(STREAM));
    for (int pid = 11; pid < 14; pid++) {
        tfp_buf_printf(&text, "file 7/%d.pb 300\n", pid);
        tfp_buf_add(&text, bytes, 300);
    }
    tfp_buf_printf(&text, REPORT MANIFEST "end\n");
    capture(&t, (peer_answer){ text.data, text.size, false, false }, never);
    if (t.status) fail_msg("%s", t.why);
    drop(&t);
    tfp_buf_free(&text);
    tfp_buf_printf(&text, STREAM);
    for (int i = 0; i < 2; i++) {
        tfp_buf_printf(&text, "file %d/21 600\n", i);
        tfp_buf_add(&text, bytes, sizeof bytes);
    }
    capture(&t, (peer_answer){ text.data, text.size, false, false }, never);
    assert_int_equal(t.status, 1);
    assert_non_null(strstr(t.why, "longer in all"));
    drop(&t);
    tfp_buf_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_table_is_asked_for_with_the_token),
        cmocka_unit_test(a_table_in_single_bytes_is_whole),
        cmocka_unit_test(wrong_tables_are_refused_with_a_reason),
        cmocka_unit_test(a_silent_machine_is_left_in_time),
        cmocka_unit_test(addresses_without_a_path),
        cmocka_unit_test(the_other_clock_is_compared),
        cmocka_unit_test_setup_teardown(a_recording_becomes_files, begin, end),
        cmocka_unit_test_setup_teardown(the_status_of_a_recording_is_passed_on, begin, end),
        cmocka_unit_test_setup_teardown(wrong_recordings_are_refused_with_a_reason, begin, end),
        cmocka_unit_test_setup_teardown(files_arrive_below_the_folder_only, begin, end),
        cmocka_unit_test_setup_teardown(the_limit_is_for_all_processes, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
