"""Runs anet, many at a time, and says whether each did what it should."""
import concurrent.futures
import pathlib
import re
import subprocess
import tempfile
import threading
import time
import traceback

from conformance_lib.checks import Checks
from http2_lib.server import RawServer, tls_context


class Run:
    """How a run of anet ended."""

    def __init__(self, status, out, err, seconds, peak):
        self.status, self.out, self.err, self.seconds, self.peak = status, out, err.decode(errors="replace"), seconds, peak

    def faults(self, status=0, out=None, err=None, below=10):
        """`status`: one or several; `err`: a regular expression."""
        statuses = {status} if isinstance(status, int) else set(status)
        faults = []
        if self.status not in statuses:
            faults.append(f"exit status {self.status}, not {' or '.join(map(str, sorted(statuses)))}: {self.err[-500:].strip()}")
        elif err and not re.search(err, self.err):
            faults.append(f"standard error lacks {err!r}: {self.err[-500:].strip()}")
        if out is not None and self.out != out:
            faults.append(f"output of {len(self.out)} bytes {self.out[:80]!r}, not {len(out)} bytes {out[:80]!r}")
        if self.seconds > below:
            faults.append(f"took {self.seconds:.1f} s, not less than {below} s")
        return faults


class Runs:
    def __init__(self, anet, transport, folder):
        self.checks = Checks(anet, ["--silent", "--timeout", "5", "--transport", transport])
        self.folder, self.count, self.lock = folder, 0, threading.Lock()
        self.trust = ["--cacert", folder / "ca.pem"]
        self.tls = tls_context(folder)

    def report(self, what, faults=()):
        with self.lock:
            self.count += 1
            self.checks.report(what, list(faults))

    def anet(self, *arguments, input=b"", seconds=30):
        """One that has not ended after so many seconds is killed; its status is -9."""
        command = [*self.checks.command, *map(str, arguments)]
        begin, peak = time.monotonic(), 0
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err, tempfile.TemporaryFile() as into:
            into.write(input)
            into.seek(0)
            process = subprocess.Popen(command, stdin=into, stdout=out, stderr=err, env=self.checks.environment)
            while process.poll() is None:
                peak = max(peak, peak_memory(process.pid))
                if time.monotonic() - begin > seconds:
                    process.kill()
                try:
                    process.wait(0.02)
                except subprocess.TimeoutExpired:
                    pass
            lasted = time.monotonic() - begin
            out.seek(0)
            err.seek(0)
            return Run(process.returncode, out.read(), err.read(), lasted, peak)

    def file(self, name, content=None):
        """A file's path in a folder of its own."""
        path = pathlib.Path(tempfile.mkdtemp(dir=self.folder)) / name
        if content is not None:
            path.write_bytes(content)
        return path

    def to(self, server):
        """The options for a server of this program."""
        return self.trust if server.tls else ["--http2"]

    def against(self, what, behave, arguments=(), path="", says=lambda run, server: [], tls=False, http1=None, urls=None, seconds=30, **expected):
        """A run against a server of one behaviour. `says` tells what else is wrong; `urls` gives several paths."""
        with RawServer(behave, self.tls if tls else None, http1) as server:
            urls = [server.url(one) for one in ([path] if urls is None else urls)]
            run = self.anet(*self.to(server), *arguments, *urls, seconds=seconds)
            self.report(what, run.faults(**expected) + server.ended() + list(says(run, server)))

    def all(self, cases, workers):
        """Runs functions, some at the same time: much of the time is waited."""
        def attempt(case):
            try:
                case()
            except Exception:
                self.report(f"{getattr(case, '__name__', case)} runs to its end", [traceback.format_exc()])

        with concurrent.futures.ThreadPoolExecutor(workers) as pool:
            list(pool.map(attempt, cases))


def peak_memory(pid):
    """In MiB; 0 for a process that has ended."""
    try:
        status = pathlib.Path(f"/proc/{pid}/status").read_text()
        return int(status.split("VmHWM:")[1].split()[0]) >> 10
    except (OSError, IndexError):
        return 0
