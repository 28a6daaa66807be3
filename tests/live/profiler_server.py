# SPDX-License-Identifier: Apache-2.0
"""A profiler server for `tfprof capture` that can answer with any bytes: gRPC's frames are built by
hand."""
import socket
import struct
import threading
import time


def frame(kind, flags, stream, payload):
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


def literal(name, value):
    return b"\x00" + bytes([len(name)]) + name + bytes([len(value)]) + value


def message(data):
    return b"\0" + struct.pack(">I", len(data)) + data


def varint(n):
    out = b""
    while n > 127:
        out, n = out + bytes([n & 127 | 128]), n >> 7
    return out + bytes([n])


def response(xspace):
    return b"\x42" + varint(len(xspace)) + xspace


HEAD = frame(4, 0, 0, b"") + frame(4, 1, 0, b"") + frame(1, 4, 1, b"\x88" + literal(b"content-type", b"application/grpc"))


def trailers(status, text=b""):
    return frame(1, 5, 1, literal(b"grpc-status", status) + (literal(b"grpc-message", text) if text else b""))


class Server:
    """Answers every connection with the result of `answer(number, request)`: bytes, or a list of bytes and
    pauses."""

    def __init__(self, answer, family=socket.AF_INET):
        self.answer, self.calls, self.socket = answer, [], socket.socket(family)
        self.socket.bind(("127.0.0.1", 0) if family == socket.AF_INET else ("::1", 0))
        self.socket.listen(64)
        self.port = self.socket.getsockname()[1]
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        while True:
            try:
                peer, _ = self.socket.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(peer,), daemon=True).start()

    def serve(self, peer):
        data, number = b"", len(self.calls)
        self.calls.append(None)
        try:
            while not self.calls[number]:
                got = peer.recv(65536)
                if not got:
                    return
                data += got
                at = 24
                while at + 9 <= len(data):
                    size = int.from_bytes(data[at:at + 3], "big")
                    if at + 9 + size > len(data):
                        break
                    if data[at + 3] == 0 and data[at + 4] & 1:
                        self.calls[number] = (data[:24], data[at + 14:at + 9 + size])
                    at += 9 + size
            parts = self.answer(number, self.calls[number][1])
            for part in parts if isinstance(parts, list) else [parts]:
                if isinstance(part, bytes):
                    peer.sendall(part)
                else:
                    time.sleep(part)
            peer.shutdown(socket.SHUT_WR)  # closing with unread bytes would discard what was sent
            peer.settimeout(5)
            while peer.recv(65536):
                pass
        except OSError:
            pass
        finally:
            peer.close()
