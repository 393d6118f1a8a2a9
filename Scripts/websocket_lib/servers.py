"""Starts the servers of Scripts/websocket-conformance in the folder of `Servers`."""
import json
import pathlib
import subprocess

from conformance_lib.servers import end_with_parent, free_ports

NGINX = """
daemon off;
master_process off;
error_log error.log;
pid nginx.pid;
events {{ worker_connections 64; }}
http {{
    access_log off;
    client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi; uwsgi_temp_path uwsgi; scgi_temp_path scgi;
    proxy_http_version 1.1;
    proxy_set_header Upgrade $http_upgrade;
    proxy_set_header Connection upgrade;
    server {{ listen 127.0.0.1:{plain}; location / {{ proxy_pass http://127.0.0.1:{target}; }} }}
    server {{
        listen 127.0.0.1:{secure} ssl http2; ssl_certificate good.pem; ssl_certificate_key good.key;
        location / {{ proxy_pass http://127.0.0.1:{target}; }}
    }}
}}
"""


def websockets(servers, python):
    """Ports by name."""
    command = [python, pathlib.Path(__file__).with_name("server.py"), "good.pem", "good.key"]
    with open(servers.folder / "websockets.out", "wb") as errors:
        process = subprocess.Popen(
            command, cwd=servers.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors, preexec_fn=end_with_parent)
    servers.running.append(process)
    return json.loads(process.stdout.readline())


def nginx(servers, target):
    """nginx in front of the target; ports by name."""
    ports = dict(zip(["plain", "secure"], free_ports(2)))
    (servers.folder / "nginx.conf").write_text(NGINX.format(target=target, **ports))
    servers.start("nginx", ["nginx", "-p", str(servers.folder), "-e", "error.log", "-c", "nginx.conf"], ports.values())
    return ports


def redis(servers):
    """Ports by name; its unix socket is redis.socket."""
    ports = dict(zip(["plain", "secure"], free_ports(2)))
    options = {
        "bind": "127.0.0.1", "port": ports["plain"], "unixsocket": "redis.socket", "save": "", "appendonly": "no",
        "tls-port": ports["secure"], "tls-cert-file": "good.pem", "tls-key-file": "good.key", "tls-ca-cert-file": "ca.pem",
        "tls-auth-clients": "no",
    }
    arguments = [word for name, value in options.items() for word in (f"--{name}", str(value))]
    servers.start("redis", ["redis-server", *arguments], ports.values())
    return ports
