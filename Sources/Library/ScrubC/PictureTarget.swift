#if compiler(>=6.3)
internal import CScrub
internal import Scrub
internal import ScrubMedia
internal import ScrubBase

/// A `scrub_picture` in progress: what C requests of a picture, and the memory for it.
///
/// `@safe`: the caller owns the structure for the duration of the call, and only the memory that it declares is
/// written.
@safe final class PictureTarget {
    /// `nil` for the decoder's own planes.
    private let packing: FramePicture.Packing?
    private let options: FramePicture.Options
    /// The caller's structure. Each change is written to it by ``store()``.
    private let memory: UnsafeMutablePointer<scrub_picture>
    private var said: SizedCopy<scrub_picture>

    /// Checks the request before anything is decoded.
    convenience init(_ picture: UnsafeMutablePointer<scrub_picture>?) throws(ScrubError) {
        guard let picture = unsafe picture else { throw .null("the picture") }
        try unsafe self.init(keeping: picture)
        clear()
    }

    /// Like ``init(_:)``, but leaves the picture unchanged.
    private init(keeping picture: UnsafeMutablePointer<scrub_picture>) throws(ScrubError) {
        let said = try unsafe SizedCopy(picture)
        unsafe (memory, self.said) = (picture, said)
        packing = try FramePicture.Packing(layout: said.value.layout)
        let flags = said.value.flags
        guard flags & ~UInt32(SCRUB_RAW_GEOMETRY | SCRUB_TONE_MAP | SCRUB_ALIGNED_ROWS) == 0 else {
            throw .flags("scrub_picture.flags", flags)
        }
        let width = Int(said.value.want_width), height = Int(said.value.want_height)
        guard width >= 0, height >= 0, packing != nil || (width == 0 && height == 0) else {
            throw ScrubError(
                .usage, "\(width) x \(height) is not a valid size for this layout",
                advice: "use sides from 1 to 16384, or 0; native pictures allow only 0")
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
            appliesGeometry: flags & UInt32(SCRUB_RAW_GEOMETRY) == 0, size: size,
            dynamicRange: isToneMapped ? .forceSDR : .matchSource)
    }

    /// Reads the pictures of an array. Its structures all have the size that the first one declares.
    static func all(
        _ pictures: UnsafeMutablePointer<scrub_picture>, _ count: Int
    ) throws(ScrubError) -> [PictureTarget] {
        let step = try unsafe SizedCopy(pictures).byteCount
        // A size_t above Int.max arrives as a negative number. No C array has that many bytes.
        guard (1...Int.max / step).contains(count) else {
            throw ScrubError(
                .usage, "\(UInt(bitPattern: count)) frames were requested in one call",
                advice: "request fewer at a time")
        }
        var targets: [PictureTarget] = []
        for place in 0..<count {
            let memory = unsafe UnsafeMutableRawPointer(pictures) + place * step
            // Check the size before reading the fields after it, which may not exist.
            let size = unsafe memory.load(as: UInt32.self)
            guard Int(size) == step else {
                throw ScrubError(
                    .usage,
                    "the size of the first scrub_picture is \(step) bytes, but that of number \(place) is \(size)",
                    advice: "initialize each with SCRUB_PICTURE_INIT")
            }
            targets.append(try unsafe PictureTarget(keeping: memory.assumingMemoryBound(to: scrub_picture.self)))
        }
        for target in targets { target.clear() }
        return targets
    }

    private func store() { unsafe said.store(in: memory) }

    /// Clears an earlier call's results, so that they are not mistaken for this call's.
    private func clear() {
        defer { store() }
        said.value.planes = 0
        said.value.status = 0
        said.value.verdict = Int32(SCRUB_UNDECODABLE)
        said.value.frame = -1
    }

    /// Stores the result's facts, without pixels.
    func describe(_ answer: FrameAnswer) {
        describe(answer.frame, answer.verdict, decodedPictureCount: answer.decodedPictureCount)
    }

    private func describe(_ frame: PresentedFrame, _ verdict: Verdict, decodedPictureCount: Int) {
        defer { store() }
        said.value.frame = Int64(frame.number)
        said.value.pts = frame.presentationTime
        said.value.decoded = Int32(clamping: decodedPictureCount)
        said.value.verdict = verdict.number
        let reason = verdict.wording?.text(for: CallWords.face) ?? ""
        unsafe withUnsafeMutableBytes(of: &said.value.reason) { unsafe CText.write(reason, into: $0) }
    }

    /// Stores why there are no pixels. A known shape is kept, because too little memory is also a failure.
    func fail(_ error: ScrubError) {
        defer { store() }
        said.value.status = error.code.exitStatus
        unsafe withUnsafeMutableBytes(of: &said.value.reason) {
            unsafe CText.write(error.description(for: CallWords.face), into: $0)
        }
    }

    /// Stores that the call was ended before there were pixels.
    func cancel() {
        said.value.status = Int32(SCRUB_CANCELLED)
        store()
    }

    /// Marks the picture as complete, with the size of the result.
    func finish(width: Int, height: Int) {
        said.value.width = Int32(clamping: width)
        said.value.height = Int32(clamping: height)
        said.value.status = Int32(SCRUB_OK)
        store()
    }

    /// Stores an answer: shape, verdict, and the pixels if there is memory for them.
    ///
    /// - Throws: `badData` for a frame that cannot be decoded, `usage` for too little memory.
    func take(_ answer: FrameAnswer) throws(ScrubError) {
        describe(answer)
        try take(answer.picture, of: answer.frame, answer.verdict)
    }

