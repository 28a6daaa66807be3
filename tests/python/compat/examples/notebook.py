# SPDX-License-Identifier: Apache-2.0
"""A notebook as a script: the mean over all steps of a recorded profile, for the operations of
interest, as CSV.

notebook.py profile_N OUT     writes OUT.STEP (each step's report) and OUT.csv
"""

import csv
import re
import sys

from tensorflow.python.platform import gfile
from tensorflow.python.profiler import model_analyzer
from tensorflow.python.profiler import option_builder
from tensorflow.python.util import _pywrap_tfprof as pywrap

profile_file, out = sys.argv[1:3]
steps = range(10)
columns = ['micros', 'bytes', 'peak_bytes', 'output_bytes']
fields = ['requested bytes', 'peak bytes', 'output bytes', 'total us', 'accelerator us', 'cpu us']
units = {'us': 1, 'ms': 1e3, 'sec': 1e6, 'B': 1, 'KB': 1e3, 'MB': 1e6, 'GB': 1e9}
header_lines = 15

# In[1]: the profile
pywrap.ProfilerFromFile(profile_file)
profiler = model_analyzer.Profiler.__new__(model_analyzer.Profiler)


# In[2]: one step's text
def report_of(step):
    path = '%s.%d' % (out, step)
    options = (
        option_builder.ProfileOptionBuilder()
        .with_max_depth(20)
        .with_step(step)
        .with_node_names(
            show_name_regexes=['conv_[01].*', 'loss'], hide_name_regexes=['.*Initializer.*']
        )
        .select(columns)
        .order_by('name')
        .with_file_output(path)
        .build()
    )
    profiler.profile_name_scope(options)
    with gfile.Open(path, 'r') as f:
        return f.read()


# In[3]: its rows
def number(cell):
    value, unit = re.match(r'([\d.]+)(\w+)', cell).groups()
    return float(value) * units[unit]


def parse(line):
    name, cells = line.strip().split(' (')
    own = [cell.split('/')[0] for cell in cells.rstrip(')').split(', ')]
    return name, None if '--' in own else [number(cell) for cell in own]


rows = {}
for step in steps:
    for line in report_of(step).split('\n')[header_lines:]:
        if line.strip():
            name, numbers = parse(line)
            if numbers:
                rows.setdefault(name, []).append(numbers)

# In[4]: means
means = {
    name: [sum(column) / len(column) for column in zip(*numbers)] for name, numbers in rows.items()
}
with gfile.Open(out + '.csv', 'w') as f:
    table = csv.writer(f, lineterminator='\n')
    table.writerow(['operation', 'runs'] + fields)
    for name in sorted(means):
        table.writerow([name, len(rows[name])] + ['%.3f' % value for value in means[name]])
print('%d operations, %.0f us a step' % (len(means), sum(mean[3] for mean in means.values())))
