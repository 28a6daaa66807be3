// SPDX-License-Identifier: Apache-2.0
/* live/net/agent_lines.h: what an agent answers, taken apart as it comes: lines, and files behind their lines. The bytes come from another
 * process: names and sizes are checked before anything is done with them. */
#ifndef TFP_LIVE_AGENTIO_H
#define TFP_LIVE_AGENTIO_H

#include "base/base.h"

typedef enum tfp_answer_kind {
    TFP_ANSWER_MORE,    /* no whole answer has arrived yet */
    TFP_ANSWER_WAITS,   /* the agent waits for another recording to end */
    TFP_ANSWER_READY,   /* the agent is ready to record at a moment that it will be given */
    TFP_ANSWER_STARTED, /* number: when, in microseconds since 1970 */
    TFP_ANSWER_FILE,    /* name, number: bytes that follow */
    TFP_ANSWER_DONE,    /* name: kind; number: window; waited; framework; stalled */
    TFP_ANSWER_ERROR,   /* name: code; text: message */
    TFP_ANSWER_WRONG    /* no such line */
} tfp_answer_kind;

typedef struct tfp_answer {
    tfp_answer_kind kind;
    char name[64], framework[32], text[320];
    int64_t number, waited, stalled; /* stalled: -1 where it was not told */
} tfp_answer;

/* The first line of the received bytes; *used is its length with the line feed. */
tfp_answer tfp_answer_next(tfp_str in, size_t *used);

#endif
