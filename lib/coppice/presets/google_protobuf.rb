# frozen_string_literal: true

Coppice::Presets.define(:google_protobuf, gem: "google-protobuf", constant: "Google::Protobuf",
  verdict: :handled,
  does: "nothing",
  advice: "nothing",
  why: "It has no threads and no connections.",
  source: "ruby/ext of protocolbuffers/protobuf")
