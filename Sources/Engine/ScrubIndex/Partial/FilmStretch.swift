package import ScrubFileIO
internal import ScrubISOMedia
internal import ScrubMatroska
package import ScrubBase

/// Consecutive coded pictures of a film that is not read completely, with an index of their own.
package struct FilmStretch: Sendable {
    /// The offset at which reading began.
    package let start: Int64
    /// Whether it begins with the film.
    package let isFirst: Bool
    /// The offset up to which the file was read.
    package internal(set) var end: Int64
    /// Whether it ends with the film.
    package internal(set) var isLast = false
    /// The index of these pictures alone; `nil` if none of them can be decoded. Its offsets are those in the file.
    package internal(set) var index: FrameIndex?
    /// The blocks of a Matroska file, from which reading continues.
    var blocks: BlockScanRange?

    init(start: Int64, isFirst: Bool) { (self.start, self.isFirst, end) = (start, isFirst, start) }

    /// The number of frames whose numbers in the stretch cannot change, whatever follows.
    package var certainFrameCount: Int {
        guard let index else { return 0 }
        return isLast ? index.frameCount : index.certainFrameCount
    }
}

/// The reason for reading more of a stretch, which determines how much is requested at once.
package enum StretchGoal: Sendable {
    /// A few more pictures.
    case more
    /// The pictures up to a time, in time base units, as far as it is known where they are.
    case time(Int64)
    /// The end of the film.
    case end
}

/// A container of which any part can be read: stretches of consecutive pictures, and places by time.
///
/// Places are claims of the container or results of a search. The stretch that is read from a place shows the times and
/// the restarts that are really there.
package protocol StretchSource: Sendable {
    /// Returns the stretch that begins with the film, as far as it was read.
    func first() throws(ScrubError) -> FilmStretch

    /// Returns an empty stretch that begins at a place.
    func stretch(at place: Int64) throws(ScrubError) -> FilmStretch

    /// Returns the place from which to read for a time: one that presumably begins with a restart not later than the
    /// time.
    ///
    /// - Parameter time: in time base units.
    mutating func place(for time: Int64) throws(ScrubError) -> Int64

    /// Returns a place before another one; `nil` for the beginning of the film.
    ///
    /// - Parameter distance: the number of bytes by which to go back at least if the file has no index.
    mutating func place(before place: Int64, distance: Int64) throws(ScrubError) -> Int64?

    /// Returns a place shortly before the end of the film.
    mutating func lastPlace() throws(ScrubError) -> Int64

    /// Reads more of a stretch.
    func extend(_ stretch: inout FilmStretch, to goal: StretchGoal) throws(ScrubError)

    /// Returns the time at which the film ends: the end of the last picture on screen; `nil` if a stretch that begins
    /// earlier is needed.
    ///
    /// - Parameters:
    ///   - tail: a stretch that ends with the film.
    ///   - first: the stretch at the beginning, whose frames show the usual duration.
    func end(of tail: FilmStretch, after first: FilmStretch) throws(ScrubError) -> Int64?
}

/// The containers of which parts can be read.
package enum StretchSources {
    /// Returns whether an index of a whole file requires reading most of it. The tables of movie files are enough.
    package static func areUseful(for file: MediaSource) -> Bool { !Movie.isISOMedia(file) }

    /// Returns the source of a file's stretches.
    ///
    /// - Parameter step: the number of bytes by which stretches grow at first; `nil` for the usual one.
    /// - Throws: ``ScrubError`` if the file must be read as a whole.
    package static func source(
        of file: MediaSource, requestedStream: Int?, pictureByteLimit: Int = FrameIndex.standardPictureByteLimit,
        step: Int64? = nil
    ) throws(ScrubError) -> any StretchSource {
        if MatroskaSegment.isEBML(file) {
            return try MatroskaStretches(
                file, requestedStream: requestedStream, step: step ?? MatroskaStretches.standardStep)
        }
        return try ScanStretches(
            file, requestedStream: requestedStream, pictureByteLimit: pictureByteLimit,
            step: step ?? ScanStretches.standardStep)
    }
}
