# SPDX-License-Identifier: Apache-2.0
"""Options as the dicts that Profiler and profile take."""

import copy
from typing import Any, Dict, List, Optional

from tfprof.compat.v1._graph import TRAINABLE_VARIABLES

Options = Dict[str, Any]


def _options(**changed: Any) -> Options:
    """The keys of every preset, with the values that differ in this one. Each call makes new lists."""
    made: Options = {
        "max_depth": 10000,
        "min_bytes": 0,
        "min_micros": 0,
        "min_params": 0,
        "min_float_ops": 0,
        "min_occurrence": 0,
        "order_by": "name",
        "account_type_regexes": [".*"],
        "start_name_regexes": [".*"],
        "trim_name_regexes": [],
        "show_name_regexes": [".*"],
        "hide_name_regexes": [],
        "account_displayed_op_only": False,
        "select": ["micros"],
        "step": -1,
        "output": "stdout",
    }
    made.update(changed)
    return made


class ProfileOptionBuilder:
    """Builds the options of a profile, a method a choice.

        options = (ProfileOptionBuilder(ProfileOptionBuilder.time_and_memory())
                   .with_node_names(show_name_regexes=[".*conv.*"])
                   .with_file_output("conv.txt")
                   .build())

    options: a dict to start from, which is copied; without it, every node down to depth 100 with
        its time. Three presets make such dicts. Times are microseconds, sizes bytes.
    """

    def __init__(self, options: Optional[Options] = None) -> None:
        self._options = _options(max_depth=100) if options is None else copy.deepcopy(options)

    # ---- presets ----

    @staticmethod
    def trainable_variables_parameter() -> Options:
        """How many parameters the trainable variables have; for the scope view."""
        return _options(
            account_type_regexes=[TRAINABLE_VARIABLES],
            account_displayed_op_only=True,
            select=["params"],
        )

    @staticmethod
    def float_operation() -> Options:
        """How many float operations there are, the most first."""
        return _options(
            min_float_ops=1,
            order_by="float_ops",
            account_displayed_op_only=True,
            select=["float_ops"],
        )

    @staticmethod
    def time_and_memory(
        min_micros: int = 1,
        min_bytes: int = 1,
        min_accelerator_micros: int = 0,
        min_cpu_micros: int = 0,
        min_peak_bytes: int = 0,
        min_residual_bytes: int = 0,
        min_output_bytes: int = 0,
    ) -> Options:
        """Times and requested memory of the ops, the longest first.

        A node is shown if it reaches every given minimum: min_micros is accelerator plus CPU
        time; min_bytes what was requested, min_peak_bytes held at once, min_residual_bytes still
        held after the op, min_output_bytes in its outputs.
        """
        return _options(
            min_bytes=min_bytes,
            min_peak_bytes=min_peak_bytes,
            min_residual_bytes=min_residual_bytes,
            min_output_bytes=min_output_bytes,
            min_micros=min_micros,
            min_accelerator_micros=min_accelerator_micros,
            min_cpu_micros=min_cpu_micros,
            order_by="micros",
            account_displayed_op_only=True,
            select=["micros", "bytes"],
        )

    # ---- building ----

    def build(self) -> Options:
        """The options: a dict of its own, which later calls do not change."""
        return copy.deepcopy(self._options)

    def _with(self, **changed: Any) -> "ProfileOptionBuilder":
        self._options.update(changed)
        return self

    def with_max_depth(self, max_depth: int) -> "ProfileOptionBuilder":
        """How deep to show: levels of name scopes, inputs or calls; in the op view, rows."""
        return self._with(max_depth=max_depth)

    def with_min_memory(
        self,
        min_bytes: int = 0,
        min_peak_bytes: int = 0,
        min_residual_bytes: int = 0,
        min_output_bytes: int = 0,
    ) -> "ProfileOptionBuilder":
        """The least memory, in bytes, that a node must have to be shown: requested, held at once,
        still held after the op, and in its outputs."""
        return self._with(
            min_bytes=min_bytes,
            min_peak_bytes=min_peak_bytes,
            min_residual_bytes=min_residual_bytes,
            min_output_bytes=min_output_bytes,
        )

    def with_min_execution_time(
        self, min_micros: int = 0, min_accelerator_micros: int = 0, min_cpu_micros: int = 0
    ) -> "ProfileOptionBuilder":
        """The least time, in microseconds, that a node must have to be shown: in all, on
        accelerators, and on CPUs."""
        return self._with(
            min_micros=min_micros,
            min_accelerator_micros=min_accelerator_micros,
            min_cpu_micros=min_cpu_micros,
        )

    def with_min_parameters(self, min_params: int) -> "ProfileOptionBuilder":
        """The least number of parameters (elements of variables) that a node must have to be shown."""
        return self._with(min_params=min_params)

    def with_min_occurrence(self, min_occurrence: int) -> "ProfileOptionBuilder":
        """The least number of graph nodes that an op type or a line of code must have to be shown."""
        return self._with(min_occurrence=min_occurrence)

    def with_min_float_operations(self, min_float_ops: int) -> "ProfileOptionBuilder":
        """The least number of float operations that a node must have to be shown."""
        return self._with(min_float_ops=min_float_ops)

    def with_accounted_types(self, account_type_regexes: List[str]) -> "ProfileOptionBuilder":
        """Count only nodes with a type that one of these matches completely.

        The types of a node are its op type, its devices and what an op log adds: ".*gpu:0.*"
        counts what ran on the first GPU.
        """
        return self._with(account_type_regexes=copy.copy(account_type_regexes))

    def with_node_names(
        self,
        start_name_regexes: Optional[List[str]] = None,
        show_name_regexes: Optional[List[str]] = None,
        hide_name_regexes: Optional[List[str]] = None,
        trim_name_regexes: Optional[List[str]] = None,
    ) -> "ProfileOptionBuilder":
        """Patterns of names at which to start, to show, to hide, and below which not to go; None changes nothing."""
        filters = {
            "start_name_regexes": start_name_regexes,
            "show_name_regexes": show_name_regexes,
            "hide_name_regexes": hide_name_regexes,
            "trim_name_regexes": trim_name_regexes,
        }
        return self._with(**{k: copy.copy(v) for k, v in filters.items() if v is not None})

    def account_displayed_op_only(self, is_true: bool) -> "ProfileOptionBuilder":
        """Whether totals count only the shown nodes, or hidden ones, too."""
        return self._with(account_displayed_op_only=is_true)

    def with_empty_output(self) -> "ProfileOptionBuilder":
        """Print nothing: the result is returned only."""
        return self._with(output="none")

    def with_stdout_output(self) -> "ProfileOptionBuilder":
        """Print to stdout."""
        return self._with(output="stdout")

    def with_file_output(self, outfile: str) -> "ProfileOptionBuilder":
        """Print into a file."""
        return self._with(output="file:outfile=%s" % outfile)

    def with_timeline_output(self, timeline_file: str) -> "ProfileOptionBuilder":
        """Write a timeline for chrome://tracing; the step is added to the file's name."""
        return self._with(output="timeline:outfile=%s" % timeline_file)

    def with_pprof_output(self, pprof_file: str) -> "ProfileOptionBuilder":
        """Write a gzipped profile for pprof; of the code view."""
        return self._with(output="pprof:outfile=%s" % pprof_file)

    def order_by(self, attribute: str) -> "ProfileOptionBuilder":
        """The column to sort by: name, or a number, the largest first."""
        return self._with(order_by=attribute)

    def select(self, attributes: List[str]) -> "ProfileOptionBuilder":
        """The columns to show; tfprof.names("columns") lists them."""
        return self._with(select=copy.copy(attributes))

    def with_step(self, step: int) -> "ProfileOptionBuilder":
        """The step to show, as Profiler.add_step numbered it; -1 is the mean of all."""
        return self._with(step=step)
