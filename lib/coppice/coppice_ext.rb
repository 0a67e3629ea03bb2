# frozen_string_literal: true

# The compiled half of Coppice (ext/coppice), in a folder of its own for each Ruby version,
# so that one checkout can serve two Rubies at once without a rebuild.
require "coppice/#{RUBY_VERSION[/\A\d+\.\d+/]}/coppice_ext"
