import AsyncNet
import Foundation

/// Loads a page, then all that it links to at once, then sends a report, as a browser does.
struct PageLoad {
    let session: Session
    let page: URL

    func run() async {
        let html = await session.request(page).serializing(String.self).response.value ?? ""
        await withTaskGroup { group in
            for link in links(in: html) { group.addTask { await load(link) } }
        }
        await report()
    }

    private func links(in html: String) -> [URL] {
        html.matches(of: #/(?:src|href)="([^"]+)"/#).compactMap { URL(string: String($0.output.1), relativeTo: page) }
    }

    private func load(_ url: URL) async {
        // A browser has kept this file, and requests it only if it has changed.
        let headers: HTTPHeaders = url.path.hasSuffix(".svg") ? ["If-None-Match": Site.logoTag] : [:]
        let request = session.request(url.absoluteURL, headers: headers)
        request.validate(statusCode: 200..<400)
        _ = await request.serializing(Data.self).response
    }

    private func report() async {
        let body = RequestBody.data(Data(repeating: UInt8(ascii: "x"), count: 400_000))
        _ = await session.upload(body, to: page.appending(path: "report")).serializing(Data.self).response
    }
}
