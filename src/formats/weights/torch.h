// SPDX-License-Identifier: Apache-2.0
/* formats/weights/torch.h: the parts of the reader of PyTorch's files: pickled values, and programs of torch.export. */
#ifndef TFP_TORCH_H
#define TFP_TORCH_H

#include "formats/weights/weights.h"
#include "wire/pickle.h"
#include "base/zip.h"

/* A type as torch names it ("float32"), its elements as a trace calls them ("float"), with bits of one, 0: not known. By the name of a class of storage ("torch.FloatStorage") or a
 * dtype ("torch.float32"), or by torch.export's number. */
typedef struct tfp_torch_type {
    tfp_str name, element;
    unsigned bits;
} tfp_torch_type;
tfp_torch_type tfp_torch_type_of(tfp_str told);
tfp_torch_type tfp_torch_type_numbered(int64_t number);

/* The tensors of what torch.save wrote, wherever they are in dicts, lists and modules. */
tfp_status tfp_torch_add_values(tfp_builder *b, tfp_pickle *m, tfp_pvalue root, tfp_error *err);

/* Whether an archive is a program of torch.export. */
bool tfp_torch_is_program(const tfp_zip *z);
/* Its parameters and buffers, and the operators of its graphs. */
tfp_status tfp_torch_add_program(tfp_builder *b, const tfp_zip *z, tfp_input *in, tfp_error *err);

#endif
