import AsyncNet
import CAsyncNetLibcurl
import Foundation

/// A `curl_slist` of `CURLOPT_RESOLVE` or `CURLOPT_CONNECT_TO` entries. The owner frees the list after the last handle that uses it.
enum AddressList {
    static func make(line: String) -> UnsafeMutablePointer<lc_list>? {
        let node = UnsafeMutablePointer<lc_list>.allocate(capacity: 1)
        node.initialize(to: lc_list(data: strdup(line), next: nil))
        return node
    }

    static func make(_ addresses: [String: [String]]) -> UnsafeMutablePointer<lc_list>? {
        var list: UnsafeMutablePointer<lc_list>?
        for (name, addresses) in addresses {
            let node = UnsafeMutablePointer<lc_list>.allocate(capacity: 1)
            node.initialize(to: lc_list(data: strdup("\(name):\(addresses.joined(separator: ","))"), next: list))
            list = node
        }
        return list
    }

    static func free(_ list: UnsafeMutablePointer<lc_list>?) {
        var next = list
        while let node = next {
            next = node.pointee.next
            Foundation.free(node.pointee.data)
            node.deallocate()
        }
    }
}
