"""The servers that conformance asks: nginx with passwords, limits and redirects before httpbin, and one that is odd on purpose."""
import email.utils
import hashlib
import http.server
import json
import re
import subprocess
import threading
import time

from conformance_lib.checks import openssl
from conformance_lib.httpbin import start_httpbin
from conformance_lib.servers import free_ports

# What is logged of a request is what it carried, so that what must not be sent can be looked for.
NGINX = """
daemon off;
master_process off;
error_log error.log;
pid nginx.pid;
events {{ worker_connections 512; }}
http {{
    log_format web escape=json '{{"port":$server_port,"at":$msec,"took":$request_time,"method":"$request_method","uri":"$request_uri","status":$status,'
        '"authorization":"$http_authorization","cookie":"$http_cookie","key":"$http_x_api_key","range":"$http_range"}}';
    access_log access.log web;
    default_type text/plain;
    client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi; uwsgi_temp_path uwsgi; scgi_temp_path scgi;
    root {folder}/site;
    absolute_redirect off;
    limit_req_zone $uri zone=limited:1m rate=20r/m;
    limit_req_zone $uri zone=minute:1m rate=1r/m;
    limit_req_status 429;
    auth_basic_user_file users;
    proxy_http_version 1.1;
    proxy_set_header Host $http_host;
    proxy_buffering off;
    ssl_certificate good.pem;
    ssl_certificate_key good.key;
    server {{ listen 127.0.0.1:{first}; {locations} }}
    server {{ listen 127.0.0.1:{second}; {locations} }}
    server {{ listen 127.0.0.1:{secure} ssl http2; {locations} }}
}}
"""

# Each request of /limited but one in 3 s is refused, of /busy and /limited/plain but one in a minute: what is asked there has no
# second answer, however slow this machine is. A return comes before a password is asked for, try_files after.
LOCATIONS = """
    location / { proxy_pass http://127.0.0.1:HTTPBIN; }
    location = /ok { return 200 ok; }
    location /guarded/ { auth_basic guarded; }
    location /guarded/hop { auth_basic guarded; try_files /none @inside; }
    location /guarded/away { auth_basic guarded; try_files /none @outside; }
    location @inside { return 302 text; }
    location @outside { return 302 http://127.0.0.1:SECOND/ok?away; }
    location /guarded/anything { auth_basic guarded; proxy_pass http://127.0.0.1:HTTPBIN/anything; }
    location /away/guarded { return 302 http://127.0.0.1:SECOND/guarded/text; }
    location = /with-password { return 302 http://ada:hunter2@127.0.0.1:FIRST/guarded/text; }
    location = /with-token { return 302 /ok?token=hunter2; }
    location /limited/ { limit_req zone=limited; error_page 429 @limited; try_files /none @proxied; }
    location /limited/plain { limit_req zone=minute; error_page 429 @limited; try_files /none @proxied; }
    location @limited { add_header Retry-After 3 always; return 429 later; }
    location /busy/ { limit_req zone=minute; limit_req_status 503; error_page 503 @busy; try_files /none @proxied; }
    location @busy { add_header Retry-After 60 always; return 503 busy; }
    location @proxied { rewrite ^ /anything break; proxy_pass http://127.0.0.1:HTTPBIN; }
    location /loop { return 302 /loop; }
    location /ping { return 307 /pong; }
    location /pong { return 308 /ping; }
    location = /to-file { return 302 file:///etc/passwd; }
    location = /to-http { return 301 http://localhost:FIRST/ok; }
    location = /to-https { return 301 https://localhost:SECURE/ok; }
    location = /cookies/other { add_header Set-Cookie "kept=hunter2; Max-Age=3600; HttpOnly"; add_header Set-Cookie "away=1; Domain=example.com";
        add_header Set-Cookie "deep=1; Path=/cookies/deep"; add_header Set-Cookie "shut=1; Secure"; return 200 ok; }
    location /ranged/ { proxy_pass http://127.0.0.1:HTTPBIN/range/; proxy_hide_header ETag; add_header ETag '"ranged"'; }
"""
CODES = [301, 302, 303, 307, 308]
# Where a Location sends one that asked for /relN/a/b?q (RFC 3986 §5.2), N being its number here.
TARGETS = [
    ("c", "/rel{n}/a/c"), ("./c", "/rel{n}/a/c"), ("../c", "/rel{n}/c"), ("/c", "/c"), ("?x=1", "/rel{n}/a/b?x=1"), ("../../../c", "/c"),
    ("//127.0.0.1:{second}/c", "/c"), ("c#part", "/rel{n}/a/c"), ("c?x=1#part", "/rel{n}/a/c?x=1"), ("c%20d", "/rel{n}/a/c%20d"),
    ("/café", "/caf%C3%A9"), ("c d", "/rel{n}/a/c%20d"), ("HTTP://127.0.0.1:{second}/c", "/c"),
]


