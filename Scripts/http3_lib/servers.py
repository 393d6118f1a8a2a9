"""Servers for Scripts/http3, all on 127.0.0.1: one with HTTP/3 (aioquic), one with HTTP/2 that offers it (nginx), and UDP
ports that are closed or never answer."""
import json
import pathlib
import queue
import socket
import subprocess
import threading

from conformance_lib.checks import eventually
from conformance_lib.servers import Servers, end_with_parent, free_ports

NGINX = """
daemon off;
master_process off;
error_log error.log;
pid nginx.pid;
events {{ worker_connections 64; }}
http {{
    access_log access.log;
    client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi; uwsgi_temp_path uwsgi; scgi_temp_path scgi;
    ssl_certificate good.pem;
    ssl_certificate_key good.key;
    {servers}
}}
"""
SERVER = """server {{
    listen 127.0.0.1:{port} ssl http2;
    add_header Alt-Svc '{offer}';
    location / {{ return 200 "h2\\n"; }}
}}
"""


class HTTP3Server:
    """The server of server.py, with what it has reported."""

    def __init__(self, python, folder, certificate="good"):
        program = pathlib.Path(__file__).with_name("server.py")
        command = [python, program, folder / f"{certificate}.pem", folder / f"{certificate}.key", str(free_ports(1)[0])]
        self.process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, preexec_fn=end_with_parent, text=True)
        self.lines = queue.Queue()
        threading.Thread(target=self.read, daemon=True).start()
        self.reports = []
        self.port = json.loads(self.lines.get(timeout=20))["port"]

    def read(self):
        for line in self.process.stdout:
            self.lines.put(line)

    def reported(self, **fields):
        """All reports so far that have these fields, with these values unless they are None."""
        while not self.lines.empty():
            self.reports.append(json.loads(self.lines.get()))
        return [
            one for one in self.reports
            if all(name in one and value in (None, one[name]) for name, value in fields.items())
        ]

    def eventually(self, count=1, **fields):
        return eventually(lambda: len(self.reported(**fields)) >= count, f"the server reported no {fields}")

    def forget(self):
        self.reported()
        self.reports = []

    def stop(self):
        self.process.kill()
        self.process.wait()


class OfferingServers(Servers):
    """nginx with a server for each offer: `ports` has their ports by the offers' names."""

    def offer(self, offers):
        """An offer is the value of Alt-Svc, or a UDP port: then nginx takes the TCP port of the same number."""
        ports, texts = {}, []
        for name, offer in offers.items():
            port = offer if isinstance(offer, int) else free_ports(1)[0]
            value = f'h3=":{port}"; ma=600' if isinstance(offer, int) else offer
            ports[name] = port
            texts.append(SERVER.format(port=port, offer=value))
        (self.folder / "nginx.conf").write_text(NGINX.format(servers="".join(texts)))
        self.start("nginx", ["nginx", "-p", str(self.folder), "-e", "error.log", "-c", "nginx.conf"], ports.values())
        return ports


def udp_port(is_open):
    """A UDP port that nobody reads, with its socket; or one that is closed."""
    one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    one.bind(("127.0.0.1", free_ports(1)[0]))
    port = one.getsockname()[1]
    if not is_open:
        one.close()
    return port, one
