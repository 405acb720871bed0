internal import Glibc
internal import SystemPackage

/// The available room in a cache.
package struct CacheCapacity: Sendable, Hashable {
    package let byteCount: Int64
    /// Whether the limit is set by the disk rather than the cache.
    package let isOfDisk: Bool

    package init(byteCount: Int64, isOfDisk: Bool) { (self.byteCount, self.isOfDisk) = (byteCount, isOfDisk) }
}

// Entries that are written in place and grow (``RecordPack``). They are never copied.
extension CacheDirectory {
    /// Opens an entry that grows in place, and marks it as used now.
    ///
    /// - Parameter mayWrite: whether to create the entry if it does not exist, and to open it for writing if allowed.
    /// - Returns: the file; `nil` if there is no such entry and none can be created, or if the entry does not belong to
    ///   this user.
    func growing(_ name: String, mayWrite: Bool) -> (file: PrivateFile, isWritable: Bool)? {
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

    private func owned(_ opened: FileDescriptor, _ name: String) -> PrivateFile? {
        // An absolute path, because the file is opened by name again later, when the working directory may have
        // changed.
        guard let file = try? PrivateFile(opened, path: Folder.absolute(path(of: name))) else { return nil }
        markAsUsed(name)
        return file
    }

    /// Makes room for the bytes by which an entry grows: evicts the least recently used files until the limits are met,
    /// if allowed (``removesOthers``).
    ///
    /// Fetched media count too, but only a process that has their catalogue open removes them (``MediaEvictionHook``).
    /// Cost: each file in the cache is examined.
    ///
    /// - Returns: false if there is no room, either within the limits or on a disk with little free space.
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
        // They are files of one file system, so the sum fits.
        let lack = saved &+ mediaBytes - (totalLimit - count)
        guard lack > 0 else { return true }
        guard removesOthers else { return false }
        MediaEvictionHook.shared.free(lack, in: path)
        return CacheDirectory.savedBytes(in: path) &+ mediaBytes <= totalLimit - count
    }

    /// Returns the maximum number of bytes by which an entry can grow: the room within the limits after evicting
    /// everything that may be evicted (``removesOthers``), and the disk's room beyond its reserve.
    ///
    /// The actual room may be less, because fetched media may be kept for other reasons. Cost: each file in the cache
    /// is examined.
    func room(growing name: String) -> CacheCapacity {
        let own = Int64(Folder.byteCount(of: path(of: name)) ?? 0)
        var (kind, all) = (own, own)
        if !removesOthers {
            kind = entries().reduce(0) { $0 &+ $1.byteCount }
            all = CacheDirectory.savedBytes(in: path) &+ mediaBytes
        }
        let limited = max(0, min(byteLimit - kind, totalLimit - all))
        guard let space = Folder.space(at: path) else { return CacheCapacity(byteCount: limited, isOfDisk: false) }
        let free = max(0, space.free - (freeSpaceFloor ?? CacheDirectory.floor(ofSize: space.size)))
        return CacheCapacity(byteCount: min(limited, free), isOfDisk: free < limited)
    }

    /// Returns the number of bytes to leave free on a file system: one GiB, or a twentieth of a file system smaller
    /// than 20 GiB.
    package static func floor(ofSize size: Int64) -> Int64 { min(1 << 30, size / 20) }

    /// The bytes on disk that fetched media take, without their catalogue and without opening it.
    private var mediaBytes: Int64 {
        let folder = path + "/" + CacheDirectory.mediaFolder
        return ((try? Folder.files(in: folder, depth: 2)) ?? []).reduce(0) { sum, name in
            var facts = stat()
            guard name.hasPrefix("data-"), unsafe lstat("\(folder)/\(name)", &facts) == 0 else { return sum }
            return sum &+ Int64(facts.st_blocks) &* 512
        }
    }
}
