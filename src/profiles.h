// SPDX-License-Identifier: Apache-2.0
/* profiles.h: shared by adding one file and adding many. */
#ifndef TFP_PROFILES_H
#define TFP_PROFILES_H

#include "formats/files/format.h"

#define TFP_PROFILES_HEAD ((size_t)64 << 10) /* bytes at the start of a file that are used to recognise it */

/* The surest format by the first bytes; NULL with an error that lists what it could be. */
const tfp_format *tfp_profiles_recognise(tfp_str head, uint64_t total, const char *path, tfp_error *err);
const tfp_format *tfp_profiles_recognise_path(const char *path); /* NULL: the content has to decide */

/* Adds a file that was decoded in advance. */
tfp_status tfp_profiles_add_decoded(tfp_profile *p, const tfp_format *f, const tfp_input *in, void *decoded,
                                    tfp_error *err);

#endif
