// SPDX-License-Identifier: Apache-2.0
/* server/engine/engine.h: drives the profiler of an inference engine (SGLang, vLLM, TensorRT-LLM) through the engine's HTTP server, and waits for
 * the traces that the engine writes into a folder. Nothing else is sent than GET /get_server_info, GET /version, POST /start_profile
 * and POST /stop_profile; redirects are not followed; answers, files and waits are bounded. */
#ifndef TFP_SERVER_ENGINE_H
#define TFP_SERVER_ENGINE_H

#include "agent/agent.h"

#include <zlib.h>

typedef enum engine_kind { ENGINE_ANY, ENGINE_SGLANG, ENGINE_VLLM, ENGINE_TRTLLM } engine_kind;

typedef struct engine_settings {
    http_url url;
    engine_kind kind;  /* ENGINE_ANY: the server is asked */
    const char *token; /* NULL: none */
    int64_t steps;     /* forward passes to record, which only SGLang counts; 0: none are named */
    int64_t record_ms; /* 0: no time is named; without both SGLang records 5 steps, others a second */
    int64_t timeout_ms;
    const char *folder;        /* where the traces appear */
    const char *server_folder; /* its name on the server, which SGLang is given */
    bool (*stopped)(void);
    void (*progress)(void *ctx, const char *text); /* called about four times a second; NULL: not called */
    void *ctx;
} engine_settings;

/* ---- reply.c: an answer over HTTP/1.1 that arrives in pieces ---- */
enum { ENGINE_BODY_MOST = 4 << 20 };
typedef struct engine_reply {
    int status; /* 0: the head is not there yet */
    bool whole, redirects;
    const char *wrong; /* why it is no answer; a literal, NULL: it may be one */
    char *body;        /* ended by NUL; NULL: empty */
    size_t size, room;
    /* how far it is parsed */
    enum { REPLY_HEAD, REPLY_REST, REPLY_DATA, REPLY_SIZE, REPLY_EXTENSION, REPLY_AFTER, REPLY_TRAILER } stage;
    bool chunked;
    uint64_t left; /* bytes of the body, or of the chunk, that are still to come */
    size_t digits, line;
    size_t head_size;
    char head[GATE_HEAD + 1];
} engine_reply;
void engine_reply_feed(engine_reply *r, const char *data, size_t size);
void engine_reply_end(engine_reply *r); /* the connection ended */
void engine_reply_free(engine_reply *r);

/* ---- ask.c: one request ---- */
/* The outcome of a request; `reply` is whole if `why` is empty. */
typedef struct engine_exchange {
    bool sent; /* the request was sent: the server may have acted upon it */
    char why[300];
    engine_reply reply;
} engine_exchange;
/* body NULL: none. stoppable: ends early when the user stops the command. The exchange is freed by the caller. */
engine_exchange *engine_ask(const engine_settings *s, const char *target, const char *body, int64_t until_ms,
                            bool stoppable);
void engine_exchange_free(engine_exchange *x);

/* ---- files.c: traces that appear in a folder ---- */
typedef struct engine_file {
    char *name;
    int64_t size, changed_ns;
    uint64_t inode;
    int64_t still_since_ms;
    /* how far its content is checked */
    int64_t checked;
    bool packed, ended, damaged; /* ended: the gzip or the JSON text may end here */
    bool quoted, escaped;
    int64_t depth;
    z_stream *z; /* NULL: nothing is unpacked yet */
} engine_file;

typedef struct engine_files {
    engine_file *at;
    size_t count, room;
} engine_files;

/* Lists the traces of a folder, sorted by name. A missing folder is empty. False: `why` has the reason. */
bool engine_files_list(const char *folder, engine_files *out, char *why, size_t room);
/* Makes `found` the traces that are not, or differ, in `before`, and checks what was written of them since the last call. */
bool engine_files_look(const char *folder, const engine_files *before, engine_files *found, char *why, size_t room);
/* Whether all are complete and have not changed for two seconds. */
bool engine_files_are_whole(const engine_files *found);
bool engine_file_is_whole(const engine_file *f);
void engine_files_free(engine_files *f);

/* ---- engine.c ---- */
typedef struct engine_result {
    engine_files found; /* freed by the caller */
    bool others;        /* the folder has older traces, too */
    const char *engine; /* a literal; NULL: not known */
    char note[400];     /* "": none */
} engine_result;
/* Records. Returns an exit status; `why` gets a line when it is not 0. */
int engine_capture(const engine_settings *s, engine_result *out, char *why, size_t room);

#endif
