internal import ScrubBitstream
internal import ScrubLibAV
internal import ScrubIndex

/// A detector of rows in PNG and APNG pictures that the decoder skips silently, if marks in the picture's memory do not
/// reveal it.
///
/// Cost: the data of such pictures is inflated twice; for others, the chunks are counted.
struct RowFilterDetector {
    private let extradata: [UInt8]

    /// Creates a detector.
    ///
    /// - Returns: `nil` for other codecs.
    init?(_ description: CodecDescription) {
        guard ["png", "apng"].contains(description.codecName) else { return nil }
        extradata = description.extradata
    }

    /// Examines a packet.
    ///
    /// - Returns: the packet's fault; `nil` if it has none.
    func complaint(about packet: borrowing Packet) -> String? {
        let bytes = packet.bytes
        guard let rows = PNGRows(packet: bytes, extradata: extradata.span), rows.isExposed else { return nil }
        var filters = PNGRows.FilterReader(rows)
        var inflation = Inflation()
        for part in rows.data where !inflation.isOver {
            inflation.read(bytes.extracting(part)) { out in
                filters.read(out)
                return !filters.isOver
            }
        }
        return filters.hasInvalidFilter ? "one of its rows has an unknown filter" : nil
    }
}
