// SPDX-License-Identifier: Apache-2.0
/* formats/graph/sniff.h: recognizes which of TensorFlow's messages a file holds, and has the entry point that their
 * readers share. */
#ifndef TFP_SNIFF_H
#define TFP_SNIFF_H

#include "formats/files/format.h"

typedef enum tfp_kind {
    TFP_KIND_PROFILE,
    TFP_KIND_GRAPH,
    TFP_KIND_META_GRAPH,
    TFP_KIND_SAVED_MODEL,
    TFP_KIND_RUN_META,
    TFP_KIND_OP_LOG,
    TFP_KIND_COUNT
} tfp_kind;
#define TFP_KINDS(kind) (1u << (kind)) /* a set of kinds */

/* How certain it is, from 0 to 100, that a file of `total` bytes that begins with `head` is one of the kinds, in text
 * or binary form. Nested fields are compared with the messages' tables; the head may end anywhere. */
int tfp_sniff_score(tfp_str head, uint64_t total, unsigned kinds);

/* Reads the wire bytes of one message. */
typedef tfp_status (*tfp_message_reader)(tfp_builder *b, tfp_input *in, tfp_kind kind, tfp_error *err);

/* What the first bytes of a binary message show. */
typedef struct tfp_message {
    tfp_kind kind; /* the kind that fits best */
    bool known;    /* some of its fields were found */
    bool doubtful; /* another kind fits better */
} tfp_message;
/* Judges the message. TFP_BADFILE: the file is of another kind. */
tfp_status tfp_message_judge(tfp_input *in, unsigned kinds, tfp_message *m, tfp_error *err);
/* Call after the message was read, with the resulting status `s`. */
tfp_status tfp_message_end(tfp_builder *b, const tfp_message *m, tfp_status s, tfp_error *err);

/* Reads a file that should be one of the kinds: refuses an empty file and one of another kind, converts text to wire
 * bytes, and passes them to `read` with the kind that fits best. */
tfp_status tfp_read_message(tfp_builder *b, tfp_input *in, unsigned kinds, tfp_message_reader read, tfp_error *err);

#endif
