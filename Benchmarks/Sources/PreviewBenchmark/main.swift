// What previews are held against, with the public interface alone; a line of JSON for each result.
//
// usage: PreviewBenchmark kept FILE…    drags by the clock, with consumers that keep pictures and tracks half full
//            --keeps 0,8,100  --track full,half,edge,none  --gestures drag,back,turning,jitter
//            --begin 400  --distance 60  (thousandths of the film)  --seconds 2  --rounds 1
//        PreviewBenchmark distance FILE…    previews against the exact frames of their numbers; below 3 codes is near
//            --every 7  --begin 400
//        PreviewBenchmark codecs FILE…    WebP beside JPEG, of the same reduced planes
//            --side 640  --pictures 60
//
// Ends with 1 when a preview is not near, or a drag went over its budget.
import Foundation
import Scrub

var words = Words(CommandLine.arguments)
let begin = Int(words.number("begin", 400))
let keeps = words.list("keeps", "0,8,100").map { text in
    guard let count = Int(text), count >= 0 else { Words.stop("--keeps: \(text) is not a count") }
    return count
}
let tracks = words.choices("track", KeptPicturesDrag.Track.self)
let gestures = words.choices("gestures", KeptPicturesDrag.Gesture.self)
let (distance, seconds) = (Int(words.number("distance", 60)), words.number("seconds", 2))
let (rounds, step) = (max(1, Int(words.number("rounds", 1))), max(1, Int(words.number("every", 7))))
let (side, pictures) = (max(16, Int(words.number("side", 640))), max(1, Int(words.number("pictures", 60))))
guard words.unknown.isEmpty, !words.files.isEmpty, begin <= 1000, ["kept", "distance", "codecs"].contains(words.what)
else {
    Words.stop("PreviewBenchmark kept|distance|codecs FILE… [--option value…]: main.swift tells the options")
}

var isRight = true
for path in words.files {
    let asset = try VideoAsset(path: path, options: VideoAsset.OpenOptions(cache: .none))
    switch words.what {
    case "kept":
        for _ in 0..<rounds {
            for track in tracks {
                for gesture in gestures {
                    for count in keeps {
                        let line = try KeptPicturesDrag(
                            path: path, asset: asset, gesture: gesture, track: track, keeps: count, begin: begin,
                            distance: distance, seconds: seconds
                        ).run()
                        try Words.say(line)
                        if line["isWithinBudget"] as? Bool != true { isRight = false }
                    }
                }
            }
        }
    case "distance":
        let line = try ExactDistance(path: path, asset: asset, step: step, begin: Double(begin) / 1000).run()
        try Words.say(line)
        if line["isNear"] as? Bool != true { isRight = false }
    default:
        let lines = try CodecTable(path: path, asset: asset, longSide: side, count: pictures).run()
        for line in lines { try Words.say(line) }
    }
}
exit(isRight ? 0 : 1)
