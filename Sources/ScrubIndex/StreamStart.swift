internal import Bitstream

/// What cannot be decoded because the stream begins in the middle of something.
enum StreamStart {
    /// Marks the pictures before the first restart, and the leading pictures of a first restart that is open:
    /// what they depend on is not in the file, so they get no frame number.
    ///
    /// - Parameter inspect: what a picture is as a restart, and whether it is a leading picture that can be decoded
    ///   all the same (RADL). Only called where the answer matters, because it may have to read the file.
    static func markUndecodable(
        _ pictures: inout CodedPictures, displayOrder: [UInt32], codec: VideoCodec,
        inspect: (CodedPictures, Int) -> (access: RandomAccess, isDecodableLeading: Bool)
    ) {
        // Codecs that nothing here can read are left to their decoders.
        guard codec != .other, let first = firstRestart(pictures) else { return }
        for picture in 0..<first { pictures.flags[picture].insert(.undecodable) }
        guard let place = displayOrder.firstIndex(of: UInt32(first)) else { return }
        let leading = displayOrder[..<place].filter { Int($0) > first }
        guard !leading.isEmpty || pictures.flags[first].randomAccess == .gradual else { return }
        switch inspect(pictures, first).access {
        case .open:
            for picture in leading where !inspect(pictures, Int(picture)).isDecodableLeading {
                pictures.flags[Int(picture)].insert(.undecodable)
            }
        case .gradual:
            markUnrecovered(&pictures, from: first, displayOrder: displayOrder)
        case .none, .instantaneous, .inexact: break
        }
    }

    /// The first picture that is known, or claimed by the container, to be a restart.
    private static func firstRestart(_ pictures: CodedPictures) -> Int? {
        pictures.flags.firstIndex { flags in
            guard flags.contains(.verified) else { return flags.contains(.key) }
            return flags.randomAccess != .none && flags.randomAccess != .inexact
        }
    }

    /// Everything that shows before the picture that completes a gradual refresh is not whole yet.
    private static func markUnrecovered(
        _ pictures: inout CodedPictures, from first: Int, displayOrder: [UInt32]
    ) {
        var left = pictures.recoveryCounts[UInt32(first)] ?? 0
        var recovered = first
        while left > 0, recovered + 1 < pictures.count {
            recovered += 1
            if pictures.flags[recovered].isDisjoint(with: [.disposable, .secondField]) { left -= 1 }
        }
        guard let place = displayOrder.firstIndex(of: UInt32(recovered)) else { return }
        for picture in displayOrder[..<place] { pictures.flags[Int(picture)].insert(.undecodable) }
    }
}
