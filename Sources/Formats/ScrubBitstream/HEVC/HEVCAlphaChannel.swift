/// The information in HEVC's configuration data about a transparency layer.
package enum HEVCAlphaChannel {
    /// The type of a unit of SEI messages before a picture (Rec. ITU-T H.265, table 7-1).
    private static let prefixMessages: UInt8 = 39
    /// The message of alpha channel information (D.2.1).
    private static let alphaInformation = 165

    /// Whether configuration data, which is an hvcC record or units with start codes, contains an alpha channel
    /// information message (D.2.38).
    package static func isAnnounced(in extradata: Span<UInt8>) -> Bool {
        if !StartCode.isAtStart(of: extradata) {
            return ConfigurationRecord.hevcUnits(extradata).contains { holdsMessage(extradata.extracting($0)) }
        }
        var units = NALUnits(extradata, framing: .annexB)
        while let unit = units.next() {
            if holdsMessage(extradata.extracting(unit)) { return true }
        }
        return false
    }

    private static func holdsMessage(_ unit: Span<UInt8>) -> Bool {
        guard unit.count > 4, unit[0] >> 1 & 0x3F == prefixMessages else { return false }
        // Two bytes of header, then types and sizes whose bytes add up (7.3.5).
        var place = 2
        while place + 2 < unit.count {
            let (type, size) = (number(unit, at: &place), number(unit, at: &place))
            if type == alphaInformation { return true }
            place += size
        }
        return false
    }

    private static func number(_ unit: Span<UInt8>, at place: inout Int) -> Int {
        var sum = 0
        while place < unit.count {
            let byte = unit[place]
            place += 1
            sum += Int(byte)
            if byte != 0xFF { break }
        }
        return sum
    }
}
