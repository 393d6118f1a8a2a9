"""A loopback server of plain sockets that keeps what it is sent, byte for byte, and answers by the path."""
import contextlib
import email.utils
import gzip
import re
import socket
import ssl
import threading
import time

TOMORROW = email.utils.formatdate(time.time() + 86400, usegmt=True)
HEADS = {
    "redirect": (302, ["Location: /ok/there", "Set-Cookie: hop=1; Path=/"]),
    "post-redirect": (303, ["Location: /ok/there"]),
    "loop": (302, ["Location: /loop"]),
    "404": (404, ["Content-Type: text/plain"]),
    "cookies": (200, ["Set-Cookie: a=1; Path=/", f"Set-Cookie: b=2; Path=/deep; HttpOnly; Expires={TOMORROW}"]),
    "named": (200, ['Content-Disposition: attachment; filename="given.txt"']),
    "dated": (200, ["Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT", 'ETag: "v1"']),
    "gzip": (200, ["Content-Encoding: gzip"]),
}


class Recorder:
    """`requests` are the bytes of all requests since `clear`, in their order."""

    def __init__(self, context=None):
        self.context, self.requests, self.lock = context, [], threading.Lock()
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.serve, daemon=True).start()

    def url(self, path=""):
        return f"{'https' if self.context else 'http'}://localhost:{self.port}/{path}"

    def clear(self):
        with self.lock:
            self.requests = []

    def serve(self):
        while True:
            connection, _ = self.listener.accept()
            threading.Thread(target=self.converse, args=(connection,), daemon=True).start()

    def converse(self, connection):
        # A client may leave at any time.
        with contextlib.suppress(OSError), connection:
            connection.settimeout(20)
            if self.context:
                connection = self.context.wrap_socket(connection, server_side=True)
            self.answer(connection, self.receive(connection))
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_WR)
                connection.recv(1)

    def receive(self, connection):
        data = b""
        while b"\r\n\r\n" not in data:
            data += self.more(connection)
        head = data.partition(b"\r\n\r\n")[0].lower()
        if b"\r\nexpect: 100-continue" in head:
            connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
        length = re.search(rb"\r\ncontent-length: (\d+)", head)
        size = len(head) + 4 + int(length[1] if length else 0)
        while not data.endswith(b"\r\n0\r\n\r\n") if b"transfer-encoding: chunked" in head else len(data) < size:
            data += self.more(connection)
        with self.lock:
            self.requests.append(data)
        return data

    @staticmethod
    def more(connection):
        data = connection.recv(65536)
        if not data:
            raise ConnectionError
        return data

    def answer(self, connection, request):
        method, target = request.decode("latin-1").split(" ")[:2]
        name = re.sub(r"^\w+://[^/]*", "", target).lstrip("/").split("/")[0].split("?")[0]
        if name == "stall":
            return connection.recv(1)
        status, headers = HEADS.get(name, (200, ["Content-Type: text/plain"]))
        if name == "busy" and len(self.requests) == 1:
            status, headers = 503, []
        if name == "private" and b"\r\nAuthorization:" not in request:
            status, headers = 401, ['WWW-Authenticate: Basic realm="here"']
        body = gzip.compress(b"packed", mtime=0) if name == "gzip" else f"{method} {name} {len(self.requests)}\n".encode()
        asked = re.search(rb"\r\nRange: bytes=(\d+)-(\d*)", request)
        if asked and status == 200:
            first, last = int(asked[1]), int(asked[2] or len(body) - 1)
            status, headers, body = 206, [f"Content-Range: bytes {first}-{last}/{len(body)}"], body[first : last + 1]
        lines = [f"HTTP/1.1 {status} So", *headers, f"Content-Length: {len(body)}", "Connection: close", "", ""]
        connection.sendall("\r\n".join(lines).encode() + (b"" if method == "HEAD" else body))


def over_tls(certificate, key, clients=None):
    """A recorder with a certificate, which asks for that of the client if `clients` has an authority."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    if clients:
        context.load_verify_locations(clients)
        context.verify_mode = ssl.CERT_REQUIRED
    return Recorder(context)
