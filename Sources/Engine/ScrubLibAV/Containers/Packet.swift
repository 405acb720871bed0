internal import CScrubFFmpeg
internal import Glibc
package import ScrubBase

/// The owner of one `AVPacket`: coded bytes that pass from a container to a decoder.
///
/// The bytes are reference counted by libav and padded as its decoders require, except for ``copy(_:into:)``. Use from
/// one thread at a time.
@safe package struct Packet: ~Copyable {
    let pointer: UnsafeMutablePointer<AVPacket>

    package init() throws(AVError) { unsafe pointer = try unsafe allocated(av_packet_alloc(), "av_packet_alloc") }

    deinit {
        var pointer: UnsafeMutablePointer<AVPacket>? = unsafe pointer
        unsafe av_packet_free(&pointer)
    }

    /// The stream's index in its file.
    package var streamIndex: Int { unsafe Int(pointer.pointee.stream_index) }
    /// The presentation time in the stream's time base, if the container specified one.
    package var pts: Int64? { unsafe Packet.time(pointer.pointee.pts) }
    /// The decode time in the stream's time base, if the container specified one.
    package var dts: Int64? { unsafe Packet.time(pointer.pointee.dts) }
    /// The duration in the stream's time base; 0 if unknown.
    package var duration: Int64 { unsafe pointer.pointee.duration }
    /// The start of the packet in the file, according to the demuxer's own convention; -1 if unknown.
    package var filePosition: Int64 { unsafe pointer.pointee.pos }
    /// The number of bytes.
    package var count: Int { unsafe Int(pointer.pointee.size) }
    /// Whether the container marks the packet as a keyframe.
    package var isKey: Bool { unsafe pointer.pointee.flags & AV_PKT_FLAG_KEY != 0 }
    /// Whether the demuxer reports that bytes of the packet are missing or wrong (`AV_PKT_FLAG_CORRUPT`).
    package var isCorrupt: Bool { unsafe pointer.pointee.flags & AV_PKT_FLAG_CORRUPT != 0 }
    /// Whether the container requires the packet to be decoded but not shown.
    package var isDiscarded: Bool { unsafe pointer.pointee.flags & AV_PKT_FLAG_DISCARD != 0 }
    /// Whether the packet contains a palette, for itself and the pictures that follow.
    package var carriesPalette: Bool {
        unsafe (0..<Int(pointer.pointee.side_data_elems)).contains { i in
            unsafe pointer.pointee.side_data[i].type == AV_PKT_DATA_PALETTE
        }
    }

    /// Whether the packet has side data that changes how it is decoded (palette, parameters, extradata).
    package var carriesDecoderState: Bool {
        for i in unsafe 0..<Int(pointer.pointee.side_data_elems) {
            switch unsafe pointer.pointee.side_data[i].type {
            case AV_PKT_DATA_PALETTE, AV_PKT_DATA_NEW_EXTRADATA, AV_PKT_DATA_PARAM_CHANGE: return true
            default: continue
            }
        }
        return false
    }

    /// The extradata that replaces the stream's from this packet on; `nil` if there is none.
    package var newExtradata: [UInt8]? {
        for i in unsafe 0..<Int(pointer.pointee.side_data_elems) {
            let data = unsafe pointer.pointee.side_data[i]
            guard unsafe data.type == AV_PKT_DATA_NEW_EXTRADATA, let bytes = unsafe data.data else { continue }
            return unsafe Array(UnsafeBufferPointer(start: bytes, count: Int(data.size)))
        }
        return nil
    }

    static func time(_ value: Int64) -> Int64? { value == scrub_no_timestamp ? nil : value }

    /// The bytes, which are valid until the packet is changed.
    package var bytes: Span<UInt8> {
        @_lifetime(borrow self)
        get {
            let buffer = unsafe UnsafeBufferPointer(
                start: UnsafePointer(pointer.pointee.data), count: pointer.pointee.data == nil ? 0 : count)
            return unsafe _overrideLifetime(Span(_unsafeElements: buffer), borrowing: self)
        }
    }

    /// Releases the content.
    package mutating func clear() { unsafe av_packet_unref(pointer) }

    /// Moves the content of another packet into this one.
    package mutating func move(_ other: inout Packet) {
        unsafe swap(&pointer.pointee, &other.pointer.pointee)
        other.clear()
    }

    /// Takes the values of another packet and copies its bytes, so that the memory that libav allocated for them is
    /// released at once.
    ///
    /// - Parameters:
    ///   - other: a packet without side data that changes how it is decoded (``carriesDecoderState``). It is empty
    ///     afterwards.
    ///   - room: memory of at least that size, which outlives this packet's content. libav's padding is not added.
    package mutating func copy(_ other: inout Packet, into room: UnsafeMutableRawBufferPointer) {
        precondition(room.count >= other.count, "not enough room for a packet's bytes")
        unsafe av_packet_unref(pointer)
        if let bytes = unsafe other.pointer.pointee.data {
            unsafe UnsafeMutableRawBufferPointer(room).copyMemory(
                from: UnsafeRawBufferPointer(start: bytes, count: other.count))
        }
        unsafe pointer.pointee = other.pointer.pointee
        unsafe pointer.pointee.buf = nil
        unsafe pointer.pointee.opaque_ref = nil
        unsafe (pointer.pointee.side_data, pointer.pointee.side_data_elems) = (nil, 0)
        if unsafe other.pointer.pointee.data == nil { unsafe pointer.pointee.size = 0 }
        unsafe pointer.pointee.data = room.baseAddress?.assumingMemoryBound(to: UInt8.self)
        other.clear()
    }

    /// Allocates `count` bytes and lets `fill` write them; libav's padding is added and zeroed.
    ///
    /// - Throws: ``ScrubError/Code/badData`` if there are more bytes than available memory or than libav can count.
    package mutating func fill(
        count: Int, _ fill: (UnsafeMutableRawBufferPointer) throws(ScrubError) -> Void
    ) throws(ScrubError) {
        unsafe av_packet_unref(pointer)
        guard count >= 0, count <= Int(Int32.max) - Int(AV_INPUT_BUFFER_PADDING_SIZE),
            unsafe av_new_packet(pointer, Int32(count)) == 0
        else {
            throw ScrubError(
                .badData, "there is not enough memory for a coded picture of \(count) bytes",
                advice: "close other programs; if the file is damaged, try another copy")
        }
        try unsafe fill(UnsafeMutableRawBufferPointer(start: pointer.pointee.data, count: count))
    }

    /// Removes bytes, so that a decoder sees the rest as one packet.
    ///
    /// - Parameter ranges: ranges inside the packet, in ascending order, without overlap.
    package mutating func omit(_ ranges: [Range<Int>]) throws(AVError) {
        guard let first = ranges.first else { return }
        // The ranges may come from a saved index, and the packet may have changed since.
        guard first.lowerBound >= 0, (ranges.last?.upperBound ?? 0) <= count else {
            throw AVError(Int32(scrub_error_invalid_data), "the ranges are outside the packet")
        }
        try unsafe check(av_packet_make_writable(pointer), "av_packet_make_writable")
        guard let bytes = unsafe pointer.pointee.data else { return }
        var (end, kept) = (first.lowerBound, first.lowerBound)
        for (i, range) in ranges.enumerated() {
            end = range.upperBound
            let next = i + 1 < ranges.count ? ranges[i + 1].lowerBound : count
            precondition(end <= next && range.lowerBound <= end, "ranges out of order")
            unsafe memmove(bytes + kept, bytes + end, next - end)
            kept += next - end
        }
        unsafe av_shrink_packet(pointer, Int32(kept))
    }

    /// Overwrites some of the packet's bytes.
    ///
    /// - Throws: an error if the range is not inside the packet, or there is not enough memory.
    package mutating func overwrite(at place: Int, with bytes: [UInt8]) throws(AVError) {
        guard place >= 0, place <= count, bytes.count <= count - place else {
            throw AVError(Int32(scrub_error_invalid_data), "bytes outside the packet")
        }
        try unsafe check(av_packet_make_writable(pointer), "av_packet_make_writable")
        guard let start = unsafe pointer.pointee.data else { return }
        for (i, byte) in bytes.enumerated() { unsafe start[place + i] = byte }
    }

    /// Sets the packet's timestamp to its own number, which the decoder returns with the picture, and removes the
    /// container's other values. Times that are missing, duplicated, or wrapped then have no effect, and a discard flag
    /// cannot make libavcodec drop the picture.
    ///
    /// - Parameter isKey: the container's key flag, which a few decoders use (PNG adds the previous picture to packets
    ///   without it).
    package mutating func identify(as number: Int64, isKey: Bool) {
        unsafe pointer.pointee.pts = number
        unsafe pointer.pointee.dts = number
        unsafe pointer.pointee.duration = 0
        unsafe pointer.pointee.flags &= ~(AV_PKT_FLAG_DISCARD | AV_PKT_FLAG_KEY)
        if isKey { unsafe pointer.pointee.flags |= AV_PKT_FLAG_KEY }
    }

    /// Attaches new extradata, as a container does when its sample description changes.
    package mutating func attachExtradata(_ bytes: [UInt8]) throws(AVError) {
        let room = try unsafe allocated(
            av_packet_new_side_data(pointer, AV_PKT_DATA_NEW_EXTRADATA, bytes.count), "av_packet_new_side_data")
        for (i, byte) in bytes.enumerated() { unsafe room[i] = byte }
    }
}
