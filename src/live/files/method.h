// SPDX-License-Identifier: Apache-2.0
/* live/files/method.h: what a capture of a process would use, or why it would be refused: decided by looking, before anything is touched. */
#ifndef TFP_LIVE_WAY_H
#define TFP_LIVE_WAY_H

#include "base/place.h"
#include "live/files/run_folder.h"

typedef struct tfp_way {
    const char *code;  /* "agent", "attach", else why it is refused: "zombie" ...; lives for ever */
    char message[400]; /* of a refusal: the sentence, with the command that helps */
    tfp_agent agent;   /* of "agent" */
} tfp_way;

/* A process as /proc shows it now. status: NULL when it cannot be read. frameworks: of tfp_framework. */
void tfp_way_of(const char *run_folder, const tfp_proc_stat *stat, const tfp_proc_status *status, unsigned frameworks,
                tfp_way *out);
/* Whether all users and groups of a process are our own; root has all. */
bool tfp_way_is_ours(const tfp_proc_status *s);
/* Refuses with a code and its sentence. */
void tfp_way_refuse(tfp_way *w, const char *code, const char *format, ...) TFP_PRINTF(3, 4);

#endif
