// SPDX-License-Identifier: Apache-2.0
/* live/run/cuda_read.h: what CUDA told of a process (cuda.h) as a trace that every view reads, and what `run --cuda` does before and after
 * the command. */
#ifndef TFP_LIVE_CUDA_READ_H
#define TFP_LIVE_CUDA_READ_H

#include "base/io.h"
#include "live/run/cuda.h"
#include "live/files/run.h"
#include "views/core/grid.h"

typedef struct tfp_cuda_facts {
    tfp_cuda_head head;
    int64_t activities, calls, lost;
    int64_t untimed;           /* left out: CUPTI had no time for them, or one that ends before it starts */
    int64_t first_ns, last_ns; /* of Unix time; TFP_ABSENT without activities and calls */
    bool cut;                  /* the file ends within a record, or with one that is none: what is before it counts */
} tfp_cuda_facts;

/* Demangles a C++ name; returns a malloced text, or NULL. */
typedef char *tfp_demangle_fn(const char *name, char *buffer, size_t *size, int *status);

/* Kineto's JSON of a file: kernels, copies and sets on their streams, calls on their threads, in Unix time. demangle may be NULL.
 * TFP_BADFILE: it has no head that is known; TFP_NOMEM, TFP_BADOUTPUT. */
tfp_status tfp_cuda_convert(tfp_input *in, tfp_demangle_fn *demangle, tfp_sink *out, tfp_cuda_facts *facts,
                            tfp_error *err);

/* Before: the library and the variables that lead CUDA to it. TFP_BADARG: another library is to be loaded already. */
tfp_status tfp_cuda_begin(const tfp_run *r, int64_t max_bytes, tfp_error *err);

/* After: a trace for each process, below DIR/JOB. Manifest rows go into *rows with commas between them, lines for people into *notes. */
tfp_status tfp_cuda_end(const tfp_run *r, tfp_buf *rows, tfp_buf *notes, tfp_error *err);

#endif
