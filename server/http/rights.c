// SPDX-License-Identifier: Apache-2.0
/* server/http/rights.c: root's rights beyond those to its own files are given up, except a few capabilities, by this process and all that it
 * starts. */
#include "rights.h"

#include <linux/capability.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PERFMON = 38, CAPS_MOST = 64 }; /* CAP_PERFMON; newer than some headers */

/* The server opens other users' files below the folders that it was given, and needs no right for anything else. */
static const int of_server[] = { CAP_DAC_READ_SEARCH };
/* Needed for memory of processes and ptrace; for files and sockets of other users' jobs; for probes and samples of the kernel, which
 * may lock memory for their buffers. */
static const int of_lookers[] = { CAP_SYS_PTRACE, CAP_DAC_READ_SEARCH, CAP_DAC_OVERRIDE, PERFMON, CAP_IPC_LOCK };

static void keep_only(uint64_t kept)
{
    struct __user_cap_header_struct head = { _LINUX_CAPABILITY_VERSION_3, 0 };
    struct __user_cap_data_struct have[_LINUX_CAPABILITY_U32S_3];
    for (int i = 0; i < CAPS_MOST; i++)
        if (!(kept >> i & 1))
            prctl(PR_CAPBSET_DROP, i, 0, 0,
                  0); /* for programs that it executes; an error means that there is no such capability */
    if (syscall(SYS_capget, &head, have)) return;
    for (unsigned i = 0; i < _LINUX_CAPABILITY_U32S_3; i++) {
        uint32_t mask = (uint32_t)(kept >> 32 * i);
        have[i].permitted &= mask;
        have[i].effective &= mask;
        have[i].inheritable &= mask;
    }
    syscall(SYS_capset, &head, have);
}

static uint64_t set_of(const int *all, size_t count)
{
    uint64_t set = 0;
    for (size_t i = 0; i < count; i++) set |= (uint64_t)1 << all[i];
    /* before Linux 5.8 this capability included the right to set probes */
    if (set >> PERFMON & 1 && prctl(PR_CAPBSET_READ, PERFMON, 0, 0, 0) < 0) set |= (uint64_t)1 << CAP_SYS_ADMIN;
    return set;
}

void rights_of_server(void) { keep_only(set_of(of_server, sizeof of_server / sizeof *of_server)); }

void rights_of_lookers(void) { keep_only(set_of(of_lookers, sizeof of_lookers / sizeof *of_lookers)); }
