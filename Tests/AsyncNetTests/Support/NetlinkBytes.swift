@testable import AsyncNet

/// Builds messages as the kernel sends them.
enum Netlink {
    static let port: UInt32 = 4711

    static func message(_ type: UInt16, _ body: [UInt8] = [], flags: UInt16 = 0, sequence: UInt32 = 0, port: UInt32 = 0)
        -> [UInt8]
    {
        native(UInt32(16 + body.count)) + native(type) + native(flags) + native(sequence) + native(port) + padded(body)
    }

    static func link(
        _ index: Int32, _ name: String, flags: UInt32 = 0x1043, hardware: UInt16 = 1, made: String? = nil,
        family: UInt8 = 0
    ) -> [UInt8] {
        var body =
            [family, 0] + native(hardware) + native(index) + native(flags) + native(UInt32(0))
            + attribute(3, name.utf8 + [0])
        if let made { body += attribute(18 | 0x8000, attribute(1, made.utf8 + [0])) }
        return body
    }

    static func address(_ link: Int32, _ bytes: [UInt8], scope: UInt8 = 0, flags: UInt8 = 0x80, more: [UInt8] = [])
        -> [UInt8]
    {
        [bytes.count == 4 ? 2 : 10, 24, flags, scope] + native(link) + attribute(1, bytes) + more
    }

    static func route(
        _ family: UInt8 = 2, length: UInt8 = 0, table: UInt32 = 254, type: UInt8 = 1, flags: UInt32 = 0,
        metric: UInt32 = 0, over link: Int32?,
        more: [UInt8] = []
    ) -> [UInt8] {
        var body =
            [family, length, 0, 0, UInt8(clamping: table), 3, 0, type] + native(flags) + attribute(15, native(table))
            + more
        if metric != 0 { body += attribute(6, native(metric)) }
        if let link { body += attribute(4, native(link)) }
        return body
    }

    static func attribute(_ type: UInt16, _ value: some Collection<UInt8>) -> [UInt8] {
        padded(native(UInt16(4 + value.count)) + native(type) + value)
    }

    static func native<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
        withUnsafeBytes(of: number) { Array($0) }
    }

    private static func padded(_ bytes: [UInt8]) -> [UInt8] {
        bytes + [UInt8](repeating: 0, count: (4 - bytes.count % 4) % 4)
    }

    /// The table after the kernel's messages about these links, addresses and routes.
    static func table(links: [[UInt8]] = [], addresses: [[UInt8]] = [], routes: [[UInt8]] = []) -> RouteTable {
        var table = RouteTable()
        let messages =
            links.map { message(16, $0) } + addresses.map { message(20, $0) } + routes.map { message(24, $0) }
        for message in NetlinkMessage.all(messages.flatMap { $0 }[...]) { table.add(message) }
        return table
    }
}
