"""Runs anet and says whether it did what it should."""
import base64
import hashlib
import os
import subprocess
import time


class Checks:
    def __init__(self, anet, options):
        self.command = [os.path.abspath(anet), *options]
        self.environment = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
        self.secrets = [b"hunter2"]
        self.failures = 0

    def report(self, what, faults=()):
        self.failures += bool(faults)
        print(("FAILED" if faults else "ok") + f": {what}" + "".join(f"\n    {fault}" for fault in faults) + "\n", end="", flush=True)

    def run(self, arguments, env, input=b""):
        command = [*self.command, *map(str, arguments)]
        try:
            return subprocess.run(command, capture_output=True, input=input, timeout=30, env=self.environment | env)
        except subprocess.TimeoutExpired as late:
            return subprocess.CompletedProcess(command, -1, late.stdout or b"", (late.stderr or b"") + b" (killed after 30 s)")

    def check(self, what, arguments, status=0, out=None, err="", env={}, says=lambda: [], input=b""):
        """`says` tells faults found by looking elsewhere, such as into a server's log, once anet has ended."""
        run = self.run(arguments, env, input)
        faults = []
        if run.returncode != status:
            faults.append(f"exit status {run.returncode}, not {status}: {run.stderr[-400:].decode()}")
        if out is not None and run.stdout != out:
            faults.append(f"output {run.stdout[:200]!r}, not {out[:200]!r}")
        if err not in run.stderr.decode():
            faults.append(f"standard error lacks {err!r}: {run.stderr[-400:].decode()}")
        for secret in self.secrets:
            faults += [f"a secret is on standard error: {line[:200]!r}" for line in run.stderr.splitlines() if secret in line]
        self.report(what, faults + says())
        return run


def eventually(is_so, otherwise):
    """A server may write its log a moment after the client has its answer."""
    for _ in range(50):
        if is_so():
            return []
        time.sleep(0.02)
    return [otherwise]


def openssl(*arguments, input=b"", cwd=None):
    return subprocess.run(["openssl", *map(str, arguments)], capture_output=True, input=input, timeout=20, check=True, cwd=cwd).stdout


def pin_of(certificate):
    key = openssl("x509", "-in", certificate, "-noout", "-pubkey")
    der = openssl("pkey", "-pubin", "-outform", "der", input=key)
    return "sha256//" + base64.b64encode(hashlib.sha256(der).digest()).decode()
