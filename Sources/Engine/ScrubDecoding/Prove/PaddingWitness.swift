internal import ScrubBitstream
internal import ScrubLibAV

/// That an MPEG-4 part 2 stream ends its pictures as it should (ISO/IEC 14496-2 5.2.4), and who says that it was made
/// by.
///
/// libavcodec takes bits behind a picture for the padding of an encoder that knows no better, or for damage, by what it
/// has seen of the stream (`padding_bug_score` of h263dec.c): a decoder that was opened just now believes the former,
/// and so do, for how long is chance, those that decode several pictures at once. A linear decode does from its third
/// picture on what it does with damage. Where libavcodec imitates no fault for the stream, and its encoder is known to
/// pad or the first picture is padded well, decoders are opened that take such bits for damage at once; what they
/// complain of the careful way decides.
package struct PaddingWitness: Sendable, Equatable {
    /// How many of a stream's first pictures are decoded with nothing left out.
    package static let count = 8

    /// What the stream's beginning says.
    private var userData = MPEG4UserData()

    /// What the container has of the stream's headers names an encoder that is known.
    ///
    /// - Returns: `nil` where it does not.
    init?(_ codec: CodecDescription) {
        userData.take(codec.extradata.span)
        guard userData.encoder(tag: codec.codecTag) == .sound else { return nil }
    }

    /// Decodes the stream's first picture.
    ///
    /// - Returns: `nil` where the decoder complains of it, or has to know of faults.
    init?(_ codec: CodecDescription, first packet: inout Packet, isKey: Bool) {
        userData.take(codec.extradata.span)
        userData.take(packet.bytes)
        guard userData.encoder(tag: codec.codecTag) != .faulty else { return nil }
        var options = Decoder.Options()
        (options.needsNoWorkarounds, options.isForNumbers) = (true, true)
        packet.identify(as: 0, isKey: isKey)
        do throws(AVError) {
            var decoder = try Decoder(codec, options)
            _ = try decoder.send(packet)
            guard decoder.takeErrors().count == 0 else { return nil }
        } catch {
            return nil
        }
    }

    /// Whether a packet says of its encoder what the stream's beginning did not.
    func isContradicted(by packet: borrowing Packet) -> Bool {
        var userData = userData
        return userData.take(packet.bytes)
    }
}
