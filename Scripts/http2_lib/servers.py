"""Real servers with HTTP/2 in the folder of `Servers`: each has a TLS port, and most another one without TLS."""
import hashlib
import http.server
import pathlib
import shutil
import threading

from conformance_lib.servers import free_ports

HERE = pathlib.Path(__file__).resolve().parent

NGINX = """
daemon off;
master_process off;
error_log error.log;
pid nginx.pid;
events {{ worker_connections 512; }}
http {{
    log_format conformance '$connection $server_protocol $request_method $request_uri $status';
    access_log access.log conformance;
    default_type text/plain;
    client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi; uwsgi_temp_path uwsgi; scgi_temp_path scgi;
    root {folder}/site;
    ssl_certificate good.pem;
    ssl_certificate_key good.key;
    gzip on; gzip_min_length 100; gzip_types text/plain;
    client_max_body_size 10m;
    server {{ listen 127.0.0.1:{tls} ssl http2; {locations} }}
    server {{ listen 127.0.0.1:{h2c} http2; listen unix:{folder}/nginx.socket http2; {locations} }}
    server {{ listen 127.0.0.1:{tls12} ssl http2; ssl_protocols TLSv1.2; {locations} }}
    server {{ listen 127.0.0.1:{retiring} ssl http2; keepalive_requests 3; {locations} }}
    server {{ listen 127.0.0.1:{limited} ssl http2; client_max_body_size 1k; {locations} }}
    server {{ listen 127.0.0.1:{old} ssl; {locations} }}
    server {{ listen 127.0.0.1:{plain}; {locations} }}
}}
"""
LOCATIONS = """
    location / {{ }}
    location = /redirect {{ return 302 /small; }}
    location = /trailers {{ try_files /small =404; add_trailer x-checksum 12345 always; }}
    location = /echo {{ proxy_pass http://127.0.0.1:{echo}; }}
"""
CADDY = """
{{
    admin off
    auto_https disable_redirects
    skip_install_trust
    servers {{
        protocols h1 h2 h2c
    }}
}}
(site) {{
    bind 127.0.0.1
    root * {folder}/site
    encode gzip
    redir /redirect /small 302
    reverse_proxy /echo 127.0.0.1:{echo}
    file_server
}}
https://localhost:{tls} {{
    tls {folder}/good.pem {folder}/good.key
    import site
}}
http://127.0.0.1:{h2c} {{
    import site
}}
"""
H2O = """
num-threads: 1
user: {user}
ssl-session-resumption:
  mode: off
compress: [ gzip ]
access-log: {folder}/h2o.log
file.mime.setdefaulttype: text/plain
listen:
  host: 127.0.0.1
  port: {tls}
  ssl:
    certificate-file: {folder}/good.pem
    key-file: {folder}/good.key
    neverbleed: OFF
listen: &plain
  host: 127.0.0.1
  port: {h2c}
hosts:
  default:
    paths:
      "/":
        file.dir: {folder}/site
      "/redirect":
        redirect: {{ status: 302, url: /small }}
      "/echo":
        proxy.reverse.url: http://127.0.0.1:{echo}/echo
"""
APACHE = """
ServerRoot {folder}
ServerName localhost
PidFile apache.pid
ErrorLog apache.log
DefaultRuntimeDir {folder}
Mutex sem
User nobody
Group nogroup
{modules}
ThreadsPerChild 25
MaxRequestWorkers 25
Listen 127.0.0.1:{tls}
Listen 127.0.0.1:{h2c}
DocumentRoot {folder}/site
<Directory {folder}/site>
    Require all granted
    DefaultType none
    ForceType text/plain
    # Not for all files: with more than fits its buffer Apache answers HEAD with DATA, which RFC 9113 section 8.1.1 forbids.
    <Files text>
        SetOutputFilter DEFLATE
    </Files>
</Directory>
RedirectMatch 302 ^/redirect$ /small
ProxyPass /echo http://127.0.0.1:{echo}/echo
<VirtualHost 127.0.0.1:{tls}>
    Protocols h2 http/1.1
    SSLEngine on
    SSLCertificateFile good.pem
    SSLCertificateKeyFile good.key
</VirtualHost>
<VirtualHost 127.0.0.1:{h2c}>
    Protocols h2c http/1.1
</VirtualHost>
"""
MODULES = ["mpm_event", "authz_core", "http2", "ssl", "alias", "deflate", "filter", "proxy", "proxy_http"]


