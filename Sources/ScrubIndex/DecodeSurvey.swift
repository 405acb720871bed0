internal import LibAV
internal import ScrubBase

/// Decodes a stream while it is read, only to learn which of its packets make pictures, and in which order these come
/// out: for codecs in which only the decoder knows.
///
/// One thread, nothing left out, no picture kept: what ffmpeg's linear decode makes. It costs that decode once; the
/// result is saved with the index.
struct DecodeSurvey: ~Copyable {
    /// The packets that made pictures, in the order in which the pictures came out.
    private(set) var order: [UInt32] = []
    /// Packets that the decoder refused.
    private(set) var refused = 0
    private var decoder: Decoder
    private var frame: Frame
    private var seen: Set<UInt32> = []

    init(_ description: CodecDescription) throws(AVError) {
        let frame = try Frame()
        self.decoder = try Decoder(description)
        self.frame = frame
    }

    /// Gives the decoder a packet, whose times are overwritten by its number.
    mutating func feed(_ packet: inout Packet, number: Int, isKey: Bool) {
        packet.identify(as: Int64(number), isKey: isKey)
        // A decoder that is full takes the packet after its pictures were taken out.
        for _ in 0..<2 {
            var step = Decoder.Step.done
            do throws(AVError) { step = try decoder.send(packet) } catch { refused += 1 }
            collect(number)
            if step != .again { return }
        }
    }

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
            guard let stamp = frame.number, let picture = UInt32(exactly: stamp) else { continue }
            // Some decoders hand out the picture before once more, with its number, where nothing changed.
            let isNew = seen.insert(picture).inserted
            if isNew {
                order.append(picture)
            } else if let number, let fed = UInt32(exactly: number), seen.insert(fed).inserted {
                order.append(fed)
            }
            frame.clear()
        }
    }
}
