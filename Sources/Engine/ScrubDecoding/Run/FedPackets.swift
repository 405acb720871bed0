internal import ScrubBitstream
internal import ScrubIndex

/// The packets that a decoder was fed since its restart, and so the targets that it can go on to from its place. Pure.
struct FedPackets {
    /// The known facts of the packets since the restart.
    private enum History {
        /// All of them, ascending.
        case packets([Feed])
        /// The contents of the reference slots behind them, if nothing else matters.
        case slots(ReferenceSlots)
    }

    let restart: Int
    private var history: History
    /// Describes the packets, as far as that is proven.
    private var table: DependencyTable?
    /// The last packet, in decode order, that was fed; -1 before the first.
    private(set) var position = -1
    /// Pictures that were fed and did not come out yet.
    private(set) var pending: Set<Int> = []

    init(restart: Int, table: DependencyTable? = nil) {
        self.restart = restart
        self.table = table
        history = table?.hasSlots == true ? .slots(ReferenceSlots()) : .packets([])
    }

    /// The first packet from which the decoder can go on: its position, or one before it where older references are
    /// still held.
    var reach: Int {
        guard case .slots(let slots) = history else { return position }
        return min(position, slots.reach(from: restart))
    }

    /// Takes a table that describes the next packets.
    mutating func learn(_ table: DependencyTable?) {
        if let table { self.table = table }
    }

    mutating func take(_ feed: Feed) {
        switch history {
        case .packets(var fed):
            // Not two owners of the array while it grows.
            history = .packets([])
            fed.append(feed)
            history = .packets(fed)
            pending.insert(feed.picture)
        case .slots(var slots):
            slots.take(feed, in: table)
            history = .slots(slots)
            if let table, table.describes(feed.picture), table.shows(feed.picture, units: feed.units) {
                pending.insert(feed.picture)
            }
        }
        position = max(position, feed.picture)
    }

    /// Whether a packet's references are unknown, so that it was given all there are.
    func needsAllReferences(_ picture: Int) -> Bool {
        table.map { $0.describes(picture) && $0.has(.needsAllReferences, in: picture) } ?? false
    }

    /// Notes that a picture came out.
    mutating func release(_ picture: Int) { pending.remove(picture) }

    /// Returns the rest to feed of some packets that begin with the restart; `nil` if the packets so far do not fit
    /// them.
    ///
    /// In general it fits when everything up to the position was fed and the targets are still to come. Packets beyond
    /// those do no harm: a decoder may always see more. If the slots are known, only they count.
    ///
    /// - Parameter table: describes the packets, where that is proven.
    func rest(of feeds: [Feed], targets: [Int], in table: DependencyTable?) -> [Feed]? {
        let missing = targets.filter { !pending.contains($0) }
        switch history {
        case .slots(let slots):
            guard let table else { return nil }
            return slots.feeds(for: missing, from: restart, in: table)
        case .packets(let fed):
            guard missing.allSatisfy({ $0 > position }) else { return nil }
            var place = 0
            for (i, feed) in feeds.enumerated() {
                guard feed.picture <= position else { return Array(feeds[i...]) }
                while place < fed.count, fed[place].picture < feed.picture { place += 1 }
                guard place < fed.count, fed[place].contains(feed) else { return nil }
            }
            return []
        }
    }

    /// The packet that shows a frame again and so moves the decoder on, where the format has one.
    var repetition: [UInt8]? {
        guard case .slots(let slots) = history, let table, table.canRepeat else { return nil }
        return slots.repeatable(in: table).map { AV1Repetition.temporalUnit(slot: $0) }
    }
}
