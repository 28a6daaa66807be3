// SPDX-License-Identifier: Apache-2.0
/* formats/files/unread.h: files that tfprof does not read, by what they are, and what works instead. */
#ifndef TFP_UNREAD_H
#define TFP_UNREAD_H

#include "base/base.h"

/* A file that begins with `head`; `path` may be NULL. The sentence says what the file is and what to do; NULL: it is of no
 * known kind. */
const char *tfp_unread(tfp_str head, const char *path);

#endif
