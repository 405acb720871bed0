package import ScrubBase

/// One track of a movie (ISO/IEC 14496-12, 8.3). The sample tables are kept as bytes until they are requested, so
/// unused tracks cost nothing.
package struct Track: Sendable {
    /// The track's index in the movie box, counted from 0; libavformat creates its streams in this order.
    package let position: Int
    /// The track's number in the file (`tkhd`), 0 if it has none.
    package internal(set) var id: UInt32 = 0
    /// The kind of the track (`hdlr`): `vide`, `soun`, `text` and so on.
    package internal(set) var handler = FourCC(rawValue: 0)
    /// Time units of the track per second (`mdhd`), never 0.
    package internal(set) var mediaTimescale: UInt32 = 1
    /// Whether the file specifies a timescale from 1 to 2^31 - 1.
    package internal(set) var isTimescaleSound = true
    /// The length that the track's header declares, in the track's timescale.
    package internal(set) var mediaDuration: UInt64 = 0
    /// Whether the track is part of the presentation (`tkhd` flag 1).
    package internal(set) var isEnabled = false
    /// The displayed width in 16.16 fixed point (`tkhd`).
    package internal(set) var width: UInt32 = 0
    /// The displayed height in 16.16 fixed point (`tkhd`).
    package internal(set) var height: UInt32 = 0
    /// The nine numbers of the display matrix in file order, 16.16 and 2.30 fixed point (`tkhd`, 6.2.2).
    package internal(set) var matrix: [Int32] = Track.identityMatrix
    /// The codings of the samples; more than one if the coding changes within the track.
    package internal(set) var sampleEntries: [SampleEntry] = []
    /// The edit list in file order, empty if the media is shown unedited.
    package internal(set) var edits: [Edit] = []
    /// The timecode track that belongs to this one (`tref`), if any.
    package internal(set) var timecodeTrackID: UInt32?
    /// The track for whose pictures this one has auxiliary pictures (`tref` of `auxl`, ISO/IEC 23008-12, 7.5.3), such
    /// as their transparency.
    package internal(set) var auxiliaryOf: UInt32?
    /// Whether this track continues in fragments (`trex`).
    package var isExtended: Bool { defaults != nil }
    /// The error that made the track's headers unreadable; ``sampleTable()`` throws it.
    package internal(set) var damage: ScrubError?

    /// The ranges of the tables in `moov`.
    var tables = TrackTables()
    var defaults: TrackDefaults?
    let moov: [UInt8]
    var fragments = FragmentList()
    /// The size of the file, which limits every count that is not backed by a table.
    var byteCount: Int64

    /// The identity matrix.
    package static let identityMatrix: [Int32] = [0x1_0000, 0, 0, 0, 0x1_0000, 0, 0, 0, 0x4000_0000]

    /// The box path of the track, for errors.
    package var path: String { "moov/trak[\(position)]" }

    /// The track whose transparency this one contains; `nil` for other tracks.
    package var alphaOf: UInt32? {
        guard let type = sampleEntries.first?.auxiliaryType else { return auxiliaryOf }
        return AlphaItem.meanings.contains(type) ? auxiliaryOf : nil
    }

    /// The number of samples that the movie box claims for the track, without fragments (`stsz`, `stz2`, ISO/IEC
    /// 14496-12, 8.7.3). Only this number is read.
    package var declaredSampleCount: Int {
        guard let box = tables.stsz ?? tables.stz2, box.body.count >= 12 else { return 0 }
        return Int(bigEndian32(moov.span, at: box.body.lowerBound + 8))
    }

    /// Whether any of the sample entries is protected.
    package var isProtected: Bool { sampleEntries.contains { $0.isProtected } }

    /// The only sample entry whose samples are demuxed, or `nil` if all are.
    ///
    /// A track whose entries differ in coding is reduced to the first coding, because no decoder can continue from one
    /// to another. The pairs that libavformat 5.1 accepts anyway are listed here, because this package's frame numbers
    /// count the packets that it demuxes.
    package var selectedEntry: Int? {
        guard let first = sampleEntries.first, sampleEntries.count > 1 else { return 0 }
        let coding = first.originalFormat
        if handler == .vide, ["jpeg", "apcn", "apch", "dvpp", "dvcp"].contains(coding) { return nil }
        let follows = sampleEntries.dropFirst().contains { entry in
            entry.format == coding || (coding == "AV1x" && entry.format == "AVup")
        }
        return follows ? nil : 0
    }

    /// Returns the samples of the track, expanded from its tables and fragments.
    ///
    /// Cost: time and memory in proportion to the number of samples; a few milliseconds for a long film.
    ///
    /// - Throws: ``ScrubError/Code/badData`` with the box path if the tables contradict each other.
    package func sampleTable() throws(ScrubError) -> SampleTable {
        if let damage { throw damage }
        var builder = SampleTableBuilder(track: self)
        try builder.addMovieSamples()
        try builder.addFragments()
        return builder.finished()
    }
}

/// The ranges of a sample table's boxes in the movie box (ISO/IEC 14496-12, 8.5).
struct TrackTables: Sendable {
    var stts: Box?
    var ctts: Box?
    var stsc: Box?
    var stsz: Box?
    var stz2: Box?
    var stco: Box?
    var co64: Box?
    var stss: Box?
    var stps: Box?
    var sdtp: Box?
    var sgpd: [Box] = []
    var sbgp: [Box] = []
}

/// The values that a track's fragments use unless they have their own (`trex`, ISO/IEC 14496-12, 8.8.3).
struct TrackDefaults: Sendable {
    var trackID: UInt32
    var descriptionIndex: UInt32
    var duration: UInt32
    var size: UInt32
    var flags: UInt32
}
