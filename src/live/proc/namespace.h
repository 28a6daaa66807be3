// SPDX-License-Identifier: Apache-2.0
/* live/proc/namespace.h: processes in other namespaces than tfprof, such as those of containers: their own process numbers, and the folders of
 * their own file system, which /proc/PID/root shows. No link in there is followed, because it would lead into our file system. */
#ifndef TFP_LIVE_INSIDE_H
#define TFP_LIVE_INSIDE_H

#include "live/proc/proc.h"

/* name: as in /proc/PID/ns. False also when it cannot be read. */
bool tfp_same_namespace(int64_t pid, const char *name);
/* Whether the process has another file system or other process numbers than we have. */
bool tfp_is_inside(int64_t pid);
/* The first process of its pid namespace, which the container runtime started: all seccomp filters of that process are the container's.
 * -1: not visible. */
int64_t tfp_inside_first(int64_t pid);
/* Opens a folder by the absolute name that the process has for it; the descriptor serves as a base for paths (O_PATH). -1: there is none, or
 * we may not look. */
int tfp_inside_open(int64_t pid, const char *name);
/* Opens a file by such a name for reading; links are followed only below the process's own root. Only plain files are opened: a pipe would
 * block until somebody writes, and opening a device may have any effect. -1 with errno; EINVAL: it is no plain file. */
int tfp_inside_file(int64_t pid, const char *name);
/* The same for the file of a mapping, even when it has no name any more: needs root, or CAP_CHECKPOINT_RESTORE. */
int tfp_inside_mapped(int64_t pid, uint64_t low, uint64_t high);
/* Opens a folder in which a user's process can create files; the descriptor stays valid when the process ends. *name: the
 * process's name for it, such as "/tmp"; lives for ever. */
int tfp_inside_folder(int64_t pid, int64_t uid, const char **name);

#endif
