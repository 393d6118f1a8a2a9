"""Requests to real servers: what each can do, over TLS and without."""
import os
import re
import socket
import sys

from conformance_lib.servers import Socks5
from http2_lib.servers import Starter, digest

OUT = "%{http_code} %{http_version} %{num_connects}\\n"


class RealServers:
    def __init__(self, runs, servers):
        self.runs = runs
        self.starter = Starter(servers, sys.executable)
        self.text = b"".join(b"line %d of a text that gzip makes smaller\n" % line for line in range(1000))
        self.large, self.log = os.urandom(1 << 20), servers.log
        site = {"small": b"ok", "large": self.large, "text": self.text, "trailers": b"ok"}
        for name, content in site.items():
            (servers.folder / "site" / name).write_bytes(content)
            (servers.folder / "site" / name).chmod(0o644)
        self.bodies = {"1,000 bytes": os.urandom(1000), "1 MB": os.urandom(1_000_000), "no byte": b""}
        self.files = {what: runs.file("body", body) for what, body in self.bodies.items()}
        self.proxy, self.socks = servers.tinyproxy("open"), Socks5("ada", "hunter2")
        self.cases = []
        for server in self.starter.all():
            for way in server.urls:
                self.cases += [self.bound(case, server, way) for case in (self.reads, self.writes, self.connections, self.extras)]
        self.cases += [self.retiring, self.too_large, self.versions, self.ways, self.parts]

    def bound(self, case, server, way):
        def run():
            case(server, f"{server.name}, {way}", server.urls[way], self.runs.trust if way == "TLS" else ["--http2"])

        return run

    def check(self, what, arguments, says=lambda run: [], **expected):
        run = self.runs.anet(*arguments)
        self.runs.report(what, run.faults(**expected) + says(run))

    def reads(self, server, name, url, options):
        self.check(f"{name}: GET", [*options, "-w", "%{http_version}", url + "small"], out=b"ok2")
        self.check(f"{name}: GET of 1 MiB", [*options, url + "large"], out=self.large)
        self.check(f"{name}: HEAD", [*options, "-I", "-w", "%{http_code}", url + "large"], says=lambda run: [] if run.out.endswith(b"200") else [f"the output is {run.out!r}"])
        self.check(f"{name}: 404", [*options, "-o", "-", "-w", "%{http_code}", url + "none"], says=lambda run: [] if run.out.endswith(b"404") else [f"the output is {run.out!r}"])

    def writes(self, server, name, url, options):
        for what, body in self.bodies.items():
            expected = body if server.echoes else digest(body)
            for how, given in [("POST", ["--data-binary", f"@{self.files[what]}"]), ("upload of unknown length", ["-X", "POST", "-T", "-"])]:
                if not body and "empty uploads of unknown length" in server.lacks and "-T" in given:
                    continue
                run = self.runs.anet(*options, *given, url + "echo", input=body)
                self.runs.report(f"{name}: {how}, {what}", run.faults(out=expected))

    def connections(self, server, name, url, options):
        def one_connection(run):
            lines = [line.split() for line in run.out.decode().splitlines()]
            faults = [f"{line} instead of 200 over HTTP/2" for line in lines if line[:2] != ["200", "2"]]
            connects = sum(int(line[2]) for line in lines)
            return faults + ([] if len(lines) == 20 and connects == 1 else [f"{connects} connections for {len(lines)} requests"])

        for what, more in [("at once", ["--parallel", 20]), ("one after another", [])]:
            self.check(f"{name}: 20 requests {what}, one connection", [*options, *more, "-w", OUT, *[part for _ in range(20) for part in ("-o", "/dev/null")],
                *[url + "text"] * 20], says=one_connection)

        self.check(f"{name}: 1 MiB 20 times at once", [*options, "--parallel", 20, *[url + "large"] * 20], out=self.large * 20)
        answers = self.bodies["1 MB"] if server.echoes else digest(self.bodies["1 MB"])
        self.check(f"{name}: ten POSTs of 1 MB at once", [*options, "--parallel", 10, "--data-binary", f"@{self.files['1 MB']}", *[url + "echo"] * 10], out=answers * 10)

    def extras(self, server, name, url, options):
        if "gzip" not in server.lacks:
            self.check(f"{name}: gzip", [*options, "-i", url + "text"],
                says=lambda run: [] if b"content-encoding: gzip" in run.out.lower() and run.out.endswith(b"\n\r\n" + self.text) else [f"the output is {run.out[:300]!r}"])
        if "redirect" not in server.lacks:
            self.check(f"{name}: a redirect", [*options, "-w", "%{num_redirects} %{http_version}", url + "redirect"], out=b"ok1 2")
        if "trailers" not in server.lacks:
            self.check(f"{name}: trailers", [*options, url + "trailers"], out=b"ok")

    def nginx(self, name, path, scheme="https"):
        host = "localhost" if scheme == "https" else "127.0.0.1"
        return f"{scheme}://{host}:{self.starter.nginx_ports[name]}/{path}"

    def logged(self, path):
        return [line.split() for line in self.log("access.log").splitlines() if line.split()[3] == "/" + path]

    def retiring(self):
        """nginx ends each connection by GOAWAY after three requests."""
        for what, more, path in [("GETs", [], "small"), ("POSTs", ["-d", "x"], "echo")]:
            for how, parallel in [("one after another", []), ("six at once", ["--parallel", 6])]:
                answers = (b"ok" if path == "small" else digest(b"x")) * 12
                marked = [f"{path}?{what}-{len(parallel)}-{number}" for number in range(12)]
                run = self.runs.anet(*self.runs.trust, *more, *parallel, *[self.nginx("retiring", one) for one in marked])
                times = [len(self.logged(one)) for one in marked]
                self.runs.report(f"nginx, GOAWAY after three requests: 12 {what}, {how}", run.faults(out=answers) + ([] if times == [1] * 12 else [f"nginx's log has {times}"]))

    def too_large(self):
        for number in range(3):
            for what, body in [("100,000 bytes", self.runs.file("body", bytes(100_000))), ("1 MiB", self.runs.file("body", self.large))]:
                urls = [self.nginx("limited", "echo")] * 10
                run = self.runs.anet(*self.runs.trust, "--parallel", 10, "--data-binary", f"@{body}", "-w", "%{http_code}\\n", *urls)
                statuses = re.findall(rb"(\d\d\d)\n", run.out)
                self.runs.report(f"nginx: ten uploads of {what} at once, each answered with 413", run.faults() + ([] if statuses == [b"413"] * 10 else [f"the statuses are {statuses}"]))

    def versions(self):
        trust, version = self.runs.trust, ["-w", " %{http_version}"]
        self.check("--http1.1 with a server of HTTP/2", [*trust, "--http1.1", *version, self.nginx("tls", "small")], out=b"ok 1.1")
        self.check("a server of HTTP/1.1 alone, by ALPN", [*trust, *version, self.nginx("old", "small")], out=b"ok 1.1")
        self.check("20 at once, a server of HTTP/1.1 alone", [*trust, "--parallel", 20, *[self.nginx("old", "small")] * 20], out=b"ok" * 20)
        self.check("http without --http2", [*version, self.nginx("plain", "small", "http")], out=b"ok 1.1")
        self.check("--http2 with a server of HTTP/1.1 alone", ["--http2", self.nginx("plain", "small", "http")], status=8, err="HTTP/2", out=b"", below=3)
        self.check("--http2 with a server of HTTP/1.1 alone, TLS", [*trust, "--http2", *version, self.nginx("old", "small")], status=(8, 35), err="HTTP/2|application protocol", out=b" 0", below=3)

    def ways(self):
        """To nginx by other ways than a plain connection."""
        trust, url = self.runs.trust, self.nginx("tls", "small")
        ways = {
            "an HTTP proxy's tunnel": [*trust, "--proxy", f"http://127.0.0.1:{self.proxy}", url],
            "a SOCKS proxy": [*trust, "--proxy", f"socks5h://ada:hunter2@127.0.0.1:{self.socks.port}", url],
            "TLS 1.2": [*trust, self.nginx("tls12", "small")],
            "a SOCKS proxy, without TLS": ["--http2", "--proxy", f"socks5h://ada:hunter2@127.0.0.1:{self.socks.port}", self.nginx("h2c", "small", "http")],
            "a unix socket": ["--http2", "--unix-socket", self.starter.folder / "nginx.socket", "http://nowhere.invalid/small"],
        }
        for what, arguments in ways.items():
            arguments += [arguments[-1]] * 9
            for how, more in [("", []), (", five at once", ["--parallel", 5])]:
                self.check(f"nginx: ten requests over {what}{how}", [*more, "-w", " %{http_version} %{num_connects}\\n", *arguments],
                    says=lambda run: [] if sorted(run.out.split(b"\n")) == [b"", *[b"ok 2 0"] * 9, b"ok 2 1"] else [f"the output is {run.out!r}"])
        with socket.socket() as closed:
            closed.bind(("127.0.0.1", 0))
            self.check("--http2 where nobody listens", ["--http2", f"http://127.0.0.1:{closed.getsockname()[1]}/"], status=7)

    def parts(self):
        """Downloads to files."""
        for what, more in [("in four parts", ["--segments", 4]), ("whole", []), ("slowly", ["--limit-rate", "2M"])]:
            file = self.runs.file("large")
            run = self.runs.anet(*self.runs.trust, *more, "-o", file, self.nginx("tls", "large"))
            same = file.exists() and file.read_bytes() == self.large
            self.runs.report(f"nginx: a download {what}", run.faults() + ([] if same else ["the file is another one"]))
