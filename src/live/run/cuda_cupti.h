// SPDX-License-Identifier: Apache-2.0
/* live/run/cuda_cupti.h: the functions of the process's own CUPTI that cuda_inject.c calls. Each returns 0, or an error of
 * CUPTI. */
#ifndef TFP_LIVE_CUDA_CUPTI_H
#define TFP_LIVE_CUDA_CUPTI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef void tfp_cupti_request_fn(uint8_t **buffer, size_t *size, size_t *most);
typedef void tfp_cupti_complete_fn(void *context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid);

typedef struct tfp_cupti_functions {
    int (*register_callbacks)(tfp_cupti_request_fn *, tfp_cupti_complete_fn *);
    int (*enable)(uint32_t kind);
    int (*disable)(uint32_t kind); /* NULL: there are no bounds */
    int (*next)(uint8_t *buffer, size_t valid, uint8_t **record);
    int (*flush_all)(uint32_t flag);
    int (*timestamp)(uint64_t *ns);
    int (*version)(uint32_t *version);
    int (*flush_period)(uint32_t ms); /* CUPTI may lack these */
    int (*dropped)(void *context, uint32_t stream, size_t *count);
    int (*callback_name)(uint32_t domain, uint32_t id, const char **name);
    int (*error_text)(int error, const char **text);
} tfp_cupti_functions;
extern tfp_cupti_functions tfp_cupti;

/* Finds a libcupti and its functions; one that the process has loaded already comes first. False: `why` has the
 * reason. */
bool tfp_cupti_load(char *why, size_t room);

#endif
