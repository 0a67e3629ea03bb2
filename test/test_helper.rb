# frozen_string_literal: true

require "minitest/autorun"
require "coppice/version"

require_relative "support/test_case"
require_relative "support/strict_warnings"
require_relative "support/leak_check"

Coppice::StrictWarnings.enable
Coppice::LeakCheck.watch
