"""Installs and starts httpbin, the Python server behind httpbin.org, for conformance."""
import os
import pathlib
import shutil
import subprocess
import sys

from conformance_lib.servers import free_ports

# httpbin 0.10 is the first that today's Flask and Werkzeug run.
REQUIREMENTS = ["httpbin>=0.10.2,<0.11", "flask>=3,<4", "werkzeug>=3,<4"]
VENV = pathlib.Path(__file__).resolve().parent.parent.parent / ".build" / "httpbin"

SERVE = """
import sys
from httpbin import app
from werkzeug.serving import run_simple
run_simple("127.0.0.1", int(sys.argv[1]), app, threaded=True)
"""


def succeeds(*command, seconds=200):
    environment = os.environ | {"RUNLEVEL": "1", "PIP_ROOT_USER_ACTION": "ignore"}
    try:
        run = subprocess.run([*map(str, command)], capture_output=True, stdin=subprocess.DEVNULL, timeout=seconds, env=environment)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return run.returncode == 0


def need(command, package):
    """A Debian package, unless its command is there. A server in it is not started: below runlevel 2 none is."""
    if shutil.which(command) is None:
        succeeds("apt-get", "update", "-qq")
        succeeds("apt-get", "install", "-y", "-qq", package)
    if shutil.which(command) is None:
        raise SystemExit(f"{command} is needed, and apt-get does not install it from {package}")


def has_httpbin(python):
    return succeeds(python, "-c", "from httpbin import app; from werkzeug.serving import run_simple")


def make_venv():
    return succeeds(sys.executable, "-m", "venv", "--clear", VENV) and succeeds(VENV / "bin/python", "-m", "pip", "install", "-q", *REQUIREMENTS)


def python_with_httpbin():
    """This Python if it has it, else one in a folder of the build's; without either, this Python gets it."""
    inside = VENV / "bin/python"
    ways = [
        lambda: True,
        make_venv,
        lambda: succeeds("apt-get", "update", "-qq") and succeeds("apt-get", "install", "-y", "-qq", "python3-venv") and make_venv(),
        lambda: succeeds(sys.executable, "-m", "pip", "install", "-q", *REQUIREMENTS),
        lambda: succeeds(sys.executable, "-m", "pip", "install", "-q", "--break-system-packages", *REQUIREMENTS),
    ]
    for way in ways:
        way()
        for python in [sys.executable, inside]:
            if has_httpbin(python):
                return python
    raise SystemExit("httpbin is needed, and pip does not install it")


def install():
    """What conformance needs on a new machine."""
    need("nginx", "nginx-light")
    need("openssl", "openssl")
    need("curl", "curl")
    return python_with_httpbin()


def start_httpbin(servers, python):
    """Its port. One process with threads, so that ending it ends all of it."""
    (port,) = free_ports(1)
    servers.start("httpbin", [str(python), "-c", SERVE, str(port)], [port])
    return port
