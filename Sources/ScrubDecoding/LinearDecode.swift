internal import Bitstream
package import FileIO
package import LibAV
package import ScrubBase
package import ScrubIndex

/// The whole stream from its first packet to its last, with nothing left out: what everything else is measured by.
package enum LinearDecode {
    /// Decodes everything on one thread and hands out every picture, whatever the decoder says of it.
    package static func run(
        file: FileSource, index: FrameIndex, deliver: (Int, SharedFrame) throws(ScrubError) -> Void
    ) throws(ScrubError) {
        var reader = PacketReader(file: file, index: index)
        var options = Decoder.Options()
        options.isRepeatable = true
        options.reorderDelay = index.reorderDelay
        options.x264Build = reader.encoderBuild()
        let decoder = try OpenDecoder(
            index: index, options: options, description: index.pictures.description(of: 0), allocator: nil)
        decoder.begin(at: 0, isOpen: false)
        for picture in 0..<index.pictures.count {
            try decoder.feed(Feed(picture: picture), reader: &reader)
            while let picture = decoder.next() { try deliver(picture.number, picture.frame) }
        }
        decoder.drain()
        while let picture = decoder.next() { try deliver(picture.number, picture.frame) }
    }
}
