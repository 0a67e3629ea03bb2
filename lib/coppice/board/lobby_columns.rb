# frozen_string_literal: true

require "coppice/board/column"

module Coppice
  class Board
    # What the lobby's loop counts: the cells in the order of ext/coppice/lobby/memory/counters.h, then a text. Gauges
    # are numbers of this moment; all others only grow, over all lobbies of a server.
    LOBBY_GAUGES = Column.table(
      [:connections, :lobby, "open connections"],
      [:idle, :lobby, "open connections without a request"],
      [:waiting, :lobby, "requests that no worker has taken yet"],
      [:full, :lobby, "1 while one more would be refused for max_waiting"],
      [:held_back, :lobby, "those of them that others come before, as their routes are slow"],
      [:paused, :lobby, "1 while it should accept connections and cannot"]
    )
    LOBBY_AMOUNTS = Column.table(
      [:buffered_bytes, :lobby, "bytes of responses in memory"],
      [:file_bytes, :lobby, "bytes of bodies and responses in files"]
    )
    LOBBY_COLUMNS = (LOBBY_GAUGES + Column.table(
      [:accepted, :lobby, "connections"],
      [:requests, :lobby, "requests that were given to the queue"],
      [:handshakes, :lobby, "handshakes of WebSockets that a service got"],
      [:answered, :lobby, "requests that a worker has answered to the end"],
      [:refused_400, :lobby, "malformed requests"],
      [:refused_408, :lobby, "requests that did not come in time"],
      [:refused_413, :lobby, "bodies over max_body_bytes"],
      [:refused_414, :lobby, "request lines over max_request_line_bytes"],
      [:refused_417, :lobby, "requests with an unknown expectation"],
      [:refused_431, :lobby, "heads over max_header_bytes or max_header_count"],
      [:refused_501, :lobby, "requests with an unknown transfer coding"],
      [:refused_505, :lobby, "requests of an unknown version of HTTP"],
      [:refused_507, :lobby, "bodies for which there was no room"],
      [:lost_502, :lobby, "requests whose worker was lost, and that may not be repeated"],
      [:shed_max_waiting, :lobby, "503: as many waited as may"],
      [:shed_queue_timeout, :lobby, "503: no worker took it in time"],
      [:shed_stopping, :lobby, "503: the server stopped"],
      [:shed_max_connections, :lobby, "503, or no answer: no connection or descriptor was left"],
      [:shed_client_limit, :lobby, "503: over max_connections_per_client"],
      [:shed_handshakes, :lobby, "503: the service for handshakes was not there, or busy"],
      [:shed_memory, :lobby, "503: no buffer for a slow request was left"],
      [:expired_504, :lobby, "requests whose worker was past its deadline"],
      [:retried, :lobby, "requests that were given to another worker, as theirs was lost"],
      [:client_gone, :lobby, "clients that left before their request was answered"],
      [:slow_readers, :lobby, "clients that were cut off, as they read too slowly"],
      [:evicted, :lobby, "idle connections that were closed to make room"],
      [:spoilt, :lobby, "answers that made no sense: their workers were cut off"],
      [:takeovers, :lobby, "deaths of the loop that a successor survived"],
      [:bytes_in, :lobby, "bytes read from clients"],
      [:bytes_out, :lobby, "bytes that the kernel took for clients"]
    ) + LOBBY_AMOUNTS + Column.table(
      [:log_lines_dropped, :lobby, "lines of the access log that could not be written"],
      [:held_route, :lobby, "the route of most of the requests that are held back", 12]
    )).freeze
  end
end