class Echo(http.server.BaseHTTPRequestHandler):
    """What the servers pass POSTs to: answers with what `digest` says of the body."""
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        text = digest(self.rfile.read(int(self.headers["Content-Length"])) if self.headers["Content-Length"] else self.chunks())
        self.send_response(200)
        self.send_header("Content-Type", "text/plain")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def chunks(self):
        body = b""
        while size := int(self.rfile.readline(), 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return body

    def log_message(self, *_):
        pass


def digest(body):
    return f"{len(body)} {hashlib.sha256(body).hexdigest()}".encode()


class EchoServer(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        """A server that gave its request up."""


class RealServer:
    """`lacks`: what the server cannot do, or not reliably; `echoes`: it sends a POST's body back as it is."""

    def __init__(self, name, tls, h2c=None, lacks=(), echoes=False):
        self.name, self.lacks, self.echoes = name, set(lacks), echoes
        self.urls = {"TLS": f"https://localhost:{tls}/"}
        if h2c:
            self.urls["h2c"] = f"http://127.0.0.1:{h2c}/"


class Starter:
    def __init__(self, servers, python):
        self.servers, self.folder, self.python = servers, servers.folder, python
        self.folder.chmod(0o711)  # Apache reads the site as nobody.
        (self.folder / "site").mkdir()
        echo = EchoServer(("127.0.0.1", 0), Echo)
        threading.Thread(target=echo.serve_forever, daemon=True).start()
        self.echo = echo.server_port

    def all(self):
        return [self.nginx(), self.nghttpd(), self.caddy(), self.h2o(), self.apache(), self.hypercorn(), *self.node()]

    def configure(self, name, template, ports, **more):
        path = self.folder / name
        path.write_text(template.format(folder=self.folder, echo=self.echo, **ports, **more))
        return path

    def ports(self, *names):
        return dict(zip(names, free_ports(len(names))))

    def nginx(self):
        self.nginx_ports = self.ports("tls", "tls12", "h2c", "retiring", "limited", "old", "plain")
        self.configure("nginx.conf", NGINX, self.nginx_ports, locations=LOCATIONS.format(echo=self.echo))
        self.servers.start("nginx", ["nginx", "-p", str(self.folder), "-e", "error.log", "-c", "nginx.conf"], self.nginx_ports.values())
        return RealServer("nginx", self.nginx_ports["tls"], self.nginx_ports["h2c"])

    def nghttpd(self):
        ports = self.ports("tls", "h2c")
        common = ["nghttpd", "--address=127.0.0.1", f"--htdocs={self.folder}/site", "--echo-upload", "--trailer=x-checksum: 12345"]
        self.servers.start("nghttpd", [*common, str(ports["tls"]), "good.key", "good.pem"], [ports["tls"]])
        self.servers.start("nghttpd-h2c", [*common, "--no-tls", str(ports["h2c"])], [ports["h2c"]])
        return RealServer("nghttpd", ports["tls"], ports["h2c"], ["gzip", "redirect"], echoes=True)

    def caddy(self):
        ports = self.ports("tls", "h2c")
        config = self.configure("Caddyfile", CADDY, ports)
        home = [f"{name}={self.folder}/caddy" for name in ("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME")]
        self.servers.start("caddy", ["env", *home, "caddy", "run", "--adapter", "caddyfile", "--config", str(config)], ports.values())
        return RealServer("Caddy", ports["tls"], ports["h2c"], ["trailers"])

    def h2o(self):
        ports = self.ports("tls", "h2c")
        config = self.configure("h2o.conf", H2O, ports, user=self.folder.owner())
        self.servers.start("h2o", ["h2o", "-c", str(config)], ports.values())
        return RealServer("h2o", ports["tls"], ports["h2c"], ["trailers"])

    def apache(self):
        ports = self.ports("tls", "h2c")
        modules = "\n".join(f"LoadModule {name}_module /usr/lib/apache2/modules/mod_{name}.so" for name in MODULES)
        config = self.configure("apache.conf", APACHE, ports, modules=modules)
        self.servers.start("apache", ["apache2", "-X", "-f", str(config)], ports.values())
        return RealServer("Apache", ports["tls"], ports["h2c"], ["trailers", "empty uploads of unknown length"])

    def hypercorn(self):
        ports = self.ports("tls", "h2c")
        shutil.copy(HERE / "asgi.py", self.folder)
        command = [str(self.python), "-m", "hypercorn", "--workers", "0", "--certfile", "good.pem", "--keyfile", "good.key", "--bind", f"127.0.0.1:{ports['tls']}",
            "--insecure-bind", f"127.0.0.1:{ports['h2c']}", "asgi:app"]
        self.servers.start("hypercorn", command, ports.values())
        return RealServer("hypercorn", ports["tls"], ports["h2c"], ["gzip"])

    def node(self):
        if shutil.which("node") is None:
            return []
        ports = self.ports("tls", "h2c")
        self.servers.start("node", ["node", str(HERE / "node.js"), str(ports["tls"]), str(ports["h2c"])], ports.values())
        return [RealServer("Node", ports["tls"], ports["h2c"])]
