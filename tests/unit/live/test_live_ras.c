// SPDX-License-Identifier: Apache-2.0
/* tests/unit/live/test_live_ras.c: answers of NCCL's RAS, as its user guide shows them, and servers that answer badly.
 */
#include "support.h"

#include "live/net/ras.h"

#include <arpa/inet.h>
#include <pthread.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static const char status[] =
    "NCCL version 2.28.3 compiled with CUDA 12.9\n\nJob summary\n===========\n\n  Nodes  Processes\n(total)   per "
    "node\n      1          4\n\n"
    "Errors\n======\n\nDEAD\n  1 job process is considered dead (unreachable via the RAS network)\n"
    "  Process 104 on node 10.0.0.1 managing GPU 3\n\nWarnings\n========\n\n"
    "#0-0 (27a079b828ff1a75) MISMATCH\n  Communicator ranks have different AllReduce operation counts\n"
    "  2 ranks have launched up to operation 120\n  Rank 2 has launched up to operation 119 -- GPU 2 managed by "
    "process 102 on node 10.0.0.1\n\n"
    "#0-1 (0c) MISMATCH\n  Communicator ranks have different collective operation counts\n  6 ranks have launched up "
    "to operation 50\n"
    "  2 ranks have launched up to operation 48\n  Rank 5 -- GPU 5 managed by process 205 on node 10.0.0.2\n"
    "  Rank 6 -- GPU 6 managed by process 206 on node 10.0.0.2\n";

static void ranks_behind_and_lost_are_read(void **state)
{
    (void)state;
    tfp_ras r;
    assert_int_equal(tfp_ras_parse(&r, tfp_str_of(status), NULL), TFP_OK);
    assert_int_equal(r.ranks.size, 4);
    assert_true(r.ranks.at[0].lost);
    assert_int_equal(r.ranks.at[0].pid, 104);
    assert_int_equal(r.ranks.at[1].rank, 2);
    assert_int_equal(r.ranks.at[1].pid, 102);
    assert_int_equal(r.ranks.at[1].count, 119);
    assert_int_equal(r.ranks.at[1].ahead, 120);
    assert_true(tfp_str_eq(r.ranks.at[1].communicator, TFP_STR("27a079b828ff1a75")));
    assert_true(tfp_str_eq(r.ranks.at[1].kind, TFP_STR("AllReduce")));
    assert_int_equal(r.ranks.at[3].pid, 206);
    assert_int_equal(r.ranks.at[3].count, 48);
    tfp_ras_free(&r);
}

static void json_is_read(void **state)
{
    (void)state;
    static const char json[] =
        "{\"communicators\": [{\"hash\": \"ab\", \"ranks\": ["
        "{\"rank\": 0, \"pid\": 7, \"collective_counts\": {\"Broadcast\": 2, \"AllReduce\": 9}},"
        "{\"rank\": 1, \"pid\": 8, \"collective_counts\": {\"Broadcast\": 2, \"AllReduce\": 8}}],"
        "\"missing_ranks\": [{\"rank\": 2, \"pid\": 9}]}]}";
    tfp_ras r;
    assert_int_equal(tfp_ras_parse(&r, tfp_str_of(json), NULL), TFP_OK);
    assert_int_equal(r.ranks.size, 2);
    assert_int_equal(r.ranks.at[0].pid, 8);
    assert_int_equal(r.ranks.at[0].ahead, 9);
    assert_true(r.ranks.at[1].lost);
    assert_int_equal(r.ranks.at[1].pid, 9);
    tfp_ras_free(&r);
}

static void other_answers_are_refused(void **state)
{
    (void)state;
    static const char *const wrong[] = { "",
                                         "HTTP/1.1 200 OK\r\n\r\n",
                                         "{}",
                                         "{\"communicators\": 3}",
                                         "{\"communicators\": [",
                                         "\x1b[2J\x01\xff",
                                         "Rank 1 has launched up to operation 99999999999999999999999" };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        tfp_ras r;
        assert_true(tfp_ras_parse(&r, tfp_str_of(wrong[i]), NULL) != TFP_OK);
        tfp_ras_free(&r);
    }
    for (size_t n = 0; n < sizeof status; n++) { /* cut anywhere */
        tfp_ras r;
        tfp_ras_parse(&r, (tfp_str){ status, n }, NULL);
        tfp_ras_free(&r);
    }
}

