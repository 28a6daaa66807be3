// SPDX-License-Identifier: Apache-2.0
/* live/run/cuda_read.h: turns the file of a process (cuda.h) into a trace that every view reads, and has the functions that `run --cuda`
 * calls before and after the command. */
#ifndef TFP_LIVE_CUDA_READ_H
#define TFP_LIVE_CUDA_READ_H

#include "base/io.h"
#include "live/run/cuda.h"
#include "live/files/run.h"
#include "views/core/grid.h"

typedef struct tfp_cuda_facts {
    tfp_cuda_head head;
    int64_t activities, calls, lost;
    int64_t untimed;           /* records that were dropped: without a time, or with an end before the begin */
    int64_t first_ns, last_ns; /* in Unix time; TFP_ABSENT without activities and calls */
    bool cut;                  /* the file ends within a record, or at a damaged one; the records before that count */
} tfp_cuda_facts;

/* Demangles a C++ name; returns a malloced text, or NULL. */
typedef char *tfp_demangle_fn(const char *name, char *buffer, size_t *size, int *status);

/* Converts a file to Kineto's JSON: kernels, copies and memsets on their streams, calls on their threads, in Unix time. demangle
 * may be NULL. TFP_BADFILE: the head is unknown; TFP_NOMEM, TFP_BADOUTPUT. */
tfp_status tfp_cuda_convert(tfp_input *in, tfp_demangle_fn *demangle, tfp_sink *out, tfp_cuda_facts *facts,
                            tfp_error *err);

/* Before the command: writes the library, and sets the variables that make CUDA load it. TFP_BADARG: CUDA is to load
 * another library already. */
tfp_status tfp_cuda_begin(const tfp_run *r, const tfp_live_settings *w, tfp_error *err);

/* Whether --every means windows of CUPTI, not of the frameworks' profilers. */
static inline bool tfp_cuda_has_windows(const tfp_live_settings *w)
{
    return w->cuda && w->every && strchr(w->every, 's');
}

/* After the command: writes a trace for each process below DIR/JOB. Manifest rows go to *rows with commas between them, notes for the
 * user to *notes. */
tfp_status tfp_cuda_end(const tfp_run *r, tfp_buf *rows, tfp_buf *notes, tfp_error *err);

#endif
