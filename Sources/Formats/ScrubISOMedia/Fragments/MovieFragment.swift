import ScrubBase

/// A `moof` box, kept as bytes until a track is expanded (ISO/IEC 14496-12, 8.8.4).
struct MovieFragment: Sendable {
    /// The offset of the box in the file.
    let offset: Int64
    /// The bytes of the box with its header.
    let bytes: [UInt8]
    /// The size of the header in bytes.
    let headerSize: Int
}

/// The fragments of a file, shared by its tracks.
struct FragmentList: Sendable {
    var items: [MovieFragment] = []
    /// The defaults of all tracks, because the location of one track's data can depend on another track's sizes.
    var defaults: [UInt32: TrackDefaults] = [:]
    /// The start times of the subsegments that a segment index announces, by track and by offset in the file.
    var announcedStarts: [UInt32: [Int64: Int64]] = [:]
    /// Whether a segment index extends to the end of the file, so that a demuxer does not have to read all fragments
    /// first.
    var isAnnouncedToTheEnd = false
}

/// The fields of `tfhd`, with the track's defaults filled in (ISO/IEC 14496-12, 8.8.7).
struct FragmentHeader {
    var trackID: UInt32
    var baseDataOffset: Int64?
    var isBasedOnMoof: Bool
    var descriptionIndex: UInt32
    var duration: UInt32
    var size: UInt32
    var flags: UInt32

    /// Reads the box. Returns `nil` for a track without defaults in the movie box, which is not part of the movie.
    init?(_ box: Box, in bytes: [UInt8], defaults: [UInt32: TrackDefaults], path: String) throws(ScrubError) {
        do throws(ScrubError) {
            let header = try box.fullHeader(in: bytes)
            var cursor = ByteCursor(bytes.span.extracting(header.fields))
            trackID = try cursor.readUInt32()
            guard let track = defaults[trackID] else { return nil }
            if header.flags & 0x1 != 0 {
                guard let place = Int64(exactly: try cursor.readUInt64()) else {
                    throw ScrubError(.badData, "has an invalid base data offset")
                }
                baseDataOffset = place
            }
            isBasedOnMoof = header.flags & 0x2_0000 != 0
            descriptionIndex = header.flags & 0x2 != 0 ? try cursor.readUInt32() : track.descriptionIndex
            duration = header.flags & 0x8 != 0 ? try cursor.readUInt32() : track.duration
            size = header.flags & 0x10 != 0 ? try cursor.readUInt32() : track.size
            flags = header.flags & 0x20 != 0 ? try cursor.readUInt32() : track.flags
        } catch {
            throw error.inBox("\(path)/tfhd")
        }
    }
}

/// The fields of `trun` before its rows (ISO/IEC 14496-12, 8.8.8).
struct TrackRun {
    var dataOffset: Int64?
    var firstFlags: UInt32?
    var hasDurations: Bool
    var hasSizes: Bool
    var hasFlags: Bool
    var hasCompositionOffsets: Bool
    /// The start of the rows in the fragment's bytes.
    var start: Int
    /// The number of rows that the box claims, limited to those that fit if a row has a size.
    var count: Int
    var room: Int?

    /// The size of a row in bytes.
    var width: Int {
        (hasDurations ? 4 : 0) + (hasSizes ? 4 : 0) + (hasFlags ? 4 : 0) + (hasCompositionOffsets ? 4 : 0)
    }

    init(_ box: Box, in bytes: [UInt8], path: String) throws(ScrubError) {
        do throws(ScrubError) {
            let header = try box.fullHeader(in: bytes)
            var cursor = ByteCursor(bytes.span.extracting(header.fields))
            count = Int(try cursor.readUInt32())
            if header.flags & 0x1 != 0 { dataOffset = Int64(Int32(bitPattern: try cursor.readUInt32())) }
            if header.flags & 0x4 != 0 { firstFlags = try cursor.readUInt32() }
            hasDurations = header.flags & 0x100 != 0
            hasSizes = header.flags & 0x200 != 0
            hasFlags = header.flags & 0x400 != 0
            hasCompositionOffsets = header.flags & 0x800 != 0
            start = header.fields.lowerBound + cursor.position
            let left = cursor.remaining
            if width > 0 { room = left / width }
        } catch {
            throw error.inBox("\(path)/trun")
        }
    }
}
