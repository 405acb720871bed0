#if compiler(>=6.3)
internal import CScrub
internal import Scrub
internal import ScrubReports
internal import ScrubMedia
internal import ScrubBase
internal import ScrubThumbnails

/// The thumbnails that C requests, and how they are made.
struct ThumbnailSettings {
    /// A field of `scrub_thumbnails` that not every function accepts.
    enum Field: String, CaseIterable {
        case widths, height, columns, rows, format, base_url, sizes
    }

    private let flags: UInt32
    private let positions: [FramePosition]?
    private let interval: Rational?
    private let shortestScene: Rational
    private let tolerance: ThumbnailPlan.Request.Tolerance?
    /// The maximum number of thumbnails or scenes; `nil` if none is given.
    private let count: Int?
    /// The sizes of thumbnails; `nil` for the function's default.
    let sizes: [ThumbnailPlan.Size]?
    /// In pixels, of the thumbnails or of the sheet.
    let width: Int?
    let columns: Int?
    let rows: Int?
    let threadCount: Int?
    /// `nil` for the function's default.
    let quality: Int?
    /// 0 for the function's default.
    let formatNumber: UInt32
    let background: RGBColor
    let baseURL: String?

    /// Reads a caller's structure.
    ///
    /// - Parameters:
    ///   - flags: the flags that the function accepts, besides those that all functions accept.
    ///   - fields: the optional fields that the function accepts.
    /// - Throws: `usage` for flags and fields that the function does not accept, and for values out of range.
    init(
        _ memory: UnsafePointer<scrub_thumbnails>?, flags: Int, fields: Set<Field>
    ) throws(ScrubError) {
        let said = try unsafe SizedCopy.value(memory)
        let known = UInt32(SCRUB_REPLACE | SCRUB_WAIT | SCRUB_SCENES | SCRUB_CLAMP | SCRUB_DEINTERLACE | flags)
        self.flags = unsafe said.flags
        guard self.flags & ~known == 0 else { throw .flags("scrub_thumbnails.flags", self.flags) }
        let excluded = UInt32(SCRUB_PLAN_ONLY | SCRUB_FROM_PREVIEWS)
        guard self.flags & excluded != excluded else {
            throw ScrubError(
                .usage, "SCRUB_PLAN_ONLY shows what would be decoded without previews",
                advice: "omit SCRUB_FROM_PREVIEWS")
        }
        let usesFields: [Field: Bool] = unsafe [
            .widths: said.widths != nil, .height: said.height != 0, .columns: said.columns != 0,
            .rows: said.rows != 0, .format: said.format != 0, .base_url: said.base_url != nil,
            .sizes: said.sizes != nil,
        ]
        for field in Field.allCases where usesFields[field] == true && !fields.contains(field) {
            throw ScrubError(
                .usage, "this function does not use scrub_thumbnails.\(field.rawValue)", advice: "set it to 0")
        }
        func number(_ said: Int32, _ name: String, _ most: Int32) throws(ScrubError) -> Int? {
            try CNumber.count(said, "scrub_thumbnails.\(name)", atMost: most)
        }
        columns = try unsafe number(said.columns, "columns", 65_535)
        rows = try unsafe number(said.rows, "rows", 65_535)
        width = try unsafe number(said.width, "width", 16_384)
        let height = try unsafe number(said.height, "height", 16_384)
        threadCount = try unsafe number(said.threads, "threads", 256)
        quality = try unsafe number(said.quality, "quality", 100)
        count = try unsafe number(Int32(clamping: said.count), "count", 100_000)
        let widths = try unsafe ThumbnailSettings.widths(said.widths)
        let listed = try unsafe ThumbnailSettings.sizes(said.sizes)
        let choices = [listed != nil, widths != nil, width != nil || height != nil]
        guard choices.count(where: { $0 }) <= 1 else {
            throw ScrubError(
                .usage, "scrub_thumbnails.widths, sizes, and width or height cannot be combined",
                advice: "set all but one of them to 0 or NULL")
        }
        sizes =
            switch (width, height) {
            case (nil, nil): listed ?? widths
            case (let width?, nil): [.width(width)]
            case (nil, let height?): [.height(height)]
            case (let width?, let height?): [.maximum(width: width, height: height)]
            }
        background = try unsafe RGBColor(number: said.background, "scrub_thumbnails.background")
        (formatNumber, baseURL) = unsafe (said.format, said.base_url.map { unsafe CText.read($0) })
        positions = try unsafe ThumbnailSettings.positions(said.positions)
        tolerance = try unsafe ThumbnailSettings.tolerance(
            said.tolerance, Rational(checked: said.tolerance_num, said.tolerance_den))
        interval = try unsafe CNumber.seconds(said.interval_num, said.interval_den, "scrub_thumbnails.interval")
        shortestScene =
            try unsafe CNumber.seconds(said.scene_num, said.scene_den, "scrub_thumbnails.scene", takesZero: true)
            ?? .one
        let isCounted = count != nil || self.flags & UInt32(SCRUB_SCENES) != 0
        guard [isCounted, interval != nil, positions != nil].count(where: { $0 }) <= 1 else {
            throw ScrubError(
                .usage, "scrub_thumbnails sets more than one of count, interval, positions and SCRUB_SCENES",
                advice: "set only one of them; only count and SCRUB_SCENES may be combined")
        }
    }

