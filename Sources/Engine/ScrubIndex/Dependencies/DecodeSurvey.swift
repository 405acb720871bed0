internal import ScrubBitstream
internal import ScrubLibAV
internal import ScrubBase

/// Decodes a stream while it is read, only to learn which of its packets make pictures, and in which order these come
/// out. It is for codecs of which only the decoder knows it.
///
/// One thread, no picture kept, as in ffmpeg's linear decode. It costs that decode once; the result is saved with the
/// index. Of H.264 the headers are enough, for they alone decide which picture comes out when. The decoder is given the
/// head of each slice, which costs a few hundredths of a decode.
struct DecodeSurvey: ~Copyable {
    /// The packets that made pictures, in the order in which the pictures came out.
    private(set) var order: [UInt32] = []
    /// Packets that the decoder refused.
    private(set) var refused = 0
    /// The number of pictures that had come out before one that does not belong to a packet. Of two with one number, of
    /// H.264 and HEVC, the first may be the picture with which the decoder filled a gap.
    private(set) var firstRepeat: Int?
    /// Whether a picture came out twice, of other codecs.
    private(set) var showsAgain = false
    private var decoder: Decoder
    private var frame: Frame
    private var seen: Set<UInt32> = []
    private let heads: SliceHeads?
    /// Whether a picture that comes out twice stands for the packet fed last: not where pictures wait for others.
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

    /// Gives the decoder a packet, whose times are overwritten by its number.
    ///
    /// - Parameter number: `nil` for a packet without a picture.
    mutating func feed(_ packet: inout Packet, number: Int?, isKey: Bool) {
        packet.identify(as: number.map(Int64.init) ?? DecodeSurvey.noPicture, isKey: isKey)
        if let cut = heads?.cut(packet.bytes) {
            do throws(AVError) {
                for length in cut.lengths { try packet.overwrite(at: length.place, with: length.bytes) }
                try packet.omit(cut.omitted)
            } catch {
                refused += 1
                return
            }
        }
        // A decoder that is full takes the packet after its pictures were taken out.
        for _ in 0..<2 {
            var step = Decoder.Step.done
            do throws(AVError) { step = try decoder.send(packet) } catch { refused += 1 }
            collect(number)
            if step != .again { return }
        }
    }

    private static let noPicture: Int64 = -1
    /// More pictures than any decoder holds back.
    private static let mostWaiting = 64

    /// Says that nothing more comes.
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
                let place = order.suffix(DecodeSurvey.mostWaiting).lastIndex(of: picture) ?? 0
                firstRepeat = min(firstRepeat ?? place, place)
            } else if let number, let fed = UInt32(exactly: number), seen.insert(fed).inserted {
                order.append(fed)
            }
            if !isNew { showsAgain = true }
            frame.clear()
        }
    }
}
