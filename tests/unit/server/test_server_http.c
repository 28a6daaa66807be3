// SPDX-License-Identifier: Apache-2.0
/* tests/unit/server/test_server_http.c: who is answered: which Host, Origin, site, token and method a request needs, and which headers
 * every answer has; and what a browser that keeps answers gets. */
#include "desk.h"

#define TOKEN "0123456789abcdef"
#define COOKIE DESK_HOST "Cookie: other=1; tfprof-4711=" TOKEN "\n"
#define QUICK "/api/v1/profiles"

static const char *const files[] = { TEST_DATA "/sample/dense/profile_3.gz", TEST_DATA "/sample/traces/kineto.json" };
static desk d;

static int begin(void **state)
{
    (void)state;
    desk_begin(&d, TOKEN, files, 2);
    return 0;
}

static int begin_open(void **state)
{
    (void)state;
    desk_begin(&d, "", files, 2);
    return 0;
}

static int end(void **state)
{
    (void)state;
    desk_end(&d);
    return 0;
}

static void expect(const char *method, const char *target, const char *headers, unsigned status, const char *part)
{
    asked a;
    desk_ask(&d, method, target, headers, &a);
    if (a.status != status || !strstr(a.body.data, part))
        fail_msg("%s %s\n%sgives %u %s, not %u %s", method, target, headers, a.status, (char *)a.body.data, status,
                 part);
    asked_drop(&a);
}

/* ---- who asks ---- */

