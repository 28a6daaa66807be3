// SPDX-License-Identifier: Apache-2.0
/* live/net/kineto_daemon.h: the daemon's side of PyTorch's on-demand profiling, which dynolog speaks too: libkineto/src/IpcFabricConfigClient.cpp,
 * ipcfabric/FabricManager.h. Datagrams over a unix socket: {u64 size; char type[32]}, then `size` bytes. */
#ifndef TFP_LIVE_KINETO_DAEMON_H
#define TFP_LIVE_KINETO_DAEMON_H

#include "base/base.h"

typedef enum tfp_kineto_kind { TFP_KINETO_NONE, TFP_KINETO_HELLO, TFP_KINETO_POLL } tfp_kineto_kind;

/* Parses a datagram. NONE: of unknown type, or its size differs from the size that it states. *activities: a poll asks for a trace,
 * and not for something else. */
tfp_kineto_kind tfp_kineto_datagram(tfp_str datagram, bool *activities);
/* Finds the end of a JSON object whose text arrives in pieces. */
typedef struct tfp_json_end {
    size_t depth;
    bool quoted, escaped, ended, wrong; /* wrong: more text follows the end of the object */
} tfp_json_end;
void tfp_json_end_feed(tfp_json_end *j, tfp_str piece);

/* Opens the socket at which PyTorch's processes look for a daemon. Where KINETO_IPC_SOCKET_DIR is set it is the file `dynolog` in that folder,
 * and `path` is the file to remove at the end; else it has an abstract name, and `path` is "". -1: errno, EADDRINUSE if another daemon runs. */
#define TFP_KINETO_PATH 108
int tfp_kineto_open(char path[TFP_KINETO_PATH]);

typedef struct tfp_kineto_from { /* who sent a datagram, as the kernel tells */
    int64_t pid;
    tfp_kineto_kind kind;
    bool activities;
    char address[128];
    unsigned address_size;
} tfp_kineto_from;
/* Receives the next datagram; false: there is none now. */
bool tfp_kineto_receive(int fd, tfp_kineto_from *out);
/* what cannot be sent is dropped: the process will ask again */
void tfp_kineto_send(int fd, const tfp_kineto_from *to, tfp_str body);

#endif
