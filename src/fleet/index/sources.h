// SPDX-License-Identifier: Apache-2.0
/* fleet/index/sources.h: remembers where the traces of an index were. */
#ifndef TFP_FLEET_SOURCES_H
#define TFP_FLEET_SOURCES_H

#include "base/base.h"

/* Adds the folders of a pass to those of earlier ones. The caller holds the lock. */
tfp_status tfp_index_sources_write(const char *out, const char *const *sources, size_t given, tfp_error *err);
/* Calls back with each existing folder, as an absolute path; with none if the index is not the caller's own. */
tfp_status tfp_index_sources_each(const char *out, void (*fn)(void *ctx, const char *folder), void *ctx,
                                  tfp_error *err);

#endif
