"""A cut body is never whole: all ends of a response that come before END_STREAM, with and without a length, in DATA's midst or before it.

Each is downloaded to a file: the request must fail, and no file be kept (RFC 9113 section 8.1).
"""
import gzip
import os
import socket
import struct

from http2_lib.frames import *
from http2_lib.server import RawServer

CUT = (18, 56)  # anet's statuses for a body that ended early, and for a connection that was lost.
NONE = (52, 56)  # And for a connection that ended without a response.


def ended(peer, _):
    """FIN alone: under TLS without close_notify."""
    peer.socket.shutdown(socket.SHUT_RDWR)


def aborted(peer, _):
    """RST of TCP."""
    peer.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    peer.socket.close()


def notified(peer, _):
    """close_notify, then FIN."""
    peer.socket.settimeout(1)
    try:
        peer.socket.unwrap()
    except (OSError, ValueError):
        pass
    peer.socket.close()


def sent(*makes, then=None):
    """Frames by the stream's number, after which the connection stays, unless something else follows."""
    def end(peer, stream):
        peer.send(*[make(stream) for make in makes])
        then(peer, stream) if then else peer.drain()

    return end


def reset_with(code):
    return sent(lambda stream: reset(stream, code))


ENDS = {
    **{f"RST_STREAM with {name}": reset_with(code) for name, code in [
        ("NO_ERROR", NO_ERROR), ("CANCEL", CANCEL), ("INTERNAL_ERROR", INTERNAL_ERROR), ("REFUSED_STREAM", REFUSED_STREAM),
        ("PROTOCOL_ERROR", PROTOCOL_ERROR), ("ENHANCE_YOUR_CALM", ENHANCE_YOUR_CALM), ("an unknown code", 0xFA)]},
    "GOAWAY and FIN": sent(lambda stream: goaway(stream), then=ended),
    "GOAWAY with an error and FIN": sent(lambda stream: goaway(stream, INTERNAL_ERROR), then=ended),
    "GOAWAY below the stream": sent(lambda stream: goaway(0)),
    "GOAWAY below the stream and FIN": sent(lambda stream: goaway(0), then=ended),
    "FIN": ended,
    "FIN within a frame's head": sent(lambda _: b"\0\0\x05\0", then=ended),
    "FIN within DATA": sent(lambda stream: head(DATA, END_STREAM, stream, 5) + b"abc", then=ended),
    "FIN within trailers": sent(lambda stream: frame(HEADERS, END_STREAM, stream, plain([("x-test", "1")])), then=ended),
    "RST of TCP": aborted,
}
SECURE = {"close_notify": notified, "GOAWAY and close_notify": sent(lambda stream: goaway(stream), then=notified)}
VIOLATIONS = {
    "a malformed frame": sent(lambda stream: frame(PING, 0, stream, bytes(8))),
    "DATA on an idle stream": sent(lambda stream: frame(DATA, 0, stream + 2, b"x")),
    "a text of HTTP/1.1": sent(lambda _: b"HTTP/1.1 500 Internal Server Error\r\n\r\n"),
}


