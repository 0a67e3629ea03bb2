# frozen_string_literal: true

require "minitest/autorun"
require "tmpdir"
require "coppice/version"

require_relative "support/test_case"
require_relative "support/strict_warnings"
require_relative "support/leak_check"

# The path of a Unix socket has at most 107 bytes, and the tests' own folders take half of them.
ENV["TMPDIR"] = "/tmp" if Dir.tmpdir.bytesize > 40 && File.writable?("/tmp")

Coppice::StrictWarnings.enable
Coppice::LeakCheck.watch
