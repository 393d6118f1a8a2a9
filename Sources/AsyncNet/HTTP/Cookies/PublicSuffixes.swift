/// The domains below which strangers register names, such as `co.uk` and `github.io`: no cookie is shared by all hosts
/// below such a domain (RFC 6265bis §5.7).
///
/// The list is that of the system's libpsl, which libcurl uses too: https://publicsuffix.org as of the system's last
/// update, with its private section. Without libpsl (Apple's systems, some containers) a built-in rule knows second
/// levels of large countries, such as `co.uk` and `com.au`, and some large hosters.
///
///     CookieJar(isPublicSuffix: { PublicSuffixes.contains($0) || $0 == "apps.example" })    // one domain more
public enum PublicSuffixes {
    /// Whether the domain is a public suffix: a single label, such as `com` and `localhost`, or a domain on the list.
    ///
    /// `false` for addresses, the empty text and texts of more than 255 octets. Never blocks, except that the first
    /// call reads the system's list from its file.
    ///
    /// - Parameter domain: A domain in any case, with or without a dot at its end; in Unicode or with `xn--`
    ///   labels. Without libpsl, the built-in rule knows no internationalized suffix in either form.
    public static func contains(_ domain: String) -> Bool { isSuffix(domain, library) }

    /// The libpsl of this process, loaded at the first use; `nil` without one.
    static let library = PublicSuffixLibrary(named: Platform.publicSuffixLibraryName)

    /// - Parameter library: `nil` for the built-in rule.
    static func isSuffix(_ domain: String, _ library: PublicSuffixLibrary?) -> Bool {
        let name = CookieMatching.withoutLastDots(domain).lowercased()
        // A zero byte would end the text for a library in C.
        guard 1...CookieMatching.maximumHostSize ~= name.utf8.count, !name.utf8.contains(0), name.utf8.first != 0x2E,
            !CookieMatching.isAddress(name)
        else { return false }
        return !name.utf8.contains(0x2E) || library?.contains(name) ?? BuiltInSuffixes.contain(name)
    }
}

/// The public suffixes that are known without libpsl: few, because the complete list has some 10,000 lines and changes
/// weekly.
///
/// Every entry is on the complete list, so that no cookie is refused that a browser accepts. Below each entry are
/// hosts of many owners: it is the second level of a country with many registered domains, or belongs to a hoster that
/// gives names below it to anybody.
enum BuiltInSuffixes {
    /// Whether the domain, which has at least two labels in lower case, is one of these few suffixes.
    static func contain(_ domain: String) -> Bool {
        guard let dot = domain.utf8.lastIndex(of: 0x2E) else { return true }
        let (first, last) = (String(domain[..<dot]), String(domain[domain.utf8.index(after: dot)...]))
        return secondLevels[last]?.contains(first) == true || hosters.contains(domain)
    }

    static let secondLevels: [String: Set<String>] = [
        "ae": "ac co gov net org sch", "ar": "com edu gob gov net org", "at": "ac co gv or",
        "au": "asn com edu gov id net org", "br": "com edu gov ind net nom org", "cn": "ac com edu gov net org",
        "co": "com edu gov mil net nom org", "cy": "ac com gov ltd net org", "ec": "com edu gob gov net org",
        "eg": "com edu gov net org", "es": "com edu gob nom org", "gr": "com edu gov net org",
        "hk": "com edu gov net org", "id": "ac co go net or sch", "il": "ac co gov muni net org",
        "in": "ac co edu gov net org", "jp": "ac ad co ed go gr lg ne or", "ke": "ac co go ne or",
        "kr": "ac co go ne or", "lk": "ac com edu gov net org", "mx": "com edu gob net org",
        "my": "com edu gov net org", "ng": "com edu gov net org sch", "nz": "ac co net org",
        "pe": "com edu gob net nom org", "ph": "com edu gov net org", "pk": "com edu gov net org",
        "pl": "com edu gov net org", "pt": "com edu gov net org", "sa": "com edu gov net org sch",
        "sg": "com edu gov net org", "th": "ac co go net or", "tr": "com edu gov net org", "tw": "com edu gov net org",
        "ua": "com edu gov net org", "uk": "ac co gov ltd me net nhs org plc police sch", "uy": "com edu net org",
        "ve": "co com edu gob net org", "vn": "ac com edu gov net org", "za": "ac co edu gov net org",
    ].mapValues { Set($0.split(separator: " ").map(String.init)) }

    static let hosters: Set<String> = [
        "appspot.com", "azurewebsites.net", "blogspot.com", "cloudfront.net", "firebaseapp.com", "fly.dev", "github.io",
        "gitlab.io", "glitch.me", "herokuapp.com", "netlify.app", "onrender.com", "pages.dev", "s3.amazonaws.com",
        "vercel.app", "web.app", "workers.dev",
    ]
}
