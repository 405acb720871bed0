#if CommandLine
internal import Scrub
internal import ScrubPlayers
internal import ScrubBase

/// The files as a player's items.
///
/// Thread safety: a value that does not change.
struct PlayList: Sendable {
    /// The parts of an item.
    struct Entry: Sendable {
        /// Its position among the files on the command line.
        let place: Int
        let file: String
        let media: PlayerMedia
    }

    private let items: [PlayerItem]
    private let entries: [PlayerItem.ID: Entry]
    private let isBackward: Bool
    private let fileCount: Int
    /// The frame number at which the first passage begins; `nil` for the first frame in that direction.
    let start: Int?

    /// - Parameters:
    ///   - files: the files, of which the first is open; earlier ones could not be opened.
    ///   - from: the start position in the first file.
    init(
        _ files: ArraySlice<MediaName>, first: VideoAsset, from: SeekTarget?, command: PlayCommand
    ) throws(ScrubError) {
        isBackward = command.rate.rate < .zero
        fileCount = files.count
        let place = try from.map { (from) throws(ScrubError) in
            try SeekPosition(from, in: first, clamps: command.range.clamp).frames.lowerBound
        }
        start = place
        var media: [(file: String, media: PlayerMedia)] = []
        for (number, file) in files.enumerated() {
            media.append(
                (
                    file.shown,
                    number == 0
                        ? PlayerMedia(first)
                        : try command.input.access(command.network).media(file, stream: command.input.stream)
                ))
        }
        var items: [PlayerItem] = []
        var entries: [PlayerItem.ID: Entry] = [:]
        var (rounds, repeats) = (1, 1)
        if case .times(let count) = command.loop { if files.count == 1 { repeats = count } else { rounds = count } }
        for round in 0..<rounds {
            for (number, one) in media.enumerated() {
                let isFirst = round == 0 && number == 0
                let item = PlayerItem(
                    one.media, playCount: repeats, start: isFirst ? place.map { .frame($0) } : nil)
                entries[item.id] = Entry(place: files.startIndex + number, file: one.file, media: one.media)
                items.append(item)
            }
        }
        (self.items, self.entries) = (items, entries)
    }

    /// Gives the items to a player that has none; when playing backward, it goes through its list from the end.
    func append(to player: Player) {
        player.replaceItems(with: isBackward ? items.reversed() : items)
        if isBackward, items.count > 1, let first = items.first { player.setCurrentItem(first.id) }
    }

    func entry(of item: PlayerItem.ID) -> Entry? { entries[item] }
    func file(of item: PlayerItem.ID) -> String? { entries[item]?.file }
    func frameCount(of item: PlayerItem.ID) -> Int? { entries[item]?.media.asset?.frames.count }
    var count: Int { fileCount }

    /// Returns the total number of frames to come, once every file is open.
    func expectedFrames(rate: Rational, loop: PlayLoops) -> () -> Int? {
        guard loop != .forever else { return { nil } }
        var known: Int?
        return {
            if known == nil {
                var sum = 0
                for item in items {
                    guard let count = frameCount(of: item.id) else { return nil }
                    sum += count * item.playCount
                }
                known = sum
            }
            return known
        }
    }
}
#endif
