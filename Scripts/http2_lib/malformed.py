"""What RFC 9113 forbids a server, a row each: the request must fail as the server's fault, and the server be told the right code.

Each row is sent once the request is whole and all SETTINGS are acknowledged, those of STARTS in place of the server's first
SETTINGS. After a row of FINE the response must still arrive.
"""
from http2_lib.frames import *

VIOLATION = 8  # anet's status where a server breaks the protocol.
NAMED = r"RFC (9113|7541)"
OK = [(":status", "200"), ("content-length", "2")]


def headers(stream, fields, flags=END_HEADERS | END_STREAM):
    return frame(HEADERS, flags, stream, plain(fields))


def block(stream, bytes_):
    return frame(HEADERS, END_HEADERS | END_STREAM, stream, bytes_)


def answer(stream, fields, *bodies):
    """A head, and DATA of which the last ends the stream."""
    last = len(bodies) - 1
    return headers(stream, fields, END_HEADERS) + b"".join(frame(DATA, END_STREAM if at == last else 0, stream, body) for at, body in enumerate(bodies))


def with_field(name, value="x"):
    return lambda stream: headers(stream, [(":status", "204"), (name, value)])


def head(*fields):
    return lambda stream: headers(stream, fields)


def after_head(text):
    """Bytes behind a head whose body is to come."""
    return lambda stream: headers(stream, [(":status", "200")], END_HEADERS) + (text(stream) if callable(text) else text)


def always(*frames):
    return lambda stream: b"".join(frames)


LONG = bytes(16385)
STATUS = plain([(":status", "200")])
LONG_FIELD = plain([("x-test", "y" * 16374)])  # 16,385 bytes too.

