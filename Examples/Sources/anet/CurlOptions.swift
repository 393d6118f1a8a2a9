/// curl's options by name: which take a value, which letters stand for them, and which anet refuses with what reason.
/// What ArgumentParser does not split as curl does (`-sSfL`, `-ofile`, `-d -1`) is split with this table.
enum CurlOptions {
    struct Option {
        let name: String
        let takesValue: Bool
    }

    static func option(_ name: String) -> Option? {
        if valued.contains(name) { return Option(name: name, takesValue: true) }
        return flags.contains(name) ? Option(name: name, takesValue: false) : nil
    }

    static func option(_ letter: Character) -> Option? { letters[letter].flatMap { option($0) } }

    private static func set(_ names: String) -> Set<String> { Set(names.split(separator: " ").map(String.init)) }

    /// Options with a value, anet's own too.
    private static let valued = set(
        """
        request header data data-ascii data-raw data-binary data-urlencode json query url-query form form-string \
        upload-file user bearer oauth2-bearer max-redirects max-redirs timeout max-time deadline retry retry-delay \
        retry-max-time cookie cookie-jar output output-dir segments stream max-body max-filesize parallel-max \
        transport cacert crlfile pin pinnedpubkey cert key pass proxy proxy-user noproxy socks4 socks4a socks5 socks5-hostname \
        unix-socket abstract-unix-socket resolve interface limit-rate connect-timeout write-out dump-header user-agent referer range url keepalive-time \
        stderr expect100-timeout proto continue-at etag-save etag-compare har record replay serve \
        subprotocol ping linger connect
        """)

    private static let flags = set(
        """
        head get location no-follow fail fail-with-body include silent show-error verbose remote-name \
        remote-header-name remote-name-all remote-time compressed insecure ipv4 ipv6 http1.1 http2 \
        http3 http3-only http2-prior-knowledge no-buffer progress-bar no-progress-meter create-dirs parallel parallel-immediate \
        retry-all-errors retry-connrefused path-as-is globoff disable anyauth basic proxytunnel proxy-basic tlsv1 \
        tlsv1.0 tlsv1.1 tlsv1.2 tlsv1.3 junk-session-cookies no-reconnect curl trace timing version help \
        no-keepalive remove-on-error tcp-nodelay suppress-connect-headers continue show-certs cert-status ws binary tls
        """)

    /// Of curl's letters, those whose options anet takes or refuses.
    static let letters: [Character: String] = [
        "X": "request", "H": "header", "d": "data", "F": "form", "T": "upload-file", "u": "user", "m": "max-time",
        "b": "cookie", "c": "cookie-jar", "o": "output", "E": "cert", "x": "proxy", "U": "proxy-user", "w": "write-out",
        "D": "dump-header", "A": "user-agent", "e": "referer", "r": "range", "C": "continue", "I": "head", "G": "get",
        "L": "location", "f": "fail", "i": "include", "s": "silent", "S": "show-error", "v": "verbose",
        "O": "remote-name", "J": "remote-header-name", "R": "remote-time", "k": "insecure", "4": "ipv4", "6": "ipv6",
        "N": "no-buffer", "#": "progress-bar", "Z": "parallel", "g": "globoff", "q": "disable", "p": "proxytunnel",
        "1": "tlsv1", "j": "junk-session-cookies", "V": "version", "h": "help", "0": "http1.0", "2": "sslv2",
        "3": "sslv3", "a": "append", "B": "use-ascii", "K": "config", "l": "list-only", "M": "manual", "n": "netrc",
        "P": "ftp-port", "Q": "quote", "t": "telnet-option", "Y": "speed-limit", "y": "speed-time", "z": "time-cond",
        ":": "next",
    ]

    /// Why anet does not take one of curl's options; `nil` for one that it takes, or that curl does not have.
    static func refusal(of name: String) -> String? {
        refusals.first { $0.names.contains(name) }?.reason
    }

    private static let refusals: [(reason: String, names: Set<String>)] = [
        (
            "anet speaks HTTP only",
            set(
                """
                append list-only quote telnet-option ftp-account ftp-alternative-to-user ftp-create-dirs ftp-method \
                ftp-pasv ftp-port ftp-pret ftp-skip-pasv-ip ftp-ssl-ccc ftp-ssl-ccc-mode ftp-ssl-control disable-eprt \
                disable-epsv krb mail-auth mail-from mail-rcpt mail-rcpt-allowfails sasl-authzid sasl-ir login-options \
                hostpubmd5 hostpubsha256 pubkey compressed-ssh tftp-blksize tftp-no-options ssl ssl-reqd use-ascii crlf \
                metalink
                """)
        ),
        ("HTTP/1.1, HTTP/2 and HTTP/3 are all it speaks", set("http0.9 http1.0")),
        (
            "it answers Basic and Digest challenges only, whichever the server sends",
            set("digest ntlm ntlm-wb negotiate aws-sigv4 delegation service-name")
        ),
        (
            "the library answers a proxy's challenge by Basic only",
            set("proxy-anyauth proxy-digest proxy-ntlm proxy-negotiate proxy-service-name socks5-basic socks5-gssapi")
        ),
        ("credentials stay with the origin that they were given for", set("location-trusted")),
        ("methods after a redirect are those of RFC 9110 section 15.4", set("post301 post302 post303")),
        (
            "the library has no setting for it",
            set(
                """
                capath dns-interface dns-ipv4-addr dns-ipv6-addr \
                dns-servers doh-cert-status doh-insecure egd-file engine false-start haproxy-protocol \
                happy-eyeballs-timeout-ms hsts alt-svc key-type local-port no-alpn no-npn \
                no-sessionid preproxy proxy-capath proxy1.0 random-file \
                ssl-allow-beast ssl-no-revoke sslv2 sslv3 tcp-fastopen tlsauthtype tlspassword \
                tlsuser connect-to request-target socks5-gssapi-nec socks5-gssapi-service \
                ssl-auto-client-cert ssl-revoke-best-effort
                """)
        ),
        ("it asks the system's resolver; the library has Resolver.https for programs", set("doh-url")),
        ("all URLs of a command have the same options; run anet twice", set("next")),
        ("options come from the command line only", set("config")),
        ("credentials come from -u, --bearer or -H only", set("netrc netrc-file netrc-optional")),
        ("--timeout ends a transfer that has become silent", set("speed-limit speed-time")),
        ("-H 'If-Modified-Since: DATE' sends a condition", set("time-cond")),
        ("bodies are always decoded and their framing checked", set("raw tr-encoding ignore-content-length")),
        ("--trace tells the request's events, -v its heads", set("trace-ascii trace-time libcurl styled-output")),
        ("anet --help has it all", set("manual")),
        (
            "anet has nothing like it",
            set(
                """
                create-file-mode disallow-username-in-url fail-early form-escape no-clobber proto-default proto-redir rate \
                xattr cert-type ciphers curves tls-max tls13-ciphers proxy-cacert proxy-cert proxy-cert-type proxy-ciphers \
                proxy-crlfile proxy-header proxy-insecure proxy-key proxy-key-type proxy-pass proxy-pinnedpubkey
                """)
        ),
    ]
}
