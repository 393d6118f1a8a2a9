"""What anet does beside transfers: terminals, shorthands, refusals, heads, events, files."""
import http.server
import json
import os
import pty
import subprocess
import tempfile
import threading
import time

JSON = b'{"b":[1,2.50,{"x":null}],"a":"\\u00e9\\"","e":{},"l":[]}'
INDENTED = """{
    "b": [
        1,
        2.50,
        {
            "x": null
        }
    ],
    "a": "\\u00e9\\"",
    "e": {},
    "l": []
}
"""
COLOURED = INDENTED
for word, colour in [*((f'"{name}":', 34) for name in "bxael"), ("1", 36), ("2.50", 36), ("null", 36), ('"\\u00e9\\""', 32)]:
    shown = f"\x1b[{colour}m{word.removesuffix(':')}\x1b[0m" + (":" if word.endswith(":") else "")
    COLOURED = COLOURED.replace(word, shown, 1)

REFUSED = {
    "--next": "anet twice", "-z x": "time-cond", "--ntlm": "Basic and Digest", "-0": "http1.0", "-K x": "command line",
    "-n": "netrc", "--location-trusted": "origin", "-sSy 3": "speed-time", "--ftp-pasv": "HTTP only", "-C 7": "offset", "--digest": "whichever",
    "-w %{nonsense}": "nonsense", "-w %{local_port}": "local_port", "--trace-ascii x": "--trace", "--connect-to x": "no setting", "-e x;auto": "auto", "-T a -T b": "one file",
}

# The arguments after the path, and what the server gets: method, target, one header, body.
SHORTHANDS = [
    (["a=1", "b:=[1, 2]", "a b=c\"d"], "POST", "", ("Content-Type", "application/json"), '{"a": "1", "b": [1, 2], "a b": "c\\"d"}'),
    (["a=1", "-X", "PUT"], "PUT", "", ("Accept", "application/json"), '{"a": "1"}'),
    (["q==a b&c", "r==1"], "GET", "?q=a%20b%26c&r=1", ("X", None), ""),
    (["X-A:b:c", "Accept:"], "GET", "", ("X-A", "b:c"), ""),
    (["Max-Forwards:10"], "GET", "", ("Max-Forwards", "10"), ""),
    (["u=http://a/b?c=d"], "POST", "", ("X", None), '{"u": "http://a/b?c=d"}'),
]


class Desk:
    """A server that tells what it was sent, and whose other paths are for eyes."""

    def __init__(self):
        self.asked = []
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), self.handler())
        self.port = server.server_port
        threading.Thread(target=server.serve_forever, daemon=True).start()

    def url(self, path):
        return f"http://127.0.0.1:{self.port}/{path}"

    def handler(desk):
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                desk.asked.append((self.command, self.path, self.headers, body.decode()))
                getattr(self, self.path.strip("/").split("/")[0].split("?")[0])()

            do_POST = do_PUT = do_GET

            def handle_expect_100(self):
                if not self.path.startswith("/strict"):
                    return super().handle_expect_100()
                self.close_connection = True
                self.answer(b"", status=417, Connection="close")
                return False

            def strict(self):
                self.answer(self.headers.get("Expect", "nothing").encode())

            def answer(self, body, kind="text/plain", status=200, **headers):
                self.send_response(status)
                for name, value in {"Content-Type": kind, "Content-Length": len(body), **headers}.items():
                    self.send_header(name.replace("_", "-"), str(value))
                self.end_headers()
                self.wfile.write(body)

            def json(self):
                self.answer(JSON, "application/json")

            def typeless(self):
                self.answer(b"[1", "application/problem+json")

            def binary(self):
                self.answer(b"a\0b\xff")

            def text(self):
                self.answer(b"{text}\n")

            def kept(self):
                matches = self.headers.get("If-None-Match") == '"v1"'
                self.answer(b"" if matches else b"kept", status=304 if matches else 200, ETag='"v1"', Last_Modified="Sun, 06 Nov 1994 08:49:37 GMT")

            def lost(self):
                self.close_connection = True

            def slow(self):
                """Two seconds long."""
                self.send_response(200)
                self.send_header("Content-Length", "200000")
                self.end_headers()
                for _ in range(20):
                    self.wfile.write(b"x" * 10000)
                    time.sleep(0.1)

            def events(self):
                """A connection for each event; after the second nothing more."""
                last = self.headers.get("Last-Event-ID", "")
                if last == "2":
                    return self.answer(b"", status=204)
                self.close_connection = True
                self.send_response(200)
                self.send_header("Content-Type", "text/event-stream")
                self.end_headers()
                self.wfile.write(f"retry: 10\nid: {2 if last else 1}\ndata: after {last}\n\n".encode())

            def log_message(self, *_):
                pass

        return Handler


