internal import ScrubBitstream
internal import ScrubFileIO

/// Records the dependencies of pictures while a stream is read once. It makes a table from each restart that leaves no
/// open references to the next one, up to the first header that cannot be parsed.
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

    /// Records the next packet.
    mutating func record(_ packet: Span<UInt8>, access: RandomAccess) {
        defer { count += 1 }
        guard codec != .other else { return }
        // Pictures after an open restart may still need earlier pictures, so only the first restart may be open.
        if access == .instantaneous || (access == .open && present == nil) {
            close()
            present = (
                DependencyTable(firstPicture: count),
                DependencyParser(codec: codec, extradata: extradata, isStreamStart: count == 0)
            )
        }
        // In place: both are large, and copying them for each packet would take as long as the parsing.
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

    /// Records the pictures that are contiguous in the file, when a later one turns out not to be.
    ///
    /// - Parameters:
    ///   - accesses: the kinds of restart of the first pictures.
    ///   - look: called with the bytes of each picture.
    mutating func record(
        _ accesses: [RandomAccess], of pictures: CodedPictures, from file: MediaSource,
        _ look: (Span<UInt8>) -> Void = { _ in }
    ) {
        for (picture, access) in accesses.enumerated() {
            // A packet whose bytes can no longer be read is treated as one that cannot be parsed: the table ends before
            // it.
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
