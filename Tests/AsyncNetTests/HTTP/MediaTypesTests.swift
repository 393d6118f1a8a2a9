import Testing

@testable import AsyncNet

@Suite("Media types by file name")
struct MediaTypesTests {
    @Test(
        "The media type of a file follows from its last extension, in any case",
        arguments: [
            ("a.html", "text/html"), ("a.HTM", "text/html"), ("a.jpg", "image/jpeg"), ("a.JPEG", "image/jpeg"),
            ("a.png", "image/png"),
            ("a.webp", "image/webp"), ("a.avif", "image/avif"), ("a.heic", "image/heic"), ("a.svg", "image/svg+xml"),
            ("a.gif", "image/gif"),
            ("a.json", "application/json"), ("a.js", "text/javascript"), ("a.mjs", "text/javascript"),
            ("a.css", "text/css"),
            ("a.pdf", "application/pdf"), ("a.zip", "application/zip"), ("a.tar.gz", "application/gzip"),
            ("a.txt", "text/plain"),
            ("a.csv", "text/csv"), ("a.md", "text/markdown"), ("a.xml", "application/xml"),
            ("a.yaml", "application/yaml"), ("a.yml", "application/yaml"),
            ("a.mp4", "video/mp4"), ("a.mov", "video/quicktime"), ("a.webm", "video/webm"), ("a.ts", "video/mp2t"),
            ("a.mp3", "audio/mpeg"),
            ("a.wasm", "application/wasm"), ("a.woff2", "font/woff2"), ("a.ics", "text/calendar"),
            ("a.xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
            ("日本語.png", "image/png"), ("archive", "application/octet-stream"), (".png", "application/octet-stream"),
            ("a.", "application/octet-stream"),
            ("a.unknown", "application/octet-stream"), ("", "application/octet-stream"),
            ("a.png/", "application/octet-stream"),
        ])
    func types(_ name: String, _ type: String) {
        #expect(MediaTypes.type(ofFileNamed: name) == type)
    }

    @Test(
        "The preferred extension of a media type is the usual one; unknown types and octet-stream have none",
        arguments: [
            ("image/jpeg", "jpg"), ("Text/Plain; charset=utf-8", "txt"), ("application/json", "json"),
            ("application/pdf", "pdf"), ("application/geo+json", "geojson"),
            ("application/octet-stream", nil), ("x/unknown", nil), ("*/*", nil),
        ] as [(String, String?)])
    func extensions(_ type: String, _ name: String?) throws {
        #expect(MediaTypes.preferredExtension(for: try #require(MediaType(type))) == name)
    }

    @Test(
        "A common file extension is the preferred extension of its media type",
        arguments: ["ps", "xls", "ppt", "mp3", "ogg", "jpg", "html", "js", "md", "txt", "mp4", "mpg"])
    func usual(_ name: String) throws {
        let type = try #require(MediaType(MediaTypes.type(ofFileNamed: "a.\(name)")))
        #expect(MediaTypes.preferredExtension(for: type) == name)
    }

    @Test("Each media type of the table is valid, and no extension occurs twice")
    func table() {
        var seen: Set<String> = []
        for (type, extensions) in MediaTypes.entries {
            #expect(MediaType(type) != nil && !extensions.isEmpty, "\(type)")
            for name in extensions { #expect(seen.insert(name).inserted, "\(name)") }
        }
        #expect(seen.count > 200)
    }
}
