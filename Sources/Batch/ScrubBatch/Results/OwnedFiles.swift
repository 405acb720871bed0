internal import ScrubFileIO
internal import ScrubBase

/// The files that a film's record names as its own, which may be replaced and removed.
struct OwnedFiles {
    enum State {
        case absent
        /// As in the record, or an empty folder.
        case own
        /// Exactly the bytes to store there.
        case same
        /// Another program's, or a link.
        case strange
    }

    let film: ServedFilm
    let record: BatchRecord?
    private let known: Set<BatchRecord.File>
    private let store: ServerStore

    init(_ store: ServerStore, _ film: ServedFilm) {
        (self.store, self.film) = (store, film)
        record = store.record(of: film.file)
        known = Set(record?.files ?? [])
    }

    /// Returns the state of a unit's place.
    ///
    /// - Parameter new: the files to store there, by their names in the record.
    func state(of unit: ServedFilm.Unit, new: [String: BatchRecord.File]) -> State {
        guard let facts = FileFacts(path: unit.target, followsLinks: false) else { return .absent }
        guard facts.kind == .folder || facts.kind == .file, let files = OwnedFiles.files(unit, at: unit.target) else {
            return .strange
        }
        if facts.kind == .folder, files.isEmpty { return .own }
        if files.count == new.count, files.allSatisfy({ new[$0.name] == $0 }) { return .same }
        return areOwn(files) ? .own : .strange
    }

    /// Whether the record names all files.
    private func areOwn(_ files: [BatchRecord.File]) -> Bool {
        if files.allSatisfy(known.contains) { return true }
        // Another run, over a folder above or below, may have stored them there since. It names them in the record
        // first.
        let named = Set(store.record(of: film.file)?.files ?? [])
        return files.allSatisfy(named.contains)
    }

    /// Returns the files of a unit that are in a given place, as in a record. `nil` if not all can be read or there are
    /// more than sheets.
    private static func files(_ unit: ServedFilm.Unit, at path: String) -> [BatchRecord.File]? {
        func file(_ name: String, _ path: String) -> BatchRecord.File? {
            guard let bytes = Folder.byteCount(of: path), let hash = try? ServerStore.hash(path) else { return nil }
            return BatchRecord.File(name: name, bytes: bytes, hash: hash)
        }
        if FileFacts(path: path, followsLinks: false)?.kind == .file { return file(unit.name, path).map { [$0] } }
        guard let names = try? Folder.sortedNames(in: path) else { return nil }
        var files: [BatchRecord.File] = []
        for name in names {
            guard let found = file("\(unit.name)/\(name)", path + "/" + name) else { return nil }
            files.append(found)
        }
        return files
    }

    /// Whether all files in a given place are those that the record names for a unit, or the ones to store there.
    func isOwn(_ unit: ServedFilm.Unit, at path: String, or new: [String: BatchRecord.File]) -> Bool {
        OwnedFiles.files(unit, at: path).map { areOwn($0.filter { new[$0.name] != $0 }) } ?? false
    }

    /// Removes files that only an earlier result had, and folders that this leaves empty.
    ///
    /// - Parameter kept: the names in the new result.
    func removeObsolete(keeping kept: Set<String>) {
        for file in record?.files ?? [] where !kept.contains(file.name) {
            guard let unit = film.unit(of: file.name) else { continue }
            let path = unit.target + file.name.dropFirst(unit.name.count)
            guard Folder.byteCount(of: path) == file.bytes, (try? ServerStore.hash(path)) == file.hash else { continue }
            _ = Folder.removeFile(path)
            guard path != unit.target else { continue }
            Folder.removeEmpty(unit.target)
            if let above = Folder.folder(of: unit.target), above.hasSuffix(".trickplay") { Folder.removeEmpty(above) }
        }
    }
}
