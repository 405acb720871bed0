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
        var run = try DecodeRun(index: index, options: options, description: index.pictures.description(of: 0))
        run.begin(at: 0, isSparse: false, isOpen: false)
        for picture in 0..<index.pictures.count {
            try run.feed(Feed(picture: picture), reader: &reader) { (number, frame, _) throws(ScrubError) in
                try deliver(number, frame)
            }
        }
        try run.drain(after: index.pictures.count - 1) { (number, frame, _) throws(ScrubError) in
            try deliver(number, frame)
        }
    }
}
