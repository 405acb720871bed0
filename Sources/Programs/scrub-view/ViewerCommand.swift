#if Viewer
import ArgumentParser
import ScrubBase
import ScrubCommands
import ScrubMedia
import ScrubSources
import ScrubViewer
import ScrubViewerOptions

/// `scrub-view`: the program that `scrub view` runs.
struct ViewerCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scrub-view", abstract: "View videos in the browser, frame by frame.",
        version: VersionReport.firstLine)

    static var _errorLabel: String { "scrub" }

    @OptionGroup var options: ViewOptions
    @OptionGroup var network: NetworkArguments

    /// Serves until it is told to end.
    func serve() async throws {
        // This machine's files are decoded here: in a sandbox, a picture at any position takes a seventh longer.
        if options.media.contains(where: \.isNetworkAddress) { network.beginSandboxByDefault() }
        var configuration = ViewerConfiguration(names: options.media)
        configuration.host = options.host
        (configuration.port, configuration.takesNextPort) = (options.port ?? ViewOptions.usualPort, options.port == nil)
        (configuration.usesToken, configuration.pageFolder) = (options.token, options.page)
        configuration.options = VideoAsset.OpenOptions(
            stream: options.stream, cache: options.noCache ? .none : .standard)
        configuration.options.limits = network.mediaLimits
        configuration.limits.pictureByteLimit = options.memory << 20
        let (isJSON, opens, port) = (options.json, options.open, configuration.port)
        do {
            configuration.network = try network.options(usesCache: !options.noCache)
            // With others, it is in the list, with the reason; alone, there would be nothing to view.
            let missing = MissingFiles.among(options.media)
            for error in missing.dropLast(missing.count == options.media.count ? 1 : 0) {
                Output.complain(error.description)
            }
            if let error = missing.last, missing.count == options.media.count { throw error }
            try await ViewerServer(configuration).run { [options, isQuiet = network.isQuiet] address in
                if options.port == nil, address.port != port, !isQuiet {
                    Output.complain(
                        "port \(port) is in use, so the viewer uses \(address.port); the browser stores marks separately for each port"
                    )
                }
                Output.say(isJSON ? address.json : "The viewer is at \(address.url) (press Ctrl-C to stop it)")
                if opens { Browser.open(address.url) }
            }
        } catch let error as ScrubError {
            Output.complain(error.description)
            throw ExitCode(error.code.exitStatus)
        }
    }
}
#endif
