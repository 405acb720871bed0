internal import ScrubBitstream

/// The pictures that cannot be decoded because the stream does not begin at a restart.
enum StreamStart {
    /// The facts of a picture as a restart: its kind, and whether it is a leading picture that can still be decoded
    /// (RADL), the number of reference pictures until a gradual restart is complete, and whether the picture is known
    /// to be a reference.
    typealias Inspection = (
        access: RandomAccess, isDecodableLeading: Bool, recoveryCount: Int, isReference: Bool
    )

    /// Marks the pictures before the first restart, and the leading pictures of a first restart that is open. Their
    /// references are not in the file, so they get no frame number. If the first restart is gradual, everything shown
    /// before its recovery is marked.
    ///
    /// - Parameters:
    ///   - isSurveyed: whether a decoder has determined which pictures are output, including those before the first
    ///     restart.
    ///   - inspect: returns the kind of a picture. It is only called if the result matters, because it may have to read
    ///     the file. It is called for the first restart if that has leading pictures, or if only the container calls it
    ///     a restart in H.264. If that restart is gradual, it is also called for the pictures until it has recovered.
    static func markUndecodable(
        _ pictures: inout CodedPictures, displayOrder: [UInt32], codec: VideoCodec, isSurveyed: Bool = false,
        inspect: (CodedPictures, Int) -> Inspection
    ) {
        // Codecs without a parser here are left to their decoders.
        guard codec != .other, let first = firstRestart(pictures) else { return }
        // Decoders of MPEG-1, -2, and -4 also begin with a P picture, with a generated picture before it.
        guard !isSurveyed || !codec.beginsAnywhere else { return }
        for picture in 0..<first { pictures.flags[picture].insert(.undecodable) }
        guard let place = displayOrder.firstIndex(of: UInt32(first)) else { return }
        let leading = displayOrder[..<place].filter { Int($0) > first }
        let flags = pictures.flags[first]
        let mayBeGradual = flags.contains(.verified) ? flags.randomAccess == .gradual : codec == .h264
        guard !leading.isEmpty || mayBeGradual else { return }
        let found = inspect(pictures, first)
        switch found.access {
        case .open:
            for picture in leading where !inspect(pictures, Int(picture)).isDecodableLeading {
                pictures.flags[Int(picture)].insert(.undecodable)
            }
        case .gradual:
            let whole = firstWhole(pictures, after: first, count: found.recoveryCount, inspect: inspect)
            // Without a restart, no picture is ever complete.
            let end = whole.flatMap { displayOrder.firstIndex(of: UInt32($0)) } ?? displayOrder.endIndex
            for picture in displayOrder[..<end] { pictures.flags[Int(picture)].insert(.undecodable) }
        case .none, .instantaneous, .inexact: break
        }
    }

    /// Returns the first picture that is a restart, either proven or claimed by the container.
    private static func firstRestart(_ pictures: CodedPictures) -> Int? {
        pictures.flags.firstIndex(where: isRestart)
    }

    /// Returns whether a picture is a restart, either proven or claimed by the container.
    static func isRestart(_ flags: PictureFlags) -> Bool {
        guard flags.contains(.verified) else { return flags.contains(.key) }
        return flags.randomAccess != .none && flags.randomAccess != .inexact
    }

    /// Returns the first shown picture in decode order that is complete after a gradual restart: `count` reference
    /// pictures later (H.264 D.2.8), or at an earlier clean restart.
    private static func firstWhole(
        _ pictures: CodedPictures, after first: Int, count: Int, inspect: (CodedPictures, Int) -> Inspection
    ) -> Int? {
        var left = count
        for picture in first..<pictures.count {
            let flags = pictures.flags[picture]
            if picture > first, left > 0, flags.isDisjoint(with: [.disposable, .secondField]) {
                // The tables of a movie file rarely show which pictures are reference pictures.
                let known: Inspection = (flags.randomAccess, false, 0, true)
                let found = flags.contains(.verified) ? known : inspect(pictures, picture)
                switch found.access {
                case .instantaneous, .open: left = 0
                case .none, .gradual, .inexact: left -= found.isReference ? 1 : 0
                }
            }
            if left <= 0, flags.isDisjoint(with: [.hidden, .secondField]) { return picture }
        }
        return nil
    }
}
