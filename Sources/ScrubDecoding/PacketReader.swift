package import FileIO
internal import Hashing
package import LibAV
package import ScrubBase
package import ScrubIndex

/// Reads the coded pictures of an index again, by number.
package struct PacketReader: ~Copyable {
    private let file: FileSource
    private let index: FrameIndex
    private var demux: DemuxReader?

    package init(file: FileSource, index: FrameIndex) {
        self.file = file
        self.index = index
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
