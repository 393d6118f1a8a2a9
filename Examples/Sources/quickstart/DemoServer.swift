import AsyncNet
import AsyncNetTestSupport

extension MockServer {
    /// What the tour asks for. A path that is not here is answered with 404.
    func routeTheTour() {
        route("/users/1") { _ in .json(#"{"id": 1, "name": "Ada", "languages": ["Swift", "C"]}"#) }
        route("/users") { request in .json(try request.json, status: 201) }
        route("/forms") { request in
            let type = request.headers["Content-Type"]?.prefix { $0 != ";" } ?? ""
            return .json(["type": JSON(String(type)), "bytes": JSON(request.body.count)])
        }
        route("/slow") { _ in .text("too late").delayed(by: .seconds(30)) }
        route("/squares/*") { request in
            let number = Int(request.path.dropFirst("/squares/".count)) ?? 0
            return .json(["square": JSON(number * number)]).delayed(by: .milliseconds(50))
        }
    }
}
