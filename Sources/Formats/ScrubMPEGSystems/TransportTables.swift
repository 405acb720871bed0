/// The packets of a transport stream that describe its streams: the program association and its program maps (ISO/IEC
/// 13818-1, 2.4.4).
package struct TransportTables: Sendable {
    /// The packets, in file order, as they are in the file. A demuxer that reads them first knows the streams.
    package private(set) var packets: [UInt8] = []

    /// The number of maps after which a stream is not a usual film.
    private static let maximumPrograms = 64

    /// Finds the first tables in the head of a file.
    ///
    /// - Returns: `nil` if they are not complete there.
    package init?(head: Span<UInt8>, _ layout: TransportLayout) {
        var association = SectionAssembler()
        var maps: [Int: SectionAssembler] = [:]
        var place = 0
        while place + layout.spacing <= head.count {
            defer { place += layout.spacing }
            guard let packet = TransportPacket(head, at: place + layout.prefix) else { continue }
            if packet.stream == 0, !association.isComplete {
                association.take(packet, head)
                keep(head, place, layout)
                guard association.isComplete else { continue }
                let programs = TransportTables.programs(association.section)
                guard !programs.isEmpty, programs.count <= TransportTables.maximumPrograms else { return nil }
                for program in programs { maps[program] = SectionAssembler() }
            } else if let map = maps[packet.stream], !map.isComplete {
                maps[packet.stream]?.take(packet, head)
                keep(head, place, layout)
            }
            if association.isComplete, maps.values.allSatisfy(\.isComplete) { return }
        }
        // Programs that are announced and never described are ignored, as long as one is described.
        guard maps.values.contains(where: \.isComplete) else { return nil }
    }

    private mutating func keep(_ head: Span<UInt8>, _ place: Int, _ layout: TransportLayout) {
        for byte in place..<place + layout.spacing { packets.append(head[byte]) }
    }

    /// Returns the streams of the program maps in a program association section (2.4.4.3).
    private static func programs(_ section: [UInt8]) -> [Int] {
        guard section.count >= 12, section[0] == 0 else { return [] }
        return stride(from: 8, to: section.count - 7, by: 4).compactMap { place in
            let program = Int(section[place]) << 8 | Int(section[place + 1])
            return program == 0 ? nil : Int(section[place + 2] & 0x1F) << 8 | Int(section[place + 3])
        }
    }
}

/// Puts a section together that may be spread over several packets (2.4.4).
private struct SectionAssembler: Sendable {
    private(set) var section: [UInt8] = []
    private var length: Int?

    var isComplete: Bool { length.map { section.count >= $0 } ?? false }

    mutating func take(_ packet: TransportPacket, _ bytes: Span<UInt8>) {
        guard !packet.payload.isEmpty else { return }
        var first = packet.payload.lowerBound
        if packet.startsUnit {
            // pointer_field: the number of bytes before the section.
            first += 1 + Int(bytes[first])
            (section, length) = ([], nil)
            guard first + 3 <= packet.payload.upperBound else { return }
            length = 3 + (Int(bytes[first + 1] & 0x0F) << 8 | Int(bytes[first + 2]))
        }
        guard let length, first < packet.payload.upperBound else { return }
        for byte in first..<min(packet.payload.upperBound, first + length - section.count) {
            section.append(bytes[byte])
        }
    }
}
