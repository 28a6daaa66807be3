// SPDX-License-Identifier: Apache-2.0
/* server/http/answer.h: an answer as a value: the status of a request, its type and its bytes, limited in size; and functions
 * that write JSON into it. */
#ifndef TFP_SERVER_ANSWER_H
#define TFP_SERVER_ANSWER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ANSWER_MOST ((size_t)192 << 20) /* most bytes of one answer */

enum { /* statuses of requests: HTTP's numbers, which http.c sends unchanged */
       ANSWER_OK = 200,
       ANSWER_LOADING = 202,  /* the profile is being read */
       ANSWER_WRONG = 400,    /* a wrong parameter */
       ANSWER_UNKNOWN = 404,  /* no such path, profile or file */
       ANSWER_UNUSABLE = 422, /* a file that cannot be read, or more work than one request may cost */
       ANSWER_BUSY = 503      /* no memory, or too many requests: the same request may succeed later */
};

typedef struct answer {
    int status;        /* as above; http.c has a few more */
    char *error;       /* unless the status is OK or LOADING: one line for people */
    double progress;   /* while LOADING: 0 to 1 */
    const char *type;  /* content type; a literal */
    const char *allow; /* for 405: the methods that the path allows, a literal; NULL: GET, HEAD */
    const char *file;  /* the name under which a browser saves it, or NULL; lives as long as the answer */
    bool immutable;    /* a file of the page, whose name changes with its content */
    bool packed;       /* the bytes are compressed with gzip already */
    const void *fixed; /* bytes that live as long as the program; used instead of data */
    char *data;
    size_t size, room;
    char tag[32]; /* the ETag; "" until the final bytes are known */
    int wait_ms;  /* not final: another try within this time may give more */
    bool no_memory, too_long;
    bool over_limit; /* for an error: the library reached one of its limits */
    bool comma;      /* JSON: something precedes in this list or object */
    /* If set, receives each piece instead of data, in order; nonzero: out of memory. */
    int (*pass)(void *ctx, const void *data, size_t size);
    void *pass_ctx;
} answer;

bool answer_failed(const answer *a); /* out of memory, or the answer is too long */
void answer_free(answer *a);
void answer_add(answer *a, const void *data, size_t size);
void answer_text(answer *a, const char *text);
int answer_write(void *a, const void *data, size_t size); /* a tfp_write_fn */
/* Replaces the path of a folder's descriptor, through which checkpoints are opened, by the path below the folder. */
void plain_paths(char *text);
void answer_error(answer *a, int status, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* The text of an answer that is not OK; never NULL. */
const char *answer_why(const answer *a);

/* JSON: keys and values; commas are set automatically. Text is escaped as in tfprof's reports, so that it is always UTF-8. */
void json_open(answer *a, const char *key, char bracket);           /* key NULL: in a list; bracket { or [ */
void json_close(answer *a, char bracket);                           /* } or ] */
void json_text(answer *a, const char *key, const char *text);       /* NULL: null */
void json_text_lines(answer *a, const char *key, const char *text); /* keeps line breaks */
void json_int(answer *a, const char *key, int64_t n);
void json_real(answer *a, const char *key, double x); /* not finite: null */
void json_bool(answer *a, const char *key, bool b);
void json_raw(answer *a, const char *key, const char *json); /* a value that is JSON already */

#endif
