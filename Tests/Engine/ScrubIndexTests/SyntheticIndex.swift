import ScrubFileIO
import ScrubBitstream
import ScrubBase
import ScrubIndex
import ScrubTestSupport

/// Makes indexes out of a line of text: one word per coded picture, a letter for its kind and its place in display
/// order.
///
/// | letter | kind |
/// |---|---|
/// | `I` `O` `G` `X` | verified restarts: instantaneous, open, gradual, inexact |
/// | `K` | what the container calls a keyframe, unverified |
/// | `N` | a picture of which nothing is known |
/// | `P` `b` | no restart: a reference, a disposable picture |
/// | `F` `f` | the second field of the picture before (`f`: disposable); takes no place in display order |
/// | `H` | a hidden instantaneous restart; takes no place in display order |
/// | `D` `M` | an instantaneous restart that the container discards, or whose bytes are missing |
struct SyntheticIndex {
    var pictures = CodedPictures()
    var displayOrder: [UInt32] = []
    var facts = StreamFacts()
    var lastDuration: Int64 = 10
    var repairedTimes: [Int64]?

    init(_ text: String, recovery: [UInt32: UInt32] = [:]) {
        facts.codec = .h264
        facts.timeBase = Rational(1, 1000)
        var places: [(place: Int, picture: Int)] = []
        for (picture, word) in text.split(separator: " ").enumerated() {
            let place = Int(word.dropFirst())
            if let place { places.append((place, picture)) }
            append(time: Int64(place ?? 0) * 10, SyntheticIndex.flags(word.first ?? "?"))
        }
        displayOrder = places.sorted { $0.place < $1.place }.map { UInt32($0.picture) }
        pictures.recoveryCounts = recovery
    }

    /// Pictures that are all shown and restarts, in display order, at given times.
    init(times: [Int64]) {
        facts.timeBase = Rational(1, 1000)
        for time in times { append(time: time, SyntheticIndex.flags("I")) }
        displayOrder = times.indices.map { UInt32($0) }
    }

    var index: FrameIndex {
        FrameIndex(
            facts: facts, pictures: pictures,
            presentation: Presentation(
                displayOrder: displayOrder, repairedTimes: repairedTimes, lastDuration: lastDuration))
    }

    private mutating func append(time: Int64, _ flags: PictureFlags) {
        pictures.offsets.append(Int64(pictures.count) * 100)
        pictures.sizes.append(100)
        pictures.presentationTimes.append(time)
        pictures.flags.append(flags)
    }

    private static func flags(_ letter: Character) -> PictureFlags {
        let restart: PictureFlags = [.key, .verified]
        return switch letter {
        case "I": restart.with(.instantaneous)
        case "O": restart.with(.open)
        case "G": PictureFlags.verified.with(.gradual)
        case "X": restart.with(.inexact)
        case "K": .key
        case "N": []
        case "P": .verified
        case "b": [.verified, .disposable]
        case "F": [.verified, .secondField]
        case "f": [.verified, .secondField, .disposable]
        case "H": restart.with(.instantaneous).union(.hidden)
        case "D": restart.with(.instantaneous).union(.discarded)
        case "M": restart.with(.instantaneous).union(.missing)
        default: preconditionFailure("no kind of picture is called \(letter)")
        }
    }

    /// A random stream: restarts of all kinds, pictures that move back by a few places in display order.
    static func random(_ random: inout SplitMix, count: Int) -> SyntheticIndex {
        let letters = Array("PPPPbbbbbPPPbbbbPPIOGXKKHDMPPbbb")
        var kinds = (0..<count).map { _ in letters[Int.random(in: 0..<letters.count, using: &random)] }
        if Bool.random(using: &random) { kinds[0] = "I" }
        let keys = (0..<count).map { $0 + (kinds[$0] == "b" ? -Int.random(in: 1...4, using: &random) : 0) }
        let order = (0..<count).sorted { (keys[$0], $0) < (keys[$1], $1) }
        var places = [Int](repeating: 0, count: count)
        for (place, picture) in order.enumerated() { places[picture] = place }
        let words = (0..<count).map { kinds[$0] == "H" ? "H" : "\(kinds[$0])\(places[$0])" }
        var synthetic = SyntheticIndex(words.joined(separator: " "))
        for picture in 0..<count where kinds[picture] == "G" {
            synthetic.pictures.recoveryCounts[UInt32(picture)] = UInt32.random(in: 0...5, using: &random)
        }
        return synthetic
    }
}
