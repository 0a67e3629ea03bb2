# frozen_string_literal: true

require "rspec/core"
require "coppice/tools/test_reforks"
require "coppice/tools/test_reforks/rspec_suite"

# For spec_helper.rb: runs the suite through reforks (docs/testing_reforks.md).
RSpec::Core::Configuration.prepend(Coppice::TestReforks::RSpecSuite::Entry)
RSpec::Core::Example.prepend(Coppice::TestReforks::RSpecSuite::EachExample)
RSpec.configure { |config| config.backtrace_exclusion_patterns << %r{/lib/coppice/tools/test_reforks} }