    /// Stores a session's picture.
    ///
    /// - Throws: `usage` for too little memory.
    func take(_ lent: LentPicture) throws(ScrubError) {
        describe(lent.frame, lent.verdict, decodedPictureCount: lent.decodedPictureCount)
        try take(lent.picture, of: lent.frame, lent.verdict)
    }

    private func take(
        _ picture: FramePicture?, of frame: PresentedFrame, _ verdict: Verdict
    ) throws(ScrubError) {
        do throws(ScrubError) {
            guard let picture else {
                throw ScrubError(.badData, verdict.wording ?? "it cannot be decoded", place: .frame(frame.number))
            }
            try put(picture)
            said.value.status = 0
            store()
        } catch {
            fail(error)
            throw error
        }
    }

    private func put(_ made: FramePicture) throws(ScrubError) {
        let shapes: [(rowBytes: Int, rows: Int)]
        if let packing {
            let size = try made.packedSize(options)
            shapes = [(size.width * packing.bytesPerPixel, size.height)]
            say(size.width, size.height, packing.rawValue)
        } else {
            shapes = (0..<made.planeCount).map {
                let plane = made.plane($0)
                return (plane.bytesPerRow, plane.rowCount)
            }
            say(made.width, made.height, made.pixelFormat)
        }
        guard try hasRoom(shapes) else { return }
        guard let packing else { return copyPlanes(made) }
        guard let target = unsafe memory(ofPlane: 0) else { return }
        let count = stride(0) * max(0, shapes[0].rows - 1) + shapes[0].rowBytes
        try unsafe made.write(
            packing, options, into: UnsafeMutableRawBufferPointer(start: target, count: count), bytesPerRow: stride(0))
    }

    private func say(_ width: Int, _ height: Int, _ format: String) {
        said.value.width = Int32(clamping: width)
        said.value.height = Int32(clamping: height)
        unsafe withUnsafeMutableBytes(of: &said.value.pixel_format) { unsafe CText.write(format, into: $0) }
    }

    /// Stores the planes' shapes and returns whether all have memory.
    private func hasRoom(_ shapes: [(rowBytes: Int, rows: Int)]) throws(ScrubError) -> Bool {
        guard shapes.count <= 4 else {
            throw ScrubError(.unavailable, "the picture has \(shapes.count) planes, but only 4 are supported")
        }
        said.value.planes = Int32(shapes.count)
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
            if stride(plane) == 0 { set(\.stride, plane, rowStep(shape.rowBytes)) }
            let (before, isOver) = stride(plane).multipliedReportingOverflow(by: max(0, shape.rows - 1))
            let (needed, isMore) = before.addingReportingOverflow(shape.rowBytes)
            guard stride(plane) >= shape.rowBytes, !isOver, !isMore else {
                lacking = "plane \(plane) has rows of \(shape.rowBytes) bytes, but its stride is \(stride(plane))"
                continue
            }
            set(\.needed, plane, needed)
            if unsafe memory(ofPlane: plane) == nil {
                isEmpty = true
            } else if capacity(plane) < needed {
                lacking = "plane \(plane) needs \(needed) bytes, but its capacity is \(capacity(plane))"
            }
        }
        if unsafe memory(ofPlane: 0) == nil { return false }
        if lacking == nil, isEmpty { lacking = "a plane has no memory" }
        if let lacking {
            throw ScrubError(
                .usage, lacking, advice: "provide at least scrub_picture.needed bytes for each plane")
        }
        return true
    }

    /// The bytes from one row to the next if the caller does not specify a stride.
    private func rowStep(_ rowBytes: Int) -> Int {
        guard said.value.flags & UInt32(SCRUB_ALIGNED_ROWS) != 0 else { return rowBytes }
        return (rowBytes + PictureTarget.alignment - 1) / PictureTarget.alignment * PictureTarget.alignment
    }

    /// The alignment of rows that a GPU reads: Direct3D 12's `D3D12_TEXTURE_DATA_PITCH_ALIGNMENT`, and the multiple
    /// required of WebGPU's `bytesPerRow`.
    private static let alignment = 256

    private func copyPlanes(_ made: FramePicture) {
        for number in 0..<made.planeCount {
            guard let target = unsafe memory(ofPlane: number) else { continue }
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

    private func memory(ofPlane plane: Int) -> UnsafeMutableRawPointer? {
        unsafe CArray.element(said.value.data, plane)
    }

    private func capacity(_ plane: Int) -> Int { CArray.element(said.value.capacity, plane) }
    private func stride(_ plane: Int) -> Int { CArray.element(said.value.stride, plane) }

    private func set<Element>(
        _ field: WritableKeyPath<scrub_picture, (Element, Element, Element, Element)>, _ place: Int, _ value: Element
    ) { CArray.set(&said.value[keyPath: field], place, value) }
}

extension FramePicture.Packing {
    /// The pixels of a layout; `nil` for the decoder's own.
    fileprivate init?(layout: UInt32) throws(ScrubError) {
        switch layout {
        case UInt32(SCRUB_NATIVE): return nil
        case UInt32(SCRUB_RGB8): self = .rgb24
        case UInt32(SCRUB_RGBA8): self = .rgba
        case UInt32(SCRUB_BGRA8): self = .bgra
        case UInt32(SCRUB_GRAY8): self = .gray
        case UInt32(SCRUB_RGB16): self = .rgb48
        case UInt32(SCRUB_RGBA16): self = .rgba64
        default:
            throw ScrubError(
                .usage, "there is no layout \(layout)", advice: "use a value from SCRUB_NATIVE to SCRUB_RGBA16")
        }
    }
}

extension Verdict {
    /// The number in the header.
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