class Terminal:
    """Runs a program whose output and errors are a terminal; returns its status and what was written, with plain line ends."""

    def __init__(self, command, environment):
        self.command, self.environment = command, environment | {"TERM": "xterm"}

    def run(self, *arguments, env={}):
        ours, theirs = pty.openpty()
        process = subprocess.Popen([*self.command, *arguments], stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs, env=self.environment | env)
        os.close(theirs)
        written = b""
        # The end of the last writer is an error on Linux.
        try:
            while more := os.read(ours, 65536):
                written += more
        except OSError:
            pass
        os.close(ours)
        return process.wait(timeout=30), own_lines(written.replace(b"\r\n", b"\n"))


def own_lines(written):
    """What the program itself has written: the dynamic linker may write lines about a second libcurl."""
    return b"".join(line for line in written.splitlines(keepends=True) if b": no version information available" not in line)


class CommandLineChecks:
    def __init__(self, command, environment, check, report, has_settings):
        self.command, self.environment, self.check, self.report, self.has_settings = command, environment, check, report, has_settings
        self.desk = Desk()
        self.terminal = Terminal(command, environment)

    def run(self):
        self.terminals()
        self.shorthands()
        for option, reason in REFUSED.items():
            self.check(f"{option} is refused with the reason", [*option.split(), self.desk.url("text")], status=2, out=b"", err=reason)
        self.http3()
        self.heads()
        self.events()
        self.files()
        self.told()

    def http3(self):
        """Scripts/http3 tries it where libcurl has it."""
        version = subprocess.run([*self.command, "--version"], capture_output=True, env=self.environment, text=True).stdout
        if not self.has_settings:
            self.check("--http3 is refused over URLSession", ["--http3", self.desk.url("text")], status=2, out=b"", err="--http3")
        elif "libcurl 7.88" in version:  # Debian 12's, which lacks it
            self.check("--http3 without HTTP/3 says so", ["--http3", self.desk.url("text")], status=1, out=b"", err="built without HTTP/3")

    def shows(self, what, arguments, expected, status=0, env={}):
        found = self.terminal.run(*arguments, env=env)
        self.report(what, [] if found == (status, expected) else [f"{found}, not {(status, expected)}"])

    def terminals(self):
        url = self.desk.url
        self.shows("JSON on a terminal", [url("json")], COLOURED.encode())
        self.shows("JSON on a terminal without colours", [url("json")], INDENTED.encode(), env={"NO_COLOR": "1"})
        self.shows("JSON that is none, on a terminal", [url("typeless")], b"[1")
        self.shows("text on a terminal", [url("text")], b"{text}\n")
        refusal = b"anet: The body is binary and is not written to a terminal. -o - writes it anyway, -o FILE to a file.\n"
        self.shows("binary on a terminal", [url("binary")], refusal, 23)
        self.shows("a binary stream on a terminal", ["-N", url("binary")], refusal, 23)
        self.shows("-o - on a terminal", ["-o", "-", url("binary")], b"a\0b\xff")
        self.shows("-o - on a terminal, JSON", ["-o", "-", url("json")], JSON)
        for env, coloured in [({}, True), ({"NO_COLOR": "1"}, False)]:
            status, shown = self.terminal.run("--trace", "--timing", url("text"), env=env)
            isAsExpected = status == 0 and (b"\x1b[32mfinished\x1b[0m" in shown) == coloured == (b"\x1b" in shown)
            self.report(f"--trace and --timing on a terminal, coloured: {coloured}", [] if isAsExpected else [f"{status}, {shown}"])
        self.check("elsewhere bytes are bytes", [url("json"), url("binary")], out=JSON + b"a\0b\xff")
        with tempfile.TemporaryDirectory() as folder:
            several = ["-Z", "--output-dir", folder, "-o", "a", url("slow/first"), "-o", "b", url("slow/second")]
            status, shown = self.terminal.run(*several)
            lacking = [word for word in [b"a  ", b"b  ", b"% [", b" left"] if word not in shown]
            self.report("a progress bar for each of several", [f"{status}, no {lacking} in {shown[:300]}"] if status or lacking else [])
            self.shows("-s on a terminal", ["-s", *several], b"")
            self.shows("--no-progress-meter", ["--no-progress-meter", *several[1:]], b"")
            sizes = sorted(os.path.getsize(os.path.join(folder, name)) for name in "ab")
            self.report("both are whole", [] if sizes == [200000] * 2 else [f"{sizes}"])

    def shorthands(self):
        for arguments, method, query, (name, value), body in SHORTHANDS:
            self.desk.asked.clear()
            self.check(f"after the URL: {arguments}", [f":{self.desk.port}/text", *arguments], out=b"{text}\n")
            found = [(asked[0], asked[1], asked[2][name], asked[3]) for asked in self.desk.asked]
            self.report("and the server gets it", [] if found == [(method, f"/text{query}", value, body)] else [f"{found}"])
        here = f"127.0.0.1:{self.desk.port}/text"
        self.check("a second URL without a scheme", [here, here, "X-A:1"], out=b"{text}\n" * 2)
        self.check("JSON that is none", [here, "a:=[1"], status=2, err="a:= needs JSON")
        self.check("a field with -d", [here, "a=1", "-d", "x"], status=2, err="exclude each other")

    def heads(self):
        if not self.has_settings:
            return
        self.desk.asked.clear()
        arguments = ["-v", "-H", "B: 1", "-H", "a: 2", "-H", "X-API-Key: hunter2", "-d", "c", self.desk.url("text?token=hunter2")]
        run = subprocess.run([*self.command, *arguments], capture_output=True, env=self.environment, timeout=30)
        sent = [line[2:] for line in run.stderr.decode().splitlines() if line.startswith("> ")]
        received = [f"{name}: {'<redacted>' if name == 'X-API-Key' else value}" for name, value in self.desk.asked[0][2].items()]
        expected = ["POST /text?<redacted> HTTP/1.1", *received, ""]
        self.report("-v shows the head that the server received, in its order", [] if sent == expected else [f"{sent}, not {expected}"])

    def events(self):
        for options, expected, ids in [([], b"after ,after 1", [None, "1", "2"]), (["--no-reconnect"], b"after ", [None])]:
            self.desk.asked.clear()
            lines = b"".join(b"id: %d\nevent: message\ndata: %s\n\n" % (number + 1, text) for number, text in enumerate(expected.split(b",")))
            self.check(f"events {options}", [*options, "--stream", "events", self.desk.url("events")], out=lines)
            found = [asked[2]["Last-Event-ID"] for asked in self.desk.asked]
            self.report("connections of that stream", [] if found == ids else [f"{found}"])

    def files(self):
        with tempfile.TemporaryDirectory() as folder:
            file, tag, log = (os.path.join(folder, name) for name in ["file", "tag", "log"])
            self.check("-R and --etag-save", ["-R", "--etag-save", tag, "-o", file, self.desk.url("kept")], out=b"")
            found = os.path.getmtime(file), open(tag).read()
            self.report("the file has the time of the response", [] if found == (784111777, '"v1"\n') else [f"{found}"])
            self.check("--etag-compare", ["--etag-compare", tag, "-w", "%{http_code}", self.desk.url("kept")], out=b"304")
            self.check("-o and a 304", ["--etag-compare", tag, "-o", file, "-w", "%{http_code}", self.desk.url("kept")], out=b"304")
            self.check("-r, -o and a 304", ["-r", "0-1", "--etag-compare", tag, "-o", file, "-w", "%{http_code}", self.desk.url("kept")], out=b"304")
            self.report("the file stays after a 304", [] if os.path.getsize(file) else ["it is empty"])
            self.check("--stderr", ["--stderr", log, "-f", self.desk.url("lost")], status=52)
            self.report("errors are in its file", [] if "[emptyReply]" in open(log).read() else [open(log).read()])
            self.check("an expectation that the server refuses", ["-T", tag, self.desk.url("strict")], out=b"nothing")
            self.check("-F with -o", ["-F", "a=1", "-o", file, self.desk.url("text")], out=b"")
            self.report("its response is in the file", [] if open(file).read() == "{text}\n" else [open(file).read()])
            self.check("-I with -o", ["-I", "-o", os.path.join(folder, "x/y"), self.desk.url("text")], status=23)
        self.check("more -o than URLs", ["-o", "a", "-o", "b", self.desk.url("text")], status=2, err="2 times")
        self.check("-O without a name", ["-O", self.desk.url("")], status=23, err="-o FILE")

    def told(self):
        self.check("--version", ["--version"], err="")
        self.check("--curl", ["--curl", "-H", "Authorization: hunter2", self.desk.url("text")], out=b"{text}\n", err="curl -v")
        for shell in ["bash", "zsh", "fish"]:
            run = subprocess.run([self.command[0], "--generate-completion-script", shell], capture_output=True, timeout=30)
            self.report(f"completions for {shell}", [] if run.returncode == 0 and b"data-urlencode" in run.stdout else [f"{run}"[:300]])
        for words, reason in [("--fail --fail-with-body", "exclude"), ("--retry-delay -1", "--retry-delay"), ("--limit-rate x", "--limit-rate"),
                              ("--resolve a:b:c", "--resolve"), ("--proto =ftp", "--proto"), ("-4 -6", "exclude")]:
            self.check(f"usage: {words}", [*words.split(), self.desk.url("text")], status=2, err=reason)
        self.check("--proto", ["--proto", "=https", self.desk.url("text")], status=1, err="--proto")
        if not self.has_settings:
            self.check("--limit-rate over URLSession", ["--limit-rate", "1K", self.desk.url("text")], status=2, err="needs the transport sockets or libcurl")