# Errors of the connection.
CONNECTION = [
    ("SETTINGS of 5 bytes", FRAME_SIZE_ERROR, always(frame(SETTINGS, payload=bytes(5)))),
    ("SETTINGS with ACK and a payload", FRAME_SIZE_ERROR, always(frame(SETTINGS, ACK, 0, bytes(6)))),
    ("SETTINGS on stream 1", PROTOCOL_ERROR, always(frame(SETTINGS, 0, 1))),
    ("SETTINGS: ENABLE_PUSH 1", PROTOCOL_ERROR, always(settings([(ENABLE_PUSH, 1)]))),
    ("SETTINGS: ENABLE_PUSH 2", PROTOCOL_ERROR, always(settings([(ENABLE_PUSH, 2)]))),
    ("SETTINGS: INITIAL_WINDOW_SIZE 2^31", FLOW_CONTROL_ERROR, always(settings([(INITIAL_WINDOW_SIZE, 1 << 31)]))),
    ("SETTINGS: MAX_FRAME_SIZE 0", PROTOCOL_ERROR, always(settings([(MAX_FRAME_SIZE, 0)]))),
    ("SETTINGS: MAX_FRAME_SIZE 16383", PROTOCOL_ERROR, always(settings([(MAX_FRAME_SIZE, 16383)]))),
    ("SETTINGS: MAX_FRAME_SIZE 2^24", PROTOCOL_ERROR, always(settings([(MAX_FRAME_SIZE, 1 << 24)]))),
    ("SETTINGS: a window beyond 2^31-1 by INITIAL_WINDOW_SIZE", FLOW_CONTROL_ERROR,
        lambda stream: window_update(stream, 1 << 30) + settings([(INITIAL_WINDOW_SIZE, LARGEST_WINDOW)])),
    ("DATA on stream 0", PROTOCOL_ERROR, always(frame(DATA, 0, 0, b"ok"))),
    ("DATA on an idle stream", PROTOCOL_ERROR, lambda stream: frame(DATA, 0, stream + 2, b"ok")),
    ("DATA on an even stream", PROTOCOL_ERROR, lambda stream: frame(DATA, 0, 2, b"ok")),
    ("DATA with padding as long as the payload", PROTOCOL_ERROR, after_head(lambda stream: frame(DATA, PADDED, stream, b"\x03ok"))),
    ("DATA with padding of 255 in 10 bytes", PROTOCOL_ERROR, after_head(lambda stream: frame(DATA, PADDED, stream, b"\xff" + bytes(9)))),
    ("DATA with padding and no length of it", (FRAME_SIZE_ERROR, PROTOCOL_ERROR), after_head(lambda stream: frame(DATA, PADDED, stream))),
    ("DATA of 16,385 bytes", FRAME_SIZE_ERROR, after_head(lambda stream: frame(DATA, 0, stream, LONG))),
    ("DATA of 2^24-1 bytes", FRAME_SIZE_ERROR, after_head(lambda stream: b"\xff\xff\xff" + frame(DATA, 0, stream)[3:])),
    ("HEADERS on stream 0", PROTOCOL_ERROR, lambda stream: headers(0, OK)),
    ("HEADERS on an idle stream", PROTOCOL_ERROR, lambda stream: headers(stream + 2, OK)),
    ("HEADERS on an even stream", PROTOCOL_ERROR, lambda stream: headers(2, OK)),
    ("HEADERS with padding beyond the payload", PROTOCOL_ERROR,
        lambda stream: frame(HEADERS, END_HEADERS | END_STREAM | PADDED, stream, b"\xff" + STATUS)),
    ("HEADERS with padding and no length of it", (FRAME_SIZE_ERROR, PROTOCOL_ERROR), lambda stream: frame(HEADERS, END_HEADERS | PADDED, stream)),
    ("HEADERS with priority in 4 bytes", (FRAME_SIZE_ERROR, PROTOCOL_ERROR), lambda stream: frame(HEADERS, END_HEADERS | WITH_PRIORITY, stream, bytes(4))),
    ("HEADERS of 16,385 bytes", FRAME_SIZE_ERROR, lambda stream: block(stream, LONG_FIELD)),
    ("CONTINUATION without HEADERS", PROTOCOL_ERROR, lambda stream: frame(CONTINUATION, END_HEADERS, stream, STATUS)),
    ("CONTINUATION on stream 0", PROTOCOL_ERROR, lambda stream: frame(HEADERS, 0, stream, STATUS) + frame(CONTINUATION, END_HEADERS, 0)),
    ("CONTINUATION of another stream", PROTOCOL_ERROR,
        lambda stream: frame(HEADERS, 0, stream, STATUS) + frame(CONTINUATION, END_HEADERS, stream + 2)),
    ("CONTINUATION after END_HEADERS", PROTOCOL_ERROR, after_head(lambda stream: frame(CONTINUATION, END_HEADERS, stream))),
    *[(f"{name} within a header block", PROTOCOL_ERROR, lambda stream, kind=kind, payload=payload, on=on:
        frame(HEADERS, 0, stream, STATUS) + frame(kind, 0, on and stream, payload) + frame(CONTINUATION, END_HEADERS, stream))
        for name, kind, on, payload in [
            ("PING", PING, 0, bytes(8)), ("SETTINGS", SETTINGS, 0, b""), ("DATA", DATA, 1, b"ok"), ("HEADERS", HEADERS, 1, STATUS),
            ("an unknown frame", 0xFA, 1, b"x"), ("WINDOW_UPDATE", WINDOW_UPDATE, 0, number(1)), ("PRIORITY", PRIORITY, 1, bytes(5))]],
    ("CONTINUATION of 16,385 bytes", FRAME_SIZE_ERROR, lambda stream: frame(HEADERS, 0, stream, STATUS) + frame(CONTINUATION, END_HEADERS, stream, LONG_FIELD)),
    ("PRIORITY on stream 0", PROTOCOL_ERROR, always(frame(PRIORITY, 0, 0, bytes(5)))),
    ("RST_STREAM of 3 bytes", FRAME_SIZE_ERROR, lambda stream: frame(RST_STREAM, 0, stream, bytes(3))),
    ("RST_STREAM on stream 0", PROTOCOL_ERROR, always(reset(0, CANCEL))),
    ("RST_STREAM on an idle stream", PROTOCOL_ERROR, lambda stream: reset(stream + 2, CANCEL)),
    ("PUSH_PROMISE", PROTOCOL_ERROR, lambda stream: frame(PUSH_PROMISE, END_HEADERS, stream, number(2) + plain([(":method", "GET")]))),
    ("PING of 7 bytes", FRAME_SIZE_ERROR, always(frame(PING, payload=bytes(7)))),
    ("PING of 9 bytes", FRAME_SIZE_ERROR, always(frame(PING, payload=bytes(9)))),
    ("PING on stream 1", PROTOCOL_ERROR, lambda stream: frame(PING, 0, stream, bytes(8))),
    ("GOAWAY of 7 bytes", FRAME_SIZE_ERROR, always(frame(GOAWAY, payload=bytes(7)))),
    ("GOAWAY on stream 1", PROTOCOL_ERROR, lambda stream: frame(GOAWAY, 0, stream, bytes(8))),
    ("WINDOW_UPDATE of 3 bytes", FRAME_SIZE_ERROR, always(frame(WINDOW_UPDATE, payload=bytes(3)))),
    ("WINDOW_UPDATE of 0 on stream 0", PROTOCOL_ERROR, always(window_update(0, 0))),
    ("WINDOW_UPDATE beyond 2^31-1 on stream 0", FLOW_CONTROL_ERROR, always(window_update(0, LARGEST_WINDOW))),
    ("WINDOW_UPDATE on an idle stream", PROTOCOL_ERROR, lambda stream: window_update(stream + 2, 1)),
    ("HPACK: index 0", COMPRESSION_ERROR, lambda stream: block(stream, b"\x80")),
    ("HPACK: an index beyond the tables", COMPRESSION_ERROR, lambda stream: block(stream, STATUS + integer(62, 7, 0x80))),
    ("HPACK: a name's index beyond the tables", COMPRESSION_ERROR, lambda stream: block(stream, STATUS + integer(200, 6, 0x40) + b"\x01x")),
    ("HPACK: a text longer than the block", COMPRESSION_ERROR, lambda stream: block(stream, STATUS + b"\0\x0aabc")),
    ("HPACK: an integer without end", COMPRESSION_ERROR, lambda stream: block(stream, STATUS + b"\xff" + b"\x80" * 20 + b"\x01")),
    ("HPACK: an integer beyond 2^32", COMPRESSION_ERROR, lambda stream: block(stream, STATUS + b"\xff" + b"\xff" * 9 + b"\x7f")),
    ("HPACK: a block that ends within a field", COMPRESSION_ERROR, lambda stream: block(stream, STATUS + b"\x40\x01")),
    ("HPACK: EOS in Huffman code", COMPRESSION_ERROR, lambda stream: block(stream, STATUS + b"\0\x01a\x84\xff\xff\xff\xff")),
    ("HPACK: Huffman padding of 8 bits", COMPRESSION_ERROR, lambda stream: block(stream, STATUS + b"\0\x01a\x82\x1f\xff")),
    ("HPACK: Huffman padding of zeros", COMPRESSION_ERROR, lambda stream: block(stream, STATUS + b"\0\x01a\x81\x18")),
    ("HPACK: a table larger than allowed", COMPRESSION_ERROR, lambda stream: block(stream, integer(1 << 20, 5, 0x20) + STATUS)),
    ("HPACK: the table's size changed within a block", COMPRESSION_ERROR, lambda stream: block(stream, STATUS + integer(0, 5, 0x20))),
    ("HPACK: bad in trailers too", COMPRESSION_ERROR, after_head(lambda stream: block(stream, b"\x80"))),
]

