"""Certificates and TLS settings of the kinds that badssl.com and x509-limbo try, with authorities of ours: one server each."""
from conformance_lib.certificates import key
from conformance_lib.checks import openssl

OK, UNTRUSTED, EXPIRED, HOST, REVOKED, HANDSHAKE = (
    "ok", "certificateNotTrusted", "certificateExpired", "certificateHostMismatch", "certificateRevoked", "tlsHandshakeFailed")
STATUS = {OK: 0, UNTRUSTED: 60, EXPIRED: 60, HOST: 60, REVOKED: 91, HANDSHAKE: 35}
NAME = "subjectAltName=DNS:localhost\n"
CA = "basicConstraints=critical,CA:TRUE{}\nkeyUsage=keyCertSign,cRLSign\n"
WEAK = "ssl_ciphers DEFAULT@SECLEVEL=0;"
TLS12 = "ssl_protocols TLSv1.2;"

# The kind: what comes of it, what the error says, nginx's settings.
KINDS = {
    "no common name": (OK, "", ""), "no subject": (OK, "", ""), "1000 names": (OK, "", ""), "root sent too": (OK, "", ""),
    "certificates in another order": (OK, "", ""), "P-256": (OK, "", ""), "P-384": (OK, "", ""), "RSA of 4096 bits": (OK, "", ""),
    "TLS 1.2 only": (OK, "", TLS12), "TLS 1.3 only": (OK, "", "ssl_protocols TLSv1.3;"), "CBC": (OK, "", TLS12 + "ssl_ciphers ECDHE-RSA-AES128-SHA;"),
    "not valid yet": (EXPIRED, "not valid yet", ""), "intermediate expired": (EXPIRED, "expired", ""),
    "common name only": (HOST, "none of the certificate's", ""), "part of a label as wildcard": (HOST, "", ""), "wildcard for all": (HOST, "", ""),
    "address as a DNS name": (HOST, "address", ""), "name with a NUL": (HOST, "", ""),
    "intermediate is no authority": (UNTRUSTED, "no authority", ""), "path too long": (UNTRUSTED, "more intermediate certificates", ""),
    "for clients only": (UNTRUSTED, "not for servers", ""), "excluded name": (UNTRUSTED, "must not issue", ""),
    "not a permitted name": (UNTRUSTED, "may not issue", ""), "unknown critical extension": (UNTRUSTED, "critical extension", ""),
    "wrong signature": (UNTRUSTED, "signature", ""), "signed with SHA-1": (UNTRUSTED, "SHA-1", WEAK), "RSA of 512 bits": (UNTRUSTED, "too small", WEAK),
    "10000 names": (HANDSHAKE, "too large", ""), "TLS 1.0 only": (HANDSHAKE, "versions of TLS", "ssl_protocols TLSv1;" + WEAK),
    "TLS 1.1 only": (HANDSHAKE, "versions of TLS", "ssl_protocols TLSv1.1;" + WEAK),
    "no encryption": (HANDSHAKE, "none of the offered", TLS12 + "ssl_ciphers NULL-SHA256:@SECLEVEL=0;"),
    "Diffie-Hellman of 1024 bits": (HANDSHAKE, "Diffie-Hellman key is too small", TLS12 + "ssl_dhparam dh.pem; ssl_ciphers DHE-RSA-AES128-SHA:@SECLEVEL=0;"),
}
# The same certificate with other lists.
LISTS = {"empty": (OK, ""), "revoked": (REVOKED, "revocation list"), "other": (UNTRUSTED, "none of the certificate's issuer"), "old": (UNTRUSTED, "out of date")}

# The prime of 1024 bits of RFC 2409 section 6.2, which takes long to find another one for.
OAKLEY_2 = (
    "FFFFFFFFFFFFFFFFC90FDAA22168C234C4C6628B80DC1CD129024E088A67CC74020BBEA63B139B22514A08798E3404DDEF9519B3CD3A431B302B0A6DF25F1437"
    "4FE1356D6D51C245E485B576625E7EC6F44C42E9A637ED6B0BFF5CB6F406B7EDEE386BFB5A899FA5AE9F24117C4B1FE649286651ECE65381FFFFFFFFFFFFFFFF")


def file(kind):
    return "kind-" + kind.replace(" ", "-").lower()


