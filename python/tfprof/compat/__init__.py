# SPDX-License-Identifier: Apache-2.0
"""The names and arguments of other profilers, over this package."""