class Ends:
    def __init__(self, runs):
        self.runs = runs
        self.cases = [self.never_cached, self.whole_gzip, self.cut_gzip, self.continued]
        for tls in (False, True):
            ends = {**ENDS, **(SECURE if tls else {})}
            for what, end in ends.items():
                # A server that answers a stream and then says that it did not is wrong in any case.
                status = (*CUT, 8) if "below" in what else CUT
                lengths = (False,) if tls else (False, True)
                self.cases += [self.cut(what, end, has_length, body, tls, status) for has_length in lengths for body in (b"", b"some of it")]
        self.cases += [self.cut(what, end, has_length, b"some of it", False, 8) for what, end in VIOLATIONS.items() for has_length in (False, True)]
        for what in ["RST_STREAM with NO_ERROR", "RST_STREAM with CANCEL", "FIN", "FIN within a frame's head", "GOAWAY and FIN", "RST of TCP"]:
            self.cases += [self.headless(what, ENDS[what], tls) for tls in (False, True)]

    def cut(self, what, end, has_length, body, tls, status):
        def behave(peer):
            stream = peer.ready().stream
            peer.head(stream, [("content-length", "100")] if has_length else [])
            if body:
                peer.data(stream, body)
            end(peer, stream)

        def case():
            file = self.runs.file("kept")
            name = f"{what}, after {'DATA' if body else 'the head'}, {'with' if has_length else 'without'} a length{', TLS' if tls else ''}"
            self.runs.against(name, behave, ["-o", file], tls=tls, status=status, below=4,
                says=lambda *_: ["a file is kept"] if file.exists() else [])

        return case

    def headless(self, what, end, tls):
        def behave(peer):
            end(peer, peer.ready().stream)

        return lambda: self.runs.against(f"{what}, before the head{', TLS' if tls else ''}", behave, ["-d", "x"], tls=tls, status=NONE, below=4,
            says=lambda _, server: [] if len(server.peers) == 1 else [f"the POST was sent {len(server.peers)} times"])

    def never_cached(self):
        def behave(peer):
            peer.start()
            while True:
                stream = peer.whole().stream
                peer.head(stream, [("cache-control", "max-age=600")])
                peer.data(stream, b"some of it")
                peer.send(reset(stream, NO_ERROR))

        arguments = ["--cache", self.runs.file("cache")]
        self.runs.against("a cut response is not stored", behave, arguments, urls=["same", "same"], status=CUT,
            says=lambda _, server: [] if sum(len(peer.requests) for peer in server.peers) == 2 else ["the second request was answered by the cache"])

    def compressed(self, what, make, **expected):
        file = self.runs.file("kept")

        def behave(peer):
            stream = peer.ready().stream
            peer.head(stream, [("content-encoding", "gzip")])
            make(peer, stream, gzip.compress(b"some of it" * 1000))
            peer.drain()

        self.runs.against(what, behave, ["-H", "Accept-Encoding: gzip", "-o", file], below=4, says=lambda *_: ["a file is kept"] if file.exists() else [], **expected)

    def whole_gzip(self):
        """All that gzip needs has come, and yet not the stream's end."""
        def make(peer, stream, body):
            peer.data(stream, body)
            peer.send(reset(stream, NO_ERROR))

        self.compressed("gzip that is whole in a stream that is cut", make, status=CUT)

    def cut_gzip(self):
        self.compressed("gzip that is cut in a stream that is whole", lambda peer, stream, body: peer.data(stream, body[:-10], ends=True), status=(18, 61))

    def continued(self):
        """A download that was cut goes on where it was cut."""
        content = os.urandom(300_000)
        file = self.runs.file("kept")

        def behave(peer):
            peer.start()
            while True:
                request = peer.whole()
                first = int(request.fields.get("range", "bytes=0-")[6:].split("-")[0])
                fields = [("etag", '"a"'), ("accept-ranges", "bytes"), ("content-length", str(len(content) - first))]
                if first:
                    fields.append(("content-range", f"bytes {first}-{len(content) - 1}/{len(content)}"))
                peer.head(request.stream, fields, 206 if first else 200)
                peer.body(request.stream, content[first:] if first else content[:100_000], ends=bool(first))
                if not first:
                    peer.send(reset(request.stream, INTERNAL_ERROR))

        with RawServer(behave) as server:
            runs = [self.runs.anet("--http2", "-C", "-o", file, server.url()) for _ in range(2)]
            whole = file.exists() and file.read_bytes() == content
            asked = [request.fields.get("range") for peer in server.peers for request in peer.requests.values()]
            self.runs.report(f"a cut download is continued: ranges {asked}", runs[0].faults(CUT) + runs[1].faults() + server.ended()
                + ([] if whole else ["the file is another one"]) + ([] if any(asked) else ["all of it was asked for again"]))
