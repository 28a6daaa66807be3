// SPDX-License-Identifier: Apache-2.0
/* What the agent, its collectors and the tfprof of another machine exchange: URLs, headers, statuses, lines of
 * archives, names of services, protobuf. */
#include "agent/agent.h"
#include "agent/findings.h"
#include "agent/message.h"
#include "agent/push.h"
#include "support.h"
#include "wire/proto.h"

#include <string.h>

#define ROWS(table) (sizeof table / sizeof *table)

/* ---- URLs and answers of collectors ---- */

static void urls_are_taken_apart(void **state)
{
    (void)state;
    static const struct {
        const char *text, *host, *port, *path, *authority; /* host NULL: refused */
    } rows[] = {
        { "http://a", "a", "80", "/", "a:80" },
        { "HTTP://a/", "a", "80", "/", "a:80" },
        { "http://a.b:4318/v1/metrics?x=1", "a.b", "4318", "/v1/metrics?x=1", "a.b:4318" },
        { "http://[::1]:9/x", "::1", "9", "/x", "[::1]:9" },
        { "http://[::1]", "::1", "80", "/", "[::1]:80" },
        { "https://a", NULL, NULL, NULL, NULL },
        { "a:80", NULL, NULL, NULL, NULL },
        { "http://", NULL, NULL, NULL, NULL },
        { "http://:80/", NULL, NULL, NULL, NULL },
        { "http://[]/", NULL, NULL, NULL, NULL },
        { "http://[::1/", NULL, NULL, NULL, NULL },
        { "http://a:", NULL, NULL, NULL, NULL },
        { "http://a:port/", NULL, NULL, NULL, NULL },
        { "http://a:123456/", NULL, NULL, NULL, NULL },
        { "http://user@a/", NULL, NULL, NULL, NULL },
        { "http://a?x=1", NULL, NULL, NULL, NULL },
        { "http://a/b c", NULL, NULL, NULL, NULL },
        { "http://a/\r\nX: 1", NULL, NULL, NULL, NULL }, /* an injected header */
    };
    for (size_t i = 0; i < ROWS(rows); i++) {
        http_url u;
        const char *why = NULL;
        bool ok = http_url_of(rows[i].text, "80", &u, &why);
        if (ok != (rows[i].host != NULL) || (!ok && !why)) fail_msg("%s: %d %s", rows[i].text, ok, why ? why : "");
        if (!ok) continue;
        assert_string_equal(u.host, rows[i].host);
        assert_string_equal(u.port, rows[i].port);
        assert_string_equal(u.path, rows[i].path);
        assert_string_equal(u.authority, rows[i].authority);
    }
}

static void stores_of_stacks_have_their_paths(void **state)
{
    (void)state;
    push_target t;
    const char *why = NULL;
    assert_true(push_target_of(PUSH_PYROSCOPE, "http://a", &t, &why));
    assert_string_equal(t.url.port, "4040");
    assert_string_equal(t.url.path, "/push.v1.PusherService/Push");
    assert_true(push_target_of(PUSH_PARCA, "http://a:80/below/", &t, &why));
    assert_string_equal(t.url.path, "/below/api/profiles/writeraw");
    assert_false(push_target_of(PUSH_PARCA, "http://a/x?y", &t, &why));
    char text[600] = "http://a/";
    memset(text + 9, 'x', 500);
    assert_false(push_target_of(PUSH_PARCA, text, &t, &why)); /* too long once the path is appended */
    assert_string_equal(why, "its path is too long");
}

static void a_header_is_there_once(void **state)
{
    (void)state;
    static const char head[] = "GET / HTTP/1.1\r\nHost: a\r\nAuthorization: \t Bearer x \r\nTwice: 1\r\ntwice: "
                               "2\r\nHostile: b\r\n\r\nHidden: 1\r\n";
    size_t size;
    const char *value = http_header_value(head, "authorization", &size);
    assert_int_equal(size, 8);
    assert_memory_equal(value, "Bearer x", 8);
    value = http_header_value(head, "Host", &size);
    assert_true(size == 1 && *value == 'a'); /* not the value of Hostile */
    assert_null(http_header_value(head, "Twice", &size));
    assert_int_equal(size, 0);
    assert_null(http_header_value(head, "Absent", &size));
    assert_null(http_header_value(head, "Hidden", &size)); /* it comes after the end of the head */
}

