internal import CScrubFFmpeg
internal import CScrubShims
internal import Glibc
internal import ScrubIsolation
internal import ScrubBase

// Packets and pictures as messages.

/// Remarks of a decoder or a demuxer that accompany every answer.
struct Remarks {
    var errors: (count: Int, first: String?) = (0, nil)
    var undecoded: [Int64] = []
    var refusals = 0

    mutating func add(_ other: Remarks) {
        errors = (errors.count + other.errors.count, errors.first ?? other.errors.first)
        undecoded += other.undecoded
        refusals += other.refusals
    }
}

extension MessageWriter {
    mutating func put(_ remarks: Remarks) {
        put(UInt32(clamping: remarks.errors.count))
        put(remarks.errors.first) { $0.put($1) }
        put(all: Array(remarks.undecoded.prefix(4096))) { $0.put($1) }
        put(UInt32(clamping: remarks.refusals))
    }

    mutating func put(_ packet: borrowing Packet) {
        let p = unsafe packet.pointer.pointee
        for number in unsafe [p.pts, p.dts, p.duration, p.pos] { put(number) }
        for number in unsafe [p.stream_index, p.flags] { put(number) }
        unsafe put(UInt32(clamping: p.side_data_elems))
        for i in unsafe 0..<Int(max(0, p.side_data_elems)) {
            unsafe put(p.side_data[i].type.rawValue)
            unsafe put(UnsafeRawBufferPointer(start: p.side_data[i].data, count: Int(p.side_data[i].size)))
        }
        unsafe put(UnsafeRawBufferPointer(start: p.data, count: p.data == nil ? 0 : Int(max(0, p.size))))
    }

    /// Writes a picture without its samples.
    mutating func put(_ frame: borrowing Frame) {
        let f = unsafe frame.pointer.pointee
        unsafe put(f.pts)
        for number in unsafe [f.format, f.width, f.height, f.flags, f.decode_error_flags] { put(number) }
        for flag in [frame.isKey, frame.isInterlaced, frame.isTopFieldFirst] { put(flag) }
        unsafe put(f.pict_type.rawValue)
        unsafe put(f.sample_aspect_ratio.num)
        unsafe put(f.sample_aspect_ratio.den)
        for number in unsafe [
            f.color_range.rawValue, f.color_primaries.rawValue, f.color_trc.rawValue, f.colorspace.rawValue,
            f.chroma_location.rawValue,
        ] { put(number) }
        let kept = unsafe FrameSideData.all.compactMap { kind -> (UInt32, UnsafeRawBufferPointer)? in
            guard let data = unsafe av_frame_get_side_data(frame.pointer, kind.type),
                unsafe data.pointee.size >= kind.size
            else {
                return nil
            }
            return unsafe (kind.type.rawValue, UnsafeRawBufferPointer(start: data.pointee.data, count: kind.size))
        }
        unsafe put(UInt32(kept.count))
        unsafe kept.forEach { type, bytes in
            put(type)
            unsafe put(bytes)
        }
    }
}

/// The side data of pictures that is used here, with its sizes.
struct FrameSideData {
    let type: AVFrameSideDataType
    let size: Int

    static let all = [
        FrameSideData(type: AV_FRAME_DATA_DISPLAYMATRIX, size: 36),
        FrameSideData(
            type: AV_FRAME_DATA_MASTERING_DISPLAY_METADATA, size: MemoryLayout<AVMasteringDisplayMetadata>.size),
        FrameSideData(type: AV_FRAME_DATA_CONTENT_LIGHT_LEVEL, size: MemoryLayout<AVContentLightMetadata>.size),
    ]
}

/// The size and format of a picture, as reported by a worker.
struct MessagePictureShape: Sendable {
    let format: PixelFormat
    let width: Int
    let height: Int

    /// - Throws: an error if it is not a picture, or too large.
    init(format: Int32, width: Int32, height: Int32, limits: CodecDescription) throws(WorkerFailure) {
        let known = PixelFormat(rawValue: format)
        guard width > 0, height > 0, width <= CodecDescription.longestSide, height <= CodecDescription.longestSide,
            Int(width) * Int(height) <= limits.pixelLimit, !known.name.isEmpty, !known.isHardware,
            (1...4).contains(known.planeCount)
        else { throw .malformed("an invalid picture: \(width)x\(height) in format \(format)") }
        (self.format, self.width, self.height) = (known, Int(width), Int(height))
        guard (1...limits.pictureByteLimit).contains(byteCount) else {
            throw .malformed("an invalid picture size: \(byteCount) bytes")
        }
    }

    init(_ frame: borrowing Frame) {
        (format, width, height) = (frame.pixelFormat, frame.width, frame.height)
    }

    /// The number of bytes of all planes without padding.
    var byteCount: Int { format.byteCount(width: width, height: height) }
}

extension MessageReader {
    /// Reads a text of at most one line, the size of libav's own messages here (`Log.take`).
    mutating func name() throws(WorkerFailure) -> String { String(decoding: try slice().prefix(255), as: UTF8.self) }

