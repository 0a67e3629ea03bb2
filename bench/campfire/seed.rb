# frozen_string_literal: true

# Example data for Campfire, the same each time: 100 users, 5 rooms, 200 messages in each. It prints the cookie of the
# first user's session. prepare.rb runs it with `rails runner`. It leaves a database that has users alone.
class Seed
  ROOMS = 5
  USERS = 100
  MESSAGES = 200 # of each room
  WORDS = %w[server worker request memory page issue project release patch build test query cache thread error report
             search client upload download header parser socket monitor refork kernel graph plan budget road
             map].freeze
  YEAR_BEGIN = Time.utc(2025, 1, 1)

  def initialize
    @random = Random.new(1)
  end

  def run
    ActiveJob::Base.queue_adapter = :test # nothing is pushed to anyone
    fill unless User.exists?
    puts cookie(User.first.sessions.first || User.first.sessions.start!(user_agent: "bench", ip_address: "127.0.0.1"))
  end

  private

  def fill
    owner = FirstRun.create!(name: "User 1", email_address: "user1@example.com", password: "of no use 1")
    users = [owner] + Array.new(USERS - 1) { |i| user(i + 2) }
    rooms = [Room.first] + Array.new(ROOMS - 1) { |i| Rooms::Open.create!(name: WORDS[i].capitalize, creator: owner) }
    rooms.each { |room| MESSAGES.times { |i| message(room, users.sample(random: @random), i) } }
  end

  def user(number)
    User.create!(name: "User #{number}", email_address: "user#{number}@example.com", password: "of no use #{number}")
  end

  def message(room, creator, number)
    words = Array.new(1 + @random.rand(30)) { WORDS.sample(random: @random) }
    room.messages.create!(creator: creator, body: "<div>#{words.join(" ")}</div>",
      created_at: YEAR_BEGIN + number.hours)
  end

  def cookie(session)
    jar = ActionDispatch::Request.new(Rails.application.env_config.dup).cookie_jar
    jar.signed[:session_token] = session.token
    "session_token=#{CGI.escape(jar[:session_token])}"
  end
end

Seed.new.run
