// SPDX-License-Identifier: Apache-2.0
/* server/agent.h: `tfprof agent`: the running jobs of this machine as metrics, to be fetched (Prometheus) or sent (OTLP). Of the
 * library it sees tfprof.h only. */
#ifndef TFP_SERVER_AGENT_H
#define TFP_SERVER_AGENT_H

#include "answer.h"
#include "tfprof/tfprof.h"

typedef struct agent_options {
    const char *metrics;                       /* PORT, HOST:PORT or [V6]:PORT to listen at; NULL: nothing listens */
    const char *otlp;                          /* http://HOST[:PORT][/PATH]; NULL: nothing is sent */
    const char *token;                         /* asked for in a header; NULL: none, on loopback only */
    double interval;                           /* seconds between two sends */
    bool commands;                             /* command lines may leave the machine */
    tfp_live *jobs;                            /* which jobs */
    void (*say)(void *ctx, const char *line);  /* where it listens */
    void (*warn)(void *ctx, const char *line); /* what could not be sent */
    void *ctx;
} agent_options;

/* Works until SIGTERM or SIGINT. The exit status; `why` gets a line when it is not 0. */
int agent_run(const agent_options *o, char *why, size_t room);

/* ---- agent_metrics.c: the table `top` as metrics ---- */
void metrics_prometheus(const tfp_report *top, bool commands, answer *out);
void metrics_otlp(const tfp_report *top, bool commands, int64_t unix_ns, answer *out);

/* ---- agent_http.c: who fetches ---- */
typedef struct fetchers fetchers;
enum { FETCHERS_MOST = 32 };
typedef struct fetch_rules {
    const char *token; /* NULL: none */
    char host[80];     /* as it was named, an IPv6 address in brackets */
    int port;
    void (*fill)(void *ctx, answer *a); /* the metrics */
    void *ctx;
} fetch_rules;
fetchers *fetchers_new(int listener, const fetch_rules *r);
void fetchers_wait(fetchers *f, int ms); /* takes in and answers what there is, for so long */
void fetchers_free(fetchers *f);

/* ---- agent_url.c: what users and servers write ---- */
typedef struct otlp_url {
    char host[256], port[8], path[512], authority[280];
} otlp_url;
bool otlp_url_of(const char *text, otlp_url *out, const char **why);
/* The status of an HTTP answer that begins so; 0: more is needed, -1: it is none. */
int http_status_of(const char *head, size_t size);
/* The value of a header in a head that gate_check() found well formed, ended by NUL; NULL, size 0: it is not there once. */
const char *http_header_value(const char *head, const char *name, size_t *size);

/* ---- agent_otlp.c ---- */
/* One POST, five seconds at most; false: `why` gets a line. */
bool otlp_send(const otlp_url *u, const char *body, size_t size, char *why, size_t room);

int64_t agent_now_ms(void);

#endif
