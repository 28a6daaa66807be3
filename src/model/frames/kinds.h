// SPDX-License-Identifier: Apache-2.0
/* model/frames/kinds.h: the kind of a file of Python. */
#ifndef TFP_CODE_KINDS_H
#define TFP_CODE_KINDS_H

#include "base/base.h"

typedef enum tfp_code_kind {
    TFP_CODE_OWN, /* the user's, or an engine's */
    TFP_CODE_OF_FRAMEWORK,
    TFP_CODE_OF_KERNELS, /* of a package that launches kernels for others */
    TFP_CODE_INSTALLED   /* of a package that no table has: own if modules of the model live in it */
} tfp_code_kind;

tfp_code_kind tfp_code_kind_of(tfp_str file);
/* Whether it is not the user's own code, by its name alone (whose.h has the whole rule for a frame). */
bool tfp_is_library_file(tfp_str file);
bool tfp_is_generated_file(tfp_str path); /* whether a compiler generated it */
/* XPlane's frames have no folders: the path of a file of JAX, NumPy, Keras or TensorFlow below its package, such as
 * "jax/_src/pjit.py"; otherwise the file as it is. */
tfp_str tfp_path_of_bare_file(tfp_str file);
/* The installed package that a file belongs to: the folder after site-packages; data NULL: none. */
tfp_str tfp_package_of(tfp_str file);
/* libraries.c: whether a package, by its name, belongs to Python, to a framework, or serves neither models nor kernels. */
bool tfp_is_framework(tfp_str package);
/* Whether a file belongs to such a package or to any installed one, or was generated: the first of the lists, which
 * knows neither kernels nor engines. */
bool tfp_is_known_library(tfp_str path);

#endif
