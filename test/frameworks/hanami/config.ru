# frozen_string_literal: true

require "hanami/boot"

run Hanami.app
