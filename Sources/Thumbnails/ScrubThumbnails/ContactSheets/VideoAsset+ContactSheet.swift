internal import ScrubFileIO
internal import ScrubBase
internal import ScrubPictures

extension ContactSheet {
    /// Options for a contact sheet: pictures of a video below a header that describes it.
    public struct Options: Hashable, Sendable {
        /// The file format of a sheet.
        public enum Format: String, Hashable, Sendable, CaseIterable {
            /// JPEG: small, without transparency.
            case jpeg
            /// PNG: lossless.
            case png
            /// WebP.
            case webp
            /// AVIF: the smallest, where libavif is installed.
            case avif
            /// SVG with embedded pictures and selectable text.
            case svg
        }

        /// The pictures to show. The default is twenty pictures, evenly distributed over the video. Each is the picture
        /// near its time that is cheapest to decode.
        public var request = ThumbnailPlan.Request(.count(20), tolerance: .automatic)
        /// The number of columns, 1 to 100.
        public var columns = 4
        /// The width of the whole sheet in pixels, 64 to 16,384. The pictures fill this width, and each must be at
        /// least 16 pixels wide.
        public var width = 1600
        /// Whether to show the time and the frame number on each picture.
        public var showsTimes = true
        /// The file format of the sheet.
        public var format = Format.jpeg
        /// The encoder's quality, 1 to 100. It has no effect on PNG. For SVG, it applies to the embedded pictures.
        public var quality = 90
        /// The number of threads that decode, 1 or more; `nil` for one per processor.
        public var threadCount: Int?
        /// The color behind transparent pixels, 0...255 for red, green and blue. Default black.
        public var background = RGBColor.black
        /// Whether to interpolate the missing rows of interlaced pictures along edges
        /// (``ThumbnailPlan/Options/deinterlaces``).
        public var deinterlaces = false

        /// Creates options with default values.
        public init() {}
    }
}

/// A contact sheet in memory.
public struct ContactSheet: Sendable {
    /// The file's bytes.
    public let bytes: [UInt8]
    /// The sheet's width in pixels.
    public let width: Int
    /// The sheet's height in pixels.
    public let height: Int
    /// The pictures on the sheet, in chronological order. Pictures that repeat the previous one are not included.
    public let slots: [ThumbnailPlan.Slot]
    /// The note on the sheet about pictures that show a frame other than the one at their time; `nil` if there are
    /// none.
    public let approximationNote: String?
    /// Warnings about options that could not be applied, one sentence each.
    public let warnings: [Wording]
    /// The number of coded pictures that were decoded for the sheet.
    package let decodedPictureCount: Int
}

extension VideoAsset {
    /// Makes a contact sheet.
    ///
    /// The call decodes on as many threads as the options specify. If its task is cancelled, it stops between two
    /// pictures. Memory: all pictures of the sheet, and two copies of the sheet's pixels.
    ///
    /// - Parameters:
    ///   - options: the pictures to show, and the layout of the sheet.
    ///   - progress: receives the progress, counted in ``WorkProgress/Unit/thumbnails``, on one of the library's
    ///     threads.
    /// - Throws: `usage` if a value is out of range, or if the sheet would be more than 16,384 pixels high or have more
    ///   than 100 million pixels. `badData` if no picture can be decoded. `unavailable` if FFmpeg was built without
    ///   librsvg, which is needed for all formats except SVG, or if libavif is not installed, which is needed for AVIF.
    ///   `CancellationError` if the task was cancelled.
    public func contactSheet(
        options: ContactSheet.Options = .init(),
        progress: @escaping @Sendable (WorkProgress) -> Void = { _ in }
    ) async throws -> ContactSheet {
        try await BlockingWork.run(.long) {
            try self.contactSheet(options: options, progress: progress)
        }
    }

