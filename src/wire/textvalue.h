// SPDX-License-Identifier: Apache-2.0
/* wire/textvalue.h: readers of values in text protos, and the state they share with the reader of messages
 * (textproto.c). */
#ifndef TFP_TEXTVALUE_H
#define TFP_TEXTVALUE_H

#include "wire/textproto.h"
#include "wire/texttoken.h"

typedef struct tfp_text_values {
    tfp_tokens t;
    tfp_buf *wire;
    tfp_buf scratch;
} tfp_text_values;

/* Reads a value of the field's kind, which is not a message. False: it was the zero value. */
bool tfp_text_value(tfp_text_values *p, const tfp_text_field *f);

/* Fails with the message OWNER WHAT "WORD". The place is the word after it, where protobuf reports most faults. */
void tfp_text_bad_word(tfp_text_values *p, const char *owner, const char *what, tfp_str word);

#endif