    private static func positions(
        _ texts: UnsafePointer<UnsafePointer<CChar>?>?
    ) throws(ScrubError) -> [FramePosition]? {
        guard unsafe texts != nil else { return nil }
        return try unsafe CText.list(texts).map { (text) throws(ScrubError) in try FramePosition(text) }
    }

    private static func widths(_ list: UnsafePointer<Int32>?) throws(ScrubError) -> [ThumbnailPlan.Size]? {
        guard let list = unsafe list else { return nil }
        var widths: [Int] = []
        while let width = try unsafe CNumber.count(list[widths.count], "scrub_thumbnails.widths", atMost: 16_384) {
            guard !widths.contains(width) else {
                throw ScrubError(
                    .usage, "scrub_thumbnails.widths contains \(width) twice", advice: "list each width once")
            }
            widths.append(width)
        }
        guard !widths.isEmpty else {
            throw ScrubError(.usage, "scrub_thumbnails.widths is empty", advice: "pass at least one width, or NULL")
        }
        return widths.sorted().map { .width($0) }
    }

    private static func sizes(_ text: UnsafePointer<CChar>?) throws(ScrubError) -> [ThumbnailPlan.Size]? {
        guard unsafe text != nil else { return nil }
        let text = try unsafe CText.read(text, "scrub_thumbnails.sizes")
        guard let sizes = ThumbnailPlan.Size.list(text) else {
            throw ScrubError(
                .usage, "scrub_thumbnails.sizes is '\(text)', which is not a list of sizes",
                advice: "use 160, 160x90, or 160,320,640")
        }
        return sizes
    }

    private static func tolerance(
        _ kind: UInt32, _ seconds: Rational?
    ) throws(ScrubError) -> ThumbnailPlan.Request.Tolerance? {
        switch kind {
        case UInt32(SCRUB_TOLERANCE_DEFAULT): return nil
        case UInt32(SCRUB_TOLERANCE_EXACT): return .exact
        case UInt32(SCRUB_TOLERANCE_KEYFRAME): return .keyframe
        case UInt32(SCRUB_TOLERANCE_AUTOMATIC): return .automatic
        case UInt32(SCRUB_TOLERANCE_SECONDS):
            guard let seconds, seconds >= .zero else {
                throw ScrubError(
                    .usage, "scrub_thumbnails.tolerance_num and tolerance_den are not a valid number of seconds",
                    advice: "use a fraction that is 0 or more")
            }
            return .within(seconds)
        default:
            throw ScrubError(
                .usage, "scrub_thumbnails.tolerance is \(kind)",
                advice: "use a value from SCRUB_TOLERANCE_DEFAULT to SCRUB_TOLERANCE_SECONDS")
        }
    }

    /// Whether a flag is set.
    func has(_ flag: Int) -> Bool { flags & UInt32(flag) != 0 }

    /// Whether the request selects thumbnails in any of the four ways.
    var isChosen: Bool { count != nil || positions != nil || interval != nil || has(SCRUB_SCENES) }

