#if CommandLine
internal import ArgumentParser

/// `scrub batch`: libraries of films.
struct BatchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "batch", abstract: "Keep the thumbnails of a film library complete, or verify the whole library.",
        discussion: """
            Searches a folder, finds films by their contents, and writes each film's results to the --to folder, \
            under the film's path. Current results are left as they are. A stopped run continues where it was when \
            the same command is run again. Results appear complete or not at all.

            A film that fails is reported with the reason and retried after a minute, an hour and a day, unless its \
            own data are the reason. scrub batch failures lists failed films, and scrub batch retry makes the next \
            run retry them.

            Put ./ before the name of a file or folder that is called run, status, failures, retry or plan.
            """,
        subcommands: [
            BatchRunCommand.self, BatchStatusCommand.self, BatchFailuresCommand.self, BatchRetryCommand.self,
            BatchPlanCommand.self,
        ], defaultSubcommand: BatchRunCommand.self)
}
#endif
