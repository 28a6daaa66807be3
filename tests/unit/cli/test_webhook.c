// SPDX-License-Identifier: Apache-2.0
/* tests/unit/cli/test_webhook.c: a webhook that answers badly, or not at all, delays nothing, and its bytes reach no terminal. */
#include "support.h"

#include "../../../cli/watch/webhook.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define FINDING "{\"kind\":\"hang\",\"rank\":1}"

typedef struct server {
    const char *answer; /* NULL: it never answers */
    bool endless;       /* and goes on with zeros */
    int listener;
    char url[40], asked[4096]; /* asked: the last request */
    pthread_t thread;
    int requests;
} server;

static void *serve(void *ctx)
{
    server *s = ctx;
    static const char zeros[65536];
    int peer;
    while ((peer = accept(s->listener, NULL, NULL)) >= 0) {
        size_t size = 0;
        ssize_t n = 1;
        while (n > 0 && size < sizeof s->asked - 1 && !strstr(s->asked, FINDING + 1)) {
            n = recv(peer, s->asked + size, sizeof s->asked - 1 - size, 0);
            if (n > 0) s->asked[size += (size_t)n] = '\0';
        }
        s->requests++;
        if (!s->answer) continue; /* the test ends before the descriptor matters */
        (void)!send(peer, s->answer, strlen(s->answer), MSG_NOSIGNAL);
        while (s->endless && send(peer, zeros, sizeof zeros, MSG_NOSIGNAL) > 0) {}
        close(peer);
        if (s->answer[0] != 'H' || !strstr(s->answer, " 204 ")) memset(s->asked, 0, sizeof s->asked);
    }
    return NULL;
}

static void start(server *s, const char *answer, bool endless)
{
    struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t size = sizeof at;
    *s = (server){ .answer = answer, .endless = endless };
    s->listener = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(s->listener, (struct sockaddr *)&at, sizeof at), 0);
    assert_int_equal(listen(s->listener, 8), 0);
    assert_int_equal(getsockname(s->listener, (struct sockaddr *)&at, &size), 0);
    snprintf(s->url, sizeof s->url, "http://127.0.0.1:%d/x", ntohs(at.sin_port));
    assert_int_equal(pthread_create(&s->thread, NULL, serve, s), 0);
}

static void stop(server *s)
{
    shutdown(s->listener, SHUT_RDWR);
    pthread_join(s->thread, NULL);
    close(s->listener);
}

static bool is_printable(const char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < ' ' || *text == 127) return false;
    return true;
}

static void hostile_servers_delay_nothing(void **state)
{
    (void)state;
    enum { GOOD, ENDLESS, FAULT, NONSENSE, CUT, SILENT, SERVERS };
    static const char *const answers[SERVERS] = { "HTTP/1.1 204 fine\r\n\r\n",
                                                  "HTTP/1.1 500 x\r\n\r\n",
                                                  "HTTP/1.1 500 \x1b[2J\x07\r\n\r\n",
                                                  "\x1b]0;x\x07\x1b[2J\n\n",
                                                  "",
                                                  NULL };
    server s[SERVERS];
    /* Static, as they live as long as the process: a thread that waits for a server uses its hook. */
    static webhook *hooks[SERVERS];
    const char *why;
    bool usage;
    time_t begun = time(NULL);
    signal(SIGPIPE, SIG_IGN);
    assert_null(webhook_new("ftp://x", false, &usage, &why));
    assert_true(usage);
    for (int i = 0; i < SERVERS; i++) {
        start(&s[i], answers[i], i == ENDLESS);
        hooks[i] = webhook_new(s[i].url, false, &usage, &why);
        assert_non_null(hooks[i]);
        for (int k = 0; k < (i == SILENT ? 100 : 1); k++) webhook_add(hooks[i], FINDING); /* more than may wait */
    }
    assert_true(time(NULL) - begun < 3);
    assert_null(webhook_end(hooks[GOOD]));
    assert_int_equal(s[GOOD].requests, 1);
    assert_non_null(strstr(s[GOOD].asked, "{\"schema\":\"tfprof.finding\",\"kind\":\"hang\",\"rank\":1}"));
    for (int i = ENDLESS; i < SERVERS; i++) {
        const char *note = webhook_end(hooks[i]);
        assert_non_null(note);
        assert_true(is_printable(note));
        assert_non_null(
            strstr(note, i == SILENT ? "webhook: 100 findings were not sent" : "webhook: 1 finding was not sent"));
        assert_true(time(NULL) - begun < 40);
    }
    for (int i = 0; i < SERVERS; i++) stop(&s[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hostile_servers_delay_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
