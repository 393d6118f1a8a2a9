import CAsyncNetTLS
import Foundation

/// OpenSSL's context for the connections of one loop with one ``TLSConfiguration``: trust, client identity, and the
/// tickets to resume sessions.
final class TLSContext {
    let configuration: TLSConfiguration
    private let raw: OpaquePointer
    private var tickets: [ServerEndpoint: [TLSTicket]] = [:]
    private static let mostTickets = 4
    private static let mostServers = 1000

    init(_ configuration: TLSConfiguration) throws(AsyncNetError) {
        _ = try OpenSSL.version.get()
        self.configuration = configuration
        raw = try TLSSettings(configuration).makeContext()
    }

    deinit { at_free_context(raw) }

    func session(
        for endpoint: ServerEndpoint, offering protocols: [String]
    ) throws(AsyncNetError) -> TLSSession {
        guard let host = HostName(configuration.serverName ?? endpoint.host) else {
            throw AsyncNetError(.malformedURL, "The host is not a name that a certificate could have")
        }
        let list = protocols.flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) }
        let ticket = takeTicket(endpoint)
        let made = at_make_session(
            raw, configuration.verifiesHostName ? host.text : nil, host.isAddress ? 1 : 0,
            host.isAddress ? nil : host.text, list.isEmpty ? nil : list, list.count, ticket?.raw)
        guard let made else { throw AsyncNetError(.tlsHandshakeFailed, "OpenSSL cannot begin a connection") }
        return TLSSession(made, self, endpoint, ticketEnd: ticket?.end)
    }

    func keep(_ ticket: TLSTicket, of endpoint: ServerEndpoint) {
        if tickets.count >= Self.mostServers { tickets = [:] }
        tickets[endpoint, default: []].append(ticket)
        if tickets[endpoint]?.count ?? 0 > Self.mostTickets { tickets[endpoint]?.removeFirst() }
    }

    /// Called after a handshake that failed though it offered a ticket: some servers end each such handshake.
    func forgetTickets(of endpoint: ServerEndpoint) { tickets[endpoint] = nil }

    private func takeTicket(_ endpoint: ServerEndpoint) -> TLSTicket? {
        tickets[endpoint]?.removeAll { $0.end <= .now }
        guard let ticket = tickets[endpoint]?.last else { return nil }
        if at_is_for_one_use(ticket.raw) == 1 { tickets[endpoint]?.removeLast() }
        return ticket
    }
}

final class TLSTicket {
    fileprivate let raw: OpaquePointer
    /// Until when the ticket is offered.
    fileprivate let end: Date

    init(_ raw: OpaquePointer, until end: Date) { (self.raw, self.end) = (raw, end) }

    deinit { at_free_ticket(raw) }
}
