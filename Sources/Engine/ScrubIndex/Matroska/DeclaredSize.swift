internal import ScrubFileIO
internal import ScrubBase

/// The sizes that containers declare in their headers, which are wrong after an incomplete download or recording.
enum DeclaredSize {
    /// The maximum number of chunks that are inspected.
    private static let maximumChunks = 1 << 16

    /// Returns the number of bytes that a file lacks according to its container; `nil` if nothing is missing or
    /// declared.
    ///
    /// - Parameter container: libavformat's name. Movies and Matroska have their own readers.
    static func missingBytes(of file: MediaSource, container: String) -> Int64? {
        guard let promised = promise(of: file, container: container) else { return nil }
        let (missing, overflow) = promised.subtractingReportingOverflow(file.byteCount)
        return !overflow && missing > 0 ? missing : nil
    }

    private static func promise(of file: MediaSource, container: String) -> Int64? {
        switch container {
        case "avi": riffEnd(file)
        case "asf": asfSize(file)
        case "flv": flvSize(file)
        case "rm": realMediaEnd(file)
        case "mpegts": transportEnd(file)
        default: nil
        }
    }

    /// Returns whether a file declares its size and is that large.
    static func isWhole(_ file: MediaSource, container: String) -> Bool {
        guard let promised = promise(of: file, container: container) else { return false }
        return promised <= file.byteCount
    }

    private static func bytes(_ file: MediaSource, at offset: Int64, _ count: Int) -> [UInt8]? {
        guard file.contains(offset: offset, count: Int64(count)) else { return nil }
        return try? file.read(at: offset, count: count)
    }

    private static func little(_ bytes: some Collection<UInt8>) -> UInt64 {
        bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    private static func big(_ bytes: some Collection<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }

    /// Returns the end of the last RIFF chunk. OpenDML files have several consecutive ones (OpenDML AVI 2.0, 4.0).
    private static func riffEnd(_ file: MediaSource) -> Int64? {
        var position: Int64 = 0
        var end: Int64?
        for _ in 0..<maximumChunks {
            guard let head = bytes(file, at: position, 12), Array(head[0..<4]) == Array("RIFF".utf8) else { return end }
            let size = Int64(little(head[4..<8]))
            // Writers that never fill in the size leave 0 or all ones.
            guard size > 4, size < Int64(UInt32.max) else { return end }
            position += 8 + size + size % 2
            end = position - size % 2
            if position >= file.byteCount { return end }
        }
        return end
    }

    /// Returns the File Size of the File Properties Object, if the file is not a broadcast (ASF 01.20.03, 3.2).
    private static func asfSize(_ file: MediaSource) -> Int64? {
        let properties: [UInt8] = [
            0xA1, 0xDC, 0xAB, 0x8C, 0x47, 0xA9, 0xCF, 0x11, 0x8E, 0xE4, 0x00, 0xC0, 0x0C, 0x20, 0x53, 0x65,
        ]
        // The Header Object's GUID, size, number of objects, and two reserved bytes.
        var position: Int64 = 30
        guard let head = bytes(file, at: 16, 8) else { return nil }
        let end = Int64(clamping: little(head))
        for _ in 0..<1024 where position < end {
            guard let object = bytes(file, at: position, 24) else { return nil }
            let size = Int64(clamping: little(object[16..<24]))
            guard size >= 24, size < 1 << 40 else { return nil }
            if Array(object[0..<16]) == properties {
                guard let fields = bytes(file, at: position + 40, 52) else { return nil }
                // The lowest bit of the flags means that the sizes are invalid.
                return fields[48] & 1 == 0 ? Int64(clamping: little(fields[0..<8])) : nil
            }
            position += size
        }
        return nil
    }

    /// Returns `filesize` of the onMetaData tag at the beginning (Adobe Flash Video File Format 10.1, E.5).
    private static func flvSize(_ file: MediaSource) -> Int64? {
        let count = Int(min(file.byteCount, 64 << 10))
        guard let head = bytes(file, at: 0, count), count > 24 else { return nil }
        let name: [UInt8] = [0, 8] + Array("filesize".utf8) + [0]
        let start = Int(clamping: big(head[5..<9])) + 4
        guard start + 11 < count, head[start] & 0x1F == 18 else { return nil }
        let end = min(count, start + 11 + Int(big(head[start + 1..<start + 4])))
        guard end - start > name.count + 8 else { return nil }
        for place in start..<end - name.count - 8 where Array(head[place..<place + name.count]) == name {
            let value = Double(bitPattern: big(head[place + name.count..<place + name.count + 8]))
            return value > 0 && value < 1e15 ? Int64(value) : nil
        }
        return nil
    }

    /// Returns the end that the last DATA chunk declares (RealMedia File Format, 3).
    private static func realMediaEnd(_ file: MediaSource) -> Int64? {
        var position: Int64 = 0
        for _ in 0..<1024 {
            guard let head = bytes(file, at: position, 8) else { return nil }
            let size = Int64(big(head[4..<8]))
            guard size >= 8 else { return nil }
            position += size
            guard Array(head[0..<4]) == Array("DATA".utf8) else { continue }
            // libavformat's muxer counts the chunk's own 18-byte header twice.
            return position - 18 > file.byteCount ? position : nil
        }
        return nil
    }

    /// Returns the end of the last packet of the file (ISO/IEC 13818-1, 2.4.3.2). A packet has 188 bytes, 192 with a
    /// preceding time stamp, or 204 with a trailing checksum.
    private static func transportEnd(_ file: MediaSource) -> Int64? {
        for (size, sync) in [(188, 0), (192, 4), (204, 0)] as [(Int64, Int64)] {
            let isStream = (0..<5).allSatisfy { bytes(file, at: $0 * size + sync, 1) == [0x47] }
            guard isStream else { continue }
            let whole = file.byteCount / size * size
            // Remaining bytes count only if they begin like a packet.
            let isCut = whole < file.byteCount && (bytes(file, at: whole + sync, 1) ?? [0x47]) == [0x47]
            return isCut ? whole + size : nil
        }
        return nil
    }
}
