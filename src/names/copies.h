// SPDX-License-Identifier: Apache-2.0
/* names/copies.h: the direction of a copy, its names, and how each recorder writes it. */
#ifndef TFP_COPIES_H
#define TFP_COPIES_H

#include "base/base.h"

typedef enum tfp_direction { /* numbered as CUpti_ActivityMemcpyKind; A is an array */
                             TFP_UNKNOWN_DIRECTION,
                             TFP_HTOD,
                             TFP_DTOH,
                             TFP_HTOA,
                             TFP_ATOH,
                             TFP_ATOA,
                             TFP_ATOD,
                             TFP_DTOA,
                             TFP_DTOD,
                             TFP_HTOH,
                             TFP_PTOP,
                             TFP_DIRECTIONS
} tfp_direction;

/* The direction that a text contains, as CUDA, HIP, XPlane, Intel ("M2D": from the host's memory) and MTIA write it; not
 * those of arrays. */
tfp_direction tfp_direction_of(tfp_str text);
/* The direction, if it is not of arrays, with whose name ("HtoD") the text begins. */
tfp_direction tfp_direction_at_start(tfp_str text);
const char *tfp_direction_name(tfp_direction d);  /* "HtoD"; "unknown" */
const char *tfp_direction_arrow(tfp_direction d); /* "host→device"; NULL: unknown, or of arrays */
/* The name of a copy as PyTorch has it: "Memcpy HtoD". */
const char *tfp_copy_of(tfp_direction d);
/* The same for the names that ROCm's recorders give, MEMORY_COPY_HOST_TO_DEVICE and CopyHostToDevice; other names are
 * kept. */
tfp_str tfp_copy_name(tfp_str recorded);
/* Whether a copy needs a link to the host or another device, by its name. */
static inline bool tfp_copy_needs_link(tfp_str name) { return tfp_direction_of(name) != TFP_DTOD; }
/* The host's memory of a copy, by its name and its details: "pageable", "pinned"; NULL: not known. */
const char *tfp_copy_memory(tfp_str name, tfp_str details);

#endif
