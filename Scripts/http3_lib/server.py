"""An HTTP/3 server on a UDP port of 127.0.0.1: python server.py CERTIFICATE KEY PORT, 0 for a port that the system picks.

Writes a JSON object a line to standard output: its port, each handshake, each request when it is complete, each reset.
GET /bytes/N sends N bytes, GET /hang nothing, /late after half a second; other paths answer "h3" with the number of received bytes and their SHA-256.
After that /close closes the connection, /exit ends the server, and /mute makes it ignore all packets.
"""
import asyncio
import hashlib
import json
import os
import sys

from aioquic.asyncio import QuicConnectionProtocol, serve
from aioquic.h3.connection import H3_ALPN, H3Connection
from aioquic.h3.events import DataReceived, HeadersReceived
from aioquic.quic.configuration import QuicConfiguration
from aioquic.quic.events import ConnectionTerminated, HandshakeCompleted, StreamReset, StopSendingReceived

MOST_UNSENT = 1 << 20
CHUNK = bytes(range(256)) * 256
sessions = {}
is_mute = False


def say(**fields):
    print(json.dumps(fields), flush=True)


class Exchange:
    def __init__(self, headers):
        self.method, self.path = headers[b":method"].decode(), headers[b":path"].decode()
        self.headers = {name.decode(): value.decode() for name, value in headers.items()}
        self.received, self.digest, self.unsent = 0, hashlib.sha256(), 0


class Server(QuicConnectionProtocol):
    def __init__(self, *arguments, **named):
        super().__init__(*arguments, **named)
        self.http, self.exchanges = None, {}

    def quic_event_received(self, event):
        if isinstance(event, HandshakeCompleted):
            say(handshake=True, early=event.early_data_accepted)
            self.http = H3Connection(self._quic)
        elif isinstance(event, (StreamReset, StopSendingReceived)) and self.exchanges.pop(event.stream_id, None):
            say(reset=event.stream_id)
        elif isinstance(event, ConnectionTerminated):
            self.exchanges.clear()
        for event in self.http.handle_event(event) if self.http else []:
            self.receive(event)

    def receive(self, event):
        if isinstance(event, HeadersReceived) and event.stream_id not in self.exchanges:
            self.exchanges[event.stream_id] = Exchange(dict(event.headers))
        exchange = self.exchanges.get(event.stream_id)
        if exchange and isinstance(event, DataReceived):
            exchange.received += len(event.data)
            exchange.digest.update(event.data)
        if exchange and getattr(event, "stream_ended", False):
            self.answer(event.stream_id, exchange)

    def answer(self, stream, exchange):
        say(method=exchange.method, path=exchange.path, received=exchange.received, headers=exchange.headers)
        if exchange.path == "/late":
            exchange.path = "/"
            asyncio.get_running_loop().call_later(0.5, self.answer, stream, exchange)
        elif exchange.path != "/hang":
            self.respond(stream, exchange)
            self.transmit()

    def respond(self, stream, exchange):
        text = f"h3 {exchange.received} {exchange.digest.hexdigest()}\n".encode()
        exchange.unsent = int(exchange.path[7:]) if exchange.path.startswith("/bytes/") else 0
        length = exchange.unsent or len(text)
        self.http.send_headers(stream, [(b":status", b"200"), (b"content-length", b"%d" % length)])
        if not exchange.unsent:
            self.http.send_data(stream, text, end_stream=True)
            del self.exchanges[stream]
            self.end_as(exchange.path)

    def end_as(self, path):
        global is_mute
        if path == "/close":
            asyncio.get_running_loop().call_later(0.05, self.close)
        if path in ("/exit", "/mute"):
            self.transmit()
            is_mute = True
        if path == "/exit":
            os._exit(0)

    def datagram_received(self, data, address):
        if is_mute:
            return
        super().datagram_received(data, address)
        self.pump()

    def pump(self):
        """Gives aioquic, which has no back-pressure, no more than it can send soon."""
        hasMore = False
        for stream, exchange in list(self.exchanges.items()):
            sender = self._quic._streams[stream].sender
            while exchange.unsent and len(sender._buffer) < MOST_UNSENT:
                piece = CHUNK[: exchange.unsent]
                exchange.unsent -= len(piece)
                hasMore = True
                self.http.send_data(stream, piece, end_stream=exchange.unsent == 0)
                if not exchange.unsent:
                    del self.exchanges[stream]
        if hasMore:
            self.transmit()


async def main(certificate, key, port):
    configuration = QuicConfiguration(
        is_client=False, alpn_protocols=H3_ALPN, max_data=16 << 20, max_stream_data=8 << 20, idle_timeout=60,
        max_datagram_size=1400)
    configuration.load_cert_chain(certificate, key)
    server = await serve(
        "127.0.0.1", int(port), configuration=configuration, create_protocol=Server,
        session_ticket_fetcher=lambda ticket: sessions.pop(ticket, None),
        session_ticket_handler=lambda ticket: sessions.update({ticket.ticket: ticket}))
    say(port=server._transport.get_extra_info("sockname")[1])
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
