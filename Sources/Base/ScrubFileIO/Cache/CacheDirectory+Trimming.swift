internal import Glibc

// Enforcing the limits. To determine the total size, each file must be examined.
extension CacheDirectory {
    /// All files are examined in one of every N stores, where N is the size of the folder's list of names divided by
    /// this many bytes: about a hundred names.
    private static let listedBytes: Int64 = 8 << 10
    /// The maximum for N: all files are examined in at least one of this many stores.
    private static let mostStores: Int64 = 1024
    /// An entry larger than this part of a limit always triggers an examination.
    private static let smallPart: Int64 = 4096

    /// Returns whether to examine all files after a store.
    ///
    /// If each store did so, a library of a hundred thousand videos would cost ten billion examinations. Therefore,
    /// only one of every N stores does, where N is the number of hundreds of files. The choice is pseudorandom, based
    /// on the entry's name, because processes that store one entry each do not know about each other. In between, a
    /// limit may be exceeded by about one percent, rarely by five, and never in a folder with few files.
    ///
    /// - Parameter folder: the size of the folder itself in bytes, which grows with the number of files in it.
    package func looksAtAll(after name: String, byteCount: Int, inFolderOf folder: Int64) -> Bool {
        let stores = min(folder / CacheDirectory.listedBytes, CacheDirectory.mostStores)
        guard stores > 1, Int64(byteCount) <= min(byteLimit, totalLimit) / CacheDirectory.smallPart else { return true }
        // FNV-1a with a final mixing step: names that differ in their last letters differ in few of its bits.
        var sum = (name + suffix).utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        sum = (sum ^ sum >> 33) &* 0xFF51_AFD7_ED55_8CCD
        return (sum ^ sum >> 33) % UInt64(stores) == 0
    }

    /// Returns the size of a folder itself in bytes; 0 if it does not exist.
    static func ownByteCount(of path: String) -> Int64 {
        var facts = stat()
        return unsafe stat(path, &facts) == 0 ? Int64(facts.st_size) : 0
    }

    /// Evicts the least recently used entries until the limits are met: first of this suffix, then of all. Without
    /// ``removesOthers``, nothing is evicted.
    ///
    /// - Parameters:
    ///   - kept: the file to keep.
    ///   - more: the bytes to be added.
    /// - Returns: whether the limits are met including those bytes, and the size of all remaining saved files, or
    ///   without a total limit, of those with this suffix.
    @discardableResult
    func trim(keeping kept: String, more: Int64 = 0) -> (isWithin: Bool, saved: Int64) {
        // A single pass over the folder finds all required information.
        let found = CacheDirectory.files(in: path) {
            $0.hasSuffix(suffix) || isUnfinished($0) || totalLimit < .max && CacheDirectory.isSaved($0)
        }
        var (own, others, unfinished) = ([SavedFile](), [SavedFile](), [SavedFile]())
        for file in found {
            if file.name.hasSuffix(suffix) {
                own.append(file)
            } else if isUnfinished(file.name) {
                unfinished.append(file)
            } else {
                others.append(file)
            }
        }
        // Uses the clock of the file system, which may be another machine's, as shown by the entry just written.
        if let now = own.first(where: { $0.name == kept })?.used { removeLeftovers(unfinished, now: now) }
        let ofKind = shrink(&own, to: byteLimit, keeping: kept, more: more)
        guard totalLimit < .max else { return (ofKind <= byteLimit, ofKind &- more) }
        own += others
        let ofAll = shrink(&own, to: totalLimit, keeping: kept, more: more)
        return (ofKind <= byteLimit && ofAll <= totalLimit, ofAll &- more)
    }

    /// Evicts the least recently used of some files until a limit is met, if allowed.
    ///
    /// - Returns: the size of the remaining files, including the bytes to be added.
    private func shrink(_ files: inout [SavedFile], to limit: Int64, keeping kept: String, more: Int64) -> Int64 {
        // They are files of one file system, so the sum fits.
        var total = files.reduce(more) { $0 &+ $1.byteCount }
        guard total > limit, removesOthers else { return total }
        var stay: [SavedFile] = []
        for file in files.sorted(by: SavedFile.isLongerUnused) {
            if total > limit, file.name != kept {
                unlink("\(path)/\(file.name)")
                total -= file.byteCount
            } else {
                stay.append(file)
            }
        }
        files = stay
        return total
    }

    /// Returns whether a name is an ``AtomicFile`` name of an entry that is being written: `NAME
    /// SUFFIX.PID-RANDOM.tmp`.
    private func isUnfinished(_ name: String) -> Bool {
        guard name.hasSuffix(".tmp"), let end = name.dropLast(4).lastIndex(of: "."),
            name[..<end].hasSuffix(suffix)
        else { return false }
        let numbers = name.dropLast(4)[name.index(after: end)...].split(
            separator: "-", omittingEmptySubsequences: false)
        return numbers.count == 2 && numbers.allSatisfy { UInt32($0) != nil }
    }

    /// Removes files that killed processes left behind. Writing takes seconds, so after an hour the writer no longer
    /// exists.
    private func removeLeftovers(_ files: [SavedFile], now: Int64) {
        let hour: Int64 = 3_600_000_000_000
        for file in files where now.subtractingReportingOverflow(file.used).partialValue > hour {
            unlink("\(path)/\(file.name)")
        }
    }
}
