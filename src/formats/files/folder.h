// SPDX-License-Identifier: Apache-2.0
/* formats/files/folder.h: what the readers of folders share: names in a folder, and paths below it. */
#ifndef TFP_FOLDER_H
#define TFP_FOLDER_H

#include "base/io.h"

typedef TFP_VEC(char *) tfp_names;

/* The names in a folder, in byte order, without hidden files; none if the path is no folder. False: out of memory. */
bool tfp_names_of(const char *path, tfp_names *out);
void tfp_names_free(tfp_names *n);

enum { TFP_PATH_ROOM = 4096 };
bool tfp_path_join(char out[TFP_PATH_ROOM], const char *folder, const char *name); /* false: the path is too long */
/* the name is longer than `with` and ends in it */
bool tfp_name_ends(const char *name, const char *with);

/* The newest of the files profile_N and profile_N.gz in a folder of TensorFlow's ProfileContext, by time, then by N. */
bool tfp_profile_is_folder(const char *path);
tfp_status tfp_profile_list(const char *path, tfp_buf *paths, tfp_error *err);

/* The traces of PyTorch in a folder: the last one of each worker (HOST_PID.TIME.pt.trace.json); otherwise one file for
 * each rank (a name with "rank", or with numbers after TP, DP, PP, EP); otherwise the newest trace. A file into which they
 * were merged is not read beside them. */
bool tfp_kineto_is_folder(const char *path);
tfp_status tfp_kineto_list(const char *path, tfp_buf *paths, tfp_error *err);
/* The number of traces in the folder that tfp_kineto_list left out of `paths`; merged: those that others were merged
 * into, which it does not count. */
size_t tfp_kineto_older(const char *path, const tfp_buf *paths, size_t *merged);

/* A folder of a profiler's XPlane files: LOG, LOG/plugins/profile, or the folder of one recording. */
bool tfp_xplane_is_folder(const char *path);
/* Paths of its files, one per host, each ended by NUL. */
tfp_status tfp_xplane_list(const char *path, tfp_buf *paths, tfp_error *err);

/* A folder that `tfprof run` or `tfprof capture` wrote, with the files of its only job; or the folder of one job. */
bool tfp_capture_is_folder(const char *path);
tfp_status tfp_capture_list(const char *path, tfp_buf *paths, tfp_error *err);

/* The prefix that the text file `checkpoint` of a folder names as the last checkpoint. */
bool tfp_checkpoint_is_folder(const char *path);
tfp_status tfp_checkpoint_list(const char *path, tfp_buf *paths, tfp_error *err);

#endif
