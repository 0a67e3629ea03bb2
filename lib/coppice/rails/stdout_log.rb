# frozen_string_literal: true

require "active_support"
require "active_support/lazy_load_hooks"

# What `rails server --log-to-stdout` does, in the mold: the application's log goes to standard output as well. Required
# before the application is loaded.
ActiveSupport.on_load(:after_initialize) do
  next if ActiveSupport::Logger.logger_outputs_to?(Rails.logger, $stdout, $stderr)

  console = ActiveSupport::Logger.new($stdout)
  console.formatter = Rails.logger.formatter
  console.level = Rails.logger.level
  Rails.logger.broadcast_to(console)
end