    mutating func remarks() throws(WorkerFailure) -> Remarks {
        var remarks = Remarks()
        remarks.errors.count = Int(try number(UInt32.self))
        remarks.errors.first = try optional { (r) throws(WorkerFailure) in try r.name() }
        remarks.undecoded = try all(most: 4096) { (r) throws(WorkerFailure) in try r.number(Int64.self) }
        remarks.refusals = Int(try number(UInt32.self))
        return remarks
    }

    mutating func packet(into packet: inout Packet) throws(WorkerFailure) {
        packet.clear()
        let times = [try number(Int64.self), try number(Int64.self), try number(Int64.self), try number(Int64.self)]
        let (stream, flags) = (try number(Int32.self), try number(Int32.self))
        let sideData = try all(most: 64) { (r) throws(WorkerFailure) in
            (type: try r.number(UInt32.self), bytes: try r.part())
        }
        // -1 for none; the callers continue from it.
        guard times[3] >= -1, times[3] <= Int64.max >> 1 else {
            throw .malformed("an invalid packet position: \(times[3])")
        }
        let bytes = try part()
        do throws(ScrubError) {
            try unsafe packet.fill(count: bytes.count) { unsafe $0.copyBytes(from: bytes) }
        } catch {
            throw .malformed(error.cause)
        }
        let p = unsafe packet.pointer
        unsafe (p.pointee.pts, p.pointee.dts, p.pointee.duration, p.pointee.pos) = (
            times[0], times[1], times[2], times[3]
        )
        unsafe (p.pointee.stream_index, p.pointee.flags) = (stream, flags)
        for data in sideData {
            guard
                let room = unsafe av_packet_new_side_data(p, AVPacketSideDataType(data.type), data.bytes.count)
            else { throw .malformed("too much side data: \(data.bytes.count) bytes") }
            unsafe UnsafeMutableRawBufferPointer(start: room, count: data.bytes.count).copyBytes(from: data.bytes)
        }
    }

    /// Reads a worker's description of a picture; its samples are elsewhere.
    mutating func picture(limits: CodecDescription) throws(WorkerFailure) -> PictureFacts {
        let pts = try number(Int64.self)
        let shape = try MessagePictureShape(
            format: try number(), width: try number(), height: try number(), limits: limits)
        var facts = PictureFacts(pts: pts, shape: shape)
        (facts.flags, facts.errors) = (try number(), try number())
        (facts.isKey, facts.isInterlaced, facts.isTopFieldFirst) = (try flag(), try flag(), try flag())
        facts.type = try number()
        (facts.aspect.num, facts.aspect.den) = (try number(), try number())
        for i in facts.colors.indices { facts.colors[i] = try number() }
        facts.sideData = try all(most: FrameSideData.all.count) { (r) throws(WorkerFailure) in
            (try r.number(UInt32.self), try r.part())
        }
        return facts
    }
}

/// A worker's description of a picture.
struct PictureFacts {
    let pts: Int64
    let shape: MessagePictureShape
    var flags: Int32 = 0
    var errors: Int32 = 0
    var isKey = false
    var isInterlaced = false
    var isTopFieldFirst = false
    var type: UInt32 = 0
    var aspect = AVRational(num: 0, den: 1)
    var colors: [UInt32] = [0, 0, 0, 0, 0]
    var sideData: [(UInt32, [UInt8])] = []

    /// Writes the values into a picture; values that libav does not know are left unchanged.
    func describe(_ frame: borrowing Frame) {
        let f = unsafe frame.pointer
        unsafe f.pointee.pts = pts
        unsafe f.pointee.flags = flags & AV_FRAME_FLAG_CORRUPT
        unsafe f.pointee.decode_error_flags = errors
        unsafe scrub_frame_set_kind(f, isKey ? 1 : 0, isInterlaced ? 1 : 0, isTopFieldFirst ? 1 : 0)
        if type <= 7 { unsafe f.pointee.pict_type = AVPictureType(type) }
        if aspect.num >= 0, aspect.den > 0 { unsafe f.pointee.sample_aspect_ratio = aspect }
        // Tables of converters use these numbers as indices.
        if colors[0] <= 2 { unsafe f.pointee.color_range = AVColorRange(colors[0]) }
        if colors[1] <= 22 { unsafe f.pointee.color_primaries = AVColorPrimaries(colors[1]) }
        if colors[2] <= 18 { unsafe f.pointee.color_trc = AVColorTransferCharacteristic(colors[2]) }
        if colors[3] <= 14 { unsafe f.pointee.colorspace = AVColorSpace(colors[3]) }
        if colors[4] <= 6 { unsafe f.pointee.chroma_location = AVChromaLocation(colors[4]) }
        for (type, bytes) in sideData {
            guard let kind = FrameSideData.all.first(where: { $0.type.rawValue == type }), bytes.count == kind.size,
                let room = unsafe av_frame_new_side_data(f, kind.type, kind.size)
            else { continue }
            unsafe UnsafeMutableRawBufferPointer(start: room.pointee.data, count: kind.size).copyBytes(from: bytes)
        }
    }
}
