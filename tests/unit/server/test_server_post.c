// SPDX-License-Identifier: Apache-2.0
/* tests/unit/server/test_server_post.c: what the agent sends to collectors and stores of profiles, and what it says of those that refuse it,
 * answer nonsense or do not answer; and the folder of a recording that it sends and removes. */
#include "peer.h"

#include "agent/agent.h"
#include "agent/push.h"
#include "data/live.h"
#include "live/stacks/stacks.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>

/* ---- one request ---- */

static bool post(const char *text, size_t size, peer_answer answer_of_peer, peer *p, char why[300])
{
    http_url u;
    const char *fault = NULL;
    char address[100];
    answer body = { .status = ANSWER_OK };
    answer_add(&body, text, size);
    peer_begin(p, &answer_of_peer, 1);
    snprintf(address, sizeof address, "http://%s/v1/metrics?x=1", p->address);
    assert_true(http_url_of(address, "80", &u, &fault));
    *why = '\0';
    bool ok = agent_post(&u, "application/x-protobuf", &body, why, 300);
    peer_end(p);
    answer_free(&body);
    return ok;
}

static void a_body_arrives_whole(void **state)
{
    (void)state;
    static char body[300000]; /* more than a socket takes at once, with NUL inside */
    char why[300], head[100];
    peer p;
    for (size_t i = 0; i < sizeof body; i++) body[i] = (char)(i * 7);
    assert_true(post(body, sizeof body, (peer_answer){ "HTTP/1.1 204 No Content\r\n\r\n", 0, false, true }, &p, why));
    const char *asked = peer_asked(&p, 0), *end = strstr(asked, "\r\n\r\n");
    assert_memory_equal(asked, "POST /v1/metrics?x=1 HTTP/1.1\r\n", 31);
    snprintf(head, sizeof head, "\r\nHost: %s\r\n", p.address);
    assert_non_null(strstr(asked, head));
    assert_non_null(strstr(asked, "\r\nContent-Type: application/x-protobuf\r\nContent-Length: 300000\r\n"));
    assert_int_equal(p.asked[0].size - 1 - (size_t)(end + 4 - asked), sizeof body);
    assert_memory_equal(end + 4, body, sizeof body);
    peer_drop(&p);
}

