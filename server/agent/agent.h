// SPDX-License-Identifier: Apache-2.0
/* server/agent/agent.h: `tfprof agent`: the running jobs of this machine as metrics, to be fetched (Prometheus) or sent (OTLP), and their
 * stacks sent (pprof). It uses only tfprof.h of the library. */
#ifndef TFP_SERVER_AGENT_H
#define TFP_SERVER_AGENT_H

#include "http/answer.h"
#include "http/gate.h"
#include "tfprof/tfprof.h"

#include <sys/types.h>

typedef struct agent_options {
    const char *metrics;      /* address for metrics: PORT, HOST:PORT or [V6]:PORT; NULL: not served */
    const char *listen;       /* address for tfprof on other machines; requires a token */
    const char *otlp;         /* metrics are sent to http://HOST[:PORT][/PATH]; NULL: not sent */
    const char *watch;        /* the store into which jobs are watched; NULL: none */
    const char *const *words; /* the jobs that are watched; none: all */
    size_t word_count;
    const char *push[2]; /* profile stores for stacks, by push_kind; NULL: none */
    /* token that requests must have in a header; NULL: none, then only the loopback address is allowed */
    const char *token;
    double interval;                           /* seconds between two sends */
    bool commands;                             /* command lines are included in what is sent */
    tfp_live *jobs;                            /* the jobs that are sampled */
    tfp_live *processes;                       /* the same, each process by itself; for stacks */
    void (*say)(void *ctx, const char *line);  /* called with the addresses where it listens */
    void (*warn)(void *ctx, const char *line); /* called with what could not be sent */
    void *ctx;
} agent_options;

/* Runs until SIGTERM or SIGINT. Returns the exit status; `why` gets a line when it is not 0. */
int agent_run(const agent_options *o, char *why, size_t room);

/* ---- metrics.c: the table `top` as metrics ---- */
void metrics_label(answer *a, const char *text); /* the value of a label of Prometheus, without its quotes */
void metrics_prometheus(const tfp_report *top, bool commands, answer *out);
/* ExportMetricsServiceRequest of OTLP 1.x. */
void metrics_otlp(const tfp_report *top, bool commands, int64_t unix_ns, answer *out);

/* ---- http.c: who fetches ---- */
typedef struct fetchers fetchers;
enum { FETCHERS_MOST = 256 };
typedef struct fetch_rules {
    const char *token; /* NULL: none */
    char host[80];     /* host as the user named it, an IPv6 address in brackets */
    int port;
    void (*fill)(void *ctx, answer *a); /* writes the metrics */
    /* Used instead of `fill`: returns the status for a request with a correct head and token. 200: a body, or a stream that is passed on
     * until its end; otherwise `why` has a line. */
    int (*ask)(void *ctx, const char *head, answer *body, int *stream, const char **why);
    void *ctx;
    void (*warn)(void *ctx, const char *line); /* called about clients that try tokens */
    void *warn_ctx;
} fetch_rules;
fetchers *fetchers_new(int listener, const fetch_rules *r); /* the listener is closed together with the fetchers */
void fetchers_wait(fetchers *f, int ms);                    /* receives and answers requests for this long */
void fetchers_free(fetchers *f);

/* ---- record.c: another machine's tfprof ---- */
#define AGENT_TABLE "/v1/" /* followed by the table's name: top, hang */
#define AGENT_TOP AGENT_TABLE "top"
#define AGENT_HANG AGENT_TABLE "hang"
#define AGENT_CAPTURE "/v1/capture"
#define AGENT_START "/v1/start" /* with at=UNIX_MICROS, for a recording that is ready */
#define AGENT_CLOCK "/v1/clock" /* microseconds since 1970 */
typedef struct recorder {
    tfp_status (*look)(void *ctx, tfp_report **out); /* samples and returns the table of jobs */
    void *ctx;
    bool commands;
    pid_t child; /* the process that records; 0: none */
    int control; /* pipe to the child for the start time, as eight bytes; -1: no child */
    char folder[4200];
    int folder_fd; /* the same folder, open while there is a child */
} recorder;
int recorder_ask(void *recorder, const char *head, answer *body, int *stream, const char **why);
void recorder_reap(recorder *r, bool now); /* removes what a recording left; now: the recording is ended first */
/* Whether a value can be put into a request without escaping. */
bool agent_is_plain(const char *text);

