internal import ScrubBitstream
internal import ScrubLibAV

/// Evidence that an MPEG-4 Part 2 stream pads its pictures correctly (ISO/IEC 14496-2 5.2.4), and the encoder that it
/// names.
///
/// libavcodec treats stray bits after a picture either as the padding of a faulty encoder or as damage. It decides by a
/// score of the stream so far (`padding_bug_score` of h263dec.c). A new decoder assumes padding. So do multithreaded
/// decoders, for a period that varies from run to run. A linear decode treats the bits as damage from its third picture
/// on. Decoders treat them as damage at once if libavcodec applies no workaround to the stream. This requires that the
/// encoder is known to pad correctly or that one of the first key pictures is padded correctly. If such a decoder
/// reports errors, the pictures are decoded on the careful path.
package struct PaddingEvidence: Sendable, Equatable {
    /// The number of a stream's initial pictures that are decoded without skipping any.
    package static let count = 8

    /// The number of initial pictures that are searched for a correctly padded key picture, and the maximum number of
    /// attempts.
    static let reach = 48
    static let mostTried = 4

    /// The user data at the start of the stream.
    private var userData = MPEG4UserData()

    /// Creates a witness if the container's copy of the stream's headers names a known encoder.
    ///
    /// - Returns: `nil` if it does not.
    init?(_ codec: CodecDescription) {
        userData.take(codec.extradata.span)
        guard userData.encoder(tag: codec.codecTag) == .sound else { return nil }
    }

    /// Decodes one of the stream's first key pictures.
    ///
    /// - Returns: `nil` if the decoder reports errors, or the stream needs workarounds.
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

    /// Returns whether a packet names a different encoder from the stream's beginning.
    func isContradicted(by packet: borrowing Packet) -> Bool {
        var userData = userData
        return userData.take(packet.bytes)
    }
}
