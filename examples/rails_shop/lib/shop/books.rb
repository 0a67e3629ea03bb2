# frozen_string_literal: true

require "yaml"

module Shop
  # Generates the three reference books that ReferenceBooks reads: always the same text, some hundred kilobytes in
  # total. They are generated so that the repository need not contain them.
  class Books
    SPECIES = YAML.load_file(File.expand_path("../../db/seeds/species.yml", __dir__)).freeze
    MONTHS = %w[January February March April May June July August September October November December].freeze
    AREAS = %w[AB AL B BA BB BD BH BL BN BR BS CA CB CF CH CM CO CT CV CW DA DD DE DG DH DL DN DT DY EH EX FK FY G GL GU
               HD HG HP HR HS HU HX IP IV KA KT KW KY L LA LD LE LL LN LS LU M ME MK ML NE NG NN NP NR OL OX PA PE PH PL
               PO PR RG RH S SA SG SK SN SO SP SR SS ST SY TA TD TF TN TQ TR TS WA WF WN WR WV YO ZE].freeze
    FAR_AWAY = %w[HS IV KW PA PH ZE].freeze
    BANDS = { "letter" => 195, "parcel" => 495, "bundle" => 895, "long" => 1_450, "pallet" => 6_800 }.freeze

    def to_yaml(book) = YAML.dump(public_send(book))

    def glossary
      SPECIES.to_h { |name, entry| [name, entry.merge("sites" => sites(entry), "yields" => yields(entry))] }
    end

    def calendar
      MONTHS.to_h do |month|
        [month, (1..4).to_h { |week| [week, SPECIES.map { |name, entry| job(name, entry, month) }] }]
      end
    end

    def delivery
      AREAS.to_h { |area| [area, (1..12).to_h { |district| [district, rates(area, district)] }] }
    end

    private

    def sites(entry)
      %w[clay loam sand chalk peat].to_h { |soil| [soil, entry["soil"].include?(soil) ? "good" : "possible"] }
    end

    # Tonnes of dry wood on a hectare, year by year since the last cut.
    def yields(entry) = (1..30).to_h { |year| [year, (entry["vigour"] * year**1.4 / (1 + year / 40.0)).round(1)] }

    def job(name, entry, month)
      resting = %w[November December January February].include?(month)
      tasks = resting ? entry["winter"] : entry["summer"]
      { "species" => name, "task" => tasks[(name.size + month.size) % tasks.size], "days" => 1 + (name.size % 4) }
    end

    def rates(area, district)
      far = FAR_AWAY.include?(area) ? 2 : 1
      days = (far * 2) + (district % 3)
      { "days" => days, "bands" => BANDS.transform_values { |pence| (pence * far) + (district * 5) } }
    end
  end
end
