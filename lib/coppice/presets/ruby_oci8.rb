# frozen_string_literal: true

Coppice::Presets.define(:ruby_oci8, gem: "ruby-oci8", constant: "OCI8",
  verdict: :advice,
  advice: "`before_fork`: `connection.logoff`. Connect on the next use",
  why: "A copy raises \"The connection cannot be reused in the forked process.\"",
  source: "ext/oci8/oci8.c")
