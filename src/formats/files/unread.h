// SPDX-License-Identifier: Apache-2.0
/* formats/files/unread.h: recognizes files that tfprof does not read, and says what to do instead. */
#ifndef TFP_UNREAD_H
#define TFP_UNREAD_H

#include "base/base.h"

/* For a file that begins with `head`; `path` may be NULL. Returns a sentence with what the file is and what to do;
 * NULL: unknown. */
const char *tfp_unread(tfp_str head, const char *path);

#endif
