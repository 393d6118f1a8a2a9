"""What the checks of conformance have in common."""
import base64
import contextlib
import json
import pathlib
import time

from conformance_lib.checks import Checks

PRIVATE_ETC = pathlib.Path(__file__).resolve().parent.parent / "with-private-etc"


class Recording(Checks):
    """Keeps the last run and how long it took."""

    def run(self, arguments, env, input=b""):
        start = time.monotonic()
        self.last = super().run(arguments, env, input)
        self.elapsed = time.monotonic() - start
        return self.last


class World:
    """Runs anet with -v, so that each check is also one that no secret is told; all secrets hold "hunter2", but one in httpbin's paths."""

    def __init__(self, anet, transport, web, folder):
        self.transport, self.web, self.folder = transport, web, folder
        self.has_settings = transport != "urlsession"
        self.checks = Recording(anet, ["--silent", "-v", "--timeout", "10", "--transport", transport])
        self.requests = []
        self.checks.secrets += [base64.b64encode(pair) for pair in [b"ada:passwd", b"ada:wrong"]] + [b"YWRhOmh1bnRlcjI", b'response="']

    def check(self, what, arguments, status=0, says=(), **expected):
        """`says`: functions that tell faults, after the run."""
        return self.checks.check(what, arguments, status, says=lambda: [fault for one in says for fault in faults_of(one)], **expected)

    def logged(self, what, arguments, expected, status=0, fields=("method", "uri", "status"), says=(), **more):
        """Checks also what nginx was asked: `expected` has a tuple of fields for each request."""
        before = len(self.web.requests())

        def faults():
            self.requests = self.web.requests(before)
            asked = [tuple(request[field] for field in fields) for request in self.requests]
            return [] if asked == expected else [f"nginx was asked {asked}, not {expected}"]

        return self.check(what, arguments, status, says=[faults, *says], **more)

    @contextlib.contextmanager
    def trusting(self):
        """The options that make anet trust the servers' authority. URLSession knows one file only, so there the authority is mounted over
        it, in a mount namespace that ends with the run; that needs root."""
        if self.has_settings:
            yield ["--cacert", self.web.authority]
            return
        script = 'mount --bind "$0" /etc/ssl/certs/ca-certificates.crt && exec "$@"'
        command = self.checks.command
        self.checks.command = [str(PRIVATE_ETC), "sh", "-c", script, str(self.web.authority), *command]
        try:
            yield []
        finally:
            self.checks.command = command

    def answers(self, wanted):
        """That the output is JSON that holds what is wanted, perhaps among more."""
        def faults():
            try:
                return differences(wanted, json.loads(self.checks.last.stdout))
            except ValueError:
                return [f"no JSON: {self.checks.last.stdout[:200]!r}"]

        return faults

    def takes(self, seconds):
        """That the run took so long at least; machines may be slow."""
        return lambda: [] if self.checks.elapsed >= seconds else [f"it took {self.checks.elapsed:.3f} s only, not {seconds}"]


def faults_of(one):
    """What cannot be checked is a fault."""
    try:
        return one()
    except Exception as error:
        return [f"it cannot be checked: {error!r}"]


def differences(wanted, found, path="$"):
    if isinstance(wanted, dict) and isinstance(found, dict):
        return [fault for key, value in wanted.items() for fault in differences(value, found.get(key), f"{path}.{key}")]
    return [] if wanted == found else [f"{path} is {found!r}, not {wanted!r}"]
