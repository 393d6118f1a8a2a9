"""Streams and windows: what must go well although a server is slow or sparing."""
import hashlib
import os
import pathlib
import subprocess
import time

from http2_lib.frames import *
from http2_lib.server import RawServer

MEBIBYTE = 1 << 20


class Streams:
    def __init__(self, runs):
        self.runs = runs
        self.large = os.urandom(MEBIBYTE)
        self.upload = runs.file("upload", self.large)
        self.cases = [
            self.one_at_a_time, self.none_at_first, self.none_later, self.lowered, self.cancelled, self.window_none_then_settings, self.window_falls, self.window_of_one,
            self.window_of_the_connection, self.upload_sizes, self.upload_end_without_window, self.large_frames, self.padded, self.one_byte_each,
            self.ping_and_settings, self.table_sizes, self.unread, self.idle_upload, self.slow_and_fast, self.many_uploads, self.secrets_are_never_indexed,
        ]

    def limited(self, what, before, after, most, delay):
        def behave(peer):
            peer.start(*[(MAX_CONCURRENT_STREAMS, before)] if before is not None else [])
            peer.wait(lambda: not peer.unacknowledged)
            if delay:
                peer.idle(delay)
                peer.set((MAX_CONCURRENT_STREAMS, after))
            while True:
                request = peer.whole()
                peer.idle(0.01)
                peer.answer(request.stream)

        def says(run, server):
            return [] if len(server.peers) <= most else [f"{len(server.peers)} connections were opened"]

        self.runs.against(what, behave, ["--parallel", 12], urls=[f"{number}" for number in range(12)], out=b"ok" * 12, says=says, below=6)

    # With more connections than one, all requests may be under way: what each allows is checked all the same.
    def one_at_a_time(self):
        self.limited("MAX_CONCURRENT_STREAMS 1", 1, 1, 12, 0)

    def none_at_first(self):
        self.limited("MAX_CONCURRENT_STREAMS 0, then 5", 0, 5, 12, 0.3)

    def none_later(self):
        """A limit of 0 that the client knows of: it must wait, and another connection would allow no more."""
        def behave(peer):
            peer.start((MAX_CONCURRENT_STREAMS, 0))
            peer.wait(lambda: not peer.unacknowledged)
            peer.idle(0.05)
            early, peer.unread = peer.unread, []  # Requests that came before the limit was known.
            for request in early:
                peer.answer(request.stream)
            peer.idle(0.5)
            peer.set((MAX_CONCURRENT_STREAMS, 5))
            while True:
                peer.answer(peer.whole().stream)

        self.runs.against("MAX_CONCURRENT_STREAMS 0 between requests, then 5", behave, ["--parallel", 2], urls=[f"{number}" for number in range(12)],
            out=b"ok" * 12, below=6, says=lambda _, server: [] if len(server.peers) <= 2 else [f"{len(server.peers)} connections were opened"])

    def lowered(self):
        self.limited("MAX_CONCURRENT_STREAMS 100, then 2", 100, 2, 12, 0.05)

    def cancelled(self):
        """Requests that time out among others: each is reset, and none is sent beyond the limit."""
        def behave(peer):
            peer.start((MAX_CONCURRENT_STREAMS, 5))
            while True:
                request = peer.whole()
                if "silent" not in request.path:
                    peer.answer(request.stream)

        def says(run, server):
            unreset = sum("silent" in request.path and stream not in peer.resets for peer in server.peers for stream, request in peer.requests.items())
            # The last ones may have ended with the program.
            return [] if unreset <= 10 and run.err.count("[timedOut]") == 40 else [f"{unreset} are not reset, {run.err.count('[timedOut]')} timed out"]

        self.runs.against("40 requests of 60 time out, 30 at once", behave, ["--parallel", 30, "--timeout", 0.3], status=28, out=b"ok" * 20, below=6,
            urls=[f"{'silent' if number % 3 else 'ok'}/{number}" for number in range(60)], says=says)

    def uploading(self, what, arrange, pairs=(), body=None, urls=("one",), below=8):
        """The server arranges windows and waits for a body: its hash must come back."""
        body = self.large if body is None else body
        file = self.runs.file("body", body)

        def behave(peer):
            peer.gives_windows = False
            peer.start(*pairs)
            request = peer.request()
            arrange(peer, request)
            peer.wait(lambda: request.has_ended)
            peer.answer(request.stream, hashlib.sha256(request.body).hexdigest().encode())
            peer.drain()

        self.runs.against(what, behave, ["--data-binary", f"@{file}"], out=hashlib.sha256(body).hexdigest().encode(), below=below)

    def window_none_then_settings(self):
        def arrange(peer, request):
            peer.wait(lambda: not peer.unacknowledged)
            before = len(request.body)  # It may have come before the client knew of the window.
            peer.give(0, 2 * MEBIBYTE)
            peer.idle(0.2)
            if len(request.body) > before:
                peer.fault("DATA came although the window was 0 or less")
            peer.set((INITIAL_WINDOW_SIZE, 2 * MEBIBYTE))

        self.uploading("a window of 0, raised by SETTINGS", arrange, [(INITIAL_WINDOW_SIZE, 0)])

    def window_falls(self):
        """In the midst of an upload: what was sent makes the window negative (RFC 9113 section 6.9.2)."""
        def arrange(peer, request):
            peer.give(0, 2 * MEBIBYTE)
            peer.wait(lambda: len(request.body) >= 200_000)
            peer.set((INITIAL_WINDOW_SIZE, 0))
            peer.wait(lambda: not peer.unacknowledged)
            peer.idle(0.1)
            missing = -peer.client_windows[request.stream]
            peer.give(request.stream, max(1, missing - 1))  # Still nothing may come.
            peer.idle(0.1)
            peer.give(request.stream, 2 * MEBIBYTE)

        self.uploading("a window that falls below 0 by SETTINGS", arrange, [(INITIAL_WINDOW_SIZE, 400_000)])

    def window_of_one(self):
        def arrange(peer, request):
            for number in range(300):
                peer.wait(lambda: len(request.body) >= number)
                peer.give(request.stream, 1)

        self.uploading("a window of 1 byte at a time", arrange, [(INITIAL_WINDOW_SIZE, 0)], body=os.urandom(300))

    def window_of_the_connection(self):
        def arrange(peer, request):
            peer.wait(lambda: len(request.body) == 65535)
            peer.idle(0.1)
            while not request.has_ended:
                peer.give(0, 10_000)
                before = len(request.body)
                peer.wait(lambda: request.has_ended or len(request.body) >= min(before + 10_000, MEBIBYTE))

        self.uploading("the connection's window is the smaller one", arrange, [(INITIAL_WINDOW_SIZE, LARGEST_WINDOW)])

    def upload_sizes(self):
        """Around the sizes of frames and windows."""
        for size in [0, 1, 16383, 16384, 16385, 65535, 65536]:
            self.uploading(f"an upload of {size} bytes", lambda peer, request: (peer.give(0, MEBIBYTE), peer.give(request.stream, MEBIBYTE)), body=os.urandom(size))

    def large_frames(self):
        """MAX_FRAME_SIZE allows one frame for all of it."""
        self.uploading("an upload with a MAX_FRAME_SIZE of 2^24-1", lambda peer, _: peer.give(0, 2 * MEBIBYTE),
            [(MAX_FRAME_SIZE, (1 << 24) - 1), (INITIAL_WINDOW_SIZE, 2 * MEBIBYTE)])

    def upload_end_without_window(self):
        """A body as long as the window: END_STREAM needs none."""
        self.uploading("an upload of 65,535 bytes with a window of 65,535", lambda *_: None, body=os.urandom(65535))

    def padded(self):
        """The windows must be given back for padding too: without that this download stops."""
        large = os.urandom(MEBIBYTE)
        for padding, size in [(255, 10), (255, 16000), (0, 1000)]:
            part = large[:100_000] if size == 10 else large

            def behave(peer):
                request = peer.ready()
                peer.head(request.stream, [("content-length", str(len(part)))])
                peer.body(request.stream, part, padding=padding, size=size)
                peer.drain()

            self.runs.against(f"DATA of {size} bytes with {padding} of padding", behave, out=part, below=10)

    def one_byte_each(self):
        body = os.urandom(100_000)

        def behave(peer):
            request = peer.ready()
            peer.head(request.stream)
            for at in range(0, len(body), 1000):
                peer.wait(lambda: peer.room(request.stream) >= 1000)
                peer.take(request.stream, 1000)
                peer.send(*[frame(DATA, 0, request.stream, body[each:each + 1]) for each in range(at, at + 1000)])
                while peer.is_readable():
                    peer.read()
            peer.data(request.stream, ends=True)
            peer.drain()

        self.runs.against("DATA of 1 byte, 100,000 times", behave, out=body, below=8)

    def ping_and_settings(self):
        def behave(peer):
            request = peer.ready()
            acknowledged = peer.acknowledged
            pings = [bytes([number]) * 8 for number in range(10)]
            for ping in pings:
                peer.send(frame(PING, payload=ping))
                peer.set((MAX_CONCURRENT_STREAMS, 100))
            peer.wait(lambda: peer.acknowledged == acknowledged + 10 and len(peer.pongs) == 10, 5)
            if peer.pongs != pings:
                peer.fault(f"PING was answered with {peer.pongs}")
            peer.answer(request.stream)
            peer.drain()

        self.runs.against("ten of PING and SETTINGS are acknowledged in order", behave, out=b"ok", below=4)

    def table_sizes(self):
        """The decoder here refuses an encoder that does not heed HEADER_TABLE_SIZE."""
        def behave(peer):
            sizes = [4096, 0, 100, 65536, 0]
            peer.start()
            while True:
                request = peer.whole()
                peer.answer(request.stream)
                if sizes:
                    peer.set((HEADER_TABLE_SIZE, 0), (HEADER_TABLE_SIZE, sizes.pop(0)))

        self.runs.against("HEADER_TABLE_SIZE that rises and falls between requests", behave, ["-H", "X-Test: a value that is worth an entry"],
            urls=["one"] * 8, out=b"ok" * 8, below=5, says=one_connection)

    def unread(self):
        """Nobody reads what anet prints: the server may not send more than a window and what pipes hold."""
        sent = [0]

        def behave(peer):
            stream = peer.ready().stream
            peer.head(stream)
            while sent[0] < 256 * MEBIBYTE:
                peer.body(stream, bytes(16384), ends=False)
                sent[0] += 16384
            peer.data(stream, ends=True)
            peer.drain()

        with RawServer(behave) as server:
            command = [*self.runs.checks.command, "--timeout", "30", "--http2", "--stream", "chunks", server.url()]
            process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=self.runs.checks.environment)
            try:
                time.sleep(1.5)
                first = sent[0]
                time.sleep(0.5)
                faults = [] if sent[0] == first else [f"it goes on: {first >> 20} and then {sent[0] >> 20} MiB"]
                faults += [] if first <= 32 * MEBIBYTE else [f"{first >> 20} MiB were sent"]
                read = len(process.stdout.read())
                faults += [] if read == 256 * MEBIBYTE else [f"{read} bytes arrived in the end"]
                process.wait(10)
            finally:
                process.kill()
                process.wait()
                process.stdout.close()
        self.runs.report(f"a response that nobody reads: {first / MEBIBYTE:.1f} MiB were sent, and all later", faults)

    def idle_upload(self):
        """An upload without window sleeps."""
        def behave(peer):
            peer.gives_windows = False
            peer.start((INITIAL_WINDOW_SIZE, 0))
            peer.request()
            peer.idle(10)

        with RawServer(behave) as server:
            command = [*self.runs.checks.command, "--timeout", "30", "--http2", "--data-binary", f"@{self.upload}", server.url()]
            process = subprocess.Popen(list(map(str, command)), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=self.runs.checks.environment)
            try:
                time.sleep(1)
                before = processor_time(process.pid)
                time.sleep(2)
                used = processor_time(process.pid) - before
            finally:
                process.kill()
                process.wait()
        self.runs.report(f"an upload without window uses {used / 2:.1%} of a processor", [] if used <= 0.02 else ["it does not sleep"])

    def slow_and_fast(self):
        """A stream whose body does not come is no obstacle for others on its connection."""
        def behave(peer):
            peer.start()
            held = []
            while len(peer.requests) < 9 or peer.unread:
                request = peer.whole()
                if request.path == "/held":
                    peer.head(request.stream)
                    peer.data(request.stream, b"o")
                    held.append(request)
                else:
                    peer.answer(request.stream)
            for request in held:
                peer.data(request.stream, b"k", ends=True)
            peer.drain()

        self.runs.against("a stream that waits among others", behave, ["--parallel", 9], urls=["held"] + [f"{number}" for number in range(8)],
            out=b"ok" * 9, below=5, says=one_connection)

    def many_uploads(self):
        """Eight at once over one window, 1,000 bytes at a time: all get their share."""
        body = os.urandom(20_000)
        file = self.runs.file("body", body)

        def behave(peer):
            peer.gives_windows = False
            peer.start((INITIAL_WINDOW_SIZE, 0), (MAX_CONCURRENT_STREAMS, 8))
            peer.wait(lambda: len(peer.requests) == 8 and not peer.unacknowledged)
            requests, answered = list(peer.requests.values()), set()
            while len(answered) < 8:
                for request in requests:
                    if not request.has_ended:
                        before = len(request.body)  # What came before the client knew of the window makes that negative.
                        for one in (0, request.stream):
                            peer.give(one, 1000 + max(0, -peer.client_windows[one]))
                        peer.wait(lambda: request.has_ended or len(request.body) >= min(before + 1000, len(body)))
                    elif request.stream not in answered:
                        answered.add(request.stream)
                        peer.answer(request.stream, b"ok" if request.body == body else b"no")
            peer.drain()

        self.runs.against("eight uploads, 1,000 bytes at a time", behave, ["--parallel", 8, "--data-binary", f"@{file}"],
            urls=[f"{number}" for number in range(8)], out=b"ok" * 8, below=8, says=one_connection)

    def secrets_are_never_indexed(self):
        """RFC 7541 section 7.1.3: secrets must not enter tables that could be probed."""
        def behave(peer):
            peer.start()
            for _ in range(2):
                request = peer.whole()
                for name, value in peer.decoder.header_table.dynamic_entries:
                    if b"hunter2" in value:
                        peer.fault(f"{name.decode()} is in the table")
                if request.fields.get("authorization") != "Bearer hunter2" or "hunter2" not in request.fields.get("cookie", ""):
                    peer.fault(f"the request is {request.fields}")
                peer.answer(request.stream)
            peer.drain()

        self.runs.against("secrets do not enter the table", behave, ["--bearer", "hunter2", "-H", "Cookie: a=hunter2"], urls=["one", "two"], out=b"ok" * 2, below=4,
            says=one_connection)


def one_connection(_, server):
    return [] if len(server.peers) == 1 else [f"{len(server.peers)} connections were opened"]


def processor_time(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
