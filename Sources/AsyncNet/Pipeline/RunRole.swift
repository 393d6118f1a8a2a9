/// What a run does for its request, which decides which of the run's steps observers get.
enum RunRole {
    /// The request's own run.
    case own
    /// A shared or hedged transfer: the run that takes over its response reports it.
    case transfer
    /// A segment of a download: its attempts are not counted as attempts of the request.
    case segment
}
