# SPDX-License-Identifier: Apache-2.0
"""How this copy of tfprof was built. Written by the build."""

from typing import Any, Dict

def build_info() -> Dict[str, Any]: ...
def main() -> int: ...
