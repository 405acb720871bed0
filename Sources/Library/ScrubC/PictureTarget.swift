#if compiler(>=6.3)
internal import CScrub
internal import Scrub
internal import ScrubMedia
internal import ScrubBase

/// What C wants of a picture, and where: a `scrub_picture` on its way.
///
/// `@safe`: the structure is the caller's for the length of the call, and its memory is written only where it says that
/// there is some.
@safe struct PictureTarget {
    private let layout: UInt32
    private let options: FramePicture.Options
    private let isPlain: Bool
    private let picture: UnsafeMutablePointer<scrub_picture>

    /// Looks at what is wanted, before anything is decoded for it.
    init(_ picture: UnsafeMutablePointer<scrub_picture>?) throws(ScrubError) {
        guard let picture = unsafe picture else { throw .null("the picture") }
        guard unsafe Int(picture.pointee.size) >= MemoryLayout<scrub_picture>.size else {
            throw unsafe .wrongSize("scrub_picture", picture.pointee.size, "SCRUB_PICTURE_INIT")
        }
        unsafe (self.picture, layout) = (picture, picture.pointee.layout)
        guard layout <= UInt32(SCRUB_RGBA16) else {
            throw ScrubError(.usage, "there is no layout \(layout)", advice: "take SCRUB_NATIVE to SCRUB_RGBA16")
        }
        let flags = unsafe picture.pointee.flags
        guard flags & ~UInt32(SCRUB_RAW_GEOMETRY | SCRUB_TONE_MAP) == 0 else {
            throw .flags("scrub_picture.flags", flags)
        }
        let width = unsafe Int(picture.pointee.want_width), height = unsafe Int(picture.pointee.want_height)
        guard width >= 0, height >= 0, layout != UInt32(SCRUB_NATIVE) || (width == 0 && height == 0) else {
            throw ScrubError(
                .usage, "\(width) x \(height) is not a size for this layout",
                advice: "give sides from 1 to 16384, or 0; native pictures have their own")
        }
        let size: FramePicture.Size =
            switch (width, height) {
            case (0, 0): .natural
            case (_, 0): .width(width)
            case (0, _): .height(height)
            default: .exact(width: width, height: height)
            }
        let isToneMapped = flags & UInt32(SCRUB_TONE_MAP) != 0
        options = FramePicture.Options(
            rawGeometry: flags & UInt32(SCRUB_RAW_GEOMETRY) != 0, size: size,
            dynamicRange: isToneMapped ? .forceSDR : .matchSource)
        isPlain = size == .natural && !isToneMapped
        clear()
    }

    /// Forgets what an earlier call left, so that nothing of it is taken for this one's.
    func clear() {
        unsafe picture.pointee.planes = 0
        unsafe picture.pointee.status = 0
        unsafe picture.pointee.verdict = Int32(SCRUB_UNDECODABLE)
        unsafe picture.pointee.frame = -1
    }

    /// Says what came, without pixels.
    func describe(_ answer: FrameAnswer) {
        unsafe picture.pointee.frame = Int64(answer.frame.number)
        unsafe picture.pointee.pts = answer.frame.presentationTime
        unsafe picture.pointee.decoded = Int32(clamping: answer.decodedPictures)
        unsafe picture.pointee.verdict = answer.verdict.number
        let reason = answer.verdict.reason?.inCommandWords ?? ""
        unsafe withUnsafeMutableBytes(of: &picture.pointee.reason) { unsafe CText.write(reason, into: $0) }
    }

    /// Says why there are no pixels. The shape stays, where it is known: too little memory is a failure too.
    func fail(_ error: ScrubError) {
        unsafe picture.pointee.status = error.code.exitStatus
        unsafe withUnsafeMutableBytes(of: &picture.pointee.reason) {
            unsafe CText.write(error.inCommandWords.description, into: $0)
        }
    }

    /// Says that the call was ended before there were pixels.
    func cancel() { unsafe picture.pointee.status = Int32(SCRUB_CANCELLED) }

