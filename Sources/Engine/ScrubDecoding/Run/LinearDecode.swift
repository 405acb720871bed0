internal import ScrubBitstream
package import ScrubFileIO
package import ScrubLibAV
package import ScrubBase
package import ScrubIndex

/// The whole stream from its first packet to its last, with nothing left out: the measure of everything else.
package enum LinearDecode {
    /// Decodes everything on one thread and hands out every picture in the order in which the decoder does, whatever it
    /// says of it.
    ///
    /// The decoder is opened as ffmpeg opens it: with the delay that libavformat finds in the packets. Only the index's
    /// packets are used, not its order of them, so that this order proves the index's.
    ///
    /// - Returns: whether the decoder had nothing to complain of.
    @discardableResult
    package static func run(
        file: MediaSource, index: FrameIndex, deliver: (Int, SharedFrame) throws(ScrubError) -> Void
    ) throws(ScrubError) -> Bool {
        var reader = PacketReader(file: file.sequentialView(), index: index)
        let decoder = try OpenDecoder(
            repeatableFrom: 0, start: .streamStart, index: index,
            reorderDelay: foundDelay(file, stream: index.facts.streamIndex), reader: &reader, allocator: nil)
        for picture in 0..<index.pictures.count {
            try decoder.feed(Feed(picture: picture), reader: &reader)
            while let picture = decoder.next() { try deliver(picture.number, picture.frame) }
        }
        decoder.drain()
        while let picture = decoder.next() { try deliver(picture.number, picture.frame) }
        return decoder.findings.complaints.isEmpty
    }

    /// Returns the reorder delay that libavformat finds; nil when it can't read the file.
    private static func foundDelay(_ file: MediaSource, stream: Int) -> Int? {
        do throws(AVError) {
            var input = try Input(file, name: file.path)
            try input.findStreamInfo(of: stream)
            return input.streams.first { $0.index == stream }.map { Int($0.codec.videoDelay) }
        } catch {
            return nil
        }
    }
}
