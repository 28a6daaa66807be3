# SPDX-License-Identifier: Apache-2.0
import json
import sys
import time
import urllib.error
import urllib.request


def post(path, **body):
    request = urllib.request.Request(sys.argv[1] + path, json.dumps(body).encode(), method="POST")
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def wait_for_server():
    while True:
        try:
            return post("/generate", tokens=[1, 2, 3], count=2)  # also warms it up
        except urllib.error.URLError:
            time.sleep(0.2)


wait_for_server()
post("/start_profile")
for request in range(2):
    post("/generate", tokens=list(range(16)), count=6)
post("/stop_profile")