    /// Whether the thumbnails are not one interval apart.
    var isUneven: Bool { positions != nil || has(SCRUB_SCENES) }

    var plansOnly: Bool { has(SCRUB_PLAN_ONLY) }
    var replacesFiles: Bool { has(SCRUB_REPLACE) }
    var waits: Bool { has(SCRUB_WAIT) }
    var deinterlaces: Bool { has(SCRUB_DEINTERLACE) }

    /// Determines which thumbnails are requested. Finds scenes if they are requested.
    ///
    /// - Parameter standard: the request for a structure that does not select any.
    /// - Returns: the request, and the result of the scene search.
    func request(
        of asset: VideoAsset, standard: ThumbnailPlan.Request, _ progress: CallProgress
    ) throws(ScrubError) -> (request: ThumbnailPlan.Request, scenes: VideoScene.Report?) {
        var request = standard
        if let tolerance { request.tolerance = tolerance }
        if let interval { request.positions = .every(interval) }
        if let positions {
            request.positions = .at(
                try positions.map { (position) throws(ScrubError) in
                    .frame(try asset.resolved(position, clamps: has(SCRUB_CLAMP)).frame.number)
                })
        }
        guard has(SCRUB_SCENES) else {
            if let count { request.positions = .count(count) }
            return (request, nil)
        }
        let scenes = VideoScene.Options(
            maximumSceneCount: count, minimumDuration: shortestScene, threadCount: threadCount,
            tolerance: request.tolerance)
        let report = try asset.sceneReport(options: scenes) { progress.set($0) }
        request.positions = .scenes(report.scenes)
        return (request, report)
    }
}

extension CNumber {
    /// Returns seconds that C passes as a fraction; `nil` for 0/0, C's default.
    ///
    /// - Parameter takesZero: whether 0 seconds are allowed, as 0/1.
    /// - Throws: `usage` for a fraction that is not above 0.
    static func seconds(
        _ numerator: Int64, _ denominator: Int64, _ name: String, takesZero: Bool = false
    ) throws(ScrubError) -> Rational? {
        if numerator == 0, denominator == 0 { return nil }
        guard let seconds = Rational(checked: numerator, denominator), seconds > .zero || takesZero && seconds == .zero
        else {
            throw ScrubError(
                .usage, "\(name)_num and \(name)_den are \(numerator)/\(denominator)",
                advice: "use seconds above 0 as a fraction, or 0/0 for the default")
        }
        return seconds
    }
}

extension RGBColor {
    /// The color 0xRRGGBB.
    ///
    /// - Parameter name: the field's name, for messages.
    init(number: UInt32, _ name: String) throws(ScrubError) {
        guard number <= 0xFF_FFFF else {
            throw ScrubError(.usage, "\(name) is \(number)", advice: "use 0xRRGGBB")
        }
        self.init(
            red: UInt8(truncatingIfNeeded: number >> 16), green: UInt8(truncatingIfNeeded: number >> 8),
            blue: UInt8(truncatingIfNeeded: number))
    }
}

/// Where C receives a text: both addresses, or neither.
@safe struct TextPlace {
    private let bytes: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
    private let count: UnsafeMutablePointer<Int>?

    /// Empties it.
    init(_ bytes: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ count: UnsafeMutablePointer<Int>?) {
        unsafe (self.bytes, self.count) = (bytes, count)
        unsafe bytes?.pointee = nil
        unsafe count?.pointee = 0
    }

    /// Stores a text with a final 0, for `scrub_free`.
    func store(_ text: String) throws(ScrubError) { try store(Array(text.utf8) + [0], count: text.utf8.count) }

    /// Stores bytes for `scrub_free`.
    func store(_ content: [UInt8]) throws(ScrubError) { try store(content, count: content.count) }

    private func store(_ content: [UInt8], count number: Int) throws(ScrubError) {
        if let bytes = unsafe bytes { unsafe bytes.pointee = try CMemory.copy(content) }
        unsafe count?.pointee = number
    }

    /// Throws if there is no place for the result, the function's only product.
    func require(_ name: String) throws(ScrubError) {
        guard unsafe bytes != nil, unsafe count != nil else { throw .null(name) }
    }
}
#endif
