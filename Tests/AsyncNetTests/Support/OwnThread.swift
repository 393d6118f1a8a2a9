#if os(Linux)
    import Foundation
    import Glibc
    import Synchronization

    /// A thread that runs jobs, one after the other. What a job changes of its thread, such as the network namespace,
    /// no other thread has.
    final class OwnThread: Sendable {
        struct Failure: Error { let reason: String }

        private let jobs = JobQueue()

        init() { Thread { [jobs] in jobs.run() }.start() }

        deinit { jobs.finish() }

        /// Runs a job on the thread, and waits until the job is done.
        func run<Value: Sendable>(_ job: @escaping @Sendable () throws -> Value) throws -> Value {
            let done = DispatchSemaphore(value: 0)
            let result = Mutex<Result<Value, any Error>?>(nil)
            jobs.add {
                let outcome = Result { try job() }
                result.withLock { $0 = outcome }
                done.signal()
            }
            done.wait()
            guard let result = result.withLock({ $0 }) else { throw Failure(reason: "not run") }
            return try result.get()
        }

        /// Gives the thread a network namespace of its own.
        func leaveNetwork() throws {
            try run {
                // Swift's modules do not show this call.
                guard let symbol = dlsym(nil, "unshare") else { throw Failure(reason: "no unshare") }
                let unshare = unsafeBitCast(symbol, to: (@convention(c) (Int32) -> Int32).self)
                let newNetwork: Int32 = 0x4000_0000
                guard unshare(newNetwork) == 0 else { throw Failure(reason: "unshare: \(errno)") }
            }
        }

        /// Makes the kernel refuse netlink sockets to the thread from now on, as a sandbox would.
        func refuseNetlink() throws {
            #if arch(x86_64)
                let socket: UInt32 = 41
            #else
                let socket: UInt32 = 198
            #endif
            // If the call is socket(AF_NETLINK, ...) it ends in EPERM; all others are let through.
            let filter: [FilterStep] = [
                FilterStep(0x20, 0), FilterStep(0x15, socket, otherwise: 3), FilterStep(0x20, 16),
                FilterStep(0x15, 16, otherwise: 1),
                FilterStep(0x06, 0x0005_0001), FilterStep(0x06, 0x7FFF_0000),
            ]
            try run {
                guard let symbol = dlsym(nil, "prctl") else { throw Failure(reason: "no prctl") }
                let prctl = unsafeBitCast(symbol, to: (@convention(c) (Int32, UInt, UInt, UInt, UInt) -> Int32).self)
                let isSet = filter.withUnsafeBufferPointer { steps in
                    var program = (count: UInt16(steps.count), steps: UInt(bitPattern: steps.baseAddress))
                    let (noNewPrivileges, seccomp): (Int32, Int32) = (38, 22)
                    return withUnsafePointer(to: &program) {
                        prctl(noNewPrivileges, 1, 0, 0, 0) == 0 && prctl(seccomp, 2, UInt(bitPattern: $0), 0, 0) == 0
                    }
                }
                guard isSet else { throw Failure(reason: "prctl: \(errno)") }
            }
        }
    }

    /// One instruction of a filter of system calls (`struct sock_filter`).
    private struct FilterStep: Sendable {
        let code: UInt16
        let then: UInt8 = 0
        let otherwise: UInt8
        let value: UInt32

        init(_ code: UInt16, _ value: UInt32, otherwise: UInt8 = 0) {
            (self.code, self.value, self.otherwise) = (code, value, otherwise)
        }
    }

    private final class JobQueue: Sendable {
        private let jobs = Mutex<(waiting: [@Sendable () -> Void], isFinished: Bool)>(([], false))
        private let signal = DispatchSemaphore(value: 0)

        func add(_ job: @escaping @Sendable () -> Void) {
            jobs.withLock { $0.waiting.append(job) }
            signal.signal()
        }

        func finish() {
            jobs.withLock { $0.isFinished = true }
            signal.signal()
        }

        func run() {
            while true {
                signal.wait()
                let job: (@Sendable () -> Void)? = jobs.withLock { $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() }
                if let job { job() } else if jobs.withLock({ $0.isFinished }) { return }
            }
        }
    }
#endif
