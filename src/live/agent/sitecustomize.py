# SPDX-License-Identifier: Apache-2.0
# tfprof run puts this file's folder first on PYTHONPATH. It waits for a framework to be imported, takes itself off sys.path, and
# then is the sitecustomize that it hides, or none: the import below ends as it would have without tfprof.
import sys


def _tfprof():
    import os
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [p for p in sys.path if p != here]
    sys.path_importer_cache.pop(here, None)
    settings = os.environ.get("TFPROF_AGENT")
    if not settings or not os.path.isfile(here + "/agent.py"):
        return  # tfprof has ended; a process that outlived it started this one
    space = {"__name__": "tfprof_agent"}
    for name in ("common", "native", "sessions", "steps", "agent", "hook"):
        path = "%s/%s.py" % (here, name)
        with open(path, encoding="utf-8") as f:
            exec(compile(f.read(), path, "exec"), space)
    space["hook"](here, settings)


try:
    _tfprof()
except Exception as wrong:  # an error of ours must never disturb the job
    sys.stderr.write("tfprof: not prepared: %s: %s\n" % (type(wrong).__name__, wrong))
del _tfprof
sys.modules.pop("sitecustomize", None)
import sitecustomize  # noqa: E402,F401
