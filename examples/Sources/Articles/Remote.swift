import FoundationEssentials
import ScrubPlayers

func openingAddress(_ address: URL) async throws {
    let video = try await VideoAsset.open(url: address)
    let frames = try FrameGenerator(video)
    let answer = try await frames.frame(at: FramePosition("42%"))
    print(answer.frame.number, answer.verdict)
    if let cost = video.networkCost { print(cost.requestCount, "requests,", cost.fetchedByteCount, "bytes") }
}

func openingPlaylist(_ address: URL) async throws {
    let film = try await HLSVideo.open(url: address)
    let frame = try await film.frame(at: .seconds(12.5))
    print(frame.time, frame.verdict, frame.fetched.byteCount, "bytes")
}

func openingWithHeaders(_ address: URL, _ token: String) async throws -> VideoAsset {
    var network = NetworkOptions()
    network.headers["Authorization"] = "Bearer \(token)"
    network.readTimeout = .seconds(20)
    let video = try await VideoAsset.open(url: address, network: network)
    return video
}

func openingForStrangers(_ address: URL, _ tenant: String) async throws -> VideoAsset {
    var network = NetworkOptions()
    network.isPublicOnly = true
    network.deniedHosts = ["*.internal.example.com"]
    network.cacheIdentity = tenant
    let video = try await VideoAsset.open(url: address, options: VideoAsset.OpenOptions(cache: .none), network: network)
    return video
}

func playingAddress(_ address: URL) throws -> Player {
    let player = try Player([PlayerItem(PlayerMedia(url: address))])
    player.play()
    return player
}
