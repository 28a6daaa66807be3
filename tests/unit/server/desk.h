// SPDX-License-Identifier: Apache-2.0
/* tests/unit/server/desk.h: the server without sockets: requests are handed to it as libmicrohttpd would, and answers are kept. What
 * libmicrohttpd does is done here by a few functions of the same names. */
#ifndef TFP_TEST_DESK_H
#define TFP_TEST_DESK_H

#include "support.h"

#include "http/mhd.h"
#include "server_parts.h"

#include <string.h>
#include <strings.h>

#define DESK_PORT 4711
#define DESK_HOST "Host: localhost:4711\n"

typedef struct desk {
    server server;
    serve_options options;
    serve_input inputs[4];
} desk;

typedef struct asked { /* a request, and what it got; freed by asked_drop */
    unsigned status;
    char headers[4000]; /* "Name: value\n" ... */
    tfp_buf body;       /* ended by NUL, which `size` does not count */
    /* the rest stands for libmicrohttpd's connection and its response */
    char *given[64][2]; /* names and values of headers, then of parameters */
    size_t header_count, given_count;
    tfp_buf text;
    pthread_mutex_t lock;
    pthread_cond_t some;
    bool resumed;
    const void *data;
    size_t size;
    void (*release)(void *cls);
    void *release_cls;
} asked;

static inline void desk_suspend(struct MHD_Connection *c) { (void)c; }

static inline void desk_resume(struct MHD_Connection *c)
{
    asked *a = (asked *)(void *)c;
    pthread_mutex_lock(&a->lock);
    a->resumed = true;
    pthread_cond_signal(&a->some);
    pthread_mutex_unlock(&a->lock);
}

static inline const union MHD_ConnectionInfo *desk_info(struct MHD_Connection *c, enum MHD_ConnectionInfoType what, ...)
{
    (void)c, (void)what;
    return NULL;
}

static inline int desk_values(struct MHD_Connection *c, enum MHD_ValueKind kind, MHD_KeyValueIteratorN fn, void *cls)
{
    asked *a = (asked *)(void *)c;
    bool headers = kind == MHD_HEADER_KIND;
    for (size_t i = headers ? 0 : a->header_count; i < (headers ? a->header_count : a->given_count); i++)
        fn(cls, kind, a->given[i][0], strlen(a->given[i][0]), a->given[i][1], strlen(a->given[i][1]));
    return 0;
}

static asked *desk_answering; /* the one request whose response is being made: requests are made one after another */

static inline struct MHD_Response *desk_response(size_t size, void *data, MHD_ContentReaderFreeCallback release,
                                                 void *cls)
{
    desk_answering->data = data;
    desk_answering->size = size;
    desk_answering->release = release;
    desk_answering->release_cls = cls;
    return (struct MHD_Response *)(void *)desk_answering;
}

static inline enum MHD_Result desk_header(struct MHD_Response *r, const char *name, const char *value)
{
    asked *a = (asked *)(void *)r;
    size_t n = strlen(a->headers);
    snprintf(a->headers + n, sizeof a->headers - n, "%s: %s\n", name, value);
    return MHD_YES;
}

static inline enum MHD_Result desk_queue(struct MHD_Connection *c, unsigned status, struct MHD_Response *r)
{
    asked *a = (asked *)(void *)c;
    assert_ptr_equal(a, r);
    a->status = status;
    tfp_buf_add(&a->body, a->data, a->size);
    return MHD_YES;
}

static inline void desk_destroy(struct MHD_Response *r)
{
    asked *a = (asked *)(void *)r;
    a->release(a->release_cls);
}

static inline void desk_changed(void *ctx) { jobs_look(&((server *)ctx)->jobs); }

/* Serves these files and folders, with a token ("": none). */
static inline void desk_begin(desk *d, const char *token, const char *const *paths, size_t count)
{
    char why[400] = "";
    *d = (desk){ .options = { .inputs = d->inputs, .input_count = count } };
    assert_true(count <= 4);
    for (size_t i = 0; i < count; i++) d->inputs[i].path = paths[i];
    server *s = &d->server;
    s->mhd = (mhd){ .MHD_suspend_connection = desk_suspend,
                    .MHD_resume_connection = desk_resume,
                    .MHD_get_connection_info = desk_info,
                    .MHD_get_connection_values_n = desk_values,
                    .MHD_create_response_from_buffer_with_free_callback_cls = desk_response,
                    .MHD_add_response_header = desk_header,
                    .MHD_queue_response = desk_queue,
                    .MHD_destroy_response = desk_destroy };
    s->port = DESK_PORT;
    snprintf(s->host_name, sizeof s->host_name, "10.1.2.3");
    snprintf(s->token, sizeof s->token, "%s", token);
    pthread_mutex_init(&s->lock, NULL);
    s->catalog = catalog_new(&d->options, why, sizeof why);
    if (!s->catalog) fail_msg("%s", why);
    s->jobs.work = http_work;
    s->jobs.wake = http_wake;
    s->jobs.version = http_version;
    s->jobs.ctx = s;
    assert_true(jobs_start(&s->jobs));
    assert_true(catalog_start(s->catalog, desk_changed, s));
}

