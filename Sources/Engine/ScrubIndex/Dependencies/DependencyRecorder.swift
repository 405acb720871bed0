internal import ScrubBitstream
internal import ScrubFileIO

/// Records the dependencies of pictures while a stream is read once. It makes a table from each restart that leaves
/// nothing open to the next one, as far as every header in it is understood.
struct DependencyRecorder {
    private let codec: VideoCodec
    private let extradata: [UInt8]
    private var tables: [DependencyTable] = []
    private var present: (table: DependencyTable, parser: DependencyParser)?
    private var count = 0

    init(codec: VideoCodec, extradata: [UInt8]) {
        self.codec = codec
        self.extradata = extradata
    }

    /// Takes the next packet.
    mutating func record(_ packet: Span<UInt8>, access: RandomAccess) {
        defer { count += 1 }
        guard codec != .other else { return }
        // Pictures after an open restart may still need what was before, so only the first restart may be one.
        if access == .instantaneous || (access == .open && present == nil) {
            close()
            present = (
                DependencyTable(firstPicture: count),
                DependencyParser(codec: codec, extradata: extradata, isStreamStart: count == 0)
            )
        }
        // In place: both are large, and copied for each packet they take as long as the parsing.
        let isDescribed: Bool
        switch present?.parser.parse(packet, isWhole: true) {
        case .dependencies(let packet):
            let canRepeat = present?.parser.canRepeat ?? false
            isDescribed = present?.table.append(packet, codec: codec, canRepeat: canRepeat) ?? false
        case .needsMoreBytes: isDescribed = false
        case nil: return
        }
        if !isDescribed { close() }
    }

    /// Takes the pictures that are in the file in one piece, when a later one turns out not to.
    ///
    /// - Parameters:
    ///   - accesses: the kinds of restart of the first pictures.
    ///   - look: is given the bytes of each.
    mutating func record(
        _ accesses: [RandomAccess], of pictures: CodedPictures, from file: MediaSource,
        _ look: (Span<UInt8>) -> Void = { _ in }
    ) {
        for (picture, access) in accesses.enumerated() {
            // Bytes that can no longer be read are a packet that is not understood: the table ends before it.
            let bytes = (try? file.read(at: pictures.offsets[picture], count: Int(pictures.sizes[picture]))) ?? []
            look(bytes.span)
            record(bytes.span, access: access)
        }
    }

    private mutating func close() {
        if let (table, _) = present.take(), table.pictureCount > 0 { tables.append(table) }
    }

    /// Returns all tables.
    mutating func finish() -> [DependencyTable] {
        close()
        return tables
    }
}
