"""Certificates for trust-conformance, in a folder: each NAME.pem with NAME.key, some with an OCSP response NAME.ocsp."""
import subprocess

from conformance_lib.checks import openssl

DAYS = ["-days", "2"]


def make_certificates(script, folder):
    """Those of Scripts/test-certificates, and more of its authority and of another."""
    subprocess.run([script, folder], stdin=subprocess.DEVNULL, timeout=60, check=True)
    authority(folder, "otherca")
    signed(folder, "intermediate", "ca", "AsyncNet test intermediate", "basicConstraints=critical,CA:TRUE\nkeyUsage=keyCertSign,cRLSign\n")
    for name, issuer, names in [
        ("right", "ca", "DNS:localhost"), ("other", "otherca", "DNS:localhost"), ("wildcard", "ca", "DNS:*.wild.example"), ("ip", "ca", "IP:127.0.0.1"),
        ("rotated", "ca", "DNS:localhost"), ("missing", "intermediate", "DNS:localhost"),
    ]:
        signed(folder, name, issuer, name, f"subjectAltName={names}\n")
    (folder / "chained.pem").write_text((folder / "missing.pem").read_text() + (folder / "intermediate.pem").read_text())
    (folder / "chained.key").write_text((folder / "missing.key").read_text())
    for name in ["stapled", "revoked"]:
        listed(folder, name)
    make_lists(folder)


def authority(folder, name):
    openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", *DAYS, "-subj", f"/CN=AsyncNet {name}", "-keyout", folder / f"{name}.key",
        "-out", folder / f"{name}.pem")


def signed(folder, name, issuer, subject, extensions):
    openssl("req", "-newkey", "rsa:2048", "-nodes", "-subj", f"/CN={subject}", "-keyout", folder / f"{name}.key", "-out", folder / f"{name}.csr")
    (folder / f"{name}.ext").write_text(extensions)
    openssl("x509", "-req", "-in", folder / f"{name}.csr", "-CA", folder / f"{issuer}.pem", "-CAkey", folder / f"{issuer}.key", "-CAcreateserial",
        *DAYS, "-extfile", folder / f"{name}.ext", "-out", folder / f"{name}.pem")


def listed(folder, name):
    """A certificate in the authority's database, from which it says whether one is revoked."""
    def ca(*arguments):
        subprocess.run(["openssl", "ca", "-batch", "-config", "ca.conf", "-cert", "ca.pem", "-keyfile", "ca.key", *arguments], cwd=folder,
            capture_output=True, stdin=subprocess.DEVNULL, timeout=20, check=True)

    openssl("req", "-newkey", "rsa:2048", "-nodes", "-subj", f"/CN={name}", "-addext", "subjectAltName=DNS:localhost",
        "-keyout", folder / f"{name}.key", "-out", folder / f"{name}.csr")
    ca("-days", "2", "-in", f"{name}.csr", "-out", f"{name}.pem", "-notext")
    if name == "revoked":
        ca("-revoke", f"{name}.pem")
    openssl("ocsp", "-index", folder / "index.txt", "-rsigner", folder / "ca.pem", "-rkey", folder / "ca.key", "-CA", folder / "ca.pem",
        "-issuer", folder / "ca.pem", "-cert", folder / f"{name}.pem", "-respout", folder / f"{name}.ocsp", "-ndays", "1", "-noverify")
    # libcurl looks for the issuer among the certificates that the server sends.
    (folder / f"{name}.pem").write_text((folder / f"{name}.pem").read_text() + (folder / "ca.pem").read_text())


def make_lists(folder):
    """Lists of the authority, before and after `revoked` was revoked, one that is out of date, and one of another authority."""
    def make(name, issuer, *more):
        (folder / "lists.conf").write_text(
            "[ca]\ndefault_ca=a\n[a]\ndatabase=" + ("index.txt" if name in ["revoked", "old"] else "none.txt") + "\ndefault_md=sha256\n")
        (folder / "none.txt").touch()
        openssl("ca", "-config", "lists.conf", "-gencrl", "-cert", f"{issuer}.pem", "-keyfile", f"{issuer}.key", "-out", f"{name}.crl",
            *(more or ("-crldays", "1")), cwd=folder)

    make("empty", "ca")
    make("revoked", "ca")
    make("other", "otherca")
    make("old", "ca", "-crl_lastupdate", "20200101000000Z", "-crl_nextupdate", "20210101000000Z")