    /// Makes a contact sheet synchronously, on the calling thread. See the asynchronous method.
    ///
    /// - Throws: ``ScrubError/cancelled`` between two pictures if the work on this thread is cancelled.
    package func contactSheet(
        options: ContactSheet.Options = .init(), progress: (WorkProgress) -> Void = { _ in }
    ) throws(ScrubError) -> ContactSheet {
        let layout = try ContactSheetLayout(options, shape: try uprightShape())
        let plan = try thumbnailPlan(for: options.request)
        let slots = plan.slots.filter { !$0.isRepeat }
        try layout.check(count: slots.count)
        if options.format == .avif { try AVIF.checkIsAvailable() }
        var thumbnails = ThumbnailPlan.Options()
        (thumbnails.threadCount, thumbnails.background) = (options.threadCount, options.background)
        thumbnails.deinterlaces = options.deinterlaces
        thumbnails.sizes = [.standard(layout.columnWidth)]
        let extractor = try ThumbnailExtractor(self, thumbnails, for: plan.tolerance == .exact ? .exact : .near)
        let frames = Set(slots.map(\.frameNumber))
        var (pictures, warnings, reason) = ([Int: RasterImage](), Set<String>(), Wording?.none)
        var done = 0
        progress(WorkProgress(0, of: frames.count, .thumbnails))
        do throws(ScrubError) {
            try extractor.extract(Array(frames)) { (answer) throws(ScrubError) in
                if let image = answer.images.first {
                    pictures[answer.frame] = image
                } else {
                    reason = answer.verdict.wording
                }
                warnings.formUnion(answer.warnings)
                done += 1
                progress(WorkProgress(done, of: frames.count, .thumbnails))
                try Cancellation.check()
            }
        } catch  where error.isCancellation {
            throw .cancelled(
                "cancelled after \(done) of \(frames.count) pictures", advice: "\(term: .callAgain)")
        }
        guard !pictures.isEmpty else {
            throw ScrubError(.badData, "no picture can be decoded: \(reason ?? "" as Wording)", file: path)
        }
        var (cells, images) = ([ContactSheetDrawing.Cell](), [Int: RasterImage]())
        for (number, slot) in slots.enumerated() {
            images[number] = pictures[slot.frameNumber]
            var jpeg: [UInt8] = []
            if options.format == .svg, let image = pictures[slot.frameNumber] {
                jpeg = try ImageFormat.jpeg.encode(image, quality: options.quality)
            }
            cells.append(.init(jpeg: jpeg, label: self.frames[slot.frameNumber].timeText, note: "\(slot.frameNumber)"))
        }
        let sheet = ContactSheetDrawing(
            title: path.mediumName, facts: try facts() + (plan.approximationNote.map { [$0] } ?? []), cells: cells,
            size: extractor.sizes[0],
            columns: options.columns, words: options.showsTimes ? .inside : .nowhere, width: options.width)
        var bytes = Array(sheet.svg.utf8)
        if let format = ImageFormat(rawValue: options.format.rawValue) {
            let image = try ContactSheetPainter.paint(sheet, images)
            bytes = try format.encode(
                image, quality: options.quality, sampling: .full, threads: options.threadCount ?? Processors.count)
        }
        return ContactSheet(
            bytes: bytes, width: sheet.width, height: sheet.height, slots: slots,
            approximationNote: plan.approximationNote,
            warnings: omissions + warnings.sorted().map { Wording($0) }, decodedPictureCount: plan.decodedPictureCount)
    }

    /// Returns a contact sheet's text about the video: the file, then its pictures, then its audio if it has any.
    func facts() throws(ScrubError) -> [String] {
        let info = try info()
        let size = file.byteCount
        var whole = [TimeText(duration).clock, ContactSheetLayout.size(ofBytes: size)]
        // Rates of one megabit per second or more have one decimal; lower rates are in kilobits.
        let rate = duration > .zero ? Double(size) * 8 / (Double(duration.numerator) / Double(duration.denominator)) : 0
        if rate >= 1e6 {
            whole.append(PlainText.tenths(rate / 1e6) + " Mb/s")
        } else if rate > 0 {
            whole.append("\(Int((rate / 1e3).rounded())) kb/s")
        }
        // libavformat lists all formats of a demuxer: `mov,mp4,m4a`.
        let containers = info.container.split(separator: ",").map(String.init)
        let suffix = path.mediumName.split(separator: ".").last.map { $0.lowercased() } ?? ""
        whole.append(containers.contains(suffix) ? suffix : containers.first ?? info.container)
        let shape = try uprightShape()
        var pictures = ["\(info.width) x \(info.height)"]
        if (shape.width, shape.height) != (info.width, info.height) {
            pictures[0] += " (shown \(shape.width) x \(shape.height))"
        }
        pictures += [info.codec, info.pixelFormat]
        if info.frameCount > 1, let rate = info.frameRate ?? info.averageFrameRate {
            pictures.append(PlainText.thousandths(rate.doubleValue) + " fps")
        }
        pictures.append("\(info.frameCount) \(info.frameCount == 1 ? "frame" : "frames")")
        pictures += info.hdr?.names(info.color) ?? []
        let sound = info.streams.compactMap(\.soundText)
        return [whole, pictures, sound].filter { !$0.isEmpty }.map { $0.joined(separator: " \u{B7} ") }
    }
}

