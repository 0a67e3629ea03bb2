# frozen_string_literal: true

# The compiled half of Coppice (ext/coppice), in a folder of its own for each Ruby version,
# so that one checkout can serve two Rubies at once without a rebuild.
begin
  require "coppice/#{RUBY_VERSION[/\A\d+\.\d+/]}/coppice_ext"
rescue LoadError => error
  reason = error.message.lines.first.chomp
  raise LoadError, "the compiled extension cannot be loaded by Ruby #{RUBY_VERSION} (#{reason}). " \
                   "To build it: `bin/setup core` in a checkout, `gem pristine coppice` for an installed gem"
end
