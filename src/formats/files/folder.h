// SPDX-License-Identifier: Apache-2.0
/* formats/files/folder.h: what the readers of folders share: names in a folder, and paths below it. */
#ifndef TFP_FOLDER_H
#define TFP_FOLDER_H

#include "base/io.h"

typedef TFP_VEC(char *) tfp_names;

/* What a folder holds, in byte order, without hidden files; nothing for a path that is no folder. False without memory. */
bool tfp_names_of(const char *path, tfp_names *out);
void tfp_names_free(tfp_names *n);

enum { TFP_PATH_ROOM = 4096 };
bool tfp_path_join(char out[TFP_PATH_ROOM], const char *folder, const char *name); /* false: too long */
bool tfp_name_ends(const char *name, const char *with);                            /* and is longer */

/* The newest of the files profile_N and profile_N.gz in a folder (TensorFlow's ProfileContext); by time, then by N. */
bool tfp_profile_is_folder(const char *path);
tfp_status tfp_profile_list(const char *path, tfp_buf *paths, tfp_error *err);

/* The traces of PyTorch in a folder: of each worker the last (HOST_PID.TIME.pt.trace.json); else one file for each rank
 * (a name with "rank"); else the newest trace. */
bool tfp_kineto_is_folder(const char *path);
tfp_status tfp_kineto_list(const char *path, tfp_buf *paths, tfp_error *err);

/* A folder of a profiler's XPlane files: LOG, LOG/plugins/profile, or the folder of one recording. */
bool tfp_xplane_is_folder(const char *path);
/* Paths of its files, one a host, each ended by NUL. */
tfp_status tfp_xplane_list(const char *path, tfp_buf *paths, tfp_error *err);

/* A folder that `tfprof run` or `tfprof capture` wrote: the files of its one job; or that of a job. */
bool tfp_capture_is_folder(const char *path);
tfp_status tfp_capture_list(const char *path, tfp_buf *paths, tfp_error *err);

/* The prefix that the text file `checkpoint` of a folder names as its last checkpoint. */
bool tfp_checkpoint_is_folder(const char *path);
tfp_status tfp_checkpoint_list(const char *path, tfp_buf *paths, tfp_error *err);

#endif
