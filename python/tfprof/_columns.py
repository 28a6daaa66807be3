# SPDX-License-Identifier: Apache-2.0
"""The columns of a view's rows, for type checkers and completion. tests/python compares them with the library's."""

from typing import Optional


class Columns:
    """Times are microseconds, sizes bytes, the rest plain counts; None is an absent number."""

    __slots__ = ()

    accounted: bool
    accelerator_micros: Optional[int]
    total_accelerator_micros: Optional[int]
    bytes: Optional[int]
    total_bytes: Optional[int]
    bytes_moved: Optional[int]
    total_bytes_moved: Optional[int]
    coverage: Optional[float]
    total_coverage: Optional[float]
    cpu_micros: Optional[int]
    total_cpu_micros: Optional[int]
    device: Optional[str]
    fixed_params: Optional[int]
    total_fixed_params: Optional[int]
    float_ops: Optional[int]
    total_float_ops: Optional[int]
    flops_per_second: Optional[float]
    total_flops_per_second: Optional[float]
    input_shapes: Optional[str]
    intensity: Optional[float]
    total_intensity: Optional[float]
    macs: Optional[int]
    total_macs: Optional[int]
    max_micros: Optional[float]
    total_max_micros: Optional[float]
    mean_micros: Optional[float]
    total_mean_micros: Optional[float]
    median_micros: Optional[float]
    total_median_micros: Optional[float]
    micros: Optional[int]
    total_micros: Optional[int]
    num_hidden_ops: Optional[int]
    runs: Optional[int]
    total_runs: Optional[int]
    total_definitions: Optional[int]
    op_types: Optional[str]
    output_bytes: Optional[int]
    total_output_bytes: Optional[int]
    p95_micros: Optional[float]
    total_p95_micros: Optional[float]
    params: Optional[int]
    total_params: Optional[int]
    peak_bytes: Optional[int]
    total_peak_bytes: Optional[int]
    residual_bytes: Optional[int]
    total_residual_bytes: Optional[int]
    slot_params: Optional[int]
    total_slot_params: Optional[int]
    tensor_dtype: Optional[str]
    tensor_shape: Optional[str]
    tensor_value: Optional[str]
    trainable_params: Optional[int]
    total_trainable_params: Optional[int]
