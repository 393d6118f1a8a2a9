"""Fields as encoders write them (RFC 7541), and frames as TCP may cut them."""
import random
import string

import hpack

from http2_lib.frames import *
from http2_lib.streams import one_connection

LETTERS = string.ascii_lowercase + string.digits + "-_"
VISIBLE = string.ascii_letters + string.digits + string.punctuation + " "


def random_fields(source, count):
    """Some repeat, so that tables are used; some are long, so that entries leave."""
    names = [f"x-{number}-" + "".join(source.choices(LETTERS, k=source.randint(1, 20))) for number in range(12)]
    values = ["".join(source.choices(VISIBLE, k=source.choice([0, 1, 5, 20, 127, 128, 300, 2000]))).strip() for _ in range(12)]
    return [[(source.choice(names), source.choice(values)) for _ in range(source.randint(0, 12))] for _ in range(count)]


class Fields:
    def __init__(self, runs):
        self.runs = runs
        self.cases = [self.responses, self.requests, *[self.pieces(size, tls) for size in (1, 2, 3, 5, 7, 9, 10, 100) for tls in (False, True)]]

    def responses(self):
        """An encoder with Huffman code, a table, and sizes of the table that change: 60 heads over one connection."""
        for seed in range(4):
            source = random.Random(seed)
            heads = random_fields(source, 60)

            def behave(peer):
                encoder = hpack.Encoder()
                peer.start()
                for fields in heads:
                    stream = peer.whole().stream
                    if source.random() < 0.2:
                        # Not twice the same, of which hpack's encoder would tell nothing.
                        for size in source.sample([0, 40, 200, 1000, 4096], source.randint(1, 2)):
                            encoder.header_table_size = size
                    given = [(name, value, source.random() < 0.1) for name, value in [(":status", "200"), *fields]]
                    block = encoder.encode([hpack.NeverIndexedHeaderTuple(*one[:2]) if one[2] else one[:2] for one in given], huffman=source.random() < 0.7)
                    peer.send(frame(HEADERS, END_HEADERS | END_STREAM, stream, block))
                    peer.end(stream)
                peer.drain()

            expected = b"".join(b"HTTP/2 200 \r\n" + b"".join(f"{name}: {value}\r\n".encode() for name, value in fields) + b"\r\n" for fields in heads)
            self.runs.against(f"60 heads of a real encoder, {seed}", behave, ["-i"], urls=["one"] * 60, below=8, says=lambda run, server:
                one_connection(run, server) + difference(run.out, expected))

    def requests(self):
        """What a real decoder makes of the client's heads, with tables of the smallest and the largest size."""
        for size in (4096, 0, 60, 1 << 20):
            source = random.Random(size)
            fields = {name: value for one in random_fields(source, 3) for name, value in one if value}
            arguments = [part for name, value in fields.items() for part in ("-H", f"{name}: {value}")]

            def behave(peer):
                peer.start((HEADER_TABLE_SIZE, size))
                while True:
                    request = peer.whole()
                    wrong = [name for name, value in fields.items() if request.fields.get(name) != value]
                    if wrong:
                        peer.fault(f"{wrong} arrived as {[request.fields.get(name) for name in wrong]}")
                    peer.answer(request.stream)

            self.runs.against(f"{len(fields)} fields to a real decoder with a table of {size}", behave, arguments, urls=["one", "two", "one", "two"],
                out=b"ok" * 4, below=5, says=one_connection)

    def pieces(self, size, tls):
        """All kinds of frames, in pieces of so many bytes: of TCP, and of TLS's records."""
        def behave(peer):
            stream = peer.ready().stream
            peer.counts_acknowledgements = False
            whole = b"".join([
                settings([(INITIAL_WINDOW_SIZE, 100_000), (MAX_FRAME_SIZE, 16384)]), frame(PING, payload=b"12345678"), window_update(0, 1000),
                frame(0xFA, 0, stream, b"unknown" * 5), frame(HEADERS, END_HEADERS, stream, plain([(":status", "103"), ("link", "</a>")])),
                frame(HEADERS, PADDED, stream, padded(plain([(":status", "200"), ("x-test", "a")])[:7], 9)),
                frame(CONTINUATION, END_HEADERS, stream, plain([(":status", "200"), ("x-test", "a")])[7:]),
                frame(DATA, 0, stream, b"some"), frame(DATA, PADDED, stream, padded(b" of", 20)), frame(DATA, 0, stream), frame(DATA, 0, stream, b" it"),
                goaway(stream), frame(HEADERS, END_HEADERS | END_STREAM, stream, plain([("x-checksum", "1")])),
            ])
            for at in range(0, len(whole), size):
                peer.send(whole[at:at + size])
            peer.drain()
            if peer.pongs != [b"12345678"]:
                peer.fault(f"PING was answered with {peer.pongs}")

        return lambda: self.runs.against(f"all frames in pieces of {size}{', TLS' if tls else ''}", behave, out=b"some of it", tls=tls, below=4)


def difference(found, expected):
    if found == expected:
        return []
    at = next((at for at, (one, other) in enumerate(zip(found, expected)) if one != other), min(len(found), len(expected)))
    return [f"the output is another one from byte {at}: {found[max(0, at - 40):at + 40]!r}, not {expected[max(0, at - 40):at + 40]!r}"]
