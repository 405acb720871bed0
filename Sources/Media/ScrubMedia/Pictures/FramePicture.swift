package import ScrubLibAV
internal import ScrubIndex

/// A decoded picture in the stream's own pixel format. It is immutable and shared without copying.
///
/// Thread safety: safe from any thread. Memory: the decoder's buffers for the picture, which are freed with the last
/// reference.
public struct FramePicture: Sendable {
    package let asset: VideoAsset
    /// The only owner of the planes, so that a session can detect when they are released.
    private let loan: HeldPicture

    package var shared: SharedFrame { loan.picture }

    package init(_ shared: SharedFrame, asset: VideoAsset) { self.init(HeldPicture(shared), asset: asset) }

    package init(_ loan: HeldPicture, asset: VideoAsset) {
        (self.loan, self.asset) = (loan, asset)
    }

    /// Marks the picture as held by a caller, after it has waited in a queue.
    package func handOut() { loan.handOut() }

    /// The visible width in samples, before rotation and aspect correction.
    public var width: Int { shared.frame.width }
    /// The visible height in samples, before rotation and aspect correction.
    public var height: Int { shared.frame.height }
    /// The pixel format's name in libav, such as `yuv420p10le`.
    public var pixelFormat: String { shared.frame.pixelFormat.name }
    /// The number of planes.
    public var planeCount: Int { shared.frame.planeCount }

    /// Returns a plane of samples.
    ///
    /// - Precondition: the plane exists.
    public func plane(_ number: Int) -> Plane {
        precondition((0..<planeCount).contains(number), "there is no plane \(number): use one of 0..<\(planeCount)")
        let shape = shared.frame.planeShape(number)
        return Plane(loan: loan, number: number, bytesPerRow: shape.bytesPerRow, rowCount: shape.rows)
    }

    /// Returns the MD5 of the visible samples: the planes in order, without row padding. `ffmpeg -noautorotate -f
    /// framemd5` prints the same value unless it also crops or converts the frame (see ``streamMD5()``).
    public func md5() throws(ScrubError) -> String {
        try translatingErrors("the picture cannot be hashed") { () throws(AVError) in try shared.frame.md5() }
    }

    /// Returns the MD5 of one plane's visible samples, without row padding.
    ///
    /// - Precondition: the plane exists.
    public func md5(ofPlane plane: Int) throws(ScrubError) -> String {
        precondition((0..<planeCount).contains(plane), "there is no plane \(plane): use one of 0..<\(planeCount)")
        return try translatingErrors("the picture cannot be hashed") { () throws(AVError) in
            try shared.frame.md5(planes: plane..<plane + 1)
        }
    }

    /// A plane of a picture: rows of samples, top row first.
    public struct Plane: Sendable {
        // The picture's owner, so that a retained plane keeps the picture counted.
        let loan: HeldPicture
        /// The index of the plane in the pixel format.
        public let number: Int
        /// The number of visible bytes in each row, without padding.
        public let bytesPerRow: Int
        /// The number of rows.
        public let rowCount: Int

        /// Calls a closure with the bytes of a row.
        ///
        /// - Precondition: the row exists.
        public func withRow<R, E: Error>(
            _ row: Int, _ body: (Span<UInt8>) throws(E) -> R
        ) throws(E) -> R {
            precondition((0..<rowCount).contains(row), "there is no row \(row): use one of 0..<\(rowCount)")
            return try loan.picture.withRow(row, plane: number, body)
        }
    }
}

extension FramePicture {
    /// Returns the MD5 that `ffmpeg -noautorotate -fps_mode passthrough -f framemd5` prints for the frame.
    ///
    /// This equals ``md5()``, except where ffmpeg does more than decode. FFmpeg 7.1 and later crop pictures to the area
    /// that the container specifies. If the picture size or format changes during a stream, ffmpeg converts every later
    /// picture to the size and format of the first one. This method does the same before it computes the hash.
    public func streamMD5() throws(ScrubError) -> String {
        let frame = try streamFrame()
        return try translatingErrors("the picture cannot be hashed") { () throws(AVError) in try frame.frame.md5() }
    }

    /// Returns the picture as the ffmpeg command outputs it: cropped, and in the first picture's size and format.
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

/// The size and pixel format of a picture.
struct PictureShape: Hashable, Sendable {
    var width: Int
    var height: Int
    var format: PixelFormat

    /// The shape reduced to the values that determine the samples, without their meaning.
    var coded: PictureShape {
        var shape = self
        shape.format = format.withoutRange
        return shape
    }

    init(_ frame: borrowing Frame) { (width, height, format) = (frame.width, frame.height, frame.pixelFormat) }
}

extension VideoAsset {
    /// Returns a decoded picture as the ffmpeg command outputs it.
    func asCommandShows(_ decoded: SharedFrame) throws(AVError) -> SharedFrame {
        let crop = index.facts.descriptions[0].commandCrop(
            width: decoded.frame.width, height: decoded.frame.height, format: decoded.frame.pixelFormat)
        return try crop.map { (area) throws(AVError) in SharedFrame(try decoded.frame.cropped(to: area)) } ?? decoded
    }

    /// Returns the first frame's shape as output by the ffmpeg command, if pictures of this stream can have a different
    /// one. This decodes that frame once.
    func firstShape(ifChanged picture: SharedFrame) throws(ScrubError) -> PictureShape? {
        let declared = index.facts.descriptions[0]
        // The sample format is not in the tables but in the first picture.
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
