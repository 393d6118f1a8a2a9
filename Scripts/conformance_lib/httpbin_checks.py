"""What httpbin is for: digests, cookies, delays, encodings, streams, ranges, and seeing one's own request."""
import json
import os
import stat
import subprocess
import time
import urllib.request

COLOURS = ["-H", "Content-Type: text/plain", "-d", "red and blue"]


class HttpbinChecks:
    def __init__(self, world):
        self.world, self.web = world, world.web
        self.check, self.answers, self.takes = world.check, world.answers, world.takes
        self.jar, self.other = world.folder / "cookies.txt", world.folder / "other.txt"
        self.groups = [self.digests, self.stale_nonces, self.other_schemes, self.cookies, self.cookie_files, self.cookie_rules, self.delays,
            self.statuses, self.bodies, self.streams, self.ranges, self.interrupted_download, self.methods, self.requests, self.parallel]

    def has_status(self, status):
        def faults():
            first = self.world.checks.last.stdout.split(b"\r\n")[0].split(b" ")
            return [] if first[1:2] == [b"%d" % status] else [f"it answers {first}, not {status}"]

        return faults

    def digests(self):
        user, wrong, known = ["-u", "ada:passwd"], ["-u", "ada:wrong"], [self.answers({"authenticated": True, "user": "ada"})]
        for algorithm in ["MD5", "SHA-256"]:
            for qop in ["auth", "auth-int", "either"]:
                url = self.web.bin(f"digest-auth/{qop}/ada/passwd/{algorithm}")
                self.check(f"Digest {algorithm} {qop}", [*user, url], says=known)
                self.check(f"Digest {algorithm} {qop}, wrong password", ["-i", *wrong, url], says=[self.has_status(401)])
        url = self.web.bin("digest-auth/auth/ada/passwd/MD5/never")
        self.check("Digest, no password", ["-i", url], says=[self.has_status(401)])
        self.check("Digest, wrong password with -f", ["-f", *wrong, url], 22, err="[unacceptableStatus]")
        self.check("Digest, password in the URL", [url.replace("://", "://ada:passwd@")], says=known)
        self.check("Digest SHA-512, which is not known", ["-i", *user, self.web.bin("digest-auth/auth/ada/passwd/SHA-512")], says=[self.has_status(401)])
        self.check("Digest auth, not over the body", ["-X", "GET", *COLOURS, *user, url], **self.over_a_body(known))
        self.check("Digest auth-int over a body", ["-X", "GET", *COLOURS, *user, url.replace("/auth/", "/auth-int/")], **self.over_a_body(known))
        self.check("Digest, twice with cookies", ["-c", self.world.folder / "digest.txt", *user, url, url.replace("never", "1"), url], says=[self.thrice])

    def over_a_body(self, known):
        """URLSession sends no body with GET, the only method of httpbin's digests, and says so."""
        return {"says": known} if self.world.has_settings else {"status": 1, "err": "[unsupportedByTransport]"}

    def thrice(self):
        found = self.world.checks.last.stdout.count(b'"authenticated": true')
        return [] if found == 3 else [f"{found} of 3 were let in"]

    def stale_nonces(self):
        def asked(path, count):
            return lambda: [] if len(odd.times(path)) <= count else [f"it was asked {len(odd.times(path))} times"]

        odd, user = self.web.odd, ["-u", "ada:hunter2"]
        self.check("a nonce that is stale", [*user, odd.url("stale/once")], out=b"ok", says=[asked("stale/once", 3)])
        self.check("a body after a stale nonce", [*user, "-d", "a=1", odd.url("stale/post")], out=b"ok", says=[asked("stale/post", 3)])
        self.check("nonces that are always stale", ["-i", *user, odd.url("stale/ever")], says=[self.has_status(401), asked("stale/ever", 5)])
        self.check("a wrong password is sent once", ["-i", "-u", "ada:hunter23", odd.url("stale/no")], says=[self.has_status(401), asked("stale/no", 2)])
        self.world.checks.report("a server of digests is never told the password", ["it was, by Basic"] if odd.is_told else [])

    def other_schemes(self):
        url, user = self.web.bin("basic-auth/ada/passwd"), ["-u", "ada:passwd"]
        known = [self.answers({"authenticated": True})]
        self.check("Basic", [*user, url], says=known)
        self.check("Basic, wrong password", ["-i", "-u", "ada:wrong", url], says=[self.has_status(401)])
        self.check("Basic, no password", ["-i", url], says=[self.has_status(401)])
        hidden, header = self.web.bin("hidden-basic-auth/ada/passwd"), ["-H", "Authorization: Basic YWRhOnBhc3N3ZA=="]
        self.check("Basic that is not asked for, no password", ["-i", hidden], says=[self.has_status(404)])
        self.check("Basic that is not asked for", [*header, hidden], says=known)
        self.check("a bearer token", ["--bearer", "hunter2", self.web.bin("bearer")], says=[self.answers({"authenticated": True, "token": "hunter2"})])
        self.check("no bearer token", ["-i", self.web.bin("bearer")], says=[self.has_status(401)])

    def sent(self, **cookies):
        """That the server was sent these; those that are None must not be."""
        return self.answers({"cookies": cookies})

    def cookies(self):
        jar = ["-b", self.jar, "-c", self.jar]
        self.check("cookies go along with a redirect", [*jar, self.web.bin("cookies/set?a=hunter2&b=2")], says=[self.sent(a="hunter2", b="2"), self.is_private])
        self.check("cookies of the session are kept in the file", [*jar, self.web.bin("cookies")], says=[self.sent(a="hunter2", b="2")])
        self.check("curl reads the file", [*jar, self.web.bin("cookies")], says=[lambda: self.curl_sends(a="hunter2", b="2")])
        self.check("another host gets none", [*jar, self.web.bin("cookies").replace("127.0.0.1", "localhost")], says=[self.sent(a=None, b=None)])
        self.check("a cookie is replaced", [*jar, self.web.bin("cookies/set/b/3")], says=[self.sent(a="hunter2", b="3")])
        self.check("a cookie is deleted", [*jar, self.web.bin("cookies/delete?a")], says=[self.sent(a=None, b="3"), self.lacks("hunter2"), self.is_private])
        self.check("cookies of the command line", ["-H", "Cookie: c=hunter2", self.web.bin("cookies")], says=[self.sent(c="hunter2", b=None)])

    def is_private(self):
        mode = stat.S_IMODE(self.jar.stat().st_mode)
        return [] if mode == 0o600 else [f"the file's mode is {mode:o}"]

    def lacks(self, text):
        return lambda: [f"the file holds {text}"] if text in self.jar.read_text() else []

    def curl(self, *arguments):
        return subprocess.run(["curl", "-sS", *map(str, arguments)], capture_output=True, timeout=20, check=True, env=self.world.checks.environment).stdout

    def curl_sends(self, **cookies):
        found = json.loads(self.curl("-b", self.jar, self.web.bin("cookies")))["cookies"]
        return [] if found == cookies else [f"curl sends {found}"]

    def cookie_files(self):
        self.curl("-L", "-c", self.jar, self.web.bin("cookies/set?c=hunter2"))
        os.chmod(self.jar, 0o644)
        self.check("curl's file is read, and private then", ["-b", self.jar, "-c", self.jar, self.web.bin("cookies/set?d=4")], says=[self.sent(c="hunter2", d="4"), self.is_private])
        self.jar.write_text("# a comment\n\nno cookie\n127.0.0.1\tFALSE\t/\tFALSE\t1\told\t1\n127.0.0.1\tFALSE\t/\tFALSE\t4102444800\tnew\t2\n")
        self.check("cookies that have ended are not sent", ["-b", self.jar, self.web.bin("cookies")], says=[self.sent(old=None, new="2")])
        self.check("a file of cookies that cannot be written", ["-c", self.world.folder / "no/where", self.web.bin("cookies/set?e=5")], 23)
        self.check("a folder in place of a file of cookies", ["-b", self.world.folder, self.web.bin("cookies")], 26)

    def cookie_rules(self):
        """RFC 6265: domains, paths, Secure, what ends when."""
        self.jar.unlink(missing_ok=True)
        jar = ["-b", self.jar, "-c", self.jar]
        self.check("cookies with attributes", [*jar, self.web.first("cookies/other")], out=b"ok", says=[self.keeps])
        self.check("only those that are this URL's", [*jar, self.web.first("cookies")], says=[self.sent(kept="hunter2", away=None, deep=None, shut=None)])
        self.world.logged("the longer path comes first", [*jar, self.web.first("cookies/deep/er")], [("deep=1; kept=hunter2",)], fields=("cookie",))

    def keeps(self):
        lines = {line.split("\t")[5]: line.split("\t") for line in self.jar.read_text().splitlines() if line.count("\t") == 6}
        faults = [] if sorted(lines) == ["deep", "kept"] else [f"the file holds {sorted(lines)}"]
        kept = lines.get("kept", [""] * 7)
        if kept[0] != "#HttpOnly_127.0.0.1" or not 3400 <= int(kept[4] or 0) - time.time() <= 3700:
            faults.append(f"the file holds {kept}")
        return faults

    def delays(self):
        slow, drip = self.web.bin("delay/2"), self.web.bin("drip?duration=2&numbytes=10")
        late, over = {"status": 28, "err": "[timedOut]"}, {"status": 28, "err": "[deadlineExceeded]"}
        self.check("--timeout of a fraction", ["--timeout", 0.5, slow], says=[self.takes(0.5)], **late)
        self.check("--timeout close below a second", ["--timeout", 0.9, slow], says=[self.takes(0.9)], **late)
        self.check("--timeout that is enough", ["--timeout", 8, self.web.bin("delay/0.5")], says=[self.takes(0.5)])
        self.check("--deadline of a fraction", ["--deadline", 0.7, slow], says=[self.takes(0.7)], **over)
        self.check("--deadline that is enough", ["--deadline", 8, self.web.bin("delay/0.5")], says=[self.takes(0.5)])
        self.check("--timeout counts silence only", ["--timeout", 1.2, drip], out=b"*" * 10, says=[self.takes(1.8)])
        self.check("--deadline counts everything", ["--deadline", 1.2, drip], says=[self.takes(1.2)], **over)
        self.check("--deadline of a stream", ["--deadline", 0.7, "--stream", "chunks", drip], says=[self.takes(0.7)], **over)
        self.check("--deadline of a download", ["--deadline", 0.7, "-o", self.world.folder / "late", drip], says=[self.takes(0.7)], **over)
        for option, value in [("--timeout", "0"), ("--deadline", "0"), ("--deadline", "-1"), ("--deadline", "nan"), ("--retry", "-1")]:
            self.check(f"{option} {value}", [f"{option}={value}", slow], 2)

    def statuses(self):
        for status in [204, 304, 400, 418, 500, 599]:
            url = self.web.bin(f"status/{status}")
            self.check(f"{status} is the answer", ["-i", url], says=[self.has_status(status)])
            self.check(f"{status} with -f", ["-f", url], 22 if status >= 400 else 0, out=b"")
        self.check("a validator that matches", ["-i", "-H", 'If-None-Match: "a"', self.web.bin("etag/a")], says=[self.has_status(304)])

    def fetched(self, path):
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(self.web.bin(path), timeout=10) as answer:
            return answer.read()

    def bodies(self):
        for path, name in [("gzip", "gzipped"), ("deflate", "deflated"), ("brotli", "brotli")]:
            self.check(f"/{path}", [self.web.bin(path)], says=[self.answers({name: True, "method": "GET"})])
        for path in ["image/png", "image/jpeg", "image/webp", "image/svg", "encoding/utf8", "html", "xml", "json", "robots.txt", "base64/w7bDpAo=",
            "bytes/100000?seed=7", "stream-bytes/100000?seed=7&chunk_size=999", "range/102400"]:
            self.check(f"/{path}", [self.web.bin(path)], out=self.fetched(path))
        file = self.world.folder / "image"
        self.check("-o", ["-o", file, self.web.bin("image/png")], out=b"", says=[lambda: [] if file.read_bytes() == self.fetched("image/png") else ["it differs"]])
        self.check("an image of the wanted kind", ["-H", "Accept: image/webp", self.web.bin("image")], out=self.fetched("image/webp"))
        self.check("no image of the wanted kind", ["-i", "-H", "Accept: x/y", self.web.bin("image")], says=[self.has_status(406)])
        self.check("--max-body that is enough", ["--max-body", 1000, self.web.bin("bytes/1000?seed=7")], out=self.fetched("bytes/1000?seed=7"))
        self.check("--max-body", ["--max-body", 999, self.web.bin("bytes/1000")], 63, out=b"", err="[bodyTooLarge]")
        self.check("--max-body of a stream", ["--max-body", 999, self.web.bin("stream-bytes/1000")], 63, out=b"", err="[bodyTooLarge]")
        self.check("-I", ["-I", self.web.bin("image/png")], says=[self.has_status(200), self.in_head("content-type: image/png")])
        values = ["x-a: 1", "x-a: 2"] if self.world.has_settings else ["x-a: 1, 2"]
        self.check("a header twice", ["-I", self.web.bin("response-headers?X-A=1&X-A=2")], says=[self.in_head(*values)])

    def in_head(self, *wanted):
        def faults():
            head = self.world.checks.last.stdout.decode().lower().split("\r\n")
            return [f"the head lacks {line}" for line in wanted if line not in head]

        return faults

    def streams(self):
        def numbers():
            found = [json.loads(line)["id"] for line in self.world.checks.last.stdout.splitlines()]
            return [] if found == list(range(5)) else [f"it has {found}"]

        for mode in ["lines", "json", "chunks"]:
            self.check(f"--stream {mode}", ["--stream", mode, self.web.bin("stream/5")], says=[numbers])
        self.check("--stream of what comes slowly", ["--stream", "chunks", self.web.bin("drip?duration=1&numbytes=5")], out=b"*" * 5, says=[self.takes(0.8)])
        command = [*self.world.checks.command, "--stream", "chunks", self.web.bin("drip?duration=1&numbytes=10")]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=self.world.checks.environment) as run:
            first = run.stdout.read(1)
            start = time.monotonic()
            rest = run.stdout.read()
            took = time.monotonic() - start
        self.world.checks.report("--stream prints as it arrives", [] if first + rest == b"*" * 10 and took > 0.3 else [f"{first + rest!r}, {took:.3f} s after the first"])

    def ranges(self):
        alphabet = self.fetched("range/26")
        self.check("a range", ["-i", "-H", "Range: bytes=5-9", self.web.bin("range/26")], says=[self.has_status(206), self.ends_in(alphabet[5:10])])
        self.check("the last bytes", ["-H", "Range: bytes=-3", self.web.bin("range/26")], out=alphabet[-3:])
        self.check("a range that is not there", ["-i", "-H", "Range: bytes=26-", self.web.bin("range/26")], says=[self.has_status(416)])

    def ends_in(self, body):
        return lambda: [] if self.world.checks.last.stdout.endswith(b"\r\n\r\n" + body) else [f"output {self.world.checks.last.stdout[-60:]!r}"]

    def interrupted_download(self):
        """Killed in the middle; nginx gives a validator, httpbin one that is none (no quotes), and so starts over."""
        path, target = "60000?duration=1&chunk_size=1000", self.world.folder / "download"
        expected = self.fetched("range/60000")
        for what, url in [("nginx", self.web.first(f"ranged/{path}")), ("httpbin", self.web.bin(f"range/{path}"))]:
            kept = self.interrupted(url, target)
            self.world.checks.report(f"{what}: a download is killed in the middle", [] if 0 < kept < 60000 else [f"{kept} bytes were there"])
            before = len(self.web.requests())
            self.check(f"{what}: -C goes on with it", ["-C", "-o", target, url], says=[lambda: [] if target.read_bytes() == expected else ["it differs"]])
            asked = [(request["range"], request["status"]) for request in self.web.requests(before)]
            wanted = [(f"bytes={kept}-", 206)] if what == "nginx" else []
            self.world.checks.report(f"{what}: only the rest was asked for", [] if asked == wanted else [f"nginx was asked for {asked}, not {wanted}"])
            target.unlink(missing_ok=True)

    def interrupted(self, url, target):
        partial = target.with_name(target.name + ".partial")
        command = [*self.world.checks.command, "-o", str(target), url]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=self.world.checks.environment) as run:
            for _ in range(500):
                if partial.exists() and partial.stat().st_size >= 5000 or run.poll() is not None:
                    break
                time.sleep(0.01)
            run.kill()
        return partial.stat().st_size if partial.exists() else 0

    def methods(self):
        for method in ["GET", "POST", "PUT", "DELETE", "PATCH", "TRACE"]:
            self.check(method, ["-X", method, self.web.bin("anything")], says=[self.answers({"method": method, "data": ""})])
        for method in ["POST", "PUT", "DELETE", "PATCH"]:
            self.check(f"{method} with a body", ["-X", method, *COLOURS, self.web.bin("anything")], says=[self.answers({"method": method, "data": "red and blue"})])
        self.check("OPTIONS", ["-i", "-X", "OPTIONS", self.web.bin("anything")], says=[self.has_status(200)])
        self.check("GET with a body", ["-X", "GET", *COLOURS, self.web.bin("anything")], **self.over_a_body([self.answers({"method": "GET", "data": "red and blue"})]))

    def requests(self):
        file = self.world.folder / "sent.txt"
        file.write_text("from a file")
        url = self.web.bin("anything/path?x=1")
        form = {"Content-Type": "application/x-www-form-urlencoded"}
        self.check("-d", ["-d", "a=1", "-d", "b=%C3%B6", url], says=[self.answers({"method": "POST", "form": {"a": "1", "b": "ö"}, "args": {"x": "1"}, "headers": form})])
        kind = "application/json"
        self.check("--json", ["--json", '{"a":[1,"ö"]}', url], says=[self.answers({"json": {"a": [1, "ö"]}, "headers": {"Content-Type": kind, "Accept": kind}})])
        self.check("--json @FILE", ["--json", f"@{file}", url], says=[self.answers({"json": None, "data": "from a file"})])
        self.check("--query", ["--query", "y=a b&c", "--query", "z=ö", url], says=[self.answers({"args": {"x": "1", "y": "a b&c", "z": "ö"}})])
        self.check("-F", ["-F", "a=1", "-F", f"f=@{file};type=text/x", url], says=[self.answers({"form": {"a": "1"}, "files": {"f": "from a file"}})])
        self.check("-T", ["-T", file, url], says=[self.answers({"method": "PUT", "data": "from a file", "headers": {"Content-Length": "11"}})])
        self.check("-T -, through nginx", ["-T", "-", self.web.first("anything")], says=[self.answers({"method": "PUT", "data": "from a pipe"})], input=b"from a pipe")
        self.check("-H", ["-H", "X-A: 1", "-H", "User-Agent: mine", url], says=[self.answers({"headers": {"X-A": "1", "User-Agent": "mine"}})])
        self.check("without a default header", ["-H", "User-Agent:", url], says=[self.answers({"headers": {"User-Agent": None}})])

    def parallel(self):
        for count, limit, delay in [(4, 4, 1), (4, 2, 0.5), (2, 1, 0.5)]:
            urls = [self.web.first(f"delay/{delay}?n={number}") for number in range(count)]
            before = len(self.web.requests())
            self.check(f"{count} URLs of {delay} s, {limit} at a time", ["--parallel", limit, *urls], says=[self.takes(delay * count / limit), lambda: self.in_order(count)])
            overlap = self.overlap(self.web.requests(before))
            # How many more than one there are is up to the machine.
            is_right = min(limit, 2) <= overlap <= limit
            self.world.checks.report(f"{overlap} at once, {limit} at most", [] if is_right else ["that is wrong"])

    def in_order(self, count):
        text, found = self.world.checks.last.stdout.decode(), []
        while text.strip():
            value, end = json.JSONDecoder().raw_decode(text := text.lstrip())
            text = text[end:]
            found.append(value["args"]["n"])
        return [] if found == [str(number) for number in range(count)] else [f"the order is {found}"]

    def overlap(self, requests):
        """Less than the log's milliseconds is none."""
        spans = [(one["at"] - one["took"] + 0.005, one["at"] - 0.005) for one in requests]
        return max((sum(start <= moment < end for start, end in spans) for moment, _ in spans), default=0)
