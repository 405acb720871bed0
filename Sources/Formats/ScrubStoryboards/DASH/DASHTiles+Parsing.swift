package import ScrubBase

extension Storyboard.DASHTiles {
    /// Returns the thumbnail sets of a presentation, under either name of the tile property; other sets are ignored.
    ///
    /// The `SegmentTemplate` of the set or its representation is used; one in the period is not.
    ///
    /// - Throws: ``ScrubError/Code/badData`` with the byte offset if the text is not a presentation with a known
    ///   duration or if a thumbnail set lacks a required attribute.
    package static func sets(parsing presentation: String) throws(ScrubError) -> [Storyboard.DASHTiles] {
        let tags = try XMLTag.tags(presentation)
        guard let root = tags.first, root.name == "MPD" else { throw XMLTag.fault(0, "it is not a DASH presentation") }
        var scanner = TileScanner(length: root.attributes["mediaPresentationDuration"])
        for tag in tags { try scanner.take(tag) }
        return scanner.sets
    }
}

/// The state at a position in a presentation.
private struct TileScanner {
    var sets: [Storyboard.DASHTiles] = []
    private let length: String?
    private var period: String?
    private var adaptationSet: [String: String] = [:]
    private var setTemplate: [String: String] = [:]
    private var representation: [String: String]?
    private var template: [String: String] = [:]
    private var setTiles: String?
    private var tiles: String?

    init(length: String?) { self.length = length }

    mutating func take(_ tag: XMLTag) throws(ScrubError) {
        let (attributes, isStart) = (tag.attributes, !tag.isClosing)
        switch tag.name {
        case "Period": period = isStart ? attributes["duration"] : nil
        case "AdaptationSet":
            (adaptationSet, setTemplate, setTiles) = (isStart ? attributes : [:], [:], nil)
        case "SegmentTemplate" where isStart:
            if representation == nil { setTemplate = attributes } else { template = attributes }
        case "EssentialProperty" where isStart, "SupplementalProperty" where isStart:
            let scheme = attributes["schemeIdUri"]
            guard scheme == Storyboard.DASHTiles.property || scheme == Storyboard.DASHTiles.legacyProperty else {
                return
            }
            if representation == nil { setTiles = attributes["value"] } else { tiles = attributes["value"] }
        case "Representation":
            if isStart { (representation, template, tiles) = (attributes, [:], nil) }
            if !tag.isOpening { try end(tag) }
        default: break
        }
    }

    /// Ends a representation, which may or may not be a thumbnail set.
    private mutating func end(_ tag: XMLTag) throws(ScrubError) {
        defer { representation = nil }
        guard let representation, let grid = tiles ?? setTiles else { return }
        let facts = adaptationSet.merging(representation) { $1 }
        let segments = setTemplate.merging(template) { $1 }
        let scale = segments["timescale"].map { Int64($0) } ?? 1
        guard let (columns, rows) = grid.pair, Storyboard.grids.contains(columns), Storyboard.grids.contains(rows),
            let width = facts["width"]?.naturalNumber, let height = facts["height"]?.naturalNumber,
            Storyboard.sides.contains(width), Storyboard.sides.contains(height), width >= columns, height >= rows,
            let bandwidth = facts["bandwidth"]?.naturalNumber
        else { throw XMLTag.fault(tag.place, "a thumbnail set needs width, height, bandwidth and a grid") }
        guard let media = segments["media"], let units = segments["duration"].flatMap({ Int64($0) }), units > 0,
            let scale, scale > 0, let time = Rational(checked: units, scale),
            let start = segments["startNumber"].map({ $0.naturalNumber }) ?? 1, start <= UInt32.max
        else { throw XMLTag.fault(tag.place, "a thumbnail set needs a SegmentTemplate with media and duration") }
        guard let duration = (period ?? length).flatMap(Self.seconds), duration > .zero else {
            throw XMLTag.fault(tag.place, "the presentation has no duration")
        }
        let set = Storyboard.DASHTiles(
            id: facts["id"] ?? "", mimeType: facts["mimeType"] ?? "", bandwidth: bandwidth, width: width,
            height: height, columns: columns, rows: rows, media: media, startNumber: start, sheetDuration: time,
            duration: duration)
        // The manifest has no bytes for each tile. Sheets are checked first, so that the product of both fits.
        let (most, perSheet) = (Storyboard.mostThumbnails, columns * rows)
        guard perSheet <= most, set.sheetCount <= most, (set.sheetCount - 1) * perSheet < most else {
            throw XMLTag.fault(tag.place, "a thumbnail set has more than \(most) tiles")
        }
        sets.append(set)
    }

    /// Returns the seconds of an XML Schema duration without years and months, which have no fixed length:
    /// `P1DT2H3M4.5S`.
    private static func seconds(_ text: String) -> Rational? {
        var rest = text[...]
        guard rest.popFirst() == "P" else { return nil }
        var (sum, isTime, number) = (Rational.zero, false, "")
        while let next = rest.popFirst() {
            let unit: Int64
            switch (next, isTime) {
            case ("T", false) where number.isEmpty:
                isTime = true
                continue
            case ("D", false): unit = 86_400
            case ("H", true): unit = 3600
            case ("M", true): unit = 60
            case ("S", true): unit = 1
            default:
                number.append(next)
                continue
            }
            guard let value = Rational(decimal: number)?.multiplied(by: Rational(unit)), value >= .zero,
                let total = sum.adding(value)
            else { return nil }
            (sum, number) = (total, "")
        }
        return number.isEmpty ? sum : nil
    }
}
