internal import Glibc
internal import SystemPackage

/// The room for something in a cache.
package struct CacheRoom: Sendable, Hashable {
    package let byteCount: Int64
    /// Whether the disk sets the limit, and not the cache's own.
    package let isOfDisk: Bool

    package init(byteCount: Int64, isOfDisk: Bool) { (self.byteCount, self.isOfDisk) = (byteCount, isOfDisk) }
}

// Entries that are written in place and grow (``RecordPack``): they are never copied.
extension CacheDirectory {
    /// Opens an entry that grows in place, and marks it as used now.
    ///
    /// - Parameter mayWrite: whether it is made if it does not exist, and opened for writing where that is allowed.
    /// - Returns: `nil` if there is no such entry and none can be made, or if it is not this user's own.
    func growing(_ name: String, mayWrite: Bool) -> (file: OwnedFile, isWritable: Bool)? {
        if mayWrite, min(byteLimit, totalLimit) > 0 {
            var found = ownDescriptor(name, O_RDWR | O_CREAT)
            if found.reason == .noSuchFileOrDirectory, (try? makeDirectories()) != nil {
                found = ownDescriptor(name, O_RDWR | O_CREAT)
            }
            if let opened = found.opened { return owned(opened, name).map { ($0, true) } }
            guard found.reason != nil else { return nil }
        }
        return ownDescriptor(name, O_RDONLY).opened.flatMap { owned($0, name) }.map { ($0, false) }
    }

    private func owned(_ opened: FileDescriptor, _ name: String) -> OwnedFile? {
        // From the root: it is looked for by its name again when the working directory may be another one.
        guard let file = try? OwnedFile(opened, path: Folder.absolute(path(of: name))) else { return nil }
        markAsUsed(name)
        return file
    }

    /// Makes room for bytes that an entry is to grow by: removes the longest unused files until the limits hold, where
    /// it may (``removesOthers``).
    ///
    /// Fetched media count too; only a process that has their catalogue open removes them (``MediaRoom``). Cost: looks
    /// at each file of the cache.
    ///
    /// - Returns: false if there is no room: in the limits, or on a disk that has little space left.
    func makeRoom(for count: Int64, growing name: String) -> Bool {
        let own = Int64(Folder.byteCount(of: path(of: name)) ?? 0)
        let (wanted, overflow) = own.addingReportingOverflow(count)
        guard !overflow, wanted <= min(byteLimit, totalLimit) else { return false }
        if let space = Folder.space(at: path),
            space.free - count < freeSpaceFloor ?? CacheDirectory.floor(ofSize: space.size)
        {
            return false
        }
        let (isWithin, saved) = trim(keeping: name + suffix, more: count)
        guard isWithin else { return false }
        guard totalLimit < .max else { return true }
        // They are files of one file system: the sum fits.
        let lack = saved &+ mediaBytes - (totalLimit - count)
        guard lack > 0 else { return true }
        guard removesOthers else { return false }
        MediaRoom.shared.free(lack, in: path)
        return CacheDirectory.savedBytes(in: path) &+ mediaBytes <= totalLimit - count
    }

    /// Returns the most bytes that an entry can grow by: what the limits leave when all goes that may go
    /// (``removesOthers``), and what the disk has beside what stays free.
    ///
    /// Fetched media may stay for other reasons, so it may be less. Cost: looks at each file of the cache.
    func room(growing name: String) -> CacheRoom {
        let own = Int64(Folder.byteCount(of: path(of: name)) ?? 0)
        var (kind, all) = (own, own)
        if !removesOthers {
            kind = entries().reduce(0) { $0 &+ $1.byteCount }
            all = CacheDirectory.savedBytes(in: path) &+ mediaBytes
        }
        let limited = max(0, min(byteLimit - kind, totalLimit - all))
        guard let space = Folder.space(at: path) else { return CacheRoom(byteCount: limited, isOfDisk: false) }
        let free = max(0, space.free - (freeSpaceFloor ?? CacheDirectory.floor(ofSize: space.size)))
        return CacheRoom(byteCount: min(limited, free), isOfDisk: free < limited)
    }

    /// Returns the bytes of a file system that are left free: a GiB, or a twentieth of one that has less than 20.
    package static func floor(ofSize size: Int64) -> Int64 { min(1 << 30, size / 20) }

    /// The bytes on the disk that fetched media take, without asking their catalogue, and without its own.
    private var mediaBytes: Int64 {
        let folder = path + "/" + CacheDirectory.mediaFolder
        return ((try? Folder.files(in: folder, depth: 2)) ?? []).reduce(0) { sum, name in
            var facts = stat()
            guard name.hasPrefix("data-"), unsafe lstat("\(folder)/\(name)", &facts) == 0 else { return sum }
            return sum &+ Int64(facts.st_blocks) &* 512
        }
    }
}
