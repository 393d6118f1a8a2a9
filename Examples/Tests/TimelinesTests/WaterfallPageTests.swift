import AsyncNet
import Foundation
import Testing
import Timelines

/// The view as HTML.
@Suite("Waterfall as HTML")
struct WaterfallPageTests {
    private func page(_ scripts: [Script], title: String = "A page") -> String {
        WaterfallPage(SessionTimeline(of: scripts), title: title).html
    }

    @Test("Each request is a row with its place on the scale")
    func rows() {
        let html = page([.request(to: 50), .request("http://127.0.0.1/b", from: 50, to: 100, status: 404)])
        #expect(html.contains("<summary>GET /a</summary>") && html.contains("<summary>GET /b</summary>"))
        #expect(html.contains("<i class=\"wait\" style=\"left:0.000%;width:50.000%\"></i>"))
        #expect(html.contains("<i class=\"wait\" style=\"left:50.000%;width:50.000%\"></i>"))
        #expect(html.contains("<span class=\"s4\">404</span>"))
        #expect(html.contains("aria-label=\"starts at 50.0 ms: wait 50.0 ms\""))
        #expect(html.contains("title=\"GET /b&#10;starts at 50.0 ms&#10;wait 50.0 ms\""))
    }

    @Test(
        "Foreign text is escaped wherever it is",
        arguments: ["<script>alert(1)</script>", "\"'><img src=x onerror=y>", "\"\u{301}<\u{301}b onclick=x>"])
    func hostile(_ text: String) {
        var script = Script.request(error: AsyncNetError(.cannotConnect, text))
        script.at(20, 1, 1, .connected(ConnectionInfo(httpVersion: text, remoteAddress: text)))
        let html = page([script], title: text)
        let plain = page([.request(error: AsyncNetError(.cannotConnect))])
        #expect(!html.contains(text))
        // Foreign text adds no tag and no attribute.
        #expect(tags(html) == tags(plain))
    }

    private func tags(_ html: String) -> Set<String> {
        Set(html.matches(of: #/<(\/?[a-z0-9!]+)/#).map { String($0.output.1).lowercased() })
    }

    @Test("A URL's secrets are not in the page")
    func secrets() {
        let html = page([.request("http://ada:planted@127.0.0.1/a?token=planted#planted")])
        #expect(html.contains("GET /a") && !html.contains("planted"))
    }

    @Test("The page needs nothing else")
    func standalone() {
        let html = page([.request()])
        #expect(html.hasPrefix("<!DOCTYPE html>"))
        for forbidden in ["<script", "<link", "<img", "@import", "url(", "src=", "href="] {
            #expect(!html.contains(forbidden))
        }
        #expect(html.contains("default-src 'none'") && html.contains("prefers-color-scheme: dark"))
    }

    @Test("A page without requests")
    func empty() { #expect(page([]).contains("0 requests")) }
}
