import Foundation

/// Ends the process when a request has not ended long after its deadline: its own thread, since the others may hang.
struct Watchdog: Sendable {
    let tally: Tally
    let limit: Duration

    func start(_ sequence: @escaping @Sendable () -> UInt64) {
        let thread = Thread {
            while true {
                sleep(1)
                let overdue = tally.overdue(limit)
                guard !overdue.isEmpty else { continue }
                say("\nHANG in sequence \(sequence()):")
                for plan in overdue { say("  \(plan.method.rawValue) \(plan.url) reading \(plan.reading)") }
                exit(3)
            }
        }
        thread.start()
    }
}