# Errors of the stream, which may be taken for the connection's.
STREAM = [
    ("DATA before HEADERS", lambda stream: frame(DATA, END_STREAM, stream, b"ok")),
    ("WINDOW_UPDATE of 0 on the stream", lambda stream: window_update(stream, 0)),
    ("WINDOW_UPDATE beyond 2^31-1 on the stream", lambda stream: window_update(stream, LARGEST_WINDOW)),
    ("PRIORITY of 4 bytes", lambda stream: frame(PRIORITY, 0, stream, bytes(4))),
    ("a name in upper case", with_field("X-Test")),
    ("an empty name", with_field("")),
    *[(f"a name with {what}", with_field(f"x{octet}y")) for what, octet in [
        ("a blank", " "), ("a colon", ":"), ("a line feed", "\n"), ("NUL", "\0"), ("DEL", "\x7f"), ("a high octet", "\xe9")]],
    *[(f"a value with {what}", with_field("x-test", f"a{octet}b")) for what, octet in [("NUL", "\0"), ("a carriage return", "\r"), ("a line feed", "\n")]],
    *[(f"the field {name}", with_field(name, value)) for name, value in [
        ("connection", "close"), ("keep-alive", "timeout=5"), ("proxy-connection", "close"), ("transfer-encoding", "chunked"), ("upgrade", "h2c")]],
    ("no :status", head(("x-test", "1"))),
    ("no field at all", lambda stream: block(stream, b"")),
    ("two :status", head((":status", "200"), (":status", "200"))),
    (":status after another field", head(("x-test", "1"), (":status", "200"))),
    *[(f":status {status!r}", head((":status", status))) for status in ["", "20", "2000", "abc", "2 0", "+20"]],
    ("a pseudo-header field of requests", head((":status", "200"), (":path", "/"))),
    ("an unknown pseudo-header field", head((":status", "200"), (":test", "1"))),
    ("status 101", head((":status", "101"))),
    ("status 101 without END_STREAM", lambda stream: headers(stream, [(":status", "101")], END_HEADERS)),
    ("status 103 with END_STREAM", head((":status", "103"))),
    ("a second head", lambda stream: headers(stream, OK, END_HEADERS) + headers(stream, OK, END_HEADERS)),
    ("a second head that ends the stream", lambda stream: headers(stream, [(":status", "200")], END_HEADERS) + headers(stream, [(":status", "200")])),
    ("trailers without END_STREAM", lambda stream: headers(stream, OK, END_HEADERS) + frame(DATA, 0, stream, b"ok") + headers(stream, [("x-test", "1")], END_HEADERS)),
    ("a pseudo-header field in trailers", lambda stream: headers(stream, OK, END_HEADERS) + frame(DATA, 0, stream, b"ok") + headers(stream, [(":status", "200")])),
    ("a connection's field in trailers", lambda stream: headers(stream, OK, END_HEADERS) + frame(DATA, 0, stream, b"ok") + headers(stream, [("connection", "close")])),
    ("DATA after status 103", lambda stream: headers(stream, [(":status", "103")], END_HEADERS) + frame(DATA, END_STREAM, stream, b"ok")),
    ("content-length too small", lambda stream: answer(stream, OK, b"o", b"k!")),
    ("content-length too large", lambda stream: answer(stream, OK, b"o")),
    ("content-length too large, no DATA", lambda stream: headers(stream, OK)),
    ("content-length too large, an empty DATA", lambda stream: answer(stream, OK, b"")),
    ("content-length too large, trailers", lambda stream: headers(stream, OK, END_HEADERS) + frame(DATA, 0, stream, b"o") + headers(stream, [("x-test", "1")])),
    *[(f"content-length {value!r}", lambda stream, value=value: answer(stream, [(":status", "200"), ("content-length", value)], b"ok"))
        for value in ["abc", "+2", "-2", "0x2", "", "2, 3", "2 2", "18446744073709551618", "9" * 40]],
    ("two content-lengths that differ", lambda stream: answer(stream, [*OK, ("content-length", "3")], b"ok")),
    ("status 204 with DATA", lambda stream: answer(stream, [(":status", "204")], b"ok")),
]

