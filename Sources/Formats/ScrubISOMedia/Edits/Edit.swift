import ScrubBase

/// A row of an edit list: a section of the presentation and the media that it shows (ISO/IEC 14496-12, 8.6.6).
package struct Edit: Hashable, Sendable {
    /// The length of the section, in the movie's timescale.
    package var segmentDuration: UInt64
    /// The composition time at which the media starts, in the media's timescale; -1 shows nothing (an empty edit).
    package var mediaTime: Int64
    /// The playing speed in 16.16 fixed point; 0 dwells on one picture.
    package var rate: Int32

    package init(segmentDuration: UInt64, mediaTime: Int64, rate: Int32 = 0x1_0000) {
        self.segmentDuration = segmentDuration
        self.mediaTime = mediaTime
        self.rate = rate
    }

    /// Whether the edit shows nothing.
    package var isEmpty: Bool { mediaTime == -1 }

    /// Reads an `elst` box.
    static func list(
        _ box: Box, in bytes: [UInt8], path: String, warnings: inout [String]
    ) throws(ScrubError) -> [Edit] {
        let version = try box.fullHeader(in: bytes).version
        let width = version == 1 ? 20 : 12
        var rows = try box.rows(in: bytes, width: width, tolerant: true, path: path, warnings: &warnings)
        // libavformat uses the size of the box if the count differs.
        let held = (box.body.count - 8) / width
        if rows.count < held {
            warnings.append("\(path)/elst: claims \(rows.count) entries but has \(held)")
            rows.count = held
        }
        let span = bytes.span
        var edits: [Edit] = []
        edits.reserveCapacity(rows.count)
        for row in 0..<rows.count {
            let at = rows.start + row * width
            if version == 1 {
                let duration = bigEndian64(span, at: at)
                // A duration with the sign bit is damage: no film is longer than 2^63 units.
                guard duration <= UInt64(Int64.max) else {
                    throw ScrubError(.badData, "edit \(row) has a negative duration", place: .box("\(path)/elst"))
                }
                edits.append(
                    Edit(
                        segmentDuration: duration,
                        mediaTime: Int64(bitPattern: bigEndian64(span, at: at + 8)),
                        rate: Int32(bitPattern: bigEndian32(span, at: at + 16))))
            } else {
                edits.append(
                    Edit(
                        segmentDuration: UInt64(bigEndian32(span, at: at)),
                        mediaTime: Int64(Int32(bitPattern: bigEndian32(span, at: at + 4))),
                        rate: Int32(bitPattern: bigEndian32(span, at: at + 8))))
            }
        }
        return edits
    }
}
