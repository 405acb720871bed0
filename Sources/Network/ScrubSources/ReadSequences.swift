/// Which reads follow one another, so that one more request for them may ask for more.
///
/// A few sequences at a time: sound and pictures, or several threads, may take turns. A value without a lock.
struct ReadSequences {
    static let leastWindow: Int64 = 64 * 1024
    static let mostWindow: Int64 = 8 << 20
    private static let kept = 4

    struct Sequence {
        let id: Int
        /// The expected place of its next read.
        var position: Int64
        /// The bytes that its last request asked for; nil before the first.
        var window: Int64?
        var lastUse: Int
    }

    private(set) var sequences: [Sequence] = []
    private var clock = 0
    private var nextID = 0

    /// Whether a sequence still goes on.
    func isAlive(_ id: Int) -> Bool { sequences.contains { $0.id == id } }

    /// The one that was read last.
    var newest: Sequence? { sequences.max { $0.lastUse < $1.lastUse } }

    /// Records that a read begins at `place`, and ends at `end` as far as it is known.
    ///
    /// - Returns: the sequence that it goes on with, or a new one.
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

    /// Notes that the movement turned: the sequence that was read last asks for less when it goes on.
    private mutating func turn() {
        guard let newest, let index = sequences.firstIndex(where: { $0.id == newest.id }) else { return }
        sequences[index].window = newest.window.map { max(ReadSequences.leastWindow, $0 / 2) }
    }

    /// Returns the size of a sequence's next request: 64 KiB, and each time twice as much, up to 8 MiB.
    mutating func nextWindow(of id: Int) -> Int64 {
        guard let index = sequences.firstIndex(where: { $0.id == id }) else { return ReadSequences.leastWindow }
        let window = sequences[index].window.map { min($0 * 2, ReadSequences.mostWindow) } ?? ReadSequences.leastWindow
        sequences[index].window = window
        return window
    }

    /// Stops guessing, since the needed ranges were announced.
    mutating func leave() { sequences = [] }
}
