internal import ScrubFileIO
internal import ScrubHashing
package import ScrubBase

/// The kind of a saved file in the cache directory.
package enum SavedKind: String, CaseIterable, Sendable {
    case index, dependencies, proofs, facts, costs, previews, set

    /// The suffix of the kind's file names.
    package var suffix: String {
        switch self {
        case .index: ".scrubindex"
        case .dependencies: ".scrubdeps"
        case .proofs: ".scrubproofs"
        case .facts: ".scrubfacts"
        case .costs: ".scrubcost"
        case .previews: ".scrubpreviews"
        case .set: ".scrubset"
        }
    }

    package init?(name: String) {
        guard let found = Self.allCases.first(where: { name.hasSuffix($0.suffix) }) else { return nil }
        self = found
    }

    /// The offset of the checksum, and the offset at which its bytes begin: an index has a version before it.
    fileprivate var checksumPlace: (at: Int, from: Int) { self == .index ? (16, 24) : (8, 16) }

    /// The first eight bytes of each kind, in little-endian order.
    fileprivate static let beginnings: Set<String> = [
        "SCRUBIDX", "SCRBDEPS", "SCRBPROF", "SCRBFACA", "SCRBCOST", "SCRBSETS",
    ]

    /// Reads a saved file and compares it with its checksums.
    ///
    /// - Returns: the number of checked parts, and whether all are intact; `nil` if the file no longer exists.
    func check(_ path: String) -> (parts: Int, isSound: Bool)? {
        guard self == .previews else {
            guard let bytes = try? Folder.contents(of: path, limit: .max) else { return nil }
            return (1, isSound(bytes))
        }
        // Saved files may be larger than memory.
        guard let found = PackCheck(path: path, checksum: { xxh3($0, seed: $1) }) else {
            return nil
        }
        return (max(1, found.checked), found.isSound)
    }

    /// Returns whether a saved file with a single checksum is intact. Checking it requires reading its contents.
    package func isSound(_ bytes: [UInt8]) -> Bool {
        let (at, from) = checksumPlace
        guard bytes.count >= from, Self.beginnings.contains(String(decoding: bytes[..<8], as: UTF8.self)) else {
            return false
        }
        var stored: UInt64 = 0
        for byte in bytes[at..<at + 8].reversed() { stored = stored << 8 | UInt64(byte) }
        return xxh3(bytes.span.extracting(from..<bytes.count)) == stored
    }
}

/// Generated sets in the cache directory, which are found by name, without the catalogue, and evicted by the same rules
/// as other files.
///
/// Thread safety: safe from any thread; several processes share them. Reading costs one file read and one checksum
/// pass.
package struct GeneratedSets: Sendable {
    private let directory: CacheDirectory

    /// Creates an object for a cache directory.
    ///
    /// - Parameters:
    ///   - path: the cache directory.
    ///   - byteLimit: the maximum number of bytes of all sets together.
    ///   - totalLimit: the maximum number of bytes of all saved files in the directory.
    package init(path: String, byteLimit: Int64 = 512 << 20, totalLimit: Int64 = CacheDirectory.totalLimit()) {
        directory = CacheDirectory(
            path: path, suffix: SavedKind.set.suffix, byteLimit: byteLimit, totalLimit: totalLimit)
    }

    /// Returns a set's bytes; `nil` if it does not exist. A damaged one is removed.
    ///
    /// - Parameter name: letters, digits and `-`, such as a checksum of everything from which the set is made.
    package func load(_ name: String) -> [UInt8]? {
        guard let bytes = directory.load(name) else { return nil }
        guard SavedKind.set.isSound(bytes) else {
            directory.remove(name)
            return nil
        }
        return Array(bytes[16...])
    }

    /// Saves a set.
    package func save(_ bytes: [UInt8], as name: String) throws(ScrubError) {
        var file = Array("SCRBSETS".utf8)
        unsafe withUnsafeBytes(of: xxh3(bytes).littleEndian) { unsafe file += $0 }
        try directory.store(file + bytes, as: name)
    }
}
