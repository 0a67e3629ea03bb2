# frozen_string_literal: true

# Requests that take too long, each in its own way, and how to send one.
module LateRequests
  # Branches of an application's `case env["PATH_INFO"]`.
  BRANCHES = <<~RUBY
    when "/hang" then sleep # app: forever
    when "/begun" then return [200, {}, Enumerator.new { |body| (body << "first") && sleep }] # app: forever
    when "/stuck"
      loop do
        IO.select(nil)
      rescue Exception # why: the application that this test is about
        next
      end
    when "/deaf" then Process.kill(:STOP, Process.pid) # app: then the soft timeout does not run either
  RUBY

  # Sends a request, and yields its socket without waiting for the answer.
  def ask(server, path, headers = "")
    socket = server.connect
    socket.write("GET #{path} HTTP/1.1\r\nHost: x\r\n#{headers}\r\n")
    yield socket
  ensure
    socket&.close
  end
end
