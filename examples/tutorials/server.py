# SPDX-License-Identifier: Apache-2.0
import json
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer

import torch
from torch.profiler import ProfilerActivity, profile, record_function

torch.set_num_threads(1)
torch.manual_seed(0)
layer = lambda: torch.nn.TransformerEncoderLayer(128, 4, 256, batch_first=True)
model = torch.nn.Sequential(*(layer() for _ in range(2))).eval()
head, embedding = torch.nn.Linear(128, 1000), torch.nn.Embedding(1000, 128)
profiler = None


@torch.inference_mode()
def generate(tokens, count):
    """As many tokens as asked for, each from the whole text before it: there is no cache of keys and values."""
    for _ in range(count):
        with record_function("decode"):
            hidden = model(embedding(torch.tensor([tokens])))
        with record_function("sample"):
            tokens = tokens + [int(head(hidden[:, -1]).argmax())]
    return tokens


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        global profiler
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))) or "{}")
        answer = {}
        if self.path == "/start_profile":
            profiler = profile(activities=[ProfilerActivity.CPU], record_shapes=True)
            profiler.start()
        elif self.path == "/stop_profile":
            profiler.stop()
            profiler.export_chrome_trace("server.json.gz")
        else:
            answer = {"tokens": generate(body["tokens"], body["count"])}
        text = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *words):
        pass


server = HTTPServer(("127.0.0.1", int(sys.argv[1])), Handler)
print(f"http://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
