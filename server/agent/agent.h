// SPDX-License-Identifier: Apache-2.0
/* server/agent/agent.h: `tfprof agent`: the running jobs of this machine as metrics, to be fetched (Prometheus) or sent (OTLP), and their
 * stacks sent (pprof). Of the
 * library it sees tfprof.h only. */
#ifndef TFP_SERVER_AGENT_H
#define TFP_SERVER_AGENT_H

#include "http/answer.h"
#include "http/gate.h"
#include "tfprof/tfprof.h"

#include <sys/types.h>

typedef struct agent_options {
    const char *metrics;                       /* PORT, HOST:PORT or [V6]:PORT to listen at; NULL: nothing listens */
    const char *listen;                        /* the same, for tfprof of other machines: never without a token */
    const char *otlp;                          /* metrics go to http://HOST[:PORT][/PATH]; NULL: nothing is sent */
    const char *push[2];                       /* stores of stacks, by push_kind; NULL: none */
    const char *token;                         /* asked for in a header; NULL: none, on loopback only */
    double interval;                           /* seconds between two sends */
    bool commands;                             /* command lines may leave the machine */
    tfp_live *jobs;                            /* the jobs that it looks at */
    tfp_live *processes;                       /* the same, each process by itself; for stacks */
    void (*say)(void *ctx, const char *line);  /* where it listens */
    void (*warn)(void *ctx, const char *line); /* what could not be sent */
    void *ctx;
} agent_options;

/* Works until SIGTERM or SIGINT. The exit status; `why` gets a line when it is not 0. */
int agent_run(const agent_options *o, char *why, size_t room);

/* ---- metrics.c: the table `top` as metrics ---- */
void metrics_prometheus(const tfp_report *top, bool commands, answer *out);
/* ExportMetricsServiceRequest of OTLP 1.x. */
void metrics_otlp(const tfp_report *top, bool commands, int64_t unix_ns, answer *out);

/* ---- http.c: who fetches ---- */
typedef struct fetchers fetchers;
enum { FETCHERS_MOST = 256 };
typedef struct fetch_rules {
    const char *token; /* NULL: none */
    char host[80];     /* as it was named, an IPv6 address in brackets */
    int port;
    void (*fill)(void *ctx, answer *a); /* the metrics */
    /* Instead of `fill`: the status for a request whose head and token are right. 200: a body, or a stream that is passed on to its end;
     * else `why` has a line. */
    int (*ask)(void *ctx, const char *head, answer *body, int *stream, const char **why);
    void *ctx;
    void (*warn)(void *ctx, const char *line); /* who tries tokens */
    void *warn_ctx;
} fetch_rules;
fetchers *fetchers_new(int listener, const fetch_rules *r); /* the listener is closed with the fetchers */
void fetchers_wait(fetchers *f, int ms);                    /* takes in and answers what there is, for so long */
void fetchers_free(fetchers *f);

/* ---- record.c: another machine's tfprof ---- */
#define AGENT_TABLE "/v1/" /* and its name: top, hang */
#define AGENT_TOP AGENT_TABLE "top"
#define AGENT_HANG AGENT_TABLE "hang"
#define AGENT_CAPTURE "/v1/capture"
#define AGENT_START "/v1/start" /* at=UNIX_MICROS: of a recording that is ready */
#define AGENT_CLOCK "/v1/clock" /* microseconds since 1970 */
typedef struct recorder {
    tfp_status (*look)(void *ctx, tfp_report **out); /* the table of jobs */
    void *ctx;
    bool commands;
    pid_t child; /* the process that records; 0: none */
    int control; /* pipe to the child: the moment to begin at, as eight bytes; -1: no child */
    char folder[4200];
    int folder_fd; /* the same, held while there is a child */
} recorder;
int recorder_ask(void *recorder, const char *head, answer *body, int *stream, const char **why);
void recorder_reap(recorder *r, bool now); /* removes what a recording left; now: it is ended */
/* Whether a value goes into a request as it is. */
bool agent_is_plain(const char *text);

