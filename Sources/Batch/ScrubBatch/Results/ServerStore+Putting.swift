internal import ScrubFileIO
internal import ScrubBase

extension ServerStore {
    /// A part of a result, and where it waits for its name.
    private struct Placement {
        let unit: ServedFilm.Unit
        let state: OwnedFiles.State
        var work: String
        /// Keyed by their names in the record.
        let files: [String: BatchRecord.File]
    }

    /// A result on its way to its places.
    private struct Delivery {
        let result: MadeResult
        let film: ServedFilm
        let owned: OwnedFiles
        let record: BatchRecord
        var units: [Placement] = []
        var warnings: [String] = []
    }

    /// In two steps. First, everything is copied to the disks on which it will be, with a record that names the
    /// existing and the new files. A run that is killed after that leaves only files that are known to be Scrub's. Then
    /// the pictures get their names, place by place, and the record last.
    ///
    /// Two films with the same name want the same place. The second is stored once the first one's pictures are there.
    func put(_ results: [MadeResult]) throws(ScrubError) -> [Result<StoredResult, ScrubError>] {
        var stored = [Result<StoredResult, ScrubError>?](repeating: nil, count: results.count)
        let wanted = results.map(targets)
        var left = Array(results.indices)
        while !left.isEmpty {
            var taken: Set<String> = []
            let round = left.filter { number in
                guard taken.isDisjoint(with: wanted[number]) else { return false }
                taken.formUnion(wanted[number])
                return true
            }
            for (number, result) in zip(round, try putAtOnce(round.map { results[$0] })) { stored[number] = result }
            left.removeAll { stored[$0] != nil }
        }
        return stored.compactMap { $0 }
    }

    /// Returns the places that a result wants.
    private func targets(of result: MadeResult) -> Set<String> {
        Set(ServedFilm(places, result.outcome.file).units(of: result.record).map(\.target))
    }

    /// Stores results of which no two want the same place.
    private func putAtOnce(_ results: [MadeResult]) throws(ScrubError) -> [Result<StoredResult, ScrubError>] {
        let prepared = results.map { result in Result { () throws(ScrubError) in try prepare(result) } }
        var devices: Set<UInt64> = []
        for case .success(let delivery) in prepared {
            let folders = [home(of: delivery.film.file), delivery.film.plexFolder].compactMap { $0 }
            for folder in folders {
                guard let facts = FileFacts(path: folder), devices.insert(facts.device).inserted else { continue }
                try Folder.synchronizeFileSystem(of: folder)
            }
        }
        return prepared.map { prepared in
            prepared.flatMap { delivery in Result { () throws(ScrubError) in try finish(delivery) } }
        }
    }

