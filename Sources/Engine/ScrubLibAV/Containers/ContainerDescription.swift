internal import CScrubFFmpeg
internal import CScrubShims
package import ScrubBase

/// The description of a whole file by libavformat, as plain values: every stream, chapters, and tags.
///
/// It has no handle, so it can be saved and shown again without opening the container.
package struct ContainerDescription: Sendable, Equatable {
    /// The key and the value of a tag, as they are in the file.
    package struct Tag: Sendable, Equatable {
        package var key: String
        package var value: String

        package init(key: String, value: String) { (self.key, self.value) = (key, value) }
    }

    /// A named part of the video.
    package struct Chapter: Sendable, Equatable {
        package var start: Int64
        package var end: Int64
        package var timeBase: Rational
        package var title: String?

        package init(start: Int64, end: Int64, timeBase: Rational, title: String?) {
            (self.start, self.end, self.timeBase, self.title) = (start, end, timeBase, title)
        }
    }

    /// The demuxer's short name, such as `matroska,webm`.
    package var formatName = ""
    package var tags: [Tag] = []
    package var streams: [ContainerStream] = []
    package var chapters: [Chapter] = []

    package init() {}

    /// The maximum number of streams, chapters, and tags of one kind that are kept: a file may declare millions.
    package static let mostEntries = 4096
}

extension LocalInput {
    /// The contents of the file. Values that the container does not specify are zero; after ``findStreamInfo()``, fewer
    /// are.
    var containerDescription: ContainerDescription {
        var description = ContainerDescription()
        description.formatName = formatName
        description.tags = unsafe ContainerDescription.Tag.all(in: context.pointee.metadata)
        for i in unsafe 0..<min(Int(context.pointee.nb_streams), ContainerDescription.mostEntries) {
            if let stream = unsafe context.pointee.streams[i] {
                unsafe description.streams.append(ContainerStream(stream))
            }
        }
        namePrograms(of: &description.streams)
        for i in unsafe 0..<min(Int(context.pointee.nb_chapters), ContainerDescription.mostEntries) {
            guard let chapter = unsafe context.pointee.chapters[i]?.pointee,
                let base = unsafe Rational(checked: Int64(chapter.time_base.num), Int64(chapter.time_base.den)),
                base > .zero
            else { continue }
            let title = unsafe ContainerDescription.Tag.all(in: chapter.metadata).first {
                $0.key.lowercased() == "title"
            }
            unsafe description.chapters.append(
                .init(start: chapter.start, end: chapter.end, timeBase: base, title: title?.value))
        }
        return description
    }

    private func namePrograms(of streams: inout [ContainerStream]) {
        let count = unsafe min(Int(context.pointee.nb_programs), ContainerDescription.mostEntries)
        guard count > 1 else { return }
        for i in 0..<count {
            guard let program = unsafe context.pointee.programs[i]?.pointee else { continue }
            let tags = unsafe ContainerDescription.Tag.all(in: program.metadata)
            let name = tags.first { $0.key.lowercased() == "service_name" }.map { " \($0.value)" } ?? ""
            for place in unsafe 0..<min(Int(program.nb_stream_indexes), ContainerDescription.mostEntries) {
                let stream = unsafe Int(program.stream_index[place])
                guard streams.indices.contains(stream), streams[stream].program == nil else { continue }
                streams[stream].program = unsafe "\(program.id)" + name
            }
        }
    }
}

extension ContainerDescription.Tag {
    /// Returns the entries of a libavutil dictionary.
    static func all(in dictionary: OpaquePointer?) -> [ContainerDescription.Tag] {
        var tags: [ContainerDescription.Tag] = []
        var entry: UnsafeMutablePointer<AVDictionaryEntry>?
        while tags.count < ContainerDescription.mostEntries {
            unsafe entry = unsafe av_dict_get(dictionary, "", entry, AV_DICT_IGNORE_SUFFIX)
            guard let entry = unsafe entry else { break }
            // Bytes that are not valid UTF-8 become replacement characters.
            unsafe tags.append(
                .init(key: String(cString: entry.pointee.key), value: String(cString: entry.pointee.value)))
        }
        return tags
    }
}
