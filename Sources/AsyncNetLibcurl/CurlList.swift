import CAsyncNetLibcurl
import Foundation

/// A `curl_slist`, freed with this object. libcurl reads the list as long as a handle has it, and does not change it.
final class CurlList {
    private(set) var first: UnsafeMutablePointer<lc_list>?

    init(_ lines: [String]) {
        for line in lines.reversed() {
            let node = UnsafeMutablePointer<lc_list>.allocate(capacity: 1)
            node.initialize(to: lc_list(data: strdup(line), next: first))
            first = node
        }
    }

    deinit {
        while let node = first {
            first = node.pointee.next
            free(node.pointee.data)
            node.deallocate()
        }
    }
}
