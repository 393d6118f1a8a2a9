"""HTTP/2's frames and codes (RFC 9113), as bytes: nothing here refuses to write a malformed one."""
import struct

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, PRIORITY, RST_STREAM, SETTINGS, PUSH_PROMISE, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = range(10)
END_STREAM = ACK = 0x1
END_HEADERS, PADDED, WITH_PRIORITY = 0x4, 0x8, 0x20
HEADER_TABLE_SIZE, ENABLE_PUSH, MAX_CONCURRENT_STREAMS, INITIAL_WINDOW_SIZE, MAX_FRAME_SIZE, MAX_HEADER_LIST_SIZE = range(1, 7)
NO_ERROR, PROTOCOL_ERROR, INTERNAL_ERROR, FLOW_CONTROL_ERROR, SETTINGS_TIMEOUT, STREAM_CLOSED, FRAME_SIZE_ERROR = range(7)
REFUSED_STREAM, CANCEL, COMPRESSION_ERROR, CONNECT_ERROR, ENHANCE_YOUR_CALM, INADEQUATE_SECURITY, HTTP_1_1_REQUIRED = range(7, 14)
LARGEST_WINDOW = (1 << 31) - 1


def frame(kind, flags=0, stream=0, payload=b""):
    return head(kind, flags, stream, len(payload)) + payload


def head(kind, flags, stream, length):
    """The head of a frame whose payload follows, or never does."""
    return struct.pack(">I", length)[1:] + bytes([kind, flags]) + struct.pack(">I", stream)


def settings(values=()):
    """Pairs of identifier and value; one may come twice."""
    return frame(SETTINGS, payload=b"".join(struct.pack(">HI", *pair) for pair in values))


def number(value):
    return struct.pack(">I", value)


def window_update(stream, increment):
    return frame(WINDOW_UPDATE, 0, stream, number(increment))


def reset(stream, code):
    return frame(RST_STREAM, 0, stream, number(code))


def goaway(last, code=NO_ERROR, debug=b""):
    return frame(GOAWAY, 0, 0, number(last) + number(code) + debug)


def padded(payload, count):
    return bytes([count]) + payload + bytes(count)


def plain(fields):
    """A header block of literal fields without indexing or Huffman code (RFC 7541 section 6.2.2), whatever the fields hold."""
    def text(value):
        value = value if isinstance(value, bytes) else value.encode("latin-1")
        return integer(len(value), 7, 0) + value

    return b"".join(b"\0" + text(name) + text(value) for name, value in fields)


def integer(value, bits, first):
    """RFC 7541 section 5.1: an integer with a prefix of so many bits, below the bits of `first`."""
    most = (1 << bits) - 1
    if value < most:
        return bytes([first | value])
    value, out = value - most, bytearray([first | most])
    while value >= 128:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out + bytes([value]))
