# frozen_string_literal: true

require_relative "fake_server"

# In the place of Coppice::Log: keeps what was logged above level debug.
class RecordingLog < FakeServer::NullLog
  def lines = @lines ||= []

  %i[info warn error fatal].each do |level|
    define_method(level) { |message, **fields| lines << [level, message, fields] }
  end

  # The lines whose message contains this text.
  def saying(text) = lines.select { |_, message, _| message.include?(text) }

  def errors = lines.select { |level,| level == :error }
end
