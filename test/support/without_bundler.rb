# frozen_string_literal: true

# For the environment of a process that is started as its user would: without what Bundler told the test's own process.
WITHOUT_BUNDLER = ENV.keys.grep(/\A(?:RUBYOPT|RUBYLIB|BUNDLER_.*|BUNDLE_(?:BIN_PATH|LOCKFILE))\z/)
                     .to_h { |name| [name, nil] }.freeze
