# frozen_string_literal: true

require "etc"
require "socket"
require_relative "one_shot_client"
require_relative "bounded_wait"

# A proxy in a process of its own, in front of servers, with all its files in one folder. Children know their program.
class ReverseProxy
  include OneShotClient

  # Debian has proxies in /usr/sbin, which is not on the PATH of users.
  FOLDERS = [*ENV.fetch("PATH").split(File::PATH_SEPARATOR), "/usr/sbin"].freeze

  # Where the program is; nil where it is not installed.
  def self.program = FOLDERS.map { |folder| File.join(folder, self::NAME) }.find { |file| File.executable?(file) }

  # Yields one that takes requests at this port, and ends it afterwards.
  #: [T] (String, port: Integer, folder: String) { (ReverseProxy) -> T } -> T
  def self.open(configuration, port:, folder:)
    proxy = new(configuration, port: port, folder: folder)
    proxy.start
    yield proxy
  rescue Minitest::Assertion, StandardError
    proxy&.show_log
    raise
  ensure
    proxy&.stop
  end

  def initialize(configuration, port:, folder:)
    @port = port
    @folder = folder
    File.write(path("proxy.conf"), adapt(configuration))
  end

  def start
    @pid = Process.spawn(self.class.program, *arguments,
                         chdir: @folder, in: File::NULL, %i[out err] => path("proxy.log"))
    BoundedWait.wait(BoundedWait::SECONDS, "the proxy does not listen") { listening? }
  end

  def stop
    return unless @pid

    Process.kill(:TERM, @pid)
    BoundedWait.status_of(@pid)
  end

  def connect = TCPSocket.new("127.0.0.1", @port)

  # It has a line for each request that met a refusal.
  def show_log
    warn "--- the end of the proxy's log", *File.readlines(path("proxy.log")).last(20), "---"
  end

  private

  def path(name) = File.join(@folder, name)

  def adapt(configuration) = configuration

  def listening?
    connect.close
    true
  rescue Errno::ECONNREFUSED
    ended = Process.wait(@pid, Process::WNOHANG) or return false
    @pid = nil
    raise "the proxy #{ended} ended"
  end
end

class Nginx < ReverseProxy
  NAME = "nginx"

  private

  def arguments = ["-p", @folder, "-c", path("proxy.conf"), "-e", "stderr", "-g", "daemon off;"]

  # Its own folders are root's.
  def adapt(configuration)
    paths = %w[client_body proxy fastcgi uwsgi scgi].map { |name| "  #{name}_temp_path #{path("nginx-#{name}")};\n" }
    configuration.sub(/^user .*$/, "user #{Etc.getpwuid.name};")
                 .sub("http {\n") { |line| "#{line}  access_log off;\n#{paths.join}" }
  end
end

class Haproxy < ReverseProxy
  NAME = "haproxy"

  private

  def arguments = ["-db", "-f", path("proxy.conf")]
end
