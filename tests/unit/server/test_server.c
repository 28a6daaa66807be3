// SPDX-License-Identifier: Apache-2.0
/* What clients send to the server and what they get: request heads, tokens, numbers, addresses, answers and JSON. Most
 * checks are table rows: an input and the expected result. */
#include "http/address.h"
#include "http/answer.h"
#include "http/gate.h"
#include "http/http.h"
#include "http/request.h"
#include "support.h"

#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define ROWS(table) (sizeof table / sizeof *table)

/* ---- heads of requests ---- */

#define HOST "Host: localhost:1\r\n"

static int status_of(const char *head, bool posts)
{
    const char *why = NULL;
    int status = gate_check(head, strlen(head), posts, &why);
    assert_non_null(why);
    assert_true(status ? *why : !*why); /* every refusal has a reason */
    return status;
}

static void heads_are_refused_by_kind(void **state)
{
    (void)state;
    static const struct {
        const char *head;
        int status;
    } rows[] = {
        { "GET / HTTP/1.1\r\n" HOST "\r\n", 0 },
        { "HEAD /x?a=1&b=%20 HTTP/1.0\r\n" HOST "\r\n", 0 },
        { "GET / HTTP/1.1\r\n" HOST "Content-Length: 0\r\n\r\n", 0 },
        { "GET / HTTP/1.1\r\n" HOST "X-Empty:\r\n\r\n", 0 },
        { "GET / HTTP/1.1\n" HOST "\r\n", 400 },            /* a bare line feed */
        { "GET / HTTP/1.1\r\nHost: a\n\r\n", 400 },         /* the same in a header */
        { "GET / HTTP/1.1\r\n" HOST "X : 1\r\n\r\n", 400 }, /* a blank before the colon: proxies disagree about it */
        { "GET / HTTP/1.1\r\n" HOST " folded: 1\r\n\r\n", 400 }, /* a folded header */
        { "GET / HTTP/1.1\r\n" HOST "X: a\x01\r\n\r\n", 400 },
        { "GET / HTTP/1.1\r\n" HOST "none\r\n\r\n", 400 },
        { "GET  HTTP/1.1\r\n" HOST "\r\n", 400 },              /* no target */
        { "GET x HTTP/1.1\r\n" HOST "\r\n", 400 },             /* the target does not begin with / */
        { "GET http://other/ HTTP/1.1\r\n" HOST "\r\n", 400 }, /* a request for a proxy */
        { "GET /a b HTTP/1.1\r\n" HOST "\r\n", 400 },
        { "GET /%0 HTTP/1.1\r\n" HOST "\r\n", 400 },
        { "GET /%00 HTTP/1.1\r\n" HOST "\r\n", 400 }, /* NUL */
        { "GET /%zz HTTP/1.1\r\n" HOST "\r\n", 400 },
        { "GET /a#b HTTP/1.1\r\n" HOST "\r\n", 400 },
        { "GET /\xc3\xa4 HTTP/1.1\r\n" HOST "\r\n", 400 },
        { "GET / HTTP/2.0\r\n" HOST "\r\n", 400 },
        { "GET /\r\n" HOST "\r\n", 400 }, /* HTTP 0.9 */
        { "G(T / HTTP/1.1\r\n" HOST "\r\n", 400 },
        { "GET / HTTP/1.1\r\n\r\n", 400 },              /* no Host */
        { "GET / HTTP/1.1\r\n" HOST HOST "\r\n", 400 }, /* two Hosts */
        { "PUT / HTTP/1.1\r\n" HOST "\r\n", 405 },
        { "POST / HTTP/1.1\r\n" HOST "\r\n", 405 },
        { "get / HTTP/1.1\r\n" HOST "\r\n", 405 }, /* method names are uppercase */
        { "GET / HTTP/1.1\r\n" HOST "Content-Length: 1\r\n\r\n", 413 },
        { "GET / HTTP/1.1\r\n" HOST "Content-Length: -1\r\n\r\n", 400 },
        { "GET / HTTP/1.1\r\n" HOST "Content-Length:\r\n\r\n", 400 },
        { "GET / HTTP/1.1\r\n" HOST "Content-Length: 0\r\nContent-Length: 0\r\n\r\n", 400 },
        { "GET / HTTP/1.1\r\n" HOST "Content-Length: 0\r\nTransfer-Encoding: chunked\r\n\r\n",
          400 }, /* request smuggling */
        { "GET / HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n", 413 },
        { "GET / HTTP/1.1\r\n" HOST "Expect: 100-continue\r\n\r\n", 417 },
    };
    for (size_t i = 0; i < ROWS(rows); i++)
        if (status_of(rows[i].head, false) != rows[i].status)
            fail_msg("%s gives %d, not %d", rows[i].head, status_of(rows[i].head, false), rows[i].status);
    assert_int_equal(status_of("POST / HTTP/1.1\r\n" HOST "\r\n", true), 0);
    assert_int_equal(status_of("POST / HTTP/1.1\r\n" HOST "Content-Length: 3\r\n\r\n", true), 413);
}

