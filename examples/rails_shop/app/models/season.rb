# frozen_string_literal: true

# This week's jobs from the calendar, and the species that they concern.
class Season
  JOBS = 4

  attr_reader :month, :week

  def self.today = new(Date.current)

  def initialize(date)
    @date = date
    @month = Date::MONTHNAMES.fetch(date.month)
    @week = ((date.day - 1) / 7).clamp(0, 3) + 1
  end

  # A few of the week's jobs, different ones each day.
  def jobs
    list = ReferenceBooks.calendar.fetch(month).fetch(week)
    list.rotate(@date.yday * JOBS).first(JOBS)
  end

  def species
    name, entry = ReferenceBooks.glossary.to_a[@date.yday % ReferenceBooks.glossary.size]
    [name.capitalize, entry]
  end

  def planting? = @date.month.in?([11, 12, 1, 2, 3])
end
