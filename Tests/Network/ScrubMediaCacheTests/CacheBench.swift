import ScrubSourcesLogic
import ScrubFileIO
import Foundation
import ScrubMediaCache
import ScrubBase
import Synchronization
import ScrubTestSupport

/// A cache directory of a test's own, with the actions that tests repeat.
final class CacheBench: Sendable {
    /// The path of the cache.
    let path: String
    let folder: TemporaryFolder?
    private let clock = Atomic<Int64>(1_700_000_000)
    let warnings = Locked<[String]>([])

    init() throws {
        let made = try TemporaryFolder()
        (folder, path) = (made, made.path)
    }

    /// A folder that is there.
    init(at path: String) throws { (folder, self.path) = (nil, path) }

    /// The time that the caches believe it is.
    func set(now: Int64) { clock.store(now, ordering: .relaxed) }

    static let validator = Validator(entityTag: "\"a\"", lastModified: nil, date: nil)

    func surroundings(_ files: any CacheFiles = SystemCacheFiles()) -> MediaCache.Surroundings {
        var surroundings = MediaCache.Surroundings()
        surroundings.files = files
        surroundings.clock = { [self] in clock.load(ordering: .relaxed) }
        surroundings.busyTimeout = 5
        return surroundings
    }

    func cache(
        _ limits: MediaCacheLimits = CacheBench.limits, files: any CacheFiles = SystemCacheFiles(),
        busyTimeout: Double = 5
    ) throws -> MediaCache {
        var surroundings = surroundings(files)
        surroundings.busyTimeout = busyTimeout
        return try MediaCache(path: path, limits: limits, surroundings: surroundings) { [self] error in
            warnings.withLock { $0.append(error.description) }
        }
    }

    /// So that no test depends on how full the machine is.
    static let limits = MediaCacheLimits(freeSpaceFloor: 0)

    static func limits(bytes: Int64 = 10 << 30, entries: Int = 1000) -> MediaCacheLimits {
        MediaCacheLimits(byteLimit: bytes, entryLimit: entries, freeSpaceFloor: 0)
    }

    func key(_ name: String) -> MediumKey { MediumKey(url: "https://example.org/\(name)") }

    /// Returns the bytes at a place of a medium: all generations and media differ.
    static func bytes(_ range: Range<Int64>, of seed: UInt64) -> [UInt8] {
        guard !range.isEmpty else { return [] }
        let (first, last) = (range.lowerBound >> 3, (range.upperBound - 1) >> 3)
        var words: [UInt64] = []
        words.reserveCapacity(Int(last - first + 1))
        for word in first...last {
            let mixed = UInt64(bitPattern: word) &* 0x9E37_79B9_7F4A_7C15 &+ seed &* 0xD1B5_4A32_D192_ED03
            words.append((mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9)
        }
        let start = Int(range.lowerBound & 7)
        return words.withUnsafeBytes { Array($0[start..<start + range.count]) }
    }

    /// Fetches and records the missing bytes of a range; false if nothing was recorded.
    @discardableResult
    static func fill(
        _ medium: CachedMedium, _ range: Range<Int64>, seed: UInt64, part: Int64 = 50_000, finishes: Bool = true
    ) -> Bool {
        guard let claim = medium.beginFetch(range) else { return false }
        for hole in claim.missing.ranges {
            var place = hole.lowerBound
            while place < hole.upperBound {
                let end = min(hole.upperBound, place + part)
                bytes(place..<end, of: seed).withUnsafeBytes { claim.write($0, at: place) }
                place = end
            }
        }
        if finishes { claim.finish() }
        return true
    }

    /// Returns a medium's bytes of a range: as many as are there from its beginning.
    static func read(_ medium: CachedMedium, _ range: Range<Int64>) -> [UInt8] {
        var bytes = [UInt8](repeating: 0xEE, count: range.count)
        let count = bytes.withUnsafeMutableBytes { medium.read(at: range.lowerBound, into: $0) }
        return Array(bytes[..<count])
    }
}

extension CacheBench {
    /// The folder of the catalogue.
    var mediaFolder: String { path + "/media-1" }

    /// The paths of all data files.
    var dataFiles: [String] {
        ((try? FileManager.default.subpathsOfDirectory(atPath: mediaFolder)) ?? []).filter { name in
            name.hasPrefix("data-") && name.split(separator: "/").count == 3
        }.sorted().map { mediaFolder + "/" + $0 }
    }
}
