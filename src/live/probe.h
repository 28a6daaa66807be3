// SPDX-License-Identifier: Apache-2.0
/* live/probe.h: how often processes call one function of a library: uprobes on every CPU, counted by process. Nothing is
 * loaded into a process or stopped; the kernel puts a breakpoint there while we count. */
#ifndef TFP_LIVE_PROBE_H
#define TFP_LIVE_PROBE_H

#include "live/proc.h"

typedef struct tfp_probes tfp_probes;

tfp_probes *tfp_probes_new(void); /* NULL without memory */
void tfp_probes_free(tfp_probes *p);
/* Counts calls from now on in all processes that have this library; the same file is probed once. `pid` shows us the file
 * as its process sees it. NULL when that works, else why not, in words. */
const char *tfp_probes_add(tfp_probes *p, int64_t pid, const char *library, tfp_framework framework);
/* Takes in the calls counted since the last time. False when calls were lost: the counts are too low then. */
bool tfp_probes_read(tfp_probes *p);
/* Calls of a process since the last question, and their name ("session runs"); -1: none is probed in it. */
int64_t tfp_probes_take(tfp_probes *p, int64_t pid, const char **what);

/* The offset in a 64-bit ELF file of the function whose name starts so (and is no cold part); 0: not found. */
uint64_t tfp_elf_function(const char *path, const char *prefix);

#endif
