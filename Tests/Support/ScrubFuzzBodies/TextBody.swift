import ScrubHLSPlaylists
import ScrubBase
import ScrubMediaLogic

/// The texts of people and programs: positions, playlists, gestures.
enum TextBody {
    static func checkPosition(_ bytes: [UInt8]) throws(Finding) {
        let text = String(decoding: bytes, as: UTF8.self)
        let position = answer { () throws(ScrubError) in try FramePosition(text) }
        let again = answer { () throws(ScrubError) in try FramePosition(text) }
        try expect(position == again, "another position the second time")
        if case .timecode(let timecode)? = position?.kind {
            let back = answer { () throws(ScrubError) in try FramePosition(timecode.description) }
            try expect(back == position, "\(timecode) is read as \(String(describing: back))")
        }
        if let timecode = answer({ () throws(ScrubError) in try Timecode(text) }) {
            try expect((try? Timecode(timecode.description)) == timecode, "\(timecode) is another timecode")
        }
        // The printed text is harmless, and stays so.
        try expect(text.shown.shown == text.shown, "shown otherwise the second time")
        try expect(text.shownLines.shownLines == text.shownLines, "shown otherwise the second time")
        var json = JSONText()
        json.add(text, text)
        try expect(json.text.shownLines == json.text, "JSON that is replaced on its way to a terminal")
    }

    static func checkPlaylist(_ bytes: [UInt8]) throws(Finding) {
        _ = HLSPlaylist.isPlaylist(bytes)
        guard let playlist = answer({ () throws(ScrubError) in try HLSPlaylist(parsing: bytes) }) else { return }
        try expect(
            playlist == answer { () throws(ScrubError) in try HLSPlaylist(parsing: bytes) },
            "another playlist the second time")
        switch playlist {
        case .master(let master): try expect(master.renditions.count <= bytes.count, "more renditions than bytes")
        case .media(let media): try expect(media.segments.count <= bytes.count, "more segments than bytes")
        }
    }

    /// Events from bytes: each of five is a phase, a time and a way. Whatever comes, a gesture gives targets from 0 to 1.
    static func checkGesture(_ bytes: [UInt8]) throws(Finding) {
        var rest = bytes[...]
        func next(_ count: Int) -> Int {
            let part = rest.prefix(count)
            rest = rest.dropFirst(count)
            return part.reduce(0) { $0 << 8 | Int($1) }
        }
        let width = Rational(Int64(next(2)))
        let begin = String(decoding: rest.prefix(4), as: UTF8.self)
        rest = rest.dropFirst(4)
        var events: [ScrubGesture.Script.Event] = []
        while !rest.isEmpty, events.count < 1000 {
            let phases = ScrubGesture.Script.Phase.allCases
            let (phase, time) = (phases[next(1) % phases.count], next(2))
            let far = Double(next(2) - 32_768) * (phase == .changed ? 1 : 1e300)
            events.append(.init(milliseconds: time, phase: phase, translation: .init(x: far, y: Double(next(1)) - 128)))
        }
        let script = ScrubGesture.Script(
            width: width, startPosition: begin, isPlaying: bytes.count % 2 == 0, events: events)
        let isSound: Void? = answer { () throws(ScrubError) in try script.validate() }
        let position = answer { () throws(ScrubError) in try FramePosition(begin) }
        guard isSound != nil, case .fraction(let start)? = position?.kind else { return }
        var gesture = ScrubGesture()
        _ = gesture.began(at: start, isPlaying: script.isPlaying)
        for event in events where event.phase == .changed {
            guard let target = gesture.changed(translation: event.translation, width: width).target else { continue }
            try expect(target >= .zero && target <= .one, "a target at \(target)")
        }
    }
}
