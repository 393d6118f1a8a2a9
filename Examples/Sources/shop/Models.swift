import Foundation

/// What the shop sells.
struct Product: Codable, Equatable, Sendable {
    var id: Int
    var name: String
    var priceInCents: Int
    var addedAt: Date
}

/// What somebody wants to buy.
struct NewOrder: Codable, Sendable {
    var productID: Int
    var quantity: Int

    enum CodingKeys: String, CodingKey {
        case productID = "productId"
        case quantity
    }
}

/// What somebody has bought.
struct Order: Codable, Equatable, Sendable {
    var id: Int
    var productID: Int
    var quantity: Int
    var placedAt: Date

    enum CodingKeys: String, CodingKey {
        case productID = "productId"
        case id, quantity, placedAt
    }
}

/// A step of an order's way to its buyer.
struct OrderStep: Codable, Equatable, Sendable {
    enum State: String, Codable, Sendable { case packed, shipped, delivered }

    var state: State
    var at: Date
}

/// What the shop knows of an uploaded photo.
struct Photo: Codable, Equatable, Sendable {
    var productID: Int
    var bytes: Int

    enum CodingKeys: String, CodingKey {
        case productID = "productId"
        case bytes
    }
}
