# frozen_string_literal: true

class ReportsController < ApplicationController
  def sales
    @report = SalesReport.new
  end
end
