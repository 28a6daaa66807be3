/* server/answer.h: an answer in the making: its status, type and bytes, bounded; and JSON written into it. */
#ifndef TFP_SERVER_ANSWER_H
#define TFP_SERVER_ANSWER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ANSWER_MOST ((size_t)192 << 20) /* bytes of one answer */

typedef struct answer {
    int status;        /* HTTP */
    const char *type;  /* of the content; a literal */
    const char *file;  /* the name under which a browser saves it, NULL; lives as long as the answer */
    bool immutable;    /* a page's part: its name changes with its content */
    bool packed;       /* gzip'ed already */
    const void *fixed; /* bytes that live for ever, instead of data */
    char *data;
    size_t size, room;
    char tag[32]; /* the ETag; "" until the bytes are as they go out */
    int wait_ms;  /* not final: so long after the request another try may say more */
    bool failed;  /* out of memory, or too long */
    bool comma;   /* JSON: something stands before in this list or object */
} answer;

void answer_free(answer *a);
void answer_add(answer *a, const void *data, size_t size);
int answer_write(void *a, const void *data, size_t size); /* a tfp_write_fn */
/* Checkpoints are read by way of their folder's descriptor; people know the file by its path below it. */
void plain_paths(char *text);
void answer_error(answer *a, int status, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* JSON: keys and values, commas set by themselves. Text is escaped as tfprof shows it, so that it is always UTF-8. */
void json_open(answer *a, const char *key, char bracket);           /* key NULL: in a list; bracket { or [ */
void json_close(answer *a, char bracket);                           /* } or ] */
void json_text(answer *a, const char *key, const char *text);       /* NULL: null */
void json_text_lines(answer *a, const char *key, const char *text); /* line breaks stay such */
void json_int(answer *a, const char *key, int64_t n);
void json_real(answer *a, const char *key, double x); /* not finite: null */
void json_bool(answer *a, const char *key, bool b);

#endif
