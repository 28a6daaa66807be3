// SPDX-License-Identifier: Apache-2.0
/* fleet/index/sources.h: where the traces of an index were. */
#ifndef TFP_FLEET_SOURCES_H
#define TFP_FLEET_SOURCES_H

#include "base/base.h"

/* Adds the folders of a pass; those of earlier ones stay. The caller holds the lock. */
tfp_status tfp_index_sources_write(const char *out, const char *const *sources, size_t given, tfp_error *err);
/* Those that exist, from / on; none of an index that is not the caller's own. */
tfp_status tfp_index_sources_each(const char *out, void (*fn)(void *ctx, const char *folder), void *ctx, tfp_error *err);

#endif
