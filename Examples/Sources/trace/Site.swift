import AsyncNet
import AsyncNetTestSupport
import Foundation

/// A page and its resources on two servers on 127.0.0.1, of which the one with the images uses TLS.
struct Site {
    private let pages: MockServer
    private let images: MockServer

    static let logoTag = #""logo-7""#

    /// Where OpenSSL is missing, the images are on a server without TLS.
    static func start() async throws -> Site {
        let images =
            if let secure = try? await MockServer.start(tls: .selfSigned) { secure } else {
                try await MockServer.start()
            }
        let site = Site(pages: try await MockServer.start(), images: images)
        site.addPages()
        site.addImages()
        return site
    }

    /// By its name, so that there is a lookup.
    var page: URL {
        let page = pages.url("/")
        var components = URLComponents(url: page, resolvingAgainstBaseURL: false)
        components?.host = "localhost"
        return components?.url ?? page
    }

    /// Trusts the certificate of the images' server.
    var transport: any Transport {
        images.anchor.isEmpty ? AutomaticTransport() : .sockets(tls: TLSConfiguration(trust: .anchors([images.anchor])))
    }

    func stop() async {
        await pages.stop()
        await images.stop()
    }

    // MARK: The page

    private func addPages() {
        pages.on(.get, "/", replies: .status(200, headers: [.contentType("text/html")], body: html).delayed(30))
        for (path, size, delay) in Self.files { pages.on(.get, path, replies: .bytes(size).delayed(delay)) }
        pages.on(.get, "/scripts/old.js", replies: .redirect(to: "/scripts/new.js").delayed(15))
        pages.on(.get, "/api/news", replies: .status(503).delayed(20), .bytes(2_300).delayed(25))
        pages.on(.get, "/widget.html", replies: .fault(.truncate(after: 300)))
        pages.on(.get, "/logo.svg", replies: MockResponse(304, headers: ["ETag": Self.logoTag]).delayed(8))
        pages.on(.post, "/report", replies: .status(204))
    }

    private static let files: [(path: String, size: Int, delay: Int)] = [
        ("/styles/base.css", 8_200, 12), ("/styles/theme.css", 3_100, 25), ("/fonts/text.woff2", 42_000, 40),
        ("/scripts/vendor.js", 310_000, 35), ("/scripts/app.js", 120_000, 60), ("/scripts/new.js", 18_000, 20),
        ("/api/user", 480, 30), ("/api/feed", 6_400, 120),
    ]

    private var html: String {
        let files = Self.files.map(\.path).filter { $0 != "/scripts/new.js" }
        let others = ["/scripts/old.js", "/api/news", "/widget.html", "/logo.svg"]
        let links = (files + others).map { "<link href=\"\($0)\">" }
        let pictures = Self.pictures.map(\.path) + ["/slow.jpg", "/missing.png"]
        let sources = pictures.map { "<img src=\"\(images.url($0))\">" }
        return "<!DOCTYPE html><title>A page</title>\(links.joined())\(sources.joined())"
    }

    // MARK: Images

    private func addImages() {
        for (path, size, delay) in Self.pictures { images.on(.get, path, replies: .bytes(size).delayed(delay)) }
        images.on(
            .get, "/slow.jpg", replies: .bytes(40_000).delayed(10).with(.drip(bytes: 2_500, every: .milliseconds(12))))
    }

    private static let pictures: [(path: String, size: Int, delay: Int)] = [
        ("/hero.jpg", 180_000, 45), ("/a.png", 4_200, 10), ("/b.png", 9_800, 15), ("/c.png", 12_500, 22),
        ("/d.png", 31_000, 18), ("/e.png", 7_700, 30), ("/f.png", 15_300, 12),
    ]
}

extension MockResponse {
    fileprivate static func bytes(_ count: Int) -> MockResponse {
        .data(Data(repeating: UInt8(ascii: "x"), count: count))
    }

    fileprivate func delayed(_ milliseconds: Int) -> MockResponse { delayed(by: .milliseconds(milliseconds)) }
}
