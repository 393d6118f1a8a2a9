import Foundation

@testable import AsyncNetMonitors

/// Reads Prometheus's text format 0.0.4 as strictly as it is specified, for tests.
enum PrometheusParser {
    struct Sample: Equatable {
        var name: String
        var labels: [String: String]
        var value: Double
    }

    struct Fault: Error {
        var line: Substring
        var reason: String
    }

    /// All samples, after these checks: HELP and TYPE precede the samples of a metric, which are together and of that
    /// type; no sample occurs twice; buckets are cumulative and end with the count.
    static func samples(_ text: String) throws -> [Sample] {
        var (samples, types, metric) = ([Sample](), [String: String](), "")
        guard text.hasSuffix("\n") else { throw Fault(line: "", reason: "the last line has no end") }
        for line in text.dropLast().split(separator: "\n", omittingEmptySubsequences: false) {
            let words = line.split(separator: " ", maxSplits: 3)
            if line.hasPrefix("# HELP ") {
                metric = String(words[2])
                guard types[metric] == nil, words.count == 4 else { throw Fault(line: line, reason: "HELP") }
            } else if line.hasPrefix("# TYPE ") {
                guard words.count == 4, words[2] == metric, ["counter", "gauge", "histogram"].contains(words[3]),
                    (words[3] == "counter") == metric.hasSuffix("_total")
                else { throw Fault(line: line, reason: "TYPE") }
                types[metric] = String(words[3])
            } else {
                let sample = try sample(line)
                try check(sample, metric, types[metric], line)
                samples.append(sample)
            }
        }
        try checkBuckets(samples, types)
        guard Set(samples.map { "\($0.name) \($0.labels.sorted { $0.key < $1.key })" }).count == samples.count else {
            throw Fault(line: "", reason: "a sample is there twice")
        }
        return samples
    }

    private static func check(_ sample: Sample, _ metric: String, _ type: String?, _ line: Substring) throws {
        let suffixes = type == "histogram" ? ["_bucket", "_sum", "_count"] : [""]
        guard type != nil, suffixes.contains(where: { metric + $0 == sample.name }),
            (sample.labels["le"] != nil) == sample.name.hasSuffix("_bucket")
        else { throw Fault(line: line, reason: "not a sample of \(metric)") }
    }

    private static func checkBuckets(_ samples: [Sample], _ types: [String: String]) throws {
        for (metric, type) in types where type == "histogram" {
            for count in samples where count.name == metric + "_count" {
                let buckets = samples.filter { sample in
                    sample.name == metric + "_bucket"
                        && sample.labels.filter { $0.key != "le" } == count.labels
                }
                let values = buckets.map(\.value)
                guard values == values.sorted(), buckets.last?.labels["le"] == "+Inf", values.last == count.value else {
                    throw Fault(line: "", reason: "buckets of \(metric)")
                }
            }
        }
    }

    private static func sample(_ line: Substring) throws -> Sample {
        var rest = line[...]
        let name = rest.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_" || $0 == ":") }
        rest = rest.dropFirst(name.count)
        guard let first = name.first, !first.isNumber else { throw Fault(line: line, reason: "name") }
        let labels = rest.first == "{" ? try self.labels(&rest, line) : [:]
        guard rest.first == " ", let value = Double(rest.dropFirst()) else { throw Fault(line: line, reason: "value") }
        return Sample(name: String(name), labels: labels, value: value)
    }

    private static func labels(_ rest: inout Substring, _ line: Substring) throws -> [String: String] {
        var labels: [String: String] = [:]
        repeat {
            rest = rest.dropFirst()
            let name = rest.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
            rest = rest.dropFirst(name.count)
            guard !name.isEmpty, rest.hasPrefix("=\"") else { throw Fault(line: line, reason: "label") }
            rest = rest.dropFirst(2)
            guard labels.updateValue(try value(&rest, line), forKey: String(name)) == nil else {
                throw Fault(line: line, reason: "label twice")
            }
        } while rest.first == ","
        guard rest.first == "}" else { throw Fault(line: line, reason: "end of labels") }
        rest = rest.dropFirst()
        return labels
    }

    /// The value of a label. Leaves in `rest` what follows the closing quote.
    private static func value(_ rest: inout Substring, _ line: Substring) throws -> String {
        var (bytes, utf8) = ([UInt8](), Array(rest.utf8)[...])
        while let byte = utf8.popFirst(), byte != UInt8(ascii: "\"") {
            guard byte == UInt8(ascii: "\\") else {
                bytes.append(byte)
                continue
            }
            switch utf8.popFirst() {
            case UInt8(ascii: "n"): bytes.append(UInt8(ascii: "\n"))
            case UInt8(ascii: "\\"): bytes.append(UInt8(ascii: "\\"))
            case UInt8(ascii: "\""): bytes.append(UInt8(ascii: "\""))
            default: throw Fault(line: line, reason: "escape")
            }
        }
        rest = String(decoding: utf8, as: UTF8.self)[...]
        return String(decoding: bytes, as: UTF8.self)
    }
}
