# SPDX-License-Identifier: Apache-2.0
"""Where do a deep-learning model's parameters, float operations, memory and time go?

    import tfprof
    p = tfprof.open("profile_10")            # or graphs, run metadata, op logs, checkpoints
    r = p.scope(select=["micros", "bytes"], max_depth=4, order_by="micros")
    print(r)                                 # the text of TensorFlow's tfprof
    r["conv1"].total_micros                  # one number, in microseconds
    r.to_pandas()                            # or to_dict(), to_arrow(), polars.DataFrame(r) ...

Times are microseconds, sizes are bytes, everything else is a plain count. Neither TensorFlow nor
numpy nor protobuf is needed. `tfprof.compat.v1` has the names of `tf.compat.v1.profiler`, and
`tfprof.contrib` those of TensorFlow 1.0.
"""

from tfprof._arrow import arrow
from tfprof._build import build_info
from tfprof._diff import DiffOptions, diff
from tfprof._flops import Flops, flops
from tfprof._native import (
    Error,
    InputError,
    LimitError,
    MissingFileError,
    NotFoundError,
    OutOfMemoryError,
    OutputError,
    UsageError,
    __version__,
)
from tfprof._limit import limit
from tfprof._options import (
    CodeOptions,
    FlopsOptions,
    LinesOptions,
    MemoryOptions,
    PlaceOptions,
    RangeOptions,
    StatsOptions,
    StepOptions,
    TransferOptions,
    ViewOptions,
    WaitOptions,
)
from tfprof._profile import Profile, ProfileWarning, open, recognise
from tfprof._query import query, tables
from tfprof._report import Report, Row
from tfprof._tables import help, names

__all__ = [
    "CodeOptions",
    "DiffOptions",
    "Error",
    "Flops",
    "FlopsOptions",
    "InputError",
    "LimitError",
    "LinesOptions",
    "MemoryOptions",
    "MissingFileError",
    "NotFoundError",
    "OutOfMemoryError",
    "OutputError",
    "Profile",
    "ProfileWarning",
    "PlaceOptions",
    "RangeOptions",
    "Report",
    "Row",
    "StatsOptions",
    "StepOptions",
    "TransferOptions",
    "UsageError",
    "ViewOptions",
    "WaitOptions",
    "__version__",
    "arrow",
    "build_info",
    "diff",
    "flops",
    "help",
    "limit",
    "names",
    "open",
    "query",
    "recognise",
    "tables",
]
