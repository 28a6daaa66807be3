// SPDX-License-Identifier: Apache-2.0
/* mcp/message.h: one JSON message of a client as values, strictly by RFC 8259: nothing of it is trusted, its size and depth are bounded. */
#ifndef TFP_MCP_MESSAGE_H
#define TFP_MCP_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>

enum { MESSAGE_DEPTH = 32 }; /* levels of lists and objects */

typedef enum value_kind { VALUE_NULL, VALUE_BOOL, VALUE_NUMBER, VALUE_TEXT, VALUE_LIST, VALUE_OBJECT } value_kind;

/* Values stand one behind another as they are read: a list before its items, an object before its keys and their values in turn. */
typedef struct value {
    value_kind kind;
    const char *
        text; /* of a text its characters, without a NUL in them; of any other value how it stands in the message, by `size` */
    size_t size;
    size_t count;  /* of items, or of members */
    size_t after;  /* the index behind it and all that is in it */
    double number; /* true is 1 */
} value;

typedef struct message {
    value *values; /* the first is the message itself */
    size_t count, room;
    const char *wrong; /* why it is no JSON; NULL: it is */
} message;

/* Reads a line, which is changed (texts end with a NUL there) and must outlive the message. False: see `wrong`. */
bool message_read(message *m, char *line, size_t size);
void message_free(message *m);

/* A member of an object, the last of that name; NULL: no object, or no such member. */
const value *message_member(const message *m, const value *object, const char *key);
/* The first item of a list, or the first key of an object; message_next: what stands behind a value. */
const value *message_first(const message *m, const value *v);
const value *message_next(const message *m, const value *v);

static inline bool value_is_text(const value *v) { return v && v->kind == VALUE_TEXT; }

#endif