static inline void desk_end(desk *d)
{
    catalog_stop(d->server.catalog);
    jobs_stop(&d->server.jobs);
    catalog_free(d->server.catalog);
    pthread_mutex_destroy(&d->server.lock);
}

/* The id of the profile whose name ends like this. */
static inline void desk_id(desk *d, const char *name, char id[24])
{
    entry_view e;
    *id = '\0';
    for (size_t i = 0; i < catalog_count(d->server.catalog); i++) {
        if (!catalog_view(d->server.catalog, i, &e)) continue;
        size_t n = strlen(e.name), m = strlen(name);
        if (n >= m && strcmp(e.name + n - m, name) == 0) snprintf(id, 24, "%s", e.id);
        entry_view_free(&e);
    }
    if (!*id) fail_msg("no profile %s", name);
}

/* Cuts a copy of "NAME: VALUE\n..." or "NAME=VALUE&..." into pairs. */
static inline void desk_cut(asked *a, char *text, const char *between, const char *end)
{
    while (text && *text) {
        char *next = strstr(text, end), *value = strstr(text, between);
        if (next) *next = '\0', next += strlen(end);
        if (value) *value = '\0', value += strlen(between);
        assert_true(a->given_count < 64);
        a->given[a->given_count][0] = text;
        a->given[a->given_count++][1] = value ? value : text + strlen(text);
        text = next;
    }
}

/* Waits until the answer is there; meanwhile the server's main loop looks at jobs that wait, as serve() does four times a second. */
static inline void desk_wait(desk *d, asked *a)
{
    struct timespec end;
    for (bool over = false; !over;) {
        clock_gettime(CLOCK_REALTIME, &end);
        end.tv_nsec += 10000000;
        end.tv_sec += end.tv_nsec / 1000000000;
        end.tv_nsec %= 1000000000;
        pthread_mutex_lock(&a->lock);
        if (!a->resumed) pthread_cond_timedwait(&a->some, &a->lock, &end);
        over = a->resumed;
        a->resumed = false;
        pthread_mutex_unlock(&a->lock);
        if (!over) jobs_look(&d->server.jobs);
    }
}

/* target: PATH or PATH?NAME=VALUE&..., decoded already; headers: lines, each with its end. */
static inline void desk_ask(desk *d, const char *method, const char *target, const char *headers, asked *a)
{
    *a = (asked){ .lock = PTHREAD_MUTEX_INITIALIZER, .some = PTHREAD_COND_INITIALIZER };
    char *lines = strdup(headers), *path = strdup(target), *parameters = strchr(path, '?');
    struct MHD_Connection *c = (struct MHD_Connection *)(void *)a;
    void *state = NULL;
    size_t size = 0;
    if (parameters) *parameters++ = '\0';
    desk_cut(a, lines, ": ", "\n");
    a->header_count = a->given_count;
    desk_cut(a, parameters, "=", "&");
    desk_answering = a;
    assert_int_equal(http_request(&d->server, c, path, method, "HTTP/1.1", NULL, &size, &state), MHD_YES);
    assert_int_equal(http_request(&d->server, c, path, method, "HTTP/1.1", NULL, &size, &state), MHD_YES);
    while (!a->status) {
        desk_wait(d, a);
        assert_int_equal(http_request(&d->server, c, path, method, "HTTP/1.1", NULL, &size, &state), MHD_YES);
    }
    connections_completed(&d->server, c, &state, MHD_REQUEST_TERMINATED_COMPLETED_OK);
    assert_null(state);
    tfp_buf_add(&a->body, "", 1);
    a->body.size--;
    free(lines);
    free(path);
}

static inline void asked_drop(asked *a) { tfp_buf_free(&a->body); }

/* The value of a header of the answer, up to the end of its line; "": it has none. */
static inline const char *asked_header(const asked *a, const char *name, char out[600])
{
    *out = '\0';
    for (const char *at = a->headers; *at; at += strcspn(at, "\n") + 1)
        if (strncasecmp(at, name, strlen(name)) == 0 && at[strlen(name)] == ':')
            snprintf(out, 600, "%.*s", (int)strcspn(at + strlen(name) + 2, "\n"), at + strlen(name) + 2);
    return out;
}

#endif
