// What swift-openapi-generator makes of three operations of a pet store, written by hand after its published example:
// `listPets` with a query, `createPet` with a JSON body, and `getPet` by identifier with a documented 404.
import Foundation
import HTTPTypes
@_spi(Generated) import OpenAPIRuntime

protocol APIProtocol: Sendable {
    func listPets(_ input: Operations.ListPets.Input) async throws -> Operations.ListPets.Output
    func createPet(_ input: Operations.CreatePet.Input) async throws -> Operations.CreatePet.Output
    func getPet(_ input: Operations.GetPet.Input) async throws -> Operations.GetPet.Output
}

enum Components {
    struct Pet: Codable, Hashable, Sendable {
        var id: Int64
        var name: String
    }
    struct CreatePetRequest: Codable, Hashable, Sendable { var name: String }
    struct Problem: Codable, Hashable, Sendable { var message: String }
    enum JSONContent: String, AcceptableProtocol { case json = "application/json" }
}

enum Operations {
    enum ListPets {
        static let id = "listPets"
        struct Input: Sendable, Hashable {
            var limit: Int?
            var habitat: String?
        }
        enum Output: Sendable, Hashable {
            case ok([Components.Pet])
            case undocumented(statusCode: Int, UndocumentedPayload)
        }
    }
    enum CreatePet {
        static let id = "createPet"
        struct Input: Sendable, Hashable { var body: Components.CreatePetRequest }
        enum Output: Sendable, Hashable {
            case created(Components.Pet)
            case undocumented(statusCode: Int, UndocumentedPayload)
        }
    }
    enum GetPet {
        static let id = "getPet"
        struct Input: Sendable, Hashable { var petId: String }
        enum Output: Sendable, Hashable {
            case ok(Components.Pet)
            case notFound(Components.Problem)
            case undocumented(statusCode: Int, UndocumentedPayload)
        }
    }
}

struct Client: APIProtocol {
    private let client: UniversalClient
    private var converter: Converter { client.converter }

    init(serverURL: URL, transport: any ClientTransport, middlewares: [any ClientMiddleware] = []) {
        client = UniversalClient(serverURL: serverURL, transport: transport, middlewares: middlewares)
    }

    func listPets(_ input: Operations.ListPets.Input) async throws -> Operations.ListPets.Output {
        try await client.send(
            input: input, forOperation: Operations.ListPets.id,
            serializer: { input in
                let path = try converter.renderedPath(template: "/pets", parameters: [])
                var request = HTTPRequest(soar_path: path, method: .get)
                suppressMutabilityWarning(&request)
                try converter.setQueryItemAsURI(
                    in: &request, style: .form, explode: true, name: "limit", value: input.limit)
                try converter.setQueryItemAsURI(
                    in: &request, style: .form, explode: true, name: "habitat", value: input.habitat)
                converter.setAcceptHeader(
                    in: &request.headerFields, contentTypes: [.init(contentType: Components.JSONContent.json)])
                return (request, nil)
            },
            deserializer: { response, responseBody in
                guard response.status.code == 200 else { return .undocumented(response, responseBody) }
                return .ok(try await json([Components.Pet].self, response, responseBody))
            })
    }

    func createPet(_ input: Operations.CreatePet.Input) async throws -> Operations.CreatePet.Output {
        try await client.send(
            input: input, forOperation: Operations.CreatePet.id,
            serializer: { input in
                let path = try converter.renderedPath(template: "/pets", parameters: [])
                var request = HTTPRequest(soar_path: path, method: .post)
                suppressMutabilityWarning(&request)
                converter.setAcceptHeader(
                    in: &request.headerFields, contentTypes: [.init(contentType: Components.JSONContent.json)])
                let body = try converter.setRequiredRequestBodyAsJSON(
                    input.body, headerFields: &request.headerFields, contentType: "application/json; charset=utf-8")
                return (request, body)
            },
            deserializer: { response, responseBody in
                guard response.status.code == 201 else { return .undocumented(response, responseBody) }
                return .created(try await json(Components.Pet.self, response, responseBody))
            })
    }

    func getPet(_ input: Operations.GetPet.Input) async throws -> Operations.GetPet.Output {
        try await client.send(
            input: input, forOperation: Operations.GetPet.id,
            serializer: { input in
                let path = try converter.renderedPath(template: "/pets/{}", parameters: [input.petId])
                var request = HTTPRequest(soar_path: path, method: .get)
                suppressMutabilityWarning(&request)
                converter.setAcceptHeader(
                    in: &request.headerFields, contentTypes: [.init(contentType: Components.JSONContent.json)])
                return (request, nil)
            },
            deserializer: { response, responseBody in
                switch response.status.code {
                case 200: return .ok(try await json(Components.Pet.self, response, responseBody))
                case 404: return .notFound(try await json(Components.Problem.self, response, responseBody))
                default: return .undocumented(response, responseBody)
                }
            })
    }

    @Sendable private func json<Value: Decodable & Sendable>(
        _ type: Value.Type, _ response: HTTPResponse, _ body: HTTPBody?
    ) async throws -> Value {
        let contentType = converter.extractContentTypeIfPresent(in: response.headerFields)
        _ = try converter.bestContentType(received: contentType, options: ["application/json"])
        return try await converter.getResponseBodyAsJSON(type, from: body, transforming: { $0 })
    }
}

extension Operations.ListPets.Output {
    static func undocumented(_ response: HTTPResponse, _ body: HTTPBody?) -> Self {
        .undocumented(statusCode: response.status.code, .init(headerFields: response.headerFields, body: body))
    }
}

extension Operations.CreatePet.Output {
    static func undocumented(_ response: HTTPResponse, _ body: HTTPBody?) -> Self {
        .undocumented(statusCode: response.status.code, .init(headerFields: response.headerFields, body: body))
    }
}

extension Operations.GetPet.Output {
    static func undocumented(_ response: HTTPResponse, _ body: HTTPBody?) -> Self {
        .undocumented(statusCode: response.status.code, .init(headerFields: response.headerFields, body: body))
    }
}
