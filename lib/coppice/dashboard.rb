# frozen_string_literal: true

require "coppice/tools/dashboard" # for applications that mount it