    /// Finds the places of a result's parts, and lists them in the place of the record.
    private func prepare(_ result: MadeResult) throws(ScrubError) -> Delivery {
        let film = ServedFilm(places, result.outcome.file)
        let home = home(of: film.file)
        var record = result.record
        guard BatchRecord.isReplaceable(home) else {
            throw ScrubError(
                .inputOutput, "the record's folder contains files that were not written by a batch", file: home,
                advice: "move the folder elsewhere")
        }
        if places.plexMedia != nil, film.plexFolder == nil {
            throw ScrubError(.inputOutput, "can no longer be read", file: film.file.path)
        }
        let owned = OwnedFiles(self, film)
        var (units, left) = ([Placement](), [ServedFilm.Unit]())
        for unit in film.units(of: record) {
            let files = record.files.filter { $0.name == unit.name || $0.name.hasPrefix(unit.name + "/") }
            let named = Dictionary(files.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
            let state = owned.state(of: unit, new: named)
            if state == .strange, !places.replaces {
                left.append(unit)
                Folder.removeTree(result.folder + "/" + unit.name)
                record.files.removeAll { named[$0.name] == $0 }
            } else {
                units.append(Placement(unit: unit, state: state, work: result.folder + "/" + unit.name, files: named))
            }
        }
        if !left.isEmpty {
            record.left = left.map(\.name)
            try record.write(in: result.folder)
        }
        do throws(ScrubError) {
            for number in units.indices where units[number].unit.place.utf8.first == UInt8(ascii: "/") {
                units[number].work = try bring(units[number].work, to: units[number].unit.target, film)
            }
            if !units.isEmpty || owned.record?.files.contains(where: { film.unit(of: $0.name) != nil }) == true {
                try promise(record, result, film, home)
            }
        } catch {
            // The publisher removes only what is in the result's folder.
            for unit in units { Folder.removeTree(unit.work) }
            throw error
        }
        var delivery = Delivery(result: result, film: film, owned: owned, record: record)
        (delivery.units, delivery.warnings) = (units, left.isEmpty ? [] : [ServerStore.reason(left)])
        return delivery
    }

    /// Stores a record in its place that names the existing and the new files.
    private func promise(
        _ record: BatchRecord, _ result: MadeResult, _ film: ServedFilm, _ home: String
    ) throws(ScrubError) {
        var promise = record
        promise.status = "placing"
        let earlier = (self.record(of: film.file)?.files ?? []).filter { !record.files.contains($0) }
        promise.files += earlier
        // Beside the work, where a killed run's leftovers are recognized.
        let words =
            "\(Folder.folder(of: result.folder) ?? ".")/\(BatchOutputNames.workName(film.file.place, of: "placing"))"
        Folder.removeTree(words)
        try AtomicFile.write(Array(promise.text.utf8), to: .staged(words))
        try Folder.make(home)
        guard Folder.move(words, to: home + "/" + BatchRecord.fileName) else {
            throw ScrubError(.inputOutput, "the record cannot be stored in this folder", file: home)
        }
    }

    /// Copies a file to the disk of its place, under a name that no reader looks for.
    private func bring(_ work: String, to target: String, _ film: ServedFilm) throws(ScrubError) -> String {
        let folder = Folder.folder(of: target) ?? "."
        try Folder.make(folder)
        // No run uses the leftovers of a killed run on this machine: this run has the lock.
        let copy = "\(folder)/\(BatchOutputNames.workName(film.file.place, of: "bif"))"
        Folder.removeTree(copy)
        try AtomicFile.copy(work, to: .staged(copy))
        Folder.removeTree(work)
        return copy
    }

    private func finish(_ delivery: Delivery) throws(ScrubError) -> StoredResult {
        do throws(ScrubError) {
            for unit in delivery.units { try place(unit, delivery.owned) }
        } catch {
            for unit in delivery.units { Folder.removeTree(unit.work) }
            throw error
        }
        delivery.owned.removeObsolete(keeping: Set(delivery.record.files.map(\.name) + (delivery.record.left ?? [])))
        let folder = delivery.result.folder
        for name in Folder.list(folder + "/jellyfin") { Folder.removeEmpty(folder + "/jellyfin/" + name) }
        try FolderStore.place(folder, at: home(of: delivery.film.file))
        return StoredResult(
            mark: mark(of: delivery.record, of: delivery.film.file), warnings: delivery.warnings)
    }

    private func place(_ placement: Placement, _ owned: OwnedFiles) throws(ScrubError) {
        let (unit, work) = (placement.unit, placement.work)
        let changed = ScrubError(
            .inputOutput, "another program stored pictures at this path at the same time; they are kept",
            file: unit.target,
            advice: "it will be retried later")
        switch placement.state {
        case .same: break
        case .absent:
            if let above = Folder.folder(of: unit.target) { try Folder.make(above) }
            // Another run may have been faster, with the same bytes.
            guard try Folder.placeNew(work, at: unit.target) || owned.state(of: unit, new: placement.files) == .same
            else { throw changed }
        case .own, .strange:
            try Folder.exchange(work, with: unit.target)
            // The removed files are those that were checked; otherwise, they are moved back.
            if placement.state == .own, !owned.isOwn(unit, at: work, or: placement.files) {
                try Folder.exchange(work, with: unit.target)
                throw changed
            }
        }
        Folder.removeTree(work)
    }
}
