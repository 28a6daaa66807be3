// SPDX-License-Identifier: Apache-2.0
/* wire/textproto.h: protobuf's text format, turned into the wire bytes of the same message.
 * The readers of src/formats read those bytes, so that text and binary files share one reader. The known messages
 * are passed as tables (formats/graph/schema.h). */
#ifndef TFP_TEXTPROTO_H
#define TFP_TEXTPROTO_H

#include "base/base.h"

#define TFP_TEXT_DEPTH_MAX 1000 /* messages inside messages */
#define TFP_TEXT_SIZE_MAX ((size_t)1 << 30)

/* clang-format off */
typedef enum tfp_text_kind {
    TFP_TEXT_INT32, TFP_TEXT_INT64, TFP_TEXT_UINT32, TFP_TEXT_UINT64, TFP_TEXT_SINT64, TFP_TEXT_FIXED64,
    TFP_TEXT_FLOAT, TFP_TEXT_DOUBLE, TFP_TEXT_BOOL, TFP_TEXT_STRING, TFP_TEXT_BYTES, TFP_TEXT_ENUM, TFP_TEXT_MESSAGE
} tfp_text_kind;
/* clang-format on */

enum { TFP_TEXT_MANY = 1, TFP_TEXT_ONEOF = 2, TFP_TEXT_PRESENCE = 4 }; /* flags of a field; no message has two oneofs */

typedef struct tfp_text_enum_value {
    tfp_str name;
    int32_t value;
} tfp_text_enum_value;

typedef struct tfp_text_enum {
    const tfp_text_enum_value *values;
    size_t count;
} tfp_text_enum;

typedef struct tfp_message_schema tfp_message_schema;

typedef struct tfp_text_field {
    tfp_str name;
    uint16_t number;
    uint8_t kind;                      /* a tfp_text_kind */
    uint8_t flags;                     /* TFP_TEXT_MANY ... */
    const tfp_message_schema *message; /* of TFP_TEXT_MESSAGE */
    const tfp_text_enum *values;       /* of TFP_TEXT_ENUM */
} tfp_text_field;

struct tfp_message_schema {
    tfp_str name;                 /* "tensorflow.NodeDef" */
    const tfp_text_field *fields; /* at most 64 */
    size_t field_count;
    /* google.protobuf.Any: the messages that may be inside as [prefix/name] { ... }, ended by NULL. */
    const tfp_message_schema *const *any_of;
};

/* Whether a file that begins with `head` is text rather than wire bytes: the words of a text, or no control bytes. */
bool tfp_looks_like_text(tfp_str head);
/* Whether the first name of the text is a field of that message. */
bool tfp_text_begins_as(tfp_str head, const tfp_message_schema *schema);

/* Converts the whole text as one message and appends it to `wire`. Accepts what protobuf's C++ parser accepts (repeated
 * scalars are written one by one, duplicate map keys stay in order). Time and memory are linear in the text. Errors:
 * TFP_BADFILE and TFP_LIMIT as "LINE:COLUMN: ...", at the word at which protobuf reports them; TFP_NOMEM. */
tfp_status tfp_text_to_wire(tfp_str text, const tfp_message_schema *schema, tfp_buf *wire, tfp_error *err);

#endif
