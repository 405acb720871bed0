/// VideoObjectLayer() up to complexity_estimation_disable (6.2.3).
struct MPEG4Layer: Sendable {
    /// The bits of `vop_time_increment`: enough for the resolution minus 1, at least one (6.3.5).
    let timeBits: Int
    /// Ticks per second.
    let resolution: Int
    /// Whether planes may be coded as fields. False if the rest of the layer cannot be read.
    private(set) var isInterlaced = false
    /// Whether planes have complexity fields. libavcodec counts their bits.
    private(set) var hasComplexity = false

    init(_ reader: inout BitReader) throws(HeaderError) {
        try reader.skip(1 + 8)  // random_accessible_vol, video_object_type_indication
        var version = 1
        if try reader.flag() {
            version = try reader.bits(4)
            try reader.skip(3)  // video_object_layer_priority
        }
        if try reader.bits(4) == 15 { try reader.skip(8 + 8) }  // extended_PAR
        if try reader.flag() {
            try reader.skip(2 + 1)  // chroma_format, low_delay
            // vbv_parameters: bit rate, buffer size and occupancy with their markers.
            try reader.optionalSkip(15 + 1 + 15 + 1 + 15 + 1 + 3 + 11 + 1 + 15 + 1)
        }
        // video_object_layer_shape; grayscale has an extension field after version 1.
        let shape = try reader.bits(2)
        if shape == 3, version != 1 { try reader.skip(4) }
        try reader.skip(1)  // marker
        resolution = try reader.bits(16)
        guard resolution > 0 else { throw .invalid }
        timeBits = max(1, bitsToCount(resolution))
        if shape == 0 { try? readRest(&reader, version: version) }
    }

    /// Reads the fields after vop_time_increment_resolution for rectangular shapes.
    private mutating func readRest(_ reader: inout BitReader, version: Int) throws(HeaderError) {
        try reader.skip(1)
        try reader.optionalSkip(timeBits)  // fixed_vop_time_increment
        try reader.skip(1 + 13 + 1 + 13 + 1)  // the size, with its markers
        isInterlaced = try reader.flag()
        try reader.skip(1)  // obmc_disable
        let sprite = try reader.bits(version == 1 ? 1 : 2)
        if sprite == 1 { try reader.skip(4 * (13 + 1)) }
        if sprite == 1 || sprite == 2 { try reader.skip(6 + 2 + 1 + (sprite == 1 ? 1 : 0)) }
        try reader.optionalSkip(4 + 4)  // quant_precision, bits_per_pixel
        if try reader.flag() {
            for _ in 0..<2 where try reader.flag() {
                // An incomplete matrix ends with a zero (6.2.3).
                for _ in 0..<64 where try reader.bits(8) == 0 { break }
            }
        }
        if version != 1 { try reader.skip(1) }  // quarter_sample
        hasComplexity = try !reader.flag()
    }
}

/// VideoObjectPlane() up to vop_coded (6.2.5).
struct MPEG4Plane {
    let type: CodedPicture.PictureType
    /// Seconds since the previous plane's second.
    let seconds: Int
    /// Ticks within the second.
    let increment: Int
    /// `vop_coded`.
    let isCoded: Bool

    init(_ reader: inout BitReader, layer: MPEG4Layer) throws(HeaderError) {
        // vop_coding_type (Table 6-20); sprites (3) predict like P planes.
        switch try reader.bits(2) {
        case 0: type = .i
        case 2: type = .b
        default: type = .p
        }
        var seconds = 0
        while try reader.flag() { seconds += 1 }  // modulo_time_base
        self.seconds = seconds
        try reader.skip(1)
        increment = try reader.bits(layer.timeBits)
        try reader.skip(1)
        isCoded = try reader.flag()
    }
}
