import CAsyncNetPlatform

extension Platform {
    /// The calling thread's number, from 0 in the order in which threads ask for theirs first.
    static var threadNumber: Int { Int(cp_thread_number()) }
}
