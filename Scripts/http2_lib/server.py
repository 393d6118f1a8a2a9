"""Servers of one behaviour, each on a port of 127.0.0.1, and what a client did wrong there."""
import socket
import ssl
import threading
import traceback

from http2_lib.peer import Ended, Peer


class RawServer:
    """Gives each connection to `behave`, as a Peer; one that chose HTTP/1.1 in the handshake to `http1`, as a socket."""

    def __init__(self, behave, tls=None, http1=None):
        self.behave, self.tls, self.http1 = behave, tls, http1
        self.faults, self.peers, self.running = [], [], []
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()

    def url(self, path="", scheme=None):
        scheme = scheme or ("https" if self.tls else "http")
        return f"{scheme}://localhost:{self.port}/{path}" if self.tls else f"{scheme}://127.0.0.1:{self.port}/{path}"

    def accept(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            thread = threading.Thread(target=self.serve, args=(connection,), daemon=True)
            self.running.append(thread)
            thread.start()

    def fault(self, text):
        if text not in self.faults:
            self.faults.append(text)

    def serve(self, connection):
        connection.settimeout(10)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            if self.tls:
                connection = self.tls.wrap_socket(connection, server_side=True)
            if self.tls and connection.selected_alpn_protocol() != "h2":
                return self.http1(connection) if self.http1 else self.fault("the client did not choose HTTP/2 in the handshake")
            peer = Peer(connection, self.fault)
            self.peers.append(peer)
            self.behave(peer)
        except (Ended, OSError):
            pass
        except Exception:
            self.fault(traceback.format_exc())
        finally:
            connection.close()

    def ended(self, seconds=5):
        """What the client did wrong, once all connections have ended."""
        for thread in list(self.running):
            thread.join(seconds)
        return self.faults


def tls_context(folder, protocols=("h2", "http/1.1")):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "good.pem", folder / "good.key")
    context.set_alpn_protocols(list(protocols))
    return context
