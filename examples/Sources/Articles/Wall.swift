import ScrubPlayers

func wall(_ paths: [String], _ tiles: [Presenter], timebase: Timebase = .realTime) async throws -> PlayerGroup {
    let resources = DecodingResources(byteLimit: 512 << 20, decoderLimit: 4)

    var options = Player.Options()
    options.preferredMaximumSize = .init(width: 640, height: 360)
    options.preferredForwardBufferDuration = .seconds(1)

    let players = try paths.map { path in
        try Player([PlayerItem(path: path)], options: options, timebase: timebase, resources: resources)
    }
    for (player, tile) in zip(players, tiles) { player.attach(tile) }
    let wall = PlayerGroup(players, latePolicy: .allWait)
    try await wall.play()
    return wall
}

func counting(_ players: [Player]) {
    for player in players {
        let counters = player.counters
        print(counters.presentedCount, counters.dropped.totalCount, counters.stallCount)
    }
}
