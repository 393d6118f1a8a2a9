"""The server's side of one HTTP/2 connection: it sends what a case tells it to, and says what the client does wrong."""
import re
import select
import struct
import time

import hpack

from http2_lib.frames import *

LARGEST_FRAME = 16384
CONNECTION_FIELDS = {"connection", "proxy-connection", "keep-alive", "transfer-encoding", "upgrade", "host", "http2-settings"}


class Ended(Exception):
    """The client has closed the connection, or sent nothing for too long."""


class Request:
    def __init__(self, stream, fields):
        self.stream, self.fields, self.trailers = stream, dict(fields), None
        self.body, self.has_ended, self.at = bytearray(), False, time.monotonic()

    @property
    def path(self):
        return self.fields[":path"]


class Peer:
    def __init__(self, socket, fault):
        self.socket, self.fault = socket, fault
        self.buffer, self.decoder = bytearray(), hpack.Decoder()
        self.requests, self.unread = {}, []  # By stream; and those that no case has taken.
        self.open, self.resets, self.goaway = set(), {}, None
        self.settings, self.acknowledged, self.pongs, self.updates = {}, 0, [], 0
        self.unacknowledged, self.most_streams = [], None
        self.counts_acknowledgements = True
        self.gives_windows, self.largest_frame = True, LARGEST_FRAME
        self.client_initial, self.client_windows = 65535, {0: 65535}  # What the client may send.
        self.initial, self.windows = 65535, {0: 65535}  # What the client lets this side send.
        self.block, self.is_first = None, True

    # Sending.

    def send(self, *frames):
        self.socket.sendall(b"".join(frames))

    def set(self, *pairs):
        """Sends SETTINGS; what they take away from the client counts once it has acknowledged them."""
        self.unacknowledged.append(pairs)
        for name, value in pairs:
            if name == INITIAL_WINDOW_SIZE and value > self.client_initial:
                self.resize(value)
            if name == MAX_FRAME_SIZE:
                self.largest_frame = max(self.largest_frame, value)
        self.send(settings(pairs))

    def resize(self, value):
        for stream in self.client_windows:
            self.client_windows[stream] += (value - self.client_initial) if stream else 0
        self.client_initial = value

    def give(self, stream, count):
        """Lets the client send more."""
        self.client_windows[stream] = self.client_windows.get(stream, self.client_initial) + count
        self.send(window_update(stream, count))

    def head(self, stream, fields=(), status=200, ends=False):
        self.send(frame(HEADERS, END_HEADERS | (END_STREAM if ends else 0), stream, plain([(":status", str(status)), *fields])))
        self.end(stream, ends)

    def data(self, stream, payload=b"", ends=False, padding=None):
        flags = (END_STREAM if ends else 0) | (0 if padding is None else PADDED)
        self.send(frame(DATA, flags, stream, payload if padding is None else padded(payload, padding)))
        self.end(stream, ends)

    def end(self, stream, ends=True):
        if ends and stream in self.requests and self.requests[stream].has_ended:
            self.open.discard(stream)

    def answer(self, stream, body=b"ok", status=200, fields=()):
        length = [] if any(name == "content-length" for name, _ in fields) else [("content-length", str(len(body)))]
        self.head(stream, [*length, *fields], status)
        self.data(stream, body, ends=True)

    def room(self, stream):
        return min(self.windows[0], self.windows.setdefault(stream, self.initial))

    def take(self, stream, count):
        self.windows[0] -= count
        self.windows[stream] -= count

    def body(self, stream, body, ends=True, padding=None, size=LARGEST_FRAME):
        """Sends a body as the client's windows allow."""
        extra = 0 if padding is None else padding + 1
        at = 0
        while at < len(body):
            count = min(size, LARGEST_FRAME - extra, len(body) - at)
            self.wait(lambda: self.room(stream) >= count + extra or stream in self.resets)
            if stream in self.resets:
                return
            self.take(stream, count + extra)
            self.data(stream, body[at:at + count], ends and at + count == len(body), padding)
            at += count
            while self.is_readable():
                self.read()

    # Receiving.

    def start(self, *pairs):
        """The client's preface, and SETTINGS of this side."""
        self.preface()
        self.set(*pairs)

    def preface(self):
        if self.exactly(len(PREFACE)) != PREFACE:
            self.fault("the client sends no preface (RFC 9113 section 3.4)")
            raise Ended

    def request(self, seconds=10):
        """The next one; its body may still come."""
        self.wait(lambda: self.unread, seconds)
        return self.unread.pop(0)

    def whole(self, seconds=10):
        """The next request, once its body is here."""
        request = self.request(seconds)
        self.wait(lambda: request.has_ended or request.stream in self.resets, seconds)
        return request

    def ready(self, *pairs):
        """Its first request whole, and all SETTINGS acknowledged."""
        self.start(*pairs)
        request = self.whole()
        self.wait(lambda: not self.unacknowledged)
        return request

    def wait(self, is_so, seconds=10):
        end = time.monotonic() + seconds
        while not is_so():
            if time.monotonic() >= end:
                raise Ended
            self.read(end)

    def idle(self, seconds):
        """Reads whatever comes in that time."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            if self.is_readable(left):
                self.read()

    def drain(self, seconds=3):
        """Reads to the connection's end, for what the client says of it."""
        try:
            self.wait(lambda: False, seconds)
        except (Ended, OSError):
            pass

    def is_readable(self, seconds=0):
        return len(self.buffer) >= 9 or has_pending(self.socket) or bool(select.select([self.socket], [], [], max(0, seconds))[0])

    def exactly(self, count, end=None):
        while len(self.buffer) < count:
            self.socket.settimeout(max(0.01, (end or time.monotonic() + 10) - time.monotonic()))
            try:
                more = self.socket.recv(65536)
            except TimeoutError:
                raise Ended
            finally:
                self.socket.settimeout(10)
            if not more:
                raise Ended
            self.buffer += more
        bytes_, self.buffer = bytes(self.buffer[:count]), self.buffer[count:]
        return bytes_

    def read(self, end=None):
        start = self.exactly(9, end)
        length, kind, flags = int.from_bytes(start[:3], "big"), start[3], start[4]
        (stream,) = struct.unpack(">I", start[5:])
        payload = self.exactly(length, end)
        if length > self.largest_frame:
            self.fault(f"the client sends a frame of {length} bytes (RFC 9113 section 4.2)")
        if self.is_first and kind != SETTINGS:
            self.fault(f"the client's first frame is of type {kind} (RFC 9113 section 3.4)")
        if self.block and kind != CONTINUATION:
            self.fault(f"the client sends type {kind} within a header block (RFC 9113 section 6.10)")
        self.is_first = False
        handler = [self.on_data, self.on_headers, None, self.on_reset, self.on_settings, None, self.on_ping, self.on_goaway, self.on_window, self.on_continuation]
        if kind < len(handler) and handler[kind]:
            handler[kind](flags, stream, payload)
        elif kind == PUSH_PROMISE:
            self.fault("the client pushes")

    def on_data(self, flags, stream, payload):
        request = self.requests.get(stream)
        if request is None or request.has_ended:
            self.fault(f"DATA on stream {stream}, which is not open (RFC 9113 section 5.1)")
            return
        for one in (0, stream):
            self.client_windows[one] = self.client_windows.get(one, self.client_initial) - len(payload)
            if self.client_windows[one] < 0 and payload:
                self.fault(f"DATA beyond the window of stream {one}, now {self.client_windows[one]} (RFC 9113 section 6.9)")
        if self.gives_windows and payload:
            self.give(0, len(payload))
            if not flags & END_STREAM:
                self.give(stream, len(payload))
        request.body += unpadded(flags, payload)
        self.close_half(request, flags)

    def close_half(self, request, flags):
        if flags & END_STREAM:
            request.has_ended = True

    def on_headers(self, flags, stream, payload):
        payload = unpadded(flags, payload)
        self.block = [flags & END_STREAM, stream, payload[5:] if flags & WITH_PRIORITY else payload]
        self.finish_block(flags)

    def on_continuation(self, flags, stream, payload):
        if not self.block or self.block[1] != stream:
            self.fault("the client sends CONTINUATION out of order (RFC 9113 section 6.10)")
            raise Ended
        self.block[2] += payload
        self.finish_block(flags)

    def finish_block(self, flags):
        if not flags & END_HEADERS:
            return
        ends, stream, block = self.block
        self.block = None
        fields = self.decoder.decode(block)
        if stream in self.requests:
            self.requests[stream].trailers = dict(fields)
            self.close_half(self.requests[stream], ends)
            return
        if not stream % 2 or stream <= max(self.requests, default=0):
            self.fault(f"stream {stream} after {max(self.requests, default=0)} (RFC 9113 section 5.1.1)")
        check_fields(fields, self.fault)
        request = Request(stream, fields)
        self.requests[stream] = request
        self.unread.append(request)
        self.open.add(stream)
        self.client_windows.setdefault(stream, self.client_initial)
        if self.most_streams is not None and len(self.open) > self.most_streams:
            self.fault(f"{len(self.open)} streams are open, {self.most_streams} are allowed (RFC 9113 section 5.1.2)")
        self.close_half(request, ends)

    def on_reset(self, _, stream, payload):
        if stream not in self.requests:
            self.fault(f"RST_STREAM on stream {stream}, which is idle (RFC 9113 section 6.4)")
        self.resets[stream] = int.from_bytes(payload, "big")
        self.open.discard(stream)

    def on_settings(self, flags, _, payload):
        if flags & ACK:
            self.acknowledged += 1
            if not self.unacknowledged:
                return self.fault("the client acknowledges SETTINGS that were not sent") if self.counts_acknowledgements else None
            for name, value in self.unacknowledged.pop(0):
                if name == INITIAL_WINDOW_SIZE and value < self.client_initial:
                    self.resize(value)
                if name == HEADER_TABLE_SIZE:
                    self.decoder.max_allowed_table_size = value
                self.most_streams = value if name == MAX_CONCURRENT_STREAMS else self.most_streams
            return
        for at in range(0, len(payload), 6):
            name, value = struct.unpack(">HI", payload[at:at + 6])
            self.settings[name] = value
            if name == INITIAL_WINDOW_SIZE:
                for stream in self.windows:
                    self.windows[stream] += (value - self.initial) if stream else 0
                self.initial = value
        if self.settings.get(ENABLE_PUSH) != 0:
            self.fault("the client does not refuse pushes")
        self.send(frame(SETTINGS, ACK))

    def on_ping(self, flags, _, payload):
        if flags & ACK:
            self.pongs.append(payload)
        else:
            self.send(frame(PING, ACK, 0, payload))

    def on_goaway(self, _, stream, payload):
        last, code = struct.unpack(">II", payload[:8])
        self.goaway = code
        if last:
            self.fault(f"GOAWAY with the last stream {last}, where the server has opened none (RFC 9113 section 6.8)")

    def on_window(self, _, stream, payload):
        (increment,) = struct.unpack(">I", payload)
        self.updates += 1
        self.windows[stream] = self.windows.get(stream, self.initial) + increment
        if not increment or self.windows[stream] > LARGEST_WINDOW:
            self.fault(f"WINDOW_UPDATE of {increment} on stream {stream} makes {self.windows[stream]} (RFC 9113 section 6.9)")


def has_pending(socket):
    return hasattr(socket, "pending") and socket.pending() > 0


def unpadded(flags, payload):
    return payload[1:len(payload) - payload[0]] if flags & PADDED else payload


def check_fields(fields, fault):
    """RFC 9113 section 8.2 and 8.3, of a request."""
    names = [name for name, _ in fields]
    if sorted(name for name in names if name.startswith(":")) != [":authority", ":method", ":path", ":scheme"]:
        fault(f"the pseudo-header fields are {[name for name in names if name.startswith(':')]} (RFC 9113 section 8.3.1)")
    if any(name.startswith(":") for name in names[4:]):
        fault("a pseudo-header field comes after another field (RFC 9113 section 8.3)")
    for name, value in fields:
        if name.lower() in CONNECTION_FIELDS or name == "te" and value != "trailers":
            fault(f"the request has {name} (RFC 9113 section 8.2.2)")
        if not re.fullmatch(r":?[!#$%&'*+.^_`|~0-9a-z-]+", name) or value != value.strip() or re.search(r"[\0\r\n]", value):
            fault(f"the request has {name!r}: {value!r} (RFC 9113 section 8.2.1)")
