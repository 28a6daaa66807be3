// SPDX-License-Identifier: Apache-2.0
/* mcp/message.h: one JSON message of a client as values, strictly by RFC 8259. It is not trusted: its size and depth are limited. */
#ifndef TFP_MCP_MESSAGE_H
#define TFP_MCP_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>

enum { MESSAGE_DEPTH = 32 }; /* levels of lists and objects */

typedef enum value_kind { VALUE_NULL, VALUE_BOOL, VALUE_NUMBER, VALUE_TEXT, VALUE_LIST, VALUE_OBJECT } value_kind;

/* Values are stored in the order in which they are read: a list before its items, an object before its keys and values in turn. */
typedef struct value {
    value_kind kind;
    /* for a text its characters, without NUL; for any other value its source in the message, of `size` bytes */
    const char *text;
    size_t size;
    size_t count;  /* number of items, or of members */
    size_t after;  /* the index after it and its contents */
    double number; /* 1 for true */
} value;

typedef struct message {
    value *values; /* the first is the message itself */
    size_t count, room;
    const char *wrong; /* why it is no valid JSON; NULL: it is valid */
} message;

/* Reads a line. The line is changed (texts get a NUL at their end) and must outlive the message. False: see `wrong`. */
bool message_read(message *m, char *line, size_t size);
void message_free(message *m);

/* A member of an object, the last one with that name; NULL: it is no object, or has no such member. */
const value *message_member(const message *m, const value *object, const char *key);
/* The first item of a list, or the first key of an object; message_next: the value after another one and its
 * contents. */
const value *message_first(const message *m, const value *v);
const value *message_next(const message *m, const value *v);

static inline bool value_is_text(const value *v) { return v && v->kind == VALUE_TEXT; }

#endif
