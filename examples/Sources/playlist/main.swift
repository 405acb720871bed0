// A list of clips, played to its end as fast as decoding allows, on two screens in turn. It prints each change of
// items, and the number of frames that the screens showed.
import ScrubPlayers

let arguments = CommandLine.arguments.dropFirst()
let clips = arguments.isEmpty ? ["testdata/clips/demo.mp4", "testdata/clips/h264-bf3.mp4"] : Array(arguments)

let player = try Player(clips.map { PlayerItem(path: $0) }, timebase: .simulated())
let left = Presenter()
let right = Presenter()
player.attach(left)
player.play()

let names = Dictionary(uniqueKeysWithValues: player.items.map { ($0.id, $0.media.name) })
for await event in player.events([.itemTransition, .failed, .state]) {
    switch event {
    case .itemTransition(let from, let to, let reason):
        print("from", from.flatMap { names[$0] } ?? "nothing", "to", to.flatMap { names[$0] } ?? "nothing", reason)
        player.attach(right.isCurrent ? left : right)
    case .failed(let item, let error): print(names[item] ?? "?", "failed:", error)
    default: break
    }
    if player.state == .ended { break }
}

let shown = left.counters.presentedCount + right.counters.presentedCount
let counters = player.counters
print("presented \(counters.presentedCount), left out \(counters.dropped.totalCount), seen on two screens \(shown)")
