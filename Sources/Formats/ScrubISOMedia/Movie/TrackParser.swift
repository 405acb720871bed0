import ScrubBase

/// Reads one `trak` box into a ``Track``.
struct TrackParser {
    private let bytes: [UInt8]
    private let movieTimescale: UInt32
    private(set) var track: Track
    private(set) var warnings: [String] = []

    init(bytes: [UInt8], position: Int, movieTimescale: UInt32, byteCount: Int64) {
        self.bytes = bytes
        self.movieTimescale = movieTimescale
        self.track = Track(position: position, moov: bytes, byteCount: byteCount)
    }

    /// Reads the box. Damage affects only this track; the other tracks of the file remain valid.
    mutating func parse(_ box: Box) {
        do throws(ScrubError) {
            try parseTrack(box)
        } catch {
            track.damage = error
            warnings.append(error.sentence)
        }
        // libavformat treats this as a signed number.
        track.isTimescaleSound = (1...UInt32(Int32.max)).contains(track.mediaTimescale)
        if track.mediaTimescale == 0 {
            warnings.append("\(track.path)/mdia/mdhd: the timescale is 0")
            track.mediaTimescale = max(movieTimescale, 1)
        }
    }

    private mutating func parseTrack(_ box: Box) throws(ScrubError) {
        let path = track.path
        for child in Box.children(of: bytes, in: box.body, path: path, warnings: &warnings) {
            switch child.type {
            case .tkhd: try parseTrackHeader(child, path: "\(path)/tkhd")
            case .mdia: try parseMedia(child, path: "\(path)/mdia")
            case .edts:
                for part in Box.children(of: bytes, in: child.body, path: "\(path)/edts", warnings: &warnings)
                where part.type == .elst {
                    track.edits = try Edit.list(part, in: bytes, path: "\(path)/edts", warnings: &warnings)
                }
            case "tref":
                // Damage here does not affect any picture.
                var quiet: [String] = []
                let references = Box.children(of: bytes, in: child.body, path: "\(path)/tref", warnings: &quiet)
                if let timecode = references.first(where: { $0.type == "tmcd" && $0.body.count >= 4 }) {
                    track.timecodeTrackID = bigEndian32(bytes.span, at: timecode.body.lowerBound)
                }
                if let owner = references.first(where: { $0.type == "auxl" && $0.body.count >= 4 }) {
                    track.auxiliaryOf = bigEndian32(bytes.span, at: owner.body.lowerBound)
                }
            default: break
            }
        }
    }

    /// Parses the track header (ISO/IEC 14496-12, 8.3.2).
    private mutating func parseTrackHeader(_ box: Box, path: String) throws(ScrubError) {
        do throws(ScrubError) {
            let bytes = bytes
            let header = try box.fullHeader(in: bytes)
            var cursor = ByteCursor(bytes.span.extracting(header.fields))
            track.isEnabled = header.flags & 1 != 0
            try cursor.skip(header.version == 1 ? 16 : 8)
            track.id = try cursor.readUInt32()
            // Reserved, duration, reserved; then layer, alternate group, volume, reserved.
            try cursor.skip(4 + (header.version == 1 ? 8 : 4) + 8 + 8)
            var matrix: [Int32] = []
            for _ in 0..<9 { matrix.append(Int32(bitPattern: try cursor.readUInt32())) }
            track.matrix = matrix
            track.width = try cursor.readUInt32()
            track.height = try cursor.readUInt32()
        } catch {
            throw error.inBox(path)
        }
    }

    private mutating func parseMedia(_ box: Box, path: String) throws(ScrubError) {
        var information: Box?
        for child in Box.children(of: bytes, in: box.body, path: path, warnings: &warnings) {
            switch child.type {
            case .mdhd: try parseMediaHeader(child, path: "\(path)/mdhd")
            case .hdlr:
                let fields = try child.fullHeader(in: bytes).fields
                guard fields.count >= 8 else {
                    throw ScrubError(.badData, "is too short for the handler", place: .box("\(path)/hdlr"))
                }
                track.handler = FourCC(rawValue: bigEndian32(bytes.span, at: fields.lowerBound + 4))
            case .minf: information = information ?? child
            default: break
            }
        }
        // The sample entries are read by kind, so the handler must be known first, whatever the order of the boxes.
        guard let information else { return }
        for child in Box.children(of: bytes, in: information.body, path: "\(path)/minf", warnings: &warnings)
        where child.type == .stbl {
            try parseSampleTable(child, path: "\(path)/minf/stbl")
        }
    }

    /// Parses the media header (ISO/IEC 14496-12, 8.4.2).
    private mutating func parseMediaHeader(_ box: Box, path: String) throws(ScrubError) {
        do throws(ScrubError) {
            let bytes = bytes
            let header = try box.fullHeader(in: bytes)
            var cursor = ByteCursor(bytes.span.extracting(header.fields))
            try cursor.skip(header.version == 1 ? 16 : 8)
            track.mediaTimescale = try cursor.readUInt32()
            if header.version == 1 {
                track.mediaDuration = try cursor.readUInt64()
            } else {
                track.mediaDuration = UInt64(try cursor.readUInt32())
            }
        } catch {
            throw error.inBox(path)
        }
    }

    private mutating func parseSampleTable(_ box: Box, path: String) throws(ScrubError) {
        var tables = TrackTables()
        for child in Box.children(of: bytes, in: box.body, path: path, warnings: &warnings) {
            switch child.type {
            case .stsd where track.sampleEntries.isEmpty:
                track.sampleEntries = try SampleEntry.list(
                    child, in: bytes, handler: track.handler, path: path, warnings: &warnings)
            case .stts: tables.stts = child
            case .ctts: tables.ctts = child
            case .stsc: tables.stsc = tables.stsc ?? child
            case .stsz: tables.stsz = child
            case .stz2: tables.stz2 = child
            case .stco: tables.stco = child
            case .co64: tables.co64 = child
            case .stss: tables.stss = child
            case .stps: tables.stps = child
            case .sdtp: tables.sdtp = child
            case .sgpd: tables.sgpd.append(child)
            case .sbgp: tables.sbgp.append(child)
            default: break
            }
        }
        track.tables = tables
    }
}
