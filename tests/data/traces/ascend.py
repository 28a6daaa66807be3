#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes tests/data/sample/ascend/ascend_pytorch_profiler_0.db: one step in the tables of torch_npu.profiler: tests/data/traces/ascend.py"""
import os

import database

PATH = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "sample", "ascend", "ascend_pytorch_profiler_0.db")
THREAD, QUEUE = 77 << 32 | 78, 77 << 32 | 90
TABLES = {
    "STRING_IDS": "id INTEGER PRIMARY KEY, value TEXT",
    "ENUM_API_TYPE": "id INTEGER PRIMARY KEY, name TEXT",
    "ENUM_HCCL_DATA_TYPE": "id INTEGER PRIMARY KEY, name TEXT",
    "PYTORCH_API": "startNs TEXT, endNs TEXT, globalTid INTEGER, connectionId INTEGER, name INTEGER, sequenceNumber INTEGER, "
                   "fwdThreadId INTEGER, inputShapes INTEGER, type INTEGER",
    "CONNECTION_IDS": "id INTEGER, connectionId INTEGER",
    "CANN_API": "startNs INTEGER, endNs INTEGER, type INTEGER, globalTid INTEGER, connectionId INTEGER, name INTEGER",
    "TASK": "startNs INTEGER, endNs INTEGER, deviceId INTEGER, connectionId INTEGER, globalTaskId INTEGER PRIMARY KEY, streamId INTEGER",
    "COMPUTE_TASK_INFO": "name INTEGER, globalTaskId INTEGER PRIMARY KEY",
    "MEMCPY_INFO": "globalTaskId INTEGER PRIMARY KEY, size INTEGER, memcpyOperation INTEGER",
    "COMMUNICATION_OP": "opName INTEGER, startNs INTEGER, endNs INTEGER, connectionId INTEGER, groupName INTEGER, opId INTEGER PRIMARY KEY, "
                        "dataType INTEGER, count NUMERIC, opType INTEGER, deviceId INTEGER",
    "COMMUNICATION_TASK_INFO": "name INTEGER, globalTaskId INTEGER PRIMARY KEY, opId INTEGER",
    "STEP_TIME": "id INTEGER, startNs INTEGER, endNs INTEGER",
    "RANK_DEVICE_MAP": "rankId INTEGER, deviceId INTEGER",
}
STRINGS = ["aten::mm", "train.py(3): step", "ProfilerStep#7", "layer1", "Enqueue@aclnnMm", "launch", "aclrtMemcpyAsync",
           "aclrtSynchronizeStreamWithTimeout", "MatMulV2", "hcom_allReduce__1_2", "hcom_allReduce_", "group_0", "2,3;3,4"]
AT = {text: 100 + i for i, text in enumerate(STRINGS)}
NONE = 4294967295
ROWS = {
    "STRING_IDS": [(number, text) for text, number in AT.items()],
    "ENUM_API_TYPE": [(1, "op"), (2, "queue"), (3, "trace"), (4, "mstx")],
    "ENUM_HCCL_DATA_TYPE": [(3, "FP16")],
    "PYTORCH_API": [("10000", "60000", THREAD, None, AT["ProfilerStep#7"], -1, 0, None, 4),
                    ("11000", "30000", THREAD, None, AT["layer1"], -1, 0, None, 4),
                    ("12000", "20000", THREAD, 5, AT["aten::mm"], 3, 0, AT["2,3;3,4"], 1),
                    ("10500", "40000", THREAD, None, AT["train.py(3): step"], -1, 0, None, 3),
                    ("12500", "12600", THREAD, 9, AT["Enqueue@aclnnMm"], -1, 0, None, 2),
                    ("?", "12600", THREAD, 9, AT["aten::mm"], -1, 0, None, 1)],
    "CONNECTION_IDS": [(5, 21), (-1, 22)],
    "CANN_API": [(21000, 22000, 1, QUEUE, 21, AT["launch"]), (23000, 24000, 1, QUEUE, 22, AT["aclrtMemcpyAsync"]),
                 (25000, 26000, 1, QUEUE, 23, AT["launch"]), (50000, 55000, 1, THREAD, NONE, AT["aclrtSynchronizeStreamWithTimeout"])],
    "TASK": [(27000, 37000, 2, 21, 1, 7), (38000, 39000, 2, 22, 2, 7), (40000, 41000, 2, 23, 3, 8), (26000, 26500, 2, NONE, 4, 7)],
    "COMPUTE_TASK_INFO": [(AT["MatMulV2"], 1)],
    "MEMCPY_INFO": [(2, 4096, 1)],
    "COMMUNICATION_OP": [(AT["hcom_allReduce__1_2"], 40000, 48000, 23, AT["group_0"], 1, 3, 1000, AT["hcom_allReduce_"], None)],
    "COMMUNICATION_TASK_INFO": [(AT["hcom_allReduce__1_2"], 3, 1)],
    "STEP_TIME": [(7, 10000, 60000)],
    "RANK_DEVICE_MAP": [(-1, 2)],
}


if __name__ == "__main__":
    database.write(PATH, [(table, columns, ROWS[table]) for table, columns in TABLES.items()])
