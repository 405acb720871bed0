/// VC-1: the last entry point header stays active (SMPTE 421M 6.2), and not every key picture has one.
struct VC1Facts: PacketFactReader {
    private static let entryPoint: UInt8 = 0x0E

    func declared(_ extradata: Span<UInt8>) -> DecoderMemory.Facts { facts(in: extradata) }

    mutating func read(_ packet: Span<UInt8>) -> PacketFacts {
        StartCode.isAtStart(of: packet) ? PacketFacts(own: facts(in: packet)) : PacketFacts()
    }

    private func facts(in bytes: Span<UInt8>) -> DecoderMemory.Facts {
        var units = StartCodeUnits(bytes)
        while let range = units.next() {
            // Slices follow the picture's own start code.
            if bytes[range.lowerBound] == 0x0D { break }
            guard bytes[range.lowerBound] == VC1Facts.entryPoint else { continue }
            var body = bytes.extracting(range.lowerBound + 1..<range.upperBound)
            // Zeros before the next start code do not belong to the unit.
            while body.count > 0, body[body.count - 1] == 0 { body = body.extracting(0..<body.count - 1) }
            return [1: body.digest]
        }
        return [:]
    }
}

/// Dirac: libavcodec ignores further sequence headers until an end of sequence. It emulates an old Schroedinger version
/// from the packet that names it (diracdec.c).
struct DiracFacts: PacketFactReader {
    private var sequence: UInt64?

    mutating func read(_ packet: Span<UInt8>) -> PacketFacts {
        var facts = PacketFacts()
        var place = 0
        // Units: "BBCD", a code, and the offsets to the next and the previous unit (Dirac 9.6).
        while packet.has("BBCD", at: place), let distance = packet.bigEndian(at: place + 5, bytes: 4) {
            let end = distance >= 13 && distance <= packet.count - place ? place + distance : packet.count
            switch place + 13 <= end ? packet[place + 4] : 0xFF {
            case 0x00:
                let own = packet.extracting(place + 13..<end).digest
                facts.own[1] = own
                if sequence == nil { sequence = own }
                if own != sequence { facts.needsEarlier = true }
            case 0x10: sequence = nil
            case 0x20 where packet.has("Schroedinger 1.0.", at: place + 14): facts.own[2] = 1
            default: break
            }
            if distance == 0 { break }
            place = end
        }
        return facts
    }
}

/// VP6: a key picture without a filter header keeps the filter of an earlier one (vp6.c).
struct VP6Facts: PacketFactReader {
    /// The offset of the picture in the packet.
    let offset: Int
    private var hasFilter = false

    init(offset: Int) { self.offset = offset }

    mutating func read(_ packet: Span<UInt8>) -> PacketFacts {
        var facts = PacketFacts()
        guard packet.count > offset + 1, packet[offset] & 0x80 == 0 else { return facts }
        let ownFilter = packet[offset + 1] & 0x06 != 0
        facts.needsEarlier = !ownFilter && hasFilter
        facts.isOrdered = facts.needsEarlier
        if ownFilter { hasFilter = true }
        return facts
    }
}

/// Theora: headers within the stream (6.1) reinitialize a decoder. A decoder that begins after them has the first ones.
struct TheoraFacts: PacketFactReader {
    func declared(_ extradata: Span<UInt8>) -> DecoderMemory.Facts {
        var (facts, place): (DecoderMemory.Facts, Int) = ([:], 0)
        while let length = extradata.bigEndian(at: place, bytes: 2), length > 0, length <= extradata.count - place - 2 {
            let header = extradata.extracting(place + 2..<place + 2 + length)
            facts[header[0]] = header.digest
            place += 2 + length
        }
        return facts
    }

    mutating func read(_ packet: Span<UInt8>) -> PacketFacts {
        // Comments do not affect a decoder.
        guard packet.count > 0, packet[0] & 0x80 != 0, packet[0] != 0x81 else { return PacketFacts() }
        return PacketFacts(own: [packet[0]: packet.digest], isOrdered: true)
    }
}

/// H.263+: a picture whose header has no OPPTYPE (5.1.4.1, UFEP 0) uses the modes of the last header that has one.
struct H263Facts: PacketFactReader {
    mutating func read(_ packet: Span<UInt8>) -> PacketFacts {
        var (reader, facts) = (BitReader(packet), PacketFacts())
        // A start code of 22 bits, the temporal reference, "10", three flags, the format (5.1).
        guard let code = try? reader.bits(22), code == 32, (try? reader.skip(8 + 2 + 3)) != nil,
            let format = try? reader.bits(3), format == 7, let extent = try? reader.bits(3)
        else { return facts }
        facts.needsEarlier = extent == 0
        return facts
    }
}
