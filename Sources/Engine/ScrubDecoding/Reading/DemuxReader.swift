internal import ScrubFileIO
internal import ScrubHashing
internal import ScrubLibAV
internal import ScrubBase
internal import ScrubIndex

/// A reader that finds packets again through libavformat, for containers with non-contiguous payloads.
///
/// libavformat lands somewhere near the requested position, with timestamps that may differ from those of the first
/// pass. A packet is therefore identified by its bytes: every packet read is compared with the index's fingerprint for
/// its expected number. A landing that does not match is retried from further back, finally from the beginning of the
/// file.
struct DemuxReader: ~Copyable {
    private let file: MediaSource
    private let index: FrameIndex
    private var input: Input
    /// The number of the packet that the next read returns, if known.
    private var next: Int?

    /// The number of packets after a landing that are searched for a match.
    private static let searched = 512

    init(file: MediaSource, index: FrameIndex) throws(ScrubError) {
        self.file = file
        self.index = index
        input = try DemuxReader.open(file, index)
        next = 0
    }

    static func open(_ file: MediaSource, _ index: FrameIndex) throws(ScrubError) -> Input {
        do throws(AVError) {
            var input = try Input(file, name: file.path)
            // The streams of a transport stream exist only after some packets have been read, and the parsers must be
            // set up as in the first pass so that packets are split the same way.
            try? input.findStreamInfo(of: index.facts.streamIndex)
            input.select(stream: index.facts.streamIndex)
            return input
        } catch {
            if error.isReadFailure, let failure = file.lastFailure { throw failure }
            throw error.scrubError("cannot be read again").inFile(file.path)
        }
    }

    mutating func read(_ number: Int, into packet: inout Packet) throws(ScrubError) {
        if let next, next <= number, number - next <= DemuxReader.searched {
            if advance(to: number, into: &packet) { return }
        }
        for start in attempts(for: number) {
            guard land(at: start) else { continue }
            if find(number, into: &packet) { return }
        }
        input = try DemuxReader.open(file, index)
        next = 0
        if advance(to: number, into: &packet) { return }
        next = nil
        throw ScrubError(
            .badData, "the packet could not be found again", file: file.path, place: .codedPicture(number),
            advice: "if the file has changed, index it again")
    }

    /// Returns the pictures at whose positions reading may begin so that `number` is read completely.
    private func attempts(for number: Int) -> [Int] {
        [0, 1, 4, 16, 64, 256].compactMap { number - $0 >= 0 ? number - $0 : nil }
    }

    private mutating func land(at number: Int) -> Bool {
        next = nil
        do throws(AVError) {
            switch index.facts.route {
            case .direct, .demuxFromStart: return false
            case .demuxByByte:
                let position = index.pictures.offsets[number]
                guard position >= 0 else { return false }
                try input.seek(byte: position)
            case .demuxByTime:
                let time = index.pictures.decodeTimes[number]
                guard time != CodedPictures.noTime else { return false }
                try input.seek(stream: index.facts.streamIndex, timestamp: time)
            }
            return true
        } catch {
            return false
        }
    }

    /// Reads from a known position to `number`; false if a packet along the way is not the expected one.
    private mutating func advance(to number: Int, into packet: inout Packet) -> Bool {
        while let expected = next, expected <= number {
            guard pull(into: &packet), fits(packet, expected) else {
                next = nil
                return false
            }
            next = expected + 1
        }
        return true
    }

    /// Reads from an unknown position until `number` itself is found, followed by nothing that contradicts it.
    private mutating func find(_ number: Int, into packet: inout Packet) -> Bool {
        for _ in 0..<DemuxReader.searched {
            guard pull(into: &packet) else { return false }
            if fits(packet, number), samePlace(packet, number) {
                next = number + 1
                return true
            }
        }
        return false
    }

    private mutating func pull(into packet: inout Packet) -> Bool {
        do throws(AVError) {
            while try input.read(into: &packet) {
                if packet.streamIndex == index.facts.streamIndex, packet.count > 0 { return true }
            }
            return false
        } catch {
            return false
        }
    }

    private func fits(_ packet: borrowing Packet, _ number: Int) -> Bool {
        packet.count == Int(index.pictures.sizes[number])
            && UInt32(truncatingIfNeeded: xxh3(packet.bytes)) == index.pictures.fingerprints[number]
    }

    /// Returns whether a packet is at the same position: two packets with the same bytes (repeated still pictures)
    /// differ in position.
    private func samePlace(_ packet: borrowing Packet, _ number: Int) -> Bool {
        let position = index.pictures.offsets[number]
        return position < 0 || packet.filePosition < 0 || packet.filePosition == position
    }
}
