# frozen_string_literal: true

require "minitest"
require "coppice/tools/test_reforks"
require "coppice/tools/test_reforks/minitest_suite"

# For test_helper.rb: runs the suite through reforks (docs/testing_reforks.md).
Minitest.singleton_class.prepend(Coppice::TestReforks::MinitestSuite::Entry)
