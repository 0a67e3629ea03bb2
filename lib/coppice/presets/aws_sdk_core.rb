# frozen_string_literal: true

# Its gem aws-sigv4, which others use as well, defines Aws too.
Coppice::Presets.define(:aws_sdk_core, gem: "aws-sdk-core", constant: "Aws::CORE_GEM_VERSION",
  versions: "3.264"..."4", tested: true, verdict: :acts, calls: { before: -> { Aws.empty_connection_pools! } },
  does: "closes idle connections before a fork: `Aws.empty_connection_pools!`. They are opened again on demand",
  advice: "nothing",
  older: "`before_fork`: `Aws.empty_connection_pools!`",
  why: "For 5 s after its last use a connection would be shared with the copies.",
  source: "gems/aws-sdk-core/lib/aws-sdk-core.rb (empty_connection_pools!)")