/* ---- servers ---- */

typedef struct server {
    int fd;
    enum { ANSWERS, SILENT, ENDLESS } how;
    char asked[64];
} server;

static void *serve(void *arg)
{
    server *s = arg;
    int fd = accept(s->fd, NULL, NULL);
    ssize_t n = recv(fd, s->asked, sizeof s->asked - 1, 0);
    s->asked[n > 0 ? n : 0] = 0;
    static char many[65536];
    memset(many, 'x', sizeof many);
    if (s->how == ANSWERS) n = send(fd, status, sizeof status - 1, MSG_NOSIGNAL);
    while (s->how == ENDLESS && send(fd, many, sizeof many, MSG_NOSIGNAL) > 0) continue;
    if (s->how == SILENT) sleep(3);
    close(fd);
    return NULL;
}

static tfp_status ask(server *s, tfp_buf *out, double *seconds)
{
    struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t size = sizeof at;
    char address[64];
    pthread_t thread;
    s->fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_true(bind(s->fd, (struct sockaddr *)&at, sizeof at) == 0 && listen(s->fd, 1) == 0);
    assert_true(getsockname(s->fd, (struct sockaddr *)&at, &size) == 0);
    snprintf(address, sizeof address, "localhost:%d", ntohs(at.sin_port));
    assert_int_equal(pthread_create(&thread, NULL, serve, s), 0);
    int64_t began = tfp_now_ns();
    tfp_status status_of = tfp_ras_ask(address, out, NULL);
    *seconds = (double)(tfp_now_ns() - began) / 1e9;
    pthread_join(thread, NULL);
    close(s->fd);
    return status_of;
}

static void a_server_is_asked_with_bounds(void **state)
{
    (void)state;
    double seconds;
    server good = { .how = ANSWERS }, silent = { .how = SILENT }, endless = { .how = ENDLESS };
    tfp_buf out = { 0 };
    assert_int_equal(ask(&good, &out, &seconds), TFP_OK);
    assert_string_equal(good.asked, "VERBOSE STATUS\n");
    assert_int_equal(out.size, sizeof status - 1);
    out.size = 0;
    assert_int_equal(ask(&silent, &out, &seconds), TFP_BADFILE);
    assert_true(seconds < 2.9);
    out.size = 0;
    assert_int_equal(ask(&endless, &out, &seconds), TFP_LIMIT);
    assert_true(out.size < 2 * TFP_RAS_MOST);
    out.size = 0;
    assert_int_equal(tfp_ras_ask("localhost:1", &out, NULL), TFP_BADFILE);
    assert_int_equal(tfp_ras_ask("nowhere.example:28028", &out, NULL), TFP_BADFILE);
    assert_int_equal(tfp_ras_ask("x", &out, NULL), TFP_BADFILE);
    tfp_buf_free(&out);
}

/* A process that neither names an address nor listens at RAS's port has none. */
static void a_strangers_port_is_not_asked(void **state)
{
    (void)state;
    char address[128];
    assert_false(tfp_ras_address(getpid(), address, sizeof address));
    struct sockaddr_in at = { .sin_family = AF_INET,
                              .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
                              .sin_port = htons(28028) };
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (bind(fd, (struct sockaddr *)&at, sizeof at) == 0 && listen(fd, 1) == 0) {
        assert_true(tfp_ras_address(getpid(), address, sizeof address));
        assert_string_equal(address, "localhost:28028");
        assert_false(tfp_ras_address(getppid(), address, sizeof address));
    }
    close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_behind_and_lost_are_read), cmocka_unit_test(json_is_read),
        cmocka_unit_test(other_answers_are_refused),      cmocka_unit_test(a_server_is_asked_with_bounds),
        cmocka_unit_test(a_strangers_port_is_not_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
