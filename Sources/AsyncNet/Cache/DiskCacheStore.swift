import Foundation

/// Stores responses in a folder, a file for each response, which any number of processes may use.
///
/// A file is written under a temporary name and then renamed, so that a reader finds a whole file or none, even if a
/// process is killed. Readers take no lock. There is no index: the name of a file is made of the hashes of its URL, of
/// a QUERY's content, of its variant and of its partition, and the hash of the URL picks one of 256 folders. Each use
/// of a file sets its time of modification, by which the least recently used files are found.
final class DiskCacheStore: CacheStore {
    private let folder: String
    private let capacity: Int64
    let maximumBodySize: Int64
    /// The bytes in the folder as far as this process knows, and how many it has added since it last listed the folder;
    /// `nil` if it must list the folder first.
    private let usage = Locked<(bytes: Int64, added: Int64)?>(nil)

    init(_ directory: URL, capacity: Int) throws(AsyncNetError) {
        (folder, self.capacity) = (directory.path, Int64(max(0, capacity)))
        maximumBodySize = self.capacity / HTTPCache.partOfBody
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            _ = try TemporaryFile(in: folder)
        } catch {
            throw AsyncNetError(
                .fileNotWritable, "The folder \(folder) for the cache cannot be made or written to",
                underlyingError: error)
        }
        guard FileSystem.isOwn(folder) else {
            throw AsyncNetError(
                .fileNotWritable,
                "The folder \(folder) for the cache belongs to another user, or all users may write to it")
        }
    }

    func entries(_ key: CacheKey) async -> [CacheEntry] {
        await UserCode.run { [self] in
            files(of: key).compactMap { entry($0, key) }.sorted { $0.response.received > $1.response.received }
        }
    }

    /// The stored response in a file; a damaged file is removed.
    private func entry(_ path: String, _ key: CacheKey) -> CacheEntry? {
        guard let file = OwnFile(path) else { return nil }
        guard let (record, bodySize) = DiskCacheFormat.read(fileSize: file.size, file.read) else {
            FileSystem.remove(path)
            return nil
        }
        guard record.key == key.text else { return nil }
        return CacheEntry(
            response: record.response, body: DiskCacheBody(file: file, size: bodySize, hash: record.bodyHash))
    }

    func writer(_ key: CacheKey, _ response: StoredResponse) async -> (any CacheWriter)? {
        await UserCode.run { [self] in DiskCacheWriter(self, in: folder, key: key, response: response) }
    }

    /// Copies the body to a new file, as the file of the stored response may have readers.
    func update(_ entry: CacheEntry, _ key: CacheKey, to response: StoredResponse) async {
        guard await entries(key).contains(where: { $0.response == entry.response }),
            let body = await entry.body.read(), let writer = await writer(key, response)
        else { return }
        if await writer.append(all: body) { await writer.commit() }
    }

    /// Renames a complete file to its final name, in place of the file of that name, unless the response in that file
    /// was requested later.
    fileprivate func add(_ file: TemporaryFile, size: Int64, _ key: CacheKey, _ response: StoredResponse) {
        guard let path = file.path else { return }
        let target = self.path(of: key, response.variant)
        if let present = entry(target, key), present.response.requested > response.requested { return }
        FileSystem.makeFolder(place(of: key).folder)
        guard (try? FileSystem.move(path, to: target, replaces: true)) != nil else { return }
        removeOldest(files(of: key))
        let mustLook = usage.withLock { usage in
            usage?.bytes += size
            usage?.added += size
            guard let usage else { return true }
            // Other processes add files too.
            return usage.bytes > capacity || usage.added > capacity / 16
        }
        if mustLook { evict() }
    }

    func removeAll(of key: CacheKey) async {
        await UserCode.run { [self] in files(in: place(of: key).folder, hash(of: key)).forEach(FileSystem.remove) }
    }

    func remove(_ entry: CacheEntry, _ key: CacheKey) async {
        await UserCode.run { [self] in FileSystem.remove(path(of: key, entry.response.variant)) }
    }

    func removeAll(in partition: String?) async {
        await UserCode.run { [self] in
            for file in listed(of: partition) { FileSystem.remove(file.path) }
            // How many bytes a partition takes is not known.
            usage.withLock { $0 = partition == nil ? (0, 0) : nil }
        }
    }

    func usage(of partition: String?) async -> (entries: Int, bytes: Int64) {
        await UserCode.run { [self] in
            let files = listed(of: partition)
            return (files.count, files.reduce(0) { $0 + $1.size })
        }
    }

    /// Removes the oldest of a key's files if there are too many for fast look-ups.
    private func removeOldest(_ paths: [String]) {
        guard paths.count > HTTPCache.mostVariants else { return }
        let files = paths.compactMap(FileSystem.listed).sorted { $0.modified < $1.modified }
        for file in files.prefix(paths.count - HTTPCache.mostVariants) { FileSystem.remove(file.path) }
    }

    /// Removes files that a process has begun and not completed; above the capacity also the least recently used files,
    /// until nine tenths of the capacity are used. One process does this at a time.
    private func evict() {
        let bytes = FileSystem.withLock(at: "\(folder)/lock") { () -> Int64 in
            removeAbandoned()
            let files = listed().sorted { $0.modified < $1.modified }
            var bytes = files.reduce(0) { $0 + $1.size }
            guard bytes > capacity else { return bytes }
            for file in files {
                guard bytes > capacity / 10 * 9 else { break }
                FileSystem.remove(file.path)
                bytes -= file.size
            }
            return bytes
        }
        if let bytes { usage.withLock { $0 = (bytes, 0) } }
    }

    private func removeAbandoned() {
        for name in names(folder) where name.hasPrefix("AsyncNet.") {
            guard let file = FileSystem.listed("\(folder)/\(name)"), file.age > 3600 else { continue }
            FileSystem.remove(file.path)
        }
    }

    /// The folder of a key's files, and the prefix of their names.
    private func place(of key: CacheKey) -> (folder: String, prefix: String) {
        let hash = hash(of: key)
        let content = key.content.isEmpty ? "" : "+\(key.content.prefix(32))"
        return ("\(folder)/\(hash.prefix(2))", "\(hash)\(content)-")
    }

    /// The prefix of the names of all files for the key's URL.
    private func hash(of key: CacheKey) -> String {
        String(MessageDigest.of(key.resource.text, algorithm: .sha256).hexadecimal.prefix(Self.prefixLength))
    }

    private func path(of key: CacheKey, _ variant: CacheVariant) -> String {
        let (folder, prefix) = place(of: key)
        return "\(folder)/\(prefix)\(variant.identity)\(Self.suffix(of: key.partition))"
    }

    /// The suffix of the names of a partition's files: a part of its hash.
    private static func suffix(of partition: String) -> String {
        partition.isEmpty ? "" : "-\(partition.prefix(32))"
    }

    private static let prefixLength = 40

    private func names(_ folder: String) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    }

    private func files(of key: CacheKey) -> [String] {
        let (part, prefix) = place(of: key)
        return files(in: part, prefix)
    }

    private func files(in folder: String, _ prefix: String) -> [String] {
        names(folder).filter { $0.hasPrefix(prefix) }.map { "\(folder)/\($0)" }
    }

    /// - Parameter partition: The partition whose files are listed; `nil` for all.
    private func listed(of partition: String? = nil) -> [FileSystem.Listed] {
        let suffix = partition.map(Self.suffix) ?? ""
        return names(folder).filter { $0.utf8.count == 2 }.flatMap { part in
            names("\(folder)/\(part)")
                .filter { ["-", "+"].contains($0.dropFirst(Self.prefixLength).first) && $0.hasSuffix(suffix) }
                .compactMap { FileSystem.listed("\(folder)/\(part)/\($0)") }
        }
    }
}

