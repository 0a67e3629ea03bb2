# frozen_string_literal: true

require "coppice/tools/test_reforks/rspec" # for spec_helper.rb: docs/testing_reforks.md
