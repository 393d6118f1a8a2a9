"""Answers that come at other times than after the request, and ends of streams that leave their connection to others."""
import hashlib
import os
import queue
import subprocess
import time

from http2_lib.frames import *
from http2_lib.server import RawServer
from http2_lib.streams import one_connection


class Answers:
    def __init__(self, runs):
        self.runs = runs
        self.large = os.urandom(1 << 20)
        self.sends = ["--data-binary", f"@{runs.file('upload', self.large)}"]
        self.cases = [
            *[self.early(*row) for row in [
                ("413, a body with a length, RST_STREAM", 413, b"too large", True, True),
                ("413, a body without a length, RST_STREAM", 413, b"too large", False, True),
                ("413, no body, RST_STREAM", 413, b"", True, True), ("200, a body without a length, RST_STREAM", 200, b"enough", False, True),
                ("413, a body without a length", 413, b"too large", False, False), ("200, a body with a length", 200, b"enough", True, False)]],
            self.early_without_window, self.early_redirect, self.early_challenge, self.late_answer, self.full_duplex, self.answer_to_silent_input,
            self.informational, self.expect_refused, self.expect_granted, self.expect_silent, self.interrupted, self.reuse_after_reset,
        ]

    def early(self, what, status, body, has_length, resets):
        """Answers before the body is read, 24 times on one connection: all arrive (RFC 9113 section 8.1)."""
        def behave(peer):
            peer.gives_windows = False
            peer.start()
            while True:
                stream = peer.request().stream
                peer.give(0, 65535)
                peer.head(stream, [("content-length", str(len(body)))] if has_length else [], status, ends=not body)
                if body:
                    peer.data(stream, body, ends=True)
                if resets:
                    peer.send(reset(stream, NO_ERROR))

        def says(run, server):
            sent = sum(len(peer.requests) for peer in server.peers)
            return [] if sent == 24 else [f"{sent} requests were sent, not 24"]

        arguments = [*self.sends, "-w", "%{http_code}\\n"]
        return lambda: self.runs.against(f"before the upload's end: {what}: 24 of 24", behave, arguments, urls=["one"] * 24,
            out=(body + f"{status}\n".encode()) * 24, below=8, says=says)

    def early_without_window(self):
        """The stream's window is 0, so that no byte of the body has been sent."""
        def behave(peer):
            peer.gives_windows = False
            peer.start((INITIAL_WINDOW_SIZE, 0))
            while True:
                stream = peer.request().stream
                peer.idle(0.02)
                peer.answer(stream, b"no", 403)
                peer.send(reset(stream, NO_ERROR))

        self.runs.against("403 before a byte of the upload: 6 of 6", behave, self.sends, urls=["one"] * 6, out=b"no" * 6, below=5)

    def late_answer(self):
        """The head comes early, the body once the upload is whole."""
        def behave(peer):
            peer.start()
            request = peer.request()
            peer.head(request.stream)
            peer.wait(lambda: request.has_ended)
            peer.body(request.stream, bytes(request.body))
            peer.drain()

        self.runs.against("a head before the upload's end, its body after it", behave, self.sends, out=self.large, below=8)

    def informational(self):
        def behave(peer):
            request = peer.ready()
            for status in [100, 103, 102, 103]:
                peer.head(request.stream, [("link", "</a.css>")], status)
            peer.answer(request.stream)
            peer.drain()

        self.runs.against("100, 103, 102 and 103 before the head", behave, out=b"ok", below=4)

    EXPECT = ["-H", "Expect: 100-continue", "--expect100-timeout", "3"]

    def expecting(self, what, act, *more, **expected):
        def behave(peer):
            peer.start()
            request = peer.request()
            peer.idle(0.2)
            if request.fields.get("expect") != "100-continue":
                peer.fault("the request has no Expect")
            if request.body:
                peer.fault(f"{len(request.body)} bytes of the body came before the 100")
            act(peer, request)

        self.runs.against(what, behave, [*self.EXPECT, *self.sends, *more], **expected)

    def expect_refused(self):
        def act(peer, request):
            peer.answer(request.stream, b"no", 417 if request.path == "/417" else 401)
            peer.drain()
            if request.body:
                peer.fault("the body came after the refusal")

        self.expecting("Expect: refused by 401, the body stays here", act, out=b"no", below=3)

    def expect_granted(self):
        def act(peer, request):
            peer.head(request.stream, status=100)
            peer.wait(lambda: request.has_ended)
            peer.answer(request.stream, hashlib.sha256(request.body).hexdigest().encode())
            peer.drain()

        self.expecting("Expect: granted by 100", act, out=hashlib.sha256(self.large).hexdigest().encode(), below=3)

    def expect_silent(self):
        def act(peer, request):
            peer.wait(lambda: request.has_ended)
            peer.answer(request.stream)
            peer.drain()

        self.expecting("Expect: no word of it for half a second", act, "--expect100-timeout", "0.5", out=b"ok", below=4)

    def digesting(self, first, is_right):
        """Answers the first request early, and the next with its body's hash."""
        def behave(peer):
            peer.start()
            stream = peer.request().stream
            peer.answer(stream, b"no", *first)
            peer.send(reset(stream, NO_ERROR))
            request = peer.request()
            if not is_right(request.fields):
                peer.fault(f"the second request is {request.fields}")
            peer.wait(lambda: request.has_ended)
            peer.answer(request.stream, hashlib.sha256(request.body).hexdigest().encode())
            peer.drain()

        return behave

    def early_redirect(self):
        behave = self.digesting((307, [("location", "/next")]), lambda fields: fields[":path"] == "/next" and fields[":method"] == "POST")
        self.runs.against("307 before the upload's end: sent again whole, on the connection", behave, self.sends, says=one_connection, below=6,
            out=hashlib.sha256(self.large).hexdigest().encode())

    def early_challenge(self):
        behave = self.digesting((401, [("www-authenticate", "Basic realm=\"x\"")]), lambda fields: fields.get("authorization", "").startswith("Basic "))
        self.runs.against("401 before the upload's end: sent again whole, with the password", behave, ["-u", "ada:hunter2", *self.sends], says=one_connection,
            below=6, out=hashlib.sha256(self.large).hexdigest().encode())

    def talking(self, what, behave, talk, *more):
        """Standard input and output are held by `talk`, which says faults."""
        with RawServer(behave) as server:
            command = [*self.runs.checks.command, "--http2", "-X", "POST", "-T", "-", *more, server.url()]
            process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=self.runs.checks.environment)
            begin = time.monotonic()
            try:
                faults = talk(process)
                status = process.wait(8)
                faults += [] if status == 0 else [f"exit status {status}: {process.stderr.read()[-300:]}"]
            except (subprocess.TimeoutExpired, queue.Empty) as late:
                faults = [f"it takes too long: {late!r}"]
            finally:
                process.kill()
                process.wait()
            faults += ["took longer than 4 s"] if time.monotonic() - begin > 4 else []
            self.runs.report(what, faults + server.ended())

    def full_duplex(self):
        """Each line arrives before the next is written, and is answered at once; anet prints the answers at the end."""
        arrived, lines = queue.Queue(), [b"line %d\n" % number for number in range(50)]

        def behave(peer):
            peer.start()
            request = peer.request()
            peer.head(request.stream)
            sent = 0
            while not request.has_ended:
                peer.wait(lambda: len(request.body) > sent or request.has_ended)
                piece, sent = bytes(request.body[sent:]), len(request.body)
                arrived.put(piece)
                peer.data(request.stream, piece)
            peer.data(request.stream, ends=True)
            peer.drain()

        def talk(process):
            for line in lines:
                process.stdin.write(line)
                process.stdin.flush()
                if (found := arrived.get(timeout=3)) != line:
                    return [f"{found!r} arrived for {line!r}"]
            process.stdin.close()
            return [] if process.stdout.read() == b"".join(lines) else ["other lines came back"]

        self.talking("full duplex: 50 lines, each answered before the next is sent", behave, talk)

    def answer_to_silent_input(self):
        """The whole answer comes while the upload waits for its input, which never comes."""
        def behave(peer):
            peer.start()
            stream = peer.request().stream
            peer.answer(stream)
            peer.send(reset(stream, NO_ERROR))
            peer.drain()

        def talk(process):
            found = process.stdout.read()
            return [] if found == b"ok" else [f"the output is {found!r}"]

        self.talking("a whole answer ends an upload whose input is silent", behave, talk)

    def interrupted(self):
        """A request that its deadline ends is reset, and the connection goes on."""
        def behave(peer):
            peer.start()
            while True:
                request = peer.whole()
                if request.path == "/silent":
                    peer.wait(lambda: request.stream in peer.resets, 5)
                    if peer.resets[request.stream] != CANCEL:
                        peer.fault(f"RST_STREAM with code {peer.resets[request.stream]}")
                    peer.send(frame(HEADERS, END_HEADERS, request.stream, plain([(":status", "200")])))  # Late: it is ignored.
                    peer.data(request.stream, b"late", ends=True)
                else:
                    peer.answer(request.stream)

        self.runs.against("a request that timed out is reset, late frames are ignored", behave, ["--timeout", 0.3], urls=["one", "silent", "three"],
            status=28, out=b"ok" * 2, below=5, says=one_connection)

    def reuse_after_reset(self):
        """An error of a stream leaves its connection alone."""
        def behave(peer):
            peer.start()
            while True:
                request = peer.whole()
                if request.path == "/reset":
                    peer.send(reset(request.stream, INTERNAL_ERROR))
                elif request.path == "/malformed":
                    peer.send(frame(HEADERS, END_HEADERS | END_STREAM, request.stream, plain([(":status", "200"), ("x-test", "a\0b")])))
                else:
                    peer.answer(request.stream)

        for path in ["reset", "malformed"]:
            self.runs.against(f"a stream that failed ({path}) leaves the connection to others", behave, ["-X", "POST"], urls=["one", path, "three"],
                status=(8, 56, 52), out=b"ok" * 2, below=5, says=one_connection)