/* A head with this many headers besides Host, or a target with this many characters or parameters. */
static int status_of_long(size_t headers, size_t target, size_t parameters)
{
    size_t room = 200 + 8 * headers + target + 4 * parameters;
    char *text = calloc(room, 1), *at = text;
    assert_non_null(text);
    at += sprintf(at, "GET /");
    memset(at, 'x', target);
    at += target;
    for (size_t i = 0; i < parameters; i++) at += sprintf(at, "%ca=1", i ? '&' : '?');
    at += sprintf(at, " HTTP/1.1\r\n" HOST);
    for (size_t i = 0; i < headers; i++) at += sprintf(at, "X: 1\r\n");
    sprintf(at, "\r\n");
    int status = status_of(text, false);
    free(text);
    return status;
}

static void heads_have_limits(void **state)
{
    (void)state;
    assert_int_equal(status_of_long(GATE_HEADERS - 1, 0, 0), 0);
    assert_int_equal(status_of_long(GATE_HEADERS, 0, 0), 431);
    assert_int_equal(status_of_long(0, GATE_LINE - 14, 0), 0); /* the line also has "GET /" and " HTTP/1.1" */
    assert_int_equal(status_of_long(0, GATE_LINE - 13, 0), 414);
    assert_int_equal(status_of_long(0, 0, REQUEST_PARAMETERS), 0);
    assert_int_equal(status_of_long(0, 0, REQUEST_PARAMETERS + 1), 400);
}

static void a_token_is_the_same_or_not(void **state)
{
    (void)state;
    assert_true(gate_same_token("secret", 6, "secret"));
    assert_false(gate_same_token("secret", 5, "secret"));
    assert_false(gate_same_token("secretx", 7, "secret"));
    assert_false(gate_same_token("Secret", 6, "secret"));
    assert_false(gate_same_token("", 0, "secret"));
}

/* ---- numbers and addresses ---- */

static void numbers_are_whole(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool ok;
        long long number;
    } rows[] = {
        { "5", true, 5 },
        { "-3", true, -3 },
        { "10", true, 10 },
        { "11", false, 0 },
        { "-4", false, 0 },
        { "", false, 0 },
        { " 5", false, 0 },
        { "5 ", false, 0 },
        { "5x", false, 0 },
        { "0x5", false, 0 },
        { "5.0", false, 0 },
        { "99999999999999999999", false, 0 },
        { "9223372036854775807", false, 0 },
    };
    for (size_t i = 0; i < ROWS(rows); i++) {
        request r = { .parameters = { { "n", "1" }, { "n", rows[i].text } }, .parameter_count = 2 };
        long long n = 77;
        bool ok = request_int(&r, "n", -3, 10, &n); /* the last value counts */
        if (ok != rows[i].ok || n != (ok ? rows[i].number : 77)) fail_msg("%s gives %d, %lld", rows[i].text, ok, n);
    }
    request none = { 0 };
    long long n = 77;
    assert_true(request_int(&none, "n", 0, 1, &n) && n == 77);
    assert_null(request_value(&none, "n"));
}

static void addresses_are_numbers(void **state)
{
    (void)state;
    static const struct {
        const char *host;
        bool ok, loopback;
        int family;
    } rows[] = {
        { NULL, true, true, AF_INET },
        { "localhost", true, true, AF_INET },
        { "127.8.9.1", true, true, AF_INET },
        { "0.0.0.0", true, false, AF_INET },
        { "10.0.0.1", true, false, AF_INET },
        { "::1", true, true, AF_INET6 },
        { "::", true, false, AF_INET6 },
        { "::ffff:10.0.0.1", true, false, AF_INET6 },
        { "example.com", false, false, 0 },
        { "127.1", false, false, 0 },
        { "", false, false, 0 },
        { "[::1]", false, false, 0 },
        { "256.0.0.1", false, false, 0 },
    };
    for (size_t i = 0; i < ROWS(rows); i++) {
        address a;
        socklen_t size = 0;
        bool loopback = false, ok = address_of(rows[i].host, 8080, &a, &size, &loopback);
        if (ok != rows[i].ok) fail_msg("%s: %d", rows[i].host, ok);
        if (!ok) continue;
        assert_int_equal(a.any.sa_family, rows[i].family);
        assert_int_equal(loopback, rows[i].loopback);
        assert_int_equal(address_port(&a), 8080);
        assert_int_equal(size, rows[i].family == AF_INET ? sizeof a.v4 : sizeof a.v6);
    }
}

