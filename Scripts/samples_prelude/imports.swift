import AsyncNet
import AsyncNetLibcurl
import AsyncNetTesting
import Foundation
import SamplePrelude
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif
