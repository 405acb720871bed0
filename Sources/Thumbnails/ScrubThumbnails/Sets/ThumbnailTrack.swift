internal import ScrubBase
internal import ScrubFileIO
internal import ScrubISOMedia
internal import ScrubStoryboards

/// A set's thumbnails as an I-frame track for HLS: JPEG pictures as samples of a fragmented MP4 file (`mjpg`, ISO/IEC
/// 23008-12, Annex H), with their I-frame playlist (RFC 8216, 4.3.3.6).
///
/// Each picture has a fragment of its own, so that its byte range is one `moof` and one `mdat` with one JPEG file.
/// Players take the picture out of that without a decoder for video. It is shown from the beginning of its thumbnail's
/// slot, as in the set's other indexes, and a picture that is repeated lasts longer instead of being there twice.
struct ThumbnailTrack {
    /// The name of the file with the pictures.
    static let movieName = "thumbnails.mp4"
    /// The name of the playlist.
    static let playlistName = "thumbnails.m3u8"

    /// The playlist.
    let playlist: Storyboard.HLSIFramePlaylist
    /// The codec by RFC 6381.
    let codecs: String

    /// Writes the file and its playlist. The work ends with its task between two pictures.
    ///
    /// Memory: a megabyte of the pictures, and some 100 bytes for each.
    ///
    /// - Parameters:
    ///   - board: the set. Its thumbnails say which pictures are repeated.
    ///   - folder: where both files are written.
    ///   - picture: returns the JPEG file of a thumbnail, of the board's tile size.
    /// - Throws: `unavailable` when the boxes have no room for the times or the size, `inputOutput` when a file cannot
    ///   be read or written.
    init(
        _ board: Storyboard, into folder: String, picture: (Int) throws(ScrubError) -> FoundPicture
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

    /// Returns the places of the thumbnails that are pictures of the track: all that do not repeat the one before.
    static func places(in board: Storyboard) -> [Int] {
        board.thumbnails.indices.filter { $0 == 0 || !board.thumbnails[$0].isRepeat }
    }

    /// Returns the line of a master playlist that names the track's.
    func stream(of board: Storyboard) -> Storyboard.HLSStream {
        Storyboard.HLSStream(
            playlist, codecs: codecs, width: board.tileWidth, height: board.tileHeight,
            playlist: ThumbnailTrack.playlistName)
    }
}
