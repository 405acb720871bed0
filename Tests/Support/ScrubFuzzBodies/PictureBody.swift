import ScrubBitstream

/// Picture headers: a configuration and packets in decoding order.
///
/// The bytes are: one that chooses, two for the length of the configuration, the configuration, and then packets, each
/// behind two bytes for its length. Lengths end where the bytes do.
enum PictureBody {
    static func check(_ bytes: [UInt8], _ codec: VideoCodec) throws(Finding) {
        let (extradata, packets) = parts(of: bytes)
        var parser = PictureParser(codec: codec, extradata: extradata)
        var second = parser
        var dependencies = DependencyParser(codec: codec, extradata: extradata)
        var watch = ParameterSetChangeDetector(codec: codec, extradata: extradata)
        _ = PictureBuffering(codec: codec, extradata: extradata)
        let framing = NALFraming(codec: codec, extradata: extradata.span)
        var units = 0
        for (number, packet) in packets.enumerated() {
            let picture = parser.parse(packet.span)
            try expect(picture == second.parse(packet.span), "another picture the second time")
            try expect(
                picture.pictureCount >= 0 && picture.shownCount <= picture.pictureCount,
                "\(picture.shownCount) shown of \(picture.pictureCount) pictures")
            try expect(
                picture.pictureCount <= packet.count + 1, "\(picture.pictureCount) pictures in \(packet.count) bytes")
            let head = Array(packet.prefix(40))
            _ = parser.examine(sampleHead: head.span, isWhole: packet.count <= 40)
            _ = watch?.examine(sampleHead: packet.span, isWhole: true)
            let isWhole = number % 4 != 3
            if case .dependencies(let found) = dependencies.parse(packet.span, isWhole: isWhole) {
                try check(found, in: packet, before: units)
                units += found.units.count
            } else {
                try expect(!isWhole, "more bytes are wanted than there are")
            }
            _ = ByteStreamConversion.isByteStream(packet.span, framing: framing)
            _ = ByteStreamConversion(codec: codec, extradata: extradata.span, picture: packet.span)?.sample(packet.span)
            _ = InBandSets(codec: codec, record: extradata.span).stripped(packet.span)
            if codec == .h264 {
                var refresh = H264InstantRefresh(record: extradata.span)
                _ = refresh.sample(packet.span, number: number)
            }
            if codec == .vp9 {
                _ = VP9Configuration(packet.span)
                let tail = Array(packet.suffix(VP9Superframe.maximumIndexSize))
                for frame in VP9Superframe.frames(tail: tail.span, packetSize: packet.count) {
                    try expect(frame.upperBound <= packet.count, "a frame behind its packet")
                }
            }
            if number % 16 == 15 {
                parser.reset()
                second.reset()
            }
        }
    }

    /// Tables of JPEG pictures: the same answer twice, and bytes behind the end change none.
    static func checkJPEG(_ bytes: [UInt8]) throws(Finding) {
        let tables = JPEGTables(bytes.span)
        try expect(tables == JPEGTables(bytes.span), "another answer the second time")
        let longer = bytes + [0xFF, 0xD9, 0, 0]
        let isOpen = bytes.last == 0xFF
        try expect(isOpen || !tables.isWhole || JPEGTables(longer.span).isWhole, "an end takes tables away")
    }

    private static func check(_ found: PacketDependencies, in packet: [UInt8], before units: Int) throws(Finding) {
        var place = 0
        for (index, unit) in found.units.enumerated() {
            try expect(
                unit.bytes.upperBound <= packet.count && unit.bytes.lowerBound >= place, "a unit at \(unit.bytes)")
            place = unit.bytes.lowerBound
            try expect(unit.references == Set(unit.references).sorted(), "references \(unit.references)")
            try expect(
                unit.references.allSatisfy { $0 >= 0 && $0 < units + index },
                "unit \(units + index) refers to \(unit.references)")
        }
    }

    static func checkVC1(_ bytes: [UInt8]) throws(Finding) {
        let (extradata, packets) = parts(of: bytes)
        guard var reader = VC1PictureReader(isAdvanced: (bytes.first ?? 0) & 1 == 1, extradata: extradata) else {
            return
        }
        var second = reader
        for packet in packets {
            try expect(reader.type(of: packet.span) == second.type(of: packet.span), "another type the second time")
        }
    }

    private static func parts(of bytes: [UInt8]) -> (extradata: [UInt8], packets: [[UInt8]]) {
        var rest = bytes.dropFirst()
        func next() -> [UInt8] {
            let length = rest.prefix(2).reduce(0) { $0 << 8 | Int($1) }
            rest = rest.dropFirst(2)
            let part = Array(rest.prefix(length))
            rest = rest.dropFirst(length)
            return part
        }
        let extradata = next()
        var packets: [[UInt8]] = []
        while !rest.isEmpty, packets.count < 64 { packets.append(next()) }
        return (extradata, packets)
    }
}
