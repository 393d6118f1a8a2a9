"""Real servers on 127.0.0.1 for nginx-conformance and conformance: nginx, tinyproxy and a small SOCKS5 proxy, all in one folder."""
import ctypes
import errno
import pathlib
import random
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time

NGINX = """
daemon off;
master_process off;
error_log error.log;
pid nginx.pid;
events {{ worker_connections 512; }}
http {{
    log_format conformance '$connection $server_protocol $request_uri $status $sent_http_content_encoding $msec $request_time $http_via';
    access_log access.log conformance;
    default_type text/plain;
    client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi; uwsgi_temp_path uwsgi; scgi_temp_path scgi;
    root {folder}/site;
    ssl_certificate good.pem;
    ssl_certificate_key good.key;
    gzip_min_length 1;
    gzip_types text/plain;
    server {{ listen 127.0.0.1:{plain}; listen unix:{folder}/nginx.socket; {locations} }}
    server {{ listen 127.0.0.1:{h2c} http2; {locations} }}
    server {{ listen 127.0.0.1:{good} ssl http2; {locations} }}
    server {{ listen 127.0.0.1:{retiring} ssl http2; keepalive_requests 50; {locations} }}
    server {{ listen 127.0.0.1:{selfsigned} ssl; ssl_certificate selfsigned.pem; ssl_certificate_key selfsigned.key; {locations} }}
    server {{ listen 127.0.0.1:{expired} ssl; ssl_certificate expired.pem; ssl_certificate_key expired.key; {locations} }}
    server {{ listen 127.0.0.1:{wronghost} ssl; ssl_certificate wronghost.pem; ssl_certificate_key wronghost.key; {locations} }}
    server {{ listen 127.0.0.1:{client} ssl; ssl_client_certificate ca.pem; ssl_verify_client on; {locations} }}
    server {{ listen 127.0.0.1:{tls11} ssl; ssl_protocols TLSv1.1; ssl_ciphers DEFAULT@SECLEVEL=0; {locations} }}
}}
""".replace("    location_block_\n", "")

# limit_rate makes a body last, so that requests that may run at the same time do.
LOCATIONS = """
    location / { return 200 ok; }
    location = /refused { return 413 no; }
    location = /none { return 204; }
    location = /text { gzip on; }
    location = /trailers { gzip on; add_trailer X-Checksum 12345 always; }
    location /slow/ { try_files /text =404; limit_rate 100k; }
"""

TINYPROXY = """
Listen 127.0.0.1
Port {port}
Timeout 20
Allow 127.0.0.1
LogFile "{log}"
LogLevel Info
{more}
"""


def free_ports(count):
    """Free ports below the range that the kernel picks from for connections: a port in it may be taken before a server listens."""
    first = int(pathlib.Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    sockets, candidates = [], range(10_000, first) if first > 20_000 else [0] * count
    for port in random.sample(candidates, len(candidates)):
        if len(sockets) == count:
            break
        try:
            sockets.append(socket.create_server(("127.0.0.1", port)))
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def end_with_parent():
    """In a child, on Linux: it is killed when this program is, however that ends."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)


class Servers:
    """Starts servers in a temporary folder; neither they nor it outlive the `with`."""

    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="anet-nginx."))
        self.running = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in self.running:
            process.kill()
            process.wait()
        for _ in range(20):  # An openssl that was interrupted may still be writing.
            shutil.rmtree(self.folder, ignore_errors=True)
            if not self.folder.exists():
                break
            time.sleep(0.1)

    def start(self, name, command, ports):
        """Its output goes to a file, and it has no input: nothing waits for it and it waits for nothing."""
        with open(self.folder / f"{name}.out", "wb") as out:
            process = subprocess.Popen(command, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=out, stderr=out, preexec_fn=end_with_parent)
        self.running.append(process)
        for port in ports:
            self.wait(name, process, port)

    def wait(self, name, process, port):
        for _ in range(100):
            try:
                return socket.create_connection(("127.0.0.1", port), 1).close()
            except OSError:
                if process.poll() is not None:
                    break
                time.sleep(0.05)
        raise SystemExit(f"{name} does not listen:\n" + (self.folder / f"{name}.out").read_text())

    def nginx(self):
        """Ports by the names of its servers."""
        names = ["plain", "h2c", "good", "retiring", "selfsigned", "expired", "wronghost", "client", "tls11"]
        ports = dict(zip(names, free_ports(len(names))))
        text = NGINX.format(folder=self.folder, locations=LOCATIONS, **ports)
        (self.folder / "nginx.conf").write_text(text)
        self.start("nginx", ["nginx", "-p", str(self.folder), "-e", "error.log", "-c", "nginx.conf"], ports.values())
        return ports

    def tinyproxy(self, name, more=""):
        (port,) = free_ports(1)
        text = TINYPROXY.format(port=port, log=self.folder / f"{name}.log", more=more)
        (self.folder / f"{name}.conf").write_text(text)
        self.start(name, ["tinyproxy", "-d", "-c", f"{name}.conf"], [port])
        return port

    def log(self, name):
        path = self.folder / name
        return path.read_text() if path.exists() else ""


class Socks5:
    """A SOCKS5 proxy (RFC 1928) that wants a user and password (RFC 1929) and knows no commands but CONNECT."""

    def __init__(self, user, password):
        self.credentials = (user.encode(), password.encode())
        self.targets = []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            client, _ = self.listener.accept()
            threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def serve(self, client):
        with client, client.makefile("rb") as input:
            try:
                if self.authenticate(client, input):
                    self.connect(client, input)
            except (OSError, IndexError):
                pass

    def authenticate(self, client, input):
        methods = input.read(input.read(2)[1])
        client.sendall(b"\x05\x02" if 2 in methods else b"\x05\xff")
        if 2 not in methods:
            return False
        user = input.read(input.read(2)[1])
        password = input.read(input.read(1)[0])
        is_right = (user, password) == self.credentials
        client.sendall(b"\x01\x00" if is_right else b"\x01\x01")
        return is_right

    def connect(self, client, input):
        kind = input.read(4)[3]
        host = socket.inet_ntoa(input.read(4)) if kind == 1 else input.read(input.read(1)[0]).decode()
        port = int.from_bytes(input.read(2), "big")
        self.targets.append(f"{host}:{port}")
        try:
            server = socket.create_connection(("127.0.0.1", port), 5)  # Whatever the name: it leads nowhere else.
        except OSError:
            client.sendall(b"\x05\x05\x00\x01" + bytes(6))
            return
        with server:
            client.sendall(b"\x05\x00\x00\x01" + bytes(6))
            back = threading.Thread(target=self.copy, args=(server.recv, client), daemon=True)
            back.start()
            self.copy(input.read1, server)
            back.join(10)

    @staticmethod
    def copy(read, to):
        try:
            while data := read(65536):
                to.sendall(data)
            to.shutdown(socket.SHUT_WR)
        except OSError:
            pass
