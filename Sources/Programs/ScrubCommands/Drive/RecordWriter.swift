#if CommandLine
internal import ScrubBase
internal import ScrubPlayers
internal import ScrubFileIO
internal import Glibc
internal import Scrub
internal import SystemPackage

/// Writes records and pictures to standard output, or the pictures into shared memory.
struct RecordWriter: ~Copyable {
    /// The pixels of pictures as displayed; `nil` for the stream's own samples.
    let packing: FramePicture.Packing?
    let options: FramePicture.Options
    private var memory: SharedMemory?
    /// The last picture's bytes, if they are made here rather than lent.
    private var packed: [UInt8] = []

    init(
        _ packing: FramePicture.Packing?, _ options: FramePicture.Options, memory: Int32?
    ) throws(ScrubError) {
        (self.packing, self.options) = (packing, options)
        if let memory { self.memory = try SharedMemory(descriptor: memory) }
        // A pipe of 1 MiB, the maximum for unprivileged users (/proc/sys/fs/pipe-max-size), wakes the reader a
        // sixteenth as often. F_SETPIPE_SZ is 1031 in <linux/fcntl.h>. Other files reject it.
        _ = fcntl(STDOUT_FILENO, 1031, 1 << 20)
    }

    /// Writes a record without a picture.
    func write(_ record: FrameRecord) throws(ScrubError) { try write(record.bytes) }

    /// Writes the times of consecutive frames, with a row of four numbers for each.
    func write(_ frames: some Collection<PresentedFrame>, request: Int) throws(ScrubError) {
        var record = FrameRecord(.times, request: request, item: 0)
        record.frame = frames.first?.number ?? -1
        if let first = frames.first {
            (record.presentationTime, record.timeBase) = (first.presentationTime, first.timeBase)
        }
        record.planes = [(bytesPerRow: 32, rows: frames.count)]
        var rows: [UInt8] = []
        rows.reserveCapacity(record.pictureByteCount)
        for frame in frames {
            for number in [frame.presentationTime, frame.offset, frame.durationUnits, frame.isKeyframe ? 1 : 0] {
                for shift in stride(from: 0, to: 64, by: 8) { rows.append(UInt8(truncatingIfNeeded: number >> shift)) }
            }
        }
        try write(record.bytes, rows)
    }

    /// Returns the record of a picture.
    ///
    /// - Throws: `usage` if a side that results from the picture's shape is too long.
    func record(_ picture: FramePicture, request: Int, item: Int) throws(ScrubError) -> FrameRecord {
        var record = FrameRecord(.picture, request: request, item: item)
        guard let packing else {
            record.describe(picture, isRGB: false, options)
            return record
        }
        (record.width, record.height) = try picture.packedSize(options)
        record.planes = [(record.width * packing.bytesPerPixel, record.height)]
        record.format = packing.rawValue
        return record
    }

    /// Writes a picture, first to shared memory if it has a place there, so that it is complete when its record is
    /// read.
    ///
    /// - Throws: `inputOutput` if standard output cannot be written; any other error concerns this picture alone, of
    ///   which nothing was written.
    mutating func write(_ picture: FramePicture, _ record: FrameRecord, at place: Int?) throws(ScrubError) {
        let (packing, options) = (packing, options)
        let count = record.pictureByteCount
        var record = record
        if let place {
            guard memory != nil else {
                throw ScrubError(.usage, "there is no shared memory for offset \(place)", advice: "use --memory")
            }
            try memory?.withBytes(at: place, count: count) { (target) throws(ScrubError) in
                try RecordWriter.put(picture, packing, options, into: &target)
            }
            record.place = place
            try write(record.bytes)
            return
        }
        if packed.count != count { packed = [UInt8](repeating: 0, count: count) }
        do {
            var target = packed.mutableSpan
            try RecordWriter.put(picture, packing, options, into: &target)
        }
        try write(record.bytes, packed)
    }

    private static func put(
        _ picture: FramePicture, _ packing: FramePicture.Packing?, _ options: FramePicture.Options,
        into target: inout MutableSpan<UInt8>
    ) throws(ScrubError) {
        guard let packing else { return picture.writePacked(into: &target) }
        let row = try picture.packedSize(options).width * packing.bytesPerPixel
        try unsafe target.withUnsafeMutableBytes { (bytes) throws(ScrubError) in
            try unsafe picture.write(packing, options, into: bytes, bytesPerRow: row)
        }
    }

    /// Writes all of it; the picture is written from where it is.
    private func write(_ head: [UInt8], _ body: [UInt8] = []) throws(ScrubError) {
        var written = 0
        while written < head.count + body.count {
            let count = unsafe head.withUnsafeBytes { head in
                unsafe body.withUnsafeBytes { body in
                    // writev never changes its arguments.
                    let first = unsafe head[min(written, head.count)...]
                    let second = unsafe body[max(0, written - head.count)...]
                    let parts = unsafe [first, second].map { part in
                        let bytes = unsafe UnsafeRawBufferPointer(rebasing: part)
                        return unsafe iovec(
                            iov_base: UnsafeMutableRawPointer(mutating: bytes.baseAddress), iov_len: bytes.count)
                    }
                    return unsafe writev(STDOUT_FILENO, parts, 2)
                }
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                throw ScrubError(
                    .inputOutput, "standard output cannot be written: \(Errno(rawValue: errno))")
            }
            written += count
        }
    }
}
#endif
