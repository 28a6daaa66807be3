// SPDX-License-Identifier: Apache-2.0
/* live/run/cuda_files.h: the files that cuda_inject.c writes for its process: FOLDER/PID-N.cuda and .why. */
#ifndef TFP_LIVE_CUDA_FILES_H
#define TFP_LIVE_CUDA_FILES_H

#include <stdbool.h>
#include <sys/types.h>

/* Sets the folder that tfprof made, and the first N that no earlier program of this process has used. False: the folder does not belong to
 * this user alone. */
bool tfp_cuda_files_begin(const char *folder, pid_t pid);
/* Opens the file PID-N with this ending. -1: errno has the reason. */
int tfp_cuda_file(const char *end, int flags);

#endif
