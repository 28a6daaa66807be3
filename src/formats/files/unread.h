// SPDX-License-Identifier: Apache-2.0
/* formats/files/unread.h: recognizes files that tfprof does not read, and says what to do instead. */
#ifndef TFP_UNREAD_H
#define TFP_UNREAD_H

#include "base/base.h"

/* For a file that begins with `head`; `path` may be NULL. Returns a sentence with what the file is and what to do;
 * NULL: unknown. */
const char *tfp_unread(tfp_str head, const char *path);

/* What an event file without a graph and run metadata is. */
#define TFP_UNREAD_CURVES                                                                                              \
    "an event file of TensorBoard, which holds curves; the recording is in plugins/profile/ beside it: give the log "  \
    "folder"

#endif
