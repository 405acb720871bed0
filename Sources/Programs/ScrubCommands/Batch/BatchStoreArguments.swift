#if CommandLine
internal import ArgumentParser
internal import Foundation
internal import Scrub
internal import ScrubBase
internal import ScrubBatch

/// Results in an object store.
struct BatchStoreArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "With --to s3://BUCKET/PREFIX, the store's address. Credentials and region are read from the usual AWS environment variables. Default: $AWS_ENDPOINT_URL_S3, $AWS_ENDPOINT_URL, or AWS itself.",
            valueName: "url"))
    var s3Endpoint: String?

    /// Returns the store, if results go to one; it has already answered a request.
    func store(
        _ to: String?, _ servers: BatchServerArguments, _ what: BatchWorkArguments
    ) throws(ScrubError) -> ObjectStore? {
        guard let to, ObjectStoreOptions.isName(to) else {
            guard s3Endpoint == nil else {
                throw ScrubError.wrongRequest(
                    "--s3-endpoint is for results in an object store", advice: "use --to s3://BUCKET/PREFIX")
            }
            return nil
        }
        guard !servers.areUsed else {
            throw ScrubError.wrongRequest(
                "media servers read files from folders, not from object stores",
                advice: "omit --beside and --plex-media, or specify a folder with --to")
        }
        guard !what.previews else {
            throw ScrubError.wrongRequest(
                "previews are kept in this machine's cache, not in object stores",
                advice: "omit --to, or specify a folder")
        }
        let options = try ObjectStoreOptions(
            to, endpoint: s3Endpoint, environment: ProcessInfo.processInfo.environment)
        let store = ObjectStore(folder: try ObjectStore.workFolder(to), options)
        try store.check()
        return store
    }
}
#endif
