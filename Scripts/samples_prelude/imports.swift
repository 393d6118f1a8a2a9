import AsyncNet
import AsyncNetLibcurl
import AsyncNetMonitors
import AsyncNetTesting
import Foundation
import SamplePrelude
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif
