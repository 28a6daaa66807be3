// SPDX-License-Identifier: Apache-2.0
/* server/http/confine.h: a process that only reads gives up all other rights. */
#ifndef TFP_SERVER_CONFINE_H
#define TFP_SERVER_CONFINE_H

#include <stddef.h>

/* No file is written from here on, none is read but below `folders`, and no new rights are had. */
void confine(const int *folders, size_t count);

#endif
