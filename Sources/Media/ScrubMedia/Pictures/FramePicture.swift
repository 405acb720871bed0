package import ScrubLibAV
internal import ScrubIndex

/// A decoded picture in the stream's own pixel format. Immutable; shared without copying.
///
/// Thread safety: safe from any thread. Memory: the decoder's buffers for it, freed with the last reference.
public struct FramePicture: Sendable {
    package let asset: VideoAsset
    /// The only owner of the planes, so that a session knows when they are let go.
    private let loan: PictureLoan

    package var shared: SharedFrame { loan.picture }

    package init(_ shared: SharedFrame, asset: VideoAsset) { self.init(PictureLoan(shared), asset: asset) }

    package init(_ loan: PictureLoan, asset: VideoAsset) {
        (self.loan, self.asset) = (loan, asset)
    }

    /// Says that a caller has it from now on, where it waited in a queue before.
    package func handOut() { loan.handOut() }

    /// Visible columns of samples, before rotation and aspect correction.
    public var width: Int { shared.frame.width }
    /// Visible rows.
    public var height: Int { shared.frame.height }
    /// libav's name of the pixel format, such as `yuv420p10le`.
    public var pixelFormat: String { shared.frame.pixelFormat.name }
    /// The number of planes of samples.
    public var planeCount: Int { shared.frame.planeCount }

    /// Returns one plane of samples.
    ///
    /// - Precondition: the plane exists.
    public func plane(_ number: Int) -> Plane {
        precondition((0..<planeCount).contains(number), "there is no plane \(number): name one of 0..<\(planeCount)")
        let shape = shared.frame.planeShape(number)
        return Plane(loan: loan, number: number, bytesPerRow: shape.bytesPerRow, rowCount: shape.rows)
    }

    /// Returns the MD5 of the visible samples, planes in order, rows without padding. `ffmpeg -noautorotate -f
    /// framemd5` prints it for the frame if it does nothing but decode (``streamMD5()``).
    public func md5() throws(ScrubError) -> String {
        try translatingErrors("the picture cannot be hashed") { () throws(AVError) in try shared.frame.md5() }
    }

    /// Returns the MD5 of one plane's visible samples, rows without padding.
    ///
    /// - Precondition: the plane exists.
    public func md5(ofPlane plane: Int) throws(ScrubError) -> String {
        precondition((0..<planeCount).contains(plane), "there is no plane \(plane): name one of 0..<\(planeCount)")
        return try translatingErrors("the picture cannot be hashed") { () throws(AVError) in
            try shared.frame.md5(planes: plane..<plane + 1)
        }
    }

    /// A plane of a picture: rows of samples, top row first.
    public struct Plane: Sendable {
        // The picture's owner, so that a plane that is kept counts as the picture does.
        let loan: PictureLoan
        /// The plane's place in the pixel format.
        public let number: Int
        /// Visible bytes in each row, without padding.
        public let bytesPerRow: Int
        /// The number of rows.
        public let rowCount: Int

        /// Lends the bytes of a row.
        ///
        /// - Precondition: the row exists.
        public func withRow<R, E: Error>(
            _ row: Int, _ body: (Span<UInt8>) throws(E) -> R
        ) throws(E) -> R {
            precondition((0..<rowCount).contains(row), "there is no row \(row): name one of 0..<\(rowCount)")
            return try loan.picture.withRow(row, plane: number, body)
        }
    }
}

extension FramePicture {
    /// Returns the figure that `ffmpeg -noautorotate -fps_mode passthrough -f framemd5` prints for the frame.
    ///
    /// This is ``md5()``, except where ffmpeg's command does more than decode. Since FFmpeg 7.1 it cuts off the parts
    /// that the container wants cut off. If a stream changes its picture size or format on the way it scales every
    /// later picture to the first one's. So does this before it hashes.
    public func streamMD5() throws(ScrubError) -> String {
        let frame = try streamFrame()
        return try translatingErrors("the picture cannot be hashed") { () throws(AVError) in try frame.frame.md5() }
    }

    /// Returns the picture as ffmpeg's command shows it: cropped, and in the first one's size and format.
    package func streamFrame() throws(ScrubError) -> SharedFrame {
        let first = try asset.firstShape(ifChanged: shared)
        return try translatingErrors("the picture cannot be cropped or scaled") { () throws(AVError) in
            let seen = try asset.asCommandShows(shared)
            let shape = PictureShape(seen.frame)
            let isKept = asset.index.facts.ignoresRange ? first?.coded == shape.coded : first == shape
            guard let first, !isKept else { return seen }
            return SharedFrame(try seen.frame.resized(width: first.width, height: first.height, format: first.format))
        }
    }
}

/// Size and pixel format of a picture.
struct PictureShape: Hashable, Sendable {
    var width: Int
    var height: Int
    var format: PixelFormat

    /// The shape with the values that decide about the samples, and not about their meaning.
    var coded: PictureShape {
        var shape = self
        shape.format = format.withoutRange
        return shape
    }

    init(_ frame: borrowing Frame) { (width, height, format) = (frame.width, frame.height, frame.pixelFormat) }
}

extension VideoAsset {
    /// Returns a decoded picture as ffmpeg's command hands it out.
    func asCommandShows(_ decoded: SharedFrame) throws(AVError) -> SharedFrame {
        let crop = index.facts.descriptions[0].commandCrop(
            width: decoded.frame.width, height: decoded.frame.height, format: decoded.frame.pixelFormat)
        return try crop.map { (area) throws(AVError) in SharedFrame(try decoded.frame.cropped(to: area)) } ?? decoded
    }

    /// Returns the first frame's shape as ffmpeg's command hands it out, if pictures of this stream can have another.
    /// That frame is decoded for it, once.
    func firstShape(ifChanged picture: SharedFrame) throws(ScrubError) -> PictureShape? {
        let declared = index.facts.descriptions[0]
        // Tables do not tell samples' format: the first picture does.
        let isAsDeclared =
            picture.frame.width == Int(declared.width) && picture.frame.height == Int(declared.height)
            && picture.frame.pixelFormat.rawValue == declared.pixelFormat
        guard index.facts.changesParameters || !isAsDeclared else { return nil }
        if let known = shape.withLock({ $0 }) { return known }
        var reader = FrameReader(self)
        guard let first = try reader.frame(at: .first).picture else { return nil }
        let found = try translatingErrors("the first picture cannot be cropped") { () throws(AVError) in
            PictureShape(try asCommandShows(first.shared).frame)
        }
        shape.withLock { $0 = found }
        return found
    }
}