    /// Takes an answer: shape, verdict, and the pixels where there is memory.
    ///
    /// - Throws: `badData` for a frame that cannot be decoded, `usage` for too little memory.
    func take(_ answer: FrameAnswer) throws(ScrubError) {
        describe(answer)
        do throws(ScrubError) {
            guard let made = answer.picture else {
                throw ScrubError(
                    .badData, answer.verdict.reason?.inCommandWords ?? "it cannot be decoded",
                    place: "frame \(answer.frame.number)")
            }
            try put(made)
            unsafe picture.pointee.status = 0
        } catch {
            fail(error)
            throw error
        }
    }

    private func put(_ made: FramePicture) throws(ScrubError) {
        let shapes: [(rowBytes: Int, rows: Int)]
        if layout == UInt32(SCRUB_NATIVE) {
            shapes = (0..<made.planeCount).map {
                let plane = made.plane($0)
                return (plane.bytesPerRow, plane.rowCount)
            }
            say(made.width, made.height, made.pixelFormat)
        } else {
            let size = try isPlain ? made.shownSize(options) : made.size(options)
            shapes = [(size.width * bytesPerPixel, size.height)]
            say(size.width, size.height, name)
        }
        guard try hasRoom(shapes) else { return }
        switch layout {
        case UInt32(SCRUB_NATIVE): copyPlanes(made)
        case UInt32(SCRUB_RGB8) where isPlain && shapes[0].rowBytes == stride(0): try writeRGB(made, shapes[0])
        case UInt32(SCRUB_RGB16): try writeRGB16(made, shapes[0])
        default: try write(made, shapes[0])
        }
    }

    private func say(_ width: Int, _ height: Int, _ format: String) {
        unsafe picture.pointee.width = Int32(clamping: width)
        unsafe picture.pointee.height = Int32(clamping: height)
        unsafe withUnsafeMutableBytes(of: &picture.pointee.pixel_format) { unsafe CText.write(format, into: $0) }
    }

    /// Says the planes' shapes, and whether all have memory.
    private func hasRoom(_ shapes: [(rowBytes: Int, rows: Int)]) throws(ScrubError) -> Bool {
        guard shapes.count <= 4 else {
            throw ScrubError(.unavailable, "the picture has \(shapes.count) planes, and there is room for 4")
        }
        unsafe picture.pointee.planes = Int32(shapes.count)
        var lacking: String?
        var isEmpty = false
        for plane in 0..<4 {
            let shape = plane < shapes.count ? shapes[plane] : (rowBytes: 0, rows: 0)
            set(\.row_bytes, plane, Int32(clamping: shape.rowBytes))
            set(\.rows, plane, Int32(clamping: shape.rows))
            guard plane < shapes.count else {
                set(\.needed, plane, 0)
                continue
            }
            if stride(plane) == 0 { set(\.stride, plane, shape.rowBytes) }
            let (before, isOver) = stride(plane).multipliedReportingOverflow(by: max(0, shape.rows - 1))
            let (needed, isMore) = before.addingReportingOverflow(shape.rowBytes)
            guard stride(plane) >= shape.rowBytes, !isOver, !isMore else {
                lacking = "plane \(plane) has rows of \(shape.rowBytes) bytes, and its stride is \(stride(plane))"
                continue
            }
            set(\.needed, plane, needed)
            if unsafe memory(plane) == nil {
                isEmpty = true
            } else if capacity(plane) < needed {
                lacking = "plane \(plane) takes \(needed) bytes, and there is room for \(capacity(plane))"
            }
        }
        if unsafe memory(0) == nil { return false }
        if lacking == nil, isEmpty { lacking = "a plane has no memory" }
        if let lacking {
            throw ScrubError(.usage, lacking, advice: "give as many bytes as scrub_picture.needed says, for each plane")
        }
        return true
    }

    private func copyPlanes(_ made: FramePicture) {
        for number in 0..<made.planeCount {
            guard let target = unsafe memory(number) else { continue }
            let plane = made.plane(number)
            let step = stride(number)
            for row in 0..<plane.rowCount {
                plane.withRow(row) { bytes in
                    unsafe bytes.withUnsafeBytes { source in
                        guard let base = source.baseAddress else { return }
                        unsafe (target + row * step).copyMemory(from: base, byteCount: source.count)
                    }
                }
            }
        }
    }

