/// A detector of sequential reads, so that further requests for them can be larger.
///
/// It follows a few sequences at once, because sound and pictures, or several threads, may alternate. A value without
/// a lock.
struct ReadSequences {
    static let leastWindow: Int64 = 64 * 1024
    static let mostWindow: Int64 = 8 << 20
    private static let kept = 4

    struct Sequence {
        let id: Int
        /// The expected offset of its next read.
        var position: Int64
        /// The size of its last request in bytes; `nil` before the first one.
        var window: Int64?
        var lastUse: Int
    }

    private(set) var sequences: [Sequence] = []
    private var clock = 0
    private var nextID = 0

    /// Returns whether a sequence still continues.
    func isAlive(_ id: Int) -> Bool { sequences.contains { $0.id == id } }

    /// The most recently read sequence.
    var newest: Sequence? { sequences.max { $0.lastUse < $1.lastUse } }

    /// Records a read that begins at `place` and ends at `end`, as far as is known.
    ///
    /// - Returns: the sequence that it continues, or a new one.
    @discardableResult
    mutating func note(_ place: Int64, end: Int64) -> Int {
        clock += 1
        let found = sequences.firstIndex { sequence in
            let reach = max(sequence.window ?? 0, ReadSequences.leastWindow)
            let distance = place.subtractingReportingOverflow(sequence.position)
            return !distance.overflow && (-ReadSequences.leastWindow...reach).contains(distance.partialValue)
        }
        if let found {
            sequences[found].position = max(sequences[found].position, end)
            sequences[found].lastUse = clock
            return sequences[found].id
        }
        turn()
        if sequences.count == ReadSequences.kept,
            let oldest = sequences.indices.min(by: {
                sequences[$0].lastUse < sequences[$1].lastUse
            })
        {
            sequences.remove(at: oldest)
        }
        nextID += 1
        sequences.append(Sequence(id: nextID, position: end, window: nil, lastUse: clock))
        return nextID
    }

    /// Records that the movement turned: the most recent sequence requests less when it continues.
    private mutating func turn() {
        guard let newest, let index = sequences.firstIndex(where: { $0.id == newest.id }) else { return }
        sequences[index].window = newest.window.map { max(ReadSequences.leastWindow, $0 / 2) }
    }

    /// Returns the size of a sequence's next request: 64 KiB, doubled each time, up to 8 MiB.
    mutating func nextWindow(of id: Int) -> Int64 {
        guard let index = sequences.firstIndex(where: { $0.id == id }) else { return ReadSequences.leastWindow }
        let window = sequences[index].window.map { min($0 * 2, ReadSequences.mostWindow) } ?? ReadSequences.leastWindow
        sequences[index].window = window
        return window
    }

    /// Stops guessing, because the needed ranges were announced.
    mutating func leave() { sequences = [] }
}
