import ScrubBitstream
import ScrubBase

/// The reading of bytes from outside in this program: one body for each reader, for the fuzzer and for the replay of
/// its corpus.
///
/// Every body reads the bytes as its reader would and checks the result. A `ScrubError` is an answer. A trap, a
/// ``Finding``, a hang and memory without measure are not.
public enum FuzzEntry: String, CaseIterable, Sendable {
    case movie, matroska, systems
    case h264, hevc, av1, vp8, vp9, mpeg, vc1, jpeg
    case savedIndex, position, thumbnailSet, playlist, gesture, http, address, requestTarget, filmList

    /// Reads the bytes.
    ///
    /// - Throws: ``Finding`` when something is not as it has to be.
    public func check(_ bytes: [UInt8]) throws {
        switch self {
        case .movie: try MovieBody.check(bytes)
        case .matroska: try MatroskaBody.check(bytes)
        case .systems: try SystemsBody.check(bytes)
        case .h264: try PictureBody.check(bytes, .h264)
        case .hevc: try PictureBody.check(bytes, .hevc)
        case .av1: try PictureBody.check(bytes, .av1)
        case .vp8: try PictureBody.check(bytes, .vp8)
        case .vp9: try PictureBody.check(bytes, .vp9)
        case .mpeg: try PictureBody.check(bytes, [.mpeg1, .mpeg2, .mpeg4][Int(bytes.first ?? 0) % 3])
        case .vc1: try PictureBody.checkVC1(bytes)
        case .jpeg: try PictureBody.checkJPEG(bytes)
        case .savedIndex: try SavedBody.check(bytes)
        case .position: try TextBody.checkPosition(bytes)
        case .thumbnailSet: try SetBody.check(bytes)
        case .playlist: try TextBody.checkPlaylist(bytes)
        case .gesture: try TextBody.checkGesture(bytes)
        case .http: try NetworkBody.checkHead(bytes)
        case .address: try NetworkBody.checkAddress(bytes)
        case .requestTarget: try NetworkBody.checkTarget(bytes)
        case .filmList: try BatchBody.check(bytes)
        }
    }
}

/// A forbidden behaviour of a reader.
public struct Finding: Error, CustomStringConvertible {
    /// The behaviour.
    public let description: String
}

/// Says that something holds.
func expect(_ condition: Bool, _ words: @autoclosure () -> String) throws(Finding) {
    guard condition else { throw Finding(description: words()) }
}

/// Returns a reader's result, `nil` for an error of this library's.
func answer<T>(_ read: () throws(ScrubError) -> T) -> T? {
    do throws(ScrubError) {
        return try read()
    } catch {
        // An error without words does not help people.
        precondition(!error.cause.isEmpty && !error.description.isEmpty)
        return nil
    }
}