/* ---- archive.c: recordings as a stream: lines "file NAME SIZE", "report STATUS SIZE" or "failed STATUS SIZE", each followed by
 * that many bytes; the last line is "end". "waits" and "ready" are lines without bytes ---- */
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
    char name[ARCHIVE_NAME]; /* name of a file: FILE or JOB/FILE */
    int64_t status, size;
} archive_entry;
/* Parses a line without its line end; false: it is malformed. */
bool archive_line(const char *line, archive_entry *out);

/* ---- client.c: the other end ---- */
typedef struct remote {
    const char *address, *token; /* HOST:PORT */
    int (*write)(void *ctx, const void *data, size_t size);
    void *ctx;
    int64_t bytes_most; /* most bytes of all files */
    int64_t table_most; /* most bytes of a table */
    /* milliseconds: answer_ms for the whole answer; wait_ms in addition if the other side waits for another
     * recording */
    int64_t answer_ms, wait_ms;
    bool (*stopped)(const struct remote *r);
    /* With align: called when the other side is ready; returns the start time in microseconds since 1970 by the other side's clock,
     * 0: the other side chooses it. */
    int64_t (*start)(void *start_ctx);
    void *start_ctx;
} remote;
/* Requests the table of jobs ("top") or ranks ("hang") in this format. False: `why` has a line. */
bool remote_table(const remote *r, const char *table, const char *format, char *why, size_t room);
/* folder.c: makes the folder for an agent's recording. Returns its descriptor; -1: none could be made. */
int agent_folder_make(char *path, size_t room);
bool agent_folder_send(int out, int folder); /* sends the files of each job, then the manifest */
void agent_folder_remove(const char *path, int folder);

/* By how many microseconds the other clock is ahead of ours, accurate to half of the answer's time; false: unknown. */
bool remote_clock(const remote *r, int64_t *ahead);
/* Records through an agent and puts the files into an empty folder. parameters: job=..&ms=.. . Returns the recording's exit status and passes
 * its table to write(). `why` gets a line when nothing was recorded or some files did not arrive (status 1, 2, 3 or 130). */
int remote_capture(const remote *r, const char *parameters, int folder, char *why, size_t room);

/* ---- url.c: what users and servers write ---- */
typedef struct http_url {
    char host[256], port[8], path[512], authority[280];
} http_url;
/* Parses http://HOST[:PORT][/PATH]; the default port is given, the default path is "/". */
bool http_url_of(const char *text, const char *port, http_url *out, const char **why);
bool http_url_below(http_url *u, const char *path, const char **why); /* adds a path, which begins with / */
/* The status of an HTTP answer that begins with `head`; 0: more bytes are needed, -1: it is no HTTP. */
int http_status_of(const char *head, size_t size);
/* The value of a header, ended by NUL, in a head that gate_check() accepted; NULL, size 0: it is missing, or repeated. */
const char *http_header_value(const char *head, const char *name, size_t *size);

/* ---- post.c ---- */
/* Makes one POST, which may take five seconds; false: `why` gets a line. */
bool agent_post(const http_url *u, const char *type, const answer *body, char *why, size_t room);

/* Opens a connection; -1 with errno. Waits for it until the given time. */
int agent_connect(const http_url *u, int64_t until_ms, const char **why);
bool agent_wait_for(int fd, short events, int64_t until_ms);
bool agent_send_all(int fd, const char *data, size_t size, int64_t until_ms);

#endif
