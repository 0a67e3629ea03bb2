# frozen_string_literal: true

# lane: soak -- a terminal in real time

require "test_helper"
require_relative "../support/guest_commands"
require_relative "../support/guest_terminal"

# Guests whose client is on a terminal: a real one, with a session of its own, as a user has it.
class GuestTerminalTest < Coppice::TestCase
  include GuestCommands
  include GuestTerminal

  def settings = IO.popen(["stty", "-g"], in: @screen, &:read)

  def shell(server) = on_terminal(server, "bash", "--norc", "--noediting", "-i").then { expect("shell> ") }

  def run_line(server, *words, name: "run") = command(server, *words, name: name).join(" ")

  test "irb in the application: answers, keeps Ctrl-C for itself, and has a history" do
    serve do |server|
      on_terminal(server, *command(server, name: "console"))
      expect("> ")
      type("WARM + '!'\r")
      expect('=> "the application\'s!"')
      expect(/\(main\).*> /)
      type("puts 'in' + 'side'; sleep\r")
      expect("inside")
      type("\x03")
      expect(/\(main\).*> /)
      type("6 * 7\r")
      expect("=> 42")
      expect(/\(main\).*> /)
      type("\e[A\e[A\e[A\r") # up to the first line
      expect('=> "the application\'s!"')
      expect(/\(main\).*> /)
      type("Kernel.exit(3)\r")

      assert_equal 3, status.exitstatus
    end
  end

  test "Ctrl-C interrupts a program, and its death is the client's" do
    serve do |server|
      on_terminal(server, *command(server, "-e", "puts :ready; sleep"))
      expect("ready")
      type("\x03")

      assert_equal Signal.list.fetch("INT"), status.termsig
    end
  end

  test "Ctrl-C ends a guest that is not forked yet, and its client" do
    serve("before_fork { |_server| File.read('pipe') if File.exist?('pipe') }") do |server|
      File.mkfifo(server.path("pipe"))
      on_terminal(server, *command(server, "-e", "puts :ready; sleep"))
      pipe = wait_for_reader(server, "pipe")
      type("\x03")
      expect("^C") # as the user's own terminal shows it
      File.delete(server.path("pipe"))
      pipe.close

      assert_equal Signal.list.fetch("INT"), status.termsig
    ensure
      pipe&.close
    end
  end

  test "Ctrl-Z stops the guest and its client, and fg continues both" do
    serve do |server|
      shell(server)
      before = settings
      type("#{run_line(server, '-e', "'puts :ready; puts gets.upcase'")}\n")
      expect("ready\r\n")
      refute_equal before, settings
      type("\x1a")
      expect("Stopped")
      expect("shell> ")
      server.wait { state(guest_of(server)) == "T" }
      type("stty -g\n")
      expect("#{before.chomp}\r\n")
      type("fg\n")
      server.wait { state(guest_of(server)) != "T" && settings != before }
      type("typed\n")
      expect("TYPED")
      expect("shell> ")
      type("stty -g\n")
      expect("#{before.chomp}\r\n")
      type("exit\n")
      status
    end
  end

  test "a guest goes on in the background, from the start and after Ctrl-Z, and fg gives it the terminal" do
    serve do |server|
      shell(server)
      before = settings
      type("#{run_line(server, '-e', "'puts :ready; puts gets.upcase'")} &\n")
      expect(/ready\r+\n/)
      refute_equal "T", state(guest_of(server))
      2.times do
        type("fg\n")
        server.wait { settings != before }
        type("\x1a")
        expect("Stopped")
        server.wait { state(guest_of(server)) == "T" && settings == before }
        type("bg\n")
        server.wait { state(guest_of(server)) != "T" }
      end
      type("fg\n")
      server.wait { settings != before }
      type("typed\n")
      expect("TYPED")
      expect("shell> ")
      type("exit\n")
      status
    end
  end

  test "the size is that of the user's terminal, and follows it" do
    serve do |server|
      code = "require 'io/console'; changes, change = IO.pipe; trap(:WINCH) { change.write_nonblock('.') }; " \
             "loop { p $stdin.winsize; changes.readpartial(9) }" # a handler must not print while the program prints
      on_terminal(server, *command(server, "-e", code))
      expect("[24, 100]")
      @screen.winsize = [33, 77]
      expect("[33, 77]")
      type("\x03")

      assert_equal Signal.list.fetch("INT"), status.termsig
    end
  end

  test "the terminal is as before, whatever ends the client" do
    serve do |server|
      shell(server)
      before = settings
      { "exit 2" => 2, "raise" => 1, "Process.kill(:KILL, $$)" => 137, "abort" => 1 }.each do |ending, expected|
        type("#{run_line(server, '-e', "'#{ending}'")}; echo =$?=\n")
        expect("=#{expected}=\r\n")
        expect("shell> ")
        assert_equal before, settings, ending
      end
      type("#{run_line(server, '-e', "'puts :ready; sleep'")}; echo =$?=\n")
      expect("ready\r\n")
      server.signal(:INT)
      expect(/=\d+=\r\n/)
      expect("shell> ")
      assert_equal before, settings
      type("exit\n")
      status
    end
  end

  test "a terminal that is closed takes its guest along" do
    serve do |server|
      on_terminal(server, *command(server, "-e", "puts :ready; sleep"))
      expect("ready")
      [@screen, @keys].each(&:close)
      no_guest(server)

      assert_equal Signal.list.fetch("HUP"), BoundedWait.status_of(@pid).termsig
      @pid = nil
    end
  end

  test "what is piped stays a pipe, beside a terminal" do
    serve do |server|
      shell(server)
      code = "p [$stdin.tty?, $stdout.tty?, $stderr.tty?]"
      type("#{run_line(server, '-e', "'#{code}'")} | tr e E\n")
      expect("[truE, falsE, truE]")
      expect("shell> ")
      type("echo | #{run_line(server, '-e', "'#{code}'")}\n")
      expect("[false, true, true]")
      type("exit\n")

      assert_predicate status, :success?
    end
  end

  private

  def guest_of(server) = server.wait { server.rows(:guest).find(&:ready?) }.pid

  def state(pid) = File.read("/proc/#{pid}/stat").rpartition(")").last.split.first
end
