// A finger that drags over a film to its middle and rests there; prints what a view would show: scrubbar [FILE]
import Scrub

let path = CommandLine.arguments.dropFirst().first ?? "testdata/clips/demo.mp4"
let video = try await VideoAsset.open(path: path)
let bar = try ScrubBar(video)

let finger = Task {
    bar.began()
    // Sixty reports a second, as a screen makes them.
    for step in 1...30 {
        bar.moved(x: bar.width / 2 * Double(step) / 30, y: 0)
        try await Task.sleep(for: .milliseconds(16))
    }
    bar.ended()
}

let middle = try video.presentedFrame(at: .fraction(0.5)).number
for await update in bar.session.updates {
    let milliseconds = update.latency / .milliseconds(1)
    print(
        "asked for frame \(update.requestedFrame), shown \(update.frame.number), \(update.stage), after \(milliseconds) ms"
    )
    // At rest the exact frame is the last picture.
    if update.stage == .exact, update.frame.number == middle { break }
}
try await finger.value
let counters = bar.session.counters
print("\(counters.requestCount) requests, \(counters.pictureCount) pictures, \(counters.stallCount) stalls")
