import ArgumentParser
import ScrubBase
import ScrubMedia
import ScrubSources
import ScrubViewer
import ViewerOptions

/// `scrub-view`: what `scrub view` runs.
struct ViewerCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scrub-view", abstract: "Look at videos in the browser, frame by frame.")

    @OptionGroup var options: ViewOptions

    /// Serves until it is told to end.
    func serve() async throws {
        var configuration = ViewerConfiguration(names: options.media)
        (configuration.host, configuration.port) = (options.host, options.port)
        (configuration.usesToken, configuration.pageFolder) = (options.token, options.page)
        configuration.options = OpenOptions(stream: options.stream, cache: options.noCache ? .none : .standard)
        configuration.network.usesCache = !options.noCache
        configuration.limits.pictureByteLimit = options.memory << 20
        let (isJSON, opens) = (options.json, options.open)
        do {
            try await ViewerServer(configuration).run { address in
                Output.say(isJSON ? address.json : "The viewer is at \(address.url) (Ctrl-C ends it)")
                if opens { Browser.open(address.url) }
            }
        } catch let error as ScrubError {
            Output.complain(error.description)
            throw ExitCode(error.code.exitStatus)
        }
    }
}