private final class DiskCacheWriter: CacheWriter {
    private struct State {
        var digest = MessageDigest(.sha256)
        var size: Int64 = 0
    }

    private let store: DiskCacheStore
    private let file: TemporaryFile
    private let key: CacheKey
    private let response: StoredResponse
    private let state = Locked(State())

    /// Fails if no file can be made.
    init?(_ store: DiskCacheStore, in folder: String, key: CacheKey, response: StoredResponse) {
        guard let file = try? TemporaryFile(in: folder, keepsName: true) else { return nil }
        self.store = store
        self.file = file
        self.key = key
        self.response = response
    }

    func append(_ chunk: Data) async -> Bool {
        let fits = state.withLock { state in
            state.size += Int64(chunk.count)
            guard state.size <= store.maximumBodySize else { return false }
            state.digest.update(chunk)
            return true
        }
        guard fits else { return false }
        return await UserCode.run { [file] in (try? file.append(chunk)) != nil }
    }

    func commit() async {
        let (hash, size) = state.withLock { ($0.digest.finish().hexadecimal, $0.size) }
        await UserCode.run { [self] in
            let record = DiskCacheFormat.Record(key, response, bodyHash: hash)
            guard let tail = try? DiskCacheFormat.tail(record, bodySize: size), (try? file.append(tail)) != nil else {
                return
            }
            store.add(file, size: size + Int64(tail.count), key, response)
        }
    }
}
