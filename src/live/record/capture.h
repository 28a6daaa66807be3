// SPDX-License-Identifier: Apache-2.0
/* live/record/capture.h: recordings of many processes at once: the choice of processes (select.c), the recording of each
 * (session.c), rows and the manifest (row.c), and the loop over all of them (capture.c). */
#ifndef TFP_LIVE_CAPTURE_H
#define TFP_LIVE_CAPTURE_H

#include "base/io.h"
#include "live/attach/attach.h"
#include "live/net/agent_lines.h"
#include "live/net/http2.h"
#include "live/net/kineto_daemon.h"
#include "live/jobs/top.h"
#include "views/core/grid.h"

#include <netdb.h>

#define TFP_FILES_MOST 1000 /* most files of one process */

/* A row of the table `capture`. Its texts are in the capture's arena. */
typedef struct tfp_capture_row {
    tfp_str target, job;
    int64_t pid;
    tfp_str framework, via, status, code, message, kind, file;
    int64_t bytes, started_unix_micros, window_micros, stopped_micros, waited_micros, stalled_micros, started_us_late;
    /* shown in the manifest only */
    tfp_str user, version, command, rank;
    int64_t start_ticks;
} tfp_capture_row;
extern const tfp_table_column tfp_capture_columns[];

typedef enum tfp_session_state {
    TFP_SESSION_WAITS,
    TFP_SESSION_ATTACHES, /* until the agent that an attach starts in the process answers */
    TFP_SESSION_STANDS,   /* connected; with --align it waits for the others */
    TFP_SESSION_CONNECTS,
    TFP_SESSION_RUNS,
    TFP_SESSION_LEAVES, /* the recording is over; the agent is leaving the process */
    TFP_SESSION_DONE
} tfp_session_state;

/* A process that was not prepared for recording: tfprof starts an agent in it. Filled by select.c, then by session_attach.c. */
typedef struct tfp_session_attaching {
    int64_t stack_start; /* shows whether it has run another program since it was selected; 0: not known */
    bool needed;         /* it has no agent of its own */
    bool ran;            /* the text that starts the agent has run */
    tfp_attach *attach;
    int64_t wake_ns, wake_pause_ns; /* when its main thread is woken again, and how long after the time before */
    int64_t leave_by_ns;
    tfp_namesakes namesakes;
} tfp_session_attaching;

/* A process that PyTorch records by itself, with Kineto: session_kineto.c. */
typedef struct tfp_session_kineto {
    char folder[40]; /* folder for its trace; "": none was made */
    int dir;         /* the same folder, open */
    bool asked;
    int64_t look_ns, seen_bytes, read_bytes;
} tfp_session_kineto;

/* A profiler server. Its name is filled by select.c, the rest by session_grpc.c. */
typedef struct tfp_session_server {
    char host[256], port[8];
    struct addrinfo *addresses, *address; /* address: the one that is being tried */
    struct tfp_resolver *resolver;        /* set while the name is looked up */
    tfp_call call;
    tfp_fields response;
    bool empty, has_xspace;    /* what the response says */
    struct tfp_capture *owner; /* used by the function that takes pieces of the response */
} tfp_session_server;

/* The connection to an agent or a server: session.c; session_grpc.c opens it to a server. */
typedef struct tfp_session_link {
    int fd;
    tfp_buf in, out;
    size_t sent; /* bytes of `out` that are sent */
} tfp_session_link;

/* The files that an agent announces, of which one is being received: session.c. */
typedef struct tfp_session_announced {
    size_t count; /* how many files were announced */
    char name[64];
    uint64_t left; /* bytes of the file that are still to come */
    bool inside;   /* a file is being received */
    bool cut;      /* the agent could not send the file whole */
} tfp_session_announced;

/* The file below the results that is being written: session_files.c. */
typedef struct tfp_session_file {
    tfp_outfile out;
    char below[300]; /* its name below the results */
    bool open;
    int64_t bytes;
    tfp_fields fields, plane; /* the fields of an XSpace, and of the plane that is being received */
} tfp_session_file;

/* Moments on the monotonic clock. */
typedef struct tfp_session_times {
    int64_t begun_ns;
    int64_t waited_ns,
        waits_since_ns; /* how long it has waited for another session of the process to end, and since when it waits
                                        * now; 0: it does not */
    int64_t retry_ns;
    int64_t lost_ns; /* when its connection broke off; 0: it did not */
} tfp_session_times;

