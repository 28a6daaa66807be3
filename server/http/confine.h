// SPDX-License-Identifier: Apache-2.0
/* server/http/confine.h: a process that only reads gives up all other rights. */
#ifndef TFP_SERVER_CONFINE_H
#define TFP_SERVER_CONFINE_H

#include <stddef.h>

/* Gives up rights of the process: from here on it can write no file, read none but those below `folders`, and gain no rights. */
void confine(const int *folders, size_t count);

#endif
