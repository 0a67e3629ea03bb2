# frozen_string_literal: true

require "coppice/tools/capybara" # for the helper of an application's tests
