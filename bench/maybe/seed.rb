# frozen_string_literal: true

# Maybe's own example data, the same each time, unless there are users already. It prints the cookie of a session of the
# first user. prepare.rb runs it with `rails runner`.
EMAIL = "user@maybe.local"

ActiveJob::Base.queue_adapter = :test # no job needs to run
Demo::Generator.new(seed: 1).generate_default_data!(skip_clear: true, email: EMAIL) unless User.exists?

session = User.find_by!(email: EMAIL).then { |user| user.sessions.first || user.sessions.create! }
jar = ActionDispatch::Request.new(Rails.application.env_config.dup).cookie_jar
jar.signed[:session_token] = session.id
puts "session_token=#{CGI.escape(jar[:session_token])}"