static void a_free_port_is_told(void **state)
{
    (void)state;
    address a, b;
    socklen_t size;
    bool loopback;
    assert_true(address_of(NULL, 0, &a, &size, &loopback));
    int fd = address_listen(&a, size);
    assert_true(fd >= 0);
    int port = address_port(&a);
    assert_true(port > 0);
    assert_true(address_of(NULL, port, &b, &size, &loopback));
    assert_int_equal(address_listen(&b, size), -1); /* the address is in use */
    close(fd);
}

/* ---- answers ---- */

static char *text_of(answer *a)
{
    answer_add(a, "", 1);
    return a->data;
}

static void json_is_valid_whatever_is_in_it(void **state)
{
    (void)state;
    answer a = { .status = ANSWER_OK };
    json_open(&a, NULL, '{');
    json_text(&a, "quote \"", "back \\ slash");
    json_text(&a, "bad", "\xff\x01");
    json_text(&a, "none", NULL);
    json_text_lines(&a, "lines", "one\ntwo\"\n");
    json_text_lines(&a, "empty", "");
    json_int(&a, "n", INT64_MIN);
    json_real(&a, "x", 0.5);
    json_real(&a, "inf", 1.0 / 0.0);
    json_open(&a, "list", '[');
    json_bool(&a, NULL, true);
    json_raw(&a, NULL, "{}");
    json_open(&a, NULL, '[');
    json_close(&a, ']');
    json_close(&a, ']');
    json_close(&a, '}');
    assert_string_equal(
        text_of(&a),
        "{\"quote \\\"\":\"back \\\\ slash\",\"bad\":\"\\\\xff\\\\x01\",\"none\":null,\"lines\":\"one\\ntwo\\\"\\n\","
        "\"empty\":\"\",\"n\":-9223372036854775808,\"x\":0.5,\"inf\":null,\"list\":[true,{},[]]}");
    answer_free(&a);
}

static int full(void *ctx, const void *data, size_t size)
{
    (void)data;
    size_t *left = ctx;
    if (size > *left) return 1;
    *left -= size;
    return 0;
}

static void an_answer_that_fails_stays_so(void **state)
{
    (void)state;
    size_t left = 5;
    answer a = { .status = ANSWER_OK, .pass = full, .pass_ctx = &left };
    answer_text(&a, "four");
    assert_false(answer_failed(&a));
    answer_text(&a, "more");
    assert_true(answer_failed(&a));
    answer_text(&a, "x"); /* this text would fit, but earlier text was lost */
    assert_int_equal(left, 1);
    assert_int_equal(answer_write(&a, "x", 1), 1);
    assert_string_equal(answer_why(&a), "out of memory");
    answer long_one = { .status = ANSWER_OK, .size = ANSWER_MOST, .pass = full, .pass_ctx = &left };
    answer_text(&long_one, "x");
    assert_true(long_one.too_long);
    assert_non_null(strstr(answer_why(&long_one), "192 MB"));
}

static void errors_do_not_tell_of_descriptors(void **state)
{
    (void)state;
    answer a = { .status = ANSWER_OK };
    answer_text(&a, "half an answer");
    answer_error(&a, ANSWER_UNUSABLE, "%s and %s", "/proc/self/fd/12/run/ckpt", "/proc/self/fd/3");
    assert_int_equal(a.status, ANSWER_UNUSABLE);
    assert_int_equal(a.size, 0);
    assert_string_equal(answer_why(&a), "run/ckpt and ");
    answer_free(&a);
    assert_string_equal(http_reason(413), "Content Too Large");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heads_are_refused_by_kind),
        cmocka_unit_test(heads_have_limits),
        cmocka_unit_test(a_token_is_the_same_or_not),
        cmocka_unit_test(numbers_are_whole),
        cmocka_unit_test(addresses_are_numbers),
        cmocka_unit_test(a_free_port_is_told),
        cmocka_unit_test(json_is_valid_whatever_is_in_it),
        cmocka_unit_test(an_answer_that_fails_stays_so),
        cmocka_unit_test(errors_do_not_tell_of_descriptors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
