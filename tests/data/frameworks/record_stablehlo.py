#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A scan of JAX as StableHLO, pretty with locations and generic: tests/data/frameworks/record_stablehlo.py OUT (needs jax[cpu])"""
import os
import sys

import jax
import jax.numpy as jnp


def scan(w, x):
    def body(c, _):
        return jnp.tanh(c @ w), c.sum()

    return jax.lax.scan(body, x, None, length=7)


lowered = jax.jit(scan).lower(jnp.ones((16, 16)), jnp.ones((4, 16)))
with open(os.path.join(sys.argv[1], "scan.mlir"), "w", encoding="utf-8") as f:
    f.write(lowered.as_text(debug_info=True).replace(os.path.abspath(__file__), "net.py"))
with open(os.path.join(sys.argv[1], "scan.generic.mlir"), "w", encoding="utf-8") as f:
    lowered.compiler_ir("stablehlo").operation.print(print_generic_op_form=True, file=f)
