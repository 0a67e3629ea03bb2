# frozen_string_literal: true

require "coppice/tools/test_reforks/minitest" # for test_helper.rb: docs/testing_reforks.md