static void statuses_of_answers(void **state)
{
    (void)state;
    static const struct {
        const char *head;
        int status;
    } rows[] = {
        { "HTTP/1.1 200 OK\r\n", 200 },
        { "HTTP/1.0 404\n", 404 },
        { "HTTP/1.1 503 \r\n", 503 },
        { "", 0 },
        { "HTTP", 0 },
        { "HTTP/1.1 20", 0 },
        { "HTTX", -1 },
        { "HTTP/2.0 200 OK\r\n", -1 },
        { "HTTP/1.1 99 x\r\n", -1 },
        { "HTTP/1.1 600 x\r\n", -1 },
        { "HTTP/1.1 2000 x\r\n", -1 },
        { "HTTP/1.1  200 x\r\n", -1 },
        { "HTTP/1.1 200x\r\n", -1 },
    };
    for (size_t i = 0; i < ROWS(rows); i++)
        if (http_status_of(rows[i].head, strlen(rows[i].head)) != rows[i].status)
            fail_msg("%s gives %d", rows[i].head, http_status_of(rows[i].head, strlen(rows[i].head)));
    char endless[2000] = "HTTP/1.1 200 ";
    memset(endless + 13, 'x', sizeof endless - 13);
    assert_int_equal(http_status_of(endless, sizeof endless), -1);
}

/* ---- recordings between machines ---- */

static void lines_of_archives(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        int kind; /* -1: refused */
        const char *name;
        int64_t number, size;
    } rows[] = {
        { "end", ARCHIVE_END, "", 0, 0 },
        { "waits", ARCHIVE_WAITS, "", 0, 0 },
        { "ready", ARCHIVE_READY, "", 0, 0 },
        { "file manifest.json 12", ARCHIVE_FILE, "manifest.json", 0, 12 },
        { "file 4711/a-b_c.pb 0", ARCHIVE_FILE, "4711/a-b_c.pb", 0, 0 },
        { "report 1 300", ARCHIVE_REPORT, "", 1, 300 },
        { "failed 130 0", ARCHIVE_FAILED, "", 130, 0 },
        { "file ../x 1", -1, NULL, 0, 0 },
        { "file a/../x 1", -1, NULL, 0, 0 },
        { "file a/b/c 1", -1, NULL, 0, 0 },
        { "file /etc/x 1", -1, NULL, 0, 0 },
        { "file .hidden 1", -1, NULL, 0, 0 },
        { "file a/.hidden 1", -1, NULL, 0, 0 },
        { "file a/ 1", -1, NULL, 0, 0 },
        { "file a\tb 1", -1, NULL, 0, 0 },
        { "file a", -1, NULL, 0, 0 },
        { "file a ", -1, NULL, 0, 0 },
        { "file a -1", -1, NULL, 0, 0 },
        { "file a 1 ", -1, NULL, 0, 0 },
        { "file a 1234567890123456", -1, NULL, 0, 0 },
        { "report 256 1", -1, NULL, 0, 0 },
        { "report 1", -1, NULL, 0, 0 },
        { "report 0 16777217", -1, NULL, 0, 0 }, /* longer than the limit for texts */
        { "failed x 1", -1, NULL, 0, 0 },
        { "End", -1, NULL, 0, 0 },
        { "", -1, NULL, 0, 0 },
    };
    for (size_t i = 0; i < ROWS(rows); i++) {
        archive_entry e;
        bool ok = archive_line(rows[i].line, &e);
        if (ok != (rows[i].kind >= 0)) fail_msg("%s: %d", rows[i].line, ok);
        if (!ok) continue;
        assert_int_equal(e.kind, rows[i].kind);
        assert_string_equal(e.name, rows[i].name);
        assert_int_equal(e.status, rows[i].number);
        assert_int_equal(e.size, rows[i].size);
    }
    char line[400] = "file ";
    memset(line + 5, 'n', ARCHIVE_NAME);
    strcpy(line + 5 + ARCHIVE_NAME, " 1");
    archive_entry e;
    assert_false(archive_line(line, &e)); /* the name is longer than the buffer */
    strcpy(line + 5 + ARCHIVE_NAME - 1, " 1");
    assert_true(archive_line(line, &e));
    assert_true(agent_is_plain("a-b_c.1"));
    assert_false(agent_is_plain("a b"));
    assert_false(agent_is_plain("a&b=c"));
}