extension VideoInfo.HDR {
    /// Returns the common names of a high dynamic range format: HDR10, HLG, Dolby Vision.
    fileprivate func names(_ color: VideoInfo.Color) -> [String] {
        // HDR10 is PQ with BT.2020 primaries, with or without mastering display metadata.
        let base = transfer == "PQ" && color.primaries == "bt2020" ? "HDR10" : transfer
        let vision = dolbyVision.map { "Dolby Vision \($0.profile).\($0.compatibility)" }
        return [base ?? (vision == nil ? "HDR" : nil), vision].compactMap { $0 }
    }
}

extension VideoInfo.Stream {
    /// A sheet's description of an audio stream; `nil` for other streams.
    fileprivate var soundText: String? {
        guard kind == .audio else { return nil }
        let rate = sampleRate.map { PlainText.thousandths(Double($0) / 1000) + " kHz" }
        let channels = channelLayout ?? channelCount.map { PlainText.amount($0, "channel") }
        return [codec, channels, rate, language].compactMap { $0 }.joined(separator: " ")
    }
}

/// The sizes of a sheet's pictures, computed before any picture is decoded.
struct ContactSheetLayout {
    /// The size of a picture.
    let size: PictureSize
    /// The width available for a picture.
    let columnWidth: Int
    private let options: ContactSheet.Options

    init(_ options: ContactSheet.Options, shape: (width: Int, height: Int)) throws(ScrubError) {
        self.options = options
        guard (64...PictureSize.longestSide).contains(options.width) else {
            throw ScrubError.wrongRequest(
                "a sheet cannot be \(options.width) pixels wide", advice: "use 64 to \(PictureSize.longestSide)")
        }
        guard (1...100).contains(options.columns), (1...100).contains(options.quality) else {
            throw ScrubError.wrongRequest(
                "the number of columns (\(options.columns)) or the quality (\(options.quality)) is out of range",
                advice: "use 1 to 100 for each")
        }
        let room = options.width - 2 * ContactSheetDrawing.margin - (options.columns - 1) * ContactSheetDrawing.gap
        let width = room / options.columns / 2 * 2
        guard width >= 16 else {
            throw ScrubError.wrongRequest(
                "\(options.columns) columns in \(options.width) pixels leave less than 16 pixels for each picture",
                advice: "use fewer columns or a larger width")
        }
        columnWidth = width
        size = try ThumbnailPlan.Size.standard(width).fitting(shape)
    }

    /// Checks the size of the sheet.
    ///
    /// - Throws: `usage` if this many pictures make a sheet that is too large.
    func check(count: Int) throws(ScrubError) {
        // The header is a small part of it.
        let height = ((count + options.columns - 1) / options.columns) * (size.height + ContactSheetDrawing.gap) + 300
        guard height <= PictureSize.longestSide, height * options.width <= SVGPainter.mostPixels else {
            throw ScrubError(
                .usage, "a sheet of \(count) pictures would be too large: \(options.width) x \(height) pixels",
                advice: "use fewer pictures, more columns, or a smaller width")
        }
    }

    /// Returns a file size in the usual form.
    static func size(ofBytes count: Int64) -> String {
        let units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"]
        var (value, place) = (Double(count), 0)
        while value >= 1024, place + 1 < units.count { (value, place) = (value / 1024, place + 1) }
        return place == 0 ? "\(count) B" : PlainText.tenths(value) + " " + units[place]
    }
}

extension PlainText {
    /// Returns a number with one decimal, for display.
    fileprivate static func tenths(_ value: Double) -> String {
        let whole = Int((value * 10).rounded())
        return "\(whole / 10).\(whole % 10)"
    }

    /// Returns a number with up to three decimals, for display.
    fileprivate static func thousandths(_ value: Double) -> String {
        guard value < 1e9 else { return "\(value)" }
        let whole = Int((value * 1000).rounded())
        guard whole % 1000 != 0 else { return "\(whole / 1000)" }
        var digits = padded(whole % 1000, to: 3)
        while digits.hasSuffix("0") { digits.removeLast() }
        return "\(whole / 1000).\(digits)"
    }
}
