#if CommandLine
internal import ArgumentParser

/// `scrub batch`: libraries of films.
struct BatchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "batch", abstract: "Keep the thumbnails of a library of films complete, or prove all of it.",
        discussion: """
            Walks a folder, finds films by their contents, and writes the results of each into the --to folder, under the film's own \
            path. What is current is left as it is. A run that was stopped, however, goes on where it was when the same command is given \
            again. Results appear whole or not at all.

            A film that fails is named with the reason, and tried again after a minute, an hour and a day unless the film's own data are \
            the reason: scrub batch failures lists them, scrub batch retry has them tried at once.

            A file or folder that is called run, status, failures, retry or plan is named with ./ before it.
            """,
        subcommands: [
            BatchRunCommand.self, BatchStatusCommand.self, BatchFailuresCommand.self, BatchRetryCommand.self,
            BatchPlanCommand.self,
        ], defaultSubcommand: BatchRunCommand.self)
}
#endif
