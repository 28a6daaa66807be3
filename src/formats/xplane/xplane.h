// SPDX-License-Identifier: Apache-2.0
/* formats/xplane/xplane.h: what else reads XPlane files: folders of them. */
#ifndef TFP_XPLANE_H
#define TFP_XPLANE_H

#include "formats/files/format.h"

tfp_status tfp_xplane_read(tfp_builder *b, tfp_input *in, tfp_error *err);

/* A folder of a profiler's: LOG, LOG/plugins/profile, or the folder of one recording. */
bool tfp_xplane_is_folder(const char *path);
/* Paths of its files, one a host, each ended by NUL. */
tfp_status tfp_xplane_list(const char *path, tfp_buf *paths, tfp_error *err);

#endif
