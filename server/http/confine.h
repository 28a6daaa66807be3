// SPDX-License-Identifier: Apache-2.0
/* server/http/confine.h: gives up all rights that a process does not need for reading. */
#ifndef TFP_SERVER_CONFINE_H
#define TFP_SERVER_CONFINE_H

#include <stddef.h>

/* From here on the process can write no file, read none except those below `folders`, and gain no rights. */
void confine(const int *folders, size_t count);

#endif
