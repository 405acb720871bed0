internal import ScrubBitstream
internal import ScrubLibAV
internal import ScrubIndex

/// Looks for rows of PNG and APNG pictures that the decoder leaves out in silence, where marks in the picture's memory
/// do not show it.
///
/// Cost: the data of such pictures is inflated twice; of others the chunks are counted.
struct RowFilterWatch {
    private let extradata: [UInt8]

    /// - Returns: `nil` for other codecs.
    init?(_ description: CodecDescription) {
        guard ["png", "apng"].contains(description.codecName) else { return nil }
        extradata = description.extradata
    }

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
        return filters.hasInvalidFilter ? "a row of it has a filter that does not exist" : nil
    }
}
