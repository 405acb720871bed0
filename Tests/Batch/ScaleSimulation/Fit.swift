import ScrubBatchLogic
import Foundation
import ScrubBase

/// Fits the cost model to measured files, and says how far it is off for those that it has not seen.
///
/// The file has an object on each line: `codec`, `fedPixels`, `fedBytes`, `shownPixels`, `indexBytes`, `outputPixels`,
/// `seconds`, and `library` for a group of files that are left out together.
struct Fit {
    let path: String

    func run() throws {
        var samples: [(library: String, sample: CostSample)] = []
        for line in try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n") {
            let object = try JSONObject(JSONReader.value(String(line)))
            func number(_ key: String) throws -> Double {
                guard let value = object.digits(key).flatMap({ Double($0) }) else {
                    throw object.fault(key, "no number")
                }
                return value
            }
            let features = CostFeatures(
                codec: try object.string("codec"), fedPixels: try number("fedPixels"), fedBytes: try number("fedBytes"),
                shownPixels: try number("shownPixels"),
                indexBytes: try number("indexBytes"), outputPixels: try number("outputPixels"))
            samples.append(
                (
                    object.has("library") ? try object.string("library") : "",
                    CostSample(features, seconds: try number("seconds"))
                ))
        }
        let model = CostModel(fitting: samples.map(\.sample))
        for (codec, decoding) in model.decoding.sorted(by: { $0.key < $1.key }) {
            print(String(format: "%@: pixel %.2g, byte %.2g", codec, decoding.pixel, decoding.byte))
        }
        print(
            String(
                format: "shownPixel %.2g, file %.2g, outputPixel %.2g, indexByte %.2g", model.shownPixel, model.file,
                model.outputPixel, model.indexByte))
        show("all, with the model that has seen them", model, samples.map(\.sample))
        show("all, with the model of releases", .measured, samples.map(\.sample))
        for library in Set(samples.map(\.library)).sorted() {
            let (here, others) = (samples.filter { $0.library == library }, samples.filter { $0.library != library })
            show("\(library), with the model of releases", .measured, here.map(\.sample))
            show(
                "\(library), with the model of the others", CostModel(fitting: others.map(\.sample)), here.map(\.sample)
            )
            let half = here.enumerated().filter { $0.0 % 2 == 0 }.map(\.1.sample)
            show(
                "\(library), one half with the model of the other half", CostModel(fitting: half),
                here.enumerated().filter { $0.0 % 2 == 1 }.map(\.1.sample))
        }
    }

    private func show(_ name: String, _ model: CostModel, _ samples: [CostSample]) {
        guard let error = PredictionError(samples.map { (predicted: model.predict($0.features), actual: $0.seconds) })
        else { return }
        print(
            String(
                format: "%@: %d files, actual / predicted in all %.2f, median %.2f, 10 %% %.2f, 90 %% %.2f", name,
                error.count,
                error.total, error.median, error.tenth, error.ninetieth))
    }
}