# In place of the server's SETTINGS.
STARTS = [
    *[(f"the first frame is {name}", PROTOCOL_ERROR, bytes_) for name, bytes_ in [
        ("PING", frame(PING, payload=bytes(8))), ("WINDOW_UPDATE", window_update(0, 1)), ("SETTINGS with ACK", frame(SETTINGS, ACK)),
        ("HEADERS", headers(1, OK)), ("DATA", frame(DATA, 0, 1, b"ok")), ("unknown", frame(0xFA)), ("SETTINGS on stream 1", frame(SETTINGS, 0, 1))]],
    ("the first frame is SETTINGS of 1 byte", FRAME_SIZE_ERROR, frame(SETTINGS, payload=b"x")),
    ("the first frame is SETTINGS of 16,386 bytes", FRAME_SIZE_ERROR, frame(SETTINGS, payload=bytes(16386))),
    ("an answer of HTTP/1.1", None, b"HTTP/1.1 400 Bad Request\r\nContent-Length: 3\r\nConnection: close\r\n\r\nno\n"),
    ("an answer of HTTP/1.0, a short one", None, b"HTTP/1.0 400\r\n\r\n"),
    ("an answer of text", None, b"SSH-2.0-OpenSSH_9.2p1 Debian-2+deb12u3\r\n"),
]

