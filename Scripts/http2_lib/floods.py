"""Frames without end: each flood must end in an error within seconds, or be harmless, and take little memory.

Where frames are allowed, the server stops after a while and answers: an error that blames it and a whole response are both right.
"""
import os
import select
import struct
import time

from http2_lib.frames import *
from http2_lib.server import RawServer

LASTS = 2.0
ENOUGH = 8  # Seconds in which each request must have ended.
MOST_MEMORY = 96  # MiB: anet has about 35 without any flood.
PIECE = 65536


def many(bytes_):
    return bytes_ * max(1, PIECE // len(bytes_))


# Floods that no client can go along with: what comes first, and what is repeated.
ENDLESS = {
    "CONTINUATION of 0 bytes": (lambda stream: frame(HEADERS, 0, stream, plain([(":status", "200")])), lambda stream: frame(CONTINUATION, 0, stream)),
    "CONTINUATION of 1 field": (lambda stream: frame(HEADERS, 0, stream, plain([(":status", "200")])),
        lambda stream: frame(CONTINUATION, 0, stream, plain([("x-test", "1")]))),
    "CONTINUATION of 16,384 bytes": (lambda stream: frame(HEADERS, 0, stream, plain([(":status", "200")])),
        lambda stream: frame(CONTINUATION, 0, stream, plain([("x-test", "y" * 117)]) * 128)),
    "CONTINUATION of one value without end": (lambda stream: frame(HEADERS, 0, stream, plain([(":status", "200")]) + b"\0\x01a" + integer(1 << 30, 7, 0)),
        lambda stream: frame(CONTINUATION, 0, stream, bytes(16384))),
    "status 103 without end": (lambda _: b"", lambda stream: frame(HEADERS, END_HEADERS, stream, plain([(":status", "103"), ("link", "</a>")]))),
    "status 103 of 16 KiB without end": (lambda _: b"", lambda stream: frame(HEADERS, END_HEADERS, stream, plain([(":status", "103"), ("link", "y" * 16000)]))),
}
# Floods that RFC 9113 allows.
ALLOWED = {
    "PING": lambda _: frame(PING, payload=bytes(8)),
    "PING with ACK": lambda _: frame(PING, ACK, 0, bytes(8)),
    "SETTINGS, empty": lambda _: settings(),
    "SETTINGS of 2,730 entries": lambda _: settings([(0xFA, 1)] * 2730),
    "SETTINGS of windows": lambda _: settings([(INITIAL_WINDOW_SIZE, 1)]) + settings([(INITIAL_WINDOW_SIZE, 1 << 20)]),
    "SETTINGS of tables": lambda _: settings([(HEADER_TABLE_SIZE, 0), (HEADER_TABLE_SIZE, (1 << 32) - 1)]),
    "PRIORITY": lambda stream: frame(PRIORITY, 0, stream, number(0) + b"\x10"),
    "PRIORITY on idle streams": lambda _: b"".join(frame(PRIORITY, 0, stream, number(0) + b"\x10") for stream in range(101, 2001, 2)),
    "WINDOW_UPDATE of 1": lambda _: window_update(0, 1),
    "WINDOW_UPDATE of 1 on the stream": lambda stream: window_update(stream, 1),
    "RST_STREAM on a stream that has ended": lambda _: reset(1, CANCEL),
    "WINDOW_UPDATE on a stream that has ended": lambda _: window_update(1, 1),
    "unknown frames, empty": lambda _: frame(0xFA),
    "unknown frames of 16,384 bytes": lambda stream: frame(0xFA, 0, stream, bytes(16384)),
    "GOAWAY": lambda _: goaway(LARGEST_WINDOW, NO_ERROR, b"y" * 1000),
    "DATA, empty": lambda stream: frame(DATA, 0, stream),
}
# Those with many acknowledgements are tried with a server that does not read them, too.
ACKNOWLEDGED = ["PING", "SETTINGS, empty", "SETTINGS of windows"]


class Floods:
    def __init__(self, runs):
        self.runs = runs
        self.upload = runs.file("upload", os.urandom(1 << 20))
        self.cases = [
            *[self.endless(what, *makes) for what, makes in ENDLESS.items()],
            *[self.allowed(what, make, True) for what, make in ALLOWED.items()],
            *[self.allowed(what, ALLOWED[what], False) for what in ACKNOWLEDGED],
            self.endless_upload, self.beyond_the_window, self.bomb, self.bomb_of_trailers, self.bombs_of_informational, self.trailers, self.window_games,
            self.resets_without_end, self.dribble, *[self.beside(what) for what in ALLOWED if "has ended" not in what],
        ]

    def against(self, what, behave, arguments=(), status=8, **expected):
        def faults(run, server):
            found = [f"took {run.peak} MiB of memory"] if run.peak > MOST_MEMORY else []
            if run.status == 0 and not run.out.endswith(b"ok"):
                found.append(f"the output is {run.out[-20:]!r}")
            return found + (["the server is not blamed: " + run.err[-300:]] if run.status == 8 and "The server sent" not in run.err else [])

        self.runs.against(f"flood: {what}", behave, arguments, says=faults, status=status, below=ENOUGH, seconds=ENOUGH + 4, **expected)

    def pour(self, peer, piece, seconds=LASTS, reads=True):
        """Sends as much as the client takes, for a while; says whether the client is still there."""
        end, left = time.monotonic() + seconds, b""
        peer.socket.setblocking(False)
        try:
            while time.monotonic() < end or (left and time.monotonic() < end + 1):
                readable, writable, _ = select.select([peer.socket] if reads else [], [peer.socket], [], 0.1)
                if readable and not peer.socket.recv(1 << 16):
                    return False
                if writable:
                    left = left or (piece if time.monotonic() < end else b"")
                    left = left[peer.socket.send(left):]
        except OSError:
            return False
        peer.socket.setblocking(True)
        peer.socket.settimeout(10)
        return not left

    def endless(self, what, first, make):
        def behave(peer):
            stream = peer.ready().stream
            peer.send(first(stream))
            if self.pour(peer, many(make(stream)), ENOUGH):
                peer.fault("the flood went on to its end")

        return lambda: self.against(what, behave)

    def allowed(self, what, make, reads):
        def behave(peer):
            peer.answer(peer.ready().stream)
            stream = peer.whole().stream
            if what == "DATA, empty":
                peer.head(stream)
            if self.pour(peer, many(make(stream)), reads=reads):
                peer.decoder = None  # What was poured over is no longer read as frames.
                if what != "DATA, empty":
                    peer.head(stream)
                peer.data(stream, b"ok", ends=True)
                self.pour(peer, b"", 1)

        return lambda: self.against(what + ("" if reads else ", nobody reads the acknowledgements"), behave, urls=["one", "two"],
            status=(0, 8) if reads else (0, 8, 28, 56))

    def beside(self, what):
        """Other requests of the same client, to another server, go on meanwhile."""
        def behave(peer):
            stream = peer.ready().stream
            if what == "DATA, empty":
                peer.head(stream)
            self.pour(peer, many(ALLOWED[what](stream)))

        def healthy(peer):
            peer.start()
            while True:
                peer.answer(peer.whole().stream)

        def case():
            with RawServer(behave) as flooding, RawServer(healthy) as other:
                arguments = ["--http2", "--parallel", 2, "-w", "%{http_code} %{time_total}\\n"]
                run = self.runs.anet(*arguments, flooding.url(), *[other.url()] * 60, seconds=ENOUGH + 4)
                times = [float(line.split()[1]) for line in run.out.decode().splitlines() if line.startswith("ok200")]
                faults = other.ended() + ([] if len(times) == 60 else [f"{len(times)} of 60 requests were answered: {run.err[-300:]}"])
                slow = max(times, default=0)
                self.runs.report(f"flood: {what}, 60 requests beside it, the slowest in {slow:.3f} s", faults + (["one waited too long"] if slow > 1 else []))

        return case

    def endless_upload(self):
        """Empty DATA while an upload has no window."""
        def behave(peer):
            peer.gives_windows = False
            peer.start((INITIAL_WINDOW_SIZE, 0))
            stream = peer.request().stream
            peer.head(stream)
            if self.pour(peer, many(frame(DATA, 0, stream))):
                peer.data(stream, b"ok", ends=True)
                peer.send(reset(stream, NO_ERROR))
                self.pour(peer, b"", 1)

        self.against("DATA, empty, in an upload without window", behave, ["--data-binary", f"@{self.upload}"], status=(0, 8))

    def beyond_the_window(self):
        """A client that reads slowly must refuse what is beyond its window (RFC 9113 section 6.9)."""
        def behave(peer):
            stream = peer.ready().stream
            peer.head(stream)
            self.pour(peer, frame(DATA, 0, stream, bytes(16384)) * 4, ENOUGH)

        self.against("DATA beyond the window", behave, ["--limit-rate", "100K", "-o", self.runs.file("kept")])

    def bomb_block(self, first):
        """A field of 4,000 bytes in the table, and references to it: 16 KiB that mean 50 MiB."""
        entry = b"\x40" + plain([("x", "y" * 4000)])[1:]
        return first + entry + b"\xbe" * (16384 - len(first) - len(entry))

    def bomb(self):
        def behave(peer):
            stream = peer.ready().stream
            peer.send(frame(HEADERS, END_HEADERS, stream, self.bomb_block(plain([(":status", "200")]))))
            peer.drain()

        self.against("HPACK references in a head", behave)

    def bomb_of_trailers(self):
        def behave(peer):
            stream = peer.ready().stream
            peer.head(stream)
            peer.data(stream, b"ok")
            peer.send(frame(HEADERS, END_HEADERS | END_STREAM, stream, self.bomb_block(b"")))
            peer.drain()

        self.against("HPACK references in trailers", behave)

    def bombs_of_informational(self):
        """Each below any limit of one head: 30 fields of 4 KB."""
        block = plain([(":status", "103")]) + b"\x40" + plain([("x", "y" * 4000)])[1:] + b"\xbe" * 30

        def behave(peer):
            stream = peer.ready().stream
            if self.pour(peer, many(frame(HEADERS, END_HEADERS, stream, block)), ENOUGH):
                peer.fault("the flood went on to its end")

        self.against("HPACK references in status 103 without end", behave)

    def trailers(self):
        """Trailers that never end their stream: the second ones are a violation."""
        def behave(peer):
            stream = peer.ready().stream
            peer.head(stream)
            if self.pour(peer, many(frame(HEADERS, END_HEADERS, stream, plain([("x-test", "1")]))), ENOUGH):
                peer.fault("the flood went on to its end")

        self.against("trailers without end", behave)

    def window_games(self):
        """Windows that come and go while a megabyte is uploaded, each change a frame."""
        def behave(peer):
            peer.gives_windows = False
            peer.start((INITIAL_WINDOW_SIZE, 1000))
            stream = peer.request().stream
            games = settings([(INITIAL_WINDOW_SIZE, 0)]) + settings([(INITIAL_WINDOW_SIZE, 1000)]) + window_update(stream, 1) + window_update(0, 1)
            if self.pour(peer, many(games)):
                peer.head(stream)
                peer.data(stream, b"ok", ends=True)
                peer.send(reset(stream, NO_ERROR))
                self.pour(peer, b"", 1)

        self.against("windows that come and go during an upload", behave, ["--data-binary", f"@{self.upload}"], status=(0, 8))

    def resets_without_end(self):
        """Each request is reset at once: what is sent again must be bounded."""
        def behave(peer):
            peer.start()
            while True:
                peer.send(reset(peer.request().stream, REFUSED_STREAM))

        def says(run, server):
            requests = sum(len(peer.requests) for peer in server.peers)
            return [] if requests <= 160 else [f"{requests} requests were sent for 8"]

        self.runs.against("flood: REFUSED_STREAM for each request", behave, ["--parallel", 8], urls=["one"] * 8, status=(8, 18, 52, 56), says=says, below=ENOUGH)

    def dribble(self):
        """A byte of a head at a time: a frame that never becomes whole ends by the timeout."""
        def behave(peer):
            stream = peer.ready().stream
            whole = frame(HEADERS, END_HEADERS, stream, plain([(":status", "200"), ("x-test", "y" * 10_000)]))
            for at in range(len(whole)):
                peer.send(whole[at:at + 1])
                time.sleep(0.05)

        self.runs.against("flood: a head that comes byte by byte", behave, ["--timeout", 1, "--deadline", 4], status=28, below=6)
