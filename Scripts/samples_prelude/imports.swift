import AsyncNet
import AsyncNetTesting
import Foundation
import SamplePrelude

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif
