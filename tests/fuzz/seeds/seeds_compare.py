# SPDX-License-Identifier: Apache-2.0
"""Seeds for the inputs of diff: baselines of `diff --gate` and printed scope files, two in one input with a NUL byte
between them."""
BASELINES = [
    b'{"tfprof_baseline":1,"runs":["a","b\\u00e9","c"],"rows":[\n{"measure":"step","name":"step","values":[100,101.5,99]},\n'
    b'{"measure":"part","name":"cpu/compute_us","values":[90,91,89.25]},{"measure":"op","name":"mm","values":[60,null,61]},\n'
    b'{"measure":"line","name":"a.py:3:f","same":5},{"measure":"float_ops","name":"all operations","same":4096},'
    b'{"measure":"float_ops","name":"mm","same":4096},{"measure":"new","name":"x","same":1}]}\n'
    b'\0{"tfprof_baseline": 1, "runs": ["a","b","c"], "rows": [{"measure":"step","name":"step","values":[110,112,111]},'
    b'{"measure":"part","name":"cpu/compute_us","values":[99,102,100]},{"measure":"op","name":"mm","values":[70,71,72]},'
    b'{"measure":"float_ops","name":"all operations","same":8192},{"measure":"float_ops","name":"mm","same":8192}], "more": {"x": [1]}}',
    b'{"tfprof_baseline":1,"runs":["' + b'","'.join(b"%d" % i for i in range(10)) + b'"],"rows":[{"measure":"step","name":"step","values":['
    + b",".join(b"%d.5" % (i * 7 % 10 + 100) for i in range(10)) + b']},{"measure":"launches","name":"gpu:0/kernels","same":12}]}',
]


SCOPE_TEXTS = [
    b"Parsing Inputs...\nnode name | requested bytes\n_TFProfRoot (--/6220MB)\n  a (1B/6220MB)\n    a/b (6.22GB)\n\nbye\n"
    b"\0_TFProfRoot (--/2840MB)\r\na (--/2840MB)\r\na/b (2840MB/2840MB)\r\n",
    b"node name | # parameters | total execution time | accelerator execution time | cpu execution time | assigned devices"
    b" | op types | op count (run|defined) | input shapes\n_TFProfRoot (--/4.99k params, --/461us, --/0us, --/461us, "
    b"_kTFScopeParent, --/19|--/220, )\n  a (3x4, 1.20k/1.20k params, 400us/1.50ms, 0us/0us, 400us/1.2sec, /job:w/cpu:0, "
    b"/job:w|MatMul, 2/2|1/1, 0:3x4|1:unknown)\n[1.0 2.0 ],\n",
    b"_TFProfRoot (9MB)\n  p/q/r (3MB)\na//b (4MB)\nx/ (5MB)\np/q/r (7MB)\n\0_TFProfRoot (1)\n",
    b"_TFProfRoot (--/5us)\n\0_TFProfRoot (--/50ms)\nb (--/-3us)\n",
    b"_TFProfRoot (--/1.2b flops)\n  b (1/1 flops)\n\0_TFProfRoot (--/3 flops)\n",
    b"_TFProfRoot (--/19|--/220)\nz (1.1k/2m|1/1)\n",
]


def seeds():
    for target, texts in (("baseline", BASELINES), ("scope_text", SCOPE_TEXTS)):
        for i, text in enumerate(texts):
            yield target, str(i), text
