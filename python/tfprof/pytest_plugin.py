# SPDX-License-Identifier: Apache-2.0
"""Lists in pytest's summary what `@tfprof.limit` measured. pytest finds this module by the package's entry point."""

from typing import Any

from tfprof._limit import measured


def pytest_terminal_summary(terminalreporter: Any) -> None:
    if not measured:
        return
    terminalreporter.section("tfprof: limits")
    for one in measured:
        terminalreporter.line(("over: " if one.value > one.most else "      ") + str(one))
