internal import Glibc

// The limits. To know the bytes of all files, each of them is inspected.
extension CacheDirectory {
    /// Bytes of a folder's own list of names for each store of which one looks at all files: some hundred names.
    private static let listedBytes: Int64 = 8 << 10
    /// The most stores of which one looks at all files.
    private static let mostStores: Int64 = 1024
    /// An entry that takes more than such a part of a limit is always followed by a look.
    private static let smallPart: Int64 = 4096

    /// Whether all files are inspected after a store.
    ///
    /// If each store did so, a library of a hundred thousand films would cost ten thousand million looks. So one in as
    /// many stores does as there are hundreds of files, by chance: the entry's name decides, as processes that store
    /// one entry each know nothing of each other. A limit is meanwhile exceeded by a hundredth or so, seldom by a
    /// twentieth; in a folder that has few files, never.
    ///
    /// - Parameter folder: the bytes of the folder itself, which grow with the number of its files.
    package func looksAtAll(after name: String, byteCount: Int, inFolderOf folder: Int64) -> Bool {
        let stores = min(folder / CacheDirectory.listedBytes, CacheDirectory.mostStores)
        guard stores > 1, Int64(byteCount) <= min(byteLimit, totalLimit) / CacheDirectory.smallPart else { return true }
        // FNV-1a, and a last mixing: names that differ in their last letters differ in few of its bits.
        var sum = (name + suffix).utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        sum = (sum ^ sum >> 33) &* 0xFF51_AFD7_ED55_8CCD
        return (sum ^ sum >> 33) % UInt64(stores) == 0
    }

    /// Returns the size of a folder itself, in bytes; 0 where it does not exist.
    static func ownByteCount(of path: String) -> Int64 {
        var facts = stat()
        return unsafe stat(path, &facts) == 0 ? Int64(facts.st_size) : 0
    }

    /// Removes the longest unused entries until the limits hold: of this suffix, then of all. Removes none without
    /// ``removesOthers``.
    ///
    /// - Parameters:
    ///   - kept: the file that stays.
    ///   - more: bytes that are to come.
    /// - Returns: whether the limits hold with them, and the bytes of all saved files that stay; without a limit of
    ///   all, those of this suffix.
    @discardableResult
    func trim(keeping kept: String, more: Int64 = 0) -> (isWithin: Bool, saved: Int64) {
        // All that is asked for is found in one pass over the folder.
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
        // By the clock of the file system, which may be another machine's, as the entry just written tells it.
        if let now = own.first(where: { $0.name == kept })?.used { removeLeftovers(unfinished, now: now) }
        let ofKind = shrink(&own, to: byteLimit, keeping: kept, more: more)
        guard totalLimit < .max else { return (ofKind <= byteLimit, ofKind &- more) }
        own += others
        let ofAll = shrink(&own, to: totalLimit, keeping: kept, more: more)
        return (ofKind <= byteLimit && ofAll <= totalLimit, ofAll &- more)
    }

    /// Removes the longest unused of some files until a limit holds, where it may.
    ///
    /// - Returns: the bytes of those that stay, with those that are to come.
    private func shrink(_ files: inout [SavedFile], to limit: Int64, keeping kept: String, more: Int64) -> Int64 {
        // They are files of one file system: the sum fits.
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

    /// Whether a name is ``AtomicFile``'s name of an entry that is being written: `NAME SUFFIX.PID-RANDOM.tmp`.
    private func isUnfinished(_ name: String) -> Bool {
        guard name.hasSuffix(".tmp"), let end = name.dropLast(4).lastIndex(of: "."),
            name[..<end].hasSuffix(suffix)
        else { return false }
        let numbers = name.dropLast(4)[name.index(after: end)...].split(
            separator: "-", omittingEmptySubsequences: false)
        return numbers.count == 2 && numbers.allSatisfy { UInt32($0) != nil }
    }

    /// Removes files that killed processes left behind. Writing takes seconds; after an hour the writer is gone.
    private func removeLeftovers(_ files: [SavedFile], now: Int64) {
        let hour: Int64 = 3_600_000_000_000
        for file in files where now.subtractingReportingOverflow(file.used).partialValue > hour {
            unlink("\(path)/\(file.name)")
        }
    }
}
