// SPDX-License-Identifier: Apache-2.0
/* model/span_names.h: what the names of spans, threads and files of a trace mean. */
#ifndef TFP_SPAN_NAMES_H
#define TFP_SPAN_NAMES_H

#include "model/tables/span_kinds.h"

/* The last number in a file's name; -1: none. */
int32_t tfp_number_in_name(const char *path);
/* A thread of tf.data, by its label: it prepares input beside the steps. */
bool tfp_is_input_thread(tfp_str label);
/* A call of a function in which Keras runs a step, or several. */
bool tfp_is_keras_step(tfp_str name);
/* "EagerLocalExecute: __inference_NAME_123", TensorFlow's span around a call of a function, gives NAME; false for others. */
bool tfp_function_called(tfp_str span, tfp_str *name);
/* A kernel that joins devices, by its name. */
bool tfp_is_collective_kernel(tfp_str name);
/* Annotations and operators of PyTorch that communicate on the host, or wait there for what does. */
bool tfp_is_collective_range(tfp_str name);
bool tfp_is_collective_op(tfp_str name);
/* What an API call launches, by its name: a copy, a set, or (of most) a kernel. ROCm copies by kernels. */
tfp_span_class tfp_class_of_call(tfp_str name);
/* A span of the host that communicates, by its name: of PyTorch's backends, or a collective of TensorFlow. */
bool tfp_is_host_collective(tfp_str name);
/* A range in which a host communicates, also where there are devices: there c10d's operators launch what devices do. */
bool tfp_is_host_range(tfp_str name);
/* The parts of "FILE(LINE): FUNCTION", the name of a Python frame's span; false for other names (a built-in, a module). */
typedef struct tfp_python_frame {
    tfp_str file, function;
    int32_t line;
} tfp_python_frame;
bool tfp_python_frame_of(tfp_str text, tfp_python_frame *out);
/* Whether a source file belongs to Python or to an installed package, not to the user's own code. */
bool tfp_is_library_file(tfp_str path);

#endif
