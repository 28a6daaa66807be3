// SPDX-License-Identifier: Apache-2.0
/* model/span_names.h: what the names of spans, threads and files of a trace mean. */
#ifndef TFP_SPAN_NAMES_H
#define TFP_SPAN_NAMES_H

#include "model/tables/span_kinds.h"
#include "model/tables/step_marks.h"

/* The last number in a file's name; -1: none. */
int32_t tfp_number_in_name(const char *path);
/* Whether it is a thread of tf.data, by its label: such threads prepare input in parallel to the steps. */
bool tfp_is_input_thread(tfp_str label);
/* Whether it is a call of a function in which Keras runs one or several steps. */
bool tfp_is_keras_step(tfp_str name);
/* A name that marks a step. PyTorch's profiler writes the prefix and a number. */
#define TFP_PROFILER_STEP "ProfilerStep#"
typedef struct tfp_step_name {
    tfp_str stem;     /* equal for the steps of one loop: the name without its number, or the kind of the writer */
    int64_t number;   /* -1: none */
    bool profiler;    /* `ProfilerStep#N`: certain, wherever it stands */
    bool must_repeat; /* it marks steps only where it repeats on one thread */
} tfp_step_name;
bool tfp_step_name_of(tfp_str name, tfp_step_name *out);
/* What the name of a server's step says about it: its phase, requests and tokens (-1: unknown). False: no phase. */
typedef struct tfp_step_phase {
    tfp_phase phase;
    int64_t requests, tokens;
} tfp_step_phase;
bool tfp_step_phase_of(tfp_str name, tfp_step_phase *out);
/* For "EagerLocalExecute: __inference_NAME_123", TensorFlow's span around a function call, gives NAME; false for other
 * names. */
bool tfp_function_called(tfp_str span, tfp_str *name);
/* Whether a kernel communicates between devices, by its name. */
bool tfp_is_collective_kernel(tfp_str name);
/* Whether it is an annotation or operator of PyTorch that communicates on the host, or waits for communication
 * there. */
bool tfp_is_collective_range(tfp_str name);
bool tfp_is_collective_op(tfp_str name);
/* What an API call launches, by its name: a copy, a memset, or (most calls) a kernel. ROCm copies with kernels. */
tfp_span_class tfp_class_of_call(tfp_str name);
/* What an API call does for the device, by its name. */
typedef enum tfp_call_meaning {
    TFP_CALL_OTHER,
    TFP_CALL_LAUNCHES, /* a kernel */
    TFP_CALL_REPLAYS,  /* a graph */
    TFP_CALL_BEGINS_CAPTURE,
    TFP_CALL_ENDS_CAPTURE,
    TFP_CALL_WAITS /* for the device; not to copy */
} tfp_call_meaning;
tfp_call_meaning tfp_call_means(tfp_str name);
/* Whether an API call waits: cudaStreamSynchronize, hipMemcpyWithStream, cuCtxSynchronize_v2 and similar ones. */
bool tfp_call_synchronizes(tfp_str name);
/* Whether a host span communicates, by its name: one of PyTorch's backends, or a collective of TensorFlow. */
bool tfp_is_host_collective(tfp_str name);
/* Whether the host itself communicates in this range, even if there are devices. With devices c10d's operators only
 * launch their communication. */
bool tfp_is_host_range(tfp_str name);
/* The parts of "FILE(LINE): FUNCTION" or XPlane's "$FILE:LINE FUNCTION", the name of a Python frame's span; false for other names (a built-in, a
 * module). */
typedef struct tfp_python_frame {
    tfp_str file, function;
    int32_t line;
} tfp_python_frame;
bool tfp_python_frame_of(tfp_str text, tfp_python_frame *out);
/* Why a frame's own time is waiting, by the name of its span or row; 0: it works. */
typedef enum tfp_frame_wait {
    TFP_FRAME_WORKS,
    TFP_FRAME_WAITS_LOCK, /* for a lock, a condition, an event, the end of a thread or process */
    TFP_FRAME_WAITS_QUEUE,
    TFP_FRAME_SLEEPS,
    TFP_FRAME_POLLS /* for a pipe, a socket, several of them */
} tfp_frame_wait;
tfp_frame_wait tfp_frame_waits(tfp_str name);
const char *tfp_frame_wait_word(tfp_frame_wait wait); /* the cause in `wait`: "lock", "queue", "sleep", "poll" */
/* Whether a span compiles, or searches for the fastest kernel (autotune), by its name: a range or operator of PyTorch or
 * XLA, or a frame of their compilers. */
bool tfp_compiles(tfp_str name);

#endif