/* The messages are read by the rules of protobuf's wire format: tag, length, bytes. */
static void messages_have_lengths(void **state)
{
    (void)state;
    answer a = { .status = ANSWER_OK };
    size_t outer = message_open(&a, 1), inner = message_open(&a, 2);
    message_text(&a, 3, "abc");
    message_close(&a, inner);
    message_fixed(&a, 4, 0x0102030405060708);
    message_close(&a, outer);
    static const unsigned char wanted[] = { 0x0a, 16, 0x12, 5, 0x1a, 3, 'a', 'b', 'c', 0x21, 8, 7, 6, 5, 4, 3, 2, 1 };
    assert_int_equal(a.size, sizeof wanted);
    assert_memory_equal(a.data, wanted, sizeof wanted);
    answer_free(&a);
    answer b = { .status = ANSWER_OK };
    size_t big = message_open(&b, 100); /* the tag has two bytes, and so has the length */
    char text[201];
    memset(text, 'x', 200);
    text[200] = '\0';
    message_text(&b, 1, text);
    message_close(&b, big);
    static const unsigned char head[] = { 0xa2, 0x06, 0xcb, 0x01, 0x0a, 0xc8, 0x01, 'x' };
    assert_int_equal(b.size, 4 + 203);
    assert_memory_equal(b.data, head, sizeof head);
    answer_free(&b);
}

/* ---- findings as logs ---- */

/* The last field of this number, as its bytes; its number in *value. */
static tfp_str last_field(tfp_str message, uint32_t number, uint64_t *value)
{
    tfp_wire w = tfp_wire_start(message);
    tfp_str found = { NULL, 0 };
    for (tfp_field f; tfp_wire_next(&w, &f);)
        if (f.number == number) {
            if (f.type == TFP_BYTES)
                found = tfp_field_bytes(&w, &f);
            else if (value)
                *value = f.value;
        }
    assert_int_equal(tfp_wire_end(&w, NULL), TFP_OK);
    return found;
}

static void a_finding_is_a_log_record(void **state)
{
    (void)state;
    static const char json[] =
        "{\"run\":\"5d7c\",\"job\":\"train.py\",\"rank\":2,\"found\":\"2026-11-29T16:09:06.187396Z\",\"ended\":null,"
        "\"kind\":\"late\",\"cause\":\"input\",\"line\":\"/a \\\"b\\\"\\u0007/train.py:31:load\",\"gain\":0.25,"
        "\"evidence\":\"rank 2 came last 28 times\"}";
    for (int names = 0; names < 2; names++) {
        answer a = { .status = ANSWER_OK };
        uint64_t time = 0, seen = 0, severity = 0;
        findings_otlp(json, names, 77, &a);
        tfp_str all = { a.data, a.size };
        tfp_str record = last_field(last_field(last_field(all, 1, NULL), 2, NULL), 2, &time);
        last_field(record, 1, &time);
        last_field(record, 11, &seen);
        last_field(record, 2, &severity);
        assert_int_equal(time, 1795968546187396000);
        assert_int_equal(seen, 77);
        assert_int_equal(severity, 13);
        tfp_str body = last_field(last_field(record, 5, NULL), 1, NULL);
        if (names) assert_str(body, "rank 2 came last 28 times");
        if (!names) assert_str(body, "rank 2: late (input)");
        assert_int_equal(memmem(a.data, a.size, "train.py", 8) != NULL, names);
        assert_int_equal(memmem(a.data, a.size, "tfprof.gain", 11) != NULL, 1);
        answer_free(&a);
    }
    static const char *const broken[] = { "",     "{",          "{\"", "{\"a\":", "{\"a\":\"\\", "{\"a\":\"\\u00",
                                          "null", "{\"kind\":}" };
    for (size_t i = 0; i < ROWS(broken); i++) {
        answer a = { .status = ANSWER_OK };
        findings_otlp(broken[i], true, 1, &a);
        assert_false(answer_failed(&a));
        answer_free(&a);
    }
}

static void collectors_take_logs_beside_metrics(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        { "http://c", "/v1/logs" },           { "http://c:4318/v1/metrics", "/v1/logs" },
        { "http://c/v1/logs", "/v1/logs" },   { "http://c/a/v1/metrics", "/a/v1/logs" },
        { "http://c/otlp", "/otlp/v1/logs" },
    };
    for (size_t i = 0; i < ROWS(rows); i++) {
        http_url u;
        const char *why;
        assert_true(findings_url(rows[i][0], &u, &why));
        assert_string_equal(u.path, rows[i][1]);
        assert_string_equal(u.port, "4318");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(urls_are_taken_apart),      cmocka_unit_test(stores_of_stacks_have_their_paths),
        cmocka_unit_test(a_header_is_there_once),    cmocka_unit_test(statuses_of_answers),
        cmocka_unit_test(lines_of_archives),         cmocka_unit_test(messages_have_lengths),
        cmocka_unit_test(a_finding_is_a_log_record), cmocka_unit_test(collectors_take_logs_beside_metrics),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