# What is not forbidden, or must be ignored.
FINE = [
    ("an unknown frame on stream 0", always(frame(0xFA, 0xFF, 0, b"anything"))),
    ("an unknown frame on the stream", lambda stream: frame(0xFA, 0xFF, stream, b"anything")),
    ("an unknown frame on an idle stream", always(frame(0xFA, 0xFF, 99, b"anything"))),
    ("frames of 10, 12 and 16 (ALTSVC, ORIGIN, PRIORITY_UPDATE)", always(frame(10, 0, 0, b"\0\x01ah3"), frame(12, 0, 0, b"\0\x01a"), frame(16, 0, 0, bytes(5)))),
    ("unknown settings", always(settings([(0, 1), (7, 1), (0xFA, 5), (0xFFFF, LARGEST_WINDOW)]))),
    ("empty SETTINGS", always(settings())),
    ("a setting twice", always(settings([(MAX_FRAME_SIZE, 20000), (MAX_FRAME_SIZE, 16384)]))),
    ("the largest settings", always(settings([(HEADER_TABLE_SIZE, (1 << 32) - 1), (MAX_CONCURRENT_STREAMS, (1 << 32) - 1), (INITIAL_WINDOW_SIZE, LARGEST_WINDOW),
        (MAX_FRAME_SIZE, (1 << 24) - 1), (MAX_HEADER_LIST_SIZE, (1 << 32) - 1)]))),
    ("the smallest settings", always(settings([(HEADER_TABLE_SIZE, 0), (ENABLE_PUSH, 0), (INITIAL_WINDOW_SIZE, 0), (MAX_FRAME_SIZE, 16384), (MAX_HEADER_LIST_SIZE, 0)]))),
    ("a reserved bit of a stream", lambda stream: frame(PING, 0, 1 << 31, bytes(8)) + window_update(1 << 31 | stream, 1)),
    ("a reserved bit of an increment", lambda stream: frame(WINDOW_UPDATE, 0, stream, number(1 << 31 | 5))),
    ("unknown flags", lambda stream: frame(PING, 0xFE, 0, bytes(8)) + frame(WINDOW_UPDATE, 0xFF, stream, number(1))),
    ("PRIORITY", lambda stream: frame(PRIORITY, 0, stream, number(0) + b"\x10")),
    ("PRIORITY on an idle stream", always(frame(PRIORITY, 0, 99, number(0) + b"\x10"))),
    ("PING", always(frame(PING, payload=b"12345678"))),
    ("PING with ACK that nobody asked for", always(frame(PING, ACK, 0, bytes(8)))),
    ("GOAWAY with an unknown code, the stream goes on", lambda stream: goaway(stream, 0xFA, b"why")),
    ("GOAWAY without warning, the stream goes on", lambda stream: goaway(stream)),
    ("GOAWAY twice, the stream goes on", lambda stream: goaway(LARGEST_WINDOW) + goaway(stream)),
    ("status 100", lambda stream: headers(stream, [(":status", "100")], END_HEADERS)),
    ("status 103 three times", lambda stream: headers(stream, [(":status", "103"), ("link", "</a>")], END_HEADERS) * 3),
    ("HPACK: the table's size at a block's start", lambda stream: frame(HEADERS, END_HEADERS, stream, integer(0, 5, 0x20) + integer(4096, 5, 0x20) + plain([(":status", "103")]))),
    ("HPACK: a field larger than the table", lambda stream: frame(HEADERS, END_HEADERS, stream, plain([(":status", "103")]) + b"\x40\x01a" + integer(5000, 7, 0) + b"x" * 5000)),
    ("HEADERS with priority", lambda stream: frame(HEADERS, END_HEADERS | WITH_PRIORITY, stream, number(0) + b"\x10" + plain([(":status", "103")]))),
    ("HEADERS with padding", lambda stream: frame(HEADERS, END_HEADERS | PADDED, stream, padded(plain([(":status", "103")]), 255))),
    ("HEADERS in four frames", lambda stream: frame(HEADERS, 0, stream) + frame(CONTINUATION, 0, stream, plain([(":status", "103")])[:5])
        + frame(CONTINUATION, 0, stream, plain([(":status", "103")])[5:]) + frame(CONTINUATION, END_HEADERS, stream)),
]