static void refusals_are_told_by_status(void **state)
{
    (void)state;
    static const struct {
        const char *answer;
        bool ok;
        const char *why;
    } rows[] = {
        { "HTTP/1.1 200 OK\r\n\r\n", true, "" },
        { "HTTP/1.0 299 x\r\n\r\n", true, "" },
        { "HTTP/1.1 300 x\r\nLocation: http://evil.example/\r\n\r\n", false,
          "status 300" }, /* redirects are not followed */
        { "HTTP/1.1 429 Too Many Requests\r\n\r\n", false, "status 429" },
        { "HTTP/1.1 500 x\r\n\r\n", false, "status 500" },
        { "220 mail.example ESMTP\r\n", false, "no HTTP answer" },
        { "HTTP/1.1 20", false, "no HTTP answer" },
        { "", false, "no HTTP answer" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char why[300];
        peer p;
        bool ok = post("x", 1, (peer_answer){ rows[i].answer, 0, false, false }, &p, why);
        if (ok != rows[i].ok || (!ok && !strstr(why, rows[i].why)))
            fail_msg("%s gives %d: %s", rows[i].answer, ok, why);
        peer_drop(&p);
    }
}

static void nobody_at_an_address_is_told(void **state)
{
    (void)state;
    http_url u = { .host = "127.0.0.1", .path = "/", .authority = "127.0.0.1" };
    answer body = { .status = ANSWER_OK };
    char why[300] = "";
    peer p;
    peer_begin(&p, NULL, 0); /* a port that was free a moment ago */
    snprintf(u.port, sizeof u.port, "%d", p.port);
    peer_end(&p);
    assert_false(agent_post(&u, "text/plain", &body, why, sizeof why));
    assert_non_null(strstr(why, "refused"));
    snprintf(u.host, sizeof u.host, "a..b");
    assert_false(agent_post(&u, "text/plain", &body, why, sizeof why));
    assert_true(*why && !strstr(why, "refused"));
    answer failed = { .status = ANSWER_OK, .no_memory = true };
    assert_false(agent_post(&u, "text/plain", &failed, why, sizeof why));
    assert_string_equal(why, "out of memory");
}

/* ---- stacks ---- */

/* Two samples of one stack, as `stacks` makes them. */
static tfp_report *sampled(void)
{
    static const tfp_stack_function function = {
        { "train.py:3:step", 15 }, { "train.py", 8 }, { "step", 4 }, 3, { "python", 6 }
    };
    static const uint32_t functions[] = { 0 };
    static const tfp_stack stack = { { "MainThread (7)", 14 }, functions, 1, 2 };
    static const tfp_stacks all = { .functions = &function,
                                    .stacks = &stack,
                                    .function_count = 1,
                                    .stack_count = 1,
                                    .samples = 2,
                                    .period_ns = 10000000,
                                    .duration_ns = 1000000000 };
    tfp_report *r = calloc(1, sizeof *r);
    assert_non_null(r);
    r->kind = TFP_REPORT_GRID;
    r->view = "stacks";
    r->stacks = &all;
    return r;
}

static const push_job job = { .service = "train.py", .job = "7", .pid = "7", .user = "a\"b", .framework = "torch" };

static void a_store_gets_labels_and_a_packed_profile(void **state)
{
    (void)state;
    for (int kind = 0; kind < PUSH_KINDS; kind++) {
        peer_answer ok = { "HTTP/1.1 200 OK\r\n\r\n", 0, false, false };
        char address[100], why[300] = "";
        const char *fault = NULL;
        peer p;
        push_target to;
        tfp_report *r = sampled();
        peer_begin(&p, &ok, 1);
        snprintf(address, sizeof address, "http://%s/below", p.address);
        assert_true(push_target_of((push_kind)kind, address, &to, &fault));
        if (!push_stacks(&to, r, &job, kind == PUSH_PARCA, why, sizeof why)) fail_msg("%s", why);
        peer_end(&p);
        const char *asked = peer_asked(&p, 0);
        assert_non_null(strstr(asked, kind == PUSH_PYROSCOPE ? "POST /below/push.v1.PusherService/Push HTTP/1.1\r\n"
                                                             : "POST /below/api/profiles/writeraw HTTP/1.1\r\n"));
        assert_non_null(strstr(asked, "{\"name\":\"service_name\",\"value\":\"train.py\"}"));
        assert_non_null(strstr(asked, "{\"name\":\"user\",\"value\":\"a\\\"b\"}"));
        assert_non_null(strstr(asked, kind == PUSH_PARCA ? "\"value\":\"wall\"" : "\"value\":\"process_cpu\""));
        assert_int_equal(strstr(asked, "\"labels\":{\"labels\":[") != NULL, kind == PUSH_PARCA);
        assert_int_equal(strstr(asked, "\"ID\":\"") != NULL, kind == PUSH_PYROSCOPE);
        assert_non_null(strstr(asked, "\"rawProfile\":\"H4sI")); /* gzip in base64 */
        peer_drop(&p);
        free(r);
    }
}

static void a_job_without_a_name_has_a_service_all_the_same(void **state)
{
    (void)state;
    peer_answer full = { "HTTP/1.1 507 Insufficient Storage\r\n\r\n", 0, false, false };
    static const push_job none = { .pid = "8" };
    char address[100], why[300] = "";
    const char *fault = NULL;
    peer p;
    push_target to;
    tfp_report *r = sampled();
    peer_begin(&p, &full, 1);
    snprintf(address, sizeof address, "http://%s", p.address);
    assert_true(push_target_of(PUSH_PARCA, address, &to, &fault));
    assert_false(push_stacks(&to, r, &none, false, why, sizeof why));
    assert_non_null(strstr(why, "status 507"));
    peer_end(&p);
    assert_non_null(strstr(peer_asked(&p, 0), "{\"name\":\"service_name\",\"value\":\"tfprof\"}"));
    assert_null(strstr(peer_asked(&p, 0), "\"user\"")); /* a label without a value is left out */
    peer_drop(&p);
    free(r);
}

/* ---- the folder of a recording ---- */

typedef struct drain {
    int fd;
    tfp_buf got;
} drain;

static void *read_all(void *ctx)
{
    drain *x = ctx;
    char bytes[4096];
    for (ssize_t n; (n = read(x->fd, bytes, sizeof bytes)) > 0;) tfp_buf_add(&x->got, bytes, (size_t)n);
    tfp_buf_add(&x->got, "", 1);
    return NULL;
}

static void send_folder(int folder, drain *x)
{
    int ends[2];
    pthread_t reader;
    assert_int_equal(pipe(ends), 0);
    *x = (drain){ .fd = ends[0] };
    assert_int_equal(pthread_create(&reader, NULL, read_all, x), 0);
    assert_true(agent_folder_send(ends[1], folder));
    close(ends[1]);
    pthread_join(reader, NULL);
    close(ends[0]);
}

static void put(const char *folder, const char *name, const char *text)
{
    free(file_in(folder, name, text, strlen(text)));
}

static void only_the_files_of_jobs_are_sent(void **state)
{
    (void)state;
    char path[4200], name[4300];
    drain x;
    int fd = agent_folder_make(path, sizeof path);
    struct stat st;
    assert_true(fd >= 0);
    assert_int_equal(fstat(fd, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0700);
    snprintf(name, sizeof name, "%s/7", path);
    assert_int_equal(mkdir(name, 0700), 0);
    put(name, "a.pb", "abc");
    put(name, ".hidden", "h");
    put(name, "with blank", "b"); /* a name that a line of the stream cannot have */
    snprintf(name, sizeof name, "%s/7/link", path);
    assert_int_equal(symlink("/etc/hostname", name), 0);
    snprintf(name, sizeof name, "%s/7/pipe", path);
    assert_int_equal(mkfifo(name, 0600), 0);
    snprintf(name, sizeof name, "%s/elsewhere", path);
    assert_int_equal(symlink("/etc", name), 0);
    put(path, "manifest.json", "{}");
    send_folder(fd, &x);
    assert_string_equal(x.got.data, "file 7/a.pb 3\nabcfile manifest.json 2\n{}end\n");
    tfp_buf_free(&x.got);
    snprintf(name, sizeof name, "%s/kept", path);
    char *other = new_folder();
    put(other, "precious", "p");
    assert_int_equal(symlink(other, name), 0);
    agent_folder_remove(path, fd);
    assert_int_not_equal(access(path, F_OK), 0);
    snprintf(name, sizeof name, "%s/precious", other);
    assert_int_equal(access(name, F_OK), 0); /* a link is removed, not what it leads to */
    drop_folder(other);
}

static void a_receiver_that_leaves_ends_the_sending(void **state)
{
    (void)state;
    static char much[1 << 20];
    char path[4200], name[4300];
    int ends[2], fd = agent_folder_make(path, sizeof path);
    assert_true(fd >= 0 && pipe(ends) == 0);
    close(ends[0]);
    snprintf(name, sizeof name, "%s/7", path);
    assert_int_equal(mkdir(name, 0700), 0);
    free(file_in(name, "a.pb", much, sizeof much));
    signal(SIGPIPE, SIG_IGN);
    assert_false(agent_folder_send(ends[1], fd));
    signal(SIGPIPE, SIG_DFL);
    close(ends[1]);
    agent_folder_remove(path, fd);
    assert_int_not_equal(access(path, F_OK), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_body_arrives_whole),
        cmocka_unit_test(refusals_are_told_by_status),
        cmocka_unit_test(nobody_at_an_address_is_told),
        cmocka_unit_test(a_store_gets_labels_and_a_packed_profile),
        cmocka_unit_test(a_job_without_a_name_has_a_service_all_the_same),
        cmocka_unit_test(only_the_files_of_jobs_are_sent),
        cmocka_unit_test(a_receiver_that_leaves_ends_the_sending),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
