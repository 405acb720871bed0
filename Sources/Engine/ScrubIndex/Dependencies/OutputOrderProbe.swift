internal import ScrubBitstream
internal import ScrubLibAV
internal import ScrubBase

/// Decodes a stream while it is read, only to learn which packets make pictures and in which order these are output.
/// Used for codecs for which only the decoder knows.
///
/// It uses one thread and keeps no pictures, as in ffmpeg's linear decode. It costs one such decode; the result is
/// saved with the index. For H.264 the slice headers are enough, because they alone determine the output order. The
/// decoder is given only the header of each slice, which costs a few hundredths of a decode.
struct OutputOrderProbe: ~Copyable {
    /// The packets that made pictures, in output order.
    private(set) var order: [UInt32] = []
    /// The number of packets that the decoder rejected.
    private(set) var refused = 0
    /// The number of pictures that were output before one that does not belong to a packet. If two pictures have one
    /// number (H.264 and HEVC), the first may be a picture with which the decoder filled a gap.
    private(set) var firstRepeat: Int?
    /// Whether a picture was output twice (other codecs).
    private(set) var showsAgain = false
    private var decoder: Decoder
    private var frame: Frame
    private var seen: Set<UInt32> = []
    private let heads: SliceHeads?
    /// Whether a picture that is output twice stands for the packet fed last. False if the decoder reorders pictures.
    private let repeatsShowAgain: Bool

    init(_ description: CodecDescription, isOfHeads: Bool = false) throws(AVError) {
        let frame = try Frame()
        var options = Decoder.Options()
        options.isForNumbers = isOfHeads
        self.decoder = try Decoder(description, options)
        self.frame = frame
        repeatsShowAgain = !["h264", "hevc", "mpeg1video", "mpeg2video"].contains(description.codecName)
        heads = isOfHeads ? SliceHeads(extradata: description.extradata) : nil
    }

    /// Feeds the decoder a packet, whose timestamps are replaced by its number.
    ///
    /// - Parameter number: `nil` for a packet without a picture.
    mutating func feed(_ packet: inout Packet, number: Int?, isKey: Bool) {
        packet.identify(as: number.map(Int64.init) ?? OutputOrderProbe.noPicture, isKey: isKey)
        if let cut = heads?.cut(packet.bytes) {
            do throws(AVError) {
                for length in cut.lengths { try packet.overwrite(at: length.place, with: length.bytes) }
                try packet.omit(cut.omitted)
            } catch {
                refused += 1
                return
            }
        }
        // A decoder that is full accepts the packet after its pictures have been received.
        for _ in 0..<2 {
            var step = Decoder.Step.done
            do throws(AVError) { step = try decoder.send(packet) } catch { refused += 1 }
            collect(number)
            if step != .again { return }
        }
    }

    private static let noPicture: Int64 = -1
    /// More pictures than any decoder delays.
    private static let mostWaiting = 64

    /// Signals the end of the stream.
    mutating func finish() {
        do throws(AVError) { try decoder.sendEnd() } catch { return }
        collect(nil)
    }

    private mutating func collect(_ number: Int?) {
        while true {
            do throws(AVError) {
                guard try decoder.receive(into: &frame) == .done else { return }
            } catch {
                refused += 1
                return
            }
            guard let stamp = frame.number, let picture = UInt32(exactly: stamp) else {
                firstRepeat = firstRepeat ?? order.count
                continue
            }
            // Some decoders output the previous picture again, with its number, where nothing changed.
            let isNew = seen.insert(picture).inserted
            if isNew {
                order.append(picture)
            } else if !repeatsShowAgain {
                let place = order.suffix(OutputOrderProbe.mostWaiting).lastIndex(of: picture) ?? 0
                firstRepeat = min(firstRepeat ?? place, place)
            } else if let number, let fed = UInt32(exactly: number), seen.insert(fed).inserted {
                order.append(fed)
            }
            if !isNew { showsAgain = true }
            frame.clear()
        }
    }
}
