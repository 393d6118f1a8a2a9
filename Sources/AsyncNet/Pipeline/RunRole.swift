/// What a run does for its request, which decides which of the run's steps observers get.
enum RunRole {
    /// The request's own run.
    case own
    /// A shared or hedged transfer. Its response is reported by the run that takes it over, not by this run.
    case transfer
    /// A segment of a download: its attempts are not counted as attempts of the request.
    case segment
}
