// SPDX-License-Identifier: Apache-2.0
/* live/files/method.h: how a capture would record a process, or why it would be refused. The process is only looked at. */
#ifndef TFP_LIVE_WAY_H
#define TFP_LIVE_WAY_H

#include "base/place.h"
#include "live/files/run_folder.h"

typedef struct tfp_method {
    const char *code;  /* "agent" or "attach"; else the reason of the refusal: "zombie" ...; lives for ever */
    char message[400]; /* of a refusal: the sentence, with the command that helps */
    tfp_agent agent;   /* of "agent" */
} tfp_method;

/* The method for a process as /proc shows it now. status: NULL when it cannot be read. frameworks: bits of
 * tfp_framework. */
void tfp_method_of(const char *run_folder, const tfp_proc_stat *stat, const tfp_proc_status *status,
                   unsigned frameworks, tfp_method *out);
/* Whether all user and group ids of a process are ours; for root every process is. */
bool tfp_method_is_ours(const tfp_proc_status *s);
/* Refuses with a code and its sentence. */
void tfp_method_refuse(tfp_method *w, const char *code, const char *format, ...) TFP_PRINTF(3, 4);

#endif
