# SPDX-License-Identifier: Apache-2.0
"""pytest finds this module by the package's entry point: its summary lists what `@tfprof.limit` measured. Nothing is imported of tfprof
until a test did so."""

import sys
from typing import Any


def pytest_terminal_summary(terminalreporter: Any) -> None:
    limits = sys.modules.get("tfprof._limit")
    if limits is None or not limits.measured:
        return
    terminalreporter.section("tfprof: limits")
    for one in limits.measured:
        terminalreporter.line(("over: " if one.value > one.most else "      ") + str(one))
