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
        guard var (table, parser) = present.take() else { return }
        let isDescribed =
            switch parser.parse(packet, isWhole: true) {
            case .dependencies(let packet): table.append(packet, codec: codec, canRepeat: parser.canRepeat)
            case .needsMoreBytes: false
            }
        if isDescribed { present = (table, parser) } else if table.pictureCount > 0 { tables.append(table) }
    }

    /// Takes the pictures that are in the file in one piece, when a later one turns out not to.
    ///
    /// - Parameter accesses: the kinds of restart of the first pictures.
    mutating func record(_ accesses: [RandomAccess], of pictures: CodedPictures, from file: MediaSource) {
        for (picture, access) in accesses.enumerated() {
            // Bytes that cannot be read any more are a packet that is not understood: the table ends before it.
            let bytes = (try? file.read(at: pictures.offsets[picture], count: Int(pictures.sizes[picture]))) ?? []
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