class Web:
    def __init__(self, servers, python, helpers):
        self.servers = servers
        subprocess.run([helpers / "test-certificates", servers.folder], stdin=subprocess.DEVNULL, timeout=60, check=True)
        self.authority = servers.folder / "ca.pem"
        (servers.folder / "site/guarded").mkdir(parents=True)
        (servers.folder / "site/guarded/text").write_text("welcome")
        users = {"ada": "hunter2", "bob": "hunter2:ö%"}
        (servers.folder / "users").write_bytes(b"".join(name.encode() + b":" + openssl("passwd", "-apr1", word) for name, word in users.items()))
        self.httpbin = start_httpbin(servers, python)
        self.ports = dict(zip(["first", "second", "secure"], free_ports(3)))
        text = NGINX.format(folder=servers.folder, locations=self.locations(), **self.ports)
        (servers.folder / "nginx.conf").write_text(text)
        servers.start("nginx", ["nginx", "-p", str(servers.folder), "-e", "error.log", "-c", "nginx.conf"], self.ports.values())
        self.odd = Odd()

    def locations(self):
        text = LOCATIONS + "".join(f"location = /{code} {{ return {code} /anything/{code}; }}\n" for code in CODES)
        told = "return 200 $request_uri;"
        for n, (target, _) in enumerate(TARGETS):
            text += f'location = /rel{n}/a/b {{ if ($args) {{ {told} }} return 302 "{target.format(**self.ports)}"; }}\n'
        text += "".join(f"location {place} {{ {told} }}\n" for place in ["/rel", "= /c", "= /café"])
        for name, port in {"HTTPBIN": self.httpbin, **{name.upper(): port for name, port in self.ports.items()}}.items():
            text = text.replace(name, str(port))
        return text

    def first(self, path):
        return f"http://127.0.0.1:{self.ports['first']}/{path}"

    def second(self, path):
        return f"http://127.0.0.1:{self.ports['second']}/{path}"

    def secure(self, path):
        return f"https://localhost:{self.ports['secure']}/{path}"

    def bin(self, path):
        return f"http://127.0.0.1:{self.httpbin}/{path}"

    def requests(self, since=0):
        """What nginx was asked, oldest first. A server may write its log a moment after the client has its answer.

        nginx logs a request at its end: one that is answered before its body has come may stand after the next one.
        """
        time.sleep(0.02)
        lines = [json.loads(line) for line in self.servers.log("access.log").splitlines()[since:]]
        return sorted(lines, key=lambda line: round(line["at"] - line["took"], 3))


class Odd:
    """What neither nginx nor httpbin does: nonces that grow stale, dates in Retry-After, connections that end without an answer."""

    def __init__(self):
        self.asked = []
        self.is_told = False
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), self.handler())
        self.port = server.server_port
        threading.Thread(target=server.serve_forever, daemon=True).start()

    def url(self, path):
        return f"http://127.0.0.1:{self.port}/{path}"

    def times(self, path):
        return [at for at, asked in self.asked if asked.startswith("/" + path)]

    def handler(odd):
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self, status, body=b"", **headers):
                self.send_response(status)
                for name, value in {**headers, "Content-Length": len(body)}.items():
                    self.send_header(name.replace("_", "-"), str(value))
                self.end_headers()
                self.wfile.write(body)

            def do_GET(self):
                self.body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                odd.asked.append((time.time(), self.path))
                name = self.path.strip("/").split("/")[0]
                getattr(self, name)(len(odd.times(self.path[1:])))

            do_POST = do_PUT = do_GET

            def dated(self, count):
                """Busy for two seconds, told as a date, which has no fractions."""
                if count == 1:
                    self.answer(503, Retry_After=email.utils.formatdate(int(time.time()) + 3, usegmt=True))
                else:
                    self.answer(200, b"ok")

            def lost(self, count):
                self.close_connection = True
                if count > 1:
                    self.answer(200, b"ok", Connection="close")

            def stalling(self, count):
                """Busy at first, then silent for longer than anyone waits."""
                if count == 1:
                    self.answer(503, Retry_After=0)
                else:
                    self.rfile.read(1)

            def stale(self, count):
                """Wants another nonce once; /stale/ever each time."""
                nonce = self.proven()
                is_ever = self.path.startswith("/stale/ever")
                if nonce == "two" and not is_ever:
                    return self.answer(200, b"ok")
                stale = ", stale=true" if nonce else ""
                challenge = f'Digest realm="odd, \\"quoted\\"", nonce="{"two" if nonce else "one"}", qop="auth,auth-int", algorithm=SHA-256{stale}'
                self.answer(401, b"denied", WWW_Authenticate=challenge)

            def proven(self):
                """The nonce of an Authorization that is right (RFC 7616 §3.4)."""
                sent = self.headers.get("Authorization", "")
                odd.is_told |= sent.startswith("Basic ")
                fields = {name: quoted or plain for name, quoted, plain in re.findall(r'(\w+)=(?:"((?:[^"\\]|\\.)*)"|([^,\s]+))', sent)}

                def digest(*parts):
                    return hashlib.sha256(":".join(parts).encode()).hexdigest()

                if not sent.startswith("Digest ") or fields.get("uri") != self.path:
                    return None
                key = digest("ada", 'odd, "quoted"', "hunter2")
                right = digest(key, fields["nonce"], fields["nc"], fields["cnonce"], "auth", digest(self.command, self.path))
                return fields["nonce"] if fields["response"] == right else None

            def log_message(self, *_):
                pass

        return Handler
