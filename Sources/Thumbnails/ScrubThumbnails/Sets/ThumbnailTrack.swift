internal import ScrubBase
internal import ScrubFileIO
internal import ScrubISOMedia
internal import ScrubStoryboards

/// A set's thumbnails as an I-frame track for HLS: JPEG pictures as samples of a fragmented MP4 file (`mjpg`, ISO/IEC
/// 23008-12, Annex H), with their I-frame playlist (RFC 8216, 4.3.3.6).
///
/// Each picture has a separate fragment, so that its byte range is one `moof` and one `mdat` with one JPEG file.
/// Players extract the picture without a video decoder. It is shown from the start of its thumbnail's slot, as in the
/// set's other indexes. A repeated picture lasts longer instead of occurring twice.
struct ThumbnailTrack {
    /// The name of the file with the pictures.
    static let movieName = "thumbnails.mp4"
    /// The name of the playlist.
    static let playlistName = "thumbnails.m3u8"

    /// The playlist.
    let playlist: Storyboard.HLSIFramePlaylist
    /// The codec string according to RFC 6381.
    let codecs: String

    /// Writes the file and its playlist. If the task is cancelled, the work ends between two pictures.
    ///
    /// Memory: a megabyte of the pictures, and about 100 bytes for each.
    ///
    /// - Parameters:
    ///   - board: the set. Its thumbnails tell which pictures are repeated.
    ///   - folder: the folder for both files.
    ///   - picture: returns the JPEG file of a thumbnail, of the board's tile size.
    /// - Throws: `unavailable` if the times or the size do not fit the boxes, `inputOutput` if a file cannot be read or
    ///   written.
    init(
        _ board: Storyboard, into folder: String, picture: (Int) throws(ScrubError) -> ParsedPicture
    ) throws(ScrubError) {
        let places = ThumbnailTrack.places(in: board)
        let times = try KeyframeTimes(seconds: places.map { board.thumbnails[$0].start }, end: board.end)
        let movie = try KeyframeMovie(
            coding: KeyframeCoding(format: "mjpg", configuration: []),
            geometry: .init(width: board.tileWidth, height: board.tileHeight), timescale: times.timescale,
            duration: times.end)
        var file = try AtomicFileWriter(.staged(folder + "/" + ThumbnailTrack.movieName))
        try file.append(movie.header.span)
        var segments: [Storyboard.HLSIFramePlaylist.Segment] = []
        for (number, place) in places.enumerated() {
            try Cancellation.check()
            let (picture, start) = (try picture(place), file.byteCount)
            let duration = times.duration(number)
            let head = try movie.fragmentHead(
                number: number, time: times.times[number], duration: duration, byteCount: picture.range.count)
            try file.append(head.span)
            try file.append(picture.file, picture.range)
            segments.append(
                .init(
                    duration: Rational(Int64(duration), Int64(times.timescale)), byteRange: start..<file.byteCount))
        }
        try file.commit()
        playlist = try Storyboard.HLSIFramePlaylist(
            path: ThumbnailTrack.movieName, initialization: 0..<movie.header.count, segments: segments)
        codecs = movie.coding.codecs
        try AtomicFile.write(Array(playlist.text.utf8), to: .staged(folder + "/" + ThumbnailTrack.playlistName))
    }

    /// Returns the indexes of the thumbnails that are pictures of the track: all that do not repeat the previous one.
    static func places(in board: Storyboard) -> [Int] {
        board.thumbnails.indices.filter { $0 == 0 || !board.thumbnails[$0].isRepeat }
    }

    /// Returns the line for the track in a master playlist.
    func stream(of board: Storyboard) -> Storyboard.HLSStream {
        Storyboard.HLSStream(
            playlist, codecs: codecs, width: board.tileWidth, height: board.tileHeight,
            playlist: ThumbnailTrack.playlistName)
    }
}
