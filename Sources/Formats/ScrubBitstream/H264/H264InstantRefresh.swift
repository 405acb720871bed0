/// Converts H.264 pictures that are independent but not marked as such, the first pictures of open groups, to
/// instantaneous refreshes (IDR).
///
/// A decoder that is given only these pictures derives their order counts from missing pictures (8.2.1.1). Counts of 4
/// to 16 bits wrap around, so a later picture seems to precede an earlier one and is dropped or gets its time. Only an
/// IDR picture restarts the count. Apart from its header, a slice is unchanged bit for bit, and so is the decoded
/// picture.
package struct H264InstantRefresh: Sendable {
    private let lengthSize: Int
    private var sequences = ParameterSets<H264SequenceSet>()
    private var pictures = ParameterSets<H264PictureSet>()

    /// - Parameter record: the content of the avcC box.
    package init(record: Span<UInt8>) {
        lengthSize = record.count > 4 ? Int(record[4] & 3) + 1 : 4
        for range in ConfigurationRecord.avcUnits(record) { read(record.extracting(range)) }
    }

    private mutating func read(_ unit: Span<UInt8>) {
        guard unit.count > 1 else { return }
        let payload = unit.extracting(1..<unit.count)
        var reader = BitReader(payload, isEscaped: true)
        if unit[0] & 31 == 7, let set = try? H264SequenceSet(&reader) {
            sequences.store(set, id: set.id, bytes: payload)
        } else if unit[0] & 31 == 8, let set = try? H264PictureSet(&reader) {
            pictures.store(set, id: set.id, bytes: payload)
        }
    }

    /// Returns the sample as an IDR picture.
    ///
    /// - Parameters:
    ///   - sample: units with length prefixes.
    ///   - number: the picture's number in the movie; adjacent pictures get different values of `idr_pic_id`.
    /// - Returns: `nil` for a sample that is already an IDR picture, and for unsupported samples: those with
    ///   partitioned or redundant slices, slice groups, order counts in a cycle, or two fields of which the second is
    ///   shown first.
    package mutating func sample(_ sample: Span<UInt8>, number: Int) -> [UInt8]? {
        var out: [UInt8] = []
        out.reserveCapacity(sample.count + 64)
        var units = NALUnits(sample, framing: .lengthPrefixed(lengthSize))
        var first: H264SliceHeader?
        while let range = units.next() {
            let unit = sample.extracting(range)
            guard let header = H264UnitHeader(unit[0]) else { return nil }
            var bytes: [UInt8] = []
            if header.isSlice {
                guard header.type == 1, let made = try? slice(unit, after: &first, number: number) else { return nil }
                bytes = made
            } else {
                read(unit)
                unsafe unit.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
            }
            guard lengthSize == 4 || bytes.count < 1 << (8 * lengthSize) else { return nil }
            for shift in (0..<lengthSize).reversed() {
                out.append(UInt8(truncatingIfNeeded: bytes.count >> (8 * shift)))
            }
            out += bytes
        }
        return first == nil || units.isOverrun ? nil : out
    }

    /// Returns a slice unit with a different header.
    ///
    /// - Parameter first: the first slice of the sample.
    private func slice(
        _ unit: Span<UInt8>, after first: inout H264SliceHeader?, number: Int
    ) throws(HeaderError) -> [UInt8] {
        let content = H264InstantRefresh.unescaped(unit)
        guard let own = H264UnitHeader(unit[0]) else { throw .invalid }
        var reader = BitReader(content.span)
        let slice = try H264SliceHeader(&reader, unit: own, sequences: sequences, pictures: pictures)
        guard let set = pictures[slice.pictureSetID], let sequence = sequences[set.sequenceID], set.groupCount == 1,
            slice.redundantCount == 0, slice.kind != .switchingI, slice.kind != .switchingP
        else { throw .invalid }
        let base = first ?? slice
        first = base
        // Of a frame's two fields, only the first one is an IDR picture (7.4.1.2.4).
        let isSecondField = slice.structure != base.structure
        guard slice.kind == .i || isSecondField, own.isReference || !isSecondField else { throw .invalid }

        var copied = BitReader(content.span)
        var writer = BitWriter()
        writer.unsigned(try copied.unsigned())  // first_mb_in_slice
        writer.unsigned(try copied.unsigned())  // slice_type
        writer.unsigned(try copied.unsigned())  // pic_parameter_set_id
        if sequence.hasSeparatePlanes { writer.bits(try copied.bits(2), 2) }
        _ = try copied.bits(sequence.frameNumberBits)
        writer.bits(0, sequence.frameNumberBits)
        if !sequence.isFrameOnly {
            let isField = try copied.bits(1)
            writer.bits(isField, 1)
            if isField == 1 { writer.bits(try copied.bits(1), 1) }
        }
        if !isSecondField { writer.unsigned(2 + number % 2) }  // idr_pic_id; encoders begin with 0 and 1
        switch sequence.orderCoding {
        case .lowBits(let count):
            _ = try copied.bits(count)
            writer.bits(try order(slice, base, bits: count), count)
            if set.hasFieldOrderInFrame, slice.structure == .frame { writer.signed(try copied.signed()) }
        case .decodingOrder: break
        case .cycle: throw .invalid
        }
        if set.hasRedundantCount { writer.unsigned(try copied.unsigned()) }
        if isSecondField {
            try H264InstantRefresh.copy(&copied, to: reader.bitIndex, &writer)
        } else {
            // Pictures that are still waiting to be shown are not dropped, and this one is not a long-term reference.
            writer.bits(0, 2)
            try copied.skip(reader.bitIndex - copied.bitIndex)
        }
        try copyRest(&copied, slice, set, content.span, &writer)
        // An IDR picture is a reference; the field paired with one is unchanged.
        let kind: UInt8 = isSecondField ? 1 : 5
        let importance = unit[0] & 0x60 == 0 ? 0x60 : unit[0] & 0x60
        return writer.unit(header: [importance | kind])
    }

    /// Returns `pic_order_cnt_lsb` with the lower of both fields at 0 (8.2.1).
    private func order(
        _ slice: H264SliceHeader, _ base: H264SliceHeader, bits: Int
    ) throws(HeaderError) -> Int {
        if slice.structure == .frame { return max(0, -slice.bottomOrderDelta) }
        let difference = (slice.orderLowBits - base.orderLowBits) & (1 << bits - 1)
        guard difference < 1 << (bits - 1) else { throw .invalid }
        return difference
    }

    /// Copies the part after the marking: a few fields and the macroblocks.
    private func copyRest(
        _ reader: inout BitReader, _ slice: H264SliceHeader, _ set: H264PictureSet, _ content: Span<UInt8>,
        _ writer: inout BitWriter
    ) throws(HeaderError) {
        if set.isArithmetic {
            if slice.kind != .i { writer.unsigned(try reader.unsigned(max: 2)) }  // cabac_init_idc
            writer.signed(try reader.signed())  // slice_qp_delta
            if set.hasDeblockingControl {
                let mode = try reader.unsigned(max: 2)
                writer.unsigned(mode)
                if mode != 1 { for _ in 0..<2 { writer.signed(try reader.signed()) } }
            }
            // cabac_alignment_one_bit: the macroblocks are byte-aligned.
            while !reader.isAligned { guard try reader.flag() else { throw .invalid } }
            while !writer.isAligned { writer.bits(1, 1) }
            writer.append(content.extracting(reader.byteIndex..<content.count))
            return
        }
        // Any bits up to the last 1, which ends the slice (7.3.2.11).
        guard var last = content.indices.last(where: { content[$0] != 0 }) else { throw .truncated }
        let end = 8 * last + 8 - content[last].trailingZeroBitCount
        while !reader.isAligned, reader.bitIndex < end { writer.bits(try reader.bits(1), 1) }
        last = reader.bitIndex / 8
        if end / 8 > last { writer.append(content.extracting(last..<end / 8)) }
        if end % 8 > 0, end / 8 >= last { writer.bits(Int(content[end / 8]) >> (8 - end % 8), end % 8) }
        while !writer.isAligned { writer.bits(0, 1) }
    }

    private static func copy(
        _ reader: inout BitReader, to end: Int, _ writer: inout BitWriter
    ) throws(HeaderError) {
        while reader.bitIndex < end { writer.bits(try reader.bits(1), 1) }
    }

    /// Returns a unit's content without its header and emulation prevention bytes.
    private static func unescaped(_ unit: Span<UInt8>) -> [UInt8] {
        var out: [UInt8] = []
        out.reserveCapacity(unit.count)
        var zeros = 0
        for index in 1..<unit.count {
            let byte = unit[index]
            if zeros >= 2, byte == 3 {
                zeros = 0
                continue
            }
            out.append(byte)
            zeros = byte == 0 ? zeros + 1 : 0
        }
        return out
    }
}
