# frozen_string_literal: true

# A page that is streamed piece by piece: the head of the layout, one line of news at a time, and the foot. It always
# ends.
class LiveController < ApplicationController
  include ActionController::Live

  def show
    response.headers["content-type"] = "text/html; charset=utf-8"
    response.headers["cache-control"] = "no-cache, no-transform"
    response.headers["x-accel-buffering"] = "no"
    news = WoodNews.new
    write("head")
    news.each { |item| write("item", item:) }
    write("foot", news:)
  rescue ActionController::Live::ClientDisconnected
    logger.info("The visitor left before the news was over")
  ensure
    response.stream.close
  end

  private

  def write(part, **locals) = response.stream.write(render_to_string(partial: "live/#{part}", locals:))
end
