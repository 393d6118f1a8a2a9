"""Passwords, limits and redirects, as nginx has them."""
import base64
import socket

from conformance_lib.web import CODES, TARGETS

BASIC = base64.b64encode(b"ada:hunter2").decode()
AWAY = ["-H", "Cookie: a=hunter2", "-H", "X-API-Key: hunter2"]


class NginxChecks:
    def __init__(self, world):
        self.world, self.web = world, world.web
        self.check, self.logged = world.check, world.logged
        self.groups = [self.passwords, self.bodies_behind_passwords, self.secrets_within, self.secrets_elsewhere, self.limits, self.retries,
            self.deadlines, self.methods, self.targets, self.redirect_limits, self.schemes]

    def passwords(self):
        url, host = self.web.first("guarded/text"), self.web.first("guarded/text").removeprefix("http://")
        self.logged("no password", ["-f", url], [("GET", "/guarded/text", 401)], 22)
        self.check("the right password", ["-u", "ada:hunter2", url], out=b"welcome")
        self.check("a password with a colon and more", ["-u", "bob:hunter2:ö%", url], out=b"welcome")
        self.check("a wrong password", ["-f", "-u", "ada:hunter23", url], 22, out=b"", err="[unacceptableStatus]", says=[self.asked_at_most(2)])
        self.check("a wrong password, the 401 is the answer", ["-i", "-u", "ada:hunter23", url], says=[self.begins(b"HTTP/1.1 401")])
        self.check("a password in the URL", [f"http://ada:hunter2@{host}"], out=b"welcome")
        self.check("an encoded password in the URL", [f"http://bob:hunter2%3A%C3%B6%25@{host}"], out=b"welcome")
        self.check("a wrong password in the URL", ["-f", f"http://ada:hunter23@{host}"], 22, err="[unacceptableStatus]")
        self.check("a header of one's own", ["-H", f"Authorization: Basic {BASIC}", url], out=b"welcome")
        self.check("several URLs", ["-u", "ada:hunter2", url, url, url], out=b"welcome" * 3)

    def asked_at_most(self, count):
        before = len(self.web.requests())
        return lambda: ["it went on asking"] if len(self.web.requests(before)) > count else []

    def begins(self, start):
        return lambda: [] if self.world.checks.last.stdout.startswith(start) else [f"output {self.world.checks.last.stdout[:60]!r}, not {start!r}"]

    def bodies_behind_passwords(self):
        """A body goes along with the password, whether or not it was sent without it first."""
        file = self.world.folder / "upload"
        file.write_bytes(b"a file's text " * 10_000)
        url, user = self.web.first("guarded/anything"), ["-u", "ada:hunter2"]
        posted, put = self.world.answers({"method": "POST", "form": {"a": "1"}}), self.world.answers({"method": "PUT", "data": file.read_text()})
        self.check("-d behind a password", [*user, "-d", "a=1", url], says=[posted])
        self.check("-F behind a password", [*user, "-F", "a=1", url], says=[posted])
        self.check("-T behind a password", [*user, "-T", file, url], says=[put])
        self.check("-d behind a wrong password", ["-f", "-u", "ada:hunter23", "-d", "a=1", url], 22)

    def secrets_within(self):
        """Redirects within an origin keep what it was given."""
        hop = self.web.first("guarded/hop")
        self.check("a redirect within the host, -u", ["-u", "ada:hunter2", hop], out=b"welcome")
        self.check("a redirect within the host, the URL's password", [hop.replace("://", "://ada:hunter2@")], out=b"welcome")
        for what, options, field, value in [
            ("--bearer", ["--bearer", "hunter2"], "authorization", "Bearer hunter2"), ("a cookie", AWAY[:2], "cookie", "a=hunter2"), ("a key", AWAY[2:], "key", "hunter2"),
        ]:
            self.logged(f"a redirect within the host, {what}", [*options, self.web.first("302")], [(value, 302), (value, 200)], fields=(field, "status"))

    def secrets_elsewhere(self):
        """Redirects to another origin, and a port makes another one, lead there without them."""
        away = self.web.first("guarded/away")
        for what, options, url in [
            ("-u", ["-u", "ada:hunter2"], away), ("the URL's password", [], away.replace("://", "://ada:hunter2@")),
            ("a header of one's own", ["-H", f"Authorization: Basic {BASIC}"], away), ("--bearer", ["--bearer", "hunter2"], self.web.first("away/guarded")),
            ("a second 401", ["-u", "ada:hunter2"], self.web.first("away/guarded")),
        ]:
            self.check(f"to another origin without {what}", [*options, *AWAY, url], says=[self.went_bare])
        self.check("a password in a Location is not told", [self.web.first("with-password")])
        self.check("a token in a Location is not told", [self.web.first("with-token")], out=b"ok")

    def went_bare(self):
        last = self.web.requests()[-1]
        given = [name for name in ["authorization", "cookie", "key"] if last[name]]
        if last["port"] != self.web.ports["second"]:
            return [f"the last request went to {last}"]
        return [f"it was given {given}"] if given else []

    def use_up(self, url):
        """After this one, nginx refuses the next three seconds' requests, and at some paths the next minute's (web.py)."""
        self.check("a request within the limit", ["-f", url])

    def limits(self):
        def limited(name):
            url = self.web.first(f"limited/{name}")
            self.use_up(url)
            return url, f"/limited/{name}"

        url, path = limited("plain")
        self.logged("beyond the limit, the 429 is the answer", [url], [("GET", path, 429)], out=b"later")
        self.logged("beyond the limit, with -f", ["-f", url], [("GET", path, 429)], 22, out=b"", err="[unacceptableStatus]")
        self.logged("--retry of a POST", ["--retry", 2, "-d", "a=1", url], [("POST", path, 429)], out=b"later")
        url, path = limited("get")
        self.logged("--retry waits as Retry-After says", ["--retry", 2, url], [("GET", path, 429), ("GET", path, 200)], says=[self.waited(3)])
        url, path = limited("put")
        file = self.world.folder / "retried"
        file.write_text("sent again")
        self.logged("--retry sends the body again", ["--retry", 1, "-T", file, url], [("PUT", path, 429), ("PUT", path, 200)],
            says=[self.waited(3), self.world.answers({"method": "PUT", "data": "sent again"})])
        url, path = limited("key")
        keyed = ["--retry", 1, "-H", "Idempotency-Key: 1", "-d", "a=1"]
        self.logged("--retry of a POST that may be repeated", [*keyed, url], [("POST", path, 429), ("POST", path, 200)],
            says=[self.waited(3), self.world.answers({"form": {"a": "1"}})])

    def waited(self, seconds):
        """Between the ends of the two requests in nginx's log, which has milliseconds."""
        def faults():
            first, second = (request["at"] for request in self.world.requests)
            return [] if second - first >= seconds - 0.002 else [f"it waited {second - first:.3f} s only"]

        return faults

    def asked(self, path, count):
        times = len(self.web.odd.times(path))
        return [] if times == count else [f"it was asked {times} times, not {count}"]

    def retries(self):
        def not_before(path):
            first, second = odd.times(path)
            return [] if second >= int(first) + 3 else [f"it came {int(first) + 3 - second:.3f} s before the date"]

        odd, status = self.web.odd, self.web.first("status/503?")
        once = ("GET", "/status/503?", 503)
        self.logged("503 without --retry", [status], [once])
        self.logged("503, --retry 2: three of them", ["--retry", 2, status], [once] * 3)
        self.logged("503, --retry 1 with -f", ["--retry", 1, "-f", status], [once] * 2, 22, err="[unacceptableStatus]")
        self.logged("404 is not retried", ["--retry", 2, self.web.first("status/404")], [("GET", "/status/404", 404)])
        self.check("Retry-After as a date", ["--retry", 1, odd.url("dated")], out=b"ok", says=[lambda: self.asked("dated", 2), lambda: not_before("dated")])
        self.check("an empty reply", [odd.url("lost/none")], 52, err="[emptyReply]")
        self.check("an empty reply, --retry 1", ["--retry", 1, odd.url("lost/one")], out=b"ok", says=[lambda: self.asked("lost/one", 2)])
        self.check("an empty reply to a POST, --retry 1", ["--retry", 1, "-d", "x", odd.url("lost/post")], 52, says=[lambda: self.asked("lost/post", 1)])
        with socket.socket() as closed:
            closed.bind(("127.0.0.1", 0))
            self.check("nobody listens, --retry 1", ["--retry", 1, f"http://127.0.0.1:{closed.getsockname()[1]}/"], 7, err="[cannotConnect]")

    def deadlines(self):
        busy = self.web.first("busy/wait")
        self.use_up(busy)
        self.logged("--deadline: a wait beyond it is none", ["--retry", 3, "--deadline", 0.7, busy], [("GET", "/busy/wait", 503)], 28, err="[deadlineExceeded]")
        stalling = self.web.odd.url("stalling")
        self.check("--deadline is for all attempts", ["--retry", 9, "--deadline", 1.2, stalling], 28, err="[deadlineExceeded]", says=[self.world.takes(1.2), lambda: self.asked("stalling", 2)])
        self.check("--deadline that is enough", ["--retry", 1, "--deadline", 20, self.web.first("ok")], out=b"ok")
        full = socket.create_server(("127.0.0.1", 0), backlog=0)
        others = [socket.socket() for _ in range(4)]
        for other in others:
            other.setblocking(False)
            other.connect_ex(full.getsockname())
        late = f"http://127.0.0.1:{full.getsockname()[1]}/"
        if self.world.has_settings:
            self.check("--connect-timeout", ["--connect-timeout", 0.4, late], 28, err="[timedOut]", says=[self.world.takes(0.4)])
        else:
            self.check("--connect-timeout", ["--connect-timeout", 0.4, late], 2, err="needs the transport sockets or libcurl")
        self.check("--deadline while connecting", ["--deadline", 0.4, late], 28, err="[deadlineExceeded]", says=[self.world.takes(0.4)])
        for one in [*others, full]:
            one.close()

    def methods(self):
        """RFC 9110 §15.4: what becomes of method and body."""
        file = self.world.folder / "moved"
        file.write_text("a body")
        given = {"GET": [], "HEAD": ["-I"], "POST": ["-H", "Content-Type: text/plain", "-d", "a body"], "PUT": ["-T", file], "DELETE": ["-X", "DELETE"]}
        for code in CODES:
            for method, options in given.items():
                changes = code == 303 and method != "HEAD" or code < 303 and method == "POST"
                then = "GET" if changes else method
                body = "" if changes or method not in ("POST", "PUT") else "a body"
                says = [] if method == "HEAD" else [self.world.answers({"method": then, "data": body})]
                self.logged(f"{code} of {method}", [*options, self.web.first(code)], [(method, f"/{code}", code), (then, f"/anything/{code}", 200)], says=says)
        gone = ["-H", "Content-Type: text/x", "-d", "x", self.web.first("303")]
        self.check("what tells of a body goes with it", gone, says=[self.world.answers({"headers": {"Content-Type": None, "Content-Length": None}})])
        self.check("303 of what can be sent once only", ["-T", "-", self.web.first("303")], says=[self.world.answers({"method": "GET", "data": ""})], input=b"once")

    def targets(self):
        for n, (target, leads_to) in enumerate(TARGETS):
            found = leads_to.format(n=n)
            self.logged(f"Location: {target.format(**self.web.ports)}", [self.web.first(f"rel{n}/a/b")],
                [(302,), (200,)], fields=("status",), says=[lambda: self.shows(found)])
        self.logged("a fragment is not sent", [self.web.first("302") + "#part"], [("GET", "/302", 302), ("GET", "/anything/302", 200)])

    def shows(self, path):
        """Percent signs may be followed by digits of either case."""
        shown = self.world.checks.last.stdout.decode()
        return [] if shown.lower() == path.lower() else [f"it led to {shown}, not {path}"]

    def redirect_limits(self):
        hops = lambda count: [("GET", "/loop", 302)] * count
        loop = self.web.first("loop")
        self.logged("--no-follow", ["--no-follow", "-i", loop], hops(1), says=[self.begins(b"HTTP/1.1 302")])
        self.logged("--max-redirects 0", ["--max-redirects", 0, "-i", loop], hops(1), says=[self.begins(b"HTTP/1.1 302")])
        self.logged("a loop", [loop], hops(21), 47, err="[tooManyRedirects]")
        self.logged("a loop, --max-redirects 3", ["--max-redirects", 3, loop], hops(4), 47, err="[tooManyRedirects]")
        self.check("a loop of two", ["-d", "x", self.web.first("ping")], 47, err="[tooManyRedirects]")
        for count, status in [(3, 0), (4, 47)]:
            for kind in ["redirect", "relative-redirect", "absolute-redirect"]:
                self.check(f"--max-redirects 3, {kind} {count}", ["--max-redirects", 3, self.web.bin(f"{kind}/{count}")], status)

    def schemes(self):
        if not self.world.has_settings:
            self.check("--cacert", ["--cacert", self.web.authority, self.web.secure("ok")], 2, err="needs the transport sockets or libcurl")
        with self.world.trusting() as trust:
            self.check("http to https", [*trust, self.web.first("to-https")], out=b"ok")
            self.check("https to itself", [*trust, self.web.secure("302")], says=[self.world.answers({"method": "GET"})])
            self.logged("https to http", [*trust, self.web.secure("to-http")], [("GET", "/to-http", 301)], 1, out=b"", err="[redirectFailed]")
            self.logged("https to http, --no-follow", [*trust, "--no-follow", self.web.secure("to-http")], [("GET", "/to-http", 301)])
        self.check("http to a file", [self.web.first("to-file")], 1, out=b"", err="[redirectFailed]")
        self.check("a scheme in capitals", [self.web.first("ok").replace("http:", "HTTP:")], out=b"ok")
