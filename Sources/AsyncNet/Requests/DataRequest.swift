/// A request with a given body: from memory, a file, a stream or a form. Its ``Request/kind`` is `.upload`.
public typealias UploadRequest = DataRequest

/// A request whose response's body is kept in memory.
///
/// Made by ``Session/request(_:method:parameters:encoder:headers:options:)-8tv95`` and
/// ``Session/upload(_:to:method:headers:options:)``. Serializers turn the response into a value; any number of
/// serializers use the same response, which is transferred once. Cancelling a task that awaits the request cancels the
/// request, unless other tasks await it too.
public struct DataRequest: SerializableRequest, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable
{
    public let reference: RequestReference

    init(_ engine: RequestEngine) { reference = RequestReference(engine: engine) }

    init(
        _ blueprint: RequestBlueprint, kind: RequestKind = .data, _ options: RequestOptions,
        in session: any RequestSession
    ) {
        self.init(RequestEngine(blueprint, kind: kind, options: options, session: session))
    }
}