typedef struct tfp_session {
    tfp_capture_row row;
    char folder[80]; /* folder below the results, named by the job's first process, or host_port */
    char base[80];   /* beginning of its files' names */
    bool first;      /* it is the job's first process, whose graph has no prefix */
    tfp_session_state state;
    bool ready; /* ready to record at the shared moment */
    tfp_agent agent;
    tfp_session_attaching attaching;
    tfp_session_kineto kineto;
    tfp_session_server server;
    tfp_session_link link;
    tfp_session_announced announced;
    tfp_session_file file;
    tfp_session_times times;
} tfp_session;

typedef struct tfp_capture {
    const tfp_live *live;
    const tfp_live_settings *settings;
    tfp_arena arena;
    TFP_VEC(tfp_session *) sessions;
    tfp_results results;
    char run_folder[TFP_RUN_PATH_MAX];
    int64_t started_unix_micros, align_unix_micros;
    TFP_VEC(char *) notes;
    bool nomem, bad_output, cancelled, too_many_files;
    int daemon_fd;                     /* socket that PyTorch's processes ask; -1: not open */
    char daemon_path[TFP_KINETO_PATH]; /* file of that socket; "": none */
    tfp_live_row_fn fn;
    void *ctx;
} tfp_capture;

tfp_str tfp_capture_keep(tfp_capture *c, const char *text); /* NULL gives an absent text */

/* select.c: fills `sessions`. Those that cannot be recorded are ended at once, with their code. */
tfp_status tfp_capture_select(tfp_capture *c, const char *const *selectors, size_t count, tfp_error *err);

/* session.c */
void tfp_session_start(tfp_capture *c, tfp_session *s);
void tfp_session_ask(tfp_capture *c,
                     tfp_session *s); /* a connected session begins to record, or with --align gets ready */
void tfp_session_go(tfp_capture *c, tfp_session *s); /* a session that is ready is told the shared moment */
int64_t tfp_session_deadline(const tfp_capture *c, const tfp_session *s);
short tfp_session_events(const tfp_session *s); /* events for poll */
void tfp_session_ready(tfp_capture *c, tfp_session *s, short events);
void tfp_session_tick(tfp_capture *c, tfp_session *s); /* checks deadlines */
/* Ends it: status "ok", "partial", "refused", "failed" or "cancelled"; code NULL for "ok". */
void tfp_session_end(tfp_capture *c, tfp_session *s, const char *status, const char *code, const char *format, ...)
    TFP_PRINTF(5, 6);
void tfp_session_free(tfp_session *s);
/* session_attach.c: the agent is started and leaves again. */
void tfp_session_start_attach(tfp_capture *c, tfp_session *s);
void tfp_session_wake(tfp_session *s);             /* the agent does not answer yet */
void tfp_session_agent_is_there(tfp_session *s);   /* the agent answers */
bool tfp_session_must_leave(const tfp_session *s); /* an agent was started and has to leave first */
void tfp_session_leave(tfp_session *s);
bool tfp_session_has_left(const tfp_capture *c, tfp_session *s); /* whether the agent has left without a trace */
/* Writes into the row how long the process's thread was held. */
void tfp_session_note_stop(tfp_session *s);
void tfp_session_free_attach(tfp_session *s);
/* session_files.c: a file FOLDER/NAME. It is written as its bytes arrive, so that memory does not depend on its size, and it appears
 * only when it is whole. False: the session has ended, with the reason. */
bool tfp_session_open_file(tfp_capture *c, tfp_session *s, const char *name);
void tfp_session_add(tfp_session *s, tfp_str bytes);
const char *tfp_session_xspace_fault(const tfp_session *s, bool cut);
bool tfp_session_keep_file(tfp_capture *c, tfp_session *s, int64_t size); /* keeps the first `size` bytes of the file */
void tfp_session_drop_file(tfp_session *s);
/* session_kineto.c: PyTorch's own way to record on demand. */
void tfp_session_start_kineto(tfp_capture *c, tfp_session *s);
void tfp_capture_serve_kineto(tfp_capture *c); /* answers processes that have asked */
void tfp_session_kineto_tick(tfp_capture *c, tfp_session *s, bool ended);
void tfp_session_free_kineto(tfp_session *s);
/* session_grpc.c */
void tfp_session_start_grpc(tfp_capture *c, tfp_session *s);
bool tfp_session_is_resolved(const tfp_session *s); /* the name was looked up, so the session can be started again */
void tfp_session_stop_resolving(tfp_session *s);
void tfp_session_connect_next(tfp_capture *c, tfp_session *s);
void tfp_session_grpc_received(tfp_capture *c, tfp_session *s, tfp_str bytes, bool ended);

/* row.c */
void tfp_capture_tell(tfp_capture *c, const tfp_session *s); /* passes the row on to the caller's function */
tfp_status tfp_capture_manifest(tfp_capture *c, tfp_error *err);
tfp_status tfp_capture_table(tfp_capture *c, tfp_report *r, tfp_error *err);

#endif
