#if CommandLine
internal import ArgumentParser

/// `scrub batch`: libraries of films.
struct BatchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "batch", abstract: "Create missing thumbnails for a film library, or verify the whole library.",
        discussion: """
            Searches a folder, finds films by their contents, and writes each film's results to the --to folder, \
            under the film's path. Results that are up to date are left unchanged. If a run is stopped, the same \
            command continues it from there. No result appears before it is complete.

            A film that fails is reported with the reason. It is retried after a minute, an hour and a day, unless \
            the film's data is the cause. scrub batch failures lists failed films, and scrub batch retry makes the \
            next run retry them.

            Put ./ before the name of a file or folder that is named run, status, failures, retry or plan.
            """,
        subcommands: [
            BatchRunCommand.self, BatchStatusCommand.self, BatchFailuresCommand.self, BatchRetryCommand.self,
            BatchPlanCommand.self,
        ], defaultSubcommand: BatchRunCommand.self)
}
#endif
