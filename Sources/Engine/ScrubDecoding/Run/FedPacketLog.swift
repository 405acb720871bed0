internal import ScrubBitstream
internal import ScrubIndex

/// The packets fed to a decoder since its restart, which determine the targets that it can reach from its position.
/// Pure.
struct FedPacketLog {
    /// The known facts of the packets since the restart.
    private enum History {
        /// All packets, in ascending order.
        case packets([Feed])
        /// The contents of the reference slots after the packets, if nothing else matters.
        case slots(ReferenceSlots)
    }

    let restart: Int
    private var history: History
    /// A description of the packets, as far as it is proven.
    private var table: DependencyTable?
    /// The last packet that was fed, in decode order; -1 before the first.
    private(set) var position = -1
    /// The pictures that were fed and not output yet.
    private(set) var pending: Set<Int> = []

    init(restart: Int, table: DependencyTable? = nil) {
        self.restart = restart
        self.table = table
        history = table?.hasSlots == true ? .slots(ReferenceSlots()) : .packets([])
    }

    /// The first packet from which the decoder can continue: its position, or an earlier one if older references are
    /// still held.
    var reach: Int {
        guard case .slots(let slots) = history else { return position }
        return min(position, slots.reach(from: restart))
    }

    /// Adopts a table that describes the next packets.
    mutating func learn(_ table: DependencyTable?) {
        if let table { self.table = table }
    }

    mutating func take(_ feed: Feed) {
        switch history {
        case .packets(var fed):
            // The array must not have two owners while it grows.
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

    /// Returns whether a packet's references are unknown, so that it was given all available ones.
    func needsAllReferences(_ picture: Int) -> Bool {
        table.map { $0.describes(picture) && $0.has(.needsAllReferences, in: picture) } ?? false
    }

    /// Records that a picture was output.
    mutating func release(_ picture: Int) { pending.remove(picture) }

    /// Returns the rest to feed of packets that begin with the restart; `nil` if they are not compatible with the
    /// packets so far.
    ///
    /// In general, they are compatible if everything up to the position was fed and the targets are still to come.
    /// Additional packets are harmless: a decoder may always see more. If the slots are known, only they count.
    ///
    /// - Parameter table: the proven description of the packets, if any.
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

    /// A packet that shows a frame again and thereby advances the decoder, if the format has one.
    var repetition: [UInt8]? {
        guard case .slots(let slots) = history, let table, table.canRepeat else { return nil }
        return slots.repeatable(in: table).map { AV1Repetition.temporalUnit(slot: $0) }
    }
}