def make_kinds(folder):
    """Each kind's certificate and key, made by certificates.make_certificates' authority; and lists."""
    def make(kind, extensions=NAME, issuer="ca", subject=None, chain=(), algorithm=("rsa:2048",), more=(), name=None):
        name = name or file(kind)
        key(folder, name, name, subject, algorithm)
        (folder / f"{name}.ext").write_text(extensions)
        openssl("x509", "-req", "-in", folder / f"{name}.csr", "-CA", folder / f"{issuer}.pem", "-CAkey", folder / f"{issuer}.key", "-CAcreateserial",
            "-days", "2", *more, "-extfile", folder / f"{name}.ext", "-out", folder / f"{name}.pem")
        with open(folder / f"{name}.pem", "a") as out:
            out.writelines((folder / f"{part}.pem").read_text() for part in chain)

    def dated(name, start, end, extensions, host):
        """By `openssl ca`, which alone takes dates."""
        key(folder, name, host, None, ("rsa:2048",))
        (folder / f"{name}.ext").write_text(extensions)
        openssl("ca", "-batch", "-config", "ca.conf", "-cert", "ca.pem", "-keyfile", "ca.key", "-startdate", start, "-enddate", end,
            "-extfile", f"{name}.ext", "-in", f"{name}.csr", "-out", f"{name}.pem", "-notext", cwd=folder)

    for kind in ["TLS 1.2 only", "TLS 1.3 only", "CBC", "TLS 1.0 only", "TLS 1.1 only", "no encryption", "Diffie-Hellman of 1024 bits"]:
        make(kind)
    (folder / "dh.conf").write_text(f"asn1=SEQUENCE:s\n[s]\np=INTEGER:0x{OAKLEY_2}\ng=INTEGER:2\n")
    openssl("asn1parse", "-genconf", folder / "dh.conf", "-noout", "-out", folder / "dh.der")
    openssl("dhparam", "-inform", "der", "-in", folder / "dh.der", "-out", folder / "dh.pem")
    make("no common name", subject="/O=AsyncNet")
    make("no subject", "subjectAltName=critical,DNS:localhost\n", subject="/")
    for count in [1000, 10000]:
        make(f"{count} names", "subjectAltName=@names\n[names]\nDNS.0=localhost\n" + "".join(f"DNS.{n}=name{n}.example\n" for n in range(1, count)))
    make("root sent too", chain=["ca"])
    make("certificates in another order", issuer="intermediate", chain=["ca", "intermediate"])
    for kind, curve in [("P-256", "P-256"), ("P-384", "P-384")]:
        make(kind, algorithm=("ec", "-pkeyopt", f"ec_paramgen_curve:{curve}"))
    make("RSA of 4096 bits", algorithm=("rsa:4096",))
    make("RSA of 512 bits", algorithm=("rsa:512",))
    make("signed with SHA-1", more=["-sha1"])
    dated(file("not valid yet"), "20990101000000Z", "21000101000000Z", NAME, "notyet")
    dated("kind-old-ca", "20200101000000Z", "20210101000000Z", CA.format(""), "old intermediate")
    make("intermediate expired", issuer="kind-old-ca", chain=["kind-old-ca"])
    make("common name only", "keyUsage=digitalSignature\n", subject="/CN=localhost")
    make("part of a label as wildcard", "subjectAltName=DNS:local*\n")
    make("wildcard for all", "subjectAltName=DNS:*\n")
    make("address as a DNS name", "subjectAltName=DNS:127.0.0.1\n", subject="/CN=127.0.0.1")
    # The octets of localhost, NUL and .example as an IA5String.
    make("name with a NUL", "subjectAltName=DER:" + (b"\x30\x13\x82\x11localhost\0.exampl"[:21]).hex() + "\n")
    make("intermediate is no authority", issuer="right", chain=["right"])
    make("short", CA.format(",pathlen:0"), name="kind-short")
    make("long", CA.format(""), issuer="kind-short", name="kind-long")
    make("path too long", issuer="kind-long", chain=["kind-long", "kind-short"])
    make("for clients only", NAME + "extendedKeyUsage=clientAuth\n")
    for kind, constraint in [("excluded name", "excluded;DNS:localhost"), ("not a permitted name", "permitted;DNS:other.example")]:
        make("limited", CA.format("") + f"nameConstraints=critical,{constraint}\n", name=f"{file(kind)}-ca")
        make(kind, issuer=f"{file(kind)}-ca", chain=[f"{file(kind)}-ca"])
    make("unknown critical extension", NAME + "1.2.3.4=critical,DER:0500\n")
    make("wrong signature")
    damage(folder / f"{file('wrong signature')}.pem")
    make_lists(folder)


def damage(path):
    """Another last byte of the certificate, which is of its signature."""
    der = bytearray(openssl("x509", "-in", path, "-outform", "der"))
    der[-1] ^= 1
    path.write_bytes(openssl("x509", "-inform", "der", input=bytes(der)))


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
