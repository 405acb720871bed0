#if CommandLine
internal import ScrubBase
internal import Scrub
internal import ScrubThumbnails

extension CoverArt {
    /// The cover's facts, for people.
    var facts: String {
        let size = width > 0 ? "\(width) x \(height)" : "cannot be decoded"
        return "stream \(stream), \(codec), \(size), \(Amount.of(bytes.count, "byte")) (scrub poster --cover writes it)"
    }
}
#endif