static void a_token_is_needed(void **state)
{
    (void)state;
    static const struct {
        const char *target, *headers;
        unsigned status;
    } rows[] = {
        { QUICK, DESK_HOST, 403 },
        { QUICK, COOKIE, 200 },
        { QUICK "?token=" TOKEN, DESK_HOST, 200 },
        { QUICK "?token=" TOKEN "&token=wrong", DESK_HOST, 403 }, /* the last one counts */
        { QUICK "?token=", DESK_HOST, 403 },
        { QUICK, DESK_HOST "Authorization: Bearer " TOKEN "\n", 200 },
        { QUICK, DESK_HOST "Authorization: bearer " TOKEN "\n", 200 },
        { QUICK, DESK_HOST "Authorization: Bearer " TOKEN "x\n", 403 },
        { QUICK, DESK_HOST "Authorization: Basic " TOKEN "\n", 403 },
        { QUICK, DESK_HOST "Authorization: Bearer\n", 403 },
        { QUICK, DESK_HOST "Cookie: tfprof-4711=" TOKEN "x\n", 403 },
        { QUICK, DESK_HOST "Cookie: tfprof-4712=" TOKEN "\n", 403 },  /* another server's on this machine */
        { QUICK, DESK_HOST "Cookie: xtfprof-4711=" TOKEN "\n", 403 }, /* not the value of a name that ends like ours */
        { QUICK, DESK_HOST "Cookie: tfprof-4711=\n", 403 },
        { QUICK, DESK_HOST "Cookie: tfprof-4711=old; tfprof-4711=" TOKEN "\n", 200 },
        { "/", DESK_HOST, 403 },
        { "/nothing", DESK_HOST, 403 }, /* who has no token does not learn which paths there are */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        expect("GET", rows[i].target, rows[i].headers, rows[i].status, "");
}

static void the_first_visit_gets_a_cookie_and_an_address_without_the_token(void **state)
{
    (void)state;
    asked a;
    char text[600];
    desk_ask(&d, "GET", "/?token=" TOKEN, DESK_HOST, &a);
    assert_int_equal(a.status, 303);
    assert_string_equal(asked_header(&a, "Location", text), "/");
    assert_string_equal(asked_header(&a, "Set-Cookie", text),
                        "tfprof-4711=" TOKEN "; HttpOnly; SameSite=Strict; Path=/");
    asked_drop(&a);
    desk_ask(&d, "GET", "/?token=wrong", DESK_HOST, &a);
    assert_int_equal(a.status, 403);
    assert_string_equal(asked_header(&a, "Set-Cookie", text), "");
    asked_drop(&a);
}

/* A page whose name leads to this machine's address (DNS rebinding) sends its own name. */
static void only_this_server_s_names_are_answered(void **state)
{
    (void)state;
    static const struct {
        const char *headers;
        unsigned status;
    } rows[] = {
        { "Host: localhost:4711\n", 200 },
        { "Host: LocalHost:4711\n", 200 },
        { "Host: 127.0.0.1:4711\n", 200 },
        { "Host: [::1]:4711\n", 200 },
        { "Host: 10.1.2.3:4711\n", 200 }, /* the address that --host named */
        { "Host: evil.example:4711\n", 421 },
        { "Host: localhost:4712\n", 421 },
        { "Host: localhost\n", 421 },
        { "Host: localhost:4711.evil.example\n", 421 },
        { "Host: \n", 421 },
        { "", 400 },
        { "Host: localhost:4711\nHost: localhost:4711\n", 400 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) expect("GET", QUICK, rows[i].headers, rows[i].status, "");
}

static void other_sites_are_not_answered(void **state)
{
    (void)state;
    static const struct {
        const char *headers;
        unsigned status;
    } rows[] = {
        { "Origin: http://localhost:4711\n", 200 },
        { "Origin: HTTP://LOCALHOST:4711\n", 200 },
        { "Origin: https://localhost:4711\n", 403 },
        { "Origin: http://127.0.0.1:4711\n", 403 }, /* not the host of this request */
        { "Origin: http://evil.example\n", 403 },
        { "Origin: null\n", 403 },
        { "Origin: http://localhost:4711\nOrigin: http://localhost:4711\n", 403 },
        { "Sec-Fetch-Site: same-origin\n", 200 },
        { "Sec-Fetch-Site: none\n", 200 },
        { "Sec-Fetch-Site: cross-site\n", 403 },
        { "Sec-Fetch-Site: same-site\n", 403 },                            /* another port of this machine */
        { "Sec-Fetch-Site: cross-site\nSec-Fetch-Mode: navigate\n", 200 }, /* a link on another page */
        { "Sec-Fetch-Site: cross-site\nSec-Fetch-Mode: no-cors\n", 403 },
        { "Sec-Fetch-Dest: iframe\n", 403 },
        { "Sec-Fetch-Dest: frame\n", 403 },
        { "Sec-Fetch-Dest: embed\n", 403 },
        { "Sec-Fetch-Dest: document\n", 200 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char headers[400];
        snprintf(headers, sizeof headers, DESK_HOST "%s", rows[i].headers);
        expect("GET", QUICK, headers, rows[i].status, "");
    }
}

static void requests_have_no_body_and_change_nothing(void **state)
{
    (void)state;
    static const struct {
        const char *method, *headers;
        unsigned status;
    } rows[] = {
        { "HEAD", "", 200 },
        { "POST", "", 405 },
        { "PUT", "", 405 },
        { "OPTIONS", "", 405 },
        { "GET", "Content-Length: 0\n", 200 },
        { "GET", "Content-Length: 1\n", 413 },
        { "GET", "Content-Length: 0\nContent-Length: 0\n", 413 },
        { "GET", "Transfer-Encoding: chunked\n", 413 },
        { "GET", "Expect: 100-continue\n", 417 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char headers[200], text[600];
        asked a;
        snprintf(headers, sizeof headers, DESK_HOST "%s", rows[i].headers);
        desk_ask(&d, rows[i].method, QUICK, headers, &a);
        if (a.status != rows[i].status) fail_msg("%s %s gives %u", rows[i].method, rows[i].headers, a.status);
        assert_string_equal(asked_header(&a, "Allow", text), a.status == 405 ? "GET, HEAD" : "");
        asked_drop(&a);
    }
    expect("POST", "/api/v1/live/record?job=1@2&ms=5", DESK_HOST, 405, "only GET and HEAD"); /* without --live */
}

static void parameters_are_limited(void **state)
{
    (void)state;
    char target[REQUEST_BYTES + 100] = QUICK "?since=";
    size_t n = strlen(target);
    memset(target + n, '1', REQUEST_BYTES);
    expect("GET", target, DESK_HOST, 400, "too many or too long parameters");
    expect("GET", QUICK "?x=1", DESK_HOST, 400, "no parameter 'x' here");
}

/* ---- what answers have ---- */

static void every_answer_forbids_frames_and_guessing(void **state)
{
    (void)state;
    static const char *const targets[] = { QUICK, "/nothing", "/", "/api/v1/profiles/x/steps",
                                           "/api/v1/changes?since=x" };
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        asked a;
        char text[600];
        desk_ask(&d, "GET", targets[i], DESK_HOST, &a);
        assert_string_equal(asked_header(&a, "X-Content-Type-Options", text), "nosniff");
        assert_string_equal(asked_header(&a, "X-Frame-Options", text), "DENY");
        assert_string_equal(asked_header(&a, "Referrer-Policy", text), "no-referrer");
        asked_header(&a, "Content-Security-Policy", text);
        assert_true(strstr(text, "default-src 'none'") && strstr(text, "frame-ancestors 'none'") &&
                    !strstr(text, "unsafe"));
        assert_non_null(strstr(asked_header(&a, "Cache-Control", text), "private"));
        assert_non_null(
            strstr(asked_header(&a, "Vary", text), "Cookie")); /* another user's token gives another answer */
        asked_drop(&a);
    }
}

static void a_kept_answer_is_not_sent_again(void **state)
{
    (void)state;
    asked a, b;
    char id[24], target[100], tag[600], headers[800], text[600];
    desk_id(&d, "kineto.json", id);
    snprintf(target, sizeof target, "/api/v1/profiles/%s/steps", id);
    desk_ask(&d, "GET", target, DESK_HOST, &a);
    assert_int_equal(a.status, 200);
    asked_header(&a, "ETag", tag);
    assert_true(*tag == '"' && strlen(tag) > 10);
    static const struct {
        const char *before;
        bool tag;
        const char *after;
        unsigned status;
    } rows[] = {
        { "", true, "", 304 },       { "\"x\", ", true, "", 304 },
        { "W/", true, "", 304 },     { "*", false, "", 304 },
        { "\"x\"", false, "", 200 }, { "", true, "\nAccept-Encoding: gzip", 200 }, /* the packed form is another one */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        snprintf(headers, sizeof headers, DESK_HOST "If-None-Match: %s%.40s%s\n", rows[i].before,
                 rows[i].tag ? tag : "", rows[i].after);
        desk_ask(&d, "GET", target, headers, &b);
        if (b.status != rows[i].status) fail_msg("%s gives %u", headers, b.status);
        assert_int_equal(b.body.size == 0, b.status == 304);
        asked_drop(&b);
    }
    desk_ask(&d, "GET", QUICK, DESK_HOST "If-None-Match: *\n", &b);
    assert_int_equal(b.status, 304);
    asked_drop(&b);
    desk_ask(&d, "GET", "/nothing", DESK_HOST "If-None-Match: *\n", &b);
    assert_int_equal(b.status, 404); /* an error is never kept */
    assert_string_equal(asked_header(&b, "ETag", text), "");
    asked_drop(&b);
    asked_drop(&a);
}

static void long_answers_are_packed_for_who_can_unpack(void **state)
{
    (void)state;
    asked plain, packed;
    char text[600], tag[600];
    desk_ask(&d, "GET", "/api/v1/tables", DESK_HOST, &plain);
    desk_ask(&d, "GET", "/api/v1/tables", DESK_HOST "Accept-Encoding: br, gzip\n", &packed);
    assert_string_equal(asked_header(&plain, "Content-Encoding", text), "");
    assert_string_equal(asked_header(&packed, "Content-Encoding", text), "gzip");
    assert_true(packed.body.size < plain.body.size / 2);
    assert_string_not_equal(asked_header(&plain, "ETag", text), asked_header(&packed, "ETag", tag));
    assert_memory_equal(packed.body.data, "\x1f\x8b", 2);
    asked_drop(&plain);
    asked_drop(&packed);
    desk_ask(&d, "GET", QUICK, DESK_HOST "Accept-Encoding: gzip\n", &plain);
    assert_string_equal(asked_header(&plain, "Content-Encoding", text), ""); /* it fits one packet as it is */
    assert_memory_equal(plain.body.data, "{\"changed\":", 11);
    assert_true(plain.body.size > 400);
    asked_drop(&plain);
}

/* The page's files are packed by the build. */
static void a_client_without_gzip_gets_the_page_too(void **state)
{
    (void)state;
    asked plain, packed;
    char text[600];
    desk_ask(&d, "GET", "/", DESK_HOST, &plain);
    desk_ask(&d, "GET", "/", DESK_HOST "Accept-Encoding: gzip\n", &packed);
    if (plain.status == 200) { /* not in a build without node */
        assert_non_null(strstr(plain.body.data, "<html"));
        assert_non_null(strstr(asked_header(&plain, "Content-Type", text), "text/html"));
        assert_memory_equal(packed.body.data, "\x1f\x8b", 2);
    }
    assert_int_equal(plain.status, packed.status);
    asked_drop(&plain);
    asked_drop(&packed);
}

static void what_may_succeed_later_says_when(void **state)
{
    (void)state;
    asked a;
    char text[600];
    atomic_store(&d.server.bodies, (size_t)200 << 20); /* others take their answers slowly */
    desk_ask(&d, "GET", QUICK, DESK_HOST, &a);
    assert_int_equal(a.status, 503);
    assert_string_equal(asked_header(&a, "Retry-After", text), "1");
    assert_non_null(strstr(a.body.data, "ask again"));
    asked_drop(&a);
    atomic_store(&d.server.bodies, (size_t)0);
    expect("GET", QUICK, DESK_HOST, 200, "kineto.json");
    assert_int_equal(atomic_load(&d.server.bodies), 0); /* what was sent does not count any more */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_token_is_needed, begin, end),
        cmocka_unit_test_setup_teardown(the_first_visit_gets_a_cookie_and_an_address_without_the_token, begin, end),
        cmocka_unit_test_setup_teardown(only_this_server_s_names_are_answered, begin_open, end),
        cmocka_unit_test_setup_teardown(other_sites_are_not_answered, begin_open, end),
        cmocka_unit_test_setup_teardown(requests_have_no_body_and_change_nothing, begin_open, end),
        cmocka_unit_test_setup_teardown(parameters_are_limited, begin_open, end),
        cmocka_unit_test_setup_teardown(every_answer_forbids_frames_and_guessing, begin_open, end),
        cmocka_unit_test_setup_teardown(a_kept_answer_is_not_sent_again, begin_open, end),
        cmocka_unit_test_setup_teardown(long_answers_are_packed_for_who_can_unpack, begin_open, end),
        cmocka_unit_test_setup_teardown(a_client_without_gzip_gets_the_page_too, begin_open, end),
        cmocka_unit_test_setup_teardown(what_may_succeed_later_says_when, begin_open, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
