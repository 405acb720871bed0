/// The contents of a pack's file, found on opening from its index blocks and the headers of the entries after them.
///
/// Cost: one read for each block and for each record after the last block; bodies are not read.
struct PackContents {
    /// The records' locations. If two have the same number, the later one is used.
    private(set) var rows: [Int: PackFormat.Row] = [:]
    /// Records that are not in an index block.
    private(set) var pending: [PackFormat.Row] = []
    /// The newest valid index block; 0 for none.
    private(set) var lastBlock: Int64 = 0
    /// The number of the next index block.
    private(set) var nextBlock: UInt64 = 1
    /// The end of the last complete entry. Any bytes after it are incomplete.
    private(set) var end: Int64

    /// Reads the contents of a file.
    ///
    /// - Parameter limit: records with this number or above are ignored.
    init(_ file: PrivateFile, _ format: PackFormat, below limit: Int) {
        end = format.start
        guard let size = file.byteCount else { return }
        for slot in format.readSlots(file) {
            // Also counts blocks that cannot be used, because the next one must be the newest.
            nextBlock = max(nextBlock, slot.number &+ 1)
            if lastBlock == 0 { follow(slot.place, file, format, size, limit) }
        }
        end = PackContents.scan(file, format, from: end, to: size) { place, head in
            add(place, head, file, format, size, limit)
        }
    }

    /// Reads the blocks backward from the newest one. If one is damaged, its records are found by scanning headers from
    /// the beginning.
    private mutating func follow(
        _ newest: Int64, _ file: PrivateFile, _ format: PackFormat, _ size: Int64, _ limit: Int
    ) {
        var (place, before) = (newest, size)
        var blocks: [[PackFormat.Row]] = []
        while place != 0 {
            guard let entry = format.entry(file, at: place, before: before), entry.head.kind == .block else { break }
            if place == newest { (lastBlock, end) = (place, place + entry.head.whole) }
            blocks.append(format.rows(entry.body, before: place))
            before = place
            // Each block is before the next one, so this ends.
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

    /// Adds an entry after the newest block referenced by a slot.
    private mutating func add(
        _ place: Int64, _ head: PackFormat.Head, _ file: PrivateFile, _ format: PackFormat, _ size: Int64, _ limit: Int
    ) {
        switch head.kind {
        case .record:
            guard let number = Int(exactly: head.number), number < limit else { return }
            let row = PackFormat.Row(number: number, place: place, count: head.count)
            rows[number] = row
            pending.append(row)
        case .block:
            // The block's writer ended before it stored the reference.
            guard head.number == UInt64(lastBlock), format.entry(file, at: place, before: size) != nil else { return }
            (lastBlock, pending) = (place, [])
        }
    }

    /// Scans complete entries by their headers.
    ///
    /// - Returns: the end of the last one.
    static func scan(
        _ file: PrivateFile, _ format: PackFormat, from start: Int64, to end: Int64,
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
