import AsyncNetTesting
import Foundation
import Testing

@testable import AsyncNet

/// Which addresses a policy allows.
@Suite("Address policies")
struct AddressPolicyTests {
    private static func objection(
        _ policy: AddressPolicy, _ address: String, port: Int = 443, scheme: String = "https"
    ) -> String? {
        policy.objection(to: .init(address: address, port: port, host: "example.com", scheme: scheme))
    }

    /// IANA's special-purpose registries of October 2025, with what they say of the range: first and last addresses.
    private static let special: [(String, String)] = [
        ("0.0.0.0", "0.255.255.255"), ("10.0.0.0", "10.255.255.255"), ("100.64.0.0", "100.127.255.255"),
        ("127.0.0.0", "127.255.255.255"), ("169.254.0.0", "169.254.255.255"), ("172.16.0.0", "172.31.255.255"),
        ("192.0.0.0", "192.0.0.8"), ("192.0.0.11", "192.0.0.255"), ("192.0.2.0", "192.0.2.255"),
        ("192.88.99.0", "192.88.99.255"), ("192.168.0.0", "192.168.255.255"), ("198.18.0.0", "198.19.255.255"),
        ("198.51.100.0", "198.51.100.255"), ("203.0.113.0", "203.0.113.255"), ("224.0.0.0", "239.255.255.255"),
        ("240.0.0.0", "255.255.255.255"), ("168.63.129.16", "168.63.129.16"), ("169.254.169.254", "169.254.170.2"),
        ("100.100.100.200", "100.100.100.200"), ("192.0.0.192", "192.0.0.192"),
    ]
    private static let specialIPv6: [(String, String)] = [
        ("::", "::1"), ("::2", "::7:ffff:ffff"), ("64:ff9b:1::", "64:ff9b:1:ffff:ffff:ffff:ffff:ffff"),
        ("100::", "100::ffff:ffff:ffff:ffff"), ("100:0:0:1::", "100:0:0:1:ffff:ffff:ffff:ffff"),
        ("2001:1::", "2001:1::"), ("2001:1::4", "2001:2:0:ffff:ffff:ffff:ffff:ffff"), ("2001:4::", "2001:4:111:ffff::"),
        ("2001:10::", "2001:1f:ffff::"), ("2001:40::", "2001:1ff:ffff::"),
        ("2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff"), ("3fff::", "3fff:fff:ffff::"),
        ("5f00::", "5f00:ffff::"), ("fc00::", "fdff:ffff::"), ("fd00:ec2::254", "fd20:ce::254"),
        ("fe80::", "febf:ffff::"), ("fec0::", "feff:ffff::"), ("ff00::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
        ("4000::", "4000::1"), ("1fff:ffff::", "1fff:ffff::1"), ("::8.8.8.8", "::ffff:0:8.8.8.8"),
    ]
    private static let publicAddresses = [
        "1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255",
        "128.0.0.0", "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0", "191.255.255.255", "192.0.0.9",
        "192.0.0.10", "192.0.1.0", "192.0.3.0", "192.31.196.1", "192.52.193.1", "192.88.98.255", "192.88.100.0",
        "192.167.255.255", "192.169.0.0", "192.175.48.1", "198.17.255.255", "198.20.0.0", "198.51.99.255",
        "198.51.101.0", "203.0.112.255", "203.0.114.0", "223.255.255.255", "168.63.129.15", "168.63.129.17",
    ]
    private static let publicIPv6 = [
        "2000::", "2001:1::1", "2001:1::2", "2001:1::3", "2001:3::1", "2001:4:112::1", "2001:20::1", "2001:30::1",
        "2001:200::1", "2001:db7::1", "2001:db9::1", "2606:4700:4700::1111", "2620:4f:8000::1", "3ffe::1",
        "3fff:1000::",
    ]

    /// An IPv4 address in the forms of IPv6 that stand for it or lead to it.
    private static func forms(of ipv4: String) -> [String] {
        let bytes = ipv4.split(separator: ".").compactMap { UInt8($0) }
        let hex = [0, 2].map { String(Int(bytes[$0]) << 8 | Int(bytes[$0 + 1]), radix: 16) }
        let inverted = [0, 2].map { String(~(Int(bytes[$0]) << 8 | Int(bytes[$0 + 1])) & 0xFFFF, radix: 16) }
        return [
            "::ffff:\(ipv4)", "::ffff:\(hex[0]):\(hex[1])", "64:ff9b::\(ipv4)", "64:ff9b::\(hex[0]):\(hex[1])",
            "2002:\(hex[0]):\(hex[1])::1", "2001:0:\(hex[0]):\(hex[1])::f7f7:f7f7",
            "2001:0:808:808::\(inverted[0]):\(inverted[1])", "2606:4700::5efe:\(ipv4)", "2606:4700::200:5efe:\(ipv4)",
        ]
    }

    @Test(".publicOnly allows public addresses and no others, in each form of an address")
    func publicOnly() {
        var rows = 0
        for address in Self.special.flatMap({ [$0.0, $0.1] }) {
            for form in [address] + Self.forms(of: address) {
                #expect(Self.objection(.publicOnly, form) != nil, "\(form)")
                rows += 1
            }
        }
        for address in Self.specialIPv6.flatMap({ [$0.0, $0.1] }) {
            #expect(Self.objection(.publicOnly, address) != nil, "\(address)")
            rows += 1
        }
        for address in Self.publicAddresses {
            for form in [address] + Self.forms(of: address) {
                #expect(Self.objection(.publicOnly, form) == nil, "\(form)")
                rows += 1
            }
        }
        for address in Self.publicIPv6 {
            #expect(Self.objection(.publicOnly, address) == nil, "\(address)")
            rows += 1
        }
        #expect(rows > 600)
    }

    @Test(
        "The objection to an address names its kind and its range",
        arguments: [
            ("10.1.2.3", "private (10.0.0.0/8)"), ("::1", "loopback (::1/128)"),
            ("::ffff:127.0.0.1", "loopback (127.0.0.0/8)"),
            ("4000::1", "not a global unicast address (2000::/3)"),
        ])
    func objections(_ address: String, _ expected: String) {
        #expect(Self.objection(.publicOnly, address) == expected)
    }

    // MARK: Rules

    @Test("allowing() allows an address that meets all of its conditions")
    func allowing() {
        let policy = AddressPolicy.allowing(["10.0.0.0/8", "fd00::/8"], ports: [443], schemes: ["HTTPS"])
        #expect(Self.objection(policy, "10.1.2.3") == nil)
        #expect(Self.objection(policy, "::ffff:10.1.2.3") == nil)
        #expect(Self.objection(policy, "64:ff9b::10.1.2.3") == nil)
        #expect(Self.objection(policy, "fd12::1") == nil)
        #expect(Self.objection(policy, "2002:a01:203::1") != nil)
        #expect(Self.objection(policy, "11.1.2.3") == "not among the allowed ones")
        #expect(Self.objection(policy, "10.1.2.3", port: 80) != nil)
        #expect(Self.objection(policy, "10.1.2.3", scheme: "tcp") != nil)
    }

    @Test("denying() denies an address that meets one of its conditions")
    func denying() {
        let policy = AddressPolicy.denying(["10.0.0.0/8"], ports: [25], schemes: ["http"])
        #expect(Self.objection(policy, "8.8.8.8") == nil)
        #expect(Self.objection(policy, "10.1.2.3") == "in the denied network 10.0.0.0/8")
        for form in Self.forms(of: "10.1.2.3") { #expect(Self.objection(policy, form) != nil, "\(form)") }
        // A local NAT64 with a prefix of 48, 56, 64 or 96 bits (RFC 6052 §2.2).
        for form in ["0a01:2:300::", "a:1:203::", "0:a:102:300::", ":10.1.2.3"] {
            #expect(Self.objection(policy, "64:ff9b:1:\(form)") != nil, "\(form)")
        }
        #expect(Self.objection(policy, "8.8.8.8", port: 25) == "of the denied port 25")
        #expect(Self.objection(policy, "8.8.8.8", scheme: "http") == "of the denied scheme http")
    }

    @Test("The last rule of a policy that applies to an address decides")
    func order() {
        let policy = AddressPolicy.publicOnly.allowing(["10.1.0.0/16"]).denying(["10.1.2.3", "8.8.8.0/24"])
        #expect(Self.objection(policy, "10.1.2.4") == nil)
        #expect(Self.objection(policy, "10.1.2.3") == "in the denied network 10.1.2.3")
        #expect(Self.objection(policy, "10.2.0.1") == "private (10.0.0.0/8)")
        #expect(Self.objection(policy, "8.8.8.8") != nil)
        #expect(Self.objection(policy.allowing(["8.8.8.8"]), "8.8.8.8") == nil)
    }

    @Test("A policy's closure decides by address, port, host and scheme")
    func closures() {
        let policy = AddressPolicy.allowing { $0.address == "8.8.8.8" && $0.port == 443 && $0.host == "example.com" }
        #expect(Self.objection(policy, "8.8.8.8") == nil)
        #expect(Self.objection(policy, "8.8.8.8", port: 80) != nil)
        #expect(
            Self.objection(AddressPolicy.publicOnly.denying { $0.scheme == "http" }, "8.8.8.8", scheme: "http") != nil)
        #expect(policy == policy)
        #expect(policy != AddressPolicy.allowing { _ in true })
    }

    @Test(
        "A rule with a text that is no network is .invalidConfiguration and denies every address",
        arguments: ["10.0.0.0/33", "10.0.0", "fd00::/129", "a", "", "10.0.0.0/+8"])
    func unreadable(_ text: String) {
        #expect(
            AsyncNetError.code { () throws(AsyncNetError) in try AddressPolicy.denying([text]).check() }
                == .invalidConfiguration)
        #expect(Self.objection(.denying([text]), "8.8.8.8") != nil)
        #expect(Self.objection(.denying([text]), "8.8.8.8") != nil)
        #expect(throws: Never.self) { try AddressPolicy.publicOnly.allowing(["10.0.0.0/8"]).check() }
    }
}
