internal import ScrubFileIO
internal import Glibc
internal import ScrubHashing
internal import ScrubBase

/// The current time, for records that are compared with other runs' records. Measurements use a monotonic clock.
package enum BatchClock {
    /// Seconds since 1970.
    package static var now: Int64 { Int64(time(nil)) }
}

/// The name of this run, unique on this machine and for the current boot.
enum BatchOwner {
    /// The kernel's boot ID (proc_sys_kernel(5), random/boot_id): processes that share it, including those in
    /// containers, also share its locks.
    static let boot: String = {
        let text = SystemFile.text("/proc/sys/kernel/random/boot_id") ?? ""
        let digits = text.filter(\.isHexDigit).lowercased()
        return digits.count >= 8 ? String(digits.prefix(8)) : "00000000"
    }()

    /// The machine's ID across boots (machine-id(5)); "none" if it has none, as in most containers.
    static let machine: String = {
        let digits = (SystemFile.text("/etc/machine-id") ?? "").filter(\.isHexDigit)
        return digits.count >= 32 ? String(PlainText.hexadecimal(xxh3(Array(digits.utf8))).prefix(8)) : "none"
    }()

    /// This process; its number alone may be reused by another process later.
    static let own: String = "\(boot):\(getpid()):\(start(of: getpid()) ?? "-")"

    /// Whether the process in an owner's name still runs. Processes of other machines cannot be checked, and have their
    /// own states.
    static func isAlive(_ owner: String) -> Bool {
        let parts = owner.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == boot, let process = Int32(parts[1]) else { return false }
        return start(of: process) == String(parts[2])
    }

    /// Returns a process's start time in ticks after boot. It is the 22nd field of proc_pid_stat(5), counted from the
    /// end of the name, which may contain anything.
    private static func start(of process: Int32) -> String? {
        guard let text = SystemFile.text("/proc/\(process)/stat"), let end = text.utf8.lastIndex(of: UInt8(ascii: ")"))
        else {
            return nil
        }
        let fields = Substring(text.utf8[text.utf8.index(after: end)...]).split(separator: " ")
        return fields.count > 19 ? String(fields[19]) : nil
    }
}

extension BatchState {
    /// The name of the batch's own folder inside its folder of results.
    package static let folderName = BatchOutputNames.folderName

    /// Returns the default path of the state for a folder of results.
    package static func standardPath(forFolder folder: String) -> String {
        let resolved = Folder.resolved(folder) ?? Folder.absolute(folder)
        let name = PlainText.hexadecimal(xxh3(SystemName.bytes(resolved))) + ".sqlite"
        return standardFolder.map { $0 + "/" + name } ?? resolved + "/" + BatchOutputNames.folderName + "/state.sqlite"
    }

    /// Returns the default folder for the records of films' previews. It is beside the states and named after the
    /// folders, films and lists that the caller named. `nil` without a home.
    package static func previewFolder(for sources: [String]) -> String? {
        let names = sources.map { Folder.resolved($0) ?? Folder.absolute($0) }.sorted()
        let name = PlainText.hexadecimal(xxh3(names.flatMap { SystemName.bytes($0) + [0] }))
        return standardFolder.map { "\($0)/previews-\(name)" }
    }

    /// The folder of this user's states; `nil` without a home.
    static var standardFolder: String? {
        let environment = { (name: String) -> String? in
            unsafe getenv(name).map { unsafe String(systemName: $0) }.flatMap { $0.hasPrefix("/") ? $0 : nil }
        }
        if let home = environment("XDG_STATE_HOME") { return home + "/scrub/batch" }
        return environment("HOME").flatMap { $0 == "/" ? nil : $0 + "/.local/state/scrub/batch" }
    }
}

/// The names of files and folders in the folder of results.
enum BatchOutputNames {
    /// The name of the batch's own folder in it.
    static let folderName = ".scrub-batch"

