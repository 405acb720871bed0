internal import Glibc

extension CacheDirectory {
    /// The suffixes of the files kept next to the folder of fetched media: indexes, their companions, previews, and
    /// generated sets. One budget covers all of them and the media.
    package static let suffixes: Set<String> = [
        ".scrubindex", ".scrubdeps", ".scrubproofs", ".scrubfacts", ".scrubcost", ".scrubpreviews", ".scrubset",
    ]

    /// The folder of fetched media in the cache directory.
    package static let mediaFolder = "media-1"

    /// A file in a cache directory.
    package struct SavedFile: Hashable, Sendable {
        package let name: String
        package let byteCount: Int64
        /// The time of the last read or write, in nanoseconds since 1970.
        package let used: Int64

        /// Returns whether a file is evicted before another one.
        static func isLongerUnused(_ file: SavedFile, than other: SavedFile) -> Bool {
            (file.used, file.name) < (other.used, other.name)
        }
    }

    /// Returns whether a name is that of a saved file of any kind.
    static func isSaved(_ name: String) -> Bool {
        // A library may have hundreds of thousands of them.
        name.utf8.lastIndex(of: UInt8(ascii: ".")).map { suffixes.contains(String(name[$0...])) } ?? false
    }

    /// Returns all saved files in a directory, in no particular order.
    package static func savedFiles(in path: String) -> [SavedFile] { files(in: path, isSaved) }

    /// Returns the total size in bytes of all saved files in a directory.
    package static func savedBytes(in path: String) -> Int64 {
        // They are files of one file system, so the sum fits.
        savedFiles(in: path).reduce(0) { $0 &+ $1.byteCount }
    }

    /// The default maximum total size of the cache directory: 10 GiB.
    package static let standardTotalLimit: Int64 = 10 << 30

    /// Returns the maximum total size of the cache directory in bytes: `SCRUB_CACHE_LIMIT`, such as `20G`, `500M` or
    /// `0`, or else 10 GiB. Text that is not a size is ignored.
    package static func totalLimit(environment: (String) -> String? = environmentVariable) -> Int64 {
        environment("SCRUB_CACHE_LIMIT").flatMap(byteCount) ?? standardTotalLimit
    }

    /// Returns the problem with the values that ``totalLimit(environment:)`` reads; `nil` if they are valid.
    package static func limitProblem(environment: (String) -> String? = environmentVariable) -> String? {
        guard let text = environment("SCRUB_CACHE_LIMIT"), byteCount(text) == nil else { return nil }
        return "SCRUB_CACHE_LIMIT '\(text)' is not a size, so the limit is 10 GiB (write a size such as 20G, 500M or 0)"
    }

    /// Returns a number of bytes as people write it: `1073741824`, `512M`, `20G`, `20GiB`, in units of 1024; `nil` for
    /// any other text.
    package static func byteCount(_ text: String) -> Int64? {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        guard !digits.isEmpty, let number = Int64(digits) else { return nil }
        let unit = text.dropFirst(digits.count).uppercased()
        let powers = ["": 0, "B": 0, "K": 1, "M": 2, "G": 3, "T": 4, "P": 5]
        let isLong = unit.count == 3 && unit.hasSuffix("IB") || unit.count == 2 && unit.hasSuffix("B")
        let short = isLong ? String(unit.prefix(1)) : unit
        guard let power = powers[short] else { return nil }
        let (product, overflow) = number.multipliedReportingOverflow(by: 1 << Int64(10 * power))
        return overflow ? nil : product
    }
}
