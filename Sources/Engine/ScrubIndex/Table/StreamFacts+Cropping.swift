internal import ScrubFileIO
internal import ScrubISOMedia
internal import ScrubLibAV
internal import ScrubMatroska

extension StreamFacts {
    mutating func crop(_ cropping: VideoCropping) {
        cleanAperture = cropping.cleanAperture
        sampleAspectRatio = cropping.sampleAspectRatio ?? sampleAspectRatio
    }

    /// Finds the clean aperture in the container's header if the packets came from libavformat, which does not report
    /// it. If a header cannot be read, there is none.
    mutating func findCleanAperture(of stream: StreamDescription, in file: MediaSource) {
        if container.contains("mov"), let movie = try? Movie(reading: file) {
            let track = movie.tracks.first { $0.id == UInt32(clamping: stream.id) }
            cleanAperture = track?.sampleEntries.first?.cleanAperture
        } else if container.contains("matroska"), let segment = try? MatroskaSegment(reading: file) {
            let tracks = MatroskaIndexer.streamTracks(segment)
            if tracks.indices.contains(stream.index) { crop(tracks[stream.index].cropping) }
        }
    }
}