# Heads and bodies that are odd but whole.
ODD = [
    ("blanks around a value", 0, lambda stream: answer(stream, [*OK, ("x-test", " a\t")], b"ok")),
    ("a value of high octets", 0, lambda stream: answer(stream, [*OK, ("x-test", "\xe9\xff")], b"ok")),
    ("an empty value", 0, lambda stream: answer(stream, [*OK, ("x-test", "")], b"ok")),
    ("trailers", 0, lambda stream: headers(stream, OK, END_HEADERS) + frame(DATA, 0, stream, b"ok") + headers(stream, [("x-test", "1")])),
    ("trailers after no DATA", 0, lambda stream: headers(stream, [(":status", "204")], END_HEADERS) + headers(stream, [("x-test", "1")])),
    ("END_STREAM on HEADERS before CONTINUATION", 0, lambda stream: frame(HEADERS, END_STREAM, stream, plain([(":status", "204")])) + frame(CONTINUATION, END_HEADERS, stream)),
    ("padding of 0 in DATA", 0, lambda stream: headers(stream, OK, END_HEADERS) + frame(DATA, PADDED | END_STREAM, stream, b"\0ok")),
    ("DATA of padding alone, then the body", 0, lambda stream: headers(stream, OK, END_HEADERS) + frame(DATA, PADDED, stream, b"\x05" + bytes(5))
        + frame(DATA, END_STREAM, stream, b"ok")),
    ("empty DATA, then the body", 0, lambda stream: headers(stream, OK, END_HEADERS) + frame(DATA, 0, stream) + frame(DATA, 0, stream, b"ok") + frame(DATA, END_STREAM, stream)),
    ("content-length 0 with END_STREAM on HEADERS", 0, lambda stream: headers(stream, [(":status", "200"), ("content-length", "0")])),
    ("status 304 with a content-length", 0, lambda stream: headers(stream, [(":status", "304"), ("content-length", "5")])),
    ("status 204 with empty DATA", 0, lambda stream: answer(stream, [(":status", "204")], b"")),
    ("two content-lengths that are alike", (0, 8), lambda stream: answer(stream, [*OK, ("content-length", "2")], b"ok")),
    ("content-length \"2, 2\"", (0, 8), lambda stream: answer(stream, [(":status", "200"), ("content-length", "2, 2")], b"ok")),
    (":status 099, not", 8, head((":status", "099"))),
    ("DATA after END_STREAM", (0, 8), lambda stream: answer(stream, OK, b"ok") + frame(DATA, END_STREAM, stream, b"more")),
    ("HEADERS after END_STREAM", (0, 8), lambda stream: answer(stream, OK, b"ok") + headers(stream, OK)),
    ("RST_STREAM after END_STREAM", 0, lambda stream: answer(stream, OK, b"ok") + reset(stream, NO_ERROR)),
    ("RST_STREAM with an unknown code after END_STREAM", 0, lambda stream: answer(stream, OK, b"ok") + reset(stream, 0xFA)),
    ("WINDOW_UPDATE after END_STREAM", 0, lambda stream: answer(stream, OK, b"ok") + window_update(stream, 5)),
    ("PRIORITY after END_STREAM", 0, lambda stream: answer(stream, OK, b"ok") + frame(PRIORITY, 0, stream, bytes(5))),
]


