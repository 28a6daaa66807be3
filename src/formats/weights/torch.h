// SPDX-License-Identifier: Apache-2.0
/* formats/weights/torch.h: the parts of the reader of PyTorch's files: pickled values, and programs of torch.export. */
#ifndef TFP_TORCH_H
#define TFP_TORCH_H

#include "formats/weights/weights.h"
#include "wire/pickle.h"
#include "base/zip.h"

/* A type: torch's name ("float32"), the name of its elements in a trace ("float"), and bits of an element, 0: unknown.
 * It is found by the name of a storage class ("torch.FloatStorage"), by a dtype ("torch.float32"), or by torch.export's
 * number. */
typedef struct tfp_torch_type {
    tfp_str name, element;
    unsigned bits;
} tfp_torch_type;
tfp_torch_type tfp_torch_type_numbered(int64_t number);

/* Adds the tensors in what torch.save wrote, wherever they are in dicts, lists and modules. */
tfp_status tfp_torch_add_values(tfp_builder *b, tfp_pickle *m, tfp_pvalue root, tfp_error *err);

enum { TFP_TORCH_DIMS_MOST = 64 };
/* Reads sizes of torch.export. A size that depends on the input has the value that it had at the export. False: one is
 * unknown. */
bool tfp_torch_read_sizes(tfp_pickle *m, tfp_pvalue sizes, int64_t dims[TFP_TORCH_DIMS_MOST], size_t *count);
/* Adds the operators of a program and of the bodies in it. */
tfp_status tfp_torch_add_graph(tfp_builder *b, tfp_pickle *m, tfp_pvalue root, tfp_error *err);

/* Whether an archive is a program of torch.export. */
bool tfp_torch_is_program(const tfp_zip *z);
/* Adds its parameters and buffers, and the operators of its graphs. */
tfp_status tfp_torch_add_program(tfp_builder *b, const tfp_zip *z, tfp_input *in, tfp_error *err);

#endif
