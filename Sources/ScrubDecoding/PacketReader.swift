package import Bitstream
package import FileIO
internal import Hashing
package import LibAV
package import ScrubBase
package import ScrubIndex

/// Reads the coded pictures of an index again, by number.
package struct PacketReader: ~Copyable {
    private let file: MediaSource
    private let index: FrameIndex
    private var demux: DemuxReader?
    /// The x264 build in the first picture, once that was looked for.
    private var build: Int?
    private var hasLookedForBuild = false

    package init(file: MediaSource, index: FrameIndex) {
        self.file = file
        self.index = index
    }

    /// What the first bytes of a picture say of it, as if the stream began there; `nil` when they can't be read or
    /// the picture is not in one piece in the file.
    package func examineHead(of number: Int) -> CodedPicture? {
        guard index.facts.route == .direct else { return nil }
        let description = index.pictures.description(of: number)
        return SampleHead.examine(
            offset: index.pictures.offsets[number], size: index.pictures.sizes[number], codec: index.facts.codec,
            extradata: index.facts.descriptions[description].extradata, file: file)
    }

    /// The x264 build that made the stream. Movie tables don't tell it, so the first picture's messages are read once.
    package mutating func encoderBuild() -> Int? {
        if let known = index.facts.x264Build { return known }
        guard index.facts.codec == .h264, !hasLookedForBuild else { return build }
        hasLookedForBuild = true
        build = examineHead(of: 0)?.x264Build
        return build
    }

    /// Reads picture `number` into `packet`.
    ///
    /// - Throws: a ``ScrubError`` when its bytes are not there any more or cannot be found again.
    package mutating func read(_ number: Int, into packet: inout Packet) throws(ScrubError) {
        switch index.facts.route {
        case .direct:
            let file = file
            let offset = index.pictures.offsets[number]
            let count = Int(index.pictures.sizes[number])
            guard file.contains(offset: offset, count: Int64(count)) else {
                throw ScrubError(
                    .badData, "the picture's \(count) bytes at \(offset) lie beyond the end of the file",
                    file: file.path, place: "coded picture \(number)")
            }
            try packet.fill(count: count) { (buffer) throws(ScrubError) in
                try file.read(at: offset, into: buffer)
            }
        case .demuxByByte, .demuxByTime, .demuxFromStart:
            if demux == nil { demux = try DemuxReader(file: file, index: index) }
            try demux?.read(number, into: &packet)
        }
    }
}