    private func writeRGB(_ made: FramePicture, _ shape: (rowBytes: Int, rows: Int)) throws(ScrubError) {
        guard let target = unsafe memory(0) else { return }
        let bytes = unsafe target.assumingMemoryBound(to: UInt8.self)
        var span = unsafe MutableSpan(_unsafeStart: bytes, count: shape.rowBytes * shape.rows)
        try made.writeRGB(into: &span, options)
    }

    private func write(_ made: FramePicture, _ shape: (rowBytes: Int, rows: Int)) throws(ScrubError) {
        guard let target = unsafe memory(0) else { return }
        let layout: PixelLayout =
            switch self.layout {
            case UInt32(SCRUB_RGB8): .rgb8
            case UInt32(SCRUB_RGBA8): .rgba8
            case UInt32(SCRUB_BGRA8): .bgra8
            case UInt32(SCRUB_GRAY8): .gray8
            default: .rgba16
            }
        let count = stride(0) * max(0, shape.rows - 1) + shape.rowBytes
        try unsafe made.write(
            layout, options: options, into: UnsafeMutableRawBufferPointer(start: target, count: count),
            bytesPerRow: stride(0))
    }

    /// Rows of red, green and blue out of rows with alpha, which is laid on black.
    private func writeRGB16(_ made: FramePicture, _ shape: (rowBytes: Int, rows: Int)) throws(ScrubError) {
        guard let target = unsafe memory(0) else { return }
        let image = try made.pixels(.rgba16, alpha: .premultiplied, options: options)
        let step = stride(0)
        unsafe image.bytes.withUnsafeBytes { source in
            guard let base = source.baseAddress else { return }
            for row in 0..<min(shape.rows, image.height) {
                for column in 0..<min(shape.rowBytes / 6, image.width) {
                    unsafe (target + row * step + column * 6).copyMemory(
                        from: base + row * image.bytesPerRow + column * 8, byteCount: 6)
                }
            }
        }
    }

    private var bytesPerPixel: Int {
        switch layout {
        case UInt32(SCRUB_GRAY8): 1
        case UInt32(SCRUB_RGB8): 3
        case UInt32(SCRUB_RGB16): 6
        case UInt32(SCRUB_RGBA16): 8
        default: 4
        }
    }

    private var name: String {
        switch layout {
        case UInt32(SCRUB_GRAY8): "gray"
        case UInt32(SCRUB_RGB8): "rgb24"
        case UInt32(SCRUB_RGBA8): "rgba"
        case UInt32(SCRUB_BGRA8): "bgra"
        case UInt32(SCRUB_RGB16): "rgb48"
        default: "rgba64"
        }
    }

    // C's arrays are tuples to Swift.
    private func memory(_ plane: Int) -> UnsafeMutableRawPointer? {
        let data = unsafe picture.pointee.data
        switch plane {
        case 0: return unsafe data.0
        case 1: return unsafe data.1
        case 2: return unsafe data.2
        default: return unsafe data.3
        }
    }

    private func capacity(_ plane: Int) -> Int { unsafe element(picture.pointee.capacity, plane) }
    private func stride(_ plane: Int) -> Int { unsafe element(picture.pointee.stride, plane) }

    private func element<Element>(_ all: (Element, Element, Element, Element), _ place: Int) -> Element {
        switch place {
        case 0: all.0
        case 1: all.1
        case 2: all.2
        default: all.3
        }
    }

    private func set<Element>(
        _ field: WritableKeyPath<scrub_picture, (Element, Element, Element, Element)>, _ place: Int, _ value: Element
    ) {
        switch place {
        case 0: unsafe picture.pointee[keyPath: field].0 = value
        case 1: unsafe picture.pointee[keyPath: field].1 = value
        case 2: unsafe picture.pointee[keyPath: field].2 = value
        default: unsafe picture.pointee[keyPath: field].3 = value
        }
    }
}

extension Verdict {
    /// The header's number.
    var number: Int32 {
        switch self {
        case .exact: Int32(SCRUB_EXACT)
        case .damaged: Int32(SCRUB_DAMAGED)
        case .approximate: Int32(SCRUB_APPROXIMATE)
        case .undecodable: Int32(SCRUB_UNDECODABLE)
        }
    }
}
#endif
