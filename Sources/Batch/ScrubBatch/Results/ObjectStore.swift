internal import ScrubFileIO
internal import Foundation
internal import ScrubHTTPTransport
internal import ScrubHashing
package import ScrubBase
internal import ScrubMedia

/// Results in an object store: `PREFIX/<the film's path below its root>/…`.
///
/// A store has no renames. A result counts only with its record, which is stored last, and only if no record exists. An
/// earlier record is removed before anything is replaced. Work is done in a folder on this machine, from which files
/// are sent in pieces.
package struct ObjectStore: ResultStore {
    /// The work folder on this machine.
    package let folder: String
    let client: ObjectClient

    /// The number of films whose results are sent at any one time.
    private static let sideBySide = 8

    package init(
        folder: String, _ options: ObjectStoreOptions, transport: (any ObjectTransport)? = nil,
        pause: @escaping @Sendable (Duration) -> Void = { Pause.sleep($0) }
    ) {
        self.folder = folder
        client = ObjectClient(options: options, transport: transport ?? CurlTransport(), pause: pause)
    }

    /// Returns the folder on this machine for the work on a store's results, which also determines the name of its
    /// state.
    ///
    /// - Throws: `usage` without a home.
    package static func workFolder(_ name: String) throws(ScrubError) -> String {
        let path = "/" + name.split(separator: "/").joined(separator: "/")
        let state = BatchState.standardPath(forFolder: path)
        guard state.hasSuffix(".sqlite"), !state.hasPrefix(path) else {
            throw ScrubError(
                .usage, "there is no local folder for preparing an object store's results",
                advice: "set XDG_STATE_HOME")
        }
        return state.dropLast(".sqlite".count) + ".work"
    }

    /// Sends one request, so that wrong credentials end a run before anything is decoded.
    package func check() throws(ScrubError) {
        let key = ".scrub-batch"
        let answer = try client.send(key, .get)
        let isMissing = answer.status == 404 && !String(decoding: answer.body, as: UTF8.self).contains("NoSuchBucket")
        guard answer.status == 200 || isMissing else { throw client.refusal(answer, key) }
    }

    var isOneDisk: Bool { true }

    func workFolder(of file: FoundFile, key: String) -> String {
        BatchOutputNames.work(folder, place: file.place, key: key)
    }

    private func recordKey(_ file: FoundFile) -> String { file.place + "/" + BatchRecord.fileName }

    func record(of file: FoundFile) throws(ScrubError) -> BatchRecord? {
        let answer = try client.send(recordKey(file), .get) { $0.answerLimit = 64 << 20 }
        if answer.status == 404 { return nil }
        guard answer.status == 200 else { throw client.refusal(answer, recordKey(file)) }
        guard let record = try? JSONDecoder().decode(BatchRecord.self, from: Data(answer.body)), record.record == 1
        else { return nil }
        return record
    }

    func holds(_ record: BatchRecord, of file: FoundFile, byHash: Bool) throws(ScrubError) -> Bool {
        // Only a batch removes objects, and it removes the record first.
        guard byHash else { return true }
        for named in record.files {
            let key = file.place + "/" + named.name
            // An object that is too large is recognized by its length.
            let isRead = named.bytes <= 64 << 20
            let answer = try client.send(key, isRead ? .get : .head) { $0.answerLimit = 64 << 20 }
            guard answer.status == 200 || answer.status == 404 else { throw client.refusal(answer, key) }
            guard answer.status == 200, answer.byteCount == Int64(named.bytes),
                !isRead || PlainText.hexadecimal(xxh3(answer.body)) == named.hash
            else { return false }
        }
        return true
    }

    func mark(of record: BatchRecord, of file: FoundFile) -> String? {
        guard let answer = try? client.send(recordKey(file), .head), answer.status == 200 else { return nil }
        return answer.entityTag
    }

    /// Costs a request.
    func isCurrent(_ mark: String?, of file: FoundFile) -> Bool {
        guard let mark, let answer = try? client.send(recordKey(file), .head) else { return false }
        return answer.status == 200 && answer.entityTag == mark
    }

    func obstacle(to asset: VideoAsset, of file: FoundFile) -> ResultObstacle? { nil }

    func put(_ results: [MadeResult]) throws(ScrubError) -> [Result<StoredResult, ScrubError>] {
        let (next, stored) = (Locked(0), Locked([Int: Result<StoredResult, ScrubError>]()))
        let work: @Sendable () -> Void = {
            while let number = next.withLock({ next in
                next += 1
                return next <= results.count ? next - 1 : nil
            }) {
                let result = Result { () throws(ScrubError) in try put(results[number]) }
                stored.withLock { $0[number] = result }
            }
        }
        let threads = try (1..<max(1, min(ObjectStore.sideBySide, results.count))).map { (_) throws(ScrubError) in
            try DedicatedThread(work)
        }
        work()
        for thread in threads { thread.join() }
        return stored.withLock { stored in
            results.indices.map { stored[$0] ?? .failure(ScrubError(.inputOutput, "was not sent")) }
        }
    }

    private func put(_ result: MadeResult) throws(ScrubError) -> StoredResult {
        let (file, record) = (result.outcome.file, result.record)
        let earlier = try self.record(of: file)
        if earlier != nil { try delete(recordKey(file)) }
        for named in record.files { _ = try send(result.folder + "/" + named.name, to: file.place + "/" + named.name) }
        let answer = try send(
            result.folder + "/" + BatchRecord.fileName, to: recordKey(file), onlyIfNew: true)
        if answer.status == 412 {
            // Another run's record, or this run's own record whose response was lost.
            guard let theirs = try self.record(of: file), theirs.key == record.key, theirs.options == record.options
            else {
                throw ScrubError(
                    .inputOutput, "another run stored a result at the same time; its result is kept", file: file.path,
                    advice: "it will be retried later")
            }
        }
        let kept = Set(record.files.map(\.name))
        for named in earlier?.files ?? [] where !kept.contains(named.name) { try delete(file.place + "/" + named.name) }
        Folder.removeTree(result.folder)
        return StoredResult(mark: answer.status == 412 ? mark(of: record, of: file) : answer.entityTag)
    }

    private func delete(_ key: String) throws(ScrubError) {
        let answer = try client.send(key, .delete)
        guard [200, 202, 204, 404].contains(answer.status) else { throw client.refusal(answer, key) }
    }

    /// Sends a file in pieces.
    private func send(_ path: String, to key: String, onlyIfNew: Bool = false) throws(ScrubError) -> StoreAnswer {
        let source = try FileSource(path: path)
        let answer = try client.send(key, .put) { request in
            request.byteCount = source.byteCount
            var place: Int64 = 0
            request.read = { count in
                let bytes = try? source.read(at: place, count: Int(min(Int64(count), source.byteCount - place)))
                place += Int64(bytes?.count ?? 0)
                return bytes
            }
            if let type = ObjectStore.contentType(of: key) { request.headers.append(("Content-Type", type)) }
            if onlyIfNew { request.headers.append(("If-None-Match", "*")) }
        }
        guard (200..<300).contains(answer.status) || onlyIfNew && answer.status == 412 else {
            throw client.refusal(answer, key)
        }
        return answer
    }

    /// Returns the content type of an object, for browsers.
    private static func contentType(of key: String) -> String? {
        let types = [
            "jpg": "image/jpeg", "png": "image/png", "webp": "image/webp", "svg": "image/svg+xml", "vtt": "text/vtt",
            "json": "application/json", "html": "text/html; charset=utf-8", "js": "text/javascript",
            "m3u8": "application/vnd.apple.mpegurl", "mpd": "application/dash+xml", "mp4": "video/mp4",
        ]
        return types[String(key.split(separator: ".").last ?? "")]
    }

    func sweep(_ files: [FoundFile], _ locks: LockTable, now: Int64) {
        for folder in Set(files.compactMap { Folder.folder(of: folder + "/" + $0.place) }) {
            BatchOutputNames.sweep(folder, locks, now: now)
        }
    }
}

/// Sleeps on a thread that has no other work.
package enum Pause {
    package static func sleep(_ duration: Duration) {
        Thread.sleep(forTimeInterval: Double(duration.wholeNanoseconds) / 1e9)
    }
}
