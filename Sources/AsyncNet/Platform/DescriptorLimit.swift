import Foundation

package enum DescriptorLimit {
    /// This process's soft limit of open files; 256, the smallest usual limit, if it cannot be read.
    package static var current: Int {
        var limit = rlimit()
        #if canImport(Glibc)
            let result = getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        #else
            let result = getrlimit(RLIMIT_NOFILE, &limit)
        #endif
        return result == 0 ? Int(clamping: limit.rlim_cur) : 256
    }
}
