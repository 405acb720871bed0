internal import ScrubBase
internal import ScrubFileIO
internal import ScrubHashing
internal import ScrubIndex
internal import ScrubLibAV

/// A probe that seeks to times as other programs do with libavformat (`av_seek_frame`, backward), and determines which
/// coded picture they read first.
///
/// It uses the libavformat with which Scrub runs. Other versions may land elsewhere.
///
/// Memory: four bytes for each coded picture; a few tens if payloads are not contiguous. Use from one thread at a time.
struct SeekProbe: ~Copyable {
    private let file: MediaSource
    private let index: FrameIndex
    private var input: Input
    private var packet: Packet
    /// Coded pictures by their offset in the file, if payloads are contiguous.
    private let byOffset: [UInt32]
    /// Coded pictures by their fingerprint, otherwise.
    private let byFingerprint: [UInt32: [UInt32]]
    /// Whether a packet had no presentation time.
    private(set) var sawNoTime = false

    /// The number of pictures that may begin after the position that a demuxer returns, which is that of the
    /// surrounding block.
    private static let neighbours = 16

    init(file: MediaSource, index: FrameIndex) throws(ScrubError) {
        let packet = try translatingErrors("a packet cannot be allocated") { () throws(AVError) in try Packet() }
        input = try DemuxReader.open(file, index)
        (self.file, self.index) = (file, index)
        self.packet = packet
        let numbers = (0..<index.pictures.count).map { UInt32(truncatingIfNeeded: $0) }
        if index.facts.route == .direct {
            let offsets = index.pictures.offsets
            byOffset = numbers.sorted { (offsets[Int($0)], $0) < (offsets[Int($1)], $1) }
            byFingerprint = [:]
        } else {
            byOffset = []
            byFingerprint = Dictionary(grouping: numbers) { index.pictures.fingerprints[Int($0)] }
        }
    }

    /// Returns where a program that seeks to a time lands; `nil` if libavformat cannot seek there, or returns a packet
    /// that the index does not have at its time.
    ///
    /// - Throws: ``ScrubError/Code/inputOutput`` if reading fails.
    mutating func landing(at time: Int64) throws(ScrubError) -> EntryPoints.Landing? {
        do throws(AVError) {
            try input.seek(stream: index.facts.streamIndex, timestamp: time)
            while try input.read(into: &packet) {
                guard packet.streamIndex == index.facts.streamIndex, packet.count > 0 else { continue }
                if packet.pts == nil { sawNoTime = true }
                return found.map { EntryPoints.Landing(picture: $0, isKey: packet.isKey) }
            }
            return nil
        } catch {
            if let failure = file.lastFailure { throw failure }
            return nil
        }
    }

    /// The coded picture in the packet.
    private var found: Int? {
        guard packet.pts != nil else { return nil }
        let likely = likely.filter {
            Int(index.pictures.sizes[$0]) == packet.count && isHidden($0) == packet.isDiscarded
        }
        if let same = likely.first(where: { index.pictures.presentationTimes[$0] == packet.pts }) { return same }
        // No frame is shown at the times of pictures that are only decoded; libavformat invents these times.
        return packet.isDiscarded && likely.count == 1 ? likely.first : nil
    }

    private func isHidden(_ picture: Int) -> Bool { index.pictures.flags[picture].contains(.discarded) }

    /// Coded pictures whose bytes may be the packet's.
    private var likely: [Int] {
        let position = packet.filePosition
        guard index.facts.route == .direct else {
            return byFingerprint[UInt32(truncatingIfNeeded: xxh3(packet.bytes)), default: []].map(Int.init).filter {
                position < 0 || index.pictures.offsets[$0] < 0 || index.pictures.offsets[$0] == position
            }
        }
        guard position >= 0 else { return [] }
        let place = byOffset.partitioningIndex { index.pictures.offsets[Int($0)] >= position }
        return byOffset[place...].prefix(Self.neighbours).map(Int.init)
    }
}
