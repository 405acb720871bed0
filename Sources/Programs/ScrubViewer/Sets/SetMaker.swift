#if Viewer
internal import ScrubFileIO
internal import Glibc
internal import Scrub
internal import ScrubBase
internal import ScrubMedia
internal import ScrubThumbnails

/// Writes thumbnail sets for download, one at a time, to a folder that is removed with the response.
///
/// Thread safety: safe from any task.
final class SetMaker: Sendable {
    private let threads = BlockingThreads(limit: 1)
    private let waiting = Locked(0)

    /// Writes a set.
    ///
    /// - Parameters:
    ///   - interval: the seconds between thumbnails.
    /// - Throws: `unavailable` if others are already waiting; `CancellationError` if the request was cancelled.
    func make(_ medium: ViewedMedium, _ profile: ThumbnailSets.Profile, every interval: Rational) async throws
        -> MadeSet
    {
        let isCrowded = waiting.withLock { waiting in
            waiting += 1
            return waiting > 4
        }
        defer { waiting.withLock { $0 -= 1 } }
        guard !isCrowded else {
            throw ScrubError(.unavailable, "too many other sets are being made", advice: "try again in a minute")
        }
        let cancellation = Cancellation(within: nil) { medium.isRetired }
        let made = await withTaskCancellationHandler {
            let result: Result<MadeSet, any Error>
            do {
                result = .success(
                    try await threads.run {
                        try cancellation.perform { try MadeSet(medium, profile, every: interval) }
                    })
            } catch {
                result = .failure(error)
            }
            return result
        } onCancel: {
            cancellation.cancel()
        }
        try Task.checkCancellation()
        return try made.get()
    }
}

/// A set on the disk, removed with the last reference.
final class MadeSet: Sendable {
    private let root: String
    private let folder: String
    /// The files' paths relative to the folder, and an archive entry for each.
    let entries: [(path: String, entry: ZipArchive.Entry)]

    /// The maximum bytes of a file in memory at any one time.
    static let pieceByteCount = 1 << 20

    fileprivate init(
        _ medium: ViewedMedium, _ profile: ThumbnailSets.Profile, every interval: Rational
    ) throws(ScrubError) {
        let base = unsafe getenv("TMPDIR").map { unsafe String(systemName: $0) } ?? "/tmp"
        var template = (base + "/scrub-set-XXXXXX").utf8CString.map { $0 }
        guard unsafe mkdtemp(&template) != nil else {
            throw ScrubError(
                .inputOutput, "a folder for the set cannot be created",
                advice: "check the permissions and the free space of \(base)")
        }
        let root = unsafe template.withUnsafeBufferPointer {
            unsafe $0.baseAddress.map { unsafe String(systemName: $0) } ?? base
        }
        self.root = root
        folder = root + "/" + profile.rawValue
        do throws(ScrubError) {
            var options = ThumbnailSets.Options([profile])
            options.request = ThumbnailPlan.Request(.every(interval), tolerance: .automatic)
            options.threadCount = 1
            _ = try medium.asset.writeThumbnailSets(into: root, options: options)
            var entries: [(path: String, entry: ZipArchive.Entry)] = []
            for path in try Folder.files(in: folder) {
                var (sum, count) = (CRC32(), 0)
                try MadeSet.pieces(of: folder + "/" + path) {
                    sum.update($0)
                    count += $0.count
                }
                guard let size = UInt32(exactly: count) else { throw MadeSet.tooLarge }
                let name = profile.rawValue + "/" + path
                entries.append(
                    (path, .init(name: Array(SystemName.unicode(name).utf8), byteCount: size, checksum: sum.value)))
            }
            guard ZipArchive.length(of: entries.map(\.entry)) != nil else { throw MadeSet.tooLarge }
            self.entries = entries
        } catch {
            Folder.removeTree(root)
            throw error
        }
    }

    deinit { Folder.removeTree(root) }

    private static let tooLarge = ScrubError(
        .unavailable, "the set is too large for one archive", advice: "use 'scrub thumbs' instead")

    /// Reads a file's bytes in pieces; blocks.
    private static func pieces(of path: String, _ take: ([UInt8]) -> Void) throws(ScrubError) {
        let file = try FileSource(path: path)
        var offset: Int64 = 0
        while offset < file.byteCount {
            let count = Int(min(Int64(pieceByteCount), file.byteCount - offset))
            take(try file.read(at: offset, count: count))
            offset += Int64(count)
        }
    }

    /// Returns a piece of a file, shorter at its end and empty after it; blocks.
    func piece(of path: String, at offset: Int) throws(ScrubError) -> [UInt8] {
        let file = try FileSource(path: folder + "/" + path)
        let count = min(Int64(MadeSet.pieceByteCount), file.byteCount - Int64(offset))
        return count > 0 ? try file.read(at: Int64(offset), count: Int(count)) : []
    }
}
#endif
