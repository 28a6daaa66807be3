// SPDX-License-Identifier: Apache-2.0
/* live/net/agent_lines.h: parses what an agent answers: lines, and files that follow their lines. The bytes come from another process, so
 * names and sizes are checked before they are used. */
#ifndef TFP_LIVE_AGENTIO_H
#define TFP_LIVE_AGENTIO_H

#include "base/base.h"

typedef enum tfp_answer_kind {
    TFP_ANSWER_MORE,    /* no whole answer has arrived yet */
    TFP_ANSWER_WAITS,   /* the agent waits for another recording to end */
    TFP_ANSWER_READY,   /* the agent is ready to record at a moment that it will be given */
    TFP_ANSWER_STARTED, /* number: the moment, in microseconds since 1970 */
    TFP_ANSWER_FILE,    /* name; number: how many bytes follow */
    TFP_ANSWER_DONE,    /* name: kind; number: window; waited; framework; stalled */
    TFP_ANSWER_ERROR,   /* name: the code; text: the message */
    TFP_ANSWER_WRONG    /* no such line */
} tfp_answer_kind;

typedef struct tfp_answer {
    tfp_answer_kind kind;
    char name[64], framework[32], text[320];
    int64_t number, waited, stalled; /* stalled: -1 when the agent does not tell it */
} tfp_answer;

/* Parses the first line of the received bytes; *used is its length with the line feed. */
tfp_answer tfp_answer_next(tfp_str in, size_t *used);

#endif
