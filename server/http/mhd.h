// SPDX-License-Identifier: Apache-2.0
/* server/http/mhd.h: libmicrohttpd, which is loaded by the first `serve`: linking it would slow down every start of the
 * program. */
#ifndef TFP_SERVER_MHD_H
#define TFP_SERVER_MHD_H

#include <microhttpd.h>
#include <stdbool.h>

#define MHD_FUNCTIONS(X)                                                                                               \
    X(MHD_start_daemon)                                                                                                \
    X(MHD_stop_daemon)                                                                                                 \
    X(MHD_add_connection)                                                                                              \
    X(MHD_suspend_connection)                                                                                          \
    X(MHD_resume_connection)                                                                                           \
    X(MHD_get_connection_info)                                                                                         \
    X(MHD_get_connection_values_n)                                                                                     \
    X(MHD_create_response_from_buffer_with_free_callback_cls)                                                          \
    X(MHD_add_response_header)                                                                                         \
    X(MHD_queue_response)                                                                                              \
    X(MHD_destroy_response)

typedef struct mhd {
    void *library;
#define MHD_POINTER(name) __typeof__(name) *name;
    MHD_FUNCTIONS(MHD_POINTER)
#undef MHD_POINTER
} mhd;

/* false: it is not installed; `why` gets a line that says how to install it. */
bool mhd_load(mhd *m, char *why, size_t room);
void mhd_unload(mhd *m);

#endif