/* ---- archive.c: recordings as a stream: "file NAME SIZE", "report STATUS SIZE" or "failed STATUS SIZE" as a line, so many
 * bytes, and again; last "end". "waits" and "ready" are lines alone ---- */
enum { ARCHIVE_NAME = 256, ARCHIVE_TEXT_MOST = 16 << 20 };
typedef enum archive_kind {
    ARCHIVE_FILE,
    ARCHIVE_REPORT,
    ARCHIVE_FAILED,
    ARCHIVE_WAITS,
    ARCHIVE_READY,
    ARCHIVE_END
} archive_kind;
typedef struct archive_entry {
    archive_kind kind;
    char name[ARCHIVE_NAME]; /* of a file: FILE or JOB/FILE */
    int64_t status, size;
} archive_entry;
/* A line without its end; false: it is none. */
bool archive_line(const char *line, archive_entry *out);

/* ---- client.c: the other end ---- */
typedef struct remote {
    const char *address, *token; /* HOST:PORT */
    int (*write)(void *ctx, const void *data, size_t size);
    void *ctx;
    int64_t bytes_most; /* bytes of all files of a process */
    int64_t table_most; /* bytes of a table */
    /* milliseconds: for the whole answer; on top of it where the other end waits for another recording */
    int64_t answer_ms, wait_ms;
    bool (*stopped)(const struct remote *r);
    /* With align: called when the other end is ready; the moment in microseconds since 1970 of its clock, 0: it is to settle it. */
    int64_t (*start)(const struct remote *r);
} remote;
/* The table of jobs ("top") or ranks ("hang"), written in this format. False: `why` has a line. */
bool remote_table(const remote *r, const char *table, const char *format, char *why, size_t room);
/* folder.c: the folder that takes an agent's recording. Its descriptor; -1: none can be made. */
int agent_folder_make(char *path, size_t room);
bool agent_folder_send(int out, int folder); /* the files of each job, then the manifest */
void agent_folder_remove(const char *path, int folder);

/* By how many microseconds its clock is ahead of ours, to half of the time that an answer takes; false: it does not tell. */
bool remote_clock(const remote *r, int64_t *ahead);
int64_t remote_unix_micros(void); /* our own clock */
/* Records on an agent and puts the files into an empty folder. parameters: job=..&ms=.. . Returns the recording's exit status; its table goes
 * to write(). `why` gets a line when nothing was recorded or some files did not arrive (status 1, 2, 3 or 130). */
int remote_capture(const remote *r, const char *parameters, int folder, char *why, size_t room);

/* ---- url.c: what users and servers write ---- */
typedef struct http_url {
    char host[256], port[8], path[512], authority[280];
} http_url;
/* http://HOST[:PORT][/PATH], with this port where it names none; without a path it is "/". */
bool http_url_of(const char *text, const char *port, http_url *out, const char **why);
bool http_url_below(http_url *u, const char *path, const char **why); /* adds a path, which begins with / */
/* The status of an HTTP answer that begins so; 0: more is needed, -1: it is none. */
int http_status_of(const char *head, size_t size);
/* The value of a header in a head that gate_check() found well formed, ended by NUL; NULL, size 0: it is not there once. */
const char *http_header_value(const char *head, const char *name, size_t *size);

/* ---- post.c ---- */
/* One POST, five seconds at most; false: `why` gets a line. */
bool agent_post(const http_url *u, const char *type, const answer *body, char *why, size_t room);

int64_t agent_now_ms(void);
/* A connection, -1 with errno; waits for a socket until then. */
int agent_connect(const http_url *u, int64_t until_ms, const char **why);
bool agent_wait_for(int fd, short events, int64_t until_ms);
bool agent_send_all(int fd, const char *data, size_t size, int64_t until_ms);

#endif
