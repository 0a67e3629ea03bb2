# frozen_string_literal: true

# Its gem aws-sigv4, which others use as well, defines Aws too.
Coppice::Presets.define(:aws_sdk_core, gem: "aws-sdk-core", constant: "Aws::CORE_GEM_VERSION",
  versions: "3.264"..."4", tested: true, verdict: :acts, calls: { before: -> { Aws.empty_connection_pools! } },
  does: "closes idle connections before a fork: `Aws.empty_connection_pools!`",
  advice: "nothing",
  older: "`before_fork`: `Aws.empty_connection_pools!`",
  why: "A connection stays open for 5 s after its last use, and would be shared.",
  source: "gems/aws-sdk-core/lib/aws-sdk-core.rb (empty_connection_pools!)")