class Malformed:
    def __init__(self, runs):
        self.runs = runs
        self.cases = [
            *[self.connection(*row) for row in CONNECTION], *[self.stream(*row) for row in STREAM], *[self.start(*row) for row in STARTS],
            *[self.fine(*row) for row in FINE], *[self.odd(*row) for row in ODD],
            self.head_with_data, self.cookies, self.many_fields, self.goaway_first,
        ]

    def sending(self, make):
        def behave(peer):
            request = peer.ready()
            peer.counts_acknowledgements = False
            peer.send(make(request.stream))
            peer.drain()

        return behave

    def told(self, codes, has_streams=False):
        """That the server is told of its error, with one of the codes."""
        codes = codes if isinstance(codes, tuple) else (codes,)

        def faults(_, server):
            told = [code for peer in server.peers for code in [peer.goaway, *(peer.resets.values() if has_streams else [])] if code is not None]
            frames = "GOAWAY or RST_STREAM" if has_streams else "GOAWAY"
            if not set(told) & set(codes):
                return [f"the server is not told by {frames} with code {' or '.join(map(str, codes))}, but {told}"]
            return [] if len(server.peers) == 1 else [f"the request was sent {len(server.peers)} times"]

        return faults

    def connection(self, what, codes, make):
        return lambda: self.runs.against(what, self.sending(make), status=VIOLATION, err=NAMED, out=b"", below=4, says=self.told(codes))

    def stream(self, what, make):
        codes = (PROTOCOL_ERROR, FLOW_CONTROL_ERROR, FRAME_SIZE_ERROR, STREAM_CLOSED)
        return lambda: self.runs.against(what, self.sending(make), ["-o", self.runs.file("kept")], status=VIOLATION, err=NAMED, below=4,
            says=self.told(codes, has_streams=True))

    def start(self, what, code, bytes_):
        def behave(peer):
            peer.preface()
            peer.send(bytes_)
            peer.drain()

        says = (lambda *_: []) if code is None else self.told(code)
        return lambda: self.runs.against(what, behave, status=VIOLATION, err=NAMED if code is not None else "HTTP/2|RFC 9113", out=b"", below=4, says=says)

    def fine(self, what, make):
        def behave(peer):
            request = peer.ready()
            peer.counts_acknowledgements = False
            peer.send(make(request.stream))
            peer.answer(request.stream)
            peer.drain()

        return lambda: self.runs.against(f"{what}: no error", behave, out=b"ok", below=4)

    def odd(self, what, status, make):
        return lambda: self.runs.against(f"{what}: a response", self.sending(make), status=status, below=4)

    def head_with_data(self):
        self.runs.against("HEAD with a content-length and no DATA", self.sending(lambda stream: headers(stream, OK)), ["-I"], below=4)
        self.runs.against("HEAD with empty DATA", self.sending(lambda stream: answer(stream, OK, b"")), ["-I"], below=4)
        self.runs.against("HEAD with DATA", self.sending(lambda stream: answer(stream, OK, b"ok")), ["-I"], status=VIOLATION, err=NAMED, below=4)

    def cookies(self):
        fields = [*OK, ("set-cookie", "a=1"), ("set-cookie", "b=2; expires=Wed, 01 Jan 2031 00:00:00 GMT")]
        self.runs.against("two set-cookie remain two", self.sending(lambda stream: answer(stream, fields, b"ok")), ["-i"],
            says=lambda run, _: [] if run.out.lower().count(b"set-cookie:") == 2 else [f"the head is {run.out!r}"])

    def many_fields(self):
        few, many = [("x-test", "1")] * 500, [("x-test", "1")] * 20_000

        def split(fields):
            def make(stream):
                whole = plain([*OK, *fields])
                parts = [whole[at:at + 16384] for at in range(0, len(whole), 16384)]
                rest = [frame(CONTINUATION, END_HEADERS if part is parts[-1] else 0, stream, part) for part in parts[1:]]
                return frame(HEADERS, 0 if rest else END_HEADERS, stream, parts[0]) + b"".join(rest) + frame(DATA, END_STREAM, stream, b"ok")

            return make

        self.runs.against("500 fields", self.sending(split(few)), out=b"ok", below=4)
        self.runs.against("100 fields of 1,000 bytes", self.sending(split([("x-test", "y" * 1000)] * 100)), out=b"ok", below=4)
        self.runs.against("20,000 fields", self.sending(split(many)), status=VIOLATION, below=4)

    def goaway_first(self):
        def behave(peer):
            peer.preface()
            peer.send(goaway(0, ENHANCE_YOUR_CALM, b"too much"))
            peer.drain()

        self.runs.against("the first frame is GOAWAY, each time", behave, ["-d", "x"], status=(8, 52, 56), below=8,
            says=lambda _, server: [] if len(server.peers) <= 10 else [f"it was tried {len(server.peers)} times"])