    /// A path's last components must not lead out of their folder.
    ///
    /// - Returns: `nil` for an unsafe name.
    static func place(of path: String) -> String? {
        let parts = path.utf8.split(separator: UInt8(ascii: "/")).map { Substring($0) }
        guard !parts.isEmpty, parts.allSatisfy({ $0 != ".." && !$0.utf8.contains(0) }) else { return nil }
        let kept = parts.filter { $0 != "." }.map(String.init)
        guard let first = kept.first, first != folderName else { return nil }
        return kept.joined(separator: "/")
    }

    private static let workPrefix = OutputFolder.stagingPrefix
    private static let gonePrefix = ".scrub-gone-"

    /// Returns the folder in which a film's result is made: beside its final place, so that one rename moves it there.
    ///
    /// The name contains the place's lock number, because copies of a film have the same key; other processes can check
    /// whether the lock is in use. It also contains the machine and its boot, for machines that share a folder but no
    /// locks.
    static func work(_ folder: String, place: String, key: String) -> String {
        let above = Folder.folder(of: folder + "/" + place) ?? "."
        return "\(above)/\(workName(place, of: key))"
    }

    /// Returns the name of the work folder for a place.
    ///
    /// - Parameter kind: a film's key, or a word.
    static func workName(_ place: String, of kind: String) -> String {
        "\(workPrefix)\(PlainText.hexadecimal(UInt64(bitPattern: lock(place))))-\(kind.prefix(8))-\(BatchOwner.boot)-\(BatchOwner.machine)"
    }

    /// Removes the leftovers of killed runs from a folder: everything that is not locked.
    ///
    /// Another machine's folder is removed when it is older than a day, because its owner may not be visible from here.
    /// So is every folder on file systems without locks. A folder is renamed first, so that no files are removed from a
    /// result that is moved into place in the meantime.
    ///
    /// - Parameter own: the numbers of the locks that can be checked here; `nil` for all. Other numbers cannot be
    ///   checked.
    static func sweep(_ folder: String, _ locks: LockTable, now: Int64, own: Set<Int64>? = nil) {
        let isLocal = !Folder.isRemote(folder) && locks.keepsOthersOut
        for name in (try? Folder.sortedNames(in: folder)) ?? [] where name.hasPrefix(workPrefix) {
            let path = folder + "/" + name
            let parts = name.dropFirst(workPrefix.count).split(separator: "-")
            guard parts.count >= 3, let number = Int64(parts[0], radix: 16), number >= 0,
                let facts = FileFacts(path: path, followsLinks: false), locks.take(number)
            else { continue }
            let machine = parts.count > 3 ? String(parts[3]) : "none"
            let isOurs = parts[2] == BatchOwner.boot || machine != "none" && machine == BatchOwner.machine
            let isOld = now - facts.changed / 1_000_000_000 > 86_400
            let isKnown = own?.contains(number) ?? true
            let gone = folder + "/" + gonePrefix + name.dropFirst(workPrefix.count)
            if isLocal && isOurs && isKnown || isOld, Folder.move(path, to: gone) { Folder.removeTree(gone) }
            locks.release(number)
        }
        // Left by a sweep that did not finish; two sweeps at once are harmless.
        for name in (try? Folder.sortedNames(in: folder)) ?? [] where name.hasPrefix(gonePrefix) {
            Folder.removeTree(folder + "/" + name)
        }
    }

    /// Returns the lock number of a film.
    static func lock(_ place: String) -> Int64 { Int64(xxh3(SystemName.bytes(place)) >> 2) }

    /// Returns the mark that distinguishes a record from one written later: its number and time.
    static func mark(_ target: String) -> String? {
        guard let facts = FileFacts(path: target + "/" + BatchRecord.fileName, followsLinks: false), facts.kind == .file
        else {
            return nil
        }
        return "\(facts.inode)-\(facts.modified)-\(facts.byteCount)"
    }
}
