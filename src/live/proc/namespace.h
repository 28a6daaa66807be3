// SPDX-License-Identifier: Apache-2.0
/* live/proc/namespace.h: processes that live in other namespaces than tfprof, such as those of containers: the number that they know themselves
 * by, and the folders of their own file system, which /proc/PID/root shows. No link in there is followed: it would lead into our file
 * system. */
#ifndef TFP_LIVE_INSIDE_H
#define TFP_LIVE_INSIDE_H

#include "live/proc/proc.h"

/* name: as in /proc/PID/ns. False where it cannot be read, too. */
bool tfp_same_namespace(int64_t pid, const char *name);
/* Whether its files or its processes are others than ours. */
bool tfp_is_inside(int64_t pid);
/* The first process of its pid namespace, by which a container is made: all filters of that process are the container's. -1: not seen. */
int64_t tfp_inside_first(int64_t pid);
/* A folder by the absolute name that the process has for it, as a descriptor for paths (O_PATH); -1: it is not there, or we may not look. */
int tfp_inside_open(int64_t pid, const char *name);
/* A file by such a name, for reading; links are followed below the process's own root only. Nothing but a plain file is opened: a pipe would
 * wait for a writer, and opening a device may do anything. -1 with errno; EINVAL: it is no plain file. */
int tfp_inside_file(int64_t pid, const char *name);
/* The same for the file of a mapping, whatever has its name by now, or none: needs root, or CAP_CHECKPOINT_RESTORE. */
int tfp_inside_mapped(int64_t pid, uint64_t low, uint64_t high);
/* A folder in which a user's process can make files, likewise; the descriptor stays valid when the process ends. *name: what
 * the process calls it, such as "/tmp"; lives for ever. */
int tfp_inside_folder(int64_t pid, int64_t uid, const char **name);

#endif
