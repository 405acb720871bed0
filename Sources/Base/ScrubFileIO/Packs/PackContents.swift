/// What a pack's file holds, as opening finds it: by its index blocks, and by the heads of what follows them.
///
/// Cost: one read for each block and for each record behind the last one; bodies are not read.
struct PackContents {
    /// The records' places. Of two with one number the later one counts.
    private(set) var rows: [Int: PackFormat.Row] = [:]
    /// Records that no index block has.
    private(set) var pending: [PackFormat.Row] = []
    /// The newest index block that counts; 0 for none.
    private(set) var lastBlock: Int64 = 0
    /// The number of the next index block.
    private(set) var nextBlock: UInt64 = 1
    /// The end of the last whole entry: what follows was not written to its end.
    private(set) var end: Int64

    /// - Parameter limit: records of this number and above are left out.
    init(_ file: OwnedFile, _ format: PackFormat, below limit: Int) {
        end = format.start
        guard let size = file.byteCount else { return }
        for slot in format.readSlots(file) {
            // Also beyond those that cannot be used: the next one must be the newest.
            nextBlock = max(nextBlock, slot.number &+ 1)
            if lastBlock == 0 { follow(slot.place, file, format, size, limit) }
        }
        end = PackContents.scan(file, format, from: end, to: size) { place, head in
            add(place, head, file, format, size, limit)
        }
    }

    /// Takes the blocks from the newest one on back. Where one is damaged, what it had is looked for by the heads from
    /// the beginning.
    private mutating func follow(
        _ newest: Int64, _ file: OwnedFile, _ format: PackFormat, _ size: Int64, _ limit: Int
    ) {
        var (place, before) = (newest, size)
        var blocks: [[PackFormat.Row]] = []
        while place != 0 {
            guard let entry = format.entry(file, at: place, before: before), entry.head.kind == .block else { break }
            if place == newest { (lastBlock, end) = (place, place + entry.head.whole) }
            blocks.append(format.rows(entry.body, before: place))
            before = place
            // Each lies before the next one, so this ends.
            guard entry.head.number < UInt64(place) else { break }
            place = Int64(entry.head.number)
        }
        guard lastBlock != 0 else { return }
        if place != 0 {
            _ = PackContents.scan(file, format, from: format.start, to: before) { place, head in
                guard head.kind == .record, let number = Int(exactly: head.number), number < limit else { return }
                rows[number] = PackFormat.Row(number: number, place: place, count: head.count)
            }
        }
        for block in blocks.reversed() {
            for row in block where row.number < limit { rows[row.number] = row }
        }
    }

    /// Takes an entry behind the newest block that a slot names.
    private mutating func add(
        _ place: Int64, _ head: PackFormat.Head, _ file: OwnedFile, _ format: PackFormat, _ size: Int64, _ limit: Int
    ) {
        switch head.kind {
        case .record:
            guard let number = Int(exactly: head.number), number < limit else { return }
            let row = PackFormat.Row(number: number, place: place, count: head.count)
            rows[number] = row
            pending.append(row)
        case .block:
            // Its writer ended before it named it.
            guard head.number == UInt64(lastBlock), format.entry(file, at: place, before: size) != nil else { return }
            (lastBlock, pending) = (place, [])
        }
    }

    /// Goes over whole entries by their heads.
    ///
    /// - Returns: the end of the last one.
    static func scan(
        _ file: OwnedFile, _ format: PackFormat, from start: Int64, to end: Int64,
        _ body: (_ place: Int64, _ head: PackFormat.Head) -> Void
    ) -> Int64 {
        var place = start
        while let head = format.head(file, at: place, before: end) {
            body(place, head)
            place += head.whole
        }
        return place
    }
}
