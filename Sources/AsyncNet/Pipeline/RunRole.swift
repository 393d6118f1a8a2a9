/// What a run is for the request that it belongs to; decides which steps observers get from it.
enum RunRole {
    /// The request's own run.
    case own
    /// A shared or hedged transfer: another run reports the response that it adopts.
    case transfer
    /// A segment of a download: its attempts are not those of the request.
    case segment
}
