"""What a client sends again, and what it does not (RFC 9113 section 8.7, RFC 9110 section 9.2.2)."""
import collections
import threading

from http2_lib.frames import *

LOST = (8, 18, 52, 56)  # Whatever anet calls it.


class Counter:
    """How often each path was processed, over all connections."""

    def __init__(self):
        self.times, self.bodies, self.lock = collections.Counter(), {}, threading.Lock()

    def add(self, path, body=b""):
        with self.lock:
            self.times[path] += 1
            self.bodies[path] = bytes(body)
            return self.times[path]

    def once(self, paths, body=None):
        """That each was processed once."""
        faults = []
        for what, found in [("not at all", [path for path in paths if not self.times[path]]), ("twice", [path for path in paths if self.times[path] > 1])]:
            faults += [f"{len(found)} of {len(paths)} were processed {what}"] if found else []
        wrong = [path for path in paths if body is not None and self.bodies.get(path, body) != body]
        return faults + ([f"{len(wrong)} bodies are other ones"] if wrong else [])


class Repeats:
    def __init__(self, runs):
        self.runs = runs
        self.cases = [
            self.goaway_above_the_last, self.goaway_at_once, self.goaway_twice, self.refused_beyond_five, self.refused_once, self.refused_always,
            self.refused_by_goaway_always, self.refused_upload, self.http1_by_reset, self.http1_by_goaway, self.http1_without_tls,
            self.retired_after_each, self.retired_while_idle, *[self.never(*row) for row in [
                ("RST_STREAM with INTERNAL_ERROR", lambda stream: reset(stream, INTERNAL_ERROR)),
                ("RST_STREAM with CANCEL", lambda stream: reset(stream, CANCEL)),
                ("RST_STREAM with PROTOCOL_ERROR", lambda stream: reset(stream, PROTOCOL_ERROR)),
                ("RST_STREAM with STREAM_CLOSED", lambda stream: reset(stream, STREAM_CLOSED)),
                ("RST_STREAM with ENHANCE_YOUR_CALM", lambda stream: reset(stream, ENHANCE_YOUR_CALM)),
                ("RST_STREAM with NO_ERROR", lambda stream: reset(stream, NO_ERROR)),
                ("RST_STREAM with an unknown code", lambda stream: reset(stream, 0xFA)),
                ("GOAWAY that names it, then the end", lambda stream: goaway(stream)),
                ("GOAWAY that names it, with an error, then the end", lambda stream: goaway(stream, INTERNAL_ERROR)),
                ("the connection's end", lambda stream: b""),
                ("a malformed frame", lambda stream: frame(PING, 0, stream, bytes(8))),
            ]],
        ]

    def thirty(self, what, behave, counter, tls=False, count=30, **expected):
        paths = [f"{number}" for number in range(count)]
        arguments = ["-d", "a body", "--parallel", count]
        self.runs.against(what, behave, arguments, urls=paths, out=b"ok" * count, tls=tls, below=10,
            says=lambda *_: counter.once(["/" + path for path in paths], b"a body"), **expected)

    def goaway_above_the_last(self):
        """A connection processes five, and refuses the others."""
        for tls in (False, True):
            counter = Counter()

            def behave(peer):
                peer.start()
                left = 5
                while left:
                    peer.wait(lambda: peer.unread)
                    peer.idle(0.03)  # More may come.
                    taken = peer.unread[:left]
                    del peer.unread[:left]
                    left -= len(taken)
                    if not left:
                        peer.send(goaway(taken[-1].stream))
                    for request in taken:
                        peer.wait(lambda: request.has_ended)
                        counter.add(request.path, request.body)
                        peer.answer(request.stream)
                peer.idle(0.2)

            self.thirty(f"30 POSTs, connections that end by GOAWAY after five{', TLS' if tls else ''}: 30 of 30", behave, counter, tls)

    def goaway_at_once(self):
        """The first connection processes none."""
        counter, first = Counter(), threading.Lock()

        def behave(peer):
            peer.start()
            if first.acquire(blocking=False):
                peer.request()
                peer.idle(0.05)
                peer.send(goaway(0))
                return peer.idle(0.2)
            while True:
                request = peer.whole()
                counter.add(request.path, request.body)
                peer.answer(request.stream)

        self.thirty("30 POSTs, GOAWAY with last stream 0 on the first connection: 30 of 30", behave, counter)

    def goaway_twice(self):
        """The warning first: what comes between the two is processed."""
        counter = Counter()

        def behave(peer):
            peer.start()
            taken = [peer.whole()]
            peer.send(goaway(LARGEST_WINDOW))
            peer.idle(0.1)
            taken += peer.unread[:4]
            peer.send(goaway(taken[-1].stream))
            for request in taken:
                peer.wait(lambda: request.has_ended)
                counter.add(request.path, request.body)
                peer.answer(request.stream)
            peer.idle(0.2)

        self.thirty("30 POSTs, GOAWAY with 2^31-1 and then the last: 30 of 30", behave, counter)

    def refused_beyond_five(self):
        """As a server does whose SETTINGS come late: what is beyond five at once is refused."""
        for late in (False, True):
            counter = Counter()

            def behave(peer):
                peer.preface()
                pairs = [(MAX_CONCURRENT_STREAMS, 5)]
                peer.set() if late else peer.set(*pairs)
                peer.wait(lambda: peer.unread)
                peer.idle(0.1)
                if late:
                    peer.set(*pairs)
                while True:
                    peer.wait(lambda: peer.unread)
                    taken, peer.unread = peer.unread, []
                    for request in taken[5:]:
                        peer.send(reset(request.stream, REFUSED_STREAM))
                        peer.open.discard(request.stream)
                    for request in taken[:5]:
                        peer.wait(lambda: request.has_ended)
                        counter.add(request.path, request.body)
                    peer.idle(0.02)
                    for request in taken[:5]:
                        peer.answer(request.stream)

            self.thirty(f"30 POSTs, five streams at once, said {'late' if late else 'at once'}, others refused: 30 of 30", behave, counter)

    def refused_once(self):
        """Each the first time."""
        counter, seen = Counter(), Counter()

        def behave(peer):
            peer.start()
            while True:
                request = peer.request()
                if seen.add(request.path) == 1:
                    peer.send(reset(request.stream, REFUSED_STREAM))
                    continue
                peer.wait(lambda: request.has_ended)
                counter.add(request.path, request.body)
                peer.answer(request.stream)

        self.thirty("30 POSTs, each refused the first time: 30 of 30", behave, counter)

    def refused_always(self):
        self.bounded("always REFUSED_STREAM", lambda stream: reset(stream, REFUSED_STREAM))

    def refused_by_goaway_always(self):
        self.bounded("always GOAWAY below the stream", lambda stream: goaway(0))

    def bounded(self, what, make):
        counter = Counter()

        def behave(peer):
            peer.start()
            while True:
                request = peer.whole()
                counter.add(request.path)
                peer.send(make(request.stream))

        self.runs.against(f"{what}: an error in the end", behave, ["-d", "x"], path="one", status=LOST, below=5,
            says=lambda *_: [] if 1 < counter.times["/one"] <= 20 else [f"it was sent {counter.times['/one']} times"])

    def refused_upload(self):
        """A megabyte that was under way when it was refused."""
        body, counter, seen = bytes(range(256)) * 4096, Counter(), Counter()
        file = self.runs.file("upload", body)

        def behave(peer):
            peer.start()
            while True:
                request = peer.request()
                if seen.add(request.path) == 1:
                    peer.wait(lambda: len(request.body) >= 100_000)
                    peer.send(reset(request.stream, REFUSED_STREAM))
                    continue
                peer.wait(lambda: request.has_ended)
                counter.add(request.path, request.body)
                peer.answer(request.stream)

        for what, arguments in [("--data-binary", ["--data-binary", f"@{file}"]), ("-T", ["-T", file])]:
            self.runs.against(f"{what} of 1 MiB, refused under way", behave, arguments, path=what, out=b"ok", below=5,
                says=lambda *_: counter.once([f"/{what}"], body))

    def http1(self, what, make):
        """The server wants HTTP/1.1: the next connection offers nothing else."""
        counter = Counter()

        def behave(peer):
            peer.start()
            while True:
                request = peer.request()
                peer.send(make(request.stream))

        def http1(connection):
            with connection.makefile("rb") as input:
                while line := input.readline():
                    path, fields = line.split()[1].decode(), {}
                    while (field := input.readline().strip()):
                        name, _, value = field.partition(b":")
                        fields[name.lower()] = value.strip()
                    counter.add(path, input.read(int(fields.get(b"content-length", 0))))
                    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")

        return counter, dict(behave=behave, counter=counter, tls=True, http1=http1)

    def http1_by_reset(self):
        counter, one = self.http1("RST_STREAM", lambda stream: reset(stream, HTTP_1_1_REQUIRED))
        self.runs.against("RST_STREAM with HTTP_1_1_REQUIRED: over HTTP/1.1", one["behave"], ["-d", "a body", "-w", " %{http_version}"], path="one", tls=True,
            http1=one["http1"], out=b"ok 1.1", below=5, says=lambda *_: counter.once(["/one"], b"a body"))
        counter, many = self.http1("RST_STREAM", lambda stream: reset(stream, HTTP_1_1_REQUIRED))
        self.thirty("10 POSTs, RST_STREAM with HTTP_1_1_REQUIRED", count=10, **many)

    def http1_by_goaway(self):
        _, many = self.http1("GOAWAY", lambda stream: goaway(0, HTTP_1_1_REQUIRED))
        self.thirty("10 POSTs, GOAWAY with HTTP_1_1_REQUIRED", count=10, **many)

    def http1_without_tls(self):
        """--http2 without TLS leaves no other version: an error."""
        def behave(peer):
            peer.start()
            peer.send(reset(peer.whole().stream, HTTP_1_1_REQUIRED))
            peer.drain()

        self.runs.against("HTTP_1_1_REQUIRED by prior knowledge", behave, ["-d", "x"], status=LOST, err=r"HTTP_1_1_REQUIRED|HTTP/1\.1", below=5)

    def never(self, what, make):
        def case():
            counter = Counter()

            def behave(peer):
                request = peer.ready()
                counter.add(request.path)
                peer.send(make(request.stream))
                if "end" in what.split():
                    return
                while True:
                    counter.add(peer.whole().path)

            self.runs.against(f"a POST is not sent again after {what}", behave, ["-d", "x"], path="one", status=LOST, below=5,
                says=lambda *_: counter.once(["/one"]))

        return case

    def retired_after_each(self):
        """A connection for each request, with a warning and without."""
        for what, make in [("GOAWAY", lambda stream: goaway(stream)), ("GOAWAY with a warning", lambda stream: goaway(LARGEST_WINDOW) + goaway(stream))]:
            counter = Counter()

            def behave(peer):
                request = peer.ready()
                counter.add(request.path, request.body)
                peer.send(make(request.stream))
                peer.answer(request.stream)
                peer.idle(0.1)

            paths = [f"{number}" for number in range(12)]
            self.runs.against(f"12 POSTs one after another, {what} before each response", behave, ["-d", "x"], urls=paths, out=b"ok" * 12, below=8,
                says=lambda *_: counter.once(["/" + path for path in paths]))

    def retired_while_idle(self):
        """The connection ends right behind each response."""
        counter = Counter()

        def behave(peer):
            request = peer.ready()
            counter.add(request.path, request.body)
            peer.answer(request.stream)
            peer.send(goaway(request.stream))
            peer.idle(0.03)

        paths = [f"{number}" for number in range(12)]
        self.runs.against("12 POSTs one after another, GOAWAY and the end behind each response", behave, ["-d", "x"], urls=paths, out=b"ok" * 12, below=8,
            says=lambda *_: counter.once(["/" + path for path in paths]))
